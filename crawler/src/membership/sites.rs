//! Sites of which this member has the reservation (P18).

use super::{Member, Membership};
use std::collections::{BTreeMap, HashMap};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;
use store::StoreError;

/// Sites that this member has or asks for, and those to be released. In the database, a reservation is that
/// of the member: which of its visits and requests has it is known only here.
#[derive(Debug, Default)]
pub(super) struct Sites {
    used: HashMap<String, Use>,
    /// Sites to be released, each with its rest, in order. They remain until the database has them.
    released: Vec<(String, Duration)>,
}

/// Use of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// A visit of the frontier, and those of other hosts after it.
    Visit,
    /// A request that belongs to no visit there.
    Request,
}

impl Sites {
    /// Notes that a visit asks for a site; false if a request has it.
    fn begin_visit(&mut self, site: &str) -> bool {
        let used = self.used.entry(site.to_owned()).or_insert(Use::Visit);
        *used == Use::Visit
    }

    /// Notes that a request asks for a site; false if anything of this member may have it.
    fn begin_request(&mut self, site: &str) -> bool {
        let is_free = !self.used.contains_key(site) && self.released.iter().all(|it| it.0 != site);
        if is_free {
            self.used.insert(site.to_owned(), Use::Request);
        }
        is_free
    }

    /// Notes that the database has not reserved a site.
    fn refused(&mut self, site: &str) {
        self.used.remove(site);
    }

    fn release(&mut self, site: &str, rest: Duration) {
        self.used.remove(site);
        self.released.push((site.to_owned(), rest));
    }
}

/// Reservation of a site for a request that belongs to no visit there, released when it is dropped.
pub(crate) struct Reservation {
    membership: Membership,
    site: Option<String>,
    rest: Duration,
}

impl Reservation {
    /// Sets the time for which the site rests after its release. A request may still be being answered
    /// then, so the time is set before it is sent.
    pub(crate) fn rest(&mut self, rest: Duration) {
        self.rest = rest;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(site) = self.site.take() {
            self.membership.release(&site, self.rest);
        }
    }
}

impl Member {
    fn sites(&self) -> MutexGuard<'_, Sites> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Membership {
    /// Reports whether a visit may ask for a site; it may not while a request has it (P38a).
    pub(crate) fn begin_visit(&self, site: &str) -> bool {
        let member = self.0.as_ref();
        member.is_none_or(|member| member.sites().begin_visit(site))
    }

    /// Notes that a site was not reserved for a visit.
    pub(crate) fn refused(&self, site: &str) {
        if let Some(member) = &self.0 {
            member.sites().refused(site);
        }
    }

    /// Lets others visit a site again, after it rested for this time.
    pub(crate) fn release(&self, site: &str, rest: Duration) {
        if let Some(member) = &self.0 {
            member.sites().release(site, rest);
        }
    }

    /// Returns the number of releases that the database may not have, and the sites with their rests.
    pub(crate) fn to_release(&self) -> (usize, BTreeMap<String, Duration>) {
        let mut rests = BTreeMap::new();
        let Some(member) = &self.0 else {
            return (0, rests);
        };
        let sites = member.sites();
        for (site, rest) in &sites.released {
            let longest: &mut Duration = rests.entry(site.clone()).or_default();
            *longest = (*longest).max(*rest);
        }
        (sites.released.len(), rests)
    }

    /// Records that the database has as many releases, the first ones.
    pub(crate) fn released(&self, count: usize) {
        if let Some(member) = &self.0 {
            let released = &mut member.sites().released;
            released.drain(..count.min(released.len()));
        }
    }

    /// Reserves a site among the crawlers of a fleet for a request that belongs to no visit there, and
    /// returns the reservation and the time for which the site still rests; `None` if a visit or another
    /// request has it. With `most`, a redirect of another site leads to the request, and `None` also if
    /// there were as many of these within the last hour (P38a).
    pub(crate) async fn reserve_site(
        &self,
        site: &str,
        most: Option<u32>,
    ) -> Result<Option<(Reservation, Duration)>, StoreError> {
        let mut reservation = Reservation {
            membership: self.clone(),
            site: None,
            rest: Duration::ZERO,
        };
        let Some(member) = &self.0 else {
            return Ok(Some((reservation, Duration::ZERO)));
        };
        if !member.sites().begin_request(site) {
            return Ok(None);
        }
        // If there is no answer, or nothing waits for it any more, the site may be reserved.
        reservation.site = Some(site.to_owned());
        let rest = member.store.reserve_site(&member.name, site, most).await?;
        if rest.is_none() {
            reservation.site = None;
            member.sites().refused(site);
        }
        Ok(rest.map(|rest| (reservation, rest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::guest::tests::member;

    const SITE: &str = "example.com";
    const REST: Duration = Duration::from_secs(2);

    #[test]
    fn p18_a_visit_and_a_request_do_not_have_a_site_at_once() {
        let mut sites = Sites::default();
        assert!(sites.begin_request(SITE));
        assert!(!sites.begin_visit(SITE) && !sites.begin_request(SITE));
        assert!(sites.begin_visit("example.org"));
        assert!(sites.begin_visit("example.org"), "another host of the site");
        assert!(!sites.begin_request("example.org"));
        sites.refused(SITE);
        assert!(sites.begin_visit(SITE));
    }

    /// The database may carry a release out although there was no answer, and again later.
    #[test]
    fn a_request_has_a_site_only_after_its_release() {
        let mut sites = Sites::default();
        assert!(sites.begin_visit(SITE));
        sites.release(SITE, REST);
        assert!(!sites.begin_request(SITE));
        assert!(sites.begin_visit(SITE), "a release comes before it");
        sites.release(SITE, REST);
        sites.released.clear();
        assert!(sites.begin_request(SITE));
    }

    #[tokio::test]
    async fn the_longest_rest_of_a_site_counts() {
        let (_folder, membership) = member().await;
        for (seconds, rest) in [(1, 1), (25, 25), (3, 25)] {
            membership.release(SITE, Duration::from_secs(seconds));
            let (_, rests) = membership.to_release();
            let rest = Duration::from_secs(rest);
            assert_eq!(rests, BTreeMap::from([(SITE.to_owned(), rest)]));
        }
        membership.release("example.org", REST);
        membership.released(3);
        let rests = BTreeMap::from([("example.org".to_owned(), REST)]);
        assert_eq!(membership.to_release(), (1, rests));
    }

    /// The store of a file reserves nothing.
    #[tokio::test]
    async fn a_site_that_was_not_reserved_is_free_for_a_visit() {
        let (_folder, membership) = member().await;
        let reserved = membership.reserve_site(SITE, None).await.unwrap();
        assert!(reserved.is_none());
        assert!(membership.begin_visit(SITE));
        assert_eq!(membership.to_release(), (0, BTreeMap::new()));
    }
}
