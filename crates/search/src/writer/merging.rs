//! Merging of segments, and removal of deleted agents from them.

use super::{Build, IndexWriter};
use crate::directory::WriteError;
use tantivy::merge_policy::LogMergePolicy;

/// Number of segments of similar size that are merged into one. Each search walks every segment, so
/// fewer are faster to search, but each agent is rewritten more often.
pub(super) const MERGED: usize = 4;
/// Number of agents below which segments count as of equal size.
const SMALL: u32 = 10_000;
/// Share of deleted agents from which a segment is rewritten.
const DELETED: f32 = 0.3;

/// Returns the merge policy, which limits the number of segments: each commit of a crawl adds a
/// small one.
pub(super) fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED);
    policy.set_min_layer_size(SMALL);
    policy.set_del_docs_ratio_before_merge(DELETED);
    policy
}

impl IndexWriter {
    /// Rewrites every segment that still holds deleted agents, so that none of their data stays in
    /// any file.
    ///
    /// Takes some seconds for each 100,000 agents; does nothing without a current build.
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
            // This fails if the segment is being merged, which removes its deleted agents, too.
            if let Err(reason) = self.writer.merge(&[segment.id()]).wait() {
                tracing::debug!(%reason, "a segment was not rewritten because another merge includes it");
            }
        }
        self.writer.garbage_collect_files().wait()?;
        Ok(())
    }
}
