//! Description of the Interaction API in `/openapi.json`, made from the table of capabilities.

use super::request::{MAX_BODY, PAGE, STARTS};
use crate::error::envelope;
use crate::openapi::EMPTY;
use crate::own::capability::{CAPABILITIES, Capability};
use crate::own::parameter::{Parameter, object};
use crate::own::place;
use aide::openapi::{Components, OpenApi, PathItem, ReferenceOr, SchemaObject, SecurityScheme};
use axum::http::Method;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

/// Name of the security scheme.
const SCHEME: &str = "session";
/// Name of the schema of a refusal.
const REFUSAL: &str = "InteractionRefusal";
/// Media type of bodies, and of the answers of the native API.
const JSON: &str = "application/json";

/// Status with its reason.
type Reason = (u16, &'static str);

/// Refusals that any request may be answered with.
const ANYWHERE: [Reason; 6] = [
    (
        400,
        "A parameter is missing or invalid, or the headers name different sessions.",
    ),
    (
        405,
        "The address does not accept the method; `Allow` states the methods that it accepts.",
    ),
    (413, "The body is too large."),
    (
        429,
        "Too many requests, sessions or calls of a session; `Retry-After` states when to try again.",
    ),
    (500, "An internal error, which was logged."),
    (
        503,
        "The registry is busy, or the search index cannot be read at present.",
    ),
];

/// Refusals of a body.
const OF_BODY: [Reason; 1] = [(415, "The body is not of the type application/json.")];

/// Statuses without a body, with which a request is refused before its operation is known.
const UNREAD: [Reason; 2] = [
    (414, "The address has more than 64 KiB."),
    (431, "The header fields are too many or too long."),
];

const NO_SESSION: Reason = (401, "There is no open session.");

/// Adds the Interaction API to a description of the native API, whose schemas it uses.
pub(crate) fn describe(document: &mut OpenApi) {
    let native = serde_json::to_value(&*document).unwrap_or_default();
    let mut paths = Map::new();
    let mut add = |path: &str, method: &Method, operation: Value| {
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[method.as_str().to_lowercase()] = operation;
    };
    for capability in &CAPABILITIES {
        let (path, variable) = capability.interaction_parts();
        let path = format!("{}{path}", place::INTERACTION);
        let answers = answers(capability, &native);
        add(
            &path,
            &capability.method,
            operation(capability, None, &answers),
        );
        if variable.is_some() {
            let path = capability.interaction_address();
            add(
                &path,
                &capability.method,
                operation(capability, variable, &answers),
            );
        }
    }
    add(place::SESSION, &Method::POST, creation());
    add(place::SESSION, &Method::DELETE, deletion());
    add(place::AUDIT, &Method::GET, record());
    let described = document.paths.get_or_insert_default();
    for (path, item) in paths {
        if let Ok(item) = serde_json::from_value::<PathItem>(item) {
            described.paths.insert(path, ReferenceOr::Item(item));
        }
    }
    let scheme = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "Token of a session of the Interaction API. `X-Agent-Session: <token>` is the same.",
    });
    let components = document.components.get_or_insert_with(Components::default);
    if let Ok(scheme) = serde_json::from_value::<SecurityScheme>(scheme) {
        let schemes = &mut components.security_schemes;
        schemes.insert(SCHEME.to_owned(), ReferenceOr::Item(scheme));
    }
    let refusal = SchemaObject {
        json_schema: refusal(),
        external_docs: None,
        example: None,
    };
    components.schemas.insert(REFUSAL.to_owned(), refusal);
}

/// Returns the schema of a refusal in its envelope (IA-10).
fn refusal() -> Schema {
    json_schema!({
        "type": "object",
        "description": "Refusal of the Interaction API.",
        "properties": {
            "ok": { "type": "boolean", "description": "False." },
            "error": { "type": "string" },
        },
        "required": ["ok", "error"],
    })
}

/// Describes the call of a capability, with or without a variable in its path.
fn operation(
    capability: &Capability,
    variable: Option<&str>,
    answers: &[(u16, &str, Value)],
) -> Value {
    let mut refusals: Vec<Reason> = ANYWHERE.to_vec();
    if capability.needs_session {
        refusals.push(NO_SESSION);
    }
    if capability.parameters().iter().any(|it| it.is_required) {
        refusals.push(if capability.acts() {
            (
                403,
                "The site is excluded, there is nothing to do, or a page of another origin sent the \
                 request.",
            )
        } else {
            (403, "The site is excluded, or there is nothing to do.")
        });
        refusals.push((404, "No such agent or site."));
    }
    let by = variable.map(|it| if it == "id" { "ById" } else { "ByDomain" });
    let by = by.unwrap_or_default();
    let mut described = json!({
        "operationId": format!("interaction_{}{by}", capability.name),
        "summary": capability.description,
        "security": if capability.needs_session {
            json!([{ SCHEME: [] }])
        } else {
            json!([{}, { SCHEME: [] }])
        },
    });
    if capability.method == Method::GET {
        described["parameters"] = parameters(capability, variable);
    } else {
        refusals.extend(OF_BODY);
        described["requestBody"] = body(&open(object(&capability.parameters()).to_value()));
    }
    described["responses"] = responses(answers, &refusals);
    if capability.method == Method::GET {
        described["responses"]["304"] =
            json!({ "description": "The client has the answer that its tag names." });
    }
    described
}

/// Returns the schema of an object that may have further members, which are ignored (IA-06).
fn open(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("additionalProperties");
    }
    schema
}

fn parameters(capability: &Capability, variable: Option<&str>) -> Value {
    let all = capability.parameters();
    let is_list = all.iter().any(|it| STARTS.contains(&it.name));
    let mut described: Vec<Value> = all
        .iter()
        .map(|it| parameter(it, variable == Some(it.name)))
        .collect();
    if is_list {
        described.push(json!({
            "name": PAGE,
            "in": "query",
            "description": "Number of the page, which only `next` of an answer names.",
            "schema": or_empty(&json!({ "type": "integer", "minimum": 1 })),
            EMPTY: true,
        }));
    }
    described.into()
}

fn parameter(parameter: &Parameter, is_in_path: bool) -> Value {
    let mut schema = Value::Object(parameter.schema.clone());
    if parameter.is_required {
        schema["minLength"] = json!(1);
    } else if parameter.kind() != "string" || parameter.schema.contains_key("enum") {
        schema = or_empty(&schema);
    }
    let mut described = json!({
        "name": parameter.name,
        "in": if is_in_path { "path" } else { "query" },
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": schema,
    });
    if !parameter.is_required {
        described[EMPTY] = json!(true);
    }
    described
}

/// Returns the schema of a parameter that may be empty, which is the same as absent.
fn or_empty(schema: &Value) -> Value {
    json!({ "anyOf": [schema, { "type": "string", "maxLength": 0 }] })
}

fn body(schema: &Value) -> Value {
    json!({
        "description": format!("Parameters, in at most {} KiB.", MAX_BODY >> 10),
        "required": false,
        "content": { JSON: { "schema": schema } },
    })
}

/// Returns the successful answers of a capability: those of the native API, or what is made of them.
fn answers(capability: &Capability, native: &Value) -> Vec<(u16, &'static str, Value)> {
    if capability.needs_person {
        let reason = "The address at which a person completes this.";
        return vec![(
            200,
            reason,
            members(&["handoff_url", "expires_at", "message"]),
        )];
    }
    let method = capability.method.as_str().to_lowercase();
    let operation = &native["paths"][capability.api_address()][method];
    let schema = |status: &str| {
        let schema = &operation["responses"][status]["content"][JSON]["schema"];
        (!schema.is_null()).then(|| schema.clone())
    };
    let queued = schema("202").map(|it| (201, "The site waits for a visit.", it));
    let body = |it| {
        if capability.is_list() {
            page(it, native)
        } else {
            it
        }
    };
    let done = schema("200").map(|it| (200, "The answer.", body(it)));
    done.into_iter().chain(queued).collect()
}

/// Returns the schema of a page, if a body of the native API is one (IA-11).
fn page(schema: Value, native: &Value) -> Value {
    let name = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next());
    let members = &native["components"]["schemas"][name.unwrap_or_default()]["properties"];
    let items = match (&members["next_cursor"], &members["next_after"]) {
        (Value::Null, Value::Null) => return schema,
        (Value::Null, _) => &members["capabilities"],
        _ => &members["results"],
    };
    json!({
        "type": "object",
        "properties": {
            "results": items,
            "total": { "type": ["integer", "null"], "description": "Number of all results, if it is known." },
            "page": { "type": "integer", "minimum": 1 },
            "limit": { "type": "integer", "minimum": 1 },
            "next": { "type": ["string", "null"], "description": "Address of the next page." },
        },
        "required": ["results", "total", "page", "limit", "next"],
    })
}

/// Returns the schema of an object with these members, which are texts.
fn members(names: &[&str]) -> Value {
    let texts = names
        .iter()
        .map(|it| ((*it).to_owned(), json!({ "type": "string" })));
    json!({ "type": "object", "properties": texts.collect::<Map<_, _>>(), "required": names })
}

fn creation() -> Value {
    let mut refusals = ANYWHERE.to_vec();
    refusals.extend(OF_BODY);
    let text = json!({ "type": "string" });
    let statements = json!({
        "type": "object",
        "properties": { "agent_name": text, "agent_version": text, "purpose": text },
    });
    let mut data = members(&["session_token", "session_id", "expires_at", "audit"]);
    data["properties"]["capabilities"] = json!({ "type": "array", "items": text });
    json!({
        "operationId": "interaction_createSession",
        "summary": "Creates a session, and returns its token once.",
        "requestBody": body(&statements),
        "responses": responses(&[(201, "The session.", data)], &refusals),
    })
}

fn deletion() -> Value {
    let mut refusals = ANYWHERE.to_vec();
    refusals.push(NO_SESSION);
    let data = members(&["session_id", "ended_at", "audit"]);
    json!({
        "operationId": "interaction_deleteSession",
        "summary": "Ends a session, and signs its record.",
        "security": [{ SCHEME: [] }],
        "responses": responses(&[(200, "The session has ended.", data)], &refusals),
    })
}

fn record() -> Value {
    let mut refusals = ANYWHERE.to_vec();
    refusals.push((404, "No such session."));
    refusals.push((
        409,
        "The session is still open; `Retry-After` states when it ends.",
    ));
    let mut data = members(&[
        "session_id",
        "site",
        "created_at",
        "ended_at",
        "root_hash",
        "algorithm",
        "key_id",
        "public_key",
        "keys",
        "signature",
    ]);
    data["properties"]["agent"] = json!({ "type": "object" });
    data["properties"]["events"] = json!({ "type": "array", "items": { "type": "object" } });
    let mut described = json!({
        "operationId": "interaction_getAudit",
        "summary": "Returns the signed record of a session that has ended.",
        "parameters": [{
            "name": "session_id",
            "in": "path",
            "required": true,
            "description": "Public id of the session.",
            "schema": { "type": "string", "minLength": 1 },
        }],
        "responses": responses(&[(200, "The record.", data)], &refusals),
    });
    described["responses"]["304"] =
        json!({ "description": "The client has the answer that its tag names." });
    described
}

/// Returns answers and refusals in their envelopes (IA-10).
fn responses(answers: &[(u16, &str, Value)], refusals: &[Reason]) -> Value {
    let enveloped = |reason: &str, schema: &Value| json!({ "description": reason, "content": { envelope::JSON: { "schema": schema } } });
    let mut responses = Map::new();
    for (status, reason, data) in answers {
        let schema = json!({
            "type": "object",
            "properties": { "ok": { "type": "boolean", "description": "True." }, "data": data },
            "required": ["ok", "data"],
        });
        responses.insert(status.to_string(), enveloped(reason, &schema));
    }
    let refused = json!({ "$ref": format!("#/components/schemas/{REFUSAL}") });
    for (status, reason) in refusals {
        responses.insert(status.to_string(), enveloped(reason, &refused));
    }
    for (status, reason) in UNREAD {
        responses.insert(status.to_string(), json!({ "description": reason }));
    }
    responses.into()
}
