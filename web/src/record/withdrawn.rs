//! Agents and sites that are not shown, with the public reason.

use crate::error::AppError;
use crate::state::AppState;
use crate::view::statement::Statement;
use crate::view::time::Moment;
use manifest::{AgentId, Domain, Timestamp};
use store::{Exclusion, HiddenTarget};

/// Returns the error for an agent that the operator hides, or whose domain is excluded; `None` if it
/// is neither. It has the tombstone of an agent that was listed before.
pub(crate) async fn agent(
    state: &AppState,
    domain: &Domain,
    slug: &str,
) -> Result<Option<AppError>, AppError> {
    let id = AgentId::new(domain, slug);
    let now = (state.now)();
    let hidden = state.store.hidden(domain).await?;
    let hides = |it: &&HiddenTarget| it.target == id.as_str() || it.target == domain.as_str();
    let message = match hidden.iter().find(hides) {
        Some(hidden) => of_hidden(hidden, now),
        None => match state.store.exclusions_of(domain).await?.first() {
            Some(exclusion) => of_exclusion(exclusion, now),
            None => return Ok(None),
        },
    };
    let tombstone = state.store.tombstone(&id).await?.map(Box::new);
    Ok(Some(AppError::Withdrawn { message, tombstone }))
}

/// Returns the error for a site that is excluded; `None` if it is not.
pub(crate) async fn site(state: &AppState, domain: &Domain) -> Result<Option<AppError>, AppError> {
    let exclusions = state.store.exclusions_of(domain).await?;
    Ok(exclusions.first().map(|exclusion| AppError::Withdrawn {
        message: of_exclusion(exclusion, (state.now)()),
        tombstone: None,
    }))
}

/// Explains that agents are hidden.
pub(crate) fn of_hidden(hidden: &HiddenTarget, now: Timestamp) -> Statement {
    let HiddenTarget { target, reason, .. } = hidden;
    Statement::since(
        format!("The operator of this registry hides {target}"),
        Moment::of(hidden.since, now),
        format!(": {reason}"),
    )
}

/// Explains that a site is excluded.
fn of_exclusion(exclusion: &Exclusion, now: Timestamp) -> Statement {
    let target = exclusion.scope.target();
    let before = if exclusion.source.is_owner() {
        format!("{target} has left this registry")
    } else {
        format!("The operator of this registry excludes {target}")
    };
    let since = Moment::of(exclusion.since, now);
    Statement::since(before, since, format!(": {}", exclusion.reason))
}
