//! Opens an index anew that was damaged while it was followed.

use super::{Pipeline, PipelineError};
use crate::search::IndexWriter;

impl Pipeline {
    /// Opens the index anew when it was deleted or damaged under way; it is then built anew.
    pub(super) async fn restore(&mut self) -> Result<(), PipelineError> {
        let Err(reason) = self.on_writer(|writer| Ok(writer.check())).await? else {
            return Ok(());
        };
        tracing::warn!(index.path = %self.index_dir.display(), reason, "the index is damaged: {reason}");
        self.reopen().await
    }

    /// Takes the folder again, whatever is in it now.
    pub(super) async fn reopen(&mut self) -> Result<(), PipelineError> {
        let (before, dir, table) = (self.writer.take(), self.index_dir.clone(), self.table);
        let opened = tokio::task::spawn_blocking(move || {
            // Its lock goes first: the folder may still be there.
            drop(before);
            IndexWriter::open(&dir, table)
        });
        let opened = opened.await.map_err(|_| PipelineError::WriterGone)?;
        self.writer = Some(opened?);
        Ok(())
    }
}
