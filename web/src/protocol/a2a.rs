//! A2A over JSON-RPC (`POST /a2a`), in the versions 0.3 and 1.0, and the signed agent card.
//!
//! A message is answered at once by a message: text is searched for, and a data part may name a skill.
//! So there are no tasks, no streams and no push notifications.

pub(crate) mod card;

mod answer;
mod message;
mod method;
mod summary;

use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters, Problem, rpc_to};
use crate::json_rpc::{INVALID_REQUEST, RpcError, id_of, is_id};
use crate::media_type;
use crate::own::place;
use crate::protocol::operation::{Caller, Operations};
use crate::state::AppState;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use card::Skill;
use message::Message;
use method::{Method, Version};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Place of the card for clients of A2A 0.2 (C-90).
const OLD_CARD: &str = "/.well-known/agent.json";

/// Media types of a request.
const REQUEST_TYPES: [&str; 2] = [media_type::JSON, "application/a2a+json"];

/// Returns the routes of the binding and the card.
pub(crate) fn routes(operations: &Operations) -> Router<AppState> {
    let operations = operations.clone();
    let skills: Arc<[Skill]> = operations.all().map(Skill::of).collect();
    let card = get(
        async move |_: NoParameters, State(state): State<AppState>, headers: HeaderMap| {
            let keys = state.secrets.card_keys((state.now)());
            let card = card::signed(&state.public_url, &skills, keys.signing());
            cache::json(&card, Policy::Details, &headers)
        },
    );
    Router::new()
        .route(
            place::A2A,
            post(async move |it| answer(operations, it).await),
        )
        .route(place::AGENT_CARD, card.clone())
        .route(OLD_CARD, card)
}

/// Answers a request.
async fn answer(operations: Operations, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    // The limit of the layers holds for the body, however it is sent.
    let body = Bytes::from_request(request, &())
        .await
        .map_err(AppError::from)?;
    if !media_type::is_one_of(&parts.headers, &REQUEST_TYPES) {
        let message = "send the request with `Content-Type: application/json`";
        let error = RpcError::new(INVALID_REQUEST, message).response(&id_of(&body));
        return Ok((StatusCode::UNSUPPORTED_MEDIA_TYPE, Json(error)).into_response());
    }
    let caller = operations.caller(&parts);
    let response = match RpcRequest::read(&body) {
        Err(error) => error.response(&id_of(&body)),
        Ok(request) => match respond(&operations, &caller, &parts.headers, request.clone()).await {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": request.id, "result": result }),
            Err(Refused::Whole(error)) => return Ok(rpc_to(&request.id, error)),
            Err(Refused::Message(error)) => error.response(&request.id),
        },
    };
    Ok(cache::keep(Policy::Never, Json(response).into_response()))
}

/// Returns the result of a request.
async fn respond(
    operations: &Operations,
    caller: &Caller,
    headers: &HeaderMap,
    request: RpcRequest,
) -> Result<Value, Refused> {
    let version = Version::of(headers)?;
    let method = Method::of(version, &request.method)?;
    match method.refusal(version) {
        Some(error) => Err(error.into()),
        None if method == Method::ListTasks => Ok(json!({
            "tasks": [],
            "nextPageToken": "",
            "pageSize": 0,
            "totalSize": 0,
        })),
        None => {
            let message = Message::read(version, &request.params)?;
            answer::to(operations, caller, version, message).await
        }
    }
}

/// Reason why a request has no result.
#[derive(Debug)]
enum Refused {
    /// Refusal of the request as a whole, whose status is that of the answer.
    Whole(AppError),
    /// Error of the protocol, with status 200.
    Message(RpcError),
}

impl From<RpcError> for Refused {
    fn from(error: RpcError) -> Self {
        Self::Message(error)
    }
}

/// Request of JSON-RPC. A2A has no notifications, so it has an id.
#[derive(Clone, Debug)]
struct RpcRequest {
    id: Value,
    method: String,
    params: Map<String, Value>,
}

impl RpcRequest {
    fn read(body: &[u8]) -> Result<Self, RpcError> {
        let wrong = |message: &str| RpcError::new(INVALID_REQUEST, message);
        let Ok(Value::Object(mut request)) = serde_json::from_slice(body) else {
            return Err(RpcError::of_body(body));
        };
        if request.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(wrong("`jsonrpc` must be \"2.0\""));
        }
        let Some(id) = request.remove("id") else {
            return Err(wrong("`id` is missing: A2A has no notifications"));
        };
        if !is_id(&id) {
            return Err(wrong("`id` must be a text or a whole number"));
        }
        let Some(Value::String(method)) = request.remove("method") else {
            return Err(wrong("`method` must be a text"));
        };
        let params = match request.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err(wrong("`params` must be an object")),
        };
        Ok(Self { id, method, params })
    }
}
