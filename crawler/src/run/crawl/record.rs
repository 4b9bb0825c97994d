//! Recording, reporting and counting of finished visits.

use super::Crawl;
use crate::fetch::Fetch;
use crate::run::error::{RunError, while_doing};

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Records finished visits, then reports and counts them, so that everything reported is
    /// recorded.
    pub(super) async fn record(&mut self) -> Result<(), RunError> {
        if self.batch.len() == 0 {
            // Its visits may all have been left out before the database was away.
            self.batch.clear();
            return Ok(());
        }
        let exclusions = &self.exclusions;
        self.batch
            .retain(|visit| !exclusions.covers(&visit.lease.domain));
        let (visits, notes) = self.batch.records();
        let recorded = self
            .store
            .record_visits(visits)
            .await
            .map_err(while_doing("record visits in the database"))?;
        let elsewhere = notes.iter().map(|note| note.elsewhere.as_slice());
        self.intake
            .discover(elsewhere, &*self.store, self.clocks.now())
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
                let (domain, outcome) = (&visit.lease.domain, visit.outcome.as_str());
                tracing::debug!(%domain, requests = visit.requests, "a visit ended: {outcome}");
                summary.count(visit, note.agents, note.findings);
            }
        });
        self.batch.clear();
        Ok(())
    }
}
