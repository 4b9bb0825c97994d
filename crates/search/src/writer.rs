//! Index writer. There is one at a time, and every commit records its position in the store's
//! change log.

mod checking;
mod merging;

use super::agent_vectors::SentenceVectors;
use super::directory::{self, Contents, LockedFolder, WriteError};
use super::embedding::Models;
use super::files::{Access, Files};
use super::position::Position;
use super::schema::{DocumentBuilder, Fields};
use manifest::AgentId;
use merging::merge_policy;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use store::StoredAgent;
use tantivy::merge_policy::{MergeCandidate, MergePolicy as _, NoMergePolicy};
use tantivy::{Index, IndexReader, ReloadPolicy, TantivyDocument, Term};

/// Memory budget for documents between two commits.
const BUFFER_BYTES: usize = 50_000_000;
/// Memory budget of a rebuild, which is not searched before its end; a larger one gives fewer
/// segments.
const REBUILD_BYTES: usize = 300_000_000;

/// Minimum number of agents for which starting a thread pays off.
const MIN_SHARE: usize = 32;

/// The writer of an index.
pub struct IndexWriter {
    folder: LockedFolder,
    /// Models of the vectors.
    models: Option<Models>,
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

/// Agents that wait for a sentence vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Some of them.
    pub agents: Vec<AgentId>,
    /// Number of all.
    pub count: u64,
}

/// A build open for writing: the current one, or a new one that [`IndexWriter::switch`] makes
/// current.
pub struct Build {
    name: String,
    path: PathBuf,
    files: Files,
    writer: tantivy::IndexWriter,
    fields: Fields,
    /// Document builders, one for each core.
    builders: Vec<Mutex<DocumentBuilder>>,
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
    /// Opens the index in a directory for writing; without models, agents are found by words only.
    ///
    /// If the index is missing or damaged, or has another version or other models,
    /// [`IndexWriter::position`] is `None`, and the caller must rebuild it with
    /// [`IndexWriter::rebuild`].
    pub fn open(dir: &Path, models: Option<Models>) -> Result<Self, WriteError> {
        let folder = LockedFolder::open(dir)?;
        let found = directory::inspect(dir).map_err(|source| WriteError::Folder {
            path: dir.to_owned(),
            source,
        })?;
        let current = match found {
            Contents::Ours(marker) if marker.is_current(models) => {
                let opened = Build::open(marker.build.clone(), &marker.path(dir), models);
                if let Err(reason) = &opened {
                    tracing::warn!(index.path = %dir.display(), %reason, "the index is damaged and is being rebuilt");
                }
                if opened.is_ok() {
                    // Deletes builds left by interrupted rebuilds.
                    folder.sweep(&marker.build);
                }
                opened.ok()
            }
            Contents::Ours(marker) => {
                let (found, wanted) = (marker.version, Fields::VERSION);
                tracing::info!(
                    found,
                    wanted,
                    "the index has another version or other models and is being rebuilt"
                );
                None
            }
            Contents::Broken => {
                tracing::warn!(index.path = %dir.display(), "the marker of the index cannot be read; the index is being rebuilt");
                None
            }
            Contents::Nothing | Contents::Foreign => None,
        };
        Ok(Self {
            folder,
            models,
            current,
        })
    }

    /// Returns the position of the index in the change log; `None` when it must be rebuilt first.
    pub fn position(&self) -> Option<&Position> {
        self.current.as_ref().map(|build| &build.position)
    }

    /// Starts a new build beside the current one, which stays in use until [`IndexWriter::switch`].
    pub fn rebuild(&self) -> Result<Build, WriteError> {
        let (name, path) = self
            .folder
            .new_build()
            .map_err(|source| self.folder_error(source))?;
        Build::create(name, &path, self.models).map_err(|source| self.index_error(source))
    }

    /// Commits a new build and makes it the current one.
    pub fn switch(&mut self, build: Build, position: Position) -> Result<(), WriteError> {
        let build = build
            .finish(position)
            .map_err(|source| self.index_error(source))?;
        self.folder
            .switch(&build.name, self.models)
            .map_err(|source| self.folder_error(source))?;
        self.current = None;
        self.folder.sweep(&build.name);
        self.current = Some(build);
        Ok(())
    }

    /// Applies changes: replaces each id by its agent, with its sentence vector if there is one, or
    /// removes it when there is no agent; then commits.
    ///
    /// Does nothing without a current build.
    pub fn apply(
        &mut self,
        ids: &[AgentId],
        agents: &[StoredAgent],
        vectors: &SentenceVectors,
        position: Position,
    ) -> Result<(), WriteError> {
        let Some(build) = &mut self.current else {
            return Ok(());
        };
        let result = build.apply(ids, agents, vectors, position);
        result.map_err(|source| self.index_error(source))
    }

    /// Returns agents that wait for a sentence vector, at most `limit` and none that `is_known`
    /// reports, with the number of all.
    pub fn waiting(
        &self,
        limit: usize,
        is_known: impl Fn(&AgentId) -> bool,
    ) -> Result<Waiting, WriteError> {
        let Some(build) = &self.current else {
            return Ok(Waiting::default());
        };
        let found = build.waiting(limit, is_known);
        found.map_err(|source| self.index_error(source))
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

/// Creates a writer for small consecutive commits.
fn follower(index: &Index) -> tantivy::Result<tantivy::IndexWriter> {
    let writer = index.writer_with_num_threads(1, BUFFER_BYTES)?;
    writer.set_merge_policy(Box::new(merge_policy()));
    Ok(writer)
}

impl Build {
    fn create(name: String, path: &Path, models: Option<Models>) -> tantivy::Result<Self> {
        let files = Files::open(path, Access::Parts)?;
        let (index, fields) = Fields::create(files.clone())?;
        let writer = index.writer_with_num_threads(1, REBUILD_BYTES)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let at = (name, path, files);
        Ok(Self::of(at, (writer, fields), models, Position::default()))
    }

    /// Opens a build; returns the reason if it is damaged or has another schema.
    fn open(name: String, path: &Path, models: Option<Models>) -> Result<Self, String> {
        let reason = |error: tantivy::TantivyError| error.to_string();
        let files = Files::open(path, Access::Parts).map_err(reason)?;
        let (index, fields) = Fields::open(files.clone()).map_err(reason)?;
        let commit = index.load_metas().map_err(reason)?;
        files.check(&commit)?;
        let position = Position::parse(commit.payload.as_deref())
            .ok_or_else(|| "its last commit records no position in the change log".to_owned())?;
        let writer = follower(&index).map_err(reason)?;
        let at = (name, path, files);
        Ok(Self::of(at, (writer, fields), models, position))
    }

    fn of(
        (name, path, files): (String, &Path, Files),
        (writer, fields): (tantivy::IndexWriter, Fields),
        models: Option<Models>,
        position: Position,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let builders = (0..cores).map(|_| Mutex::new(DocumentBuilder::new(fields.clone(), models)));
        Self {
            name,
            path: path.to_owned(),
            files,
            writer,
            builders: builders.collect(),
            fields,
            position,
        }
    }

    /// Commits a rebuild, and reopens it with a writer for small commits.
    ///
    /// Its segments are merged in the background, so that it can be searched sooner.
    fn finish(mut self, position: Position) -> tantivy::Result<Self> {
        self.commit(position)?;
        let index = self.writer.index().clone();
        self.writer.wait_merging_threads()?;
        let mut writer = follower(&index)?;
        let segments = index.searchable_segment_metas()?;
        for MergeCandidate(ids) in merge_policy().compute_merge_candidates(&segments) {
            // The result is not awaited: a failed merge is tried again with the next commit.
            drop(writer.merge(&ids));
        }
        Ok(Self { writer, ..self })
    }

    /// Adds an agent that is not in the index yet, and waits for its sentence vector.
    pub fn add(&self, agent: &StoredAgent) -> Result<(), WriteError> {
        self.add_all(std::slice::from_ref(agent), &SentenceVectors::new())
    }

    /// Adds agents that are not in the index yet, with their sentence vectors as far as they are
    /// known, on every core.
    pub fn add_all(
        &self,
        agents: &[StoredAgent],
        vectors: &SentenceVectors,
    ) -> Result<(), WriteError> {
        let result = self.add_documents(agents, vectors);
        result.map_err(|source| WriteError::Index {
            path: self.path.clone(),
            source,
        })
    }

    /// Builds documents on every core, and adds them in order: the same agents give the same index
    /// on every machine.
    fn add_documents(
        &self,
        agents: &[StoredAgent],
        vectors: &SentenceVectors,
    ) -> tantivy::Result<()> {
        let share = agents.len().div_ceil(self.builders.len()).max(MIN_SHARE);
        let build = |(builder, part): (&Mutex<DocumentBuilder>, &[StoredAgent])| {
            let mut builder = builder.lock().unwrap_or_else(PoisonError::into_inner);
            let documents = part
                .iter()
                .map(|agent| builder.document(agent, vectors.get(&agent.listing.id)));
            documents.collect::<Vec<_>>()
        };
        let parts: Vec<Vec<TantivyDocument>> = std::thread::scope(|scope| {
            let mut parts = self.builders.iter().zip(agents.chunks(share));
            let first = parts.next();
            let others: Vec<_> = parts.map(|part| scope.spawn(move || build(part))).collect();
            let first = first.map(build).unwrap_or_default();
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
        vectors: &SentenceVectors,
        position: Position,
    ) -> tantivy::Result<()> {
        for id in ids {
            self.writer
                .delete_term(Term::from_field_text(self.fields.id, id.as_str()));
        }
        self.add_documents(agents, vectors)?;
        self.commit(position)
    }

    /// Returns agents of the last commit that wait for a sentence vector.
    fn waiting(
        &self,
        limit: usize,
        is_known: impl Fn(&AgentId) -> bool,
    ) -> tantivy::Result<Waiting> {
        let index = self.writer.index();
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let searcher = IndexReader::searcher(&reader);
        let mut found = Waiting::default();
        self.fields.each_waiting(&searcher, |address| {
            found.count += 1;
            if found.agents.len() < limit {
                let id = self.fields.agent(&searcher, address)?;
                found.agents.extend(id.filter(|id| !is_known(id)));
            }
            Ok(())
        })?;
        Ok(found)
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
