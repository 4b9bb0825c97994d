//! Completes what somebody types: names, capabilities, tags and sites that begin like it.
//!
//! The term dictionaries are read from the prefix on and no further than a fixed number of terms, so that one
//! letter costs no more than ten. Of very many terms with one beginning, the first in the alphabet are seen.

use super::schema::Fields;
use super::{Facet, analyzer};
use manifest::Domain;
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tantivy::Searcher;
use tantivy::schema::Field;

/// Suggestions at once, at most.
const MAX_SUGGESTIONS: usize = 20;
/// Terms of one dictionary that are read in one segment.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
    let mut suggestions: Vec<Suggestion> = found.into_values().collect();
    suggestions.sort_unstable_by(|left, right| {
        let key = |it: &Suggestion| (std::cmp::Reverse(it.count), it.text.chars().count());
        (key(left), &left.text).cmp(&(key(right), &right.text))
    });
    suggestions.truncate(limit.min(MAX_SUGGESTIONS));
    Ok(suggestions)
}

/// Terms of a field that begin so, with the number of agents.
fn beginning_with(
    prefix: &str,
    field: Field,
    searcher: &Searcher,
) -> tantivy::Result<HashMap<String, u64>> {
    let mut counts = HashMap::new();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(field)?;
        let mut stream = index.terms().range().ge(prefix).into_stream()?;
        let mut left = MAX_READ;
        while left > 0 && stream.advance() {
            left -= 1;
            match std::str::from_utf8(stream.key()) {
                Ok(term) if term.starts_with(prefix) => {
                    *counts.entry(term.to_owned()).or_default() +=
                        u64::from(stream.value().doc_freq);
                }
                Ok(_) | Err(_) => break,
            }
        }
    }
    Ok(counts)
}
