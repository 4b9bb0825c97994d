//! Turns unread documents into agents, rows and index entries; each step is safe to repeat.
//!
//! The store's change log connects both halves. Reading a domain ends in one transaction that
//! replaces its agents and appends the changes; the index then applies the log, and each of its
//! commits records the last change it contains. A crash between the two leaves an index that is
//! behind, and the next run catches up from there.

use manifest::merge::{self, MergedSite};
use manifest::{Document, Reading, Timestamp, formats};
use search::embedding::Models;
use search::follower::{FollowCounts, FollowError, Follower};
use std::path::Path;
use std::sync::Arc;
use store::{DocumentReading, DomainReadings, Operation, Store, StoredDocument, UnreadDomain};
use tokio_util::sync::CancellationToken;

/// Domains read between two commits of the index: a few milliseconds each, well under a second in
/// total. While more wait, the number is doubled each time up to a maximum, which takes some seconds:
/// a commit of many costs little more than one of few.
const DOMAINS: u32 = 50;
const MAX_DOMAINS: u32 = 1_600;

/// Counts of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCounts {
    /// Domains read.
    pub domains: u64,
    /// Documents read.
    pub documents: u64,
    /// New agents.
    pub added: u64,
    /// Agents that changed.
    pub updated: u64,
    /// Removed agents.
    pub removed: u64,
    /// Changes applied to the index.
    pub indexed: u64,
    /// Agents whose sentence vectors were computed, or found in the store.
    pub encoded: u64,
    /// Number of rebuilds of the index.
    pub rebuilt: u64,
}

impl WorkCounts {
    /// Reports whether there was nothing to do.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the counts of another step.
    pub fn add(&mut self, other: Self) {
        self.domains += other.domains;
        self.documents += other.documents;
        self.added += other.added;
        self.updated += other.updated;
        self.removed += other.removed;
        self.indexed += other.indexed;
        self.encoded += other.encoded;
        self.rebuilt += other.rebuilt;
    }

    /// Adds the counts of a step of the index.
    pub fn follow(&mut self, step: FollowCounts) {
        self.indexed += step.indexed;
        self.encoded += step.encoded;
        self.rebuilt += step.rebuilt;
    }
}

/// Keeps agents and index up to date with the documents of a store.
#[derive(Debug)]
pub struct Pipeline {
    store: Arc<dyn Store>,
    follower: Follower,
    /// Domains read before the next commit.
    domains: u32,
}

impl Pipeline {
    /// Opens the index in a directory for writing; reads no documents yet.
    pub fn open(
        store: Arc<dyn Store>,
        index_dir: &Path,
        models: Option<Models>,
    ) -> Result<Self, FollowError> {
        Ok(Self {
            follower: Follower::open(Arc::clone(&store), index_dir, models)?,
            store,
            domains: DOMAINS,
        })
    }

    /// Reads the domains that have waited longest and updates the index. Empty counts mean that no
    /// work is left.
    pub async fn step(
        &mut self,
        now: Timestamp,
        stop: &CancellationToken,
    ) -> Result<WorkCounts, FollowError> {
        // What was read stays read, and is counted, if the index fails afterwards.
        let mut done = WorkCounts::default();
        match self.attempt(now, stop, &mut done).await {
            // Index files may have been damaged while running. Reopening detects that and causes a
            // rebuild.
            Err(error @ (FollowError::Index(_) | FollowError::WriterGone)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "reopening the index: {error}"
                );
                self.follower.reopen().await?;
                self.attempt(now, stop, &mut done).await?;
            }
            result => result?,
        }
        Ok(done)
    }

    async fn attempt(
        &mut self,
        now: Timestamp,
        stop: &CancellationToken,
        done: &mut WorkCounts,
    ) -> Result<(), FollowError> {
        self.follower.restore().await?;
        // Changes that an earlier process left come first, so that they are searchable at once.
        done.follow(self.follower.follow(stop).await?);
        let unread = self.store.unread_domains(self.domains).await?;
        let is_full = unread.len() as u64 == u64::from(self.domains);
        self.domains = if is_full {
            (self.domains * 2).min(MAX_DOMAINS)
        } else {
            DOMAINS
        };
        for unread in unread {
            if stop.is_cancelled() {
                break;
            }
            done.add(self.read(unread, now).await?);
        }
        if done.domains > 0 {
            done.follow(self.follower.follow(stop).await?);
        }
        // New agents come first: without a sentence vector they are found as well, if not as often.
        if !is_full && !stop.is_cancelled() {
            done.encoded += self.follower.encode().await?;
        }
        Ok(())
    }

    /// Reads one domain and replaces its agents in the store.
    async fn read(&self, unread: UnreadDomain, now: Timestamp) -> Result<WorkCounts, FollowError> {
        let domain = unread.domain.clone();
        let documents = self.store.documents(&domain).await?;
        let count = documents.len() as u64;
        let readings = tokio::task::spawn_blocking(move || read_domain(unread, &documents))
            .await
            .map_err(|_| FollowError::WriterGone)?;
        let agents = readings.listings.len();
        let changes = self.store.replace_agents(&readings, now).await?;
        tracing::debug!(
            domain.name = %domain, documents = count, agents, changes = changes.len(),
            "read {count} documents of {domain}: {agents} agents",
        );
        let mut done = WorkCounts {
            domains: 1,
            documents: count,
            ..WorkCounts::default()
        };
        for change in changes {
            match change.op {
                Operation::Add | Operation::Restore => done.added += 1,
                Operation::Update => done.updated += 1,
                Operation::Remove | Operation::OptOut => done.removed += 1,
                // Visits set the status; reading documents does not.
                Operation::Status => {}
            }
        }
        Ok(done)
    }
}

/// Reads all documents of a domain and merges their agents. Pure except for logging; does not panic
/// on any content.
pub fn read_domain(unread: UnreadDomain, documents: &[StoredDocument]) -> DomainReadings {
    let readings: Vec<(&Document, Reading)> = documents
        .iter()
        .map(|stored| (&stored.document, formats::read(&stored.document)))
        .collect();
    let reason = reason(&readings);
    let merged = merge::merge(&unread.domain, &readings);
    tell_faults(&readings, &merged);
    let beside = merged
        .findings
        .into_iter()
        .chain(std::iter::repeat(Vec::new()));
    let described = documents
        .iter()
        .zip(readings)
        .zip(beside)
        .map(|((stored, (_, reading)), beside)| DocumentReading {
            id: stored.id,
            level: reading.level(),
            format: reading.format,
            generation: reading.generation,
            findings: [reading.findings, beside].concat(),
            mentions: reading.mentions,
        })
        .collect();
    DomainReadings {
        unread,
        listings: merged.listings,
        documents: described,
        reason,
    }
}

/// Logs readings that an internal error ended (DI-11); no manifest stops the pipeline.
fn tell_faults(readings: &[(&Document, Reading)], merged: &MergedSite) {
    for ((document, reading), beside) in readings.iter().zip(&merged.findings) {
        let mut findings = reading.findings.iter().chain(beside);
        if let Some(ours) = findings.find(|finding| finding.is_ours()) {
            tracing::error!(
                domain.name = %document.domain, document.hash = document.hash(),
                "{}: {}", document.url, ours.message,
            );
        }
    }
}

/// Returns the reason why agents are no longer listed.
fn reason(readings: &[(&Document, Reading)]) -> String {
    match readings {
        [] => "its documents are gone",
        _ if readings.iter().any(|(_, reading)| reading.is_indexable()) => {
            "no longer in the documents of its site"
        }
        _ => "its documents are no longer readable",
    }
    .to_owned()
}
