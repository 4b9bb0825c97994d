//! Registry of the formats, detection of a document's format, and reading.
//!
//! To add one: write `formats/<name>.rs` with a unit struct that implements
//! `Format`, name the module here, and add a line to [`ALL`].

use crate::body::{self, Body, Content};
use crate::finding::Findings;
use crate::format::{Entry, Format as _, Input};
use crate::rule::document::{DI_03, DI_20, DI_30};
use crate::rule::profile::GP_05;
use crate::{Agent, Document, Finding, FormatId, Reading, delivery, fault, provenance};
pub use aliases::{current_id, former_ids};
pub use json_agents::{ajson, policy};
use serde_json::Value;
use std::cell::Cell;

mod a2a;
mod agent_policy;
mod agents_protocol;
mod agents_txt;
mod agents_txt_com;
mod agents_txt_json;
mod ai_catalog;
mod ai_plugin;
mod aliases;
mod anp;
mod detect;
mod drafts;
mod erc_8004;
mod generic;
mod identity_kit;
mod intentql;
mod json_agents;
mod linkset;
mod mcp;
mod oasf;
mod side_documents;
mod wildcard;
mod wrapped_agents;
mod zervice;

/// Most agents that one document may describe.
const MAX_AGENTS: usize = 500;

/// Every format that is read, in the order in which documentation lists them.
pub const ALL: &[Entry] = &[
    Entry::of::<a2a::A2aAgentCard>(),
    Entry::of::<agents_protocol::AgentsProtocol>(),
    Entry::of::<agents_txt::AgentsTxt>(),
    Entry::of::<agents_txt_json::AgentsTxtJson>(),
    Entry::of::<agents_txt_com::AgentsTxtCom>(),
    Entry::of::<agent_policy::AgentPolicy>(),
    Entry::of::<wildcard::Wildcard>(),
    Entry::of::<identity_kit::IdentityKit>(),
    Entry::of::<identity_kit::IdentityTeam>(),
    Entry::of::<drafts::Drafts>(),
    Entry::of::<zervice::Zervice>(),
    Entry::of::<json_agents::JsonAgents>(),
    Entry::of::<intentql::IntentQl>(),
    Entry::of::<intentql::IntentQlIntents>(),
    Entry::of::<ai_catalog::AiCatalog>(),
    Entry::of::<mcp::McpServerCard>(),
    Entry::of::<anp::AnpAgentDescription>(),
    Entry::of::<anp::AnpCollection>(),
    Entry::of::<oasf::Oasf>(),
    Entry::of::<linkset::Linkset>(),
    Entry::of::<ai_plugin::AiPlugin>(),
    Entry::of::<erc_8004::Erc8004>(),
    Entry::of::<side_documents::Facts>(),
    Entry::of::<wrapped_agents::WrappedAgents>(),
    Entry::of::<generic::Profile>(),
];

/// Recognises a document by its content; the path only breaks ties (DI-20).
///
/// Returns `unrecognised` if no detector matches, and after an internal error.
pub fn detect(document: &Document) -> FormatId {
    let detected = fault::contained(|| detect_body(document, &body::open(document)));
    detected.unwrap_or(detect::UNRECOGNISED)
}

/// Recognises a document by its opened body.
pub(crate) fn detect_body(document: &Document, body: &Body<'_>) -> FormatId {
    detect::body(document, body)
}

/// Recognises and reads a document.
///
/// It never fails: faults of the document are findings, and so are internal errors (DI-11).
pub fn read(document: &Document) -> Reading {
    contained(detect::UNRECOGNISED, |format| {
        let body = body::open(document);
        format.set(detect_body(document, &body));
        read_body(document, format.get(), &body)
    })
}

/// Reads a document as `format`, without detection.
pub fn read_as(document: &Document, format: FormatId) -> Reading {
    contained(format, |_| {
        read_body(document, format, &body::open(document))
    })
}

/// Calls `read`, which stores the format as soon as it is known; a panic becomes a finding (DI-11).
fn contained(format: FormatId, read: impl FnOnce(&Cell<FormatId>) -> Reading) -> Reading {
    let format = Cell::new(format);
    fault::contained(|| read(&format)).unwrap_or_else(|fault| fault.reading(format.get()))
}

/// Returns the path at which clients look for a file of this name; a path is returned unchanged.
pub(crate) fn place_of(name: &str) -> String {
    if name.starts_with('/') {
        return name.to_owned();
    }
    let mut places = ALL.iter().flat_map(|entry| entry.places);
    let known = places.find(|place| place.rsplit('/').next() == Some(name));
    known.map_or_else(|| format!("/{name}"), |place| (*place).to_owned())
}

/// Reports whether a format has no specification and is read by the names of its members alone.
pub(crate) fn is_read_by_habit(format: FormatId) -> bool {
    generic::Profile::takes(format) || drafts::Drafts::takes(format)
}

/// Detects and reads one item, at `pointer`, of a document that lists several.
///
/// An item that lists several in turn is not read, so that the work stays linear.
pub(crate) fn read_item(input: &Input<'_>, item: &Value, pointer: &str) -> Reading {
    let format = match detect::item(item) {
        list if wrapped_agents::WrappedAgents::takes(list) => detect::UNRECOGNISED,
        format => format,
    };
    read_item_as(input, format, item, pointer)
}

/// Reads one item as `format`, and puts `pointer` before every pointer of the reading.
fn read_item_as(input: &Input<'_>, format: FormatId, item: &Value, pointer: &str) -> Reading {
    let below = |secret: &String| {
        let rest = secret.strip_prefix(pointer)?;
        rest.starts_with('/').then(|| rest.to_owned())
    };
    let secrets: Vec<String> = input.secrets.iter().filter_map(below).collect();
    let mut reading = read_content(&Input {
        format,
        value: item,
        secrets: &secrets,
        ..*input
    });
    for finding in &mut reading.findings {
        finding.pointer.insert_str(0, pointer);
    }
    for reference in &mut reading.references {
        reference.pointer.insert_str(0, pointer);
    }
    for mention in &mut reading.mentions {
        mention.pointer.insert_str(0, pointer);
    }
    for agent in &mut reading.agents {
        agent.pointer.insert_str(0, pointer);
        for place in agent.pointers.values_mut() {
            place.insert_str(0, pointer);
        }
        for capability in &mut agent.capabilities {
            capability.pointer.insert_str(0, pointer);
        }
    }
    reading
}

/// Reads an opened body as `format`.
pub(crate) fn read_body(document: &Document, format: FormatId, body: &Body<'_>) -> Reading {
    let (value, text) = match &body.content {
        Content::Json(value) => (value, ""),
        Content::Text => (&Value::Null, &*body.text),
        Content::Html | Content::Nothing => (&Value::Null, ""),
    };
    let mut reading = read_content(&Input {
        document,
        format,
        value,
        text,
        secrets: &body.secrets,
    });
    reading.findings.splice(..0, body.findings.iter().cloned());
    if let Some(entry) = ALL.iter().find(|entry| entry.takes(format)) {
        let mut findings = Findings::default();
        delivery::check(document, entry, &body.content, &mut findings);
        reading.findings.extend(findings.into_vec());
    }
    provenance::quote(&mut reading.findings, value, &body.text);
    finish(document, &mut reading);
    reading
}

fn read_content(input: &Input<'_>) -> Reading {
    if let Some(entry) = ALL.iter().find(|entry| entry.takes(input.format)) {
        return (entry.read)(input);
    }
    let mut findings = Findings::default();
    let other = input
        .value
        .as_object()
        .filter(|_| input.format == detect::UNRECOGNISED);
    let other = other.and_then(generic::declared_subject);
    if let Some(subject) = other {
        let message =
            format!("this does not describe a service ({subject}); it is kept, not listed");
        findings.add(&GP_05, "", message);
    } else if input.format == detect::UNRECOGNISED {
        let message = "the format is not known; the document is kept, not listed";
        findings.add(&DI_30, "", message);
    } else if input.format.as_str() == "openapi" {
        let message = "an OpenAPI document describes an API, not an agent: it is not listed; \
            name it in a manifest, such as an agent card, so that it is read from there";
        findings.add(GP_05.info(), "", message);
    } else {
        let message = format!("recognised as {}, which is not read yet", input.format);
        findings.add(&DI_20, "", message);
    }
    Reading {
        format: input.format,
        generation: None,
        agents: Vec::new(),
        findings: findings.into_vec(),
        references: Vec::new(),
        mentions: Vec::new(),
        is_complete: false,
    }
}

/// Drops empty agents, keeps at most [`MAX_AGENTS`], and names nameless agents after the domain.
fn finish(document: &Document, reading: &mut Reading) {
    let has_something = |agent: &Agent| {
        !agent.name.is_empty() || !agent.capabilities.is_empty() || !agent.interfaces.is_empty()
    };
    reading.agents.retain(has_something);
    if reading.agents.len() > MAX_AGENTS {
        let message = format!(
            "describes {} agents, of which the first {MAX_AGENTS} are kept",
            reading.agents.len()
        );
        let finding = Finding::new(DI_03.warning(), "", message);
        reading.findings.push(finding);
        reading.agents.truncate(MAX_AGENTS);
    }
    for agent in &mut reading.agents {
        if agent.name.is_empty() {
            agent.name = document.site_name();
            agent.defaulted.push("name".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_reader_is_a_finding() {
        let format = a2a::A2aAgentCard::ID;
        let reading = contained(detect::UNRECOGNISED, |known| {
            known.set(format);
            panic!("a reader");
        });
        assert_eq!((reading.format, reading.agents.len()), (format, 0));
        assert!(!reading.is_valid() && !reading.is_indexable());
        let message = "reading it failed: an internal error; this document is not at fault";
        assert_eq!(reading.fault(), Some(message));
        assert_eq!(reading.findings.len(), 1);
    }
}
