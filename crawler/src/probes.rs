//! The table of paths that are asked, in order (P9, FORMATS.md section 1).
//!
//! The order is data, so that an operator's own statistics can revise it.
//! A probe's index is its bit in [`store::RobotsState::mask`]: append, never reorder lightly.

use std::hash::{DefaultHasher, Hash, Hasher};

/// What a path's file is called: other places of the same file are its aliases (P10).
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
    /// The card of an MCP server, under three names.
    McpCard,
    /// The index of a site's skills.
    SkillIndex,
    /// The catalogue of a site's APIs (RFC 9727).
    ApiCatalog,
    /// The collection of ANP.
    AgentDescriptions,
}

/// The visits on which a path is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// The first visit, and every later one to a domain that had nothing.
    Always,
    /// The first visit; later ones in rotation.
    First,
    /// Later visits alone, in rotation.
    Rotation,
}

/// A path that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The path on the host's origin.
    pub path: &'static str,
    /// What its file is called.
    pub kind: Kind,
    /// The visits that ask it.
    pub turn: Turn,
}

/// Every path, in the order of a first visit: with robots.txt, that makes [`crate::plan::REQUEST_CAP`] requests.
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

/// Paths that few sites have, asked only when the operator wants them (FORMATS.md section 1), by the name of
/// their group.
///
/// They are no part of the table: what is kept of a robots.txt does not speak of them.
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

/// The bits of every path.
pub(crate) const FULL_MASK: u32 = (1 << ALL.len()) - 1;

/// Returns a number that changes with the table: what was kept of a robots.txt speaks of the table of then.
pub(crate) fn version() -> u64 {
    let mut hasher = DefaultHasher::new();
    for probe in &ALL {
        probe.path.hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns true for a path of the table.
pub(crate) fn has(path: &str) -> bool {
    ALL.iter().any(|probe| probe.path == path)
}

const fn probe(path: &'static str, kind: Kind, turn: Turn) -> Probe {
    Probe { path, kind, turn }
}
