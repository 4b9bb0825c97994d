//! Finished visits, until they are recorded.

use crate::rate_limit::Ending;
use crate::rate_limit::uplink::Reach;
use crate::visit::{FileSeen, Visited, discoveries};
use std::time::Duration;
use store::{Discovery, Lease, Visit};

/// Result of a visit's task.
pub(super) enum Ended {
    /// A visit.
    Visited(Box<Done>),
    /// A search for the file of a claim, by its number.
    Checked(i64, Box<FileSeen>),
    /// Stopped before its turn.
    Unbegun(Box<Lease>),
}

/// Visit to be recorded.
pub(super) struct Done {
    pub(super) visit: Visit,
    pub(super) ending: Ending,
    pub(super) reach: Reach,
    pub(super) put_off: Option<Duration>,
    note: Note,
}

/// Data to report on a visit.
pub(super) struct Note {
    /// Agents in the documents received, before merging.
    pub(super) agents: u64,
    /// Findings on them.
    pub(super) findings: u64,
    /// Line of the report, if there is one.
    pub(super) line: Option<String>,
    pub(super) elsewhere: Vec<Discovery>,
}

/// Visits to be recorded, with the data to report on each.
///
/// The vectors are reused from batch to batch, because the allocator would map such large ones
/// again each time, page by page.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) visits: Vec<Visit>,
    pub(super) notes: Vec<Note>,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.visits.len()
    }

    pub(super) fn extend(&mut self, done: impl IntoIterator<Item = Done>) {
        for done in done {
            self.visits.push(done.visit);
            self.notes.push(done.note);
        }
    }

    /// Leaves visits out.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Visit) -> bool) {
        let kept: Vec<bool> = self.visits.iter().map(is_kept).collect();
        let mut of_visits = kept.iter().copied();
        self.visits.retain(|_| of_visits.next().unwrap_or(true));
        let mut of_notes = kept.iter().copied();
        self.notes.retain(|_| of_notes.next().unwrap_or(true));
    }

    pub(super) fn clear(&mut self) {
        self.visits.clear();
        self.notes.clear();
    }
}

impl Done {
    /// Prepares a visit for recording, with its line of the report, if there is one.
    pub(super) fn new(visited: Visited, line: Option<String>, admits_special_use: bool) -> Self {
        let domain = &visited.visit.lease.domain;
        let documents = visited.visit.documents.iter().zip(&visited.readings);
        let readings = visited.readings.iter();
        Self {
            note: Note {
                agents: readings.clone().map(|it| it.agents.len() as u64).sum(),
                findings: readings.map(|it| it.findings.len() as u64).sum(),
                line,
                elsewhere: discoveries(domain, documents, admits_special_use),
            },
            ending: visited.ending,
            reach: visited.reach,
            put_off: visited.put_off,
            visit: visited.visit,
        }
    }
}
