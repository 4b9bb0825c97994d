//! Answers to messages.

use super::Refused;
use super::message::Message;
use super::method::Version;
use super::summary::summary;
use crate::json_rpc::{INTERNAL_ERROR, INVALID_PARAMS, RpcError, SERVER_ERROR};
use crate::parameter::BadParameter;
use crate::protocol::operation::{Caller, Operation, Operations, Refusal};
use crate::random;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

/// Member of a data part that names the skill.
const SKILL: &str = "skill";
/// Skill of a message that names none.
const DEFAULT: &str = "search";
/// Argument of that skill that a text part gives.
const NEED: &str = "q";

/// Answers a message by calling the skill that it names, or by searching for its text.
pub(super) async fn to(
    operations: &Operations,
    caller: &Caller,
    version: Version,
    message: Message,
) -> Result<Value, Refused> {
    let named = match &message.data {
        Some(_) => None,
        None => command(operations, &message.text),
    };
    let (operation, mut arguments) = if let Some(named) = named {
        named
    } else {
        let mut arguments = message.data.unwrap_or_default();
        let skill = skill(operations, arguments.shift_remove(SKILL))?;
        (skill, arguments)
    };
    Operations::permit(&operation.capability, caller).map_err(Refused::Whole)?;
    let takes_text = operation.capability.name == DEFAULT;
    if takes_text && !message.text.is_empty() && !arguments.contains_key(NEED) {
        arguments.insert(NEED.to_owned(), message.text.into());
    }
    let (text, data) = match operations.call(operation, arguments, caller).await {
        Ok(body) => {
            let text = summary(&operation.capability, &body);
            let label = operation.label().map(|it| format!("\n\n{it}"));
            (text + &label.unwrap_or_default(), body)
        }
        // That there is no such agent or site is an answer.
        Err(refusal) if [StatusCode::NOT_FOUND, StatusCode::GONE].contains(&refusal.status) => {
            (refusal.text(), refusal.problem)
        }
        Err(refusal) => return Err(error(version, refusal).into()),
    };
    let mut parts = Vec::new();
    if message.accepts_text {
        parts.push(match version {
            Version::V03 => json!({ "kind": "text", "text": text }),
            Version::V10 => json!({ "text": text, "mediaType": "text/plain" }),
        });
    }
    if message.accepts_data {
        parts.push(match version {
            Version::V03 => json!({ "kind": "data", "data": data }),
            Version::V10 => json!({ "data": data, "mediaType": "application/json" }),
        });
    }
    let id = random::hex_id();
    let context = message.context.unwrap_or_else(random::hex_id);
    Ok(match version {
        Version::V03 => json!({
            "kind": "message",
            "messageId": id,
            "contextId": context,
            "role": "agent",
            "parts": parts,
        }),
        Version::V10 => json!({ "message": {
            "messageId": id,
            "contextId": context,
            "role": "ROLE_AGENT",
            "parts": parts,
        }}),
    })
}

/// Reads a text that is the name of a skill and its argument, if it needs one.
fn command<'o>(
    operations: &'o Operations,
    text: &str,
) -> Option<(&'o Operation, Map<String, Value>)> {
    let mut words = text.split_whitespace();
    let operation = operations.named(&words.next()?.to_lowercase())?;
    let mut parameters = operation.capability.parameters();
    parameters.retain(|it| it.is_required);
    if operation.capability.name == DEFAULT || words.clone().count() != parameters.len() {
        return None;
    }
    let arguments = parameters.iter().zip(words);
    let arguments = arguments.map(|(it, word)| (it.name.to_owned(), word.into()));
    Some((operation, arguments.collect()))
}

/// Finds a skill by its id.
fn skill(operations: &Operations, named: Option<Value>) -> Result<&Operation, RpcError> {
    let name = match named {
        None => DEFAULT.to_owned(),
        Some(Value::String(name)) => name,
        Some(_) => {
            let message = format!("`{SKILL}` must be the id of a skill");
            return Err(RpcError::new(INVALID_PARAMS, message));
        }
    };
    operations.named(&name).ok_or_else(|| {
        let known: Vec<&str> = operations.all().map(|it| it.capability.name).collect();
        let fault = BadParameter::unknown_value(SKILL, &name, &known);
        RpcError::new(INVALID_PARAMS, fault.message)
    })
}

/// Returns the error of a call that the API refuses.
fn error(version: Version, refusal: Refusal) -> RpcError {
    let code = match refusal.status {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => SERVER_ERROR,
        status if status.is_server_error() => INTERNAL_ERROR,
        _ => INVALID_PARAMS,
    };
    let message = refusal.text();
    let data = match version {
        Version::V03 => Some(refusal.problem),
        Version::V10 => violations(&refusal.problem),
    };
    RpcError {
        data,
        ..RpcError::new(code, message)
    }
}

/// Returns the faults of arguments as 1.0 writes them, if there are any.
fn violations(problem: &Value) -> Option<Value> {
    let faults = problem["errors"].as_array()?;
    let violations = faults
        .iter()
        .map(|fault| json!({ "field": fault["pointer"], "description": fault["message"] }));
    Some(json!([{
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": violations.collect::<Vec<_>>(),
    }]))
}
