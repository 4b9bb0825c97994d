//! Claims of owners to leave the registry, or to return to it.

use super::{Backend, Connection, exclusions, frontier};
use crate::contract::Claims;
use crate::error::StoreError;
use crate::model::{
    Claim, ClaimAction, ClaimAnswer, ClaimCheck, ClaimState, Exclusion, ExclusionSource, Seed,
    SeedSource,
};
use crate::row::count;
use crate::sql::claims as sql;
use async_trait::async_trait;
use manifest::Timestamp;
use std::time::Duration;

/// Most new claims of a network on the names below a registrable domain in a day, so that they leave
/// those of the owners of other names. The domain itself can always be claimed: it has one open claim of
/// each kind.
const MAX_CLAIMS: u64 = 6;
/// Most checks on a registrable domain in a day, and as many on all names below it that a network
/// claimed, so that a stranger cannot cause more.
const MAX_CHECKS: u64 = 20;
/// The same for claims to own a domain, which leave the others to claims to leave or to return.
const MAX_OWN_CHECKS: u64 = MAX_CHECKS / 2;
/// Networks whose claims on the names below a registrable domain may use that up in a day.
const MAX_NETWORKS: u64 = 3;
/// Checks of a name in a day after which another request does not begin them anew: the others are left
/// for the next steps of the claim.
const MAX_RENEWED: u64 = 10;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Time for which an ended claim can be looked up.
const KEPT_MS: i64 = 30 * DAY_MS;
/// Time after which a check that never ended is repeated.
const LOST: Duration = Duration::from_mins(20);
/// Reasons in the public log.
const REASON_TO_LEAVE: &str = "the owner of the domain asked to leave";
const REASON_TO_RETURN: &str = "the owner of the domain asked to return";

#[async_trait]
impl Claims for Backend {
    async fn claim(&self, claim: &Claim, now: Timestamp) -> Result<ClaimAnswer, StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let covering = covering(&mut transaction, claim).await?;
            match (claim.action, covering) {
                (ClaimAction::Leave | ClaimAction::Own, Some(exclusion)) => {
                    return Ok(ClaimAnswer::Excluded(exclusion));
                }
                (ClaimAction::Return, None) => return Ok(ClaimAnswer::NotExcluded),
                (ClaimAction::Return, Some(exclusion)) if !may_end(&exclusion, claim) => {
                    return Ok(ClaimAnswer::Excluded(exclusion));
                }
                (ClaimAction::Leave | ClaimAction::Own, None) | (ClaimAction::Return, Some(_)) => {}
            }
            let open: Option<Claim> = super::query_as(sql::OPEN_CLAIM)
                .bind(claim.action.as_str())
                .bind(claim.domain.as_str())
                .bind(i64::from(claim.scope.is_suffix()))
                .bind(claim.network.as_deref().unwrap_or_default())
                .fetch_optional(&mut *transaction)
                .await?;
            let site = claim.domain.registrable();
            let since = now.0.saturating_sub(DAY_MS);
            // A stranger who asks as well must not end the claim whose token the owner publishes.
            if let Some(open) = open {
                let (key, name) = (checked_site(claim), Some(claim.domain.as_str()));
                let recent =
                    recent(&mut transaction, sql::CHECKS_OF_NAME, &key, since, name).await?;
                let next = claim.next_check.filter(|_| recent.0 < MAX_RENEWED);
                super::query(sql::RENEW)
                    .bind(&open.id)
                    .bind(claim.expires.0)
                    .bind(next.map(|at| at.0))
                    .bind(claim.port.map(i64::from))
                    .execute(&mut *transaction)
                    .await?;
                let renewed = stored(&mut transaction, &open.id).await?;
                transaction.commit().await?;
                return Ok(ClaimAnswer::Accepted(Box::new(renewed)));
            }
            let network = claim.network.as_deref();
            let day_after = |at: i64| Timestamp(at.saturating_add(DAY_MS));
            if let Some(network) = network {
                let (number, oldest): (i64, Option<i64>) = super::query_as(sql::CLAIMS_OF_NETWORK)
                    .bind(network)
                    .bind(since)
                    .fetch_one(&mut *transaction)
                    .await?;
                if number >= i64::from(Claim::MAX_OF_NETWORK) {
                    let oldest = oldest.unwrap_or(now.0);
                    return Ok(ClaimAnswer::TooManyOfNetwork(day_after(oldest)));
                }
            }
            if let Some(oldest) = limiting(&mut transaction, claim, since).await? {
                return Ok(ClaimAnswer::TooMany(day_after(oldest.unwrap_or(now.0))));
            }
            super::query(sql::FORGET_OLD)
                .bind(now.0.saturating_sub(KEPT_MS))
                .execute(&mut *transaction)
                .await?;
            let known: Option<i64> = super::query_scalar(sql::PORT)
                .bind(claim.domain.as_str())
                .fetch_one(&mut *transaction)
                .await?;
            super::query(sql::CLAIM)
                .bind(&claim.id)
                .bind(claim.action.as_str())
                .bind(claim.domain.as_str())
                .bind(claim.port.map(i64::from).or(known))
                .bind(site)
                .bind(i64::from(claim.scope.is_suffix()))
                .bind(&claim.token_hash)
                .bind(claim.at.0)
                .bind(claim.expires.0)
                .bind(claim.next_check.map(|at| at.0))
                .bind(network.unwrap_or_default())
                .execute(&mut *transaction)
                .await?;
            let stored = stored(&mut transaction, &claim.id).await?;
            transaction.commit().await?;
            Ok(ClaimAnswer::Accepted(Box::new(stored)))
        })
        .await
    }

    async fn claim_by_id(&self, id: &str) -> Result<Option<Claim>, StoreError> {
        let query = super::query_as(sql::CLAIM_BY_ID).bind(id);
        self.run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await
    }

    async fn take_claims(&self, limit: u32, now: Timestamp) -> Result<Vec<Claim>, StoreError> {
        self.run(async {
            let due = async |connection: &mut Connection| {
                super::query_as(sql::DUE_CLAIMS)
                    .bind(now.0)
                    .bind(i64::from(limit))
                    .bind(i64::from(Claim::MAX_CHECKED_OF_NETWORK))
                    .fetch_all(connection)
                    .await
            };
            // There is mostly no claim; then other writers should not wait for this transaction.
            let waiting: Vec<Claim> = due(&mut *self.reading().await?).await?;
            if waiting.is_empty() {
                return Ok(Vec::new());
            }
            let mut transaction = self.begin_bulk().await?;
            let since = now.0.saturating_sub(DAY_MS);
            super::query(sql::FORGET_CHECKS)
                .bind(since)
                .execute(&mut *transaction)
                .await?;
            let mut taken = Vec::new();
            for mut claim in due(&mut transaction).await? {
                let site = checked_site(&claim);
                let network = claim.network.as_deref().unwrap_or_default();
                let most = match claim.action {
                    ClaimAction::Leave | ClaimAction::Return => MAX_CHECKS,
                    ClaimAction::Own => MAX_OWN_CHECKS,
                };
                let limits = if site == claim.domain.as_str() {
                    [(None, most); 2]
                } else {
                    [(Some(network), most), (None, most * MAX_NETWORKS)]
                };
                let mut postponed = None;
                for (network, most) in limits {
                    let (number, oldest) =
                        recent(&mut transaction, sql::CHECKS_SINCE, &site, since, network).await?;
                    postponed = postponed.or(oldest.filter(|_| number >= most));
                }
                if let Some(oldest) = postponed {
                    super::query(sql::POSTPONE_CHECK)
                        .bind(&claim.id)
                        .bind(oldest.saturating_add(DAY_MS))
                        .execute(&mut *transaction)
                        .await?;
                    continue;
                }
                super::query(sql::RECORD_CHECK)
                    .bind(&site)
                    .bind(now.0)
                    .bind(claim.domain.as_str())
                    .bind(network)
                    .execute(&mut *transaction)
                    .await?;
                super::query(sql::BEGIN_CHECK)
                    .bind(&claim.id)
                    .bind(now.after(LOST).0)
                    .execute(&mut *transaction)
                    .await?;
                claim.checks = claim.checks.saturating_add(1);
                claim.state = ClaimState::Checking;
                taken.push(claim);
            }
            transaction.commit().await?;
            Ok(taken)
        })
        .await
    }

    async fn settle_claim(
        &self,
        claim: &Claim,
        check: &ClaimCheck,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let next = claim.check_after(now).filter(|_| !check.is_verified);
            let state = match (check.is_verified, next) {
                (true, _) => ClaimState::Verified,
                (false, Some(_)) => ClaimState::Waiting,
                (false, None) => ClaimState::Failed,
            };
            let ended = super::query(sql::END_CHECK)
                .bind(&claim.id)
                .bind(state.as_str())
                .bind(next.map(|at| at.0))
                .bind(now.0)
                .bind(&check.seen_dns)
                .bind(&check.seen_file)
                .execute(&mut *transaction)
                .await?;
            if ended.rows_affected() == 0 || !check.is_verified {
                return transaction.commit().await;
            }
            match claim.action {
                ClaimAction::Leave => {
                    let exclusion = Exclusion {
                        scope: claim.scope.clone(),
                        reason: REASON_TO_LEAVE.to_owned(),
                        source: ExclusionSource::Owner,
                        since: now,
                    };
                    exclusions::exclude(self, transaction, &exclusion, now).await?;
                    Ok(())
                }
                ClaimAction::Return => {
                    let covering = exclusions::covering(&mut transaction, &claim.domain).await?;
                    let (ending, staying): (Vec<_>, Vec<_>) =
                        covering.iter().partition(|it| may_end(it, claim));
                    for exclusion in ending {
                        exclusions::end(&mut transaction, exclusion, REASON_TO_RETURN, now).await?;
                    }
                    // The operator may have excluded it since the request.
                    if staying.is_empty() {
                        let seed = Seed {
                            domain: claim.domain.clone(),
                            port: claim.port,
                            source: SeedSource::Submitted,
                        };
                        frontier::add(&mut transaction, &[&seed], true, now).await?;
                    }
                    transaction.commit().await
                }
                // It counts by its state.
                ClaimAction::Own => transaction.commit().await,
            }
        })
        .await
    }
}

/// Returns the time of the oldest claim on the name, or on names below its registrable domain, if there
/// are as many since a time as a day may have.
async fn limiting(
    connection: &mut Connection,
    claim: &Claim,
    since: i64,
) -> sqlx::Result<Option<Option<i64>>> {
    let (name, site) = (claim.domain.as_str(), claim.domain.registrable());
    if claim.action == ClaimAction::Own {
        let (number, oldest) = recent(connection, sql::OWN_CLAIMS_SINCE, name, since, None).await?;
        if number >= MAX_CLAIMS {
            return Ok(Some(oldest));
        }
    }
    if name == site {
        return Ok(None);
    }
    let network = claim.network.as_deref().unwrap_or_default();
    for (network, most) in [
        (Some(network), MAX_CLAIMS),
        (None, MAX_CLAIMS * MAX_NETWORKS),
    ] {
        let (number, oldest) = recent(connection, sql::CLAIMS_SINCE, site, since, network).await?;
        if number >= most {
            return Ok(Some(oldest));
        }
    }
    Ok(None)
}

/// Returns the exclusion that covers the domain of a claim, the operator's before the owner's.
async fn covering(connection: &mut Connection, claim: &Claim) -> sqlx::Result<Option<Exclusion>> {
    let mut all = exclusions::covering(connection, &claim.domain).await?;
    // A claim for all subdomains extends an exclusion of the domain alone.
    all.retain(|it| {
        claim.action != ClaimAction::Leave
            || !it.source.is_owner()
            || it.scope.is_suffix()
            || !claim.scope.is_suffix()
    });
    all.sort_by_key(|it| (it.source.is_owner(), it.scope.name() == claim.scope.name()));
    Ok(all.into_iter().next())
}

/// Reports whether the owner of the claim's domain may end the exclusion: it is the owner's own, and
/// not that of a parent domain.
fn may_end(exclusion: &Exclusion, claim: &Claim) -> bool {
    exclusion.source.is_owner() && exclusion.scope.name() == claim.scope.name()
}

/// Returns a claim that was just written.
async fn stored(connection: &mut Connection, id: &str) -> sqlx::Result<Claim> {
    let query = super::query_as(sql::CLAIM_BY_ID).bind(id);
    query.fetch_one(connection).await
}

/// Returns the key under which the checks of a claim are counted: the registrable domain, or all names
/// below it.
fn checked_site(claim: &Claim) -> String {
    match claim.domain.registrable() {
        site if site == claim.domain.as_str() => site.to_owned(),
        site => format!("*.{site}"),
    }
}

/// Returns number and time of the oldest of a site's rows since a time, among those of one network or
/// name if one is given.
async fn recent(
    connection: &mut Connection,
    statement: &'static str,
    site: &str,
    since: i64,
    part: Option<&str>,
) -> sqlx::Result<(u64, Option<i64>)> {
    let (number, oldest): (i64, Option<i64>) = super::query_as(statement)
        .bind(site)
        .bind(since)
        .bind(part)
        .fetch_one(connection)
        .await?;
    Ok((count(number), oldest))
}
