//! Turns unread documents into agents, rows and index entries; each step is safe to repeat.
//!
//! The store's change log connects both halves. Reading a domain ends in one transaction that
//! replaces its agents and appends the changes; the index then applies the log, and each of its
//! commits records the last change it contains. A crash between the two leaves an index that is
//! behind, and the next run catches up from there.

mod purge;
mod repair;
pub mod vectors;

use manifest::merge::{self, MergedSite};
use manifest::{Document, Reading, Timestamp, formats};
use search::embedding::Models;
use search::{IndexWriter, Position, WriteError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{
    DocumentReading, DomainReadings, Operation, Store, StoreError, StoredDocument, UnreadDomain,
};
use tokio_util::sync::CancellationToken;
use vectors::Encoding;

/// Domains read between two commits of the index: a few milliseconds each, well under a second in
/// total. While more wait, the number is doubled each time up to a maximum, which takes some seconds:
/// a commit of many costs little more than one of few.
const DOMAINS: u32 = 50;
const MAX_DOMAINS: u32 = 1_600;
/// Maximum number of changes per commit.
const CHANGES: u32 = 1_000;
/// Agents read per batch during a rebuild.
const AGENTS: u32 = 500;

/// Error that stops the pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] WriteError),
    /// The writer thread panicked; its message is on standard error.
    #[error(
        "the index writer stopped working; run `indexer` again to continue from the last commit"
    )]
    WriterGone,
}

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
}

/// Keeps agents and index up to date with the documents of a store.
#[derive(Debug)]
pub struct Pipeline {
    store: Arc<dyn Store>,
    index_dir: PathBuf,
    models: Option<Models>,
    /// `None` only while the writer thread owns it.
    writer: Option<IndexWriter>,
    is_checked: bool,
    /// Domains read before the next commit.
    domains: u32,
    encoding: Encoding,
}

impl Pipeline {
    /// Opens the index in a directory for writing; reads no documents yet.
    pub fn open(
        store: Arc<dyn Store>,
        index_dir: &Path,
        models: Option<Models>,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            store,
            index_dir: index_dir.to_owned(),
            models,
            writer: Some(IndexWriter::open(index_dir, models)?),
            is_checked: false,
            domains: DOMAINS,
            encoding: Encoding::default(),
        })
    }

    /// Reads the domains that have waited longest and updates the index. Empty counts mean that no
    /// work is left.
    pub async fn step(
        &mut self,
        now: Timestamp,
        stop: &CancellationToken,
    ) -> Result<WorkCounts, PipelineError> {
        // What was read stays read, and is counted, if the index fails afterwards.
        let mut done = WorkCounts::default();
        match self.attempt(now, stop, &mut done).await {
            // Index files may have been damaged while running. Reopening detects that and causes a
            // rebuild.
            Err(error @ (PipelineError::Index(_) | PipelineError::WriterGone)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "reopening the index: {error}"
                );
                self.reopen().await?;
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
    ) -> Result<(), PipelineError> {
        self.restore().await?;
        // Changes that an earlier process left come first, so that they are searchable at once.
        done.add(self.follow(stop).await?);
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
            done.add(self.follow(stop).await?);
        }
        // New agents come first: without a sentence vector they are found as well, if not as often.
        if !is_full && !stop.is_cancelled() {
            done.encoded += self.encode().await?;
        }
        Ok(())
    }

    /// Reads one domain and replaces its agents in the store.
    async fn read(
        &self,
        unread: UnreadDomain,
        now: Timestamp,
    ) -> Result<WorkCounts, PipelineError> {
        let domain = unread.domain.clone();
        let documents = self.store.documents(&domain).await?;
        let count = documents.len() as u64;
        let readings = tokio::task::spawn_blocking(move || read_domain(unread, &documents))
            .await
            .map_err(|_| PipelineError::WriterGone)?;
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

    /// Applies the change log to the index.
    async fn follow(&mut self, stop: &CancellationToken) -> Result<WorkCounts, PipelineError> {
        let mut done = WorkCounts::default();
        let mut position = self.position().await?;
        if position.is_none() {
            if !self.rebuild(stop).await? {
                return Ok(done);
            }
            done.rebuilt = 1;
            position = self.current();
        }
        let mut seq = position.unwrap_or_default().seq;
        loop {
            let changes = self.store.changes(seq, CHANGES).await?;
            let Some(last) = changes.last() else {
                return Ok(done);
            };
            let position = Position::of(last);
            let ids: BTreeSet<_> = changes.iter().map(|change| change.agent.clone()).collect();
            let ids: Vec<_> = ids.into_iter().collect();
            let agents = self.store.agents_by_id(&ids).await?;
            let vectors = self.stored_vectors(&agents).await?;
            let has_left = purge::is_any(&ids, &agents, &*self.store).await?;
            seq = position.seq;
            self.encoding.changed(&ids);
            done.indexed += changes.len() as u64;
            self.on_writer(move |writer| {
                writer.apply(&ids, &agents, &vectors, position)?;
                if has_left { writer.purge() } else { Ok(()) }
            })
            .await?;
        }
    }

    /// Returns the position of the index in the change log; `None` if it must be rebuilt.
    ///
    /// Checks once per run that the position exists in the log of this store.
    async fn position(&mut self) -> Result<Option<Position>, PipelineError> {
        let Some(position) = self.current() else {
            return Ok(None);
        };
        if self.is_checked {
            return Ok(Some(position));
        }
        self.is_checked = match position.seq.checked_sub(1) {
            Some(before) => {
                let at = self.store.changes(before, 1).await?;
                at.first().map(Position::of).as_ref() == Some(&position)
            }
            // An index of no agents follows the log from its first entry on, if that is still kept.
            None => self.store.changes(0, 1).await?.iter().all(|it| it.seq == 1),
        };
        if !self.is_checked {
            tracing::info!("the index is of another database, or too old, and is rebuilt");
        }
        Ok(self.is_checked.then_some(position))
    }

    fn current(&self) -> Option<Position> {
        self.writer
            .as_ref()
            .and_then(IndexWriter::position)
            .cloned()
    }

    /// Rebuilds the index beside the old one, which serves searches until the new one is complete.
    ///
    /// Returns false if it was stopped before the end.
    pub(crate) async fn rebuild(
        &mut self,
        stop: &CancellationToken,
    ) -> Result<bool, PipelineError> {
        // The position is taken first: changes made meanwhile are applied afterwards, some for a
        // second time.
        let last = self.store.last_change().await?;
        let position = match last.checked_sub(1) {
            Some(before) => self
                .store
                .changes(before, 1)
                .await?
                .first()
                .map(Position::of),
            None => None,
        };
        let mut build = self.on_writer(|writer| writer.rebuild()).await?;
        let mut after = None;
        loop {
            if stop.is_cancelled() {
                return Ok(false);
            }
            let agents = self.store.agents(after.as_ref(), AGENTS).await?;
            let Some(last) = agents.last() else {
                break;
            };
            after = Some(last.listing.id.clone());
            let vectors = self.stored_vectors(&agents).await?;
            build = self
                .on_writer(move |_| {
                    build.add_all(&agents, &vectors)?;
                    Ok(build)
                })
                .await?;
        }
        self.on_writer(move |writer| writer.switch(build, position.unwrap_or_default()))
            .await?;
        self.is_checked = true;
        self.encoding = Encoding::default();
        Ok(true)
    }

    /// Runs work on the index writer in a blocking thread.
    async fn on_writer<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut IndexWriter) -> Result<T, WriteError> + Send + 'static,
    ) -> Result<T, PipelineError> {
        let mut writer = self.writer.take().ok_or(PipelineError::WriterGone)?;
        let (writer, result) = tokio::task::spawn_blocking(move || {
            let result = work(&mut writer);
            (writer, result)
        })
        .await
        .map_err(|_| PipelineError::WriterGone)?;
        self.writer = Some(writer);
        Ok(result?)
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
