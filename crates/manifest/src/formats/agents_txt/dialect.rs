//! Dialects of agents.txt, with their ids.

use crate::format_id::FormatId;

/// Dialect of a file; it selects the rules to check (`docs/formats.md`, "agents.txt").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// agents-protocol-legacy: `Name`, `URL`, `Capabilities: a, b`.
    AgentsProtocolLegacy,
    /// agents-protocol: `Site`, `URL`, `Allow: <capability>`.
    AgentsProtocol,
    /// agents.txt 1.0 (well-known): `Site-Name`, `Site-URL`, indented `Capability:` blocks.
    WellKnown,
    /// agents-txt.com, a list of pointers: `MCP`, `A2A`, `Skills`, `Protocols`.
    AgentsTxtCom,
    /// agentstxt.dev: `Name` with `Logo`, `Communication`, `Payment-System`.
    AgentstxtDev,
    /// Agent policy: `Policy`, `Contact`, `Verify`; the policy document is requested (AT-60).
    AgentPolicy,
    /// agents-brief, with `[Agent: name]` sections (AT-70).
    AgentsBrief,
    /// YAML list: a YAML-like list under `Capabilities:` (AT-80).
    YamlList,
    /// YAML blocks: Markdown with `---yaml` blocks.
    YamlBlocks,
    /// Hashed policy: a restrictive policy with a hash in its first line.
    HashedPolicy,
    /// Prose: Markdown similar to llms.txt (AT-90).
    Prose,
    /// Robots-like: a robots.txt with pointers to services (AT-91).
    RobotsLike,
    /// Free keys: `Key: Value` lines that follow no specification (AT-92).
    FreeKeys,
    /// ADP: ADP/1.0 (AT-93).
    Adp,
    /// `AgentNav`: an index of a documentation site.
    AgentNav,
    /// No dialect: some other file (DI-05).
    #[default]
    None,
}

/// Id of each dialect, in their order.
const IDS: [(Dialect, FormatId); 16] = [
    (
        Dialect::AgentsProtocolLegacy,
        FormatId::specified("agents-txt/agents-protocol-legacy"),
    ),
    (
        Dialect::AgentsProtocol,
        FormatId::specified("agents-txt/agents-protocol"),
    ),
    (
        Dialect::WellKnown,
        FormatId::specified("agents-txt/well-known-1.0"),
    ),
    (
        Dialect::AgentsTxtCom,
        FormatId::specified("agents-txt/agents-txt-com"),
    ),
    (
        Dialect::AgentstxtDev,
        FormatId::habit("agents-txt/agentstxt-dev"),
    ),
    (
        Dialect::AgentPolicy,
        FormatId::specified("agents-txt/agent-policy"),
    ),
    (
        Dialect::AgentsBrief,
        FormatId::specified("agents-brief-0.4"),
    ),
    (Dialect::YamlList, FormatId::habit("agents-txt/yaml-list")),
    (
        Dialect::YamlBlocks,
        FormatId::specified("agents-txt/yaml-blocks"),
    ),
    (
        Dialect::HashedPolicy,
        FormatId::specified("agents-txt/hashed-policy"),
    ),
    (Dialect::Prose, FormatId::habit("agents-txt/prose")),
    (
        Dialect::RobotsLike,
        FormatId::habit("agents-txt/robots-like"),
    ),
    (Dialect::FreeKeys, FormatId::habit("agents-txt/free-keys")),
    (Dialect::Adp, FormatId::habit("agents-txt/adp-1.0")),
    (Dialect::AgentNav, FormatId::specified("agentnav")),
    (Dialect::None, OTHER),
];

/// Format of a text at the path of an agents.txt that is in none of its dialects (DI-05).
pub(crate) const OTHER: FormatId = FormatId::habit("agents-txt");

impl Dialect {
    /// Returns the dialect with this id.
    pub(in crate::formats) fn of(format: FormatId) -> Self {
        let known = IDS.iter().find(|(_, id)| *id == format);
        known.map_or(Self::None, |(dialect, _)| *dialect)
    }

    /// Returns the id under which files of the dialect are stored and shown.
    pub(crate) const fn id(self) -> FormatId {
        IDS[self as usize].1
    }

    /// Returns true for dialects whose lines no specification defines.
    pub(in crate::formats) fn is_informal(self) -> bool {
        self != Self::None && !self.id().is_specified()
    }

    /// Returns true for dialects with a key for the site's name; a heading is a comment there.
    pub(in crate::formats) fn names_its_site(self) -> bool {
        use Dialect::{AgentsBrief, AgentsProtocol, AgentsProtocolLegacy, AgentsTxtCom, WellKnown};
        matches!(
            self,
            AgentsProtocolLegacy | AgentsProtocol | WellKnown | AgentsTxtCom | AgentsBrief
        )
    }
}
