//! Recovery of an index that was damaged while it was in use.

use super::{FollowError, Follower};
use crate::IndexWriter;

impl Follower {
    /// Reopens the index if it was deleted or damaged while running; the next step then rebuilds it.
    pub async fn restore(&mut self) -> Result<(), FollowError> {
        let Err(reason) = self.on_writer(|writer| Ok(writer.check())).await? else {
            return Ok(());
        };
        tracing::warn!(index.path = %self.index_dir.display(), reason, "the index is damaged: {reason}");
        self.reopen().await
    }

    /// Reopens the index directory, whatever its state.
    pub async fn reopen(&mut self) -> Result<(), FollowError> {
        let (before, dir, models) = (self.writer.take(), self.index_dir.clone(), self.models);
        let opened = tokio::task::spawn_blocking(move || {
            // The lock is released first, as the directory may still exist.
            drop(before);
            IndexWriter::open(&dir, models)
        });
        let opened = opened.await.map_err(|_| FollowError::WriterGone)?;
        self.writer = Some(opened?);
        Ok(())
    }
}
