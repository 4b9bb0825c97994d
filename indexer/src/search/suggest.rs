//! Completes what somebody types: names, capabilities, tags and sites that begin like it.
//!
//! The term dictionaries are read from the prefix on and no further than a fixed number of terms, so that one
//! letter costs no more than ten. Of very many terms with one beginning, the first in the alphabet are seen.

use super::lexicon::first_alive;
use super::schema::{Fields, NAMES, Told};
use super::{Facet, analyzer};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;
use tantivy::schema::{Field, Value as _};
use tantivy::termdict::TermMerger;
use tantivy::{DocAddress, Searcher, TantivyDocument, Term as IndexTerm};

/// Suggestions at once, at most.
const MAX_SUGGESTIONS: usize = 20;
/// Terms of one field that are read.
const MAX_READ: usize = 2_000;
/// Characters of a prefix that are read.
const MAX_PREFIX: usize = 100;

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The whole text, as one of its agents writes it.
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
    let mut lists = Vec::new();
    for facet in [Facet::Capability, Facet::Tag] {
        let field = fields.facet(facet);
        let mut terms = beginning_with(&facet.canonical(&prefix), field, searcher)?;
        terms.fold();
        lists.push(terms);
    }
    // These were folded before they were indexed.
    lists.push(beginning_with(&folded, fields.exact, searcher)?);
    let places = (0..).zip(&lists).flat_map(|(list, terms)| {
        let terms = (0..).zip(&terms.all);
        terms.map(move |(at, term)| (Reverse(term.count), list, at))
    });
    let mut places: Vec<Place> = places.collect();
    places.sort_unstable();
    let limit = limit.min(MAX_SUGGESTIONS);
    let mut suggestions = Vec::with_capacity(limit);
    for equals in places.chunk_by_mut(|left, right| left.0 == right.0) {
        if suggestions.len() == limit {
            break;
        }
        equals.sort_by_cached_key(|(_, list, at)| {
            let text = lists[*list].text(*at);
            (text.chars().count(), text)
        });
        for place in equals {
            if suggestions.len() == limit {
                break;
            }
            let Some((kind, text)) = suggestion(&lists, *place) else {
                continue;
            };
            let field = [fields.facet(Facet::Capability), fields.facet(Facet::Tag)];
            let field = field.get(place.1).copied().unwrap_or(fields.exact);
            let term = IndexTerm::from_field_text(field, text);
            if let Some(address) = first_alive(searcher, &term)? {
                let (kind, text) = written(searcher, fields, address, kind, text)?;
                let Reverse(count) = place.0;
                suggestions.push(Suggestion { text, kind, count });
            }
        }
    }
    Ok(suggestions)
}

/// A term: its count, in which list it is, and where there.
type Place = (Reverse<u64>, usize, usize);

/// Terms in the order of the alphabet.
#[derive(Default)]
struct Terms {
    /// Their texts, one after the other.
    texts: String,
    all: Vec<Term>,
    /// Where those stand whose folded text is another one, by that text; of several the first.
    folded: HashMap<String, usize>,
}

struct Term {
    from: usize,
    to: usize,
    /// Agents that have it.
    count: u64,
}

impl Terms {
    fn push(&mut self, text: &str, count: u64) {
        let from = self.texts.len();
        self.texts.push_str(text);
        let to = self.texts.len();
        self.all.push(Term { from, to, count });
    }

    fn text(&self, at: usize) -> &str {
        let term = &self.all[at];
        &self.texts[term.from..term.to]
    }

    /// Notes the terms that are not folded.
    fn fold(&mut self) {
        for at in 0..self.all.len() {
            let text = self.text(at);
            if !is_plain(text) {
                let folded = analyzer::fold(text);
                self.folded.entry(folded).or_insert(at);
            }
        }
    }

    /// Where the first term stands whose folded text is this.
    fn place(&self, folded: &str) -> Option<usize> {
        let text = |term: &Term| &self.texts[term.from..term.to];
        let same = self
            .all
            .binary_search_by(|term| text(term).cmp(folded))
            .ok();
        let other = self.folded.get(folded).copied();
        same.into_iter().chain(other).min()
    }
}

/// True for a text that is folded, as most are: that is seen faster than done.
fn is_plain(text: &str) -> bool {
    let is_plain = |it: u8| matches!(it, b'!'..=b'~') && !it.is_ascii_uppercase();
    text.bytes().all(is_plain)
}

/// What a term is as far as its list tells, and its text; nothing when another one before it is the same text.
fn suggestion(lists: &[Terms], (_, list, at): Place) -> Option<(Option<SuggestionKind>, &str)> {
    let text = lists[list].text(at);
    let folded = analyzer::fold(text);
    let (own, before) = (&lists[list], &lists[..list]);
    let is_first = own.place(&folded).is_none_or(|first| first >= at);
    if !is_first || before.iter().any(|terms| terms.place(&folded).is_some()) {
        return None;
    }
    let kinds = [SuggestionKind::Capability, SuggestionKind::Tag];
    Some((kinds.get(list).copied(), text))
}

/// What a text is to an agent that has it, and how that agent writes it: as `kind` if that is known.
fn written(
    searcher: &Searcher,
    fields: &Fields,
    address: DocAddress,
    kind: Option<SuggestionKind>,
    text: &str,
) -> tantivy::Result<(SuggestionKind, String)> {
    let document: TantivyDocument = searcher.doc(address)?;
    let stored = |field| document.get_first(field).and_then(|value| value.as_str());
    let told = Told::parse(stored(fields.told).unwrap_or_default());
    let site = stored(fields.id).and_then(|id| id.split('/').next());
    let capabilities = told.capabilities.iter();
    let capabilities = capabilities.flat_map(|it| [it.name.as_str(), it.id.as_str()]);
    let names = told.name.split(NAMES);
    let all = capabilities
        .map(|it| (SuggestionKind::Capability, it))
        .chain(
            told.tags
                .iter()
                .map(|it| (SuggestionKind::Tag, it.as_str())),
        )
        .chain(site.map(|it| (SuggestionKind::Site, it)))
        .chain(names.map(|it| (SuggestionKind::Name, it)));
    let folded = analyzer::fold(text);
    // Names, domains and capabilities are in one list; tags are not in it.
    let is_wanted = |it: SuggestionKind| kind.map_or(it != SuggestionKind::Tag, |kind| kind == it);
    let found = all
        .filter(|(it, _)| is_wanted(*it))
        .find(|(_, written)| analyzer::fold(written) == folded);
    let own = || (kind.unwrap_or(SuggestionKind::Name), text);
    let (kind, text) = found.unwrap_or_else(own);
    Ok((kind, text.to_owned()))
}

/// Terms of a field that begin so, in the order of the alphabet, with the number of agents.
fn beginning_with(prefix: &str, field: Field, searcher: &Searcher) -> tantivy::Result<Terms> {
    let segments = searcher.segment_readers().iter();
    let indexes = segments.map(|segment| segment.inverted_index(field));
    let indexes = indexes.collect::<tantivy::Result<Vec<_>>>()?;
    let mut streams = Vec::with_capacity(indexes.len());
    for index in &indexes {
        streams.push(index.terms().range().ge(prefix).into_stream()?);
    }
    let mut merged = TermMerger::new(streams);
    let mut found = Terms::default();
    while found.all.len() < MAX_READ && merged.advance() {
        match std::str::from_utf8(merged.key()) {
            Ok(term) if term.starts_with(prefix) => {
                let counts = merged.current_segment_ords_and_term_infos();
                found.push(term, counts.map(|(_, info)| u64::from(info.doc_freq)).sum());
            }
            Ok(_) | Err(_) => break,
        }
    }
    Ok(found)
}
