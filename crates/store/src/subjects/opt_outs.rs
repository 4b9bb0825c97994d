//! Opt-outs that a visit read in robots.txt: in effect with the record of the visit (P4).

use super::changes::withdraw_removed;
use super::moderation::log;
use super::{Connection, exclusions};
use crate::model::{ExclusionSource, ModerationAction, Outcome, Visit};
use crate::sql::moderation as sql;

/// Public reason for the end of an opt-out.
const RETURNED: &str = "robots.txt no longer opts out";

/// Deletes agents and documents of the domains that opted out with these visits, by row id of the
/// domain, and logs opt-outs and returns.
pub(super) async fn obey(
    connection: &mut Connection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    for (domain_id, visit) in visits {
        if visit.outcome == Outcome::OptedOut {
            leave(connection, *domain_id, visit).await?;
        } else if visit.lease.last_outcome.is_some() && !visit.outcome.is_failure() {
            come_back(connection, visit).await?;
        }
    }
    Ok(())
}

async fn leave(connection: &mut Connection, domain_id: i64, visit: &Visit) -> sqlx::Result<()> {
    let is_token_refused = visit.robots.as_ref().is_some_and(|it| it.is_token_refused);
    let source = if is_token_refused {
        ExclusionSource::Robots
    } else {
        ExclusionSource::ContentSignal
    };
    let reason = visit.detail.as_deref().unwrap_or("robots.txt opts out");
    exclusions::forget_contents(connection, domain_id, reason, visit.ended).await?;
    let target = visit.lease.domain.as_str();
    if last_action(connection, target).await? != Some(ModerationAction::OptOut) {
        withdraw_removed(connection, target, None).await?;
        let entry = (ModerationAction::OptOut, target, reason);
        log(connection, entry, source, visit.ended).await?;
    }
    Ok(())
}

async fn come_back(connection: &mut Connection, visit: &Visit) -> sqlx::Result<()> {
    let target = visit.lease.domain.as_str();
    if last_action(connection, target).await? == Some(ModerationAction::OptOut) {
        let entry = (ModerationAction::Restore, target, RETURNED);
        log(connection, entry, ExclusionSource::Robots, visit.ended).await?;
    }
    Ok(())
}

/// Returns the newest action of a domain's robots.txt.
async fn last_action(
    connection: &mut Connection,
    target: &str,
) -> sqlx::Result<Option<ModerationAction>> {
    let action: Option<String> = super::query_scalar(sql::LAST_ACTION_OF_ROBOTS)
        .bind(target)
        .fetch_optional(connection)
        .await?;
    Ok(action.as_deref().and_then(ModerationAction::parse))
}
