//! Follower of the change log: it keeps an index up to date with the agents of a store.
//!
//! Each commit of the index records the last change that it contains. A crash leaves an index that is
//! behind, and the next run goes on from there; so does an index whose folder was copied from another
//! machine. An index that is damaged, or of another store, is rebuilt beside the old one.

mod purge;
mod repair;
pub mod vectors;

use crate::embedding::Models;
use crate::{IndexWriter, Position, WriteError};
use manifest::Timestamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;
use vectors::Encoding;

/// Maximum number of changes per commit.
const CHANGES: u32 = 1_000;
/// Agents read per batch during a rebuild.
const AGENTS: u32 = 500;

/// Pause between two polls of the store: far below the 2 seconds in which a manifest must be searchable.
pub const PAUSE: Duration = Duration::from_millis(250);
/// Pause after the database stayed locked for longer than its busy timeout, or was away.
pub const LOCKED_PAUSE: Duration = Duration::from_secs(1);

/// Error that ends the work on an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
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

/// Counts of the work done on an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FollowCounts {
    /// Changes applied to the index.
    pub indexed: u64,
    /// Agents whose sentence vectors were computed, or found in the store.
    pub encoded: u64,
    /// Number of rebuilds of the index.
    pub rebuilt: u64,
}

impl FollowCounts {
    /// Adds the counts of another step.
    pub fn add(&mut self, other: Self) {
        self.indexed += other.indexed;
        self.encoded += other.encoded;
        self.rebuilt += other.rebuilt;
    }
}

/// Keeps an index up to date with the agents of a store.
#[derive(Debug)]
pub struct Follower {
    store: Arc<dyn Store>,
    index_dir: PathBuf,
    models: Option<Models>,
    /// `None` only while the writer thread owns it.
    writer: Option<IndexWriter>,
    is_checked: bool,
    encoding: Encoding,
}

impl Follower {
    /// Opens the index in a directory for writing.
    pub fn open(
        store: Arc<dyn Store>,
        index_dir: &Path,
        models: Option<Models>,
    ) -> Result<Self, FollowError> {
        Ok(Self {
            store,
            index_dir: index_dir.to_owned(),
            models,
            writer: Some(IndexWriter::open(index_dir, models)?),
            is_checked: false,
            encoding: Encoding::default(),
        })
    }

    /// Applies the changes since the last step, and takes vectors that another process has computed, if
    /// the time for that has come.
    async fn step(
        &mut self,
        now: Timestamp,
        stop: &CancellationToken,
    ) -> Result<FollowCounts, FollowError> {
        match self.attempt(now, stop).await {
            // Index files may have been damaged while running. Reopening detects that and causes a
            // rebuild.
            Err(error @ (FollowError::Index(_) | FollowError::WriterGone)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "reopening the index: {error}"
                );
                self.reopen().await?;
                self.attempt(now, stop).await
            }
            done => done,
        }
    }

    async fn attempt(
        &mut self,
        now: Timestamp,
        stop: &CancellationToken,
    ) -> Result<FollowCounts, FollowError> {
        self.restore().await?;
        let mut done = self.follow(stop).await?;
        if done.indexed > 0 || self.encoding.is_due(now) {
            done.encoded += self.take_vectors(now).await?;
        }
        Ok(done)
    }

    /// Applies the change log to the index.
    pub async fn follow(&mut self, stop: &CancellationToken) -> Result<FollowCounts, FollowError> {
        let mut done = FollowCounts::default();
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
    async fn position(&mut self) -> Result<Option<Position>, FollowError> {
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
    pub async fn rebuild(&mut self, stop: &CancellationToken) -> Result<bool, FollowError> {
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
    pub(crate) async fn on_writer<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut IndexWriter) -> Result<T, WriteError> + Send + 'static,
    ) -> Result<T, FollowError> {
        let mut writer = self.writer.take().ok_or(FollowError::WriterGone)?;
        let (writer, result) = tokio::task::spawn_blocking(move || {
            let result = work(&mut writer);
            (writer, result)
        })
        .await
        .map_err(|_| FollowError::WriterGone)?;
        self.writer = Some(writer);
        Ok(result?)
    }
}

/// Wait for a database, which is logged when it begins and when it ends.
#[derive(Debug, Default)]
pub struct Outage {
    is_logged: bool,
}

impl Outage {
    /// Notes that the database could not be used.
    pub fn began(&mut self, error: &StoreError) {
        if !self.is_logged {
            tracing::warn!(%error, "waiting for the database: {error}");
        }
        self.is_logged = true;
    }

    /// Notes that it was used.
    pub fn ended(&mut self) {
        if self.is_logged {
            tracing::info!("the database answers again");
        }
        self.is_logged = false;
    }
}

/// Keeps an index up to date with the agents of a store, of which other processes read the documents:
/// once, or until it is stopped.
pub async fn run(
    store: Arc<dyn Store>,
    index_dir: &Path,
    models: Option<Models>,
    is_once: bool,
    now: fn() -> Timestamp,
    stop: &CancellationToken,
) -> Result<FollowCounts, FollowError> {
    let mut follower = Follower::open(store, index_dir, models)?;
    let mut total = FollowCounts::default();
    let mut outage = Outage::default();
    while !stop.is_cancelled() {
        let done = match follower.step(now(), stop).await {
            Ok(done) => done,
            Err(FollowError::Store(
                error @ (StoreError::Locked { .. } | StoreError::Away { .. }),
            )) if !is_once => {
                outage.began(&error);
                stopped_within(LOCKED_PAUSE, stop).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        outage.ended();
        total.add(done);
        if done.indexed > 0 {
            let changes = done.indexed;
            tracing::info!(changes, "{changes} changes are searchable");
        } else if is_once || stopped_within(PAUSE, stop).await {
            break;
        }
    }
    Ok(total)
}

/// Waits; returns true at once if the work is stopped meanwhile.
pub async fn stopped_within(pause: Duration, stop: &CancellationToken) -> bool {
    tokio::time::timeout(pause, stop.cancelled()).await.is_ok()
}
