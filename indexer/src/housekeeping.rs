//! Daily chores of an indexer that keeps running: the census, and the deletion of what is kept for
//! a time only.
//!
//! The chores advance by small steps between the steps of the pipeline, so that a new document
//! never waits for them. A day on which no indexer ran has no census.

mod census;
mod retention;

use census::Count;
use manifest::{AgentId, Timestamp};
use std::sync::Arc;
use store::{Day, Store, StoreError};

/// Agents that a step counts.
const AGENTS: u32 = 200;
/// Rows that a step looks at or deletes.
const ROWS: u32 = 500;
/// Sessions that a step deletes: each has up to 200 calls.
const SESSIONS: u32 = 25;
/// Domains that a step looks at; it deletes few of them.
const DOMAINS: u32 = 5_000;

/// Daily chores, and how far they are.
#[derive(Debug)]
pub struct Housekeeping {
    store: Arc<dyn Store>,
    /// Last day whose chores were begun.
    begun: Option<Day>,
    chore: Chore,
}

/// Next step.
#[derive(Debug)]
enum Chore {
    /// Nothing is left for the day.
    Done,
    /// Count the agents after the last one.
    Census(Box<Count>, Option<AgentId>),
    /// Delete old versions of the documents after this row.
    Versions(i64),
    /// Delete old submissions, sessions and reports, the hashes of networks, and blocks that have ended.
    Requests,
    /// Compress receipts of visits that an earlier version recorded.
    Receipts,
    /// Forget the domains after this row whose names have lapsed.
    Domains(i64),
    /// Delete the domains after this row that are excluded, if a program ended before it did.
    Excluded(i64),
    /// Delete bytes that no document has, after this hash.
    Blobs(String),
}

impl Housekeeping {
    /// Creates chores of which nothing is done yet.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            begun: None,
            chore: Chore::Done,
        }
    }

    /// Does the next step, and reports whether there was one. After an error, the chores of the day
    /// begin again.
    pub async fn step(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        let result = self.advance(now).await;
        if result.is_err() {
            self.begun = None;
        }
        result
    }

    async fn advance(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        let chore = std::mem::replace(&mut self.chore, Chore::Done);
        self.chore = match chore {
            Chore::Done => match self.begin(now).await? {
                Some(chore) => chore,
                None => return Ok(false),
            },
            Chore::Census(count, last) => self.census(count, last).await?,
            Chore::Versions(after) => self.versions(after, now).await?,
            Chore::Requests => self.requests(now).await?,
            Chore::Receipts if self.store.pack_receipts(ROWS).await? > 0 => Chore::Receipts,
            Chore::Receipts => Chore::Domains(0),
            Chore::Domains(after) => match self.store.forget_lapsed(after, DOMAINS).await? {
                Some(last) => Chore::Domains(last),
                None => Chore::Excluded(0),
            },
            Chore::Excluded(after) => {
                match self.store.forget_excluded(after, DOMAINS, now).await? {
                    Some(last) => Chore::Excluded(last),
                    None => Chore::Blobs(String::new()),
                }
            }
            Chore::Blobs(after) => match self.store.sweep_blobs(&after, ROWS).await?.last {
                Some(last) => Chore::Blobs(last),
                None => Chore::Done,
            },
        };
        Ok(true)
    }

    /// Begins the chores of a day, as soon as there is something to count.
    async fn begin(&mut self, now: Timestamp) -> Result<Option<Chore>, StoreError> {
        let today = Day::of(now);
        if self.begun.is_some_and(|it| it >= today) || self.store.last_change().await? == 0 {
            return Ok(None);
        }
        self.begun = Some(today);
        let is_counted = self.store.census_since(today).await?;
        Ok(Some(if is_counted.is_empty() {
            Chore::Census(Box::new(Count::new(now)), None)
        } else {
            Chore::Versions(0)
        }))
    }

    async fn census(
        &self,
        mut count: Box<Count>,
        last: Option<AgentId>,
    ) -> Result<Chore, StoreError> {
        let agents = self.store.agents(last.as_ref(), AGENTS).await?;
        if let Some(last) = agents.last() {
            let last = last.listing.id.clone();
            for agent in &agents {
                count.add(agent);
            }
            return Ok(Chore::Census(count, Some(last)));
        }
        let at = count.started;
        let counts = count.finish(self.store.stats(at).await?);
        if self.store.record_census(&counts, at).await? {
            tracing::info!(agents = counts.agents, "counted the registry for today");
        }
        Ok(Chore::Versions(0))
    }

    async fn versions(&self, after: i64, now: Timestamp) -> Result<Chore, StoreError> {
        let mut versions = self.store.closed_versions(after, ROWS).await?;
        let is_last = retention::whole_documents(&mut versions, ROWS as usize);
        let expired = retention::expired(&versions, now);
        if !expired.is_empty() {
            self.store.delete_versions(&expired).await?;
        }
        Ok(match versions.last() {
            Some(version) if !is_last => Chore::Versions(version.document),
            Some(_) | None => Chore::Requests,
        })
    }

    /// Deletes a page of what visitors asked for; the next kind follows when nothing old is left of one.
    async fn requests(&self, now: Timestamp) -> Result<Chore, StoreError> {
        let store = &self.store;
        let submissions = retention::oldest_submission(now);
        let sessions = retention::oldest_session(now);
        let reports = retention::oldest_report(now);
        if store.delete_submissions(submissions, ROWS).await? > 0
            || store.delete_sessions(sessions, SESSIONS).await? > 0
            || store.delete_reports(reports, ROWS).await? > 0
        {
            return Ok(Chore::Requests);
        }
        store
            .forget_networks(retention::oldest_network(now))
            .await?;
        store.forget_blocks(now).await?;
        Ok(Chore::Receipts)
    }
}
