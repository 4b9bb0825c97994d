//! `POST /api/v1/submit`: a domain to be visited.

use super::accepted;
use crate::action::address;
use crate::action::visit::{self, SubmitOutcome};
use crate::api::v1::json_body::{Members, TOO_LARGE};
use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::record::site;
use crate::state::AppState;
use crate::view;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use manifest::Timestamp;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use store::Site;

/// Submitted domain that is known already, and whose next recheck has to wait.
#[derive(Debug, JsonSchema, Serialize)]
struct KnownBody {
    domain: String,
    /// `listed` with agents, `visited` without, or `queued` for its first visit.
    state: &'static str,
    last_visit: Option<String>,
    last_outcome: Option<&'static str>,
    next_visit: String,
    /// Time from which on it can be rechecked.
    next_allowed: String,
    /// Sentence on why nothing was queued.
    reason: &'static str,
    /// Number of its agents.
    agents: usize,
    links: KnownLinks,
}

#[derive(Debug, JsonSchema, Serialize)]
struct KnownLinks {
    page: String,
    api: String,
    /// Address to which a recheck is posted.
    recheck: String,
}

/// Reason why a known domain is not rechecked at once.
const REASON: &str = "The registry knows this domain already, and no visit was queued: the next recheck is \
    possible at next_allowed, because the site was rechecked lately or asked for a pause.";

/// Describes `POST /api/v1/submit`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "submit",
        "Submits a domain, so that it is visited and, if it has agents, listed.",
    )
    .object(
        "The domain.",
        json_schema!({
            "type": "object",
            "properties": { "domain": address::schema() },
            "required": ["domain"],
            "additionalProperties": false,
        }),
    )
    .once::<KnownBody>(
        "The domain is known already and was visited too recently for a recheck; its state.",
    )
    .queued::<super::SubmissionBody>("The domain waits for its visit; a known one is rechecked.")
    .problem(
        400,
        "The body or its domain is invalid, or a parameter is unknown.",
    )
    .problem(
        409,
        "The domain is excluded, with the reason and the way back.",
    )
    .problem(413, TOO_LARGE)
    .act()
    .done_with(&[
        (
            429,
            "Too many requests of this client, or too many new names of the registrable domain; \
             `Retry-After` states when to try again.",
        ),
        (
            503,
            "Too many submissions wait; `Retry-After` states when to try again.",
        ),
    ])
}

/// Answers `POST /api/v1/submit`.
pub(crate) async fn show(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let mut members = Members::receive(request, &["domain"]).await?;
    let domain = members.text("domain", address::parse);
    let (domain, port) = members.finish(domain)?;
    match visit::submit(&state, domain, port).await? {
        SubmitOutcome::Accepted(submission) => Ok(accepted(&state, &submission).await?),
        SubmitOutcome::Known(domain, next) => match state.store.site(&domain).await? {
            Some(site) => {
                let body = Json(KnownBody::of(&site, next));
                Ok(cache::keep(Policy::Never, body.into_response()))
            }
            // It was forgotten in this moment.
            None => Err(Problem(AppError::WriteBusy)),
        },
    }
}

impl KnownBody {
    fn of(site: &Site, next: Timestamp) -> Self {
        let api = site::api_path(&site.domain);
        Self {
            domain: site.domain.to_string(),
            state: match site.last_visit {
                _ if !site.agents.is_empty() => "listed",
                Some(_) => "visited",
                None => "queued",
            },
            last_visit: site.last_visit.map(Timestamp::to_rfc3339),
            last_outcome: site.last_outcome.map(store::Outcome::as_str),
            next_visit: site.due.to_rfc3339(),
            next_allowed: next.to_rfc3339(),
            reason: REASON,
            agents: site.agents.len(),
            links: KnownLinks {
                page: view::site_path(site.domain.as_str()),
                recheck: format!("{api}/recheck"),
                api,
            },
        }
    }
}
