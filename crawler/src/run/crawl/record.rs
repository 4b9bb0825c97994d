//! Recording, reporting and counting of finished visits.

use super::Crawl;
use crate::fetch::Fetch;
use crate::rate_limit::Ending;
use crate::rate_limit::uplink::Reach;
use crate::run::{RunError, while_doing};
use crate::visit::{Visited, discoveries};
use std::time::Duration;
use store::{Discovery, Visit};

/// Visit to be recorded.
pub(in crate::run) struct Done {
    pub(in crate::run) visit: Visit,
    pub(super) ending: Ending,
    pub(in crate::run) reach: Reach,
    pub(super) put_off: Option<Duration>,
    agents: u64,
    findings: u64,
    line: Option<String>,
    elsewhere: Vec<Discovery>,
}

/// Visits to be recorded, with the data to report on each.
///
/// The vectors are reused from batch to batch, because the allocator would map such large ones
/// again each time, page by page.
#[derive(Default)]
pub(super) struct Batch {
    visits: Vec<Visit>,
    notes: Vec<Note>,
}

struct Note {
    agents: u64,
    findings: u64,
    line: Option<String>,
    elsewhere: Vec<Discovery>,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.visits.len()
    }

    pub(super) fn extend(&mut self, done: impl IntoIterator<Item = Done>) {
        for done in done {
            self.visits.push(done.visit);
            self.notes.push(Note {
                agents: done.agents,
                findings: done.findings,
                line: done.line,
                elsewhere: done.elsewhere,
            });
        }
    }

    /// Leaves visits out.
    fn retain(&mut self, is_kept: impl Fn(&Visit) -> bool) {
        let kept: Vec<bool> = self.visits.iter().map(is_kept).collect();
        let mut of_visits = kept.iter().copied();
        self.visits.retain(|_| of_visits.next().unwrap_or(true));
        let mut of_notes = kept.iter().copied();
        self.notes.retain(|_| of_notes.next().unwrap_or(true));
    }

    fn clear(&mut self) {
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
            agents: readings.clone().map(|it| it.agents.len() as u64).sum(),
            findings: readings.map(|it| it.findings.len() as u64).sum(),
            line,
            elsewhere: discoveries(domain, documents, admits_special_use),
            ending: visited.ending,
            reach: visited.reach,
            put_off: visited.put_off,
            visit: visited.visit,
        }
    }
}

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Records finished visits, then reports and counts them, so that everything reported is
    /// recorded.
    pub(super) async fn record(&mut self) -> Result<(), RunError> {
        self.record_at = None;
        if self.done.len() == 0 {
            return Ok(());
        }
        let leaving = &self.leaving;
        self.done
            .retain(|visit| !leaving.covers(&visit.lease.domain));
        let Batch { visits, notes } = &self.done;
        let recorded = self
            .store
            .record_visits(visits)
            .await
            .map_err(while_doing("record visits in the database"))?;
        let elsewhere = notes.iter().map(|note| note.elsewhere.as_slice());
        self.arriving
            .discover(elsewhere, &*self.store, self.clock.now())
            .await?;
        for line in notes.iter().filter_map(|note| note.line.as_ref()) {
            self.report.write(line)?;
        }
        self.report.flush()?;
        self.control.progress.update(|summary| {
            summary.fenced += recorded.fenced;
            summary.new_documents += recorded.documents;
            summary.agents += recorded.unchanged_agents;
            summary.findings += recorded.unchanged_findings;
            for (visit, note) in visits.iter().zip(notes) {
                summary.count(visit, note.agents, note.findings);
            }
        });
        self.done.clear();
        Ok(())
    }
}
