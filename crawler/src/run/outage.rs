//! Outages of this machine's own connection (P38): visits without any answer then count against no
//! site.

use super::visit_record::VisitRecord;
use crate::crawl_delay::{LONGEST_WAIT, stored_delay};
use crate::rate_limit::uplink::{ConnectionState, Reach, Uplink};
use crate::rate_limit::{Slot, Slots};
use manifest::Domain;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;
use url::Url;

/// Pause of all visits before a known host is tried.
const PAUSE: Duration = Duration::from_secs(30);
/// Number of recently reachable hosts that are remembered.
const MAX_KNOWN: usize = 8;

/// State of the own connection, and the visits without an answer that are kept until it is known.
pub(super) struct Outage {
    uplink: Uplink,
    suspects: Vec<VisitRecord>,
    known_good: VecDeque<KnownHost>,
    retry_at: Option<Instant>,
    has_begun: bool,
}

/// Host that answered a visit of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownHost {
    pub(super) domain: Domain,
    /// URL of its robots.txt.
    pub(super) url: Url,
    /// The port from the seed list.
    pub(super) port: Option<u16>,
    /// Address at which it answered.
    pub(super) address: IpAddr,
    /// Crawl delay that it asks for.
    pub(super) delay: Option<Duration>,
}

/// Ways to tell whether an outage is over.
pub(super) enum Canary {
    /// Request the robots.txt of a host that answered before.
    Robots(KnownHost),
    /// No host has ever answered.
    None,
}

impl Outage {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            uplink: Uplink::new(now),
            suspects: Vec::new(),
            known_good: VecDeque::new(),
            retry_at: None,
            has_begun: false,
        }
    }

    /// Reports whether visits are paused.
    pub(super) fn is_on(&self) -> bool {
        self.retry_at.is_some()
    }

    /// Returns true once for each outage.
    pub(super) fn has_begun(&mut self) -> bool {
        std::mem::take(&mut self.has_begun)
    }

    /// Returns the time when a known host is tried.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Returns the slots with the networks of the known hosts.
    pub(super) fn slots(&self) -> Slots {
        let hosts = self.known_good.iter();
        hosts.map(|host| Slot::at(host.address)).collect()
    }

    /// Takes a finished visit, which was admitted at `address`. Returns the visits that are known to count,
    /// or during an outage those that are discarded. A visit without an answer is kept until another visit
    /// gets one.
    pub(super) fn note(
        &mut self,
        done: VisitRecord,
        address: Option<IpAddr>,
        now: Instant,
    ) -> (ConnectionState, Vec<VisitRecord>) {
        let reach = done.reach;
        if self.is_on() && reach == Reach::Silence {
            return (ConnectionState::Down, vec![done]);
        }
        if let Some(address) = address.filter(|_| reach == Reach::Reached) {
            self.remember(&done, address);
        }
        let line = self.uplink.note(reach, now);
        self.suspects.push(done);
        match line {
            ConnectionState::Doubtful => (line, Vec::new()),
            ConnectionState::Up => (line, std::mem::take(&mut self.suspects)),
            ConnectionState::Down => {
                self.retry_at = Some(now + PAUSE);
                self.has_begun = true;
                (line, std::mem::take(&mut self.suspects))
            }
        }
    }

    /// Returns the visits that are kept when no verdict will follow.
    pub(super) fn accept(&mut self) -> Vec<VisitRecord> {
        std::mem::take(&mut self.suspects)
    }

    /// Takes the host to try out if it is time, among those that are not excluded (P4).
    pub(super) fn take_canary(
        &mut self,
        now: Instant,
        is_excluded: impl Fn(&Domain) -> bool,
    ) -> Option<Canary> {
        if self.retry_at.is_none_or(|at| at > now) {
            return None;
        }
        self.known_good.retain(|host| !is_excluded(&host.domain));
        let Some(host) = self.known_good.pop_front() else {
            self.end(now);
            return Some(Canary::None);
        };
        self.retry_at = Some(now + PAUSE);
        Some(Canary::Robots(host))
    }

    /// Records the result of trying a host, which remains a known one.
    pub(super) fn judge(&mut self, host: KnownHost, reach: Reach, now: Instant) {
        self.known_good.truncate(MAX_KNOWN - 1);
        self.known_good.push_back(host);
        match reach {
            Reach::Reached => self.end(now),
            Reach::Silence | Reach::Unasked => self.retry_at = Some(now + PAUSE),
        }
    }

    /// Records that a host cannot be tried, and is no known one any more: the next one is tried at once.
    pub(super) fn drop_host(&mut self, now: Instant) {
        self.retry_at = Some(now);
        if self.known_good.is_empty() {
            self.end(now);
        }
    }

    /// Forgets the known host of a site.
    pub(super) fn forget(&mut self, domain: &Domain) {
        let site = domain.registrable();
        self.known_good
            .retain(|host| host.domain.registrable() != site);
    }

    fn end(&mut self, now: Instant) {
        self.retry_at = None;
        self.uplink = Uplink::new(now);
    }

    /// Remembers the host of a visit that was answered with 200, unless it asks for a pause (P35) or for a
    /// crawl delay that no visit waits for (P24). It is the only known one of its site.
    fn remember(&mut self, done: &VisitRecord, address: IpAddr) {
        let Lease { domain, port, .. } = &done.visit.lease;
        let answered = done
            .visit
            .receipts
            .iter()
            .filter(|it| it.status == Some(200));
        let mut urls = answered.filter_map(|receipt| receipt.url.parse::<Url>().ok());
        let own = urls.find(|url| url.host_str() == Some(domain.as_str()));
        if let Some(mut url) = own {
            url.set_path("/robots.txt");
            url.set_query(None);
            self.forget(domain);
            let delay = done.visit.robots.as_ref().and_then(stored_delay);
            let mut statuses = done.visit.receipts.iter().map(|receipt| receipt.status);
            let asks_for_pause = statuses.any(|it| matches!(it, Some(429 | 503)));
            if asks_for_pause || delay.is_some_and(|it| it > LONGEST_WAIT) {
                return;
            }
            self.known_good.truncate(MAX_KNOWN - 1);
            self.known_good.push_front(KnownHost {
                domain: domain.clone(),
                url,
                port: *port,
                address,
                delay,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known_host(host: &str) -> KnownHost {
        KnownHost {
            domain: Domain::parse(host).unwrap(),
            url: format!("https://{host}/robots.txt").parse().unwrap(),
            port: None,
            address: [192, 0, 2, 1].into(),
            delay: None,
        }
    }

    /// P04: a domain that was excluded in the meantime is not contacted to test the connection.
    #[test]
    fn p04_an_outage_contacts_no_excluded_domain() {
        let now = Instant::now();
        let mut outage = Outage::new(now);
        for host in ["left.example", "there.example"] {
            outage.known_good.push_back(known_host(host));
        }
        outage.retry_at = Some(now);
        let has_left = |domain: &Domain| domain.as_str() == "left.example";
        for _ in 0..3 {
            let Some(Canary::Robots(host)) = outage.take_canary(now, has_left) else {
                panic!("a canary was expected");
            };
            assert_eq!(host, known_host("there.example"));
            outage.judge(host, Reach::Silence, now);
            assert_eq!(outage.retry_at, Some(now + PAUSE));
            outage.retry_at = Some(now);
        }
        let canary = outage.take_canary(now, |_| true);
        assert!(matches!(canary, Some(Canary::None)));
    }
}
