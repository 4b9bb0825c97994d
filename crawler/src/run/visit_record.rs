//! Finished visits, until they are recorded.

use crate::rate_limit::Ending;
use crate::rate_limit::uplink::Reach;
use crate::visit::{FileFinding, FinishedVisit, Interruption, discoveries};
use std::time::Duration;
use store::{Discovery, Lease, Visit};
use tokio::time::Instant;

/// Maximum number of visits recorded in one transaction.
const RECORD_BATCH: usize = 256;
/// Maximum time until a finished visit is recorded.
const RECORD_AFTER: Duration = Duration::from_millis(250);

/// Result of a visit's task.
pub(super) enum TaskResult {
    /// A visit.
    Visit(Box<VisitRecord>),
    /// A search for the file of a claim, by its number.
    Claim(i64, Box<FileFinding>),
    /// Stopped before its turn.
    Stopped(Box<Lease>),
}

/// Visit to be recorded.
pub(super) struct VisitRecord {
    pub(super) visit: Visit,
    pub(super) ending: Ending,
    pub(super) reach: Reach,
    pub(super) interruption: Option<Interruption>,
    /// Time until each of its hosts may receive the next request.
    pub(super) pause: Duration,
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
    visits: Vec<Visit>,
    notes: Vec<Note>,
    /// Time by which they are recorded.
    record_at: Option<Instant>,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.visits.len()
    }

    /// Returns the visits, and the data to report on each.
    pub(super) fn records(&self) -> (&[Visit], &[Note]) {
        (&self.visits, &self.notes)
    }

    /// Returns the time by which the visits are recorded, if there are any.
    pub(super) fn record_at(&self) -> Option<Instant> {
        self.record_at
    }

    /// Reports whether no more visits fit in one transaction.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= RECORD_BATCH
    }

    /// Reports whether it is time to record the visits.
    pub(super) fn is_due(&self) -> bool {
        self.is_full() || self.record_at.is_some_and(|at| Instant::now() >= at)
    }

    pub(super) fn extend(&mut self, done: impl IntoIterator<Item = VisitRecord>) {
        for done in done {
            self.visits.push(done.visit);
            self.notes.push(done.note);
            self.record_at
                .get_or_insert_with(|| Instant::now() + RECORD_AFTER);
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
        self.record_at = None;
    }
}

impl VisitRecord {
    /// Prepares a visit for recording, with its line of the report, if there is one.
    pub(super) fn new(
        visited: FinishedVisit,
        line: Option<String>,
        admits_special_use: bool,
    ) -> Self {
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
            interruption: visited.interruption,
            pause: visited.pause,
            visit: visited.visit,
        }
    }
}
