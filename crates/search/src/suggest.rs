//! Completion of a prefix to names, capabilities, tags and sites.
//!
//! The term dictionaries are read from the prefix on, up to a fixed number of terms, so that the
//! cost of a short prefix is bounded. Of very many terms with a common prefix, only the first in
//! alphabetical order are considered.

use super::analyzer;
use super::facet::Facet;
use super::schema::{Fields, names};
use super::spelling::first_alive;
use manifest::AgentId;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;
use store::StoredAgent;
use tantivy::schema::Field;
use tantivy::termdict::TermMerger;
use tantivy::{Searcher, Term as IndexTerm};

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 20;
/// Maximum number of terms of one field that are read.
const MAX_READ: usize = 2_000;
/// Maximum number of characters of a prefix that are used.
const MAX_PREFIX: usize = 100;

/// A term that completes a prefix, with one of the agents that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Id of the agent.
    pub agent: AgentId,
    /// The term, folded unless it is a tag or capability.
    text: String,
    /// Kind of the term; `None` if it is a capability, a domain or a name.
    kind: Option<SuggestionKind>,
    /// Number of agents that have it.
    count: u64,
}

/// A completion as an agent writes it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Suggestion {
    /// The whole text, as one of its agents writes it.
    pub text: String,
    /// Kind of the completion.
    pub kind: SuggestionKind,
    /// Number of agents that have it.
    pub count: u64,
}

/// Kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, JsonSchema, Serialize)]
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

impl Completion {
    /// Returns the suggestions of completions, spelled as the first of `agents` with the right id
    /// does. If that is not among them, or has no such text, the spelling is that of the index.
    pub fn spell(completions: Vec<Self>, agents: &[StoredAgent]) -> Vec<Suggestion> {
        let agents = agents.iter().map(|agent| (&agent.listing.id, agent));
        let agents: HashMap<_, _> = agents.collect();
        let spelled = completions.into_iter().map(|it| {
            let written = agents.get(&it.agent).and_then(|agent| it.written(agent));
            let (kind, text) =
                written.unwrap_or((it.kind.unwrap_or(SuggestionKind::Name), &it.text));
            Suggestion {
                text: text.to_owned(),
                kind,
                count: it.count,
            }
        });
        spelled.collect()
    }

    /// Returns the kind and the spelling of the term in the texts of an agent.
    ///
    /// With a kind, only texts of that kind are compared; without one, all but tags.
    fn written<'a>(&self, stored: &'a StoredAgent) -> Option<(SuggestionKind, &'a str)> {
        let agent = &stored.listing.agent;
        let capabilities = agent.capabilities.iter().flat_map(|it| [&it.name, &it.id]);
        let all = capabilities
            .map(|it| (SuggestionKind::Capability, it.as_str()))
            .chain(
                agent
                    .tags
                    .iter()
                    .map(|it| (SuggestionKind::Tag, it.as_str())),
            )
            .chain([(SuggestionKind::Site, stored.domain.as_str())])
            .chain(names(agent).map(|it| (SuggestionKind::Name, it.as_str())));
        let folded = analyzer::fold(&self.text);
        // Names, domains and folded capabilities are in lists without tags.
        let is_wanted = |it| {
            self.kind
                .map_or(it != SuggestionKind::Tag, |kind| kind == it)
        };
        all.filter(|(it, _)| is_wanted(*it))
            .find(|(_, written)| analyzer::fold(written) == folded)
    }
}

/// Returns the completions of a prefix; a text of several kinds gets the first one in
/// [`SuggestionKind`].
pub(crate) fn suggest(
    searcher: &Searcher,
    fields: &Fields,
    prefix: &str,
    limit: usize,
) -> tantivy::Result<Vec<Completion>> {
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
    for field in [fields.exact, fields.folded] {
        lists.push(beginning_with(&folded, field, searcher)?);
    }
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
            let field = [
                fields.facet(Facet::Capability),
                fields.facet(Facet::Tag),
                fields.exact,
            ];
            let field = field.get(place.1).copied().unwrap_or(fields.folded);
            let term = IndexTerm::from_field_text(field, text);
            if let Some(address) = first_alive(searcher, &term)?
                && let Some(agent) = fields.agent(searcher, address)?
            {
                suggestions.push(Completion {
                    agent,
                    text: text.to_owned(),
                    kind,
                    count: place.0.0,
                });
            }
        }
    }
    Ok(suggestions)
}

/// Position of a term: its count, the index of its list, and its index there.
type Place = (Reverse<u64>, usize, usize);

/// Terms in alphabetical order.
#[derive(Default)]
struct Terms {
    /// Concatenated texts.
    texts: String,
    all: Vec<Term>,
    /// Indexes of the terms that are not folded, by their folded text; of several the first.
    folded: HashMap<String, usize>,
}

struct Term {
    from: usize,
    to: usize,
    /// Number of agents that have it.
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

    /// Indexes the terms that are not folded.
    fn fold(&mut self) {
        for at in 0..self.all.len() {
            let text = self.text(at);
            if !is_plain(text) {
                let folded = analyzer::fold(text);
                self.folded.entry(folded).or_insert(at);
            }
        }
    }

    /// Returns the index of the first term with this folded text.
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

/// Reports whether a text consists of visible ASCII characters without upper-case letters. Such a
/// text is folded already, and this test is cheaper than folding.
fn is_plain(text: &str) -> bool {
    let is_plain = |it: u8| matches!(it, b'!'..=b'~') && !it.is_ascii_uppercase();
    text.bytes().all(is_plain)
}

/// Returns the kind of a term, if its list determines it, and its text; `None` if an earlier term
/// has the same text.
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

/// Returns the terms of a field that begin with a prefix, in alphabetical order, with their numbers
/// of agents.
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
