//! `/leave/{id}`: what the owner of a domain publishes to take it out of the registry.

use crate::cache::{self, Policy};
use crate::error::{AppError, Missing};
use crate::html::{self, Layout};
use crate::parameter::only;
use crate::state::AppState;
use crate::view::claim::{Places, message};
use crate::view::time::Moment;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};
use store::{ClaimAction, ClaimState};

#[derive(Debug, Template)]
#[template(path = "leave.html")]
struct LeavePage {
    layout: Layout,
    domain: String,
    message: String,
    expires: Moment,
    is_open: bool,
    /// Places of the token, if the address has it.
    places: Option<Places>,
}

/// Returns the address of the page, with the token that is to be published.
pub(crate) fn path(id: &str, token: &str) -> String {
    format!("/leave/{id}?token={token}")
}

/// Answers `GET /leave/{id}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, AppError> {
    let Path(id) = path?;
    let [token] = only(query.as_deref(), ["token"]).map_err(AppError::BadParameters)?;
    let claim = state.store.claim_by_id(&id).await?;
    let Some(claim) = claim.filter(|it| it.action == ClaimAction::Leave) else {
        return Err(AppError::NotFound(Box::new(Missing {
            message: "There is no such request to leave.".to_owned(),
            advice: "It may have ended long ago.",
            ..Missing::default()
        })));
    };
    // Only the token of this request, so that no address makes the page show another text.
    let token = token.filter(|it| format!("{:x}", Sha256::digest(it)) == claim.token_hash);
    let page = LeavePage {
        layout: Layout::new("").under("/bot"),
        domain: claim.domain.to_string(),
        message: message(&claim),
        expires: Moment::of(claim.expires, (state.now)()),
        is_open: matches!(claim.state, ClaimState::Waiting | ClaimState::Checking),
        places: token.map(|it| Places::of(&claim, &it)),
    };
    let response = html::page(&page)?.into_response();
    Ok(cache::keep(Policy::Never, response))
}
