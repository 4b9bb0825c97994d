//! Neighbours of an agent: its category, and agents of other sites that are similar to it.

use crate::error::AppError;
use crate::state::AppState;
use manifest::AgentId;
use search::Category;
use store::StoredAgent;

/// Number of similar agents that are shown.
const SIMILAR: usize = 3;

/// The category of an agent, and agents that are similar to it.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    pub(crate) category: Option<&'static Category>,
    /// The nearest first.
    pub(crate) similar: Vec<StoredAgent>,
}

/// Loads the neighbours of an agent.
pub(crate) async fn neighbours(state: &AppState, id: &AgentId) -> Result<Neighbours, AppError> {
    let found = state.neighbours(id, SIMILAR).await?;
    Ok(Neighbours {
        category: found.category,
        similar: state.store.agents_by_id(&found.similar).await?,
    })
}
