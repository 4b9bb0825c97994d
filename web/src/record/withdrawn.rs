//! Agents and sites that are not shown, with the public reason.

use crate::error::AppError;
use crate::state::AppState;
use crate::view::statement::Statement;
use crate::view::time::Moment;
use manifest::{AgentId, Domain, Timestamp};
use store::{Exclusion, ExclusionSource, HiddenTarget, Tombstone};

/// Title of a page that says that an agent is hidden.
const HIDDEN: &str = "Hidden by the operator";

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
    let tombstone = state.store.tombstone(&id).await?.map(Box::new);
    if let Some(hidden) = hidden.iter().find(hides) {
        return Ok(Some(AppError::Withdrawn {
            title: HIDDEN.to_owned(),
            way_back: None,
            message: of_hidden(hidden, now),
            tombstone,
        }));
    }
    let exclusions = state.store.exclusions_of(domain).await?;
    Ok(exclusions.first().map(|it| excluded(it, tombstone, now)))
}

/// Returns the error for a site that is excluded; `None` if it is not.
pub(crate) async fn site(state: &AppState, domain: &Domain) -> Result<Option<AppError>, AppError> {
    let exclusions = state.store.exclusions_of(domain).await?;
    let now = (state.now)();
    Ok(exclusions.first().map(|it| excluded(it, None, now)))
}

/// Returns the error for what is excluded.
fn excluded(exclusion: &Exclusion, tombstone: Option<Box<Tombstone>>, now: Timestamp) -> AppError {
    let name = exclusion.scope.name();
    let can_return = exclusion.source == ExclusionSource::Owner;
    AppError::Withdrawn {
        title: title(exclusion),
        way_back: can_return.then(|| name.to_owned()),
        message: of_exclusion(exclusion, now),
        tombstone,
    }
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

/// Returns the title of a page that says that a site is excluded.
fn title(exclusion: &Exclusion) -> String {
    let name = exclusion.scope.name();
    let name = Domain::parse(name).map_or_else(|_| name.to_owned(), |it| it.to_unicode());
    if exclusion.source.is_owner() {
        format!("{name} has left")
    } else {
        format!("{name} is excluded")
    }
}

/// Explains that a site is excluded.
fn of_exclusion(exclusion: &Exclusion, now: Timestamp) -> Statement {
    let target = exclusion.scope.target();
    let since = Moment::of(exclusion.since, now);
    let reason = format!(": {}", exclusion.reason);
    if exclusion.source.is_owner() {
        Statement::at(format!("{target} left this registry"), since, reason)
    } else {
        let before = format!("The operator of this registry excludes {target}");
        Statement::since(before, since, reason)
    }
}
