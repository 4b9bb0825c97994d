//! Agents and sites that are not shown, with the public reason.

use crate::error::AppError;
use crate::state::AppState;
use manifest::{AgentId, Domain};
use store::{Exclusion, Hidden};

/// Returns the error for an agent that the operator hides, or whose domain is excluded; `None` if it
/// is neither.
pub(crate) async fn agent(
    state: &AppState,
    domain: &Domain,
    slug: &str,
) -> Result<Option<AppError>, AppError> {
    let id = AgentId::new(domain, slug);
    let hidden = state.store.hidden(domain).await?;
    let hides = |it: &&Hidden| it.target == id.as_str() || it.target == domain.as_str();
    if let Some(hidden) = hidden.iter().find(hides) {
        return Ok(Some(AppError::Withdrawn(of_hidden(hidden))));
    }
    site(state, domain).await
}

/// Returns the error for a site that is excluded; `None` if it is not.
pub(crate) async fn site(state: &AppState, domain: &Domain) -> Result<Option<AppError>, AppError> {
    let exclusions = state.store.exclusions_of(domain).await?;
    let exclusion = exclusions.first().map(of_exclusion);
    Ok(exclusion.map(AppError::Withdrawn))
}

/// Explains that agents are hidden.
pub(crate) fn of_hidden(hidden: &Hidden) -> String {
    let Hidden { target, reason, .. } = hidden;
    format!("The operator of this registry hides {target}: {reason}")
}

/// Explains that a site is excluded.
fn of_exclusion(exclusion: &Exclusion) -> String {
    let target = exclusion.scope.target();
    let reason = &exclusion.reason;
    if exclusion.source.is_owner() {
        format!("{target} has left this registry: {reason}")
    } else {
        format!("The operator of this registry excludes {target}: {reason}")
    }
}
