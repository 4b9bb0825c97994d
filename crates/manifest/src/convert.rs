//! Conversion of a manifest to another format.
//!
//! [`convert`] writes what was read as a document of a [`Target`]. It guarantees three things:
//!
//! * **Nothing is dropped silently.** Each fact that the target cannot express is a finding
//!   (CV-01), and so is each capability that it cannot express (CV-03).
//! * **Nothing is invented.** If no document states a fact that the target requires, the conversion
//!   is refused (CV-02). Only facts that follow from others are filled in, such as an id made from
//!   a name (CV-04).
//! * **The output is valid.** Every document is read back by the target's own reader, and one that
//!   breaks a rule is not returned.
//!
//! A document can also be converted to its own format. It is then rewritten, and each member that
//! has to change is reported.

use crate::{Agent, Document, Finding, FormatId, Severity, fault, formats};
use losses::Report;

mod a2a;
pub mod agent_card;
mod agents_json;
mod agents_txt;
mod amended;
mod ard;
mod input;
mod intentql;
mod json_agents;
mod losses;
mod names;
mod openapi;
mod origin;
mod roundtrip;
mod security;
mod service;
mod target;
mod unwritten_members;
mod zervice;

pub use origin::Origin;
pub use target::Target;

/// Maximum number of facts that are named if a result is refused because they are not read back.
const MAX_UNREAD: usize = 10;

/// A manifest in another format, with findings on what was lost or changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The format it was converted to.
    pub target: Target,
    /// The document, ending in a line break; `None` if it lacks a fact that the target requires.
    pub body: Option<String>,
    /// Findings on what was lost, left out or changed; their positions refer to the source
    /// document.
    pub findings: Vec<Finding>,
}

impl Conversion {
    /// Returns the findings for people: those of one kind are united to one with a count and
    /// examples.
    pub fn grouped(&self) -> Vec<Finding> {
        losses::grouped(&self.findings)
    }
}

/// Writes `agents` in the format `target`.
///
/// A target that describes one agent per document takes the first; the others are reported.
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
    let kept = roundtrip::whole(agents, &mut report);
    let kept = kept.or_else(|| amended::write(agents, &mut report));
    let body = kept.or_else(|| {
        let body = write(agents, &mut report)?;
        security::account(agents, &mut report);
        let body = roundtrip::complete(agents, body, &mut report);
        is_sound(&body, agents, &mut report).then_some(body)
    });
    Conversion {
        target,
        findings: report.finish(body.is_some()),
        body,
    }
}

fn write(agents: &[Agent], report: &mut Report<'_>) -> Option<String> {
    let value = match report.target {
        Target::A2a => a2a::write(first(agents, report)?, a2a::Generation::V1, report),
        Target::A2a03 => a2a::write(first(agents, report)?, a2a::Generation::V03, report),
        Target::AgentsJson => agents_json::write(first(agents, report)?, report),
        Target::AgentsTxt => return agents_txt::write(first(agents, report)?, report),
        Target::AgentJson => intentql::write(first(agents, report)?, report),
        Target::JsonAgents => json_agents::write(first(agents, report)?, report),
        Target::Zervice => zervice::write(agents, report),
        Target::Ard => ard::write(agents, report),
        Target::OpenApi => openapi::write(first(agents, report)?, report),
    };
    value.map(|value| format!("{value:#}\n"))
}

/// Returns the agent that a document about one agent describes, and reports the others.
fn first<'a>(agents: &'a [Agent], report: &mut Report<'_>) -> Option<&'a Agent> {
    let Some((agent, others)) = agents.split_first() else {
        report.nothing();
        return None;
    };
    for other in others {
        report.second_agent(other);
    }
    Some(agent)
}

/// Reads the written document as the site would serve it; its errors, and facts that are not read
/// from it, are reasons to refuse it.
fn is_sound(body: &str, agents: &[Agent], report: &mut Report<'_>) -> bool {
    match check(body, report.origin, report.target) {
        Ok(read) => {
            let unread = match report.target {
                Target::Ard => ard::unread(body, &read, agents),
                _ => Vec::new(),
            };
            for fact in unread.iter().take(MAX_UNREAD) {
                let what = format!("an entry that is read back whole; {fact} would be lost");
                report.missing("", &what);
            }
            return unread.is_empty();
        }
        Err(Fault::Nowhere) => report.missing("", "an https URL to publish it at"),
        Err(Fault::Format(format)) => {
            let what = format!("further facts; without them it would be read as {format}");
            report.missing("", &what);
        }
        Err(Fault::NoApi) => {}
        Err(Fault::Errors(errors)) => errors.iter().for_each(|error| report.unsound(error)),
    }
    false
}

/// Reason why a written document must not be returned.
enum Fault {
    /// The site has no URL at which it could be published.
    Nowhere,
    /// It would be detected as another format.
    Format(FormatId),
    /// It cannot be read as an OpenAPI document.
    NoApi,
    /// It breaks rules.
    Errors(Vec<Finding>),
}

/// Returns the agents that are read from a written document.
fn check(body: &str, origin: &Origin, target: Target) -> Result<Vec<Agent>, Fault> {
    let url = origin.at(target.place()).ok_or(Fault::Nowhere)?;
    let document = Document::new(origin.domain.clone(), url, body);
    let reading = formats::read(&document);
    let keeps_dialect =
        origin.is_well_known_text(target) && reading.format.as_str() == origin.format;
    if reading.format != target.format() && !keeps_dialect {
        return Err(Fault::Format(reading.format));
    }
    if target == Target::OpenApi {
        // The OpenAPI target is checked separately: as a manifest it is always an error (GP-05).
        let api = crate::openapi::read(body.as_bytes());
        return api.map(|_| Vec::new()).ok_or(Fault::NoApi);
    }
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let errors: Vec<_> = reading.findings.into_iter().filter(is_error).collect();
    if errors.is_empty() {
        Ok(reading.agents)
    } else {
        Err(Fault::Errors(errors))
    }
}
