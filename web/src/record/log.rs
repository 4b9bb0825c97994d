//! The public log of moderation, in pages.

use crate::error::AppError;
use crate::state::AppState;
use store::ModerationEntry;

/// Page of the log.
#[derive(Debug)]
pub(crate) struct LogPage {
    /// Newest first.
    pub(crate) entries: Vec<ModerationEntry>,
    /// Number before which the next page begins; `None` at the end.
    pub(crate) next: Option<u64>,
}

impl LogPage {
    /// Loads at most `limit` entries before number `before`.
    pub(crate) async fn load(
        state: &AppState,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Self, AppError> {
        let mut entries = state.store.moderation_log(before, limit + 1).await?;
        let has_more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        let next = entries.last().filter(|_| has_more).map(|it| it.id);
        Ok(Self { entries, next })
    }
}
