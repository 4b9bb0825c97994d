//! One visit at a time per registrable domain (P18): few of the others wait, the rest come back later.

use manifest::Domain;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

/// A lease that waited longer than this is given back rather than used: it might run out meanwhile.
const PATIENCE: Duration = Duration::from_mins(15);

/// How many leases wait for the same site; a farm of a hundred thousand hosts must not hold all room.
const MOST_PER_SITE: usize = 16;

/// What a visit is taken to last before the site's first has ended.
const FIRST_GUESS: Duration = Duration::from_millis(100);

/// The least number of resting sites at which those that have rested are forgotten.
const TIDY_FIRST: usize = 1_024;

/// The longest that a lease is put off.
const LONGEST_DELAY: Duration = Duration::from_hours(24);

/// What is to be done with a lease.
#[derive(Debug)]
pub(super) enum Turn {
    /// Its site is free, or will be then: visit it.
    At(Instant, Lease),
    /// It waits here until its site is free.
    Waits,
    /// Too many wait for its site already: give it back for so long.
    Later(Lease, Duration),
}

/// Who is being visited, and who waits.
#[derive(Debug)]
pub(super) struct Sites {
    active: HashMap<String, Site>,
    /// Sites without a visit, whose last request is so recent that the next must wait (P16).
    resting: HashMap<String, Instant>,
    /// How many resting sites there may be before those that have rested are forgotten.
    tidy_at: usize,
    waiting: usize,
    room: usize,
}

/// A registrable domain under visit.
#[derive(Debug)]
struct Site {
    /// The leases of its other hosts.
    queue: VecDeque<(Instant, Lease)>,
    since: Instant,
    visits: u32,
    /// The turn of the last lease that was put off.
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

    /// How long one more lease must wait, at the rate at which visits have ended so far.
    fn put_off(&mut self, now: Instant) -> Duration {
        let turn = (now - self.since)
            .checked_div(self.visits)
            .unwrap_or(FIRST_GUESS);
        let delay = (self.last_turn.saturating_duration_since(now) + turn).min(LONGEST_DELAY);
        self.last_turn = now + delay;
        delay
    }
}

impl Sites {
    /// Nobody is visited; `room` is how many leases may wait altogether.
    pub(super) fn new(room: usize) -> Self {
        Self {
            active: HashMap::new(),
            resting: HashMap::new(),
            tidy_at: TIDY_FIRST,
            waiting: 0,
            room,
        }
    }

    /// Says when the turn of a lease is.
    pub(super) fn enter(&mut self, lease: Lease) -> Turn {
        let now = Instant::now();
        let name = lease.domain.registrable().to_owned();
        let Some(site) = self.active.get_mut(&name) else {
            let rested = self.resting.remove(&name).unwrap_or(now);
            self.active.insert(name, Site::new(now));
            return Turn::At(rested, lease);
        };
        if self.waiting >= self.room || site.queue.len() >= MOST_PER_SITE {
            return Turn::Later(lease, site.put_off(now));
        }
        site.queue.push_back((now, lease));
        self.waiting += 1;
        Turn::Waits
    }

    /// Ends a visit, after which the site is to rest; gives the next lease of the same site, and those that
    /// waited too long.
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
                if since.elapsed() < PATIENCE {
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

    /// How many sites are remembered, and how many leases wait for them.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.active.len() + self.resting.len() + self.waiting
    }

    /// Leases that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Takes every waiting lease out.
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
        Lease {
            row: 1,
            domain: Domain::parse(name).unwrap(),
            port: None,
            token: 1,
            fails: 0,
            interval_ms: None,
            rotation: 0,
            last_outcome: None,
            known: Vec::new(),
            robots: None,
            named: Vec::new(),
            unanswered: Vec::new(),
        }
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
        tokio::time::advance(PATIENCE).await;
        let (next, expired) = sites.leave(&lease("b.example.com").domain, REST);
        assert!(next.is_none());
        assert_eq!(expired.len(), 1);
        assert!(is_visited(&sites.enter(lease("a.example.com"))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_farm_of_hosts_is_put_off_each_to_its_own_turn() {
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
        assert_eq!(sites.waiting(), MOST_PER_SITE);
        // A visit of ten seconds shows how long the turns really are.
        tokio::time::advance(Duration::from_secs(10)).await;
        sites.leave(&lease("h0.example.com").domain, REST);
        enter(&mut sites, 101);
        enter(&mut sites, 102);
        enter(&mut sites, 103);
        assert_eq!(delays.len(), 100 - MOST_PER_SITE + 2);
        assert!(delays.windows(2).take(83).all(|pair| pair[0] < pair[1]));
        assert_eq!(delays[0], FIRST_GUESS);
        let last = delays.len() - 1;
        assert_eq!(delays[last], delays[last - 1] + Duration::from_secs(10));
        assert!(is_visited(&sites.enter(lease("example.org"))));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_wait_than_there_is_room_for() {
        let mut sites = Sites::new(2);
        for site in 0..10 {
            for host in ["a", "b"] {
                sites.enter(lease(&format!("{host}.site{site}.example")));
            }
        }
        assert_eq!(sites.waiting(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn draining_leaves_nobody_waiting() {
        let mut sites = Sites::new(100);
        sites.enter(lease("a.example.com"));
        sites.enter(lease("b.example.com"));
        assert_eq!(sites.drain().len(), 1);
        assert_eq!(sites.waiting(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_rests_after_a_visit_whoever_comes_next() {
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
    async fn sites_that_have_rested_are_forgotten() {
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
