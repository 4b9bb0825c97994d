//! Writes the index: one writer at a time, every commit tied to a place in the store's change log.

mod checking;
mod merging;

use super::analyzer::list;
use super::files::{Files, Reading};
use super::folder::{self, Found, LockedFolder};
use super::schema::{Fields, Maker};
use super::searcher::open_build;
use super::semantic::Table;
use manifest::AgentId;
use merging::merge_policy;
use serde::{Deserialize, Serialize};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use store::{Change, StoredAgent};
use tantivy::merge_policy::{MergeCandidate, MergePolicy as _, NoMergePolicy};
use tantivy::{Index, IndexSettings, TantivyDocument, Term};

/// Memory for documents between two commits.
const BUFFER_BYTES: usize = 50_000_000;
/// The same for a rebuild, which nobody searches before its end: the more, the fewer segments.
const REBUILD_BYTES: usize = 300_000_000;

/// Agents for which a thread of their own is worth its start.
const MIN_SHARE: usize = 32;
/// Why the index cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Somebody else's files.
    #[error(
        "'{path}' holds other files and is not an index: give --index an empty or a new folder"
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// Another indexer is at work.
    #[error(
        "the index at '{path}' is being written by another indexer ({holder}): stop that one first"
    )]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Who holds it.
        holder: String,
    },
    /// The folder cannot be made, read or written.
    #[error("cannot write the index at '{path}'")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Tantivy cannot write; mostly a full disk.
    #[error("cannot write the index at '{path}'; is the disk full?")]
    Index {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: tantivy::TantivyError,
    },
}

/// A place in the store's change log, kept in each commit.
///
/// The fingerprint is that of the change at that place, so that an index is not taken for one of another database
/// whose log happens to be as long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Sequence number of the last change that is in; zero for none.
    pub seq: u64,
    /// What that change was.
    pub fingerprint: String,
}

impl Position {
    /// The place of a change.
    pub fn of(change: &Change) -> Self {
        let hash = change.hash.as_deref().unwrap_or("-");
        Self {
            seq: change.seq,
            fingerprint: format!("{} {} {hash}", change.at.0, change.agent),
        }
    }

    /// What a commit's payload says.
    pub(crate) fn parse(payload: Option<&str>) -> Option<Self> {
        serde_json::from_str(payload?).ok()
    }

    fn to_payload(&self) -> String {
        serde_json::to_string(self).expect("a number and a string always become JSON")
    }
}

/// The one writer of an index.
pub struct IndexWriter {
    folder: LockedFolder,
    /// Where vectors come from.
    table: Option<&'static Table>,
    current: Option<Build>,
}

impl std::fmt::Debug for IndexWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("IndexWriter")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// A build open for writing: the current one, or a new one that [`IndexWriter::switch`] makes current.
pub struct Build {
    name: String,
    path: PathBuf,
    files: Files,
    writer: tantivy::IndexWriter,
    fields: Fields,
    /// One for each core.
    makers: Vec<Mutex<Maker>>,
    position: Position,
}

impl std::fmt::Debug for Build {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Build")
            .field("path", &self.path)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl IndexWriter {
    /// Takes the index in a folder for writing; without a table agents are found by their words alone.
    ///
    /// An index that is missing, damaged, of another version or another table leaves [`IndexWriter::position`] empty:
    /// fill it with [`IndexWriter::rebuild`].
    pub fn open(dir: &Path, table: Option<&'static Table>) -> Result<Self, WriteError> {
        let folder = LockedFolder::open(dir)?;
        let found = folder::inspect(dir).map_err(|source| WriteError::Folder {
            path: dir.to_owned(),
            source,
        })?;
        let current = match found {
            Found::Ours(marker) if marker.is_current(table) => {
                let opened = Build::open(marker.build.clone(), &marker.path(dir), table);
                if let Err(reason) = &opened {
                    tracing::warn!(index.path = %dir.display(), %reason, "the index is damaged and is built anew");
                }
                if opened.is_ok() {
                    // What a rebuild left that was stopped halfway.
                    folder.sweep(&marker.build);
                }
                opened.ok()
            }
            Found::Ours(marker) => {
                let (found, wanted) = (marker.version, Fields::VERSION);
                tracing::info!(
                    found,
                    wanted,
                    "the index has another version or another table of meanings and is built anew"
                );
                None
            }
            Found::Broken => {
                tracing::warn!(index.path = %dir.display(), "the index has lost its marker and is built anew");
                None
            }
            Found::Nothing | Found::Foreign => None,
        };
        Ok(Self {
            folder,
            table,
            current,
        })
    }

    /// How far the index follows the store; `None` when it must be rebuilt first.
    pub fn position(&self) -> Option<&Position> {
        self.current.as_ref().map(|build| &build.position)
    }

    /// Begins a new build beside the current one, which stays in use until [`IndexWriter::switch`].
    pub fn rebuild(&self) -> Result<Build, WriteError> {
        let (name, path) = self
            .folder
            .new_build()
            .map_err(|source| self.folder_error(source))?;
        Build::create(name, &path, self.table).map_err(|source| self.index_error(source))
    }

    /// Commits a new build and makes it the current one.
    pub fn switch(&mut self, build: Build, position: Position) -> Result<(), WriteError> {
        let build = build
            .finish(position)
            .map_err(|source| self.index_error(source))?;
        self.folder
            .switch(&build.name, self.table)
            .map_err(|source| self.folder_error(source))?;
        self.current = None;
        self.folder.sweep(&build.name);
        self.current = Some(build);
        Ok(())
    }

    /// Brings agents in step: each id is replaced by its agent, or removed when there is none; then commits.
    ///
    /// Without a current build nothing happens.
    pub fn apply(
        &mut self,
        ids: &[AgentId],
        agents: &[StoredAgent],
        position: Position,
    ) -> Result<(), WriteError> {
        let Some(build) = &mut self.current else {
            return Ok(());
        };
        let result = build.apply(ids, agents, position);
        result.map_err(|source| self.index_error(source))
    }

    fn index_error(&self, source: tantivy::TantivyError) -> WriteError {
        WriteError::Index {
            path: self.folder.root().to_owned(),
            source,
        }
    }

    fn folder_error(&self, source: std::io::Error) -> WriteError {
        WriteError::Folder {
            path: self.folder.root().to_owned(),
            source,
        }
    }
}

/// A writer for small commits one after the other.
fn follower(index: &Index) -> tantivy::Result<tantivy::IndexWriter> {
    let writer = index.writer_with_num_threads(1, BUFFER_BYTES)?;
    writer.set_merge_policy(Box::new(merge_policy()));
    Ok(writer)
}

impl Build {
    fn create(name: String, path: &Path, table: Option<&'static Table>) -> tantivy::Result<Self> {
        let files = Files::open(path, Reading::Parts)?;
        let schema = Fields::define().0;
        let index = Index::create(files.clone(), schema, IndexSettings::default())?;
        index
            .tokenizers()
            .register(list::NAME, list::ListReader::default());
        let writer = index.writer_with_num_threads(1, REBUILD_BYTES)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let at = (name, path, files);
        Ok(Self::of(at, writer, table, Position::default()))
    }

    /// Opens a build, unless it is damaged or not of this schema.
    fn open(name: String, path: &Path, table: Option<&'static Table>) -> Result<Self, String> {
        let reason = |error: tantivy::TantivyError| error.to_string();
        let files = Files::open(path, Reading::Parts).map_err(reason)?;
        let index = open_build(files.clone()).map_err(reason)?;
        if index.schema() != Fields::define().0 {
            return Err("its fields are others".to_owned());
        }
        let commit = index.load_metas().map_err(reason)?;
        files.check(&commit)?;
        let position = Position::parse(commit.payload.as_deref())
            .ok_or_else(|| "it does not say how far it goes".to_owned())?;
        let writer = follower(&index).map_err(reason)?;
        Ok(Self::of((name, path, files), writer, table, position))
    }

    fn of(
        (name, path, files): (String, &Path, Files),
        writer: tantivy::IndexWriter,
        table: Option<&'static Table>,
        position: Position,
    ) -> Self {
        let fields = Fields::define().1;
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let makers = (0..cores).map(|_| Mutex::new(Maker::new(fields.clone(), table)));
        Self {
            name,
            path: path.to_owned(),
            files,
            writer,
            makers: makers.collect(),
            fields,
            position,
        }
    }

    /// Commits a rebuild, which from now on follows the store.
    ///
    /// Its segments are merged in the background: it is whole without that, and is searched the sooner.
    fn finish(mut self, position: Position) -> tantivy::Result<Self> {
        self.commit(position)?;
        let index = self.writer.index().clone();
        self.writer.wait_merging_threads()?;
        let mut writer = follower(&index)?;
        let segments = index.searchable_segment_metas()?;
        for MergeCandidate(ids) in merge_policy().compute_merge_candidates(&segments) {
            // Nobody waits for it: a merge that fails is tried again with the next commit.
            drop(writer.merge(&ids));
        }
        Ok(Self { writer, ..self })
    }

    /// Adds an agent that is not in yet.
    pub fn add(&self, agent: &StoredAgent) -> Result<(), WriteError> {
        self.add_all(std::slice::from_ref(agent))
    }

    /// Adds agents that are not in yet, on every core.
    pub fn add_all(&self, agents: &[StoredAgent]) -> Result<(), WriteError> {
        let result = self.add_documents(agents);
        result.map_err(|source| WriteError::Index {
            path: self.path.clone(),
            source,
        })
    }

    /// Makes documents on every core, and adds them in order: the same agents give the same index on every machine.
    fn add_documents(&self, agents: &[StoredAgent]) -> tantivy::Result<()> {
        let share = agents.len().div_ceil(self.makers.len()).max(MIN_SHARE);
        let make = |(maker, part): (&Mutex<Maker>, &[StoredAgent])| {
            let mut maker = maker.lock().unwrap_or_else(PoisonError::into_inner);
            let documents = part.iter().map(|agent| maker.document(agent));
            documents.collect::<Vec<_>>()
        };
        let parts: Vec<Vec<TantivyDocument>> = std::thread::scope(|scope| {
            let mut parts = self.makers.iter().zip(agents.chunks(share));
            let first = parts.next();
            let others: Vec<_> = parts.map(|part| scope.spawn(move || make(part))).collect();
            let first = first.map(make).unwrap_or_default();
            let others = others
                .into_iter()
                .map(|it| it.join().unwrap_or_else(|it| resume_unwind(it)));
            std::iter::once(first).chain(others).collect()
        });
        for document in parts.into_iter().flatten() {
            self.writer.add_document(document)?;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        ids: &[AgentId],
        agents: &[StoredAgent],
        position: Position,
    ) -> tantivy::Result<()> {
        for id in ids {
            self.writer
                .delete_term(Term::from_field_text(self.fields.id, id.as_str()));
        }
        self.add_documents(agents)?;
        self.commit(position)
    }

    fn commit(&mut self, position: Position) -> tantivy::Result<()> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&position.to_payload());
        commit.commit()?;
        self.position = position;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
