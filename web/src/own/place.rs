//! Addresses of the registry's own manifests and protocols, as paths at its public URL.

/// Native API.
pub(crate) const API: &str = "/api/v1";
/// Description of the native API.
pub(crate) const OPENAPI: &str = "/openapi.json";
/// Documentation of the API for people.
pub(crate) const DOCS: &str = "/docs/api";
/// Documentation of the errors for people.
pub(crate) const ERRORS: &str = "/docs/errors";
/// Documentation of the other protocols for people.
pub(crate) const PROTOCOLS: &str = "/docs/protocols";
/// Interaction API.
pub(crate) const INTERACTION: &str = "/.well-known/agents/api";
/// Sessions of the Interaction API: created by POST, ended by DELETE.
pub(crate) const SESSION: &str = "/.well-known/agents/api/session";
/// Record of a session of the Interaction API.
pub(crate) const AUDIT: &str = "/.well-known/agents/api/audit/{session_id}";
/// MCP over streamable HTTP.
pub(crate) const MCP: &str = "/mcp";
/// A2A over JSON-RPC.
pub(crate) const A2A: &str = "/a2a";
/// Registry API of ARD.
pub(crate) const ARD: &str = "/ard";
/// MCP Registry API: its version, and the address of older clients.
pub(crate) const SERVERS: [&str; 2] = ["/v0.1", "/v0"];

/// `agents.json` of the agents.txt protocol.
pub(crate) const AGENTS_JSON: &str = "/.well-known/agents.json";
/// `agents.txt`, at both places that its dialects name (C-100).
pub(crate) const AGENTS_TXT: [&str; 2] = ["/.well-known/agents.txt", "/agents.txt"];
/// Manifest of JSON Agents.
pub(crate) const JSON_AGENTS: &str = "/.well-known/agents/agentdex.agents.json";
/// `agent.json` of IntentQL. The place between both belongs to the A2A card (C-90).
pub(crate) const AGENT_JSON: [&str; 2] = ["/agent.json", "/api/agent.json"];
/// Catalogue of ARD, and the same as AI Catalog.
pub(crate) const CATALOGS: [&str; 2] = ["/.well-known/ard.json", "/.well-known/ai-catalog.json"];
/// Card of the MCP server: at a well-known address, and below the server's own.
pub(crate) const SERVER_CARD: [&str; 2] = ["/.well-known/mcp/server-card.json", "/mcp/server-card"];
/// Directory of the skills to load.
pub(crate) const SKILLS: &str = "/.well-known/agent-skills";
/// Index of the skills to load.
pub(crate) const SKILLS_INDEX: &str = "/.well-known/agent-skills/index.json";
/// Linkset of all interfaces.
pub(crate) const API_CATALOG: &str = "/.well-known/api-catalog";
/// Companion of the pointers in agents.txt.
pub(crate) const AGENTS_TXT_COM: &str = "/agents.json";
/// Rules for crawlers.
pub(crate) const ROBOTS: &str = "/robots.txt";
/// Index of the sitemap.
pub(crate) const SITEMAP: &str = "/sitemap.xml";
/// Description of the search for browsers.
pub(crate) const OPENSEARCH: &str = "/opensearch.xml";
/// Overview for language models.
pub(crate) const LLMS: &str = "/llms.txt";
/// Contact for reports of vulnerabilities.
pub(crate) const SECURITY: &str = "/.well-known/security.txt";
/// `Link` header of the Interaction API.
pub(crate) const AGENTS_LINK: &str = "</.well-known/agents.json>; rel=\"agents\"";
/// `Link` header of pages: the registry's own manifests.
pub(crate) const LINKS: &str = "</.well-known/agents.json>; rel=\"agents\", \
     </.well-known/agent-card.json>; rel=\"agent-card\", </.well-known/ard.json>; rel=\"ard\", \
     </.well-known/ai-catalog.json>; rel=\"ai-catalog\", \
     </.well-known/api-catalog>; rel=\"api-catalog\", </openapi.json>; rel=\"service-desc\", \
     </docs/api>; rel=\"service-doc\"";
/// Public keys of the A2A card and of the records of sessions.
pub(crate) const KEYS: &str = "/.well-known/jwks.json";
/// A2A card.
pub(crate) const AGENT_CARD: &str = "/.well-known/agent-card.json";

/// Writes a path with variables as `:name`, as the agents.txt protocol does.
pub(super) fn with_colons(path: &str) -> String {
    path.replace('{', ":").replace('}', "")
}
