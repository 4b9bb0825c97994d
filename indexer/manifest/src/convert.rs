//! One manifest said again in another format.
//!
//! [`convert`] writes what was read as a document of a [`Target`]. Three things hold:
//!
//! * **Nothing is dropped silently.** Each fact that the target has no place for is a finding
//!   (CV-01), and so is each capability (CV-03) that cannot be said there.
//! * **Nothing is invented.** What the target requires and no document says is not guessed: the
//!   conversion is refused (CV-02). Only what is true by construction is filled in, such as an id
//!   made from a name (CV-04).
//! * **What is written is valid.** Every document is read back by the target's own reader, and one
//!   that breaks a rule is not given.
//!
//! Converting to the format that a document already has says the same again, apart from members
//! which the model does not hold and what the findings name.

use crate::Listing;
use crate::{Agent, Document, Domain, Finding, FormatId, Reading, Reference, Severity, formats};
use report::Report;
use serde_json::Value;
use url::Url;

mod a2a;
mod agents_json;
mod agents_txt;
mod ard;
mod input;
mod intentql;
mod json_agents;
mod names;
mod openapi;
mod report;
mod security;
mod service;
mod target;
mod zervice;

pub use target::Target;

/// A manifest in another format, and what became of each fact on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The format it was converted to.
    pub target: Target,
    /// The document, ending in a line break; `None` when the target requires what nobody says.
    pub body: Option<String>,
    /// What was lost, left out or changed; their places are those of the document that was read.
    pub findings: Vec<Finding>,
}

/// Where the agents to convert were read, and so which site speaks in the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The site: identifiers are made below it, and paths are paths of it.
    pub domain: Domain,
    /// The document that describes the agents; its origin is where the result is published.
    pub url: Url,
    /// That document's format.
    pub format: String,
    /// What the document points at.
    pub references: Vec<Reference>,
}

impl Origin {
    /// The origin of what was read from `document`.
    pub fn of(document: &Document, reading: &Reading) -> Self {
        Self {
            domain: document.domain.clone(),
            url: document.url.clone(),
            format: reading.format.as_str().to_owned(),
            references: reading.references.clone(),
        }
    }

    /// The origin of a merged agent of `domain`: its leading document.
    ///
    /// `None` when the listing names no document with a URL.
    pub fn of_listing(domain: &Domain, listing: &Listing) -> Option<Self> {
        Some(Self {
            domain: domain.clone(),
            url: Url::parse(&listing.sources.first()?.url).ok()?,
            format: listing.format.clone(),
            references: Vec::new(),
        })
    }

    /// `path` on the site that publishes the result.
    fn at(&self, path: &str) -> Option<Url> {
        self.url.join(path).ok()
    }
}

/// Writes `agents` in the format `target`.
///
/// A target that describes one agent a document takes the first; the others are named in the
/// findings.
pub fn convert(agents: &[Agent], origin: &Origin, target: Target) -> Conversion {
    let mut report = Report::new(target, origin);
    let body = write(agents, &mut report).filter(|body| is_sound(body, &mut report));
    Conversion {
        target,
        findings: report.finish(body.is_some()),
        body,
    }
}

fn write(agents: &[Agent], report: &mut Report<'_>) -> Option<String> {
    let value = match report.target {
        Target::Zervice => zervice::write(agents, report),
        Target::Ard => ard::write(agents, report),
        _ => {
            let Some((agent, others)) = agents.split_first() else {
                report.nothing();
                return None;
            };
            for other in others {
                report.second_agent(other);
            }
            if report.target == Target::AgentsTxt {
                return agents_txt::write(agent, report);
            }
            write_one(agent, report)
        }
    };
    value.map(|value| format!("{value:#}\n"))
}

fn write_one(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    match report.target {
        Target::A2a => a2a::write(agent, a2a::Generation::V1, report),
        Target::A2a03 => a2a::write(agent, a2a::Generation::V03, report),
        Target::AgentsJson => agents_json::write(agent, report),
        Target::AgentJson => intentql::write(agent, report),
        Target::JsonAgents => json_agents::write(agent, report),
        Target::OpenApi => openapi::write(agent, report),
        Target::Zervice | Target::Ard | Target::AgentsTxt => None,
    }
}

/// Reads what was written as the site would serve it; its errors are reasons to refuse it.
fn is_sound(body: &str, report: &mut Report<'_>) -> bool {
    let Some(url) = report.origin.at(report.target.place()) else {
        report.missing("", "an https URL to publish it at");
        return false;
    };
    let document = Document::new(report.origin.domain.clone(), url, body);
    let reading = formats::read(&document);
    if reading.format != report.target.format() {
        let what = format!("more to be told from {}", reading.format);
        report.missing("", &what);
        return false;
    }
    if report.target == Target::OpenApi {
        // As a manifest it is an error by itself: it describes an API, not an agent (GP-05).
        return crate::openapi::read(body.as_bytes()).is_some();
    }
    for error in reading.findings.iter().filter(|it| is_error(it)) {
        report.unsound(error);
    }
    !reading.findings.iter().any(is_error)
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

impl Target {
    /// The format that a document of this target is read as.
    pub fn format(self) -> FormatId {
        FormatId(match self {
            Self::A2a | Self::A2a03 => "a2a-agent-card",
            Self::AgentsJson => "agents-json/agents-protocol",
            Self::AgentJson => "intentql",
            Self::JsonAgents => "json-agents",
            Self::Zervice => "zervice",
            Self::AgentsTxt => "agents-txt/d2",
            Self::Ard => "ai-catalog",
            Self::OpenApi => "openapi",
        })
    }
}
