//! agents.txt: several formats under one name, read as one (FORMATS.md section 4).
//!
//! There is no single agents.txt. What publishers write falls into dialects, of which D1 to D4
//! have specifications and the others have habits; each has a module with its fields, rules and
//! mapping. One file may follow several, so all keys of all dialects are honoured wherever they
//! stand (AT-05): `read` gathers lines, `agent` says what they mean, and the dialect decides
//! what is asked for. A text that is in no dialect is some `other` file (DI-05) and lists nothing.
//!
//! Specifications: kaylacar/agents-protocol (D1, D2), kaylacar/agents-txt and
//! draft-car-agents-txt-wellknown-00 (D3), agents-txt.com (D4).

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::rules::Rule;
use crate::{Agent, FormatId, Reference};
use d3::Block;
use d11::list::Item;
use d11::prose::Prose;
use directives::Directives;
use lines::Place;
use report::Report;

mod agent;
mod agentnav;
mod common;
mod d1;
mod d10;
mod d11;
mod d12;
mod d13;
mod d14;
mod d2;
mod d3;
mod d4;
mod d5;
mod d7;
mod d9;
mod directives;
mod interaction;
mod keys;
pub(super) mod lines;
pub(super) mod other;
mod read;
mod references;
mod report;
mod rules;
#[cfg(test)]
mod tests;

/// Every dialect.
pub(crate) struct AgentsTxt;

/// What a file holds, line by line.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    dialect: Dialect,
    directives: Directives,
    /// What belongs to single capabilities and callers (D3, D7).
    blocks: Vec<Block>,
    /// Items of lists of capabilities (D8, D11).
    listed: Vec<Item>,
    /// Lines with an HTTP method and a path (D11).
    operations: Vec<d11::Operation>,
    /// Items and operations for which there was no room.
    unread: usize,
    prose: Prose,
    /// Lines that are neither `Key: Value` nor anything else that belongs here.
    stray: Vec<Place>,
    /// The first line that says something.
    first: Option<Place>,
}

/// Which rules a file is measured by (FORMATS.md 4.1 and 11.10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `Name`, `URL`, `Capabilities: a, b`.
    D1,
    /// `Site`, `URL`, `Allow: <capability>`.
    D2,
    /// `Site-Name`, `Site-URL`, indented `Capability:` blocks.
    D3,
    /// Pointers: `MCP`, `A2A`, `Skills`, `Protocols`.
    D4,
    /// `Name` with `Logo`, `Communication`, `Payment-System`.
    D5,
    /// `Policy`, `Contact`, `Verify`: a pointer to a policy that is followed (AT-60).
    D6,
    /// agents-brief, with `[Agent: name]` sections.
    D7,
    /// A YAML-like list under `Capabilities:` (AT-80).
    D8,
    /// Markdown with `---yaml` blocks.
    D9,
    /// A restrictive policy below a hash.
    D10,
    /// Markdown in the manner of llms.txt.
    D11,
    /// A robots.txt with pointers to services.
    D12,
    /// Free keys.
    D13,
    /// ADP/1.0.
    D14,
    /// An index of a documentation site.
    AgentNav,
    /// Some other file.
    #[default]
    None,
}

impl Dialect {
    fn of(format: FormatId) -> Self {
        match format.0 {
            "agents-txt/d1" => Self::D1,
            "agents-txt/d2" => Self::D2,
            "agents-txt/d3" => Self::D3,
            "agents-txt/d4" => Self::D4,
            "agents-txt/d5" => Self::D5,
            "agents-txt/d6" => Self::D6,
            "agents-brief-0.4" => Self::D7,
            "agents-txt/d8" => Self::D8,
            "agents-txt/d9" => Self::D9,
            "agents-txt/d10" => Self::D10,
            "agents-txt/d11" => Self::D11,
            "agents-txt/d12" => Self::D12,
            "agents-txt/d13" => Self::D13,
            "agents-txt/d14" => Self::D14,
            "agentnav" => Self::AgentNav,
            _ => Self::None,
        }
    }

    /// True for dialects that are read by habit rather than by a specification of lines.
    fn is_habit(self) -> bool {
        use Dialect::{D5, D8, D11, D12, D13, D14};
        matches!(self, D5 | D8 | D11 | D12 | D13 | D14)
    }

    /// True for dialects with a key for the site's name, in which a heading is just a comment.
    fn names_its_site(self) -> bool {
        use Dialect::{D1, D2, D3, D4, D7};
        matches!(self, D1 | D2 | D3 | D4 | D7)
    }
}

impl Format for AgentsTxt {
    type Manifest = Manifest;

    const ID: FormatId = FormatId("agents-txt/d2");
    const ALSO: &'static [FormatId] = &[
        FormatId("agents-txt/d1"),
        FormatId("agents-txt/d3"),
        FormatId("agents-txt/d4"),
        FormatId("agents-txt/d5"),
        FormatId("agents-txt/d6"),
        FormatId("agents-brief-0.4"),
        FormatId("agents-txt/d8"),
        FormatId("agents-txt/d9"),
        FormatId("agents-txt/d10"),
        FormatId("agents-txt/d11"),
        FormatId("agents-txt/d12"),
        FormatId("agents-txt/d13"),
        FormatId("agents-txt/d14"),
        FormatId("agentnav"),
        FormatId("agents-txt"),
    ];
    const TITLE: &'static str = "agents.txt";
    const PLACES: &'static [&'static str] = &["/.well-known/agents.txt", "/agents.txt"];
    const RULES: &'static [Rule] = &rules::ALL;

    fn parse(input: &Input<'_>) -> Manifest {
        let dialect = Dialect::of(input.format);
        match dialect {
            Dialect::None | Dialect::D9 | Dialect::AgentNav => Manifest::of(dialect),
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
            Dialect::D1 => d1::validate(report),
            Dialect::D2 => d2::validate(report),
            Dialect::D3 => d3::validate(report),
            Dialect::D4 => d4::validate(report),
            Dialect::D11 => d11::validate(report),
            Dialect::D12 => d12::validate(report),
            Dialect::D13 => d13::validate(report),
            Dialect::D14 => d14::validate(report),
            Dialect::None => other::validate(report),
            // Nothing is asked of the others, so nothing can be wrong with them.
            _ => {}
        }
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        let agent = match manifest.dialect {
            Dialect::None => None,
            Dialect::D9 => d9::agent(input.text),
            Dialect::D10 => d10::agent(manifest),
            Dialect::AgentNav => agentnav::agent(input),
            _ => Some(agent::agent(manifest, input.document)),
        };
        agent.into_iter().collect()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        match manifest.dialect {
            Dialect::D10 => Vec::new(),
            _ => references::references(manifest, input.document),
        }
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        let version = manifest.directives.first("spec-version")?;
        (manifest.dialect == Dialect::D3).then(|| version.value.clone())
    }
}

impl Manifest {
    fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            ..Self::default()
        }
    }

    /// Where the file begins to say something.
    fn first_place(&self) -> Place {
        self.first.unwrap_or(Place { line: 1, column: 1 })
    }
}

/// The agent of a file of which nothing but a name is used.
fn only_named(place: Place, name: String) -> Agent {
    Agent {
        name,
        pointers: [("name".to_owned(), place.pointer())].into(),
        ..Agent::default()
    }
}
