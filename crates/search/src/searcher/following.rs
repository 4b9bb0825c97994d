//! Tracking of an index directory: its current build, and the latest commit.

use super::generations::Generations;
use super::{SearchError, State};
use crate::directory::{self, Contents, Marker};
use crate::embedding::Models;
use crate::files::{self, Stamp};
use crate::position::Position;
use crate::schema::Fields;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Instant;
use tantivy::TantivyError;

/// An index in a directory, shared by threads.
#[derive(Debug)]
pub(super) struct IndexFollower {
    root: PathBuf,
    models: Option<Models>,
    known: Mutex<LastAttempt>,
    /// Lock of the search that loads the new state.
    reading: Mutex<()>,
    /// Generations that answers with a next page came from.
    kept: Mutex<Generations<State>>,
}

/// Result of the last attempt to open the index.
#[derive(Clone, Debug)]
enum LastAttempt {
    Nothing,
    Open(Snapshot, State),
    /// A build that is not opened again until one of its files or the marker changes.
    Damaged(Damage),
}

/// A build that could not be opened.
#[derive(Clone, Debug)]
struct Damage {
    sight: Snapshot,
    files: BTreeMap<OsString, Stamp>,
    reason: TantivyError,
}

/// Contents of the marker and of `meta.json`, which change with each rebuild or commit.
#[derive(Clone, Debug, PartialEq)]
struct Snapshot {
    /// Directory of the current build.
    build: PathBuf,
    marker: Marker,
    /// Tantivy's own list of segments.
    meta: Vec<u8>,
}

impl LastAttempt {
    /// Returns the open state if the directory has not changed since.
    fn state(&self, sight: &Snapshot) -> Option<&State> {
        match self {
            Self::Open(seen, state) if seen == sight => Some(state),
            Self::Nothing | Self::Open(..) | Self::Damaged(_) => None,
        }
    }
}

impl IndexFollower {
    pub(super) fn new(root: &Path, models: Option<Models>) -> Self {
        Self {
            root: root.to_owned(),
            models,
            known: Mutex::new(LastAttempt::Nothing),
            reading: Mutex::new(()),
            kept: Mutex::default(),
        }
    }

    /// Returns the directory.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the newest state of the index, or the previous one while another search loads the
    /// newest.
    pub(super) fn state(&self) -> Result<State, SearchError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.attempt() {
                // The build may have been deleted between reading the marker and opening it.
                Err(SearchError::Damaged { .. } | SearchError::Unreadable { .. })
                    if attempts < 3 => {}
                result => return result,
            }
        }
    }

    /// Returns the generation of the last commit, without opening it.
    pub(super) fn committed(&self) -> Result<u64, SearchError> {
        #[derive(serde::Deserialize)]
        struct Meta {
            payload: Option<String>,
        }
        let meta: Meta = serde_json::from_slice(&self.look()?.meta)
            .map_err(|error| self.damaged(TantivyError::InternalError(error.to_string())))?;
        let position = Position::parse(meta.payload.as_deref());
        Ok(position.map_or(0, |position| position.seq))
    }

    /// Returns the state of an earlier version, if it is kept.
    pub(super) fn kept(&self, version: (u64, u64)) -> Option<State> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(version, Instant::now())
    }

    /// Keeps `state` for the next pages of its answers.
    pub(super) fn keep(&self, state: State) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.put(state.version(), state, Instant::now());
    }

    /// Returns the error for an index whose files cannot be used.
    pub(super) fn damaged(&self, source: TantivyError) -> SearchError {
        SearchError::Damaged {
            path: self.root.clone(),
            source,
        }
    }

    fn attempt(&self) -> Result<State, SearchError> {
        let sight = self.look()?;
        let before = self.known();
        if let Some(state) = before.state(&sight) {
            return Ok(state.clone());
        }
        let _reading = match (self.reading.try_lock(), before) {
            (Ok(guard), _) => guard,
            (Err(TryLockError::Poisoned(guard)), _) => guard.into_inner(),
            // Another search is loading the new state. Meanwhile the previous state is used.
            (Err(TryLockError::WouldBlock), LastAttempt::Open(_, state)) => return Ok(state),
            (Err(TryLockError::WouldBlock), LastAttempt::Nothing | LastAttempt::Damaged(_)) => {
                self.reading.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        let before = self.known();
        if let Some(state) = before.state(&sight) {
            return Ok(state.clone());
        }
        let files = files::inventory(&sight.build);
        if let LastAttempt::Damaged(damage) = &before
            && damage.sight == sight
            && damage.files == files
        {
            return Err(self.damaged(damage.reason.clone()));
        }
        let opened = contained(|| self.open(before, &sight));
        let known = match &opened {
            Ok(state) => LastAttempt::Open(sight, state.clone()),
            Err(reason) => LastAttempt::Damaged(Damage {
                sight,
                files,
                reason: reason.clone(),
            }),
        };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = known;
        opened.map_err(|source| self.damaged(source))
    }

    fn look(&self) -> Result<Snapshot, SearchError> {
        let path = || self.root.clone();
        let unreadable = |source| SearchError::Unreadable {
            path: path(),
            source,
        };
        let marker = match directory::inspect(&self.root).map_err(unreadable)? {
            Contents::Ours(marker) => marker,
            Contents::Nothing | Contents::Broken => {
                return Err(SearchError::NotBuilt { path: path() });
            }
            Contents::Foreign => return Err(SearchError::Foreign { path: path() }),
        };
        if marker.version != Fields::VERSION {
            return Err(SearchError::OtherVersion {
                path: path(),
                found: marker.version,
                wanted: Fields::VERSION,
            });
        }
        let build = marker.path(&self.root);
        let meta = std::fs::read(build.join("meta.json")).map_err(unreadable)?;
        Ok(Snapshot {
            build,
            marker,
            meta,
        })
    }

    fn open(&self, before: LastAttempt, sight: &Snapshot) -> tantivy::Result<State> {
        match before {
            LastAttempt::Open(seen, state) if seen.marker == sight.marker => state.reloaded(),
            LastAttempt::Nothing | LastAttempt::Open(..) | LastAttempt::Damaged(_) => {
                // A second build doubles the memory in use; earlier generations would add to it.
                let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.clear();
                drop(kept);
                State::open(&sight.build, sight.marker.usable(self.models))
            }
        }
    }

    fn known(&self) -> LastAttempt {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Runs work that reads index files, and converts a panic to an error: Tantivy trusts the contents
/// of its files and may panic if they are damaged.
pub(super) fn contained<T>(work: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = "reading the index panicked; the panic message is on standard error";
        Err(TantivyError::InternalError(message.to_owned()))
    })
}
