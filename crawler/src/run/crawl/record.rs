//! What is recorded of a finished visit, then reported and counted.

use super::Crawl;
use crate::fetch::Fetch;
use crate::pace::Ending;
use crate::pace::uplink::Reach;
use crate::report;
use crate::run::{RunError, while_doing};
use crate::visit::{Visited, elsewhere};
use manifest::Domain;
use std::time::Duration;
use store::Visit;

/// A visit, ready to be recorded.
pub(in crate::run) struct Done {
    pub(in crate::run) visit: Visit,
    pub(super) ending: Ending,
    pub(in crate::run) reach: Reach,
    pub(super) put_off: Option<Duration>,
    agents: u64,
    findings: u64,
    line: Option<String>,
    elsewhere: Vec<Domain>,
}

impl Done {
    pub(super) fn new(visited: Visited, wants_line: bool, admits_special_use: bool) -> Self {
        let merged = report::merged(&visited);
        let domain = &visited.visit.lease.domain;
        Self {
            agents: merged.listings.len() as u64,
            findings: report::findings(&visited, &merged) as u64,
            line: wants_line.then(|| report::line(&visited, &merged)),
            elsewhere: elsewhere(domain, &visited.readings, admits_special_use),
            ending: visited.ending,
            reach: visited.reach,
            put_off: visited.put_off,
            visit: visited.visit,
        }
    }
}

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Records finished visits, then reports and counts them: what is reported is never lost.
    pub(super) async fn record(&mut self) -> Result<(), RunError> {
        self.record_at = None;
        if self.done.is_empty() {
            return Ok(());
        }
        let mut done = std::mem::take(&mut self.done);
        done.retain(|done| !self.leaving.covers(&done.visit.lease.domain));
        let mut tallies = Vec::with_capacity(done.len());
        let mut visits = Vec::with_capacity(done.len());
        let mut elsewhere = Vec::with_capacity(done.len());
        for done in done {
            tallies.push((done.agents, done.findings, done.line));
            elsewhere.push(done.elsewhere);
            visits.push(done.visit);
        }
        let recorded = self
            .store
            .record_visits(&visits)
            .await
            .map_err(while_doing("record visits in the database"))?;
        let led = visits.iter().zip(elsewhere.iter().map(Vec::as_slice));
        self.arriving.discover(led, &*self.store).await?;
        for (_, _, line) in &tallies {
            if let Some(line) = line {
                self.report.write(line)?;
            }
        }
        self.report.flush()?;
        self.control.progress.update(|summary| {
            summary.fenced += recorded.fenced;
            summary.new_documents += recorded.documents;
            for (visit, (agents, findings, _)) in visits.iter().zip(&tallies) {
                summary.count(visit, *agents, *findings);
            }
        });
        Ok(())
    }
}
