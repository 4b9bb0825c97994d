//! Recording, reporting and counting of finished visits.

use super::Crawl;
use crate::fetch::Fetch;
use crate::rate_limit::Ending;
use crate::rate_limit::uplink::Reach;
use crate::report::Known;
use crate::run::{RunError, while_doing};
use crate::visit::{Visited, discoveries};
use manifest::{Document, Reading, formats};
use std::time::Duration;
use store::{Discovery, Store, Visit};

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

/// Documents that a site reports as unchanged, loaded from the store: they are counted and reported
/// like fetched ones, whether or not an indexer has seen them.
pub(super) async fn stored(store: &dyn Store, visit: &Visit) -> Vec<(Document, Reading)> {
    if visit.unchanged.is_empty() {
        return Vec::new();
    }
    let domain = &visit.lease.domain;
    let documents = store.documents(domain).await.unwrap_or_else(|error| {
        tracing::warn!(%error, %domain, "cannot load the unchanged documents for the report");
        Vec::new()
    });
    let documents = documents.into_iter().map(|stored| stored.document);
    documents
        .filter(|document| {
            let mut unchanged = visit.unchanged.iter();
            unchanged.any(|requested| requested == document.requested.as_str())
        })
        .map(|document| {
            let reading = formats::read(&document);
            (document, reading)
        })
        .collect()
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
    /// Prepares a visit for recording. `stored` are the documents that the site reports as
    /// unchanged; a line of the report is made on request.
    pub(super) fn new(
        visited: Visited,
        stored: &[(Document, Reading)],
        wants_line: bool,
        admits_special_use: bool,
    ) -> Self {
        let known = Known::of(&visited, stored);
        let domain = &visited.visit.lease.domain;
        let documents = visited.visit.documents.iter().zip(&visited.readings);
        known.tell_faults();
        Self {
            agents: known.merged.listings.len() as u64,
            findings: known.findings() as u64,
            line: wants_line.then(|| known.line()),
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
            for (visit, note) in visits.iter().zip(notes) {
                summary.count(visit, note.agents, note.findings);
            }
        });
        self.done.clear();
        Ok(())
    }
}
