//! Conversion of the entries of a catalogue to the normalized model.

use super::manifest::{Entry, Host};
use crate::agent::Provider;
use crate::format::Input;
use crate::reference;
use crate::{Agent, Capability, Mention, Reference, link, text};
use serde_json::{Map, Value};

/// Returns the agent that an entry describes, if it contains more than a reference.
///
/// The entry's `url` is the location of a card, not the endpoint of the agent.
pub(super) fn agent(entry: &Entry, host: &Host, at: &str, input: &Input<'_>) -> Option<Agent> {
    let is_agent = entry.kind().is_agent();
    let description = entry.description.text();
    let names = entry.capabilities.texts();
    let queries = entry.representative_queries.texts();
    if !is_agent || (description.is_none() && names.is_empty() && queries.is_empty()) {
        return None;
    }
    let document = input.document;
    let provider = host.display_name.text().or_else(|| host.name.text());
    let docs = host.documentation_url.raw();
    let mut extensions = Map::new();
    if let Some(metadata) = entry.unknown.get("metadata") {
        extensions.insert("metadata".to_owned(), metadata.clone());
    }
    if !names.is_empty() && !queries.is_empty() {
        let queries = queries.iter().map(|query| Value::from(query.as_str()));
        extensions.insert("representativeQueries".to_owned(), queries.collect());
    }
    let homepage = metadata_text(entry, &["websiteUrl", "homepage", "website"]);
    Some(Agent {
        homepage: homepage.and_then(|url| link::absolute(&document.url, url)),
        pointer: at.to_owned(),
        key: entry.identifier.text().unwrap_or_default(),
        name: entry.display_name.text().unwrap_or_default(),
        capabilities: capabilities(entry, names, queries, at),
        description,
        version: entry.version.text(),
        provider: provider.map(|name| Provider { name, url: None }),
        docs: docs.and_then(|docs| link::absolute(&document.url, docs)),
        tags: entry.tags.texts(),
        extensions,
        ..Agent::default()
    })
}

/// Returns the first text of some members of an entry's `metadata`.
fn metadata_text<'e>(entry: &'e Entry, names: &[&str]) -> Option<&'e str> {
    let metadata = entry.unknown.get("metadata")?;
    names.iter().find_map(|name| metadata.get(*name)?.as_str())
}

/// Returns the entry of another publisher as a mention (ARD-06).
pub(in crate::formats) fn mention(entry: &Entry, at: &str, input: &Input<'_>) -> Mention {
    let url = entry.url.raw();
    Mention {
        name: entry.display_name.text().unwrap_or_default(),
        publisher: entry.publisher().and_then(text::some),
        url: url.and_then(|url| link::absolute(&input.document.url, url)),
        pointer: at.to_owned(),
    }
}

/// Returns the target of the entry: a document to follow if it belongs to the site, otherwise a
/// mention.
pub(super) fn reference(
    entry: &Entry,
    is_own: bool,
    at: &str,
    input: &Input<'_>,
) -> Option<Reference> {
    let rel = if is_own {
        entry.kind().rel()?
    } else {
        "mention"
    };
    link(entry, rel, at, input)
}

/// Returns the target of the entry as a reference of a relation.
pub(in crate::formats) fn link(
    entry: &Entry,
    rel: &'static str,
    at: &str,
    input: &Input<'_>,
) -> Option<Reference> {
    let is_early = ["/agents/", "/records/"]
        .iter()
        .any(|list| at.contains(list));
    let member = if is_early { "cardUrl" } else { "url" };
    reference::to(
        input.document,
        rel,
        entry.url.raw()?,
        &format!("{at}/{member}"),
    )
}

/// Returns the named capabilities; without any, the entry itself is one if it has example queries.
fn capabilities(
    entry: &Entry,
    names: Vec<String>,
    queries: Vec<String>,
    at: &str,
) -> Vec<Capability> {
    if names.is_empty() {
        let name = entry.display_name.text().filter(|_| !queries.is_empty());
        return name
            .map(|name| Capability {
                id: entry.identifier.text().unwrap_or_else(|| name.clone()),
                name,
                description: entry.description.text(),
                examples: queries,
                pointer: format!("{at}/representativeQueries"),
                ..Capability::default()
            })
            .into_iter()
            .collect();
    }
    names
        .into_iter()
        .map(|name| Capability {
            id: name.clone(),
            name,
            pointer: format!("{at}/capabilities"),
            ..Capability::default()
        })
        .collect()
}
