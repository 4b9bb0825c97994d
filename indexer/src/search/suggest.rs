//! Completes what somebody types: names, capabilities, tags and sites that begin like it.
//!
//! The term dictionaries are read from the prefix on and no further than a fixed number of terms, so that one
//! letter costs no more than ten. Of very many terms with one beginning, the first in the alphabet are seen.

use super::schema::Fields;
use super::{Facet, analyzer};
use manifest::Domain;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tantivy::Searcher;
use tantivy::collector::TopNComputer;
use tantivy::schema::Field;
use tantivy::termdict::TermMerger;

/// Suggestions at once, at most.
const MAX_SUGGESTIONS: usize = 20;
/// Terms of one field that are read.
const MAX_READ: usize = 2_000;
/// Characters of a prefix that are read.
const MAX_PREFIX: usize = 100;

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The whole text, in lower case.
    pub text: String,
    /// What it is.
    pub kind: SuggestionKind,
    /// Agents that have it.
    pub count: u64,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionKind {
    /// A capability's name or id.
    Capability,
    /// A tag.
    Tag,
    /// A domain.
    Site,
    /// An agent's name.
    Name,
}

/// The completions of a prefix; a text that is several things is the first of them in [`SuggestionKind`].
pub(crate) fn suggest(
    searcher: &Searcher,
    fields: &Fields,
    prefix: &str,
    limit: usize,
) -> tantivy::Result<Vec<Suggestion>> {
    let prefix: String = prefix.chars().take(MAX_PREFIX).collect();
    let folded = analyzer::fold(&prefix);
    if folded.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: HashMap<String, Suggestion> = HashMap::new();
    let vocabularies = [
        (Facet::Capability, SuggestionKind::Capability),
        (Facet::Tag, SuggestionKind::Tag),
    ];
    for (facet, kind) in vocabularies {
        let beginning = facet.canonical(&prefix);
        for (text, count) in beginning_with(&beginning, fields.facet(facet), searcher)? {
            if let Entry::Vacant(place) = found.entry(analyzer::fold(&text)) {
                place.insert(Suggestion { text, kind, count });
            }
        }
    }
    for (text, count) in beginning_with(&folded, fields.exact, searcher)? {
        if let Entry::Vacant(place) = found.entry(text) {
            let text = place.key().clone();
            let kind = if text.contains('.') && Domain::parse(&text).is_ok() {
                SuggestionKind::Site
            } else {
                SuggestionKind::Name
            };
            place.insert(Suggestion { text, kind, count });
        }
    }
    let limit = limit.min(MAX_SUGGESTIONS);
    let mut suggestions = TopNComputer::new(limit);
    for (at, it) in found.into_values().enumerate() {
        let is_behind =
            |worst: &(Reverse<u64>, usize, String, SuggestionKind)| worst.0.0 > it.count;
        if !suggestions.threshold.as_ref().is_some_and(is_behind) {
            let length = it.text.chars().count();
            suggestions.push((Reverse(it.count), length, it.text, it.kind), at);
        }
    }
    let suggestions = suggestions.into_sorted_vec().into_iter();
    let suggestions = suggestions.map(|it| {
        let (Reverse(count), _, text, kind) = it.sort_key;
        Suggestion { text, kind, count }
    });
    Ok(suggestions.collect())
}

/// Terms of a field that begin so, in the order of the alphabet, with the number of agents.
fn beginning_with(
    prefix: &str,
    field: Field,
    searcher: &Searcher,
) -> tantivy::Result<Vec<(String, u64)>> {
    let segments = searcher.segment_readers().iter();
    let indexes = segments.map(|segment| segment.inverted_index(field));
    let indexes = indexes.collect::<tantivy::Result<Vec<_>>>()?;
    let mut streams = Vec::with_capacity(indexes.len());
    for index in &indexes {
        streams.push(index.terms().range().ge(prefix).into_stream()?);
    }
    let mut merged = TermMerger::new(streams);
    let mut found = Vec::new();
    while found.len() < MAX_READ && merged.advance() {
        match std::str::from_utf8(merged.key()) {
            Ok(term) if term.starts_with(prefix) => {
                let term = term.to_owned();
                let counts = merged.current_segment_ords_and_term_infos();
                found.push((term, counts.map(|(_, info)| u64::from(info.doc_freq)).sum()));
            }
            Ok(_) | Err(_) => break,
        }
    }
    Ok(found)
}
