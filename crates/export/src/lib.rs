//! Exports: all agents of the registry as of one moment, in files for others.
//!
//! All files of an export are written from one snapshot of the database, in batches, so that neither
//! memory nor other processes notice its size. [`daily`] keeps a folder of dated files, which the web
//! side serves; [`latest()`] tells the newest.

pub mod daily;
pub mod public;
mod row;
mod sink;
pub mod urn;

pub use daily::{Latest, latest};
pub use sink::Output;

use row::Row;
use sink::Sink;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use store::{Store, StoreError};

/// Licence of the exported data.
pub const LICENCE: &str = "The facts are those that their sites publish; names and texts belong to \
    their authors. Our compilation is dedicated to the public domain (CC0 1.0).";

/// Agents per batch.
const AGENTS: u32 = 500;

/// Form of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One JSON object per agent and line, with all of it.
    Jsonl,
    /// A table of the main facts, with one line per agent (RFC 4180).
    Csv,
    /// A SQLite database with tables of agents and capabilities.
    Sqlite,
}

/// Counts of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Epoch of the change log.
    pub epoch: String,
    /// Newest sequence number of the change log that it contains.
    pub seq: u64,
    /// Number of withdrawals of agents before it.
    pub withdrawals: u64,
    /// Agents.
    pub agents: u64,
    /// Sites that have agents.
    pub sites: u64,
    /// Capabilities of all agents.
    pub capabilities: u64,
}

/// Reason why an export fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("cannot write '{}'", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A SQLite file was requested on standard output.
    #[error("an SQLite file is written in random order: name a file with --out")]
    SqliteNeedsFile,
    /// A thread panicked; its message is on standard error.
    #[error("the export stopped working")]
    Panic,
}

/// Writes all agents of one snapshot to `output`.
pub async fn write(
    store: &dyn Store,
    format: Format,
    output: Output,
) -> Result<Counts, ExportError> {
    let sink = Sink::open(format, output).await?;
    let (counts, _) = fill(store, vec![sink]).await?;
    Ok(counts)
}

/// Fills sinks from one snapshot; returns the written files in their order.
async fn fill(
    store: &dyn Store,
    mut sinks: Vec<Sink>,
) -> Result<(Counts, Vec<sink::FileDigest>), ExportError> {
    let mut snapshot = store.snapshot().await?;
    let feed = snapshot.feed_state().clone();
    let mut counts = Counts {
        epoch: feed.epoch,
        seq: feed.last_change,
        withdrawals: feed.withdrawals,
        ..Counts::default()
    };
    let (mut after, mut site) = (None, None);
    loop {
        let agents = snapshot.agents(after.as_ref(), AGENTS).await?;
        let Some(last) = agents.last() else {
            break;
        };
        after = Some(last.listing.id.clone());
        for agent in &agents {
            counts.agents += 1;
            counts.capabilities += agent.listing.agent.capabilities.len() as u64;
            // Agents come in order of id, so those of a site are together.
            if site.as_ref() != Some(&agent.domain) {
                counts.sites += 1;
                site = Some(agent.domain.clone());
            }
        }
        let records = blocking(move || agents.iter().map(Row::of).collect::<Vec<_>>()).await?;
        let records = Arc::new(records);
        let mut filled = Vec::with_capacity(sinks.len());
        for sink in sinks {
            filled.push(sink.add(Arc::clone(&records)).await?);
        }
        sinks = filled;
    }
    drop(snapshot);
    let mut written = Vec::with_capacity(sinks.len());
    for sink in sinks {
        written.push(sink.finish(&counts).await?);
    }
    Ok((counts, written))
}

/// Runs `work` on a blocking thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ExportError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| ExportError::Panic)
}
