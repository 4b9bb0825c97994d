//! Record of a session: a chain of its calls, signed when the session has ended (IA-50 to IA-53).
//!
//! Each event has the hash of the one before, and the hash of the last one is the root. Hashes and
//! the signature are made over the canonical form of RFC 8785.

use super::request::ListRequest;
use super::session::seconds_until;
use crate::cache::{Policy, Tag};
use crate::error::{AppError, Missing, envelope};
use crate::own::place;
use crate::state::AppState;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use store::{Seal, Session, SessionCall};

/// Parameter with free text, in whose place a record has its hash.
const FREE_TEXT: &str = "q";
/// Most characters that a record keeps of a value.
const MAX_VALUE: usize = 300;

/// Returns the address of the record of a session.
pub(super) fn path(id: &str) -> String {
    place::AUDIT.replace("{session_id}", id)
}

/// Answers `GET /.well-known/agents/api/audit/{session_id}`.
pub(super) async fn show(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(id) = id?;
    let now = (state.now)();
    let Some(session) = state.store.session_by_id(&id).await? else {
        return Err(missing());
    };
    if session.is_open(now) {
        let message = "The session is open; its record is signed when it has ended.";
        let wait = seconds_until(session.expires, now);
        return Ok(envelope::refusal(StatusCode::CONFLICT, message, Some(wait)));
    }
    let record = sealed(&state, &id).await?;
    let tag = Tag::of(&["audit", &record.to_string()]);
    let response = envelope::success(StatusCode::OK, &record);
    Ok(tag.answer(Policy::Details, &headers, response))
}

/// Appends a call to the record of its session; false if the session has ended.
pub(super) async fn record(
    state: &AppState,
    session: &Session,
    capability: &str,
    method: &Method,
    params: Map<String, Value>,
    status: StatusCode,
) -> Result<bool, AppError> {
    let is_denied = [StatusCode::FORBIDDEN, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    let call = SessionCall {
        at: (state.now)(),
        capability: capability.to_owned(),
        method: method.to_string(),
        params: Value::Object(params).to_string(),
        policy: if is_denied { "denied" } else { "allowed" }.to_owned(),
        status: status.as_u16(),
    };
    Ok(state.store.record_call(&session.id, &call).await?)
}

/// Returns the parameters of a call as a record has them. Searches are private; the hash of one proves
/// it to a reader that knows it.
pub(super) fn redacted(asked: &ListRequest) -> Map<String, Value> {
    let one = |name: &str, value: &Value| match value.as_str() {
        Some(text) if name == FREE_TEXT => {
            json!(format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(text))))
        }
        Some(text) => json!(manifest::text::clean(text, MAX_VALUE)),
        None => value.clone(),
    };
    let redact = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Array(values) => match values.as_slice() {
                [single] => one(name, single),
                several => several.iter().map(|it| one(name, it)).collect(),
            },
            single => one(name, single),
        };
        (name.clone(), value)
    };
    asked.arguments.iter().map(redact).collect()
}

/// Returns the record of a session that has ended, and signs it if that is not done yet.
pub(super) async fn sealed(state: &AppState, id: &str) -> Result<Value, AppError> {
    let session = state.store.session_by_id(id).await?.ok_or_else(missing)?;
    let calls = state.store.session_calls(id).await?;
    if let Some(seal) = &session.seal {
        return Ok(signed(&session, &calls, seal));
    }
    let keys = state.secrets.audit_keys((state.now)());
    let key = keys.signing();
    let mut seal = Seal {
        site: state.public_url.clone(),
        key_id: key.id(),
        public_key: key.encoded(),
        signature: String::new(),
    };
    let unsigned = canonical(&unsigned(&session, &calls, &seal));
    seal.signature = key.encoded_signature(&unsigned);
    state.store.seal_session(id, calls.len(), &seal).await?;
    // Another request may have been first; or a call that began before the end was recorded since.
    let session = state.store.session_by_id(id).await?.ok_or_else(missing)?;
    let seal = session.seal.as_ref().ok_or(AppError::WriteBusy)?;
    Ok(signed(&session, &calls, seal))
}

fn signed(session: &Session, calls: &[SessionCall], seal: &Seal) -> Value {
    let mut record = unsigned(session, calls, seal);
    record["signature"] = seal.signature.clone().into();
    record
}

/// Returns everything that is signed.
fn unsigned(session: &Session, calls: &[SessionCall], seal: &Seal) -> Value {
    let mut events = Vec::new();
    let mut previous = String::new();
    for (index, call) in calls.iter().enumerate() {
        let params: Value = serde_json::from_str(&call.params).unwrap_or_default();
        let event = json!({
            "event_id": format!("{}/{}", session.id, index + 1),
            "timestamp": call.at.to_rfc3339(),
            "capability": call.capability,
            "method": call.method,
            "params": params,
            "policy_result": call.policy,
            "response_status": call.status,
            "prev_hash": previous,
        });
        previous = HEXLOWER.encode(&Sha256::digest(canonical(&event)));
        events.push(event);
    }
    let agent: Value = serde_json::from_str(&session.agent).unwrap_or_default();
    json!({
        "session_id": session.id,
        "site": seal.site,
        "created_at": session.created.to_rfc3339(),
        "ended_at": session.end().to_rfc3339(),
        "agent": agent,
        "events": events,
        "root_hash": previous,
        "algorithm": "Ed25519",
        "key_id": seal.key_id,
        "public_key": seal.public_key,
        "keys": format!("{}{}", seal.site, place::KEYS),
    })
}

/// Returns the canonical form of a value. It has no numbers but whole ones, so that there is one.
fn canonical(value: &Value) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).unwrap_or_default()
}

fn missing() -> AppError {
    AppError::NotFound(Box::new(Missing {
        message: "There is no such session.".to_owned(),
        advice: "Records are kept for 30 days after the session has expired.",
        ..Missing::default()
    }))
}
