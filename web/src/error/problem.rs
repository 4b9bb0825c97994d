//! Errors as problem documents for programs (RFC 9457).

use super::{AppError, IndexUnavailable};
use crate::parameter::BadParameter;
use crate::view::card::Card;
use crate::view::foreign;
use axum::Json;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use indexer::public::time;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tombstone;

/// Ways to need fewer requests, for a client that sends too many.
const ALTERNATIVES: &str = "Ask for up to 100 results at a time with `limit=100`, keep answers as long as `Cache-Control` \
     says, and ask again with `If-None-Match`. For all agents at once, see /api/v1/export/latest.json, and follow \
     /api/v1/changes from there.";

/// Body of a problem document (RFC 9457 §3), with the members that ARD requires.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ProblemBody {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(rename = "errorCode")]
    error_code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<BadParameter>,
    /// Thing that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<ProblemReference>,
    /// Agents with similar names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<ProblemReference>,
    /// Agent that is no longer listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    tombstone: Option<TombstoneBody>,
    /// Time at which the request may be sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_allowed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<ProblemLinks>,
}

/// Agent that is no longer listed.
#[derive(Debug, JsonSchema, Serialize)]
struct TombstoneBody {
    /// Id under which it was listed last.
    id: String,
    /// Time since which it is not listed.
    at: String,
    /// `remove`, or `optout` for its owner or by the operator.
    op: &'static str,
    reason: String,
}

impl TombstoneBody {
    fn of(tombstone: &Tombstone) -> Self {
        Self {
            id: tombstone.agent.to_string(),
            at: time(tombstone.at),
            op: tombstone.op.as_str(),
            reason: foreign(&tombstone.reason),
        }
    }
}

/// Something with a page.
#[derive(Debug, JsonSchema, Serialize)]
struct ProblemReference {
    name: String,
    page: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ProblemLinks {
    /// First page of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    /// Export to start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<&'static str>,
}

impl ProblemReference {
    fn of(card: Card) -> Self {
        Self {
            name: card.name,
            page: card.path,
        }
    }
}

/// Renders an error as a problem document.
pub(super) fn render(error: AppError) -> Response {
    let status = error.status();
    let mut response = (status, Json(body(error))).into_response();
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    response
}

/// Returns the body of the problem document of an error.
pub(super) fn body(error: AppError) -> ProblemBody {
    let status = error.status();
    let mut body = ProblemBody {
        r#type: "about:blank",
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: error.message(),
        error_code: error.code(),
        message: error.message(),
        errors: Vec::new(),
        did_you_mean: None,
        similar: Vec::new(),
        tombstone: None,
        next_allowed: None,
        links: None,
    };
    if let AppError::Removed(_, tombstone) = &error {
        body.tombstone = Some(TombstoneBody::of(tombstone));
    }
    match error {
        AppError::BadParameters(faults) => body.errors = faults,
        AppError::NotFound(missing) | AppError::Removed(missing, _) => {
            body.detail = format!("{} {}", body.message, missing.advice);
            if let Some(instead) = missing.instead {
                body.detail = format!("{} Did you mean {}?", body.detail, instead.name);
                body.did_you_mean = Some(ProblemReference {
                    name: instead.name,
                    page: instead.path,
                });
            }
            body.similar = missing
                .nearest
                .into_iter()
                .map(ProblemReference::of)
                .collect();
        }
        AppError::Search(error) => body.detail = IndexUnavailable::of(&error).detail(),
        AppError::CursorGone(first) => {
            body.detail = format!("{} It is at {first}.", body.message);
            body.links = Some(ProblemLinks {
                first: Some(first),
                snapshot: None,
            });
        }
        AppError::ChangesGone { snapshot, .. } => {
            body.links = Some(ProblemLinks {
                first: None,
                snapshot: Some(snapshot),
            });
        }
        AppError::TooEarly { next, .. } => body.next_allowed = Some(next),
        AppError::TooMany { .. } => body.detail = format!("{} {ALTERNATIVES}", body.message),
        _ => {}
    }
    body
}
