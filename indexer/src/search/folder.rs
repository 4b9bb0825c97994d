//! The folder of an index: whose it is, which build in it counts, and who may write.
//!
//! ```text
//! data/index/agentdex-index.json   marks the folder as ours and names the current build
//! data/index/writer.lock           held by the indexer that writes, with its process id
//! data/index/build-7/              one Tantivy index
//! ```
//! A rebuild makes a new build and then replaces the marker in one rename, so a reader sees the old index whole
//! or the new one whole. A folder without the marker is never touched, unless it is empty.

use super::schema::Fields;
use super::semantic::Table;
use super::writer::WriteError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MARKER: &str = "agentdex-index.json";
const LOCK: &str = "writer.lock";
const KIND: &str = "agentdex-index";
const BUILD: &str = "build-";

/// What the marker says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    kind: String,
    /// [`Fields::VERSION`] of the current build.
    pub(crate) version: u32,
    /// Which table its vectors come from ([`Table::name`]); none when it has no vectors.
    #[serde(default)]
    pub(crate) table: Option<String>,
    /// Its folder.
    pub(crate) build: String,
}

/// What a folder holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing yet.
    Nothing,
    /// Other people's files.
    Foreign,
    /// Ours, but the marker cannot be read.
    Broken,
    /// Ours.
    Ours(Marker),
}

/// A folder under the lock of the one indexer that may write into it.
#[derive(Debug)]
pub(crate) struct LockedFolder {
    root: PathBuf,
    /// Held until the value is dropped; the system frees it when the process dies.
    _lock: File,
}

/// Looks at a folder without changing it.
pub(crate) fn inspect(root: &Path) -> io::Result<Found> {
    match fs::read(root.join(MARKER)) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)
            .ok()
            .filter(Marker::is_sound)
            .map_or(Found::Broken, Found::Ours)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let entries = match fs::read_dir(root) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
                Err(error) => return Err(error),
            };
            for entry in entries {
                // An indexer that died in its first moment leaves these.
                if entry?
                    .file_name()
                    .to_str()
                    .is_none_or(|name| !is_ours(name))
                {
                    return Ok(Found::Foreign);
                }
            }
            Ok(Found::Nothing)
        }
        Err(error) => Err(error),
    }
}

impl Marker {
    /// The folder of the build it names.
    pub(crate) fn path(&self, root: &Path) -> PathBuf {
        root.join(&self.build)
    }

    /// True for an index that this program would write with such a table.
    pub(crate) fn is_current(&self, table: Option<&Table>) -> bool {
        self.version == Fields::VERSION && self.table == table.map(Table::name)
    }

    /// A marker that names anything but a build of ours is not followed.
    fn is_sound(&self) -> bool {
        self.kind == KIND && build_number(&self.build).is_some()
    }
}

impl LockedFolder {
    /// Takes the folder for writing; makes it when it is missing.
    pub(crate) fn open(root: &Path) -> Result<Self, WriteError> {
        let failed = |source| WriteError::Folder {
            path: root.to_owned(),
            source,
        };
        if inspect(root).map_err(failed)? == Found::Foreign {
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

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Makes an empty folder for a new build.
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
    pub(crate) fn switch(&self, build: &str, table: Option<&Table>) -> io::Result<()> {
        let marker = Marker {
            kind: KIND.to_owned(),
            version: Fields::VERSION,
            table: table.map(Table::name),
            build: build.to_owned(),
        };
        let temporary = self.root.join(format!("{MARKER}.new"));
        let mut file = File::create(&temporary)?;
        serde_json::to_writer(&mut file, &marker)?;
        file.sync_all()?;
        fs::rename(&temporary, self.root.join(MARKER))?;
        File::open(&self.root)?.sync_all()
    }

    /// Deletes every build but one; what cannot be deleted now goes next time.
    pub(crate) fn sweep(&self, current: &str) {
        for name in self.builds().unwrap_or_default() {
            if name != current
                && let Err(error) = fs::remove_dir_all(self.root.join(&name))
            {
                tracing::warn!(build = name, %error, "an old build of the index stays for now");
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

fn is_ours(name: &str) -> bool {
    name == LOCK || name.starts_with(MARKER) || build_number(name).is_some()
}

fn build_number(name: &str) -> Option<u64> {
    name.strip_prefix(BUILD)?.parse().ok()
}
