//! agents.txt: a family of text formats under one file name, read by one reader.
//!
//! Publishers use many dialects of agents.txt. A few have a specification; the others are common
//! practice. Each dialect has a module with its fields, rules and mapping. One file may mix
//! dialects, so every key of every dialect is accepted anywhere (AT-05). `read` collects the
//! lines, `agent` maps them to an agent, and the dialect selects the rules to check. A text in
//! no dialect is an `other` file (DI-05), which gives no agent.
//!
//! Specifications: kaylacar/agents-protocol (agents-protocol-legacy, agents-protocol),
//! kaylacar/agents-txt with draft-car-agents-txt-wellknown-00 (agents.txt 1.0), agents-txt.com.

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::rule::Rule;
use crate::sign::Sign;
use crate::{Agent, FormatId, Reference};
pub(super) use detect::{format, is_text_path};
use directives::Directives;
use lines::Position;
use prose::list::Item;
use prose::summary::Prose;
use report::Report;
use well_known::Block;

mod adp;
mod agent;
mod agentnav;
mod agents_brief;
mod agents_protocol;
mod agents_protocol_legacy;
mod agents_txt_com;
mod agentstxt_dev;
mod common;
mod detect;
mod directives;
mod free_keys;
mod hashed_policy;
mod interaction;
mod keys;
pub(super) mod lines;
pub(super) mod other;
mod prose;
mod read;
mod references;
mod report;
mod robots_like;
mod rules;
#[cfg(test)]
mod tests;
mod well_known;
mod yaml_blocks;

/// Reader of all dialects.
pub(crate) struct AgentsTxt;

/// Contents of a file, line by line.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    dialect: Dialect,
    directives: Directives,
    /// Blocks about one capability or one calling agent (agents.txt 1.0, agents-brief).
    blocks: Vec<Block>,
    /// Items of lists of capabilities (YAML list, prose).
    listed: Vec<Item>,
    /// Lines with an HTTP method and a path (prose).
    operations: Vec<prose::Operation>,
    /// Number of items and operations beyond the limit, which were dropped.
    unread: usize,
    prose: Prose,
    /// Positions of lines that are neither `Key: Value` nor another known kind of line (AT-02).
    stray: Vec<Position>,
    /// Position of the first comment, `Key: Value` line or line of prose, outside of blocks.
    first: Option<Position>,
}

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
pub(super) const OTHER: FormatId = FormatId::habit("agents-txt");

impl Dialect {
    /// Returns the dialect with this id.
    fn of(format: FormatId) -> Self {
        let known = IDS.iter().find(|(_, id)| *id == format);
        known.map_or(Self::None, |(dialect, _)| *dialect)
    }

    /// Returns the id under which files of the dialect are stored and shown.
    pub(crate) const fn id(self) -> FormatId {
        IDS[self as usize].1
    }

    /// Returns true for dialects whose lines no specification defines.
    fn is_informal(self) -> bool {
        self != Self::None && !self.id().is_specified()
    }

    /// Returns true for dialects with a key for the site's name; a heading is a comment there.
    fn names_its_site(self) -> bool {
        use Dialect::{AgentsBrief, AgentsProtocol, AgentsProtocolLegacy, AgentsTxtCom, WellKnown};
        matches!(
            self,
            AgentsProtocolLegacy | AgentsProtocol | WellKnown | AgentsTxtCom | AgentsBrief
        )
    }
}

impl Format for AgentsTxt {
    type Manifest = Manifest;

    const ID: FormatId = Dialect::AgentsProtocol.id();
    const ALSO: &'static [FormatId] = &[
        Dialect::AgentsProtocolLegacy.id(),
        Dialect::WellKnown.id(),
        Dialect::AgentsTxtCom.id(),
        Dialect::AgentstxtDev.id(),
        Dialect::AgentPolicy.id(),
        Dialect::AgentsBrief.id(),
        Dialect::YamlList.id(),
        Dialect::YamlBlocks.id(),
        Dialect::HashedPolicy.id(),
        Dialect::Prose.id(),
        Dialect::RobotsLike.id(),
        Dialect::FreeKeys.id(),
        Dialect::Adp.id(),
        Dialect::AgentNav.id(),
        OTHER,
    ];
    const TITLE: &'static str = "agents.txt";
    const SIGNS: &'static [Sign] = &[Sign::distinctive(Dialect::AgentNav.id(), |o| {
        o.contains_key("agentnav")
            || (o.contains_key("intent_map") && o.contains_key("pages"))
            || (o.contains_key("agents_txt_version") && o.contains_key("sections"))
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agents.txt", "/agents.txt"];
    const RULES: &'static [&'static Rule] = &rules::ALL;

    fn parse(input: &Input<'_>) -> Manifest {
        let dialect = Dialect::of(input.format);
        match dialect {
            Dialect::None | Dialect::YamlBlocks | Dialect::AgentNav => Manifest::of(dialect),
            _ => read::read(input.text, dialect),
        }
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        let report = &mut Report {
            manifest,
            input,
            findings,
        };
        common::validate(report);
        match manifest.dialect {
            Dialect::AgentsProtocolLegacy => agents_protocol_legacy::validate(report),
            Dialect::AgentsProtocol => agents_protocol::validate(report),
            Dialect::WellKnown => well_known::validate(report),
            Dialect::AgentsTxtCom => agents_txt_com::validate(report),
            Dialect::Prose => prose::validate(report),
            Dialect::RobotsLike => robots_like::validate(report),
            Dialect::FreeKeys => free_keys::validate(report),
            Dialect::Adp => adp::validate(report),
            Dialect::None => other::validate(report),
            // The other dialects have no rules of their own.
            _ => {}
        }
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let agent = match manifest.dialect {
            Dialect::None => None,
            Dialect::YamlBlocks => yaml_blocks::agent(input.text),
            Dialect::HashedPolicy => hashed_policy::agent(manifest),
            Dialect::AgentNav => agentnav::agent(input),
            _ => Some(agent::agent(manifest, input.document)),
        };
        agent.into_iter().collect()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        match manifest.dialect {
            Dialect::HashedPolicy => Vec::new(),
            _ => references::references(manifest, input.document),
        }
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        let version = manifest.directives.first("spec-version")?;
        (manifest.dialect == Dialect::WellKnown).then(|| version.value.clone())
    }
}

impl Manifest {
    fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            ..Self::default()
        }
    }

    /// Returns the position of the first line with content, else the start of the file.
    fn first_position(&self) -> Position {
        self.first.unwrap_or(Position { line: 1, column: 1 })
    }
}

/// Returns an agent with a name only, for dialects of which nothing else is read.
fn only_named(place: Position, name: String) -> Agent {
    Agent {
        name,
        pointers: [("name".to_owned(), place.pointer())].into(),
        ..Agent::default()
    }
}
