//! The types of `connect`, as the API gives them.

use super::callable::Callable;
use manifest::agent::{Payment, RateLimit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Data for a first call.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Connect {
    /// Protocol and version, such as `a2a/0.3`; absent if the manifest names no protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Best way in which a stranger can use the agent.
    pub callable: Callable,
    /// Reason of `callable`, in a sentence.
    pub callable_because: String,
    /// Address to call; absent if nothing can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Owner of the endpoint, if that is not the site: the manifest is then only a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<ForeignOwner>,
    /// Tenant to name in calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Authentication of callers.
    pub auth: Access,
    /// Session to create first, if the call needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// True if a person has to finish the call at a URL.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub human_handoff: bool,
    /// Ways to pay for the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payments: Vec<Payment>,
    /// Limits on calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rate_limits: Vec<RateLimit>,
    /// Capability that the example calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Address of the capability as published, with its variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_template: Option<String>,
    /// Example of a first call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Call>,
    /// Every request in order, if one is not enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Values for the caller to fill in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placeholders: Vec<Placeholder>,
    /// Facts that a caller needs and no document states.
    pub missing: Vec<&'static str>,
    /// Facts that a format's definition filled in.
    pub defaulted: Vec<&'static str>,
    /// Every interface that the documents name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<InterfaceBody>,
    /// Configuration of an MCP client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_config: Option<Value>,
    /// The same in the form of each client.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub client_configs: Vec<ClientConfig>,
    /// Id of the messages in commands of a shell, which callers renew.
    #[serde(skip)]
    pub message_id: Uuid,
    /// The requests as source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippets: Option<Snippets>,
}

/// Configuration of one MCP client.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct ClientConfig {
    /// Name of the client: `Claude`, `Cursor` or `VS Code`.
    pub client: &'static str,
    /// Content of its configuration file.
    pub config: Value,
    /// Address that installs the server in the client when it is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
}

/// Owner other than the site: a registrable domain, or the host itself. Serialized as `true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignOwner(pub String);

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
pub struct Access {
    /// Scheme, `none`, or `unknown` if the manifest states nothing.
    pub kind: String,
    /// Source of tokens, or position of the key.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The credential in a request.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<Carrier>,
    /// Ways to get the credential; absent if no document states any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obtain: Option<Obtain>,
}

/// Places at which callers get a credential, as the documents state them.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Obtain {
    /// `program` if a program gets the credential by itself: it registers at `register`, and no flow that is stated
    /// needs a person; else `person`.
    pub by: &'static str,
    /// Endpoint at which a program registers (RFC 7591, or as `page` says).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    /// Authorization endpoint of OAuth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorize: Option<String>,
    /// Token endpoint of OAuth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// OAuth flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// OAuth scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Metadata for programs, which names the endpoints (RFC 8414, RFC 9728).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// Issuers of tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issuers: Vec<String>,
    /// Page on how to get access, or `auth.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// Position and form of a credential in a request.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Carrier {
    /// `header`, `query` or `cookie`.
    #[serde(rename = "in")]
    pub location: &'static str,
    /// Name of the header, parameter or cookie.
    pub name: String,
    /// Value, with a placeholder for the secret.
    pub value: String,
}

/// Addresses that create and delete sessions.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Session {
    /// Address for `POST`.
    pub create: String,
    /// Address for `DELETE`.
    pub delete: String,
    /// Lifetime in seconds.
    pub ttl_s: u64,
}

/// Interface that the documents name.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Door")]
pub struct InterfaceBody {
    /// Protocol and version.
    pub protocol: String,
    /// Binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Its address.
    pub endpoint: String,
    /// Owner of the address, if that is not the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<ForeignOwner>,
    /// True if the publisher prefers it.
    pub preferred: bool,
}

/// One request of several.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Step {
    /// Purpose: `create_session`, `call`, `delete_session`, `pay`, `initialize`, `initialized`,
    /// `call_tool`, `list_tools`, `list_resources` or `list_prompts`.
    pub name: &'static str,
    /// The request.
    pub call: Call,
    /// Value in the answer that later steps need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gives: Option<Gives>,
}

/// Value in the answer to a step.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Gives {
    /// The placeholder that it replaces.
    pub placeholder: &'static str,
    /// `body` or `header`.
    #[serde(rename = "in")]
    pub location: &'static str,
    /// Name of the header, or of the member with those around it, joined by dots.
    pub name: &'static str,
}

/// Value for the caller to fill in.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Placeholder {
    /// The text to replace, braces included.
    #[serde(rename = "placeholder")]
    pub text: String,
    /// `path`, `query`, `header`, `cookie` or `body`; of a configuration also `environment` or `argument`.
    #[serde(rename = "in")]
    pub location: &'static str,
    /// JSON type of the value. In a body, a value of another type than string also replaces the
    /// quotation marks.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Meaning of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the value, as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

impl Placeholder {
    /// Creates the placeholder of a text that the protocol asks for.
    pub fn named(name: &str, location: &'static str, description: &str) -> Self {
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
pub struct Snippets {
    /// Commands for a POSIX shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// Python, with the library `requests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    /// TypeScript, with `fetch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typescript: Option<String>,
    /// Configuration of an MCP client, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<String>,
}

/// Language of snippets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Commands for a POSIX shell.
    Curl,
    /// Python.
    Python,
    /// TypeScript.
    TypeScript,
    /// Configuration of an MCP client.
    Mcp,
}

impl Snippets {
    /// Returns the snippets in these languages; `None` if there are none.
    pub fn only(self, wanted: &[Language]) -> Option<Self> {
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
pub struct Call {
    /// Method.
    pub method: String,
    /// Absolute address.
    pub url: String,
    /// Headers by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Body as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

impl Call {
    /// Creates a request without headers and body.
    pub fn new(method: &str, url: &str) -> Self {
        Self {
            method: method.to_owned(),
            url: url.to_owned(),
            headers: BTreeMap::new(),
            body: None,
        }
    }

    /// Creates a `POST` of JSON.
    pub fn post(url: &str, media_type: &str, body: Value) -> Self {
        let mut call = Self::new("POST", url);
        call.add_header("Content-Type", media_type);
        call.body = Some(body);
        call
    }

    /// Adds a header, unless the request has it; one that HTTP does not allow is left out.
    pub fn add_header(&mut self, name: &str, value: &str) {
        let is_known = self.headers.keys().any(|it| it.eq_ignore_ascii_case(name));
        if !is_known && is_token(name) {
            let value = value.replace(char::is_control, " ");
            self.headers.insert(name.to_owned(), value);
        }
    }

    /// Adds a parameter to the query; the value is encoded already.
    pub fn add_query(&mut self, name: &str, value: &str) {
        let separator = if self.url.contains('?') { '&' } else { '?' };
        self.url = format!("{}{separator}{name}={value}", self.url);
    }

    /// Returns true if `text` occurs in the request.
    pub(crate) fn mentions(&self, text: &str) -> bool {
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
    pub fn text(&self) -> String {
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
