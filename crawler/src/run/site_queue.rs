//! One visit at a time per registrable domain (P18): a few leases wait, the others return to the
//! frontier.

use manifest::Domain;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

/// Maximum wait of a lease, after which it is returned because it could expire.
const LONGEST_WAIT: Duration = Duration::from_mins(15);

/// Maximum number of leases that wait for the same site, so that a farm of a hundred thousand hosts
/// cannot use all room.
const MAX_PER_SITE: usize = 16;

/// Assumed duration of a visit before the first visit of the site has ended.
const FIRST_GUESS: Duration = Duration::from_millis(100);

/// Minimum number of resting sites at which those whose pause is over are evicted.
const TIDY_FIRST: usize = 1_024;

/// Maximum postponement of a lease.
const LONGEST_DELAY: Duration = Duration::from_hours(24);

/// Decision on a lease.
#[derive(Debug)]
pub(super) enum Turn {
    /// Visit it now, or at the time when its site is free.
    At(Instant, Lease),
    /// It waits here until its site is free.
    Waits,
    /// Too many leases wait for its site: return it for this time.
    Later(Lease, Duration),
}

/// Sites under visit, and leases that wait for them.
#[derive(Debug)]
pub(super) struct Sites {
    active: HashMap<String, Site>,
    /// Sites without a visit whose last request is so recent that the next must wait (P16).
    resting: HashMap<String, Instant>,
    /// Number of resting sites from which on those whose pause is over are evicted.
    tidy_at: usize,
    waiting: usize,
    room: usize,
}

/// Registrable domain under visit.
#[derive(Debug)]
struct Site {
    /// Leases of its other hosts.
    queue: VecDeque<(Instant, Lease)>,
    since: Instant,
    visits: u32,
    /// Turn of the last lease that was postponed.
    last_turn: Instant,
}

impl Site {
    fn new(now: Instant) -> Self {
        Self {
            queue: VecDeque::new(),
            since: now,
            visits: 0,
            last_turn: now,
        }
    }

    /// Returns the time that another lease must wait, at the rate at which visits have ended so
    /// far.
    fn postpone(&mut self, now: Instant) -> Duration {
        let turn = (now - self.since)
            .checked_div(self.visits)
            .unwrap_or(FIRST_GUESS);
        let delay = (self.last_turn.saturating_duration_since(now) + turn).min(LONGEST_DELAY);
        self.last_turn = now + delay;
        delay
    }
}

impl Sites {
    /// Returns an empty queue for at most `room` waiting leases.
    pub(super) fn new(room: usize) -> Self {
        Self {
            active: HashMap::new(),
            resting: HashMap::new(),
            tidy_at: TIDY_FIRST,
            waiting: 0,
            room,
        }
    }

    /// Reports whether the site of a domain is under visit.
    pub(super) fn has(&self, domain: &Domain) -> bool {
        self.active.contains_key(domain.registrable())
    }

    /// Decides when a lease has its turn.
    pub(super) fn enter(&mut self, lease: Lease) -> Turn {
        let now = Instant::now();
        let name = lease.domain.registrable().to_owned();
        let Some(site) = self.active.get_mut(&name) else {
            let rested = self.resting.remove(&name).unwrap_or(now);
            self.active.insert(name, Site::new(now));
            return Turn::At(rested, lease);
        };
        if self.waiting >= self.room || site.queue.len() >= MAX_PER_SITE {
            return Turn::Later(lease, site.postpone(now));
        }
        site.queue.push_back((now, lease));
        self.waiting += 1;
        Turn::Waits
    }

    /// Ends a visit, after which the site pauses; returns the next lease of the same site, and
    /// those that waited too long.
    pub(super) fn leave(
        &mut self,
        domain: &Domain,
        rest: Duration,
    ) -> (Option<(Instant, Lease)>, Vec<Lease>) {
        let mut expired = Vec::new();
        let now = Instant::now();
        let name = domain.registrable();
        if let Some(site) = self.active.get_mut(name) {
            site.visits = site.visits.saturating_add(1);
            while let Some((since, lease)) = site.queue.pop_front() {
                self.waiting -= 1;
                if since.elapsed() < LONGEST_WAIT {
                    return (Some((now + rest, lease)), expired);
                }
                expired.push(lease);
            }
        }
        self.active.remove(name);
        if self.resting.len() >= self.tidy_at {
            self.resting.retain(|_, until| *until > now);
            self.tidy_at = (2 * self.resting.len()).max(TIDY_FIRST);
        }
        if !rest.is_zero() {
            self.resting.insert(name.to_owned(), now + rest);
        }
        (None, expired)
    }

    /// Lets a site rest until the given time at least without a visit (P16).
    pub(super) fn rest(&mut self, domain: &Domain, until: Instant) {
        let known = self.resting.entry(domain.registrable().to_owned());
        let known = known.or_insert(until);
        *known = until.max(*known);
    }

    /// Returns the numbers of remembered sites and of waiting leases.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.active.len() + self.resting.len() + self.waiting
    }

    /// Returns the number of waiting leases.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Takes all waiting leases out.
    pub(super) fn drain(&mut self) -> Vec<Lease> {
        self.waiting = 0;
        let sites = self.active.values_mut();
        sites
            .flat_map(|site| site.queue.drain(..))
            .map(|(_, lease)| lease)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(name: &str) -> Lease {
        Lease::first(1, Domain::parse(name).unwrap(), 1)
    }

    const REST: Duration = Duration::from_secs(1);

    fn is_visited(turn: &Turn) -> bool {
        matches!(turn, Turn::At(..))
    }

    #[tokio::test(start_paused = true)]
    async fn p18_hosts_of_one_site_take_turns() {
        let mut sites = Sites::new(100);
        assert!(is_visited(&sites.enter(lease("a.example.com"))));
        assert!(!is_visited(&sites.enter(lease("b.example.com"))));
        assert!(is_visited(&sites.enter(lease("a.example.org"))));
        assert_eq!(sites.waiting(), 1);
        let (next, expired) = sites.leave(&lease("a.example.com").domain, REST);
        let (at, next) = next.unwrap();
        assert_eq!(next.domain.as_str(), "b.example.com");
        assert_eq!(at, Instant::now() + REST);
        assert!(expired.is_empty());
        assert!(!is_visited(&sites.enter(lease("c.example.com"))));
        tokio::time::advance(LONGEST_WAIT).await;
        let (next, expired) = sites.leave(&lease("b.example.com").domain, REST);
        assert!(next.is_none());
        assert_eq!(expired.len(), 1);
        assert!(is_visited(&sites.enter(lease("a.example.com"))));
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_of_a_farm_are_postponed_each_to_its_own_turn() {
        let mut sites = Sites::new(100);
        let mut delays = Vec::new();
        let mut enter = |sites: &mut Sites, number: u32| {
            if let Turn::Later(_, delay) = sites.enter(lease(&format!("h{number}.example.com"))) {
                delays.push(delay);
            }
        };
        for number in 0..=100 {
            enter(&mut sites, number);
        }
        assert_eq!(sites.waiting(), MAX_PER_SITE);
        // A visit of ten seconds shows the real length of the turns.
        tokio::time::advance(Duration::from_secs(10)).await;
        sites.leave(&lease("h0.example.com").domain, REST);
        enter(&mut sites, 101);
        enter(&mut sites, 102);
        enter(&mut sites, 103);
        assert_eq!(delays.len(), 100 - MAX_PER_SITE + 2);
        assert!(delays.windows(2).take(83).all(|pair| pair[0] < pair[1]));
        assert_eq!(delays[0], FIRST_GUESS);
        let last = delays.len() - 1;
        assert_eq!(delays[last], delays[last - 1] + Duration::from_secs(10));
        assert!(is_visited(&sites.enter(lease("example.org"))));
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_waiting_hosts_is_bounded() {
        let mut sites = Sites::new(2);
        for site in 0..10 {
            for host in ["a", "b"] {
                sites.enter(lease(&format!("{host}.site{site}.example")));
            }
        }
        assert_eq!(sites.waiting(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn draining_returns_all_waiting_hosts() {
        let mut sites = Sites::new(100);
        sites.enter(lease("a.example.com"));
        sites.enter(lease("b.example.com"));
        assert_eq!(sites.drain().len(), 1);
        assert_eq!(sites.waiting(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_rests_after_a_visit_to_any_of_its_hosts() {
        let mut sites = Sites::new(100);
        sites.enter(lease("example.com"));
        sites.leave(&lease("example.com").domain, REST);
        tokio::time::advance(REST / 4).await;
        let Turn::At(start, _) = sites.enter(lease("www.example.com")) else {
            panic!("the site is free");
        };
        assert_eq!(start, Instant::now() + REST * 3 / 4);
    }

    #[tokio::test(start_paused = true)]
    async fn rested_sites_are_evicted() {
        let mut sites = Sites::new(100);
        for number in 0..10 * TIDY_FIRST {
            let name = format!("site{number}.example");
            sites.enter(lease(&name));
            sites.leave(&lease(&name).domain, REST);
            tokio::time::advance(REST / 10).await;
        }
        assert!(sites.resting.len() <= TIDY_FIRST, "{}", sites.resting.len());
    }
}
