//! API catalogues as linksets (RFC 9727, RFC 9264).
//!
//! A linkset describes no agent and gives no facts: it lists the locations of descriptions. Its links to known
//! documents become references.

use crate::Severity::Error;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::{Example, Rule};
use crate::{Agent, FormatId, Reference, json};
use serde_json::Value;

/// Maximum number of links that are read.
const MAX_LINKS: usize = 500;
/// Relations whose targets may be readable documents.
const RELATIONS: [&str; 4] = ["item", "service-desc", "service-meta", "describedby"];
/// Ends of paths, with the kinds of documents found there.
const FILES: [(&str, &str); 12] = [
    ("/agent-card.json", "agent-card"),
    ("/agent.json", "agent-card"),
    ("/agents.json", "agents.json"),
    ("/agents.txt", "agents.txt"),
    ("/ai-catalog.json", "ai-catalog"),
    ("/ard.json", "ai-catalog"),
    ("/mcp/catalog.json", "mcp-catalog"),
    ("/server-card.json", "mcp"),
    ("/server-card", "mcp"),
    ("/mcp.json", "mcp"),
    ("/.well-known/ucp", "ucp"),
    ("/agent-descriptions", "anp-collection"),
];

/// Reader of linksets.
pub(super) struct Linkset;

/// Links of a linkset, and its findings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    links: Vec<Target>,
    faults: Vec<(String, String)>,
}

/// Target of a link.
#[derive(Clone, Debug)]
struct Target {
    relation: String,
    href: String,
    media_type: Option<String>,
    pointer: String,
}

pub(crate) static RC_01: Rule = Rule {
    id: "RC-01",
    format: "RFC 9727",
    severity: Error,
    title: "Each member of linkset relates an anchor to targets with href",
    explanation: "A link context is an object: its anchor is a URI, and every other member is an array of targets, each with an href.",
    section: "RFC 9264, 4.2",
    good: &[catalog(
        r#"{"linkset": [{"anchor": "https://shop.example/api",
                "service-desc": [{"href": "https://shop.example/openapi.json", "type": "application/json"}]}]}"#,
    )],
    bad: &[catalog(
        r#"{"linkset": [{"anchor": "https://shop.example/api", "service-desc": "/openapi.json"}]}"#,
    )],
};

impl Format for Linkset {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("rfc9727-linkset");
    const TITLE: &'static str = "API catalogue (RFC 9727)";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        marker::array(o, "linkset").is_some()
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/api-catalog"];
    const RULES: &'static [&'static Rule] = &[&RC_01];

    fn parse(input: &Input<'_>) -> Manifest {
        let mut manifest = Manifest::default();
        let contexts = input.value.get("linkset").and_then(Value::as_array);
        for (index, context) in contexts.into_iter().flatten().enumerate() {
            manifest.add(context, &format!("/linkset/{index}"));
        }
        manifest
    }

    fn validate(manifest: &Manifest, _: &Input<'_>, findings: &mut Findings) {
        for (pointer, message) in &manifest.faults {
            findings.add(&RC_01, pointer, message);
        }
    }

    fn normalize(_: &Manifest, _: &Input<'_>) -> Vec<Agent> {
        Vec::new()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let references = manifest.links.iter().filter_map(|target| {
            let rel = target.rel()?;
            reference::to(input.document, rel, &target.href, &target.pointer)
        });
        let mut seen = std::collections::HashSet::new();
        references
            .filter(|reference| seen.insert(reference.url.clone()))
            .collect()
    }
}

impl Manifest {
    fn add(&mut self, context: &Value, at: &str) {
        let Some(members) = context.as_object() else {
            return self.fault(at, context, "a link context as an object");
        };
        for (name, value) in members {
            let pointer = format!("{at}/{}", json::escape(name));
            match value {
                Value::String(_) if name == "anchor" => {}
                Value::Array(targets) if name != "anchor" => {
                    for (index, target) in targets.iter().enumerate() {
                        self.add_target(name, target, &format!("{pointer}/{index}"));
                    }
                }
                _ if name == "anchor" => self.fault(&pointer, value, "a URI"),
                _ => self.fault(&pointer, value, "the targets as an array"),
            }
        }
    }

    fn add_target(&mut self, relation: &str, target: &Value, pointer: &str) {
        let Some(href) = target.get("href").and_then(Value::as_str) else {
            return self.fault(pointer, target, "a target with href");
        };
        if self.links.len() < MAX_LINKS {
            let media_type = target.get("type").and_then(Value::as_str);
            self.links.push(Target {
                relation: relation.to_owned(),
                href: href.to_owned(),
                media_type: media_type.map(str::to_owned),
                pointer: format!("{pointer}/href"),
            });
        }
    }

    fn fault(&mut self, pointer: &str, value: &Value, what: &str) {
        let message = format!("{} where {what} belongs", json::kind(value));
        self.faults.push((pointer.to_owned(), message));
    }
}

impl Target {
    /// Returns the kind of the target: a known document, or an OpenAPI description.
    fn rel(&self) -> Option<&'static str> {
        if !RELATIONS.contains(&self.relation.as_str()) {
            return None;
        }
        let path = self.href.split(['?', '#']).next().unwrap_or_default();
        let known = FILES.iter().find(|(file, _)| path.ends_with(file));
        let kind = self.media_type.as_deref().unwrap_or_default();
        let is_openapi = kind.contains("openapi")
            || [
                "openapi.json",
                "openapi.yaml",
                "openapi.yml",
                "swagger.json",
            ]
            .iter()
            .any(|name| path.ends_with(name));
        known
            .map(|(_, rel)| *rel)
            .or(is_openapi.then_some("openapi"))
    }
}

const fn catalog(body: &'static str) -> Example {
    Example::at("/.well-known/api-catalog", body)
}
