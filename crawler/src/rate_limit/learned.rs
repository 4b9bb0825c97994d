//! Shared edges that the crawler learns from the answers of many sites at an address (P50): pure in
//! `now`.
//!
//! The owner of a name decides about the headers of its answers only, and the behaviour of one site
//! counts once. So an address is an edge only if many registrable domains there have the header of
//! the same edge in their last answers, and nearly all of those that were visited there.

use super::edge_header::{Marks, Tally};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Number of sites at an address that can make it an edge.
const FEWEST: usize = 50;
/// Number of sites whose last answers are remembered, the latest ones; each takes eight bytes.
const MOST: usize = 64;
/// Number of earlier sites of which only the sum is remembered; it is halved at that number.
const MOST_EARLIER: u16 = 1_024;
/// Number of sites that send an edge back to the usual pace when they ask for a pause.
const THROTTLING: usize = 3;
/// Time within which they must do so: the time for which P35 remembers them.
const MEMORY: Duration = Duration::from_hours(1);
/// Time for which the edge then keeps the usual pace.
const USUAL: Duration = Duration::from_hours(24);

/// Change of an address to an edge, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeChange {
    /// The edge.
    pub edge: &'static str,
    /// Number of sites whose last answers were considered.
    pub sites: usize,
    /// Reason for the change.
    pub cause: Cause,
}

/// Reason for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The answers have the header of the edge: the address is one now.
    Header,
    /// Too few answers have it: the address is none any more.
    Mixed,
    /// Several sites asked for a pause: the address is none for a day.
    Throttled,
}

/// Last answers of the sites at an address.
#[derive(Debug, Default)]
pub(super) struct Learned {
    /// Sites with the marks of their last answers, each site once, the latest last.
    answers: VecDeque<(u32, Marks)>,
    /// Last answers of the sites before these.
    earlier: Tally,
    /// Sites that asked for a pause within [`MEMORY`].
    throttling: Vec<(u64, Instant)>,
    /// Time before which the address is no edge, whatever its answers are.
    usual_until: Option<Instant>,
    edge: Option<&'static str>,
    /// Sites that were asked last, each with the time of its next request.
    resting: Vec<(u64, Instant)>,
}

impl Learned {
    /// Reports whether the address is an edge.
    pub(super) fn is_edge(&self) -> bool {
        self.edge.is_some()
    }

    /// Records the answer to a request for `site`.
    pub(super) fn answered(&mut self, site: u64, marks: Marks, now: Instant) -> Option<EdgeChange> {
        // Half of the hash is enough to tell so few sites apart.
        let site = u32::try_from(site >> 32).unwrap_or_default();
        self.answers.retain(|(known, _)| *known != site);
        if self.answers.len() >= MOST
            && let Some((_, marks)) = self.answers.pop_front()
        {
            self.earlier.count(marks);
            if self.earlier.answers() >= MOST_EARLIER {
                self.earlier.halve();
            }
        }
        self.answers.push_back((site, marks));
        self.judge(Cause::Mixed, now)
    }

    /// Records that `site` asked for a pause.
    pub(super) fn throttled(&mut self, site: u64, now: Instant) -> Option<EdgeChange> {
        self.throttling.retain(|(_, at)| now - *at < MEMORY);
        if self.throttling.iter().all(|(known, _)| *known != site) {
            if self.throttling.len() >= THROTTLING {
                self.throttling.remove(0);
            }
            self.throttling.push((site, now));
            if self.throttling.len() >= THROTTLING {
                self.usual_until = Some(now + USUAL);
            }
        }
        self.judge(Cause::Throttled, now)
    }

    /// Reports whether nearly all of the sites, which are too few yet, have the header of one edge.
    pub(super) fn may_become_edge(&self, now: Instant) -> bool {
        !self.is_edge() && !self.is_usual(now) && self.marked(1).is_some()
    }

    /// Returns the time before which `site` is asked nothing at this address.
    pub(super) fn rests_until(&self, site: u64) -> Option<Instant> {
        let mut resting = self.resting.iter();
        resting.find(|(known, _)| *known == site).map(|(_, at)| *at)
    }

    /// Lets `site` rest until the given time. Those whose rest is over are forgotten.
    pub(super) fn rest(&mut self, site: u64, until: Instant, now: Instant) {
        self.resting
            .retain(|(known, at)| *known != site && *at > now);
        self.resting.push((site, until));
    }

    /// Reports whether there is anything to remember.
    pub(super) fn has_marks(&self) -> bool {
        self.answers.iter().any(|(_, marks)| !marks.is_empty())
    }

    /// Reports whether the address must keep the usual pace although its answers are those of an
    /// edge.
    pub(super) fn is_slowed(&self, now: Instant) -> bool {
        self.is_usual(now) && self.marked(FEWEST).is_some()
    }

    fn is_usual(&self, now: Instant) -> bool {
        self.usual_until.is_some_and(|until| now < until)
    }

    /// Returns the edge whose header nine in ten of at least `fewest` sites have, both of the latest
    /// ones and of all: of some mixture, a few dozen sites in succession are often alike.
    fn marked(&self, fewest: usize) -> Option<&'static str> {
        if self.answers.len() < fewest {
            return None;
        }
        let mut latest = Tally::default();
        self.answers
            .iter()
            .for_each(|(_, marks)| latest.count(*marks));
        let all = latest.plus(&self.earlier);
        let mut edges = latest.edges();
        edges.find(|edge| all.edges().any(|it| it == *edge))
    }

    fn judge(&mut self, cause: Cause, now: Instant) -> Option<EdgeChange> {
        let edge = self.marked(FEWEST).filter(|_| !self.is_usual(now));
        let before = std::mem::replace(&mut self.edge, edge);
        let change = |edge, cause| EdgeChange {
            edge,
            sites: self.answers.len(),
            cause,
        };
        match (before, edge) {
            (before, Some(edge)) if before != Some(edge) => Some(change(edge, Cause::Header)),
            (Some(edge), None) => Some(change(edge, cause)),
            _ => None,
        }
    }
}
