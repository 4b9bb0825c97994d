//! Reasons that explain why an agent was found: its texts with the matched words marked, best
//! first.

mod matched_field;
mod matching;
mod snippet;

pub use matched_field::MatchedField;
use matching::Matcher;
pub use snippet::Fragment;
use snippet::snippet;

use super::analyzer::language::Language;
use super::cached_encoder::CachedEncoder;
use super::embedding::{Embedder, SentenceVector, Table, Vector};
use super::facet::Facet;
use super::query_plan::Word;
use super::ranking::Scale;
use super::schema::names;
use manifest::agent::{Agent, Capability, Translation};
use std::collections::BTreeSet;
use store::StoredAgent;

/// Maximum number of reasons of a hit.
const MAX_REASONS: usize = 4;
/// Maximum number of capabilities whose vectors are compared with the need's.
const MAX_EMBEDDED: usize = 50;
/// Maximum number of capabilities and of tags that are looked at, and of characters of each text.
const MAX_READ: usize = 200;
const MAX_CHARS: usize = 600;
/// Maximum number of examples, tags and parameters of a capability that are looked at.
const MAX_EXAMPLES: usize = 20;
const MAX_TAGS: usize = 20;
const MAX_PARAMS: usize = 50;
/// Maximum number of translations of an agent or capability that are looked at.
const MAX_TRANSLATIONS: usize = 50;
/// Separator between the names of an agent.
const NAMES: &str = " · ";

/// Reason why an agent matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Text that matched.
    pub field: MatchedField,
    /// Name of the capability, if the text belongs to one.
    pub capability: Option<String>,
    /// Snippet in fragments, so that each client can mark the matches in its own way.
    pub snippet: Vec<Fragment>,
}

/// The need of a search, which explains its hits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Need {
    /// The informative words.
    pub(crate) words: Vec<Word>,
    /// Embedding of the query with the table that it is from; `None` without a table, or if none of
    /// the words is known.
    pub(crate) meaning: Option<(Vector, &'static Table)>,
    /// Its sentence vector, with the encoder that it is from.
    pub(crate) sentence: Option<(SentenceVector, CachedEncoder)>,
    /// Scale by which the hits were scored; none if the query consists of filters.
    pub(crate) scale: Option<Scale>,
    /// True if the hits are in the order of their scores.
    pub(crate) is_by_relevance: bool,
    /// The query as an id of a capability; none if it can be no such id, or is that of too many.
    pub(crate) capability_id: Option<String>,
    /// Names and ids of capabilities, of which a hit has one, as the filter has them; empty if any will do.
    pub(crate) capabilities: Vec<String>,
    /// ISO 639-1 code of its language; none if it cannot be told.
    pub(crate) language: Option<&'static str>,
}

impl Need {
    /// Returns the capabilities of an agent that the filters accept, with their indexes.
    pub(crate) fn wanted<'a>(
        &'a self,
        agent: &'a Agent,
    ) -> impl Iterator<Item = (usize, &'a Capability)> {
        let is_wanted = |text: &String| {
            self.capabilities
                .contains(&Facet::Capability.canonical(text))
        };
        let capabilities = agent.capabilities.iter().enumerate();
        capabilities.filter(move |(_, it)| {
            self.capabilities.is_empty() || is_wanted(&it.name) || is_wanted(&it.id)
        })
    }
}

/// A text of an agent that may become a reason.
struct Candidate<'a> {
    field: MatchedField,
    capability: Option<&'a str>,
    text: &'a str,
    /// BCP 47 tag of the text, if it is a translation.
    tag: Option<&'a str>,
}

/// Explains the hits of one search.
pub(crate) struct Explainer<'a> {
    need: &'a Need,
    matcher: Matcher<'a>,
    /// Embedder with the table of the need's vector; hits share many words.
    embedder: Option<Embedder>,
}

impl<'a> Explainer<'a> {
    /// Creates an explainer for a need.
    pub(crate) fn new(need: &'a Need) -> Self {
        Self {
            need,
            matcher: Matcher::new(&need.words),
            embedder: need.meaning.as_ref().map(|it| Embedder::new(it.1)),
        }
    }

    /// Returns the reasons for a hit, best first: texts that share words with the need, or else the
    /// one that is nearest to it in meaning; the name, if the agent has no other text. The language is that of
    /// the agent's texts.
    pub(crate) fn reasons(
        &mut self,
        stored: &StoredAgent,
        language: Option<Language>,
    ) -> Vec<Reason> {
        let agent = &stored.listing.agent;
        let names: Vec<&str> = names(agent).map(String::as_str).collect();
        let names = names.join(NAMES);
        let candidates = candidates(agent, &names, stored.domain.as_str());
        let by_words = self.by_words(candidates, language);
        if by_words.is_empty() {
            return vec![self.by_meaning(agent).unwrap_or_else(|| by_itself(agent))];
        }
        by_words
    }

    /// Returns the reasons for one capability of an agent: its texts that share words with the need, or
    /// else its description, or its name if it has none.
    pub(crate) fn reasons_for(
        &mut self,
        capability: &Capability,
        language: Option<Language>,
    ) -> Vec<Reason> {
        let by_words = self.by_words(of_capability(capability), language);
        if by_words.is_empty() {
            let description = capability.description.as_deref();
            let description = description.filter(|it| !it.is_empty());
            return vec![Reason {
                field: MatchedField::Meaning,
                capability: Some(cut(&capability.name).to_owned()),
                snippet: snippet(cut(description.unwrap_or(&capability.name)), &[]),
            }];
        }
        by_words
    }

    /// Returns the texts that share words with the need. From the third on, a text is left out if
    /// the earlier ones contain all of its words.
    fn by_words<'b>(
        &mut self,
        candidates: impl Iterator<Item = Candidate<'b>>,
        language: Option<Language>,
    ) -> Vec<Reason> {
        if self.need.words.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for candidate in candidates {
            let language = candidate.tag.map_or(language, Language::of_tag);
            let (matched, marks) = self.matcher.matched(candidate.text, language);
            if !matched.is_empty() {
                let strength = candidate.field.strength(candidate.capability.is_some());
                found.push((self.weight(&matched) * strength, matched, marks, candidate));
            }
        }
        // The sort is stable: equal reasons stay in the order of the manifest.
        found.sort_by(|left, right| right.0.total_cmp(&left.0));
        let mut explained = BTreeSet::new();
        let mut reasons = Vec::new();
        for (_, matched, marks, candidate) in found {
            let adds = !matched.is_subset(&explained);
            if reasons.len() < MAX_REASONS && (adds || reasons.len() < 2) {
                explained.extend(matched);
                reasons.push(Reason {
                    field: candidate.field,
                    capability: candidate.capability.map(str::to_owned),
                    snippet: snippet(candidate.text, &marks),
                });
            }
        }
        reasons
    }

    /// Returns the capability or description nearest to the need in meaning.
    fn by_meaning(&mut self, agent: &Agent) -> Option<Reason> {
        let (need, _) = self.need.meaning.as_ref()?;
        let embedder = self.embedder.as_mut()?;
        let capabilities = agent.capabilities.iter().take(MAX_EMBEDDED).map(|it| {
            let text = it.description.as_deref().filter(|text| !text.is_empty());
            (Some(cut(&it.name)), text.unwrap_or(&it.name))
        });
        let description = agent.description.as_deref().unwrap_or_default();
        let (_, (capability, text)) = std::iter::once((None, description))
            .chain(capabilities)
            .map(|(capability, text)| (capability, cut(text)))
            .filter_map(|candidate| Some((need.cosine(&embedder.embed(candidate.1)?), candidate)))
            .max_by(|left, right| left.0.total_cmp(&right.0))?;
        Some(Reason {
            field: MatchedField::Meaning,
            capability: capability.map(str::to_owned),
            snippet: snippet(text, &[]),
        })
    }

    /// Returns the weight of the need's words that a capability of an agent in a language has in its
    /// texts.
    pub(crate) fn weight_of(&mut self, capability: &Capability, language: Option<Language>) -> f32 {
        let mut words = BTreeSet::new();
        for candidate in of_capability(capability) {
            let language = candidate.tag.map_or(language, Language::of_tag);
            words.extend(self.matcher.matched(candidate.text, language).0);
        }
        self.weight(&words)
    }

    fn weight(&self, words: &BTreeSet<usize>) -> f32 {
        words.iter().map(|at| self.need.words[*at].idf).sum()
    }
}

/// Returns the description of an agent, or else its names, as near a need in meaning: a need in another
/// language than English is not compared with single texts.
fn by_itself(agent: &Agent) -> Reason {
    let names: Vec<&str> = names(agent).map(String::as_str).collect();
    let names = names.join(NAMES);
    let description = agent.description.as_deref().filter(|it| !it.is_empty());
    Reason {
        field: MatchedField::Meaning,
        capability: None,
        snippet: snippet(cut(description.unwrap_or(&names)), &[]),
    }
}

/// Lists every text that may become a reason, in the order of the manifest.
fn candidates<'a>(
    agent: &'a Agent,
    names: &'a str,
    site: &'a str,
) -> impl Iterator<Item = Candidate<'a>> {
    let own = |field, text| Candidate {
        field,
        capability: None,
        text: cut(text),
        tag: None,
    };
    let capabilities = agent.capabilities.iter().take(MAX_READ);
    let tags = agent.tags.iter().take(MAX_READ);
    let provider = agent.provider.iter().map(|it| &it.name);
    std::iter::once(own(MatchedField::Name, names))
        .chain(capabilities.flat_map(of_capability))
        .chain(tags.map(move |it| own(MatchedField::Tag, it)))
        .chain(
            agent
                .description
                .iter()
                .map(move |it| own(MatchedField::Description, it)),
        )
        .chain(std::iter::once(own(MatchedField::Site, site)))
        .chain(provider.map(move |it| own(MatchedField::Provider, it)))
        .chain(translated(&agent.translations, None))
}

/// Lists translations of a name and a description.
fn translated<'a>(
    translations: &'a [Translation],
    capability: Option<&'a str>,
) -> impl Iterator<Item = Candidate<'a>> {
    let is_of_capability = capability.is_some();
    let translations = translations.iter().take(MAX_TRANSLATIONS);
    translations.map(move |translation| Candidate {
        field: match (translation.field.as_str(), is_of_capability) {
            ("name", false) => MatchedField::Name,
            ("name", true) => MatchedField::CapabilityName,
            (_, false) => MatchedField::Description,
            (_, true) => MatchedField::CapabilityDescription,
        },
        capability,
        text: cut(&translation.text),
        tag: Some(&translation.language),
    })
}

/// Lists the texts of a capability.
fn of_capability(capability: &Capability) -> impl Iterator<Item = Candidate<'_>> {
    let name = cut(&capability.name);
    let part = move |field, text| Candidate {
        field,
        capability: Some(name),
        text: cut(text),
        tag: None,
    };
    let id = (capability.id != capability.name).then_some(&capability.id);
    let names = std::iter::once(&capability.name).chain(id);
    let examples = capability.examples.iter().take(MAX_EXAMPLES);
    let tags = capability.tags.iter().take(MAX_TAGS);
    let params = capability.params.iter().take(MAX_PARAMS);
    let description = capability.description.iter();
    names
        .map(move |it| part(MatchedField::CapabilityName, it))
        .chain(examples.map(move |it| part(MatchedField::CapabilityExample, it)))
        .chain(description.map(move |it| part(MatchedField::CapabilityDescription, it)))
        .chain(tags.map(move |it| part(MatchedField::Tag, it)))
        .chain(params.map(move |it| part(MatchedField::CapabilityParameter, &it.name)))
        .chain(translated(&capability.translations, Some(name)))
}

/// Returns the first [`MAX_CHARS`] characters of a text.
pub(crate) fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_CHARS);
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyzer;
    use proptest::prelude::*;

    fn need(text: &str) -> Need {
        let terms = analyzer::terms(text).into_iter();
        Need {
            words: terms
                .map(|term| Word::new(term.text.clone(), vec![term.text]))
                .collect(),
            ..Need::default()
        }
    }

    fn snippet_for(text: &str, query: &str) -> Vec<Fragment> {
        let (_, marks) = Matcher::new(&need(query).words).matched(text, None);
        snippet(text, &marks)
    }

    fn marked(snippet: &[Fragment]) -> String {
        snippet
            .iter()
            .map(|fragment| {
                if fragment.is_match {
                    format!("[{}]", fragment.text)
                } else {
                    fragment.text.clone()
                }
            })
            .collect()
    }

    #[test]
    fn a_matching_capability_is_the_first_reason() {
        let agent = Agent {
            name: "Mesa".to_owned(),
            description: Some("Tables and more.".to_owned()),
            capabilities: vec![Capability {
                name: "book_table".to_owned(),
                description: Some("Books a table for tonight.".to_owned()),
                ..Capability::default()
            }],
            ..Agent::default()
        };
        let need = need("book table");
        let candidates = candidates(&agent, "Mesa", "mesa.example");
        let reasons = Explainer::new(&need).by_words(candidates, None);
        assert_eq!(reasons[0].field, MatchedField::CapabilityName);
        assert_eq!(marked(&reasons[0].snippet), "[book]_[table]");
        assert_eq!(
            marked(&reasons[1].snippet),
            "[Books] a [table] for tonight."
        );
    }

    #[test]
    fn a_long_text_is_cut_around_its_matches() {
        let text = format!(
            "{} orders pizza by phone {}",
            "one two ".repeat(60),
            "three four ".repeat(60)
        );
        let snippet = marked(&snippet_for(&text, "pizza phone"));
        assert!(snippet.contains("[pizza] by [phone]"), "{snippet}");
        assert!(
            snippet.starts_with("… ") && snippet.ends_with(" …"),
            "{snippet}"
        );
        assert!(snippet.chars().count() < 180, "{snippet}");
    }

    #[test]
    fn pairs_of_characters_are_marked_as_one_run() {
        assert_eq!(
            marked(&snippet_for("東京天気予報", "東京天気")),
            "[東京天気]予報"
        );
    }

    proptest! {
        #[test]
        fn a_snippet_is_a_piece_of_its_text(text in "\\PC{0,400}", need in "[a-z ]{0,8}") {
            let snippet = snippet_for(&text, &need);
            let joined: String = snippet.iter().map(|it| it.text.as_str()).collect();
            let inner = joined.strip_prefix("… ").unwrap_or(&joined);
            let inner = inner.strip_suffix(" …").unwrap_or(inner);
            prop_assert!(text.contains(inner));
        }
    }
}
