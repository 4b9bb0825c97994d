//! Whether an index that is being written is still there as it was written.

use super::super::folder::{self, Found};
use super::{Build, IndexWriter};
use tantivy::IndexMeta;

impl IndexWriter {
    /// Looks whether the index that is open is still there as it was written, and says what is not.
    ///
    /// Reads the files that are new since the last look; of the others it asks only whether they have changed.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Some(build) = &self.current else {
            return Ok(());
        };
        match folder::inspect(self.folder.root()) {
            Ok(Found::Ours(it)) if it.build == build.name && it.is_current(self.table) => {
                build.check()
            }
            Ok(_) => Err("its marker is gone or another one".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Build {
    /// Looks whether every file of the last commit is there as it was written, and says which is not.
    fn check(&self) -> Result<(), String> {
        let commit = || self.writer.index().load_metas();
        let mut last = commit().map_err(|it| it.to_string())?;
        loop {
            let is_ours = last.payload == Some(self.position.to_payload())
                && last.schema == self.writer.index().schema();
            if !is_ours {
                return Err("its last commit is another one".to_owned());
            }
            let result = self.files.check(&last);
            let now = commit().map_err(|it| it.to_string())?;
            // A merge that ended meanwhile took files away, and there are only so many segments to merge.
            let is_same = |it: &IndexMeta| it.list_segment_files() == last.list_segment_files();
            if result.is_ok() || is_same(&now) {
                return result;
            }
            last = now;
        }
    }
}
