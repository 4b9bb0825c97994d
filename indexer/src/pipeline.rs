//! From unread documents to agents, rows and the index: each step safe to repeat.
//!
//! The store's change log is the seam. Reading a domain ends in one transaction that replaces its agents and appends
//! what changed; the index then follows the log, and each of its commits names the last change that is in.
//! A process that dies between the two leaves an index that is behind, and the next one catches up from there.

mod left;
mod mending;

use crate::search::semantic::Table;
use crate::search::writer::Position;
use crate::search::{IndexWriter, WriteError};
use manifest::merge::{self, Merged};
use manifest::{Document, Finding, FormatId, Reading, Severity, Timestamp, formats};
use std::collections::BTreeSet;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use store::{
    DocumentReading, DomainReadings, Operation, Store, StoreError, StoredDocument, Unread,
};

/// Domains read between two commits of the index: at some milliseconds each, well under a second.
const DOMAINS: u32 = 50;
/// Changes of one commit.
const CHANGES: u32 = 1_000;
/// Agents read at once for a rebuild.
const AGENTS: u32 = 500;

/// Why the index cannot be kept in step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] WriteError),
    /// The writing thread died; its message is on standard error.
    #[error("the index writer stopped working; run `indexer` again, and it goes on where it was")]
    WriterGone,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Domains read.
    pub domains: u64,
    /// Documents read.
    pub documents: u64,
    /// Agents that are new.
    pub added: u64,
    /// Agents that changed.
    pub updated: u64,
    /// Agents that went.
    pub removed: u64,
    /// Changes that the index took over.
    pub indexed: u64,
    /// Times the index was built anew.
    pub rebuilt: u64,
}

impl Done {
    /// True when there was nothing to do.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what was done elsewhere.
    pub fn add(&mut self, other: Self) {
        self.domains += other.domains;
        self.documents += other.documents;
        self.added += other.added;
        self.updated += other.updated;
        self.removed += other.removed;
        self.indexed += other.indexed;
        self.rebuilt += other.rebuilt;
    }
}

/// Asks at any point whether to stop.
pub(crate) struct Shutdown<'a>(Pin<&'a mut (dyn Future<Output = ()> + Send)>, bool);

impl<'a> Shutdown<'a> {
    pub(crate) fn new(future: Pin<&'a mut (dyn Future<Output = ()> + Send)>) -> Self {
        Self(future, false)
    }

    /// True when it is time to stop, from then on.
    pub(crate) async fn is_due(&mut self) -> bool {
        if !self.1 {
            tokio::select! {
                biased;
                () = &mut self.0 => self.1 = true,
                () = std::future::ready(()) => {}
            }
        }
        self.1
    }

    /// Waits; true when it became time to stop.
    pub(crate) async fn is_due_within(&mut self, pause: std::time::Duration) -> bool {
        if !self.1 {
            tokio::select! {
                () = &mut self.0 => self.1 = true,
                () = tokio::time::sleep(pause) => {}
            }
        }
        self.1
    }
}

/// Keeps rows and index in step with the documents of a store.
#[derive(Debug)]
pub struct Pipeline {
    store: Arc<dyn Store>,
    index_dir: PathBuf,
    table: Option<&'static Table>,
    /// Absent only while the writing thread has it.
    writer: Option<IndexWriter>,
    is_checked: bool,
}

impl Pipeline {
    /// Takes the index in a folder for writing; nothing is read yet.
    pub fn open(
        store: Arc<dyn Store>,
        index_dir: &Path,
        table: Option<&'static Table>,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            store,
            index_dir: index_dir.to_owned(),
            table,
            writer: Some(IndexWriter::open(index_dir, table)?),
            is_checked: false,
        })
    }

    /// Reads the domains that wait longest and brings the index in step. Nothing done means that nothing waits.
    pub(crate) async fn step(
        &mut self,
        now: Timestamp,
        shutdown: &mut Shutdown<'_>,
    ) -> Result<Done, PipelineError> {
        match self.attempt(now, shutdown).await {
            // Files of the index may have been damaged under way. Opened anew, it is built anew if so.
            Err(error @ (PipelineError::Index(_) | PipelineError::WriterGone)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the index is opened anew: {error}"
                );
                self.reopen().await?;
                self.attempt(now, shutdown).await
            }
            result => result,
        }
    }

    async fn attempt(
        &mut self,
        now: Timestamp,
        shutdown: &mut Shutdown<'_>,
    ) -> Result<Done, PipelineError> {
        self.restore().await?;
        // What a process before this one left behind comes first: it is searchable at once.
        let mut done = self.follow(shutdown).await?;
        for unread in self.store.unread_domains(DOMAINS).await? {
            if shutdown.is_due().await {
                break;
            }
            done.add(self.read(unread, now).await?);
        }
        if done.domains > 0 {
            done.add(self.follow(shutdown).await?);
        }
        Ok(done)
    }

    /// Reads one domain into rows.
    async fn read(&self, unread: Unread, now: Timestamp) -> Result<Done, PipelineError> {
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
        let mut done = Done {
            domains: 1,
            documents: count,
            ..Done::default()
        };
        for change in changes {
            match change.op {
                Operation::Add => done.added += 1,
                Operation::Update => done.updated += 1,
                Operation::Remove => done.removed += 1,
                // Visits turn it, not readings.
                Operation::Status => {}
            }
        }
        Ok(done)
    }

    /// Brings the index in step with the change log.
    async fn follow(&mut self, shutdown: &mut Shutdown<'_>) -> Result<Done, PipelineError> {
        let mut done = Done::default();
        let mut position = self.position().await?;
        if position.is_none() {
            if !self.rebuild(shutdown).await? {
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
            let has_left = left::is_any(&ids, &agents, &*self.store).await?;
            seq = position.seq;
            done.indexed += changes.len() as u64;
            self.on_writer(move |writer| {
                writer.apply(&ids, &agents, position)?;
                if has_left { writer.purge() } else { Ok(()) }
            })
            .await?;
        }
    }

    /// How far the index is; `None` when it must be built anew.
    ///
    /// Looked at once a run: whether the place that the index names is in this store's log at all.
    async fn position(&mut self) -> Result<Option<Position>, PipelineError> {
        let Some(position) = self.current() else {
            return Ok(None);
        };
        if self.is_checked || position.seq == 0 {
            return Ok(Some(position));
        }
        let at = self.store.changes(position.seq - 1, 1).await?;
        self.is_checked = at.first().map(Position::of).as_ref() == Some(&position);
        if !self.is_checked {
            tracing::info!("the index belongs to another database and is built anew");
        }
        Ok(self.is_checked.then_some(position))
    }

    fn current(&self) -> Option<Position> {
        self.writer
            .as_ref()
            .and_then(IndexWriter::position)
            .cloned()
    }

    /// Builds the index anew beside the old one, which answers until the new one is whole.
    ///
    /// False when it was time to stop before that.
    pub(crate) async fn rebuild(
        &mut self,
        shutdown: &mut Shutdown<'_>,
    ) -> Result<bool, PipelineError> {
        // The place is taken first: changes made meanwhile are followed afterwards, once more where they are in.
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
            if shutdown.is_due().await {
                return Ok(false);
            }
            let agents = self.store.agents(after.as_ref(), AGENTS).await?;
            let Some(last) = agents.last() else {
                break;
            };
            after = Some(last.listing.id.clone());
            build = self
                .on_writer(move |_| {
                    build.add_all(&agents)?;
                    Ok(build)
                })
                .await?;
        }
        self.on_writer(move |writer| writer.switch(build, position.unwrap_or_default()))
            .await?;
        self.is_checked = true;
        Ok(true)
    }

    /// Works on the index in a thread that may block.
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

/// Reads all documents of a domain and merges what they say: pure, and without panic whatever they hold.
pub fn read_domain(unread: Unread, documents: &[StoredDocument]) -> DomainReadings {
    let readings: Vec<(&Document, Reading)> = documents
        .iter()
        .map(|stored| (&stored.document, read_document(&stored.document)))
        .collect();
    let reason = reason(&readings);
    let merged = catch_unwind(AssertUnwindSafe(|| merge::merge(&unread.domain, &readings)));
    let merged = merged.unwrap_or_else(|_| {
        tracing::error!(domain.name = %unread.domain, "merging the documents of {} failed", unread.domain);
        Merged::default()
    });
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
            format: reading.format.as_str().to_owned(),
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

/// Reads one document. A fault of ours becomes a finding: no manifest stops the pipeline.
fn read_document(document: &Document) -> Reading {
    catch_unwind(AssertUnwindSafe(|| formats::read(document))).unwrap_or_else(|_| {
        tracing::error!(
            domain.name = %document.domain, document.hash = document.hash(),
            "reading {} failed", document.url,
        );
        Reading {
            format: FormatId("unrecognised"),
            generation: None,
            agents: Vec::new(),
            findings: vec![Finding::new(
                "reader-failed",
                Severity::Info,
                "",
                "our reader failed on this document, which is our fault; it is kept and read again later",
            )],
            references: Vec::new(),
            mentions: Vec::new(),
            is_complete: false,
        }
    })
}

/// Why agents that are no longer listed went.
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
