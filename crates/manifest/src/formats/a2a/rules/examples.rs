//! Example cards of the rules: two valid ones, and a constructor for small faulty ones.

use crate::rule::Example;

/// A valid card of 0.3.
pub(super) const GOOD: &[Example] = &[card(
    r#"{
  "protocolVersion": "0.3.0",
  "name": "Gift finder",
  "description": "Suggests gifts and says which are in stock.",
  "version": "1.4.0",
  "url": "https://shop.example/a2a",
  "preferredTransport": "JSONRPC",
  "additionalInterfaces": [{"url": "grpc.shop.example:443", "transport": "GRPC"}],
  "provider": {"organization": "Harbour Shop", "url": "https://shop.example/about"},
  "iconUrl": "https://shop.example/icon.png",
  "documentationUrl": "https://shop.example/docs",
  "capabilities": {
    "streaming": true,
    "extensions": [{"uri": "https://shop.example/extensions/stock"}]
  },
  "securitySchemes": {"login": {"type": "http", "scheme": "Bearer"}},
  "security": [{"login": []}],
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain", "application/json"],
  "skills": [{
    "id": "suggest",
    "name": "Suggest a gift",
    "description": "Three gifts for a person and a price.",
    "tags": ["gifts"]
  }]
}"#,
)];

/// A valid, signed card of 1.0.
pub(super) const GOOD_1: &[Example] = &[card(
    r#"{
  "name": "Gift finder",
  "description": "Suggests gifts and says which are in stock.",
  "version": "1.4.0",
  "supportedInterfaces": [
    {"url": "https://shop.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
  ],
  "capabilities": {"streaming": true},
  "securitySchemes": {"login": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}},
  "securityRequirements": [{"schemes": {"login": {"list": []}}}],
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [{
    "id": "suggest",
    "name": "Suggest a gift",
    "description": "Three gifts for a person and a price.",
    "tags": ["gifts"]
  }],
  "signatures": [{
    "protected": "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrMSJ9",
    "signature": "c2lnbmF0dXJl"
  }]
}"#,
)];

/// Creates the example of a card at its path since 0.3.
pub(super) const fn card(body: &'static str) -> Example {
    Example::at("/.well-known/agent-card.json", body)
}
