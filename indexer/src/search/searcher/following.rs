//! Follows the folder of an index: which build is searched, and as of which commit.

use super::super::files::{self, Stamp};
use super::super::folder::{self, Found};
use super::super::schema::Fields;
use super::super::semantic::Table;
use super::{SearchError, State};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};
use tantivy::TantivyError;

/// The index in a folder, shared by threads.
#[derive(Debug)]
pub(super) struct Following {
    root: PathBuf,
    table: Option<&'static Table>,
    known: Mutex<Known>,
    /// Held by the search that reads what is new.
    reading: Mutex<()>,
}

/// What the last look left.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    Open(Sight, State),
    /// Not read again before a file changes.
    Damaged(Damage),
}

/// A build that could not be opened.
#[derive(Clone, Debug)]
struct Damage {
    sight: Sight,
    files: BTreeMap<OsString, Stamp>,
    reason: TantivyError,
}

/// What the folder says of itself; costs two small reads.
#[derive(Clone, Debug, PartialEq)]
struct Sight {
    /// Folder of the current build.
    build: PathBuf,
    /// Which table its vectors come from.
    table: Option<String>,
    /// Tantivy's own list of segments.
    meta: Vec<u8>,
}

impl Known {
    /// The state, when it is the one seen.
    fn state(&self, sight: &Sight) -> Option<&State> {
        match self {
            Self::Open(seen, state) if seen == sight => Some(state),
            Self::Nothing | Self::Open(..) | Self::Damaged(_) => None,
        }
    }
}

impl Following {
    pub(super) fn new(root: &Path, table: Option<&'static Table>) -> Self {
        Self {
            root: root.to_owned(),
            table,
            known: Mutex::new(Known::Nothing),
            reading: Mutex::new(()),
        }
    }

    /// The newest state of the index.
    pub(super) fn state(&self) -> Result<State, SearchError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.attempt() {
                // The build may have been replaced between the look at the marker and the opening.
                Err(SearchError::Damaged { .. } | SearchError::Unreadable { .. })
                    if attempts < 3 => {}
                result => return result,
            }
        }
    }

    /// The error for an index whose files cannot be used.
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
            // Another search reads what is new. What was true a moment ago is answered meanwhile.
            (Err(TryLockError::WouldBlock), Known::Open(_, state)) => return Ok(state),
            (Err(TryLockError::WouldBlock), Known::Nothing | Known::Damaged(_)) => {
                self.reading.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        let before = self.known();
        if let Some(state) = before.state(&sight) {
            return Ok(state.clone());
        }
        let files = files::inventory(&sight.build);
        if let Known::Damaged(damage) = &before
            && damage.sight == sight
            && damage.files == files
        {
            return Err(self.damaged(damage.reason.clone()));
        }
        let opened = contained(|| self.open(before, &sight));
        let known = match &opened {
            Ok(state) => Known::Open(sight, state.clone()),
            Err(reason) => Known::Damaged(Damage {
                sight,
                files,
                reason: reason.clone(),
            }),
        };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = known;
        opened.map_err(|source| self.damaged(source))
    }

    fn look(&self) -> Result<Sight, SearchError> {
        let path = || self.root.clone();
        let unreadable = |source| SearchError::Unreadable {
            path: path(),
            source,
        };
        let marker = match folder::inspect(&self.root).map_err(unreadable)? {
            Found::Ours(marker) => marker,
            Found::Nothing | Found::Broken => return Err(SearchError::NotBuilt { path: path() }),
            Found::Foreign => return Err(SearchError::Foreign { path: path() }),
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
        Ok(Sight {
            build,
            table: marker.table,
            meta,
        })
    }

    fn open(&self, before: Known, sight: &Sight) -> tantivy::Result<State> {
        match before {
            Known::Open(seen, state) if seen.build == sight.build && seen.table == sight.table => {
                state.reloaded()
            }
            Known::Nothing | Known::Open(..) | Known::Damaged(_) => {
                let is_same = |it: &&Table| sight.table == Some(it.name());
                State::open(&sight.build, self.table.filter(is_same))
            }
        }
    }

    fn known(&self) -> Known {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Does something with files that Tantivy takes at their word: where it stumbles, they are damaged.
pub(super) fn contained<T>(work: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = "reading the index panicked; standard error says where";
        Err(TantivyError::InternalError(message.to_owned()))
    })
}
