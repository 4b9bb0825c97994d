//! The registry as an agent of its own, described once.
//!
//! Every manifest that the registry publishes and every protocol that it answers take names, texts,
//! parameters and addresses from here, so that they cannot disagree. A capability has one name: it
//! is the skill of A2A, the intent of IntentQL, and the capability of agents.json, agents.txt and
//! JSON Agents. Only tools of MCP have names of their own.

pub(crate) mod capability;
pub(crate) mod parameter;
pub(crate) mod place;
pub(crate) mod published;
pub(crate) mod registry;

/// Name of the registry.
pub(crate) const NAME: &str = "Agentdex";

/// Name of the registry in identifiers, such as `ajson://<host>/agents/agentdex`.
pub(crate) const SLUG: &str = "agentdex";

/// Purpose of the registry, in one sentence.
pub(crate) const DESCRIPTION: &str = "Finds software agents that sites announce, states how to call \
     them, and checks what a site announces.";

/// Purpose of the registry where at most a hundred characters fit, as in a card of an MCP server.
pub(crate) const SHORT_DESCRIPTION: &str =
    "Finds software agents that sites announce, and states how to call them.";

/// Version of the program, which is that of the registry as an agent.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Licence of the program.
pub(crate) const LICENSE: &str = "MIT OR Apache-2.0";

/// Tags of the registry as an agent.
pub(crate) const TAGS: [&str; 4] = ["agents", "directory", "discovery", "search"];

/// Media type of a manifest, in which all answers are written.
pub(crate) const JSON: &str = "application/json";

/// Seconds for which a session of the Interaction API lasts.
pub(crate) const SESSION_TTL_S: u32 = 3_600;

/// Suggested sequence of capabilities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    /// Name of the flow.
    pub(crate) name: &'static str,
    /// Purpose of the flow.
    pub(crate) description: &'static str,
    /// Names of capabilities, in order.
    pub(crate) steps: &'static [&'static str],
}

/// All flows.
pub(crate) const FLOWS: [Flow; 2] = [
    Flow {
        name: "find",
        description: "Search for an agent that meets a need, then read how to call it.",
        steps: &["search", "detail"],
    },
    Flow {
        name: "list",
        description: "Submit a site, then check what was read from its documents.",
        steps: &["submit", "check"],
    },
];

#[cfg(test)]
mod tests;
