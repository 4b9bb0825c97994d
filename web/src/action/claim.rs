//! Claims of owners: a domain leaves the registry, or returns to it. A crawler looks for the token that
//! proves it; nothing is fetched here.

use super::crawler;
use crate::error::{AppError, Missing};
use crate::random;
use crate::state::AppState;
use crate::view::statement::Statement;
use crate::view::time::Moment;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use manifest::{Domain, Timestamp};
use store::{Claim, ClaimAction, ClaimAnswer, ClaimState, Exclusion};

/// Bytes of a token.
const TOKEN_BYTES: usize = 24;

/// Stores a claim, or joins an open one; returns it with its token.
pub(crate) async fn begin(
    state: &AppState,
    action: ClaimAction,
    domain: (Domain, Option<u16>),
    subdomains: bool,
) -> Result<(Claim, String), AppError> {
    let now = (state.now)();
    let id = random::id()?;
    let hash = tokens(state, &id).next().map(|it| random::token_hash(&it));
    let hash = hash.unwrap_or_default();
    let claim = Claim {
        network: Some(state.network()),
        ..Claim::new(id, action, domain, subdomains, hash, now)
    };
    match state.store.claim(&claim, now).await? {
        ClaimAnswer::Accepted(claim) => {
            let token = tokens(state, &claim.id).find(|it| has_token(&claim, it));
            // The key of an open claim is gone only if the secrets were lost.
            let token = token.ok_or_else(|| {
                let domain = &claim.domain;
                AppError::Conflict(Statement::at(
                    format!(
                        "a request for {domain} is open, but its token cannot be shown any more; it ends"
                    ),
                    Moment::of(claim.expires, now),
                    ", and another one can be made then".to_owned(),
                ))
            })?;
            Ok((*claim, token))
        }
        ClaimAnswer::Excluded(exclusion) => {
            Err(AppError::Conflict(refusal(&claim, &exclusion).into()))
        }
        ClaimAnswer::NotExcluded => {
            let domain = &claim.domain;
            let message =
                format!("{domain} has not left this registry; there is nothing to return from");
            Err(AppError::Conflict(message.into()))
        }
        ClaimAnswer::TooMany(until) => Err(AppError::Limited {
            message: format!(
                "there were too many such requests for names below {} today",
                claim.domain.registrable()
            ),
            wait_s: until.since(now).as_secs().max(1),
        }),
        ClaimAnswer::TooManyOfNetwork(until) => Err(AppError::Limited {
            message: "there were too many such requests from this network today".to_owned(),
            wait_s: until.since(now).as_secs().max(1),
        }),
    }
}

/// Loads a claim.
pub(crate) async fn find(
    state: &AppState,
    action: ClaimAction,
    id: &str,
) -> Result<Claim, AppError> {
    let claim = state.store.claim_by_id(id).await?;
    claim.filter(|it| it.action == action).ok_or_else(|| {
        AppError::NotFound(Box::new(Missing {
            message: format!("There is no such request to {}.", action.as_str()),
            advice: "It may have ended long ago.",
            ..Missing::default()
        }))
    })
}

/// Returns the time since which no crawler takes the claims that wait for one; `None` if one does, or
/// if this one does not wait for it.
pub(crate) async fn absent_since(
    state: &AppState,
    claim: &Claim,
) -> Result<Option<Timestamp>, AppError> {
    match claim.state {
        ClaimState::Waiting => crawler::absent_since(state).await,
        ClaimState::Checking | ClaimState::Verified | ClaimState::Failed => Ok(None),
    }
}

/// Reports whether a token is that of a claim.
pub(crate) fn has_token(claim: &Claim, token: &str) -> bool {
    random::token_hash(token) == claim.token_hash
}

/// Returns the token of the claim with this id under each accepted key, the one in use first.
fn tokens(state: &AppState, id: &str) -> impl Iterator<Item = String> {
    let tags = state.secrets.claim_codes(id.as_bytes(), (state.now)());
    tags.into_iter()
        .map(|it| BASE64_URL_SAFE_NO_PAD.encode(&it.as_ref()[..TOKEN_BYTES]))
}

/// Explains why an exclusion leaves nothing to do, or cannot be ended in this way.
fn refusal(claim: &Claim, exclusion: &Exclusion) -> String {
    let (domain, target) = (&claim.domain, exclusion.scope.target());
    let reason = &exclusion.reason;
    let by_owner = exclusion.source.is_owner();
    match claim.action {
        ClaimAction::Leave | ClaimAction::Own => {
            format!("{domain} is not listed already: {target} is excluded ({reason})")
        }
        ClaimAction::Return if by_owner => {
            let name = exclusion.scope.name();
            format!("{domain} left together with {target}; ask for the return of {name}")
        }
        ClaimAction::Return => format!(
            "the operator excludes {target} ({reason}), which cannot be ended in this way; write to \
             the operator"
        ),
    }
}
