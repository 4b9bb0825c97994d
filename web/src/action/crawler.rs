//! Absence of a crawler, of which those that wait for one are told.

use crate::error::AppError;
use crate::state::AppState;
use manifest::Timestamp;
use std::time::Duration;

/// Time for which work may wait for a crawler that is busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// Sentence for a program whose request waits for a crawler.
pub(crate) const ABSENT: &str = "No crawler takes up work at the moment. The request is kept, and is \
     taken up as soon as one does.";

/// Returns the time since which work waits and no crawler takes any; `None` if none waits or one
/// takes it.
pub(crate) async fn absent_since(state: &AppState) -> Result<Option<Timestamp>, AppError> {
    let now = (state.now)();
    let since = state.store.untaken_since(now).await?;
    Ok(since.filter(|since| now.since(*since) >= PATIENCE))
}
