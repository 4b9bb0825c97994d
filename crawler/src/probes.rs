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
    /// Catalogue of MCP servers.
    McpCatalog,
    /// Index of a site's skills.
    SkillIndex,
    /// `auth.md`.
    AuthMd,
    /// Catalogue of a site's APIs (RFC 9727).
    ApiCatalog,
    /// Manifest of a plugin.
    AiPlugin,
    /// Prices of a site's resources (x402).
    X402,
    /// Profile of a shop (UCP).
    Ucp,
    /// Metadata of a protected resource (RFC 9728).
    ProtectedResource,
    /// Collection of ANP.
    AgentDescriptions,
}

/// Visits on which a path is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// The first visit, and every later one that the schedule makes to a domain without manifests.
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

/// All paths: first those of a first visit in its order, together with robots.txt
/// [`crate::plan::REQUEST_CAP`] requests, then those of later visits, the most frequent first.
///
/// `/` is not among them, although a site may name its catalogue in the `Link` header of its home
/// page alone: it is the most expensive page of most sites, and a header that is set for all
/// answers comes with that of robots.txt.
pub const ALL: [Probe; 21] = [
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
        Turn::First,
    ),
    probe(
        "/.well-known/agent-skills/index.json",
        Kind::SkillIndex,
        Turn::First,
    ),
    probe("/agents.json", Kind::AgentsJson, Turn::First),
    probe("/agent.json", Kind::AgentJson, Turn::First),
    probe("/.well-known/ard.json", Kind::Catalog, Turn::First),
    probe("/.well-known/mcp.json", Kind::McpCard, Turn::First),
    probe(SEED_PLACE, Kind::AgentJson, Turn::Rotation),
    probe("/.well-known/agents.txt", Kind::AgentsTxt, Turn::Rotation),
    probe("/auth.md", Kind::AuthMd, Turn::Rotation),
    probe("/.well-known/api-catalog", Kind::ApiCatalog, Turn::Rotation),
    probe(
        "/.well-known/ai-plugin.json",
        Kind::AiPlugin,
        Turn::Rotation,
    ),
    probe("/agent-card.json", Kind::AgentCard, Turn::Rotation),
    probe("/.well-known/x402", Kind::X402, Turn::Rotation),
    probe("/.well-known/ucp", Kind::Ucp, Turn::Rotation),
    probe(
        "/.well-known/mcp/catalog.json",
        Kind::McpCatalog,
        Turn::Rotation,
    ),
    probe(
        "/.well-known/oauth-protected-resource",
        Kind::ProtectedResource,
        Turn::Rotation,
    ),
];

/// Place of an IntentQL seed, which every requested visit to a site without manifests asks for
/// (P47).
pub(crate) const SEED_PLACE: &str = "/api/agent.json";

/// Paths that few sites have, requested on first visits if the operator enables them, by the name
/// of their group.
///
/// Those outside of the table are requested only then: a stored robots.txt state does not cover
/// them.
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
        &[probe(
            "/.well-known/mcp-server-card",
            Kind::McpCard,
            Turn::First,
        )],
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

/// Returns all paths in the order in which later visits take turns with them: first those that no
/// first visit requests.
pub(crate) fn cycle(extra: &[Probe]) -> Vec<&Probe> {
    let (later, first): (Vec<_>, Vec<_>) = ALL.iter().partition(|it| it.turn == Turn::Rotation);
    let mut cycle: Vec<&Probe> = Vec::with_capacity(ALL.len() + extra.len());
    for probe in later.into_iter().chain(extra).chain(first) {
        if cycle.iter().all(|other| other.path != probe.path) {
            cycle.push(probe);
        }
    }
    cycle
}

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
