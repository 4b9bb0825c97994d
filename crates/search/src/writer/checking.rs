//! Integrity checks of an index that is open for writing.

use super::{Build, IndexWriter};
use crate::directory::{self, Contents};
use tantivy::IndexMeta;

impl IndexWriter {
    /// Checks that the open index is unchanged on disk; returns a description of the first fault.
    ///
    /// Reads the files that are new or changed since the last check; of the others it compares only
    /// the stamps. Succeeds without a current build.
    pub fn check(&self) -> Result<(), String> {
        let Some(build) = &self.current else {
            return Ok(());
        };
        match directory::inspect(self.folder.root()) {
            Ok(Contents::Ours(it)) if it.build == build.name && it.is_current(self.models) => {
                build.check()
            }
            Ok(_) => Err("its marker is missing or describes another build".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Build {
    /// Checks that every file of the last commit is unchanged; returns a description of the first
    /// fault.
    fn check(&self) -> Result<(), String> {
        let commit = || self.writer.index().load_metas();
        let mut last = commit().map_err(|it| it.to_string())?;
        loop {
            let is_ours = last.payload == Some(self.position.to_payload())
                && last.schema == self.writer.index().schema();
            if !is_ours {
                return Err("its last commit was made by another process".to_owned());
            }
            let result = self.files.check(&last);
            let now = commit().map_err(|it| it.to_string())?;
            // A merge may have deleted files during the check, which is then repeated. Each merge
            // leaves fewer segments, so the number of repetitions is bounded.
            let is_same = |it: &IndexMeta| it.list_segment_files() == last.list_segment_files();
            if result.is_ok() || is_same(&now) {
                return result;
            }
            last = now;
        }
    }
}
