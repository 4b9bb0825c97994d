//! `POST /api/v1/leave`, `return` and `own`: an owner takes a domain out of the registry, brings it
//! back, or has it rechecked sooner. A crawler looks for the token that proves it; nothing is fetched here.

use super::answer::queued;
use super::json_body::{Members, TOO_LARGE};
use crate::action::{address, claim};
use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::record::claim::{path, token};
use crate::state::AppState;
use crate::view::claim::{Places, message};
use crate::view::foreign;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};
use manifest::{Domain, Timestamp};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::json;
use store::{Claim, ClaimAction};

/// Text in place of the token, which only the answer to the request has.
const TOKEN: &str = "<token>";

/// State of a request to leave or to return.
#[derive(Debug, JsonSchema, Serialize)]
struct ClaimBody {
    id: String,
    /// `leave`, `return` or `own`.
    action: &'static str,
    domain: String,
    /// True if all subdomains are meant, too.
    subdomains: bool,
    /// `waiting`, `checking`, `verified` or `failed`.
    state: &'static str,
    /// Sentence on the state.
    message: String,
    /// Time since which requests wait and no crawler takes any, while that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_crawler_since: Option<String>,
    requested: String,
    /// Time until which the token is looked for.
    expires: String,
    /// Number of checks so far.
    checks: u32,
    last_check: Option<String>,
    next_check: Option<String>,
    /// Token by which the owner of the domain asks for rechecks; only in the answer to a request to own
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Places where the token is looked for, or for `own` its SHA-256; one of them is enough.
    publish: Publish,
    /// Findings of the last check.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<SeenBody>,
    links: ClaimLinks,
}

/// Places of a token.
#[derive(Debug, JsonSchema, Serialize)]
struct Publish {
    dns: TxtRecord,
    file: TokenFile,
}

/// TXT record.
#[derive(Debug, JsonSchema, Serialize)]
struct TxtRecord {
    name: String,
    r#type: &'static str,
    value: String,
}

/// File.
#[derive(Debug, JsonSchema, Serialize)]
struct TokenFile {
    url: String,
    /// Content, on a line of its own.
    content: String,
}

/// Findings of a check.
#[derive(Debug, JsonSchema, Serialize)]
struct SeenBody {
    dns: Option<String>,
    /// `null` if the file was not needed.
    file: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ClaimLinks {
    /// Address of this state.
    state: String,
    /// Page that tells the owner of the domain what to publish; only in the answer to the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// Describes `POST /api/v1/leave`.
pub(crate) fn describe_leave(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    describe(
        operation,
        "leave",
        "Begins to take a domain out of the registry; its owner proves it with a token.",
        true,
    )
}

/// Describes `POST /api/v1/return`.
pub(crate) fn describe_return(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    describe(
        operation,
        "returnSite",
        "Begins to bring a domain back that has left; its owner proves it with a token.",
        false,
    )
}

/// Describes `POST /api/v1/own`.
pub(crate) fn describe_own(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    describe(
        operation,
        "ownSite",
        "Begins to prove that a domain is yours, so that its rechecks wait less.",
        false,
    )
}

fn describe<'t>(
    operation: TransformOperation<'t>,
    id: &str,
    summary: &str,
    is_leaving: bool,
) -> TransformOperation<'t> {
    OperationDoc::new(operation, id, summary)
        .object("The domain.", schema(is_leaving))
        .queued::<ClaimBody>("The token, and the places where it is looked for.")
        .problem(400, "The body or one of its members is invalid.")
        .problem(
            409,
            "The domain has left already, is not excluded, or is excluded by the operator.",
        )
        .problem(413, TOO_LARGE)
        .act()
        .done()
}

fn schema(is_leaving: bool) -> Schema {
    let mut properties = json!({ "domain": address::schema() });
    if is_leaving {
        properties["subdomains"] = json!({
            "type": "boolean",
            "default": false,
            "description": "True to take all subdomains out, too.",
        });
    }
    json_schema!({
        "type": "object",
        "properties": properties,
        "required": ["domain"],
        "additionalProperties": false,
    })
}

/// Describes `GET /api/v1/leave/{id}`.
pub(crate) fn describe_leave_state(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    describe_state(
        operation,
        "getLeave",
        "Returns the state of a request to leave.",
    )
}

/// Describes `GET /api/v1/return/{id}`.
pub(crate) fn describe_return_state(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    describe_state(
        operation,
        "getReturn",
        "Returns the state of a request to return.",
    )
}

/// Describes `GET /api/v1/own/{id}`.
pub(crate) fn describe_own_state(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    describe_state(
        operation,
        "getOwn",
        "Returns the state of a request to own a domain.",
    )
}

fn describe_state<'t>(
    operation: TransformOperation<'t>,
    id: &str,
    summary: &str,
) -> TransformOperation<'t> {
    OperationDoc::new(operation, id, summary)
        .path("id", "Id of the request.", "MTIzNDU2Nzg5MDEyMzQ1")
        .once::<ClaimBody>("The state.")
        .problem(400, "The address has no parameters.")
        .problem(404, "No such request.")
        .done()
}

/// Answers `POST /api/v1/leave`.
pub(crate) async fn leave(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let mut members = Members::receive(request, &["domain", "subdomains"]).await?;
    let domain = members.text("domain", address::parse);
    let subdomains = members.flag("subdomains");
    let domain = members.finish(domain)?;
    begin(&state, ClaimAction::Leave, domain, subdomains).await
}

/// Answers `POST /api/v1/return`.
pub(crate) async fn come_back(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let domain = domain_of(request).await?;
    begin(&state, ClaimAction::Return, domain, false).await
}

/// Answers `POST /api/v1/own`.
pub(crate) async fn own(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let domain = domain_of(request).await?;
    begin(&state, ClaimAction::Own, domain, false).await
}

/// Reads a body with a domain alone.
async fn domain_of(request: Request) -> Result<(Domain, Option<u16>), AppError> {
    let mut members = Members::receive(request, &["domain"]).await?;
    let domain = members.text("domain", address::parse);
    members.finish(domain)
}

/// Answers `GET /api/v1/own/{id}`.
pub(crate) async fn own_state(
    State(state): State<AppState>,
    _: crate::error::NoParameters,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    follow(&state, ClaimAction::Own, path, None).await
}

/// Answers `GET /api/v1/leave/{id}`.
pub(crate) async fn leave_state(
    State(state): State<AppState>,
    _: crate::error::NoParameters,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    follow(&state, ClaimAction::Leave, path, None).await
}

/// Returns the answer to `GET` of the JSON twin of a state, such as `/leave/{id}/index.json`, with the token
/// if the address has it.
pub(crate) fn twin_of(action: ClaimAction) -> MethodRouter<AppState> {
    get(
        async move |State(state): State<AppState>,
                    path: Result<Path<String>, PathRejection>,
                    RawQuery(query): RawQuery| {
            follow(&state, action, path, query.as_deref()).await
        },
    )
}

/// Answers `GET /api/v1/return/{id}`.
pub(crate) async fn return_state(
    State(state): State<AppState>,
    _: crate::error::NoParameters,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    follow(&state, ClaimAction::Return, path, None).await
}

async fn begin(
    state: &AppState,
    action: ClaimAction,
    domain: (Domain, Option<u16>),
    subdomains: bool,
) -> Result<Response, Problem> {
    let (claim, token) = claim::begin(state, action, domain, subdomains).await?;
    let absent = claim::absent_since(state, &claim).await?;
    let body = ClaimBody::of(&claim, &token, absent);
    Ok(queued(&body, &body.links.state))
}

async fn follow(
    state: &AppState,
    action: ClaimAction,
    path: Result<Path<String>, PathRejection>,
    query: Option<&str>,
) -> Result<Response, Problem> {
    let Path(id) = path?;
    let claim = claim::find(state, action, &id).await?;
    let absent = claim::absent_since(state, &claim).await?;
    let token = token(&claim, query);
    let token = token.as_deref().unwrap_or(TOKEN);
    let body = Json(ClaimBody::of(&claim, token, absent)).into_response();
    Ok(cache::keep(Policy::Never, body))
}

impl ClaimBody {
    fn of(claim: &Claim, token: &str, absent: Option<Timestamp>) -> Self {
        let action = claim.action.as_str();
        let seen = |text: &Option<String>| text.as_deref().map(foreign);
        let Places {
            dns_name,
            file_url,
            value,
        } = Places::of(claim, token);
        Self {
            id: claim.id.clone(),
            action,
            domain: claim.domain.to_string(),
            subdomains: claim.scope.is_suffix(),
            state: claim.state.as_str(),
            message: message(claim, absent.is_some()),
            no_crawler_since: absent.map(Timestamp::to_rfc3339),
            requested: claim.at.to_rfc3339(),
            expires: claim.expires.to_rfc3339(),
            checks: claim.checks,
            last_check: claim.checked.map(Timestamp::to_rfc3339),
            next_check: claim.next_check.map(Timestamp::to_rfc3339),
            token: (claim.action == ClaimAction::Own && token != TOKEN).then(|| token.to_owned()),
            publish: Publish {
                dns: TxtRecord {
                    name: dns_name,
                    r#type: "TXT",
                    value: value.clone(),
                },
                file: TokenFile {
                    url: file_url,
                    content: value,
                },
            },
            seen: claim.checked.map(|_| SeenBody {
                dns: seen(&claim.seen_dns),
                file: seen(&claim.seen_file),
            }),
            links: ClaimLinks {
                state: format!("/api/v1/{action}/{}", claim.id),
                page: (token != TOKEN).then(|| path(claim, token)),
            },
        }
    }
}
