//! Errors of backups, worded for the operator.

use crate::StoreError;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a backup cannot be made or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// There is nothing to back up.
    #[error("there is no database at {0}: name another with --database")]
    NoDatabase(String),
    /// A restored database would replace another file.
    #[error("{} exists already, and restoring never overwrites: give another --database, or move it away", .0.display())]
    Exists(PathBuf),
    /// A backup would replace a file that is none.
    #[error("{} exists and is no backup, so it is not replaced: give the backup another name, or move the file away", .0.display())]
    NoBackup(PathBuf),
    /// The file is something else.
    #[error("{} is not a backup of Agentdex: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The difference to a backup.
        reason: String,
    },
    /// The end of the file is missing.
    #[error("backup {} is cut off after {bytes} bytes: copy it again, or use another one", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The content of the file is not as it was written.
    #[error("backup {} is damaged: {reason}; copy it again, or use another one", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        reason: String,
    },
    /// A newer program made the backup.
    #[error("backup {} is newer than this program ({what}): update the program", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version that is not known here.
        what: String,
    },
    /// The system refused to read or write a file.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// Operation.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A folder takes no files.
    #[error("no file can be written in {}: give a path in a folder that exists and that this user may write to", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The thread that works on the files panicked; its message is on standard error.
    #[error("the work on the backup stopped")]
    Stopped,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns a conversion of errors of the system.
pub(super) fn while_doing(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::File {
        doing,
        path: path.clone(),
        source,
    }
}
