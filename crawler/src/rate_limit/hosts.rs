//! The earliest time of the next request to each host, whatever leads there (P16, P24, P35).

use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// Number of addresses and networks from which on expired ones are evicted.
pub(super) const TIDY_FIRST: usize = 4_096;
/// Time for which a request without an answer blocks its host: no request takes longer (P43).
pub const LONGEST_ANSWER: Duration = Duration::from_secs(20);
/// Interval between two attempts while another request awaits its answer.
const RETRY: Duration = Duration::from_secs(1);
/// Maximum number of hosts; beyond it, those that may be contacted soonest are evicted.
const MOST: usize = 100_000;

/// Hosts with limits that are not expired.
#[derive(Debug)]
pub(super) struct Hosts {
    known: HashMap<String, Host>,
    tidy_at: usize,
}

#[derive(Debug)]
struct Host {
    /// Latest time that visits stated.
    next: Instant,
    /// End of the wait for a request without an answer yet.
    asked: Option<Instant>,
    /// Crawl delay of its robots.txt, also for visits that have not read it.
    delay: Duration,
    /// End of its last answer.
    answered: Option<Instant>,
    /// End of its block.
    paused_until: Option<Instant>,
}

impl Host {
    fn free(&self) -> Instant {
        let until = [self.asked, self.paused_until].into_iter().flatten().max();
        self.next.max(until.unwrap_or(self.next))
    }
}

impl Hosts {
    pub(super) fn new() -> Self {
        Self {
            known: HashMap::new(),
            tidy_at: TIDY_FIRST,
        }
    }

    /// Returns the end of a host's block (P35).
    pub(super) fn paused_until(&self, name: &str, now: Instant) -> Option<Instant> {
        let until = self.known.get(name)?.paused_until;
        until.filter(|until| *until > now)
    }

    /// Blocks a host until the given time; a longer block is kept.
    pub(super) fn pause_address(&mut self, name: &str, until: Instant, now: Instant) {
        let host = self.host(name, now);
        host.paused_until = host.paused_until.max(Some(until));
    }

    /// Returns the time of the next attempt; `None` if the host may be contacted now.
    pub(super) fn busy(&self, name: &str, now: Instant) -> Option<Instant> {
        let host = self.known.get(name)?;
        let asked = host.asked.filter(|until| *until > now);
        let awaited = asked.map(|until| until.min(now + RETRY));
        awaited.max(Some(host.next)).filter(|at| *at > now)
    }

    /// Records that a request to a host has been sent.
    pub(super) fn asked(&mut self, name: &str, now: Instant) {
        let host = self.host(name, now);
        host.asked = Some(now + LONGEST_ANSWER.max(host.delay));
    }

    /// Records that a request has been permitted whose answer ends by this time.
    pub(super) fn asked_until(&mut self, name: &str, until: Instant, now: Instant) {
        let host = self.host(name, now);
        host.asked = host.asked.max(Some(until));
    }

    /// Records the end of an answer, and the earliest next request according to the caller. Longer
    /// limits are kept.
    pub(super) fn answered(&mut self, name: &str, next: Instant, now: Instant) {
        let host = self.host(name, now);
        host.asked = None;
        host.answered = Some(now);
        host.next = host.next.max(next).max(now + host.delay);
    }

    /// Records the crawl delay of a host, which counts from its last answer.
    pub(super) fn slow_down(&mut self, name: &str, delay: Duration, now: Instant) {
        let host = self.host(name, now);
        host.delay = delay;
        let answered = host.answered;
        host.next = answered.map_or(host.next, |at| host.next.max(at + delay));
    }

    fn host(&mut self, name: &str, now: Instant) -> &mut Host {
        if self.known.len() >= self.tidy_at {
            self.tidy(now);
        }
        self.known.entry(name.to_owned()).or_insert(Host {
            next: now,
            asked: None,
            delay: Duration::ZERO,
            answered: None,
            paused_until: None,
        })
    }

    fn tidy(&mut self, now: Instant) {
        self.known.retain(|_, host| host.free() > now);
        if self.known.len() >= MOST {
            let mut ends: Vec<Instant> = self.known.values().map(Host::free).collect();
            let (_, middle, _) = ends.select_nth_unstable(MOST / 2);
            let middle = *middle;
            self.known.retain(|_, host| host.free() > middle);
        }
        self.tidy_at = (2 * self.known.len()).clamp(TIDY_FIRST, MOST);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}
