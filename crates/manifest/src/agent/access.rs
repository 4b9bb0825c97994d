//! Access to an agent: interfaces, authentication, sessions, limits and payment.

use super::Param;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One way to call an agent.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Interface {
    /// `a2a`, `mcp`, `rest`, `interaction-api`, `openapi`, `graphql`, `websocket`, `grpc` or
    /// another word.
    pub protocol: String,
    /// Version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Absolute URL, or `host:port` for gRPC.
    pub url: String,
    /// Binding: `JSONRPC`, `GRPC`, `HTTP+JSON`, `streamable-http`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// True for the interface that the publisher prefers.
    pub preferred: bool,
    /// Tenant to name in calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Headers to send with each call, and variables of the URL template, by their `in`: `header`
    /// or `path`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
}

impl Interface {
    /// Returns the URL without a slash at its end: with and without one, it is the same interface.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_end_matches('/')
    }

    /// Adds what another statement about the same address says and this one does not; returns the
    /// names of the members that were added.
    pub(crate) fn complete(&mut self, other: &Self) -> Vec<&'static str> {
        if self.protocol != other.protocol {
            return Vec::new();
        }
        let mut added = Vec::new();
        for (name, own, other) in [
            ("version", &mut self.version, &other.version),
            ("transport", &mut self.transport, &other.transport),
            ("tenant", &mut self.tenant, &other.tenant),
        ] {
            if own.is_none() && other.is_some() {
                own.clone_from(other);
                added.push(name);
            }
        }
        if self.params.is_empty() && !other.params.is_empty() {
            self.params.clone_from(&other.params);
            added.push("params");
        }
        added
    }
}

/// A program that runs on the caller's own machine and is called over its standard input and output,
/// as local MCP servers are. It has no address.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Program {
    /// Protocol that it speaks, if the document says so: `mcp` or another word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Transport: `stdio`.
    pub transport: String,
    /// Command line that starts it, with names in braces for arguments that its user brings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Environment variables, and the arguments in braces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<ProgramInput>,
}

impl Program {
    /// Creates a program that is called over its standard input and output.
    pub(crate) fn stdio(protocol: Option<&str>, command: Option<String>) -> Self {
        Self {
            protocol: protocol.map(str::to_owned),
            transport: "stdio".to_owned(),
            command,
            inputs: Vec::new(),
        }
    }
}

/// Value that a program takes at its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramInput {
    /// Name of the environment variable, or of the argument.
    pub name: String,
    /// `environment` or `argument`.
    #[serde(rename = "in")]
    pub location: String,
    /// Meaning of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True if the program does not work without it.
    pub required: bool,
    /// True for a credential of the user.
    pub secret: bool,
    /// Value that is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

impl ProgramInput {
    /// Position of an environment variable.
    pub const ENVIRONMENT: &'static str = "environment";
    /// Position of an argument of the command.
    pub const ARGUMENT: &'static str = "argument";

    /// Reports whether the user has to bring the value.
    pub fn is_asked(&self) -> bool {
        self.required && self.default.is_none()
    }
}

/// One way to authenticate.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Auth {
    /// `none`, `api_key`, `oauth2`, `bearer`, `basic`, `openid`, `mtls`, `hmac` or `other` (C-51).
    pub scheme: String,
    /// Location of a key: `header`, `query` or `cookie`.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Name of the header or parameter, or of the scheme in its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// OAuth flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// OAuth scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Meaning of each scope, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scope_descriptions: BTreeMap<String, String>,
    /// Format of a bearer token, such as `JWT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_format: Option<String>,
    /// Authorization endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Token endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// Endpoint at which an agent registers itself (RFC 7591, or as `auth.md` says).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registration_url: Option<String>,
    /// Metadata document for programs, which names the endpoints (RFC 8414, RFC 9728, `OpenID`
    /// Connect Discovery).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_url: Option<String>,
    /// Issuers of tokens (RFC 9728, section 2, `authorization_servers`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authorization_servers: Vec<String>,
    /// Documentation for people on how to get access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// Explanation of how to authenticate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Endpoints that create and delete sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// Absolute URL for `POST`.
    pub create: String,
    /// Absolute URL for `DELETE`.
    pub delete: String,
    /// Lifetime in seconds.
    pub ttl_s: u64,
}

/// A number of calls permitted within a time window.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct RateLimit {
    /// Callers or calls to which it applies: `default`, `authenticated`, `burst`, or an agent's
    /// name.
    pub scope: String,
    /// Number of calls.
    pub limit: u64,
    /// Window in seconds.
    pub window_s: u64,
    /// Further details, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A way to pay.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Payment {
    /// `x402`, `mpp`, `ap2`, …
    pub protocol: String,
    /// Scheme of the payment within the protocol, such as `exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Network on which it settles, such as `base` or `eip155:8453`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Currency, or address of the token contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset: Option<String>,
    /// Price as published, in units of the asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// Absolute URL of what is paid for, if not the whole service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Further details, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
