//! Outages of this machine's own connection (P38): visits without any answer then count against no
//! site.

use super::visit_record::VisitRecord;
use crate::fetch::{Limits, Request};
use crate::rate_limit::uplink::{ConnectionState, Reach, Uplink};
use manifest::Domain;
use std::collections::VecDeque;
use std::time::Duration;
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
    known_good: VecDeque<(Url, Option<u16>)>,
    retry_at: Option<Instant>,
    has_begun: bool,
}

/// Ways to tell whether an outage is over.
pub(super) enum Canary {
    /// Request the robots.txt of a host that answered before.
    Robots(Request),
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

    /// Takes a finished visit. Returns the visits that are known to count, or during an outage
    /// those that are discarded. A visit without an answer is kept until another visit gets one.
    pub(super) fn note(
        &mut self,
        done: VisitRecord,
        now: Instant,
    ) -> (ConnectionState, Vec<VisitRecord>) {
        let reach = done.reach;
        if self.is_on() && reach == Reach::Silence {
            return (ConnectionState::Down, vec![done]);
        }
        if reach == Reach::Reached && done.visit.requests > 0 {
            self.remember(&done);
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

    /// Returns the host to try if it is time, among those that are not excluded (P4).
    pub(super) fn take_canary(
        &mut self,
        now: Instant,
        is_excluded: impl Fn(&Domain) -> bool,
    ) -> Option<Canary> {
        if self.retry_at.is_none_or(|at| at > now) {
            return None;
        }
        let domain = |url: &Url| Domain::parse(url.host_str()?).ok();
        self.known_good
            .retain(|(url, _)| domain(url).is_some_and(|domain| !is_excluded(&domain)));
        let Some((url, port)) = self.known_good.pop_front() else {
            self.end(now);
            return Some(Canary::None);
        };
        self.retry_at = Some(now + PAUSE);
        let request = Request::new(url.clone(), port, Limits::ROBOTS);
        self.known_good.push_back((url, port));
        Some(Canary::Robots(request))
    }

    /// Records the result of trying.
    pub(super) fn judge(&mut self, reach: Reach, now: Instant) {
        match reach {
            Reach::Reached => self.end(now),
            Reach::Silence | Reach::Unasked => self.retry_at = Some(now + PAUSE),
        }
    }

    fn end(&mut self, now: Instant) {
        self.retry_at = None;
        self.uplink = Uplink::new(now);
    }

    fn remember(&mut self, done: &VisitRecord) {
        let asked = done.visit.receipts.iter().find(|it| it.status == Some(200));
        let asked = asked.and_then(|receipt| receipt.url.parse::<Url>().ok());
        if let Some(mut url) = asked {
            url.set_path("/robots.txt");
            url.set_query(None);
            self.known_good.truncate(MAX_KNOWN - 1);
            self.known_good.push_front((url, done.visit.lease.port));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P04: a domain that was excluded in the meantime is not contacted to test the connection.
    #[test]
    fn p04_an_outage_contacts_no_excluded_domain() {
        let now = Instant::now();
        let mut outage = Outage::new(now);
        for host in ["left.example", "there.example"] {
            let url = format!("https://{host}/robots.txt").parse().unwrap();
            outage.known_good.push_back((url, None));
        }
        outage.retry_at = Some(now);
        let has_left = |domain: &Domain| domain.as_str() == "left.example";
        for _ in 0..3 {
            let Some(Canary::Robots(request)) = outage.take_canary(now, has_left) else {
                panic!("a canary was expected");
            };
            assert_eq!(request.url.host_str(), Some("there.example"));
            outage.retry_at = Some(now);
        }
        let canary = outage.take_canary(now, |_| true);
        assert!(matches!(canary, Some(Canary::None)));
    }
}
