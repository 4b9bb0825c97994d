//! The time at which each host may be asked next, whatever leads there (P16, P24, P35).

use super::TIDY_FIRST;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long a request without an answer keeps others from its host: no request takes longer (P43).
const LONGEST_ANSWER: Duration = Duration::from_secs(20);
/// How often a host is tried whose answer is awaited.
const RETRY: Duration = Duration::from_secs(1);
/// Most hosts that are kept; of more, those are forgotten that would be asked again first.
const MOST: usize = 100_000;

/// The hosts that still bind somebody.
#[derive(Debug)]
pub(super) struct Hosts {
    known: HashMap<String, Host>,
    tidy_at: usize,
}

#[derive(Debug)]
struct Host {
    /// The latest of what visits said of it.
    next: Instant,
    /// Somebody waits for an answer, at most until then.
    asked: Option<Instant>,
    /// What its robots.txt asks for, for those as well who have not read it.
    delay: Duration,
    /// When its last answer ended.
    answered: Option<Instant>,
    /// It wants to be left alone until then.
    pleaded: Option<Instant>,
}

impl Host {
    fn free(&self) -> Instant {
        let until = [self.asked, self.pleaded].into_iter().flatten().max();
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

    /// Until when a host wants to be left alone (P35).
    pub(super) fn pleaded(&self, name: &str, now: Instant) -> Option<Instant> {
        let until = self.known.get(name)?.pleaded;
        until.filter(|until| *until > now)
    }

    /// Notes that a host wants to be left alone until then; a longer wish stays.
    pub(super) fn plead(&mut self, name: &str, until: Instant, now: Instant) {
        let host = self.host(name, now);
        host.pleaded = host.pleaded.max(Some(until));
    }

    /// When to try a host again; `None` when it may be asked now.
    pub(super) fn busy(&self, name: &str, now: Instant) -> Option<Instant> {
        let host = self.known.get(name)?;
        let asked = host.asked.filter(|until| *until > now);
        let awaited = asked.map(|until| until.min(now + RETRY));
        awaited.max(Some(host.next)).filter(|at| *at > now)
    }

    /// Notes that a host is being asked.
    pub(super) fn asked(&mut self, name: &str, now: Instant) {
        let host = self.host(name, now);
        host.asked = Some(now + LONGEST_ANSWER.max(host.delay));
    }

    /// Notes that an answer has ended, and when whoever asked would ask again. What others know is kept.
    pub(super) fn answered(&mut self, name: &str, next: Instant, now: Instant) {
        let host = self.host(name, now);
        host.asked = None;
        host.answered = Some(now);
        host.next = host.next.max(next).max(now + host.delay);
    }

    /// Notes the crawl delay of a host, which counts from its last answer.
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
            pleaded: None,
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
