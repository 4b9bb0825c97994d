//! Dialects of agents.txt, with their ids.

use crate::format_id::FormatId;

/// Dialect of a file; it selects the rules to check (`docs/formats.md`, "agents.txt").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Id under which its files are stored and shown.
    pub(crate) id: FormatId,
    /// True if it has a key for the site's name; a heading is a comment there.
    pub(in crate::formats) names_its_site: bool,
}

impl Dialect {
    /// agents-protocol-legacy: `Name`, `URL`, `Capabilities: a, b`.
    pub(crate) const AGENTS_PROTOCOL_LEGACY: Self =
        Self::specified("agents-txt/agents-protocol-legacy").naming_its_site();
    /// agents-protocol: `Site`, `URL`, `Allow: <capability>`.
    pub(crate) const AGENTS_PROTOCOL: Self =
        Self::specified("agents-txt/agents-protocol").naming_its_site();
    /// agents.txt 1.0 (well-known): `Site-Name`, `Site-URL`, indented `Capability:` blocks.
    pub(crate) const WELL_KNOWN: Self =
        Self::specified("agents-txt/well-known-1.0").naming_its_site();
    /// agents-txt.com, a list of pointers: `MCP`, `A2A`, `Skills`, `Protocols`.
    pub(crate) const AGENTS_TXT_COM: Self =
        Self::specified("agents-txt/agents-txt-com").naming_its_site();
    /// agentstxt.dev: `Name` with `Logo`, `Communication`, `Payment-System`.
    pub(crate) const AGENTSTXT_DEV: Self = Self::habit("agents-txt/agentstxt-dev");
    /// Agent policy: `Policy`, `Contact`, `Verify`; the policy document is requested (AT-60).
    pub(crate) const AGENT_POLICY: Self = Self::specified("agents-txt/agent-policy");
    /// agents-brief, with `[Agent: name]` sections (AT-70).
    pub(crate) const AGENTS_BRIEF: Self = Self::specified("agents-brief-0.4").naming_its_site();
    /// YAML list: a YAML-like list under `Capabilities:` (AT-80).
    pub(crate) const YAML_LIST: Self = Self::habit("agents-txt/yaml-list");
    /// YAML blocks: Markdown with `---yaml` blocks.
    pub(crate) const YAML_BLOCKS: Self = Self::specified("agents-txt/yaml-blocks");
    /// Hashed policy: a restrictive policy with a hash in its first line.
    pub(crate) const HASHED_POLICY: Self = Self::specified("agents-txt/hashed-policy");
    /// Prose: Markdown similar to llms.txt (AT-90).
    pub(crate) const PROSE: Self = Self::habit("agents-txt/prose");
    /// Robots-like: a robots.txt with pointers to services (AT-91).
    pub(crate) const ROBOTS_LIKE: Self = Self::habit("agents-txt/robots-like");
    /// Free keys: `Key: Value` lines that follow no specification (AT-92).
    pub(crate) const FREE_KEYS: Self = Self::habit("agents-txt/free-keys");
    /// ADP: ADP/1.0 (AT-93).
    pub(crate) const ADP: Self = Self::habit("agents-txt/adp-1.0");
    /// `AgentNav`: an index of a documentation site.
    pub(crate) const AGENTNAV: Self = Self::specified("agentnav");
    /// No dialect: a text at the path of an agents.txt that is some other file (DI-05).
    pub(crate) const OTHER: Self = Self::habit("agents-txt");

    const fn specified(id: &'static str) -> Self {
        Self::of(FormatId::specified(id))
    }

    const fn habit(id: &'static str) -> Self {
        Self::of(FormatId::habit(id))
    }

    const fn of(id: FormatId) -> Self {
        let names_its_site = false;
        Self { id, names_its_site }
    }

    const fn naming_its_site(self) -> Self {
        let names_its_site = true;
        Self {
            names_its_site,
            ..self
        }
    }

    /// Returns true for dialects whose lines no specification defines.
    pub(in crate::formats) fn is_informal(self) -> bool {
        self != Self::OTHER && !self.id.is_specified()
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::OTHER
    }
}
