//! Snippets that explain why an agent was found: texts with the matched words marked, best first.

use super::analyzer;
use super::analyzer::language::Language;
use super::embedding::{Table, Vector};
use super::query_plan::Word;
use super::schema::SnippetSource;
use super::{Fragment, Reason};
use std::collections::{BTreeSet, HashMap};
use tantivy::tokenizer::Language::English;
use tantivy::tokenizer::{RawTokenizer, Stemmer, TextAnalyzer, TokenStream as _};

/// Maximum number of reasons of a hit.
const MAX_REASONS: usize = 4;
/// Approximate number of characters of a snippet.
const SNIPPET: usize = 160;
/// Maximum number of capabilities whose vectors are compared with the need's.
const MAX_EMBEDDED: usize = 50;

/// A text of an agent that may become a reason.
struct Candidate<'a> {
    field: &'static str,
    capability: Option<&'a str>,
    text: &'a str,
    /// Weight of the text, by the order of docs/formats.md, "Search text".
    strength: f32,
}

/// A byte range in a text.
type Mark = (usize, usize);

/// Explains the hits of one search.
pub(crate) struct Explainer<'a> {
    words: &'a [Word],
    stemmer: TextAnalyzer,
    /// First characters of the terms of the words. A stem begins with the same character as its
    /// word, so most words of a text need not be stemmed.
    beginnings: BTreeSet<char>,
    /// Cache from a word of a text to the need's words that it matches; hits share many words.
    known: HashMap<String, Vec<usize>>,
}

impl<'a> Explainer<'a> {
    /// Creates an explainer for the words of a need.
    pub(crate) fn new(words: &'a [Word]) -> Self {
        let terms = words.iter().flat_map(|word| &word.terms);
        Self {
            words,
            stemmer: TextAnalyzer::builder(RawTokenizer::default())
                .filter(Stemmer::new(English))
                .build(),
            beginnings: terms.filter_map(|term| term.chars().next()).collect(),
            known: HashMap::new(),
        }
    }

    /// Returns the reasons for a hit, best first. From the third on, a reason is left out if the
    /// earlier ones contain all of its words.
    pub(crate) fn reasons(&mut self, source: &SnippetSource, site: &str) -> Vec<Reason> {
        let language = Language::of_code(&source.language);
        let mut found = Vec::new();
        for candidate in candidates(source, site) {
            let (matched, marks) = self.matched(candidate.text, language);
            if !matched.is_empty() {
                let weight: f32 = matched.iter().map(|at| self.words[*at].weight).sum();
                found.push((weight * candidate.strength, matched, marks, candidate));
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
                    field: candidate.field.to_owned(),
                    capability: candidate.capability.map(str::to_owned),
                    snippet: snippet(candidate.text, &marks),
                });
            }
        }
        reasons
    }

    /// Returns the indexes of the need's words that an English text contains.
    pub(crate) fn words_in(&mut self, text: &str) -> BTreeSet<usize> {
        self.matched(text, None).0
    }

    /// Returns the indexes of the need's words that a text contains, and their byte ranges in
    /// order; overlapping ranges are merged.
    fn matched(&mut self, text: &str, language: Option<Language>) -> (BTreeSet<usize>, Vec<Mark>) {
        let (mut matched, mut marks) = (BTreeSet::new(), Vec::new());
        let mut stems = language.map(|it| it.stems(text)).into_iter().flatten();
        for term in analyzer::words(text) {
            let matching = self.matching(&term.text);
            let mut is_match = !matching.is_empty();
            matched.extend(matching);
            if let Some(stem) = stems.next().flatten() {
                let own = self.having(&stem);
                is_match |= !own.is_empty();
                matched.extend(own);
            }
            if is_match {
                marks.push((term.from, term.to));
            }
        }
        marks.sort_unstable();
        let mut apart: Vec<Mark> = Vec::with_capacity(marks.len());
        for (from, to) in marks {
            match apart.last_mut() {
                // Pairs of characters overlap and are marked as one run.
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        (matched, apart)
    }

    /// Returns the indexes of the need's words that match a folded, unstemmed word.
    fn matching(&mut self, word: &str) -> &[usize] {
        let is_possible = word
            .chars()
            .next()
            .is_some_and(|it| self.beginnings.contains(&it));
        if !is_possible {
            return &[];
        }
        if !self.known.contains_key(word) {
            let mut stream = self.stemmer.token_stream(word);
            let stem = stream.next().map_or_else(String::new, |it| it.text.clone());
            drop(stream);
            let matching = self.having(&stem);
            self.known.insert(word.to_owned(), matching);
        }
        self.known.get(word).map_or(&[], |it| it)
    }

    /// Returns the indexes of the need's words that have a term.
    fn having(&self, term: &String) -> Vec<usize> {
        let words = self.words.iter().enumerate();
        let having = words.filter(|(_, word)| word.terms.contains(term));
        having.map(|(at, _)| at).collect()
    }
}

/// Returns the capability or description nearest to a need in meaning: the reason for an agent that
/// has none of the need's words.
pub(crate) fn by_meaning(source: &SnippetSource, need: &Vector, table: &Table) -> Option<Reason> {
    let capabilities = source
        .capabilities
        .iter()
        .take(MAX_EMBEDDED)
        .map(|capability| {
            let text = if capability.description.is_empty() {
                &capability.name
            } else {
                &capability.description
            };
            (Some(&capability.name), text)
        });
    let (_, (capability, text)) = std::iter::once((None, &source.description))
        .chain(capabilities)
        .filter_map(|candidate| Some((need.cosine(&table.embed(candidate.1)?), candidate)))
        .max_by(|left, right| left.0.total_cmp(&right.0))?;
    Some(Reason {
        field: "meaning".to_owned(),
        capability: capability.cloned(),
        snippet: snippet(text, &[]),
    })
}

/// Lists every text that may become a reason, in the order of the manifest.
fn candidates<'a>(source: &'a SnippetSource, site: &'a str) -> impl Iterator<Item = Candidate<'a>> {
    let agent = |field, text, strength| Candidate {
        field,
        capability: None,
        text,
        strength,
    };
    let capabilities = source.capabilities.iter().flat_map(|capability| {
        let part = |field, text, strength| Candidate {
            field,
            capability: Some(capability.name.as_str()),
            text,
            strength,
        };
        let id = (!capability.id.is_empty()).then_some(&capability.id);
        std::iter::once(&capability.name)
            .chain(id)
            .map(move |text| part("capability.name", text.as_str(), 1.0))
            .chain(
                capability
                    .examples
                    .iter()
                    .map(move |text| part("capability.example", text.as_str(), 0.86)),
            )
            .chain(std::iter::once(part(
                "capability.description",
                capability.description.as_str(),
                0.85,
            )))
            .chain(
                capability
                    .tags
                    .iter()
                    .map(move |text| part("tag", text.as_str(), 0.8)),
            )
            .chain(
                capability
                    .params
                    .iter()
                    .map(move |text| part("capability.parameter", text.as_str(), 0.6)),
            )
    });
    std::iter::once(agent("name", source.name.as_str(), 0.95))
        .chain(capabilities)
        .chain(
            source
                .tags
                .iter()
                .map(move |tag| agent("tag", tag.as_str(), 0.9)),
        )
        .chain([
            agent("description", source.description.as_str(), 0.7),
            agent("site", site, 0.6),
            agent("provider", source.provider.as_str(), 0.5),
        ])
}

/// Cuts the part of a text around its matches at spaces, and marks the matches.
fn snippet(text: &str, marks: &[Mark]) -> Vec<Fragment> {
    let (start, end) = window(text, marks);
    let mut fragments = Vec::new();
    let mut push = |text: &str, is_match: bool| {
        if !text.is_empty() {
            fragments.push(Fragment {
                text: text.to_owned(),
                is_match,
            });
        }
    };
    if start > 0 {
        push("… ", false);
    }
    let mut at = start;
    for &(from, to) in marks {
        if from >= at && to <= end {
            push(&text[at..from], false);
            push(&text[from..to], true);
            at = to;
        }
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(" …", false);
    }
    fragments
}

/// Returns the byte range of the snippet: the part with the most matches, starting up to
/// `SNIPPET / 4` characters ahead of the first one. A short text is its own snippet.
fn window(text: &str, marks: &[Mark]) -> (usize, usize) {
    if text.chars().count() <= SNIPPET {
        return (0, text.len());
    }
    let forward = |from: usize, characters: usize| {
        text[from..]
            .char_indices()
            .nth(characters)
            .map_or(text.len(), |(offset, _)| from + offset)
    };
    let best = marks
        .iter()
        .map(|(from, _)| {
            let end = forward(*from, SNIPPET * 3 / 4);
            let count = marks
                .iter()
                .filter(|it| it.0 >= *from && it.1 <= end)
                .count();
            (count, std::cmp::Reverse(*from))
        })
        .max()
        .map_or(0, |(_, std::cmp::Reverse(from))| from);
    let ahead = text[..best]
        .char_indices()
        .rev()
        .take(SNIPPET / 4)
        .last()
        .map_or(best, |(offset, _)| offset);
    let start = match text[ahead..best].find(' ') {
        Some(space) if ahead > 0 => ahead + space + 1,
        _ if ahead == 0 => 0,
        _ => best,
    };
    let end = forward(start, SNIPPET);
    let end = match text[start..end].rfind(' ') {
        Some(space) if end < text.len() && start + space > best => start + space,
        _ => end,
    };
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::super::schema::SnippetCapability;
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<Word> {
        analyzer::terms(text)
            .into_iter()
            .map(|term| Word::new(term.text.clone(), vec![term.text]))
            .collect()
    }

    fn snippet_for(text: &str, need: &str) -> Vec<Fragment> {
        let (_, marks) = Explainer::new(&words(need)).matched(text, None);
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
        let source = SnippetSource {
            name: "Mesa".to_owned(),
            description: "Tables and more.".to_owned(),
            capabilities: vec![SnippetCapability {
                name: "book_table".to_owned(),
                description: "Books a table for tonight.".to_owned(),
                ..SnippetCapability::default()
            }],
            ..SnippetSource::default()
        };
        let words = words("book table");
        let reasons = Explainer::new(&words).reasons(&source, "mesa.example");
        assert_eq!(reasons[0].field, "capability.name");
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
        assert!(snippet.chars().count() < SNIPPET + 20, "{snippet}");
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
