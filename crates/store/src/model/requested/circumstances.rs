//! The decision on a request for a visit.

use super::{MAX_WAITING, MAX_WAITING_OF_NETWORK, OWNER_WAITS, Series, WAITS, next_name};
use crate::model::{Decision, Exclusion, SubmissionKind};
use manifest::Timestamp;

/// Everything on which the decision on a request depends.
pub(crate) struct Circumstances {
    /// Row of the domain, if it is known.
    pub(crate) row: Option<i64>,
    pub(crate) exclusion: Option<Exclusion>,
    /// Submission of the domain that has no result yet.
    pub(crate) open: Option<String>,
    /// Times of the names below the registrable domain that may block another one: of all names, and
    /// of those of the network.
    pub(crate) blocking_names: [Option<Timestamp>; 2],
    pub(crate) waiting: u32,
    pub(crate) waiting_of_network: u32,
    pub(crate) last_visit: Option<Timestamp>,
    pub(crate) not_before: Timestamp,
    pub(crate) series: Series,
    /// True if the owner of the domain asks, or, without a token, if one has proved to be it lately.
    pub(crate) is_owner: bool,
}

/// Decision before anything is written.
pub(crate) enum Verdict {
    Accept,
    /// Another submission of the domain has no result yet.
    Open(String),
    Refuse(Decision),
}

impl Circumstances {
    /// Returns the earliest time of the next recheck.
    pub(crate) fn recheck(&self, now: Timestamp) -> Timestamp {
        let waits = if self.is_owner { &OWNER_WAITS } else { &WAITS };
        self.series
            .next(waits, self.last_visit, self.not_before, now)
    }

    /// Decides on a request for a visit.
    pub(crate) fn verdict(self, kind: SubmissionKind, now: Timestamp) -> Verdict {
        if let Some(exclusion) = self.exclusion {
            return Verdict::Refuse(Decision::Excluded(Box::new(exclusion)));
        }
        if let Some(id) = self.open {
            return Verdict::Open(id);
        }
        let earliest = match (kind, self.row) {
            (SubmissionKind::New, Some(_)) => return Verdict::Refuse(Decision::Known),
            (SubmissionKind::Recheck, None) => return Verdict::Refuse(Decision::Unknown),
            (SubmissionKind::New, None) => next_name(self.blocking_names, now),
            (SubmissionKind::Recheck, Some(_)) => self.recheck(now),
        };
        if earliest > now {
            Verdict::Refuse(Decision::Later(earliest))
        } else if self.waiting >= MAX_WAITING {
            Verdict::Refuse(Decision::Full)
        } else if self.waiting_of_network >= MAX_WAITING_OF_NETWORK {
            Verdict::Refuse(Decision::FullOfNetwork)
        } else {
            Verdict::Accept
        }
    }
}
