//! Reader of OpenAPI 3.x and Swagger 2, for facts that manifests referring to them leave out.
//!
//! An OpenAPI document describes an API, not an agent: no agent is listed from it (GP-05). Its
//! servers and operations complete the agents whose documents name it (GP-18). A `$ref` to a parameter,
//! a request body or its schema is followed one step, within the document.
//!
//! ```
//! use manifest::openapi;
//!
//! let document = b"
//! openapi: 3.1.0
//! info: {title: Island Ferry, version: '2'}
//! servers: [{url: https://ferry.example/api}]
//! paths:
//!   /crossings/{id}:
//!     get: {operationId: getCrossing, summary: One crossing}
//! ";
//! let api = openapi::read(document).ok_or("not an OpenAPI document")?;
//! assert_eq!(api.title.as_deref(), Some("Island Ferry"));
//! assert_eq!(api.servers, ["https://ferry.example/api"]);
//! assert_eq!(api.operations[0].method, "GET");
//! assert_eq!(api.operations[0].id.as_deref(), Some("getCrossing"));
//! # Ok::<(), &str>(())
//! ```

use crate::agent::Param;
use crate::format_id::FormatId;
use crate::marker::{self, Marker};
use crate::text;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

mod operation;
mod security;

#[cfg(test)]
mod tests;

/// Format of `OpenAPI` documents, which describe APIs and are not listed.
pub const ID: FormatId = FormatId::specified("openapi");

/// The version of the specification; a link to an `OpenAPI` document is none.
pub(crate) static MARKER: Marker =
    Marker::named(ID, |o| is_version(o, "openapi") || is_version(o, "swagger"));

/// Maximum size of a document that is read, in bytes.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of operations that are read of one document.
pub const MAX_OPERATIONS: usize = 200;
/// Maximum number of servers that are read of one document.
const MAX_SERVERS: usize = 20;
/// An API as described by an OpenAPI document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenApi {
    /// Version of OpenAPI or Swagger, such as `3.1.0` or `2.0`.
    pub version: String,
    /// The API's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Purpose of the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version of the API itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Base URLs as published: relative ones resolve against the document's final URL. Without any, it
    /// is `/` (OpenAPI 3.1, section 4.8.1.1).
    pub servers: Vec<String>,
    /// True if no server is stated.
    #[serde(default)]
    pub has_default_server: bool,
    /// Security schemes by their names, as OpenAPI 3 writes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub security_schemes: BTreeMap<String, Value>,
    /// The operations, in document order.
    pub operations: Vec<Operation>,
    /// True if there are more than [`MAX_OPERATIONS`].
    pub is_cut: bool,
}

/// One operation of the API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// HTTP method in upper case.
    pub method: String,
    /// Path below a server, with parameters as `{name}`.
    pub path: String,
    /// Its `operationId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its purpose, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its purpose at length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its parameters, those of its path and the members of its JSON body included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// JSON Schema of its JSON body, if it is complete in itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// Its own base URL, or that of its path, as published; none if the servers of the document apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Alternative requirements, each with the names of the schemes that are needed together; empty, or
    /// one without schemes, if none is needed. `None` if the document states nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Vec<Vec<String>>>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// True if its removal is announced.
    #[serde(default)]
    pub deprecated: bool,
    /// Position in the document, as a JSON pointer.
    pub pointer: String,
}

/// Reads an OpenAPI document in JSON or YAML.
///
/// Returns `None` if it is longer than [`MAX_BYTES`], not UTF-8, neither JSON nor YAML within
/// bounds (64 levels, 250,000 values, aliases included), or not of version 2 or 3.
pub fn read(bytes: &[u8]) -> Option<OpenApi> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.len() > MAX_BYTES {
        return None;
    }
    of_value(&parse(std::str::from_utf8(bytes).ok()?)?)
}

/// Reports whether all calls of an API need the same authentication, and no two schemes together: only then
/// a list of schemes says it all. True for a document that cannot be read.
pub(crate) fn needs_are_alike(bytes: &[u8]) -> bool {
    let Some(api) = read(bytes) else { return true };
    let mut needs = api.operations.iter().map(|it| &it.security);
    let first = needs.next().cloned().flatten();
    let has_several = |it: &Vec<Vec<String>>| it.iter().any(|together| together.len() > 1);
    !first.as_ref().is_some_and(has_several) && needs.all(|it| *it == first)
}

/// Reports whether a text is an OpenAPI document by its first member, in JSON, or by a line of its
/// first 16 KiB, in YAML.
///
/// Such a document may be larger than a manifest, and is recognised without being parsed.
pub(crate) fn is_announced(text: &str) -> bool {
    let mut end = text.len().min(16 * 1024);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    let is_member = |text: &str| {
        let name = text.trim_start_matches(['"', '\'']);
        let rest = name
            .strip_prefix("openapi")
            .or_else(|| name.strip_prefix("swagger"));
        let rest = rest.map(|rest| rest.trim_start_matches(['"', '\'', ' ']));
        let version = rest.and_then(|rest| rest.strip_prefix(':'));
        version.is_some_and(|version| {
            let version = version.trim_start_matches(['"', '\'', ' ']);
            version.starts_with(['2', '3'])
        })
    };
    match head.trim_start().strip_prefix('{') {
        Some(members) => is_member(members.trim_start()),
        None => head.lines().any(is_member),
    }
}

/// Parses JSON, or YAML within the parser's own bounds: an alias counts each time it is used.
pub(crate) fn parse(text: &str) -> Option<Value> {
    if text.trim_start().starts_with('{')
        && let Ok(value) = serde_json::from_str(text)
    {
        return Some(value);
    }
    let mut bounds = serde_saphyr::Options::default();
    bounds.alias_limits.max_total_replayed_events = 100_000;
    bounds.budget = serde_saphyr::budget! {
        max_depth: 64,
        max_nodes: 250_000,
        max_documents: 1,
        max_merge_keys: 1_000,
    };
    serde_saphyr::from_str_with_options(text, bounds).ok()
}

/// Returns the facts of a parsed document; `None` if it is not of version 2 or 3.
pub(crate) fn of_value(document: &Value) -> Option<OpenApi> {
    let version = ["openapi", "swagger"]
        .into_iter()
        .find_map(|name| version(document.get(name)?))?;
    let mut api = OpenApi {
        title: text_at(document, "/info/title"),
        description: text_at(document, "/info/description"),
        release: text_at(document, "/info/version"),
        servers: if version.starts_with('2') {
            server_of_swagger(document).into_iter().collect()
        } else {
            servers(document).collect()
        },
        has_default_server: !version.starts_with('2') && has_no_server(document),
        security_schemes: security::schemes(document),
        version,
        ..OpenApi::default()
    };
    if api.servers.is_empty() && (api.version.starts_with('2') || api.has_default_server) {
        api.has_default_server = true;
        api.servers.push("/".to_owned());
    }
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten() {
        let Some(item) = item.as_object() else {
            continue;
        };
        for operation in operation::operations(document, path, item) {
            if api.operations.len() == MAX_OPERATIONS {
                api.is_cut = true;
                return Some(api);
            }
            api.operations.push(operation);
        }
    }
    Some(api)
}

/// Returns a version such as `3.1.0`, which unquoted YAML may give as a number.
fn version(value: &Value) -> Option<String> {
    let version = match value {
        Value::String(version) => text::some(version)?,
        Value::Number(version) => version.to_string(),
        _ => return None,
    };
    let is_known = version == "2" || version.starts_with("2.") || version.starts_with('3');
    is_known.then_some(version)
}

/// Returns the URLs of the servers of a document, a path or an operation.
fn servers(object: &Value) -> impl Iterator<Item = String> {
    let servers = object.get("servers").and_then(Value::as_array);
    let urls = servers.into_iter().flatten().filter_map(server);
    urls.take(MAX_SERVERS)
}

/// Reports whether a document of version 3 has no list of servers, or an empty one.
fn has_no_server(document: &Value) -> bool {
    let servers = document.get("servers");
    servers.is_none_or(|it| it.is_null() || it.as_array().is_some_and(Vec::is_empty))
}

/// Returns the URL of a server, with its variables at their defaults.
fn server(server: &Value) -> Option<String> {
    let url = text_at(server, "/url")?;
    let variables = server.get("variables").and_then(Value::as_object);
    let variables = variables.into_iter().flatten().take(MAX_SERVERS);
    let url = variables.fold(url, |url, (name, variable)| {
        match text_at(variable, "/default") {
            Some(default) => url.replacen(&format!("{{{name}}}"), &default, 1),
            None => url,
        }
    });
    text::some(&url)
}

/// Joins the scheme, host and path of Swagger 2; without a host, the path is relative to the
/// document.
fn server_of_swagger(document: &Value) -> Option<String> {
    let base = text_at(document, "/basePath").unwrap_or_default();
    let Some(host) = text_at(document, "/host") else {
        return Some(base).filter(|base| !base.is_empty());
    };
    let schemes = document.get("schemes").and_then(Value::as_array);
    let has_only_http = schemes.is_some_and(|schemes| {
        schemes.iter().any(|it| it == "http") && schemes.iter().all(|it| it != "https")
    });
    let scheme = if has_only_http { "http" } else { "https" };
    Some(format!("{scheme}://{host}{base}"))
}

fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().and_then(text::some)
}

fn is_version(object: &marker::Object, name: &str) -> bool {
    marker::text(object, name)
        .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}
