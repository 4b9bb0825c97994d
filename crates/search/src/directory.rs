//! Directory of an index: its marker, the current build, and the lock of its writer.
//!
//! ```text
//! data/index/agentdex-index.json   marks the directory as an index and names the current build
//! data/index/writer.lock           held by the indexer that writes, with its process id
//! data/index/build-7/              one Tantivy index
//! ```
//! A rebuild makes a new build and then replaces the marker in one rename, so a reader sees either
//! the whole old index or the whole new one. A directory without the marker is changed only if it
//! is empty or holds nothing but the remains of an interrupted first build.

use super::agent_vectors::COMPOSITION;
use super::embedding::Models;
use super::schema::Fields;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MARKER: &str = "agentdex-index.json";
const LOCK: &str = "writer.lock";
const KIND: &str = "agentdex-index";
const BUILD: &str = "build-";

/// Contents of the marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    kind: String,
    /// [`Fields::VERSION`] of the current build.
    pub(crate) version: u32,
    /// Name of the embedding table of its vectors; none if it has no vectors.
    #[serde(default)]
    pub(crate) table: Option<String>,
    /// Versions of the sentence encoder and of the way its vectors become those of agents.
    #[serde(default)]
    pub(crate) encoder: Option<(u32, u32)>,
    /// Directory of the current build.
    pub(crate) build: String,
}

/// Contents of a directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// No files, or only those of an interrupted first build.
    Nothing,
    /// Files of another program.
    Foreign,
    /// An index whose marker cannot be read.
    Broken,
    /// An index.
    Ours(Marker),
}

/// Error of opening or writing an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The directory holds files of another program.
    #[error(
        "'{path}' holds other files and is not an index: pass an empty or new directory as --index"
    )]
    Foreign {
        /// Path of the directory.
        path: PathBuf,
    },
    /// Another indexer holds the lock.
    #[error(
        "the index at '{path}' is being written by another indexer ({holder}): stop that one first"
    )]
    Locked {
        /// Path of the directory.
        path: PathBuf,
        /// Process that holds the lock.
        holder: String,
    },
    /// The directory cannot be created, read or written.
    #[error("cannot write the index at '{path}'")]
    Folder {
        /// Path of the directory.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Tantivy cannot write, in most cases because the disk is full.
    #[error("cannot write the index at '{path}'; is the disk full?")]
    Index {
        /// Path of the directory.
        path: PathBuf,
        /// Cause.
        source: tantivy::TantivyError,
    },
}

/// A directory locked by the one indexer that may write to it.
#[derive(Debug)]
pub(crate) struct LockedFolder {
    root: PathBuf,
    /// Lock, held until the value is dropped; the system releases it when the process dies.
    _lock: File,
}

/// Inspects a directory without changing it.
pub(crate) fn inspect(root: &Path) -> io::Result<Contents> {
    match fs::read(root.join(MARKER)) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)
            .ok()
            .filter(Marker::is_sound)
            .map_or(Contents::Broken, Contents::Ours)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let entries = match fs::read_dir(root) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Contents::Nothing);
                }
                Err(error) => return Err(error),
            };
            for entry in entries {
                // An indexer that was killed before its first build was complete leaves these.
                if entry?
                    .file_name()
                    .to_str()
                    .is_none_or(|name| !is_ours(name))
                {
                    return Ok(Contents::Foreign);
                }
            }
            Ok(Contents::Nothing)
        }
        Err(error) => Err(error),
    }
}

impl Marker {
    /// Returns the directory of the build that the marker names.
    pub(crate) fn path(&self, root: &Path) -> PathBuf {
        root.join(&self.build)
    }

    /// Reports whether this program, with these models, would write such an index.
    pub(crate) fn is_current(&self, models: Option<Models>) -> bool {
        self.version == Fields::VERSION
            && self.table == models.map(|it| it.table.name())
            && self.encoder == models.and_then(encoder_version)
    }

    /// Returns those of the models that the vectors of the index are from.
    pub(crate) fn usable(&self, models: Option<Models>) -> Option<Models> {
        let models = models.filter(|it| self.table == Some(it.table.name()))?;
        let is_same = self.encoder.is_some() && self.encoder == encoder_version(models);
        Some(Models {
            encoder: models.encoder.filter(|_| is_same),
            ..models
        })
    }

    /// Reports whether the marker is of an index and names a build, not some other path.
    fn is_sound(&self) -> bool {
        self.kind == KIND && build_number(&self.build).is_some()
    }
}

impl LockedFolder {
    /// Locks the directory for writing; creates it if it is missing.
    pub(crate) fn open(root: &Path) -> Result<Self, WriteError> {
        let failed = |source| WriteError::Folder {
            path: root.to_owned(),
            source,
        };
        if inspect(root).map_err(failed)? == Contents::Foreign {
            return Err(WriteError::Foreign {
                path: root.to_owned(),
            });
        }
        fs::create_dir_all(root).map_err(failed)?;
        let mut lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(root.join(LOCK))
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(root.join(LOCK)).unwrap_or_default();
                return Err(WriteError::Locked {
                    path: root.to_owned(),
                    holder: holder.trim().to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        lock.set_len(0)
            .and_then(|()| writeln!(lock, "process {}", std::process::id()))
            .map_err(failed)?;
        Ok(Self {
            root: root.to_owned(),
            _lock: lock,
        })
    }

    /// Returns the directory itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Creates an empty directory for a new build.
    pub(crate) fn new_build(&self) -> io::Result<(String, PathBuf)> {
        let last = self
            .builds()?
            .iter()
            .filter_map(|name| build_number(name))
            .max();
        let name = format!(
            "{BUILD}{}",
            last.map_or(1, |number| number.saturating_add(1))
        );
        let path = self.root.join(&name);
        fs::create_dir(&path)?;
        Ok((name, path))
    }

    /// Makes a finished build the current one; readers follow at their next search.
    pub(crate) fn switch(&self, build: &str, models: Option<Models>) -> io::Result<()> {
        let marker = Marker {
            kind: KIND.to_owned(),
            version: Fields::VERSION,
            table: models.map(|it| it.table.name()),
            encoder: models.and_then(encoder_version),
            build: build.to_owned(),
        };
        let temporary = self.root.join(format!("{MARKER}.new"));
        let mut file = File::create(&temporary)?;
        serde_json::to_writer(&mut file, &marker)?;
        file.sync_all()?;
        fs::rename(&temporary, self.root.join(MARKER))?;
        File::open(&self.root)?.sync_all()
    }

    /// Deletes every build but one; a failed deletion is tried again next time.
    pub(crate) fn sweep(&self, current: &str) {
        for name in self.builds().unwrap_or_default() {
            if name != current
                && let Err(error) = fs::remove_dir_all(self.root.join(&name))
            {
                tracing::warn!(build = name, %error, "cannot delete an old build of the index");
            }
        }
    }

    fn builds(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let name = entry?.file_name();
            names.extend(
                name.to_str()
                    .filter(|name| build_number(name).is_some())
                    .map(str::to_owned),
            );
        }
        Ok(names)
    }
}

fn encoder_version(models: Models) -> Option<(u32, u32)> {
    models.encoder.map(|_| (encoder::VERSION, COMPOSITION))
}

fn is_ours(name: &str) -> bool {
    name == LOCK || name.starts_with(MARKER) || build_number(name).is_some()
}

fn build_number(name: &str) -> Option<u64> {
    name.strip_prefix(BUILD)?.parse().ok()
}
