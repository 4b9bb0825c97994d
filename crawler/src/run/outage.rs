//! What happens when it is we who are offline (P38): what nobody answered is not held against anybody.

use super::crawl::Done;
use crate::fetch::{Limits, Request};
use crate::pace::uplink::{Line, Reach, Uplink};
use manifest::Domain;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// How long nothing begins before a known host is tried.
const PAUSE: Duration = Duration::from_secs(30);
/// Hosts that answered lately.
const MOST_KNOWN: usize = 8;

/// Our own line, and the visits that say nothing until it is known to be up.
pub(super) struct Outage {
    uplink: Uplink,
    suspects: Vec<Done>,
    known_good: VecDeque<(Url, Option<u16>)>,
    retry_at: Option<Instant>,
    has_begun: bool,
}

/// How to tell whether an outage is over.
pub(super) enum Canary {
    /// Ask for the robots.txt of a host that answered before.
    Robots(Request),
    /// None ever did.
    Nobody,
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

    /// True while nothing may begin.
    pub(super) fn is_on(&self) -> bool {
        self.retry_at.is_some()
    }

    /// True once for each outage.
    pub(super) fn has_begun(&mut self) -> bool {
        std::mem::take(&mut self.has_begun)
    }

    /// When a known host is tried.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Takes a finished visit; gives those that are known to count, or during an outage those that are
    /// lost. A visit that nobody answered waits for the next that somebody does.
    pub(super) fn note(&mut self, done: Done, now: Instant) -> (Line, Vec<Done>) {
        let reach = done.reach;
        if self.is_on() && reach == Reach::Silence {
            return (Line::Down, vec![done]);
        }
        if reach == Reach::Reached && done.visit.requests > 0 {
            self.remember(&done);
        }
        let line = self.uplink.note(reach, now);
        self.suspects.push(done);
        match line {
            Line::Doubtful => (line, Vec::new()),
            Line::Up => (line, std::mem::take(&mut self.suspects)),
            Line::Down => {
                self.retry_at = Some(now + PAUSE);
                self.has_begun = true;
                (line, std::mem::take(&mut self.suspects))
            }
        }
    }

    /// The visits that wait for a verdict, when there will be none.
    pub(super) fn accept(&mut self) -> Vec<Done> {
        std::mem::take(&mut self.suspects)
    }

    /// When it is time, what to try, among those who are not to be left alone (P4).
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
            return Some(Canary::Nobody);
        };
        self.retry_at = Some(now + PAUSE);
        let request = Request::new(url.clone(), port, Limits::ROBOTS);
        self.known_good.push_back((url, port));
        Some(Canary::Robots(request))
    }

    /// Takes what trying came to.
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

    fn remember(&mut self, done: &Done) {
        let asked = done.visit.receipts.iter().find(|it| it.status == Some(200));
        let asked = asked.and_then(|receipt| receipt.url.parse::<Url>().ok());
        if let Some(mut url) = asked {
            url.set_path("/robots.txt");
            url.set_query(None);
            self.known_good.truncate(MOST_KNOWN - 1);
            self.known_good.push_front((url, done.visit.lease.port));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P04: who has left meanwhile is not asked whether our line is up again.
    #[test]
    fn p04_an_outage_asks_nobody_who_is_excluded() {
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
                panic!("there is somebody to ask");
            };
            assert_eq!(request.url.host_str(), Some("there.example"));
            outage.retry_at = Some(now);
        }
        let canary = outage.take_canary(now, |_| true);
        assert!(matches!(canary, Some(Canary::Nobody)));
    }
}
