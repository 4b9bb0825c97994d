//! How an agent is reached, and on what terms.

use serde::{Deserialize, Serialize};

/// One way to talk to an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Interface {
    /// `a2a`, `mcp`, `rest`, `interaction-api`, `openapi`, `graphql`, `websocket`, `grpc` or another word.
    pub protocol: String,
    /// Version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Absolute URL, or `host:port` for gRPC.
    pub url: String,
    /// Binding: `JSONRPC`, `GRPC`, `HTTP+JSON`, `streamable-http`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// True for the one the publisher prefers.
    pub preferred: bool,
    /// Tenant to name in calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// One way to authenticate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Auth {
    /// `none`, `api_key`, `oauth2`, `bearer`, `basic`, `openid`, `mtls`, `hmac` or `other` (FORMATS.md 12.2, C-51).
    pub scheme: String,
    /// Where a key goes: `header`, `query` or `cookie`.
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
    /// Where authorization starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Where tokens come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// How to get access, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
}

/// Where sessions are made and ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// Absolute URL for `POST`.
    pub create: String,
    /// Absolute URL for `DELETE`.
    pub delete: String,
    /// Lifetime in seconds.
    pub ttl_s: u64,
}

/// So many calls in so many seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RateLimit {
    /// Whom or what it binds: `default`, `authenticated`, `burst`, an agent's name.
    pub scope: String,
    /// Number of calls.
    pub limit: u64,
    /// Window in seconds.
    pub window_s: u64,
    /// Anything else said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A way to pay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Payment {
    /// `x402`, `mpp`, `ap2`, …
    pub protocol: String,
    /// Anything said of it, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
