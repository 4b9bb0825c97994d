//! The types of `connect`, as the API gives them.

use manifest::agent::{Payment, RateLimit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// Data for a first call.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub(crate) struct Connect {
    /// Protocol and version, such as `a2a/0.3`; absent if the manifest names no protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<String>,
    /// Binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) transport: Option<String>,
    /// Address to call.
    pub(crate) endpoint: String,
    /// Owner of the endpoint, if that is not the site: the manifest is then only a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) foreign: Option<ForeignOwner>,
    /// Tenant to name in calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
    /// Authentication of callers.
    pub(crate) auth: Access,
    /// Session to create first, if the call needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<Session>,
    /// True if a person has to finish the call at a URL.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) human_handoff: bool,
    /// Ways to pay for the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) payments: Vec<Payment>,
    /// Limits on calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rate_limits: Vec<RateLimit>,
    /// Capability that the example calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) capability: Option<String>,
    /// Address of the capability as published, with its variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url_template: Option<String>,
    /// Example of a first call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) example: Option<Call>,
    /// Every request in order, if one is not enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<Step>,
    /// Values for the caller to fill in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) placeholders: Vec<Placeholder>,
    /// Facts that a caller needs and no document states.
    pub(crate) missing: Vec<&'static str>,
    /// Facts that a format's definition filled in.
    pub(crate) defaulted: Vec<&'static str>,
    /// Every interface that the documents name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) interfaces: Vec<InterfaceBody>,
    /// Configuration of an MCP client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_config: Option<Value>,
    /// The requests as source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippets: Option<Snippets>,
}

/// Owner other than the site: a registrable domain, or the host itself. Serialized as `true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignOwner(pub(crate) String);

impl JsonSchema for ForeignOwner {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ForeignOwner".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "description": "True, and absent unless the interface is on a host of another owner." })
    }
}

impl Serialize for ForeignOwner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

/// Authentication of callers.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Access {
    /// Scheme, `none`, or `unknown` if the manifest states nothing.
    pub(crate) kind: String,
    /// Source of tokens, or position of the key.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// The credential in a request.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) carrier: Option<Carrier>,
}

/// Position and form of a credential in a request.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Carrier {
    /// `header`, `query` or `cookie`.
    #[serde(rename = "in")]
    pub(crate) location: &'static str,
    /// Name of the header, parameter or cookie.
    pub(crate) name: String,
    /// Value, with a placeholder for the secret.
    pub(crate) value: String,
}

/// Addresses that create and delete sessions.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Session {
    /// Address for `POST`.
    pub(crate) create: String,
    /// Address for `DELETE`.
    pub(crate) delete: String,
    /// Lifetime in seconds.
    pub(crate) ttl_s: u64,
}

/// Interface that the documents name.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Door")]
pub(crate) struct InterfaceBody {
    /// Protocol and version.
    pub(crate) protocol: String,
    /// Binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) transport: Option<String>,
    /// Its address.
    pub(crate) endpoint: String,
    /// Owner of the address, if that is not the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) foreign: Option<ForeignOwner>,
    /// True if the publisher prefers it.
    pub(crate) preferred: bool,
}

/// One request of several.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub(crate) struct Step {
    /// Purpose: `create_session`, `call`, `delete_session`, `pay`, `initialize`, `initialized` or
    /// `call_tool`.
    pub(crate) name: &'static str,
    /// The request.
    pub(crate) call: Call,
    /// Value in the answer that later steps need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gives: Option<Gives>,
}

/// Value in the answer to a step.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Gives {
    /// The placeholder that it replaces.
    pub(crate) placeholder: &'static str,
    /// `body` or `header`.
    #[serde(rename = "in")]
    pub(crate) location: &'static str,
    /// Name of the header, or of the member with those around it, joined by dots.
    pub(crate) name: &'static str,
}

/// Value for the caller to fill in.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub(crate) struct Placeholder {
    /// The text to replace, braces included.
    #[serde(rename = "placeholder")]
    pub(crate) text: String,
    /// `path`, `query`, `header`, `cookie` or `body`.
    #[serde(rename = "in")]
    pub(crate) location: &'static str,
    /// JSON type of the value. In a body, a value of another type than string also replaces the
    /// quotation marks.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// Meaning of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// JSON Schema of the value, as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<Value>,
}

impl Placeholder {
    /// Creates the placeholder of a text that the protocol asks for.
    pub(crate) fn named(name: &str, location: &'static str, description: &str) -> Self {
        Self {
            text: format!("{{{name}}}"),
            location,
            kind: Some("string".to_owned()),
            description: Some(description.to_owned()),
            schema: None,
        }
    }
}

/// The requests as source code, and the configuration of an MCP client.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Snippets {
    /// Commands for a POSIX shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) curl: Option<String>,
    /// Python, with the library `requests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) python: Option<String>,
    /// TypeScript, with `fetch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) typescript: Option<String>,
    /// Configuration of an MCP client, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mcp: Option<String>,
}

/// Language of snippets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Curl,
    Python,
    TypeScript,
    /// Configuration of an MCP client.
    Mcp,
}

impl Snippets {
    /// Returns the snippets in these languages; `None` if there are none.
    pub(crate) fn only(self, wanted: &[Language]) -> Option<Self> {
        let is_wanted = |it| wanted.contains(&it);
        let kept = Self {
            curl: self.curl.filter(|_| is_wanted(Language::Curl)),
            python: self.python.filter(|_| is_wanted(Language::Python)),
            typescript: self.typescript.filter(|_| is_wanted(Language::TypeScript)),
            mcp: self.mcp.filter(|_| is_wanted(Language::Mcp)),
        };
        let all = [&kept.curl, &kept.python, &kept.typescript, &kept.mcp];
        let is_empty = all.iter().all(|it| it.is_none());
        (!is_empty).then_some(kept)
    }
}

/// HTTP request.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<Value>,
}

impl Call {
    /// Creates a request without headers and body.
    pub(crate) fn new(method: &str, url: &str) -> Self {
        Self {
            method: method.to_owned(),
            url: url.to_owned(),
            headers: BTreeMap::new(),
            body: None,
        }
    }

    /// Creates a `POST` of JSON.
    pub(crate) fn post(url: &str, media_type: &str, body: Value) -> Self {
        let mut call = Self::new("POST", url);
        call.add_header("Content-Type", media_type);
        call.body = Some(body);
        call
    }

    /// Adds a header, unless the request has it; one that HTTP does not allow is left out.
    pub(crate) fn add_header(&mut self, name: &str, value: &str) {
        let is_known = self.headers.keys().any(|it| it.eq_ignore_ascii_case(name));
        if !is_known && is_token(name) {
            let value = value.replace(char::is_control, " ");
            self.headers.insert(name.to_owned(), value);
        }
    }

    /// Adds a parameter to the query; the value is encoded already.
    pub(crate) fn add_query(&mut self, name: &str, value: &str) {
        let separator = if self.url.contains('?') { '&' } else { '?' };
        self.url = format!("{}{separator}{name}={value}", self.url);
    }

    /// Returns true if `text` occurs in the request.
    fn mentions(&self, text: &str) -> bool {
        fn has(value: &Value, text: &str) -> bool {
            match value {
                Value::String(it) => it.contains(text),
                Value::Array(items) => items.iter().any(|it| has(it, text)),
                Value::Object(members) => members.values().any(|it| has(it, text)),
                _ => false,
            }
        }
        self.url.contains(text)
            || self.headers.values().any(|it| it.contains(text))
            || self.body.as_ref().is_some_and(|it| has(it, text))
    }

    /// Formats the request for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} {}", self.method, self.url);
        for (name, value) in &self.headers {
            text = format!("{text}\n{name}: {value}");
        }
        if let Some(body) = &self.body {
            let body = serde_json::to_string_pretty(body).unwrap_or_default();
            text = format!("{text}\n\n{body}");
        }
        text
    }
}

/// Returns true for a name of a method or header (RFC 9110, section 5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// A call in the making.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) url_template: Option<String>,
    pub(crate) example: Option<Call>,
    pub(crate) steps: Vec<Step>,
    pub(crate) placeholders: Vec<Placeholder>,
    pub(crate) missing: Vec<&'static str>,
    pub(crate) defaulted: Vec<&'static str>,
}

impl Draft {
    /// Creates a draft without an example, since no document states `fact`.
    pub(crate) fn without(fact: &'static str) -> Self {
        Self {
            missing: vec![fact],
            ..Self::default()
        }
    }

    /// Adds a placeholder, once.
    pub(crate) fn ask(&mut self, placeholder: Placeholder) {
        let text = &placeholder.text;
        if !self.placeholders.iter().any(|it| it.text == *text) {
            self.placeholders.push(placeholder);
        }
    }

    /// Notes a fact that a format's definition fills in, once.
    pub(crate) fn fills(&mut self, fact: &'static str) {
        if !self.defaulted.contains(&fact) {
            self.defaulted.push(fact);
        }
    }

    /// Lists every request in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        let only = self.example.iter().filter(|_| self.steps.is_empty());
        only.chain(self.steps.iter().map(|it| &it.call))
    }

    /// Drops the placeholders that no request has.
    pub(crate) fn drop_unused(&mut self) {
        let all = std::mem::take(&mut self.placeholders);
        let is_used = |it: &Placeholder| self.calls().any(|call| call.mentions(&it.text));
        self.placeholders = all.into_iter().filter(is_used).collect();
    }

    /// Notes a fact that no document states, once.
    pub(crate) fn lacks(&mut self, fact: &'static str) {
        if !self.missing.contains(&fact) {
            self.missing.push(fact);
        }
    }
}
