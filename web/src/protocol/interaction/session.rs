//! Sessions: a token that is given once and stored as a hash (IA-30 to IA-36).

use super::{audit, request};
use crate::cache::{self, Policy};
use crate::error::{AppError, envelope};
use crate::own::capability::CAPABILITIES;
use crate::own::{self, place};
use crate::parameter::BadParameter;
use crate::random;
use crate::state::AppState;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use manifest::Timestamp;
use serde_json::{Map, Value, json};
use std::time::Duration;
use store::{Session, SessionAnswer};

/// Time for which a session is open. Its use does not extend it.
const LIFE: Duration = Duration::from_secs(own::SESSION_TTL_S as u64);
/// Headers that carry the token of a session (IA-08).
pub(super) const TOKEN_HEADERS: [HeaderName; 3] = [
    AUTHORIZATION,
    HeaderName::from_static("x-agent-session"),
    HeaderName::from_static("x-session-token"),
];
/// Statements of an agent about itself.
const STATEMENTS: [&str; 3] = ["agent_name", "agent_version", "purpose"];
/// Most characters of one.
const MAX_STATEMENT: usize = 200;

/// Answers `POST /.well-known/agents/api/session`.
pub(super) async fn create(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, AppError> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let body = Bytes::from_request(request, &()).await?;
    let agent = statements(&request::object(&parts.headers, &body)?)?;
    let now = (state.now)();
    let token = random::token()?;
    let session = Session {
        id: random::id()?,
        token_hash: random::token_hash(&token),
        network: state.network(),
        agent: Value::Object(agent).to_string(),
        created: now,
        expires: now.after(LIFE),
        ended: None,
        calls: 0,
        seal: None,
    };
    let (next, message) = match state.store.open_session(&session, now).await? {
        SessionAnswer::Opened => return Ok(created(&session, &token)),
        SessionAnswer::TooManyOfNetwork(next) => (
            next,
            format!(
                "This network has too many sessions: {} may be open, and {} created in a day. Delete \
                 those that are not needed.",
                Session::MAX_OF_NETWORK,
                Session::MAX_A_DAY
            ),
        ),
        SessionAnswer::TooMany(next) => (next, "Too many sessions are open.".to_owned()),
    };
    let wait = seconds_until(next, now);
    let status = StatusCode::TOO_MANY_REQUESTS;
    Ok(envelope::refusal(status, &message, Some(wait)))
}

fn created(session: &Session, token: &str) -> Response {
    let capabilities = CAPABILITIES.into_iter().filter(|it| it.needs_session);
    let capabilities: Vec<&str> = capabilities.map(|it| it.name).collect();
    let data = json!({
        "session_token": token,
        "session_id": session.id,
        "expires_at": session.expires.to_rfc3339(),
        "capabilities": capabilities,
        "audit": audit::path(&session.id),
    });
    cache::keep(
        Policy::Private,
        envelope::success(StatusCode::CREATED, &data),
    )
}

/// Answers `DELETE /.well-known/agents/api/session`.
pub(super) async fn end(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Some(token) = token(&headers)? else {
        return Ok(required(false));
    };
    let now = (state.now)();
    let Some(session) = opened(&state, &token).await? else {
        return Ok(required(true));
    };
    if !state.store.end_session(&session.id, now).await? {
        return Ok(required(true));
    }
    audit::sealed(&state, &session.id).await?;
    let data = json!({
        "session_id": session.id,
        "ended_at": now.to_rfc3339(),
        "audit": audit::path(&session.id),
    });
    Ok(cache::keep(
        Policy::Private,
        envelope::success(StatusCode::OK, &data),
    ))
}

/// Returns the token that a request carries; an error if its headers name different ones.
pub(super) fn token(headers: &HeaderMap) -> Result<Option<String>, AppError> {
    let mut tokens: Vec<&str> = Vec::new();
    for name in TOKEN_HEADERS {
        let values = headers.get_all(&name).iter();
        let values = values.filter_map(|it| it.to_str().ok()).map(str::trim);
        if name == AUTHORIZATION {
            tokens.extend(values.filter_map(bearer));
        } else {
            tokens.extend(values);
        }
    }
    tokens.retain(|it| !it.is_empty());
    tokens.dedup();
    match tokens.as_slice() {
        [] => Ok(None),
        [token] => Ok(Some((*token).to_owned())),
        [..] => Err(AppError::BadParameters(vec![BadParameter::new(
            "session",
            "different_tokens",
            "the headers `Authorization`, `X-Agent-Session` and `X-Session-Token` name different \
             sessions; send one of them",
        )])),
    }
}

/// Returns the token of an authorization, if it is of that scheme (RFC 6750).
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the open session with a token.
pub(super) async fn opened(state: &AppState, token: &str) -> Result<Option<Session>, AppError> {
    let session = state
        .store
        .session_by_token(&random::token_hash(token))
        .await?;
    let now = (state.now)();
    Ok(session.filter(|it| it.is_open(now)))
}

/// Returns the refusal of a request that needs a session.
pub(super) fn required(has_token: bool) -> Response {
    let create = place::SESSION;
    let message = if has_token {
        format!("The session is unknown or has ended. Create a new one by POST {create}.")
    } else {
        format!(
            "This needs a session: create one by POST {create}, and send its token as \
             `Authorization: Bearer <token>` or `X-Agent-Session: <token>`."
        )
    };
    let mut response = envelope::refusal(StatusCode::UNAUTHORIZED, &message, None);
    let scheme = HeaderValue::from_static("Bearer");
    response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    response
}

/// Returns the refusal of a call beyond the last one of a session.
pub(super) fn used_up(session: &Session, now: Timestamp) -> Response {
    let message = format!(
        "A session has at most {} calls. Delete it and create a new one.",
        Session::MAX_CALLS
    );
    let wait = seconds_until(session.expires, now);
    envelope::refusal(StatusCode::TOO_MANY_REQUESTS, &message, Some(wait))
}

/// Returns the whole seconds until a time, at least one.
pub(super) fn seconds_until(at: Timestamp, now: Timestamp) -> u64 {
    let milliseconds = at.since(now).as_millis();
    u64::try_from(milliseconds.div_ceil(1_000))
        .unwrap_or(u64::MAX)
        .max(1)
}

fn statements(body: &Map<String, Value>) -> Result<Map<String, Value>, AppError> {
    let mut agent = Map::new();
    let mut faults = Vec::new();
    for name in STATEMENTS {
        match body.get(name) {
            None => {}
            Some(Value::String(text)) if text.chars().count() > MAX_STATEMENT => {
                let message = format!("`{name}` may have at most {MAX_STATEMENT} characters");
                faults.push(BadParameter::new(name, "too_long", message));
            }
            Some(Value::String(text)) => {
                let text = manifest::text::clean(text, MAX_STATEMENT);
                agent.insert(name.to_owned(), text.into());
            }
            Some(_) => faults.push(request::bad_type(name, "string")),
        }
    }
    if faults.is_empty() {
        Ok(agent)
    } else {
        Err(AppError::BadParameters(faults))
    }
}
