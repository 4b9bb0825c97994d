//! MCP over streamable HTTP (`POST /mcp`), without sessions and without streams.
//!
//! The protocol is that of the official SDK. Its answers to requests that it cannot read are plain
//! text; here they become errors of JSON-RPC.

mod tools;

use crate::error::{AppError, Problem, rpc_to};
use crate::json_rpc::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError, id_of,
};
use crate::media_type::is_json;
use crate::parameter::BadParameter;
use crate::protocol::operation::{Operation, Operations};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest as _, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, post};
use axum::{Json, http};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tools::Tools;

/// Maximum number of bytes of a text in which the SDK describes a fault.
const MAX_FAULT: usize = 4_096;

/// Method that calls a tool.
const CALL: &str = "tools/call";

/// Methods that the server has; notifications aside.
const METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/list", CALL];

type Service = StreamableHttpService<Tools, NeverSessionManager>;

/// Returns the handler of the address. `stopping` ends what is left of the SDK's tasks.
pub(crate) fn handler<S: Clone + Send + Sync + 'static>(
    operations: &Operations,
    stopping: &CancellationToken,
) -> MethodRouter<S> {
    let tools = Tools::new(operations.clone());
    // Pages of any origin may call what reads, as in the other protocols; what acts is checked below. The
    // host is not compared: behind a proxy it may be any.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_cancellation_token(stopping.clone())
        .with_max_request_body_bytes(crate::error::MAX_BODY)
        .disable_allowed_hosts();
    let make = move || Ok(tools.clone());
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(make, sessions, config);
    let operations = operations.clone();
    post(async move |request| answer(service, &operations, request).await)
}

/// Answers a request.
async fn answer(
    service: Service,
    operations: &Operations,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    // The limit of the layers holds for the body, however it is sent.
    let body = Bytes::from_request(request, &())
        .await
        .map_err(AppError::from)?;
    if let Some(tool) = tool_of(operations, &body)
        && let Err(error) = Operations::permit(&tool.capability, &operations.caller(&parts))
    {
        return Ok(rpc_to(&id_of(&body), error));
    }
    if let Some(fault) = fault_of_call(&body) {
        let error = RpcError::new(INVALID_PARAMS, fault);
        return Ok(Json(error.response(&id_of(&body))).into_response());
    }
    let is_declared = is_json(&parts.headers);
    let request = http::Request::from_parts(parts, Body::from(body.clone()));
    let (mut parts, answer) = service.handle(request).await.into_parts();
    if is_json(&parts.headers) || parts.status.is_success() {
        if let Some(name) = unknown_method(&body) {
            let text = to_bytes(Body::new(answer), MAX_FAULT + body.len()).await;
            let text = text.unwrap_or_default();
            let answer = naming_methods(&text, &name).unwrap_or(text);
            parts.headers.remove(CONTENT_LENGTH);
            return Ok(Response::from_parts(parts, Body::from(answer)));
        }
        return Ok(Response::from_parts(parts, Body::new(answer)));
    }
    let text = to_bytes(Body::new(answer), MAX_FAULT).await;
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    Ok(fault(parts.status, text, &body, is_declared))
}

/// Returns the operation whose tool a request calls.
fn tool_of<'o>(operations: &'o Operations, body: &[u8]) -> Option<&'o Operation> {
    let request: Value = serde_json::from_slice(body).ok()?;
    let name = request.get("params")?.get("name")?.as_str()?;
    let mut all = operations.all();
    all.find(|it| request["method"] == CALL && it.capability.tool == Some(name))
}

/// Describes the parameters of a call that are not those of the protocol, which the SDK takes for another
/// method.
fn fault_of_call(body: &[u8]) -> Option<&'static str> {
    let request: Value = serde_json::from_slice(body).ok()?;
    if request["method"] != CALL || request.get("id").is_none() {
        return None;
    }
    let params = &request["params"];
    if !params["name"].is_string() {
        return Some("`params.name` must be the name of a tool, as a string");
    }
    let arguments = params.get("arguments").unwrap_or(&Value::Null);
    let is_valid = arguments.is_object() || arguments.is_null();
    (!is_valid).then_some("`params.arguments` must be an object with the arguments by their names")
}

/// Returns the method of a request, unless the server has it.
fn unknown_method(body: &[u8]) -> Option<String> {
    let request: Value = serde_json::from_slice(body).ok()?;
    let method = request.get("method")?.as_str()?;
    let is_request = request.get("id").is_some();
    (is_request && !METHODS.contains(&method)).then(|| method.to_owned())
}

/// Adds the methods that there are to the error about one that there is not.
fn naming_methods(answer: &[u8], method: &str) -> Option<Bytes> {
    let mut answer: Value = serde_json::from_slice(answer).ok()?;
    let error = answer.get_mut("error")?;
    if error["code"] != METHOD_NOT_FOUND {
        return None;
    }
    let fault = BadParameter::unknown_value("method", method, &METHODS);
    error["message"] = fault.message.clone().into();
    error["data"] = serde_json::to_value(fault).ok()?;
    Some(answer.to_string().into())
}

/// Returns a fault that the SDK describes in plain text as an error of JSON-RPC.
fn fault(status: StatusCode, text: String, body: &[u8], is_declared: bool) -> Response {
    let (status, error) = match status {
        // JSON that is not a message is a fault of the message, not of its media type.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_declared => {
            (StatusCode::BAD_REQUEST, RpcError::of_body(body))
        }
        status if status.is_server_error() => {
            tracing::error!(status = status.as_u16(), "a request to MCP failed: {text}");
            let message = "an internal error occurred and was logged";
            (status, RpcError::new(INTERNAL_ERROR, message))
        }
        status => (status, RpcError::new(INVALID_REQUEST, text)),
    };
    (status, Json(error.response(&id_of(body)))).into_response()
}
