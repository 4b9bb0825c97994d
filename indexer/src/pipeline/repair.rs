//! Recovery of an index that was damaged while the pipeline was running.

use super::{Pipeline, PipelineError};
use search::IndexWriter;

impl Pipeline {
    /// Reopens the index if it was deleted or damaged while running; the next step then rebuilds it.
    pub(super) async fn restore(&mut self) -> Result<(), PipelineError> {
        let Err(reason) = self.on_writer(|writer| Ok(writer.check())).await? else {
            return Ok(());
        };
        tracing::warn!(index.path = %self.index_dir.display(), reason, "the index is damaged: {reason}");
        self.reopen().await
    }

    /// Reopens the index directory, whatever its state.
    pub(super) async fn reopen(&mut self) -> Result<(), PipelineError> {
        let (before, dir, models) = (self.writer.take(), self.index_dir.clone(), self.models);
        let opened = tokio::task::spawn_blocking(move || {
            // The lock is released first, as the directory may still exist.
            drop(before);
            IndexWriter::open(&dir, models)
        });
        let opened = opened.await.map_err(|_| PipelineError::WriterGone)?;
        self.writer = Some(opened?);
        Ok(())
    }
}
