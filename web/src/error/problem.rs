//! Errors for programs: as problem documents (RFC 9457), and in the forms of other protocols.

use super::{AppError, IndexUnavailable, envelope};
use crate::json;
use crate::json_rpc::{INTERNAL_ERROR, INVALID_REQUEST, RpcError, SERVER_ERROR};
use crate::own::place;
use crate::parameter::BadParameter;
use crate::view::card::Card;
use crate::view::foreign;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::Tombstone;

/// Ways to need fewer requests, for a client that sends too many.
const ALTERNATIVES: &str = "Ask for up to 100 results at a time with `limit=100`, keep answers as long as `Cache-Control` \
     says, and ask again with `If-None-Match`. For all agents at once, see /api/v1/export/latest.json, and follow \
     /api/v1/changes from there.";

/// Body of a problem document (RFC 9457 §3), with the members that ARD requires.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ProblemBody {
    /// Address of the description of the error.
    r#type: String,
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
            at: tombstone.at.to_rfc3339(),
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
    let status = error.kind().status;
    let mut response = (status, json::answer(&body(error))).into_response();
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    response
}

/// Renders the fault of a request as a whole, whose id is not known, with the problem document as its
/// data.
pub(super) fn rpc(error: AppError) -> Response {
    rpc_to(&Value::Null, error)
}

/// Renders the fault of the request with this id, with the problem document as its data.
pub(crate) fn rpc_to(id: &Value, error: AppError) -> Response {
    let status = error.kind().status;
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => SERVER_ERROR,
        status if status.is_server_error() => INTERNAL_ERROR,
        _ => INVALID_REQUEST,
    };
    let message = error.message();
    let problem = serde_json::to_value(body(error)).ok();
    let error = RpcError {
        data: problem,
        ..RpcError::new(code, message)
    };
    (status, json::answer(&error.response(id))).into_response()
}

/// Returns the body of the problem document of an error.
pub(super) fn body(error: AppError) -> ProblemBody {
    let kind = error.kind();
    let (status, code) = (kind.status, kind.code);
    let mut body = ProblemBody {
        r#type: format!("{}#{code}", place::ERRORS),
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: error.message(),
        error_code: code,
        message: error.message(),
        errors: Vec::new(),
        did_you_mean: None,
        similar: Vec::new(),
        tombstone: None,
        next_allowed: None,
        links: None,
    };
    body.tombstone = match &error {
        AppError::Removed { tombstone, .. } => Some(TombstoneBody::of(tombstone)),
        AppError::Withdrawn { tombstone, .. } => tombstone.as_deref().map(TombstoneBody::of),
        _ => None,
    };
    match error {
        AppError::BadParameters(faults) | AppError::BadSearch(faults) => body.errors = faults,
        AppError::NotFound(missing) | AppError::Removed { missing, .. } => {
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
        AppError::TooEarly { message, .. } => {
            body.next_allowed = message.moment().map(|it| it.iso.clone());
        }
        AppError::TooMany { .. } => body.detail = format!("{} {ALTERNATIVES}", body.message),
        _ => {}
    }
    body
}

/// Error of ARD.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdError")]
pub(crate) struct ArdProblem {
    error_code: &'static str,
    message: String,
}

/// Error of the MCP Registry API.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ServersError")]
pub(crate) struct ServersProblem {
    error: String,
}

/// Renders an error as ARD states it.
pub(super) fn ard(error: &AppError) -> Response {
    let (status, code) = status_and_code(error);
    let body = ArdProblem {
        error_code: code,
        message: whole_message(error),
    };
    (status, json::answer(&body)).into_response()
}

/// Renders an error as the MCP Registry API states it.
pub(super) fn servers(error: &AppError) -> Response {
    let body = ServersProblem {
        error: whole_message(error),
    };
    (error.kind().status, json::answer(&body)).into_response()
}

/// Renders an error as the Interaction API states it.
pub(super) fn interaction(error: &AppError, wait_s: Option<u64>) -> Response {
    let status = match error {
        // A cursor is a parameter.
        AppError::CursorGone(_) => StatusCode::BAD_REQUEST,
        error => error.kind().status,
    };
    envelope::refusal(envelope::of_api(status), &whole_message(error), wait_s)
}

/// Returns the status and the code of an error in ARD, which has five codes.
fn status_and_code(error: &AppError) -> (StatusCode, &'static str) {
    let status = error.kind().status;
    match status {
        // A token of a page is an argument.
        StatusCode::GONE if matches!(error, AppError::CursorGone(_)) => {
            (StatusCode::BAD_REQUEST, "INVALID_ARGUMENT")
        }
        StatusCode::NOT_FOUND | StatusCode::GONE => (status, "NOT_FOUND"),
        StatusCode::TOO_MANY_REQUESTS => (status, "RATE_LIMIT_EXCEEDED"),
        _ if status.is_server_error() => (status, "INTERNAL_ERROR"),
        _ => (status, "INVALID_ARGUMENT"),
    }
}

/// Returns the message with everything that a problem document would state in other members.
fn whole_message(error: &AppError) -> String {
    match error {
        AppError::BadParameters(faults) => {
            let messages = faults.iter().map(|it| super::sentence(&it.message));
            messages.collect::<Vec<_>>().join(" ")
        }
        error => error.message(),
    }
}
