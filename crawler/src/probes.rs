//! The table of requested paths, in order (P9).
//!
//! The order is data, so that it can be revised by an operator's statistics. A probe's index is its
//! bit in [`store::RobotsState::mask`]: append, and avoid reordering.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Kind of file at a path; other paths of the same kind are its aliases (P10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `agent-card.json`.
    AgentCard,
    /// `agent.json`.
    AgentJson,
    /// `agents.txt`.
    AgentsTxt,
    /// `agents.json`.
    AgentsJson,
    /// `ai-catalog.json` and its later name `ard.json`.
    Catalog,
    /// MCP server card, under three names.
    McpCard,
    /// Index of a site's skills.
    SkillIndex,
    /// Catalogue of a site's APIs (RFC 9727).
    ApiCatalog,
    /// Collection of ANP.
    AgentDescriptions,
}

/// Visits on which a path is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// The first visit, and every later one to a domain without manifests.
    Always,
    /// The first visit; later visits in rotation.
    First,
    /// Only later visits, in rotation.
    Rotation,
}

/// Requested path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Path on the host's origin.
    pub path: &'static str,
    /// Kind of its file.
    pub kind: Kind,
    /// Visits on which it is requested.
    pub turn: Turn,
}

/// All paths, in the order of a first visit: together with robots.txt, these are
/// [`crate::plan::REQUEST_CAP`] requests.
pub const ALL: [Probe; 13] = [
    probe(
        "/.well-known/agent-card.json",
        Kind::AgentCard,
        Turn::Always,
    ),
    probe("/.well-known/agent.json", Kind::AgentJson, Turn::First),
    probe("/agents.txt", Kind::AgentsTxt, Turn::First),
    probe("/.well-known/agents.json", Kind::AgentsJson, Turn::First),
    probe("/.well-known/ai-catalog.json", Kind::Catalog, Turn::Always),
    probe(
        "/.well-known/mcp/server-card.json",
        Kind::McpCard,
        Turn::Always,
    ),
    probe(
        "/.well-known/agent-skills/index.json",
        Kind::SkillIndex,
        Turn::First,
    ),
    probe("/agents.json", Kind::AgentsJson, Turn::First),
    probe("/agent.json", Kind::AgentJson, Turn::First),
    probe("/.well-known/agents.txt", Kind::AgentsTxt, Turn::First),
    probe("/api/agent.json", Kind::AgentJson, Turn::First),
    probe("/.well-known/ard.json", Kind::Catalog, Turn::Rotation),
    probe("/.well-known/mcp.json", Kind::McpCard, Turn::Rotation),
];

/// Paths that few sites have, requested only if the operator enables them, by the name of their
/// group.
///
/// They are not part of the table: a stored robots.txt state does not cover them.
pub const EXTRA: [(&str, &[Probe]); 3] = [
    (
        "api-catalog",
        &[probe(
            "/.well-known/api-catalog",
            Kind::ApiCatalog,
            Turn::First,
        )],
    ),
    (
        "mcp-legacy",
        &[
            probe("/.well-known/mcp.json", Kind::McpCard, Turn::First),
            probe("/.well-known/mcp-server-card", Kind::McpCard, Turn::First),
        ],
    ),
    (
        "anp",
        &[probe(
            "/.well-known/agent-descriptions",
            Kind::AgentDescriptions,
            Turn::First,
        )],
    ),
];

/// Bits of all paths.
pub(crate) const FULL_MASK: u32 = (1 << ALL.len()) - 1;

/// Returns a hash of the table, because a stored robots.txt state refers to the table of its time.
pub(crate) fn version() -> u64 {
    let mut hasher = DefaultHasher::new();
    for probe in &ALL {
        probe.path.hash(&mut hasher);
    }
    hasher.finish()
}

/// Reports whether a path is in the table.
pub(crate) fn has(path: &str) -> bool {
    ALL.iter().any(|probe| probe.path == path)
}

const fn probe(path: &'static str, kind: Kind, turn: Turn) -> Probe {
    Probe { path, kind, turn }
}
