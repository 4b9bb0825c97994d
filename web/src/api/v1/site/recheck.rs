//! `POST /api/v1/sites/{domain}/recheck`: another visit to a site.

use crate::action::visit;
use crate::api::v1::submission::{self, accepted};
use crate::error::{NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::record::named;
use crate::record::site::{self, missing};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;

/// Header with the token by which the owner of a site asks (P47).
const OWNER_TOKEN: &str = "Owner-Token";

/// Describes `POST /api/v1/sites/{domain}/recheck`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "recheckSite",
        "Visits a site again, at once if its rechecks allow that.",
    )
    .path("domain", "Domain of the site.", "mesa-do-tejo.example")
    .header_parameter(
        OWNER_TOKEN,
        "Token of a verified request to own the domain, with which the waits are shorter.",
    )
    .queued::<submission::SubmissionBody>("The site waits for its visit.")
    .moved()
    .problem(400, "The domain is none, or a parameter is unknown.")
    .problem(404, "The site is not known; it can be submitted.")
    .problem(409, "The domain is excluded, with the reason and the way back.")
    .act()
    .done_with(&[
        (
            429,
            "Too many requests of this client, or the site was rechecked too recently: `next_allowed` \
             and `Retry-After` state when to try again.",
        ),
        (503, "Too many submissions wait; `Retry-After` states when to try again."),
    ])
}

/// Answers `POST /api/v1/sites/{domain}/recheck`.
pub(crate) async fn show(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Path(domain) = path?;
    let token = headers.get(OWNER_TOKEN).and_then(|it| it.to_str().ok());
    let domain = named(&domain, |it| format!("{}/recheck", site::api_path(it)))?;
    match visit::recheck(&state, &domain, token).await? {
        Some(submission) => Ok(accepted(&state, &submission).await?),
        None => Err(Problem(missing(&state, &domain).await)),
    }
}
