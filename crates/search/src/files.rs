//! Files of a build as Tantivy reads them: with verified checksums, and never mapped into memory.
//!
//! If a memory-mapped file is truncated, reading it ends the process with SIGBUS. Here truncation
//! is an error at most: a searcher holds every file in memory, so that later changes on disk do not
//! affect its answers. A writer reads each file in parts, and notices when another process wrote to
//! it.
//!
//! Every file of a segment ends in a checksum that Tantivy does not verify by itself. It is
//! verified here when a file is opened, once for each state of the file as identified by its
//! [`Stamp`].

use serde_json::from_slice;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::{fmt, io};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::footer::Footer;
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, FileSlice, Lock, MmapDirectory, OwnedBytes,
    WatchCallback, WatchHandle, WritePtr,
};
use tantivy::index::SegmentComponent;
use tantivy::{HasLen, IndexMeta, SegmentMeta};

/// Tantivy's list of the files that it created, and deletes once no commit uses them.
const MANAGED: &str = ".managed.json";

/// Way in which files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Whole, once: a searcher keeps its files in memory.
    Whole,
    /// In parts: a writer reads every file a few times at most, sequentially.
    Parts,
}

/// Directory of a build.
#[derive(Clone)]
pub(crate) struct Files {
    root: Arc<Path>,
    reading: Access,
    /// Directory for writes, locks and atomic reads, which do not map the file.
    writing: MmapDirectory,
    /// Open files; clones share them, so that each file is in memory once.
    used: Arc<Mutex<HashMap<PathBuf, Weak<dyn FileHandle>>>>,
    /// Files with a verified checksum, and their stamps at that time.
    verified: Arc<Mutex<HashMap<PathBuf, Stamp>>>,
}

/// Attributes that change when a file is written to, truncated or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    inode: u64,
    modified: (i64, i64),
}

/// A file that is read in parts.
#[derive(Debug)]
struct Parts {
    file: File,
    stamp: Stamp,
}

/// Lists the files of a build's directory with their stamps; empty if the directory cannot be read.
pub(crate) fn inventory(build: &Path) -> BTreeMap<OsString, Stamp> {
    let entries = fs::read_dir(build).into_iter().flatten().flatten();
    let stamped = entries.filter_map(|it| Some((it.file_name(), Stamp::of(&it.metadata().ok()?))));
    stamped.collect()
}

impl Stamp {
    fn of(data: &Metadata) -> Self {
        Self {
            length: data.len(),
            inode: data.ino(),
            modified: (data.mtime(), data.mtime_nsec()),
        }
    }
}

impl HasLen for Parts {
    fn len(&self) -> usize {
        usize::try_from(self.stamp.length).unwrap_or(usize::MAX)
    }
}

impl FileHandle for Parts {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        // Checked after the read, so that a write before or during it is noticed.
        if Stamp::of(&self.file.metadata()?) == self.stamp {
            Ok(OwnedBytes::new(bytes))
        } else {
            Err(damaged("it was written to while it was in use"))
        }
    }
}

impl Files {
    /// Opens the files in an existing directory.
    pub(crate) fn open(root: &Path, reading: Access) -> tantivy::Result<Self> {
        Ok(Self {
            root: root.into(),
            reading,
            writing: MmapDirectory::open(root)?,
            used: Arc::default(),
            verified: Arc::default(),
        })
    }

    /// Checks that all files of a commit are present and intact; returns a description of the first
    /// fault.
    ///
    /// Files that were verified before and have not changed since are not read again.
    pub(crate) fn check(&self, commit: &IndexMeta) -> Result<(), String> {
        let managed = fs::read(self.root.join(MANAGED)).unwrap_or_default();
        let managed: HashSet<PathBuf> = from_slice(&managed).unwrap_or_default();
        for path in commit.segments.iter().flat_map(files_of) {
            let fault = |what: &dyn fmt::Display| format!("{}: {what}", path.display());
            // Tantivy would never delete a file that is not in the list.
            if !managed.contains(&path) {
                return Err(fault(&format_args!("it is missing from {MANAGED}")));
            }
            let file = fs::metadata(self.root.join(&path)).map_err(|it| fault(&it))?;
            if self.verified().get(&path) != Some(&Stamp::of(&file)) {
                self.read(&path, Access::Parts).map_err(|it| fault(&it))?;
            }
        }
        Ok(())
    }

    /// Opens a file, and verifies its checksum unless that was done for its current stamp.
    fn read(&self, path: &Path, reading: Access) -> io::Result<Arc<dyn FileHandle>> {
        let file = File::open(self.root.join(path))?;
        let stamp = Stamp::of(&file.metadata()?);
        let is_verified = self.verified().get(path) == Some(&stamp);
        let parts = Parts { file, stamp };
        let handle: Arc<dyn FileHandle> = match reading {
            Access::Whole => Arc::new(parts.read_bytes(0..parts.len())?),
            Access::Parts => Arc::new(parts),
        };
        if !is_verified {
            check(Arc::clone(&handle))?;
            self.verified().insert(path.to_owned(), stamp);
        }
        Ok(handle)
    }

    fn used(&self) -> MutexGuard<'_, HashMap<PathBuf, Weak<dyn FileHandle>>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn verified(&self) -> MutexGuard<'_, HashMap<PathBuf, Stamp>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists the files of a segment.
fn files_of(segment: &SegmentMeta) -> Vec<PathBuf> {
    let mut parts = vec![
        SegmentComponent::Terms,
        SegmentComponent::Postings,
        SegmentComponent::Positions,
        SegmentComponent::FastFields,
        SegmentComponent::FieldNorms,
        SegmentComponent::Store,
    ];
    if segment.has_deletes() {
        parts.push(SegmentComponent::Delete);
    }
    let parts = parts.into_iter();
    parts.map(|it| segment.relative_path(it)).collect()
}

/// Compares the checksum at the end of a file with the bytes before it.
fn check(file: Arc<dyn FileHandle>) -> io::Result<()> {
    let (footer, body) = Footer::extract_footer(FileSlice::new(file))?;
    let mut hasher = crc32fast::Hasher::new();
    for chunk in body.stream_file_chunks() {
        hasher.update(&chunk?);
    }
    if hasher.finalize() == footer.crc {
        Ok(())
    } else {
        Err(damaged("its checksum is wrong"))
    }
}

fn damaged(how: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, how)
}

impl fmt::Debug for Files {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Files")
            .field("root", &self.root)
            .field("reading", &self.reading)
            .finish_non_exhaustive()
    }
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        if let Some(handle) = self.used().get(path).and_then(Weak::upgrade) {
            return Ok(handle);
        }
        let opened = self.read(path, self.reading);
        // Reported as an I/O error, not as a missing file: Tantivy would continue without
        // positions.
        let handle = opened.map_err(|it| OpenReadError::wrap_io_error(it, path.to_owned()))?;
        let mut used = self.used();
        used.retain(|_, it| it.strong_count() > 0);
        used.insert(path.to_owned(), Arc::downgrade(&handle));
        Ok(handle)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.verified().remove(path);
        self.writing.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.writing.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.writing.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.writing.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.writing.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.writing.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.writing.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.writing.watch(callback)
    }
}
