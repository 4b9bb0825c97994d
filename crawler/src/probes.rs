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
    /// The catalogue of a site's APIs (RFC 9727).
    ApiCatalog,
    /// The card of an MCP server, under three names.
    McpCard,
    /// The collection of ANP.
    AgentDescriptions,
}

/// A path that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The path on the host's origin.
    pub path: &'static str,
    /// What its file is called.
    pub kind: Kind,
}

/// Every path, in the order of a first visit.
pub const ALL: [Probe; 10] = [
    probe("/.well-known/agent-card.json", Kind::AgentCard),
    probe("/.well-known/agent.json", Kind::AgentJson),
    probe("/agents.txt", Kind::AgentsTxt),
    probe("/.well-known/agents.json", Kind::AgentsJson),
    probe("/.well-known/ai-catalog.json", Kind::Catalog),
    probe("/agents.json", Kind::AgentsJson),
    probe("/agent.json", Kind::AgentJson),
    probe("/.well-known/agents.txt", Kind::AgentsTxt),
    probe("/api/agent.json", Kind::AgentJson),
    probe(SPARE, Kind::Catalog),
];

/// Paths that few sites have, asked only when the operator wants them (FORMATS.md section 1), by the name of
/// their group.
///
/// They are no part of the table: what is kept of a robots.txt does not speak of them.
pub const EXTRA: [(&str, &[Probe]); 3] = [
    (
        "api-catalog",
        &[probe("/.well-known/api-catalog", Kind::ApiCatalog)],
    ),
    (
        "mcp",
        &[
            probe("/.well-known/mcp/server-card.json", Kind::McpCard),
            probe("/.well-known/mcp.json", Kind::McpCard),
            probe("/.well-known/mcp-server-card", Kind::McpCard),
        ],
    ),
    (
        "anp",
        &[probe(
            "/.well-known/agent-descriptions",
            Kind::AgentDescriptions,
        )],
    ),
];

/// The catalogue's later name: it has no place of its own in the budget of a first visit, but takes that of
/// a path which a find made needless (P9).
pub(crate) const SPARE: &str = "/.well-known/ard.json";

/// The bits of every path.
pub(crate) const FULL_MASK: u32 = (1 << ALL.len()) - 1;

/// A number that changes with the table: what was kept of a robots.txt speaks of the table of then.
pub(crate) fn version() -> u64 {
    let mut hasher = DefaultHasher::new();
    for probe in &ALL {
        probe.path.hash(&mut hasher);
    }
    hasher.finish()
}

/// True for a path of the table.
pub(crate) fn has(path: &str) -> bool {
    ALL.iter().any(|probe| probe.path == path)
}

const fn probe(path: &'static str, kind: Kind) -> Probe {
    Probe { path, kind }
}
