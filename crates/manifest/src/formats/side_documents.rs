//! Small documents with their own paths and one kind of fact each: payment, tools of web pages,
//! loadable skills.
//!
//! They are read as facts about the site and not validated, so they have no shapes.

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::rule::document::DI_20;
use crate::{Agent, FormatId, Mention, Reference, json};
use serde_json::Value;

mod commerce;
mod skills;
#[cfg(test)]
mod tests;
mod tools;
mod x402;

const X402: FormatId = FormatId::habit("x402");
const UCP: FormatId = FormatId::habit("ucp");
const ACP: FormatId = FormatId::habit("acp");
const WEBMCP: FormatId = FormatId::habit("webmcp");
pub(crate) const SKILLS: FormatId = FormatId::habit("agent-skills-index");

/// Maximum number of items that are read of one document.
const MAX_ITEMS: usize = 200;

/// Returns the kind of a document that lacks the marks of its kind, by its own place: an index of skills, or
/// what is sold over x402 or UCP.
pub(super) fn by_place(value: &Value, path: &str) -> Option<FormatId> {
    let is_list_of_objects = |value: &Value| {
        let items = value.as_array().filter(|items| !items.is_empty());
        items.is_some_and(|items| items.iter().all(Value::is_object))
    };
    let path = path.strip_suffix(".json").unwrap_or(path);
    if path.ends_with("/agent-skills/index") || path.ends_with("/skills/index") {
        let skills = value.get("skills").unwrap_or(value);
        return is_list_of_objects(skills).then_some(SKILLS);
    }
    let sells = |name: &&str| {
        let items = value.get(*name).filter(|list| is_list_of_objects(list));
        let has_address = |item: &Value| {
            let names = ["resource", "url", "endpoint", "path", "route"];
            names.iter().any(|name| item.get(*name).is_some())
        };
        items
            .and_then(Value::as_array)
            .is_some_and(|items| items.iter().all(has_address))
    };
    match path.strip_prefix("/.well-known/")? {
        "x402" => {
            let lists = [
                "services",
                "endpoints",
                "payable_endpoints",
                "resources",
                "items",
                "apis",
            ];
            lists.iter().any(sells).then_some(X402)
        }
        "ucp" => value.get("capabilities").map(|_| UCP),
        _ => None,
    }
}

/// Facts of one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    agents: Vec<Agent>,
    /// Skills of another site.
    mentions: Vec<Mention>,
    /// Files of the site's own skills.
    references: Vec<Reference>,
}

/// Reader of documents with payment and interface facts.
pub(super) struct SideDocuments;

impl Format for SideDocuments {
    type Manifest = Facts;

    const ID: FormatId = X402;
    const ALSO: &'static [FormatId] = &[UCP, ACP, WEBMCP, SKILLS];
    const TITLE: &'static str = "Payment and tool descriptions";
    const MARKERS: &'static [Marker] = &[
        Marker::distinctive(SKILLS, |o| {
            let names = ["$schema", "schema_version", "schemaVersion"];
            let is_named = names
                .iter()
                .filter_map(|name| marker::text(o, name))
                .any(|schema| schema.contains("agent-skills") || schema.contains("agentskills"));
            is_named && marker::array(o, "skills").is_some()
        }),
        Marker::distinctive(SKILLS, skills::is_index),
        Marker::distinctive(X402, |o| o.contains_key("x402Version")),
        Marker::distinctive(X402, x402::is_discovery),
        Marker::distinctive(UCP, |o| marker::object(o, "ucp").is_some()),
        Marker::distinctive(WEBMCP, |o| {
            marker::text(o, "spec").is_some_and(|spec| spec.to_ascii_lowercase().contains("webmcp"))
        }),
        Marker::distinctive(ACP, |o| {
            marker::text_in(o, "protocol", "name") == Some("acp")
        }),
    ];
    const OWN_MEANINGS: &'static [&'static str] = &["skills", "url", "version"];
    const PLACES: &'static [&'static str] = &[
        "/.well-known/x402",
        "/.well-known/ucp",
        "/.well-known/acp.json",
        "/.well-known/webmcp.json",
        "/.well-known/agent-skills/index.json",
    ];

    fn parse(input: &Input<'_>) -> Facts {
        let agent = match input.format {
            X402 => x402::agent(input),
            UCP => commerce::ucp(input),
            ACP => commerce::acp(input),
            WEBMCP => tools::webmcp(input),
            _ => return skills::read(input),
        };
        Facts {
            agents: vec![agent],
            ..Facts::default()
        }
    }

    fn validate(_: &Facts, input: &Input<'_>, findings: &mut Findings) {
        let message = format!("{} is read for its facts, not validated", input.format);
        findings.add(&DI_20, "", message);
        note_long_lists("", input.value, findings);
    }

    fn normalize(facts: &Facts, _: &Input<'_>) -> Vec<Agent> {
        facts.agents.clone()
    }

    fn references(facts: &Facts, _: &Input<'_>) -> Vec<Reference> {
        facts.references.clone()
    }

    fn mentions(facts: &Facts, _: &Input<'_>) -> Vec<Mention> {
        facts.mentions.clone()
    }
}

/// Reports every list and map that is longer than the limit.
fn note_long_lists(pointer: &str, value: &Value, findings: &mut Findings) {
    match value {
        Value::Array(items) => {
            findings.rest(pointer, items.len(), MAX_ITEMS);
            for (index, item) in items.iter().enumerate().take(MAX_ITEMS) {
                note_long_lists(&format!("{pointer}/{index}"), item, findings);
            }
        }
        Value::Object(members) => {
            findings.rest(pointer, members.len(), MAX_ITEMS);
            for (key, member) in members.iter().take(MAX_ITEMS) {
                note_long_lists(
                    &format!("{pointer}/{}", json::escape(key)),
                    member,
                    findings,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
