//! The informative words of a need.

use super::queries::spans;
use super::stop::{StopWords, is_stop_word};
use crate::analyzer;
use crate::query::Part;
use crate::schema::Fields;
use crate::spelling::IndexTerms;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use tantivy::Searcher;

/// Terms that a prefix stands for, at most: the most frequent ones.
const MAX_EXPANSIONS: usize = 512;
/// Terms that begin with a prefix and are read in one segment, at most.
const MAX_READ: usize = 100_000;
/// Words that are looked for, at most.
const MAX_WORDS: usize = 128;

/// One word of a need, with everything that counts as it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// As people read it.
    pub(crate) label: String,
    /// Terms of the index, any of which is the word.
    pub(crate) terms: Vec<String>,
    /// Number of leading terms that are the word as typed; the others are corrections.
    pub(crate) typed: usize,
    /// True if an agent has it; set when the word is weighted.
    pub(crate) is_used: bool,
    /// BM25 weight: higher for rare words.
    pub(crate) idf: f32,
}

impl Word {
    /// Creates a word without a weight.
    pub(crate) fn new(label: String, terms: Vec<String>) -> Self {
        Self {
            typed: terms.len(),
            label,
            terms,
            is_used: true,
            idf: 1.0,
        }
    }
}

/// Returns the words of one part.
pub(super) fn words_of(
    part: &Part,
    index_terms: &mut IndexTerms<'_>,
    searcher: &Searcher,
    fields: &Fields,
) -> tantivy::Result<Vec<Word>> {
    let text = match part {
        Part::Word(text) | Part::Phrase(text) => text,
        Part::Prefix(text) => return prefix(text, index_terms, searcher, fields),
    };
    let mut words: Vec<Word> = Vec::new();
    let mut whole: Option<(usize, String)> = None;
    let stems = index_terms.stems(text)?;
    let terms = analyzer::terms(text).into_iter().zip(analyzer::words(text));
    for ((term, label), stems) in terms.zip(stems) {
        // The whole of an identifier covers more text than the part at the same position, and comes
        // first.
        if let Some((end, whole)) = &whole
            && term.to <= *end
        {
            let mut terms = vec![term.text, whole.clone()];
            terms.extend(stems);
            words.push(Word::new(label.text, terms));
            continue;
        }
        let is_whole = analyzer::words(&text[term.from..term.to]).len() > 1;
        if is_whole {
            whole = Some((term.to, term.text));
        } else {
            let mut terms = vec![term.text];
            terms.extend(stems);
            let typed = terms.len();
            if matches!(part, Part::Word(_)) && !is_stop_word(&label.text) {
                terms.extend(index_terms.corrections(&label.text, &terms)?);
            }
            let word = Word::new(label.text, terms);
            words.push(Word { typed, ..word });
        }
    }
    Ok(words)
}

/// Returns a word that stands for every term that begins like this.
fn prefix(
    text: &str,
    index_terms: &mut IndexTerms<'_>,
    searcher: &Searcher,
    fields: &Fields,
) -> tantivy::Result<Vec<Word>> {
    let mut labels = analyzer::words(text);
    let Some(last) = labels.pop() else {
        return Ok(Vec::new());
    };
    let mut words: Vec<Word> = Vec::new();
    if last.from > 0 {
        let before = Part::Word(text[..last.from].to_owned());
        words = words_of(&before, index_terms, searcher, fields)?;
    }
    // Terms are stemmed: `reservation*` must also find what is indexed as `reserv`.
    let own = analyzer::terms(&last.text).into_iter().map(|it| it.text);
    let mut terms: Vec<String> = own.collect();
    terms.extend(beginning(&last.text, searcher, fields)?);
    terms.sort_unstable();
    terms.dedup();
    words.push(Word::new(format!("{}*", last.text), terms));
    Ok(words)
}

/// Returns the most frequent terms that begin like this.
fn beginning(text: &str, searcher: &Searcher, fields: &Fields) -> tantivy::Result<Vec<String>> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(fields.text)?;
        let mut budget = MAX_READ;
        for (from, to) in spans(text) {
            let mut stream = index.terms().range().ge(from).lt(to).into_stream()?;
            while budget > 0 && stream.advance() {
                budget -= 1;
                let count = u64::from(stream.value().doc_freq);
                if let Ok(term) = str::from_utf8(stream.key()) {
                    *counts.entry(term.to_owned()).or_default() += count;
                }
            }
        }
    }
    let mut terms: Vec<(Reverse<u64>, String)> = counts
        .into_iter()
        .map(|(term, count)| (Reverse(count), term))
        .collect();
    terms.sort_unstable();
    terms.truncate(MAX_EXPANSIONS);
    Ok(terms.into_iter().map(|it| it.1).collect())
}

/// Alternatives as one word.
pub(super) fn united(words: Vec<Word>) -> Option<Word> {
    let labels: Vec<_> = words.iter().map(|word| word.label.as_str()).collect();
    let label = labels.join(" | ");
    let terms: Vec<_> = words.into_iter().flat_map(|word| word.terms).collect();
    (!terms.is_empty()).then(|| Word::new(label, terms))
}

/// Reports whether a pair of Japanese characters is or has an ending or a particle, which are written
/// in hiragana: of `美容院を予約したい` they are half of the pairs.
fn is_inflection(label: &str) -> bool {
    label
        .chars()
        .any(|it| ('\u{3041}'..='\u{309F}').contains(&it))
}

/// Removes repeated words, also those that an identifier contains, and stop words unless only stop
/// words remain.
pub(super) fn informative(words: Vec<Word>) -> Vec<Word> {
    let stop_words = StopWords::of(words.iter().map(|word| word.label.as_str()));
    let is_informative =
        |word: &Word| !stop_words.contains(&word.label) && !is_inflection(&word.label);
    let mut seen = BTreeSet::new();
    let has_informative = words.iter().any(is_informative);
    words
        .into_iter()
        .filter(|word| !has_informative || is_informative(word))
        .filter(|word| seen.insert(word.terms.first().cloned()))
        .take(MAX_WORDS)
        .collect()
}
