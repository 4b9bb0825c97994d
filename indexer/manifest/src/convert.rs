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
//! Converting to the format that a document already has says all of it again, in its own words:
//! what has to change is said in findings, member by member.

use crate::{Agent, Document, Finding, FormatId, Severity, fault, formats};
use report::Report;
use serde_json::Value;

mod a2a;
mod agents_json;
mod agents_txt;
mod ard;
mod input;
mod intentql;
mod json_agents;
mod leaves;
mod names;
mod openapi;
mod origin;
mod report;
mod same;
mod security;
mod service;
mod target;
mod zervice;

pub use origin::Origin;
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

/// Writes `agents` in the format `target`.
///
/// A target that describes one agent a document takes the first; the others are named in the
/// findings.
pub fn convert(agents: &[Agent], origin: &Origin, target: Target) -> Conversion {
    let converted = fault::contained(|| converted(agents, origin, target));
    converted.unwrap_or_else(|fault| Conversion {
        target,
        body: None,
        findings: vec![fault.finding("converting it")],
    })
}

fn converted(agents: &[Agent], origin: &Origin, target: Target) -> Conversion {
    let mut report = Report::new(target, origin);
    let body = same::whole(agents, &mut report).or_else(|| {
        let body = write(agents, &mut report)?;
        security::account(agents, &mut report);
        let body = same::complete(agents, body, &mut report);
        is_sound(&body, &mut report).then_some(body)
    });
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
    match check(body, report.origin, report.target) {
        Ok(()) => return true,
        Err(Fault::Nowhere) => report.missing("", "an https URL to publish it at"),
        Err(Fault::Format(format)) => {
            let what = format!("more to be told from {format}");
            report.missing("", &what);
        }
        Err(Fault::NoApi) => {}
        Err(Fault::Errors(errors)) => errors.iter().for_each(|error| report.unsound(error)),
    }
    false
}

/// Why a document must not be given.
enum Fault {
    /// The site has no address at which it could be published.
    Nowhere,
    /// It would be taken for another format.
    Format(FormatId),
    /// It cannot be read as an OpenAPI document.
    NoApi,
    /// It breaks rules.
    Errors(Vec<Finding>),
}

fn check(body: &str, origin: &Origin, target: Target) -> Result<(), Fault> {
    let url = origin.at(target.place()).ok_or(Fault::Nowhere)?;
    let document = Document::new(origin.domain.clone(), url, body);
    let reading = formats::read(&document);
    if reading.format != target.format() {
        return Err(Fault::Format(reading.format));
    }
    if target == Target::OpenApi {
        // As a manifest it is an error by itself: it describes an API, not an agent (GP-05).
        let api = crate::openapi::read(body.as_bytes());
        return api.map(|_| ()).ok_or(Fault::NoApi);
    }
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let errors: Vec<_> = reading.findings.into_iter().filter(is_error).collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Fault::Errors(errors))
    }
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
