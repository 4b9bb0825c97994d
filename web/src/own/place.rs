//! Addresses of the registry's own manifests and protocols, as paths at its public URL.

/// Native API.
pub(crate) const API: &str = "/api/v1";
/// Description of the native API.
pub(crate) const OPENAPI: &str = "/openapi.json";
/// Documentation of the API for people.
pub(crate) const DOCS: &str = "/docs/api";
/// Interaction API.
pub(crate) const INTERACTION: &str = "/.well-known/agents/api";
/// Sessions of the Interaction API: created by POST, ended by DELETE.
pub(crate) const SESSION: &str = "/.well-known/agents/api/session";
/// Record of a session of the Interaction API, as agents.json writes a template.
pub(crate) const AUDIT: &str = "/.well-known/agents/api/audit/:session_id";
/// MCP over streamable HTTP.
pub(crate) const MCP: &str = "/mcp";
/// A2A over JSON-RPC.
pub(crate) const A2A: &str = "/a2a";
/// Registry API of ARD.
pub(crate) const ARD: &str = "/ard";

/// `agents.json` of the agents.txt protocol.
pub(crate) const AGENTS_JSON: &str = "/.well-known/agents.json";
/// `agents.txt`, at both places that its dialects name (C-100).
pub(crate) const AGENTS_TXT: [&str; 2] = ["/.well-known/agents.txt", "/agents.txt"];
/// Manifest of JSON Agents.
pub(crate) const JSON_AGENTS: &str = "/.well-known/agents/agentdex.agents.json";
/// `agent.json` of IntentQL. The place between both belongs to the A2A card (C-90).
pub(crate) const AGENT_JSON: [&str; 2] = ["/agent.json", "/api/agent.json"];
/// A2A card.
pub(crate) const AGENT_CARD: &str = "/.well-known/agent-card.json";
