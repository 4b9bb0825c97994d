//! When segments are merged, and how what has left is taken out of them.

use super::{Build, IndexWriter, WriteError};
use tantivy::merge_policy::LogMergePolicy;

/// Segments of about one size that are merged into one. Each search walks every segment, so fewer are faster to
/// search, and each agent is written again more often.
pub(super) const MERGED: usize = 4;
/// Segments of fewer agents count as of one size.
const SMALL: u32 = 10_000;
/// Share of deleted agents from which a segment is written anew.
const DELETED: f32 = 0.3;

/// When segments are merged: a crawl makes a small one with each commit, and searches must not feel it.
pub(super) fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED);
    policy.set_min_layer_size(SMALL);
    policy.set_del_docs_ratio_before_merge(DELETED);
    policy
}

impl IndexWriter {
    /// Writes every segment anew that still holds deleted agents, so that nothing of them stays in any file.
    ///
    /// Takes some seconds for each 100,000 agents; without a current build nothing happens.
    pub fn purge(&mut self) -> Result<(), WriteError> {
        let Some(build) = &mut self.current else {
            return Ok(());
        };
        let result = build.purge();
        result.map_err(|source| self.index_error(source))
    }
}

impl Build {
    fn purge(&mut self) -> tantivy::Result<()> {
        for segment in self.writer.index().searchable_segment_metas()? {
            if segment.num_deleted_docs() == 0 {
                continue;
            }
            // One that is being merged at this moment loses them there.
            if let Err(reason) = self.writer.merge(&[segment.id()]).wait() {
                tracing::debug!(%reason, "a segment is purged by another merge");
            }
        }
        self.writer.garbage_collect_files().wait()?;
        Ok(())
    }
}
