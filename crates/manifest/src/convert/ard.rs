//! Writer of Agentic Resource Discovery: a catalogue with one entry per agent.
//!
//! An entry refers to the manifest and repeats what helps to find it. Facts that it does not repeat
//! are therefore not lost.

use super::a2a::{self, Generation};
use super::losses::{self, Report};
use super::names::{self, UniqueNames};
use crate::{Agent, Fact, text};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Format of catalogues.
const AI_CATALOG: &str = "ai-catalog";
/// Maximum number of representative queries of an entry (ARD-05).
const MAX_QUERIES: usize = 5;
/// Minimum number of representative queries of an entry (ARD-05).
const MIN_QUERIES: usize = 2;

/// Writes the catalogue of `agents`; returns `None` if there is no manifest to refer to.
pub(super) fn write(agents: &[Agent], report: &mut Report<'_>) -> Option<Value> {
    if agents.is_empty() {
        report.nothing();
    }
    let mut taken = UniqueNames::default();
    let entries: Vec<_> = agents
        .iter()
        .filter_map(|agent| entry(agent, &mut taken, report))
        .collect();
    if entries.is_empty() {
        return None;
    }
    let mut catalog = json!({"specVersion": "1.0"});
    if let Some(host) = host(agents, report) {
        catalog["host"] = host;
    }
    catalog["entries"] = Value::Array(entries);
    Some(catalog)
}

/// Returns the facts about `agents` that reading the catalogue `body` back does not give again, in
/// words. Further entries, such as those of other publishers, need not be agents.
pub(super) fn unread(body: &str, read: &[Agent], agents: &[Agent]) -> Vec<String> {
    let own: HashSet<&str> = agents.iter().map(|it| it.name.as_str()).collect();
    let catalog: Value = serde_json::from_str(body).unwrap_or_default();
    let entries = catalog["entries"].as_array().into_iter().flatten();
    let by_name: HashMap<&str, &Agent> = read.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut unread = Vec::new();
    for entry in entries {
        let name = entry["displayName"].as_str().unwrap_or_default();
        if !own.contains(name) {
            continue;
        }
        let Some(agent) = by_name.get(name) else {
            let what = "whose document readers do not take for an agent or server card";
            unread.push(format!("the agent {name:?}, {what},"));
            continue;
        };
        let names: HashSet<&str> = agent
            .capabilities
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        let listed = entry["capabilities"].as_array().into_iter().flatten();
        if !listed
            .filter_map(Value::as_str)
            .all(|it| names.contains(it))
        {
            unread.push(format!("the capabilities of {name:?}"));
        }
        for (member, text) in [
            ("description", &agent.description),
            ("version", &agent.version),
        ] {
            if entry[member].is_string() && entry[member].as_str() != text.as_deref() {
                unread.push(format!("the {member} of {name:?}"));
            }
        }
    }
    unread
}

fn entry(agent: &Agent, taken: &mut UniqueNames, report: &mut Report<'_>) -> Option<Value> {
    let identifier = identifier(agent, report)?;
    let (kind, member, artifact) = artifact(agent, report)?;
    let mut entry = json!({
        "identifier": taken.take(&identifier),
        "displayName": agent.name,
        "type": kind,
        member: artifact,
    });
    let names = text::distinct(agent.capabilities.iter().map(|it| it.name.clone()));
    let queries = queries(agent, report);
    for (name, texts) in [
        ("tags", &agent.tags),
        ("capabilities", &names),
        ("representativeQueries", &queries),
    ] {
        if !texts.is_empty() {
            entry[name] = json!(texts);
        }
    }
    for (name, text) in [
        ("description", &agent.description),
        ("version", &agent.version),
    ] {
        if let Some(text) = text {
            entry[name] = json!(text);
        }
    }
    let is_flat = |value: &Value| !value.is_array() && !value.is_object();
    let metadata = losses::further(agent, "metadata").and_then(Value::as_object);
    let metadata: Map<_, _> = metadata
        .into_iter()
        .flatten()
        .filter(|(_, value)| is_flat(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !metadata.is_empty() {
        entry["metadata"] = Value::Object(metadata);
    }
    Some(entry)
}

/// Returns the agent's own URN if its publisher is this site, else a URN made from its name
/// (ARD-06).
fn identifier(agent: &Agent, report: &mut Report<'_>) -> Option<String> {
    let domain = &report.origin.domain;
    let is_part = |part: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty() && part.bytes().all(is_allowed)
    };
    let is_own = |urn: &&str| {
        let mut parts = urn.split(':').skip(2);
        let publisher = parts.next().and_then(|it| crate::Domain::parse(it).ok());
        urn.starts_with("urn:air:")
            && urn.split(':').count() > 3
            && parts.all(is_part)
            && publisher.is_some_and(|it| it.registrable() == domain.registrable())
    };
    let own = Some(agent.key.as_str()).filter(is_own).map(str::to_owned);
    let urn = own.or_else(|| names::urn(domain, &agent.name));
    report.require(agent, Fact::Key, urn)
}

/// Returns what the entry refers to: media type, member and value.
fn artifact(agent: &Agent, report: &mut Report<'_>) -> Option<(String, &'static str, Value)> {
    let origin = report.origin;
    let of_format = match origin.format.as_str() {
        "a2a-agent-card" => "application/a2a-agent-card+json",
        "mcp-server-card" => "application/mcp-server-card+json",
        "json-agents" => "application/agents+json",
        AI_CATALOG => return published(agent, report).or_else(|| inline(agent, report)),
        format if format.starts_with("agents-txt") => "text/plain",
        _ => "application/json",
    };
    if !origin.is_placed {
        let what = "the URL of this document on its site; give the path at which it is served";
        report.missing("", what);
        return None;
    }
    Some((of_format.to_owned(), "url", json!(origin.url)))
}

/// Returns what the entry of the source catalogue refers to: a document of its own, or the data it
/// contains.
fn published(agent: &Agent, report: &Report<'_>) -> Option<(String, &'static str, Value)> {
    let place = agent.pointer.strip_suffix("/data");
    let place = place.unwrap_or(&agent.pointer);
    let entry = report.origin.published(place)?;
    let kind = entry.get("type")?.as_str()?.to_owned();
    let mut members = ["url", "data"].into_iter();
    let (member, value) = members.find_map(|it| Some((it, entry.get(it)?)))?;
    Some((kind, member, value.clone()))
}

/// Returns a reference to the entry's card or MCP server, else a card written from the agent.
fn inline(agent: &Agent, report: &mut Report<'_>) -> Option<(String, &'static str, Value)> {
    let below = format!("{}/", agent.pointer);
    let references = report.origin.references.iter();
    let mut of_entry = references.filter(|it| it.pointer.starts_with(&below));
    let found = of_entry.find_map(|reference| {
        let kind = match reference.rel.as_str() {
            "agent-card" => "application/a2a-agent-card+json",
            "mcp" => "application/mcp-server-card+json",
            _ => return None,
        };
        Some((kind.to_owned(), "url", json!(reference.url)))
    });
    found.or_else(|| {
        let card = a2a::write(agent, Generation::V1, report)?;
        Some(("application/a2a-agent-card+json".to_owned(), "data", card))
    })
}

/// Returns two to five representative queries, or none (ARD-05).
fn queries(agent: &Agent, report: &mut Report<'_>) -> Vec<String> {
    let kept = losses::further(agent, "representativeQueries").and_then(Value::as_array);
    let kept = kept
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    let examples = agent
        .capabilities
        .iter()
        .flat_map(|it| it.examples.iter().cloned());
    let mut queries = text::distinct(kept.chain(examples));
    if queries.is_empty() {
        return descriptions(agent, report);
    }
    if queries.len() < MIN_QUERIES {
        report.lost(
            agent.place(Fact::Capabilities),
            "a single example: the format requires two to five",
        );
        queries.clear();
    } else if queries.len() > MAX_QUERIES {
        report.lost(agent.place(Fact::Capabilities), "more than five examples");
        queries.truncate(MAX_QUERIES);
    }
    queries
}

/// Returns descriptions of capabilities, flows and the agent in the place of queries, of which the manifest has
/// none: they are the publisher's own words for the needs that the agent meets. An entry of a catalogue stays as
/// it is.
fn descriptions(agent: &Agent, report: &mut Report<'_>) -> Vec<String> {
    if report.origin.format == AI_CATALOG {
        return Vec::new();
    }
    let of_capabilities = agent.capabilities.iter().map(|it| &it.description);
    let of_flows = agent.flows.iter().map(|it| &it.description);
    let all = of_capabilities.chain(of_flows).chain([&agent.description]);
    let mut texts = text::distinct(all.flatten().cloned());
    texts.truncate(MAX_QUERIES);
    if texts.len() < MIN_QUERIES {
        return Vec::new();
    }
    let message = "no examples are given: descriptions are written as representative queries";
    report.changed(&agent.pointer, message);
    texts
}

/// Returns the publisher of the catalogue, if all its agents have the same provider.
fn host(agents: &[Agent], report: &mut Report<'_>) -> Option<Value> {
    let mut providers = agents.iter().map(|agent| agent.provider.as_ref());
    let first = providers.next()??;
    if providers.any(|other| other.map(|it| &it.name) != Some(&first.name)) {
        report.lost("", "several providers: an entry cannot name its own");
        return None;
    }
    let mut host = json!({"displayName": first.name});
    let docs = agents[0].docs.as_ref();
    if let Some(docs) = docs.filter(|_| agents.iter().all(|it| it.docs.as_ref() == docs)) {
        host["documentationUrl"] = json!(docs);
    }
    Some(host)
}
