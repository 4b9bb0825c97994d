//! Terms of the index: languages, document frequencies and spelling correction.
//!
//! Terms are stems and people mistype words, so slips are looked for among the words as agents
//! write them, which the index keeps in a field of their own. A Levenshtein automaton walks that
//! dictionary from the first letter on, which is assumed to be right: the cost depends on the
//! neighbouring words, hardly on the size of the index.
//!
//! That no agent has a word does not make it a slip: a small index knows neither `paris` nor
//! `shoes`, and has `parks` and `shows`. English words are left alone, and those of other languages
//! unless they stand among English ones.

mod names;

use super::analyzer;
use super::analyzer::language::{self, Language};
use super::dictionary::{is_common, is_english, is_foreign};
use super::schema::Fields;
pub(crate) use names::Names;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use tantivy::query::{EnableScoring, FuzzyTermQuery, Query};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet as _, Searcher, TERMINATED, Term};

/// Maximum number of corrections of a word: one is right, and ties are common.
const MAX_MEANT: usize = 3;
/// Mistyped words of one query that are looked up.
const MAX_LOOKUPS: usize = 8;
/// Terms that one look-up reads in one segment.
const MAX_READ: usize = 1_000;
/// Maximum length of a corrected word: longer ones are rarely typed, and the automaton grows with
/// them.
const MAX_WORD: usize = 32;
/// A word of fewer agents than one in so many may be a slip that agents make too …
const RARE: u64 = 20_000;
/// … if another one is so many times as frequent.
const FAR_MORE: u64 = 50;
/// Maximum length of a short word. It has neighbours by chance, so it is corrected only to a word
/// of at least this many agents or a common one.
const SHORT: usize = 6;
const FEW: u64 = 3;
/// Number of registrable domains whose agents may have the id of a capability for it to name one.
const MAX_OWNERS: usize = 3;
/// Weight of a correction relative to a word as typed.
const CORRECTION_WEIGHT: f32 = 0.8;

/// Correction of a word or name that few or no agents have; the correction is searched for instead
/// of it or in addition to it.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Correction {
    /// As typed, in lower case and folded.
    pub from: String,
    /// As agents write it, in lower case and folded.
    pub to: String,
}

/// Terms of the index, with the look-ups of one query.
pub(crate) struct IndexTerms<'a> {
    searcher: &'a Searcher,
    fields: &'a Fields,
    languages: Vec<Language>,
    lookups: usize,
    corrected: Vec<Correction>,
    /// True if a word of the query has others beside it that are in English.
    pub(crate) has_english: bool,
}

/// A term near another one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SimilarTerm {
    text: String,
    distance: usize,
    /// Agents that have it.
    count: u64,
}

impl<'a> IndexTerms<'a> {
    /// Returns the terms of an index.
    pub(crate) fn of(searcher: &'a Searcher, fields: &'a Fields) -> tantivy::Result<Self> {
        let mut index_terms = Self {
            searcher,
            fields,
            languages: Vec::new(),
            lookups: 0,
            corrected: Vec::new(),
            has_english: false,
        };
        for language in language::ALL {
            if index_terms.count(&language.marker())? > 0 {
                index_terms.languages.push(*language);
            }
        }
        Ok(index_terms)
    }

    /// Corrections made so far.
    pub(crate) fn corrected(&self) -> &[Correction] {
        &self.corrected
    }

    /// Returns the weight of a word relative to one that matches as typed.
    pub(crate) fn relative_weight(&self, label: &str) -> f32 {
        if self.corrected.iter().any(|it| it.from == label) {
            CORRECTION_WEIGHT
        } else {
            1.0
        }
    }

    /// Returns the stems of a text in every language of the index, for each of its terms those that
    /// some agent has.
    pub(crate) fn stems(&self, text: &str) -> tantivy::Result<Vec<Vec<String>>> {
        let mut stems = vec![Vec::new(); analyzer::terms(text).len()];
        for language in &self.languages {
            for (stems, stem) in stems.iter_mut().zip(language.stems(text)) {
                if let Some(stem) = stem
                    && self.count(&stem)? > 0
                {
                    stems.push(stem);
                }
            }
        }
        Ok(stems)
    }

    /// Reports whether a folded word is one of another language, and does not stand among English
    /// words: what is mistyped among those may be a word elsewhere (`tabel`).
    fn is_foreign(&self, word: &str) -> bool {
        !self.has_english && is_foreign(word)
    }

    /// Returns corrections of a folded word that few or no agents have.
    pub(crate) fn corrections(
        &mut self,
        word: &str,
        own: &[String],
    ) -> tantivy::Result<Vec<String>> {
        if word.chars().count() > MAX_WORD || word.chars().any(char::is_numeric) {
            return Ok(Vec::new());
        }
        if is_english(word) || self.is_foreign(word) {
            return Ok(Vec::new());
        }
        let mut count = 0;
        for term in own {
            count = count.max(self.count(term)?);
        }
        if count > self.searcher.num_docs() / RARE || self.lookups == MAX_LOOKUPS {
            return Ok(Vec::new());
        }
        self.lookups += 1;
        let mut near = self.near(word, self.fields.words, tolerance(word))?;
        near.retain(|it| it.text != word && it.count >= count * FAR_MORE);
        if word.chars().count() <= SHORT {
            let is_likely = |it: &SimilarTerm| it.count >= FEW || is_common(&it.text);
            near.retain(|it| is_likely(it) || !has_another_letter(word, &it.text));
        }
        near.truncate(MAX_MEANT);
        if let Some(best) = near.first() {
            self.corrected.push(Correction {
                from: word.to_owned(),
                to: best.text.clone(),
            });
        }
        let mut terms = Vec::new();
        for it in &near {
            terms.extend(analyzer::terms(&it.text).into_iter().map(|it| it.text));
            terms.extend(self.stems(&it.text)?.into_iter().flatten());
        }
        Ok(terms)
    }

    /// Returns the first of some terms that an agent has.
    pub(crate) fn first_known(&self, terms: &[Term]) -> tantivy::Result<Option<Term>> {
        for term in terms {
            if first_alive(self.searcher, term)?.is_some() {
                return Ok(Some(term.clone()));
            }
        }
        Ok(None)
    }

    /// Reports whether agents have a term, of at most [`MAX_OWNERS`] registrable domains.
    pub(crate) fn is_distinctive(&self, term: &Term) -> tantivy::Result<bool> {
        Ok((1..=MAX_OWNERS).contains(&self.owners(term)?))
    }

    /// Reports whether agents of at most [`MAX_OWNERS`] registrable domains write one of some words.
    pub(crate) fn has_rare(&self, words: &[String]) -> tantivy::Result<bool> {
        for word in words {
            if self.owners(&Term::from_field_text(self.fields.words, word))? <= MAX_OWNERS {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts the registrable domains whose agents have a term, up to one more than [`MAX_OWNERS`].
    fn owners(&self, term: &Term) -> tantivy::Result<usize> {
        let group = self.searcher.schema().get_field_name(self.fields.group);
        let mut owners = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(term.field())?;
            let Some(mut found) = index.read_postings(term, IndexRecordOption::Basic)? else {
                continue;
            };
            let groups = segment.fast_fields().u64(group)?;
            while found.doc() != TERMINATED {
                if !segment.is_deleted(found.doc()) {
                    owners.extend(groups.first(found.doc()));
                }
                if owners.len() > MAX_OWNERS {
                    return Ok(owners.len());
                }
                found.advance();
            }
        }
        Ok(owners.len())
    }

    /// Reports whether an agent meets a query.
    fn is_any(&self, query: &dyn Query) -> tantivy::Result<bool> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(self.searcher))?;
        for segment in self.searcher.segment_readers() {
            let mut found = weight.scorer(segment, 1.0)?;
            while found.doc() != TERMINATED {
                if !segment.is_deleted(found.doc()) {
                    return Ok(true);
                }
                found.advance();
            }
        }
        Ok(false)
    }

    fn count(&self, term: &str) -> tantivy::Result<u64> {
        let term = Term::from_field_text(self.fields.text, term);
        self.searcher.doc_freq(&term)
    }

    /// Returns the terms of a field nearest to a text, the most frequent first.
    fn near(&self, text: &str, field: Field, allowed: u8) -> tantivy::Result<Vec<SimilarTerm>> {
        let Some(first) = text.chars().next().filter(|_| allowed > 0) else {
            return Ok(Vec::new());
        };
        let term = Term::from_field_text(field, text);
        let automaton = FuzzyTermQuery::new(term, allowed, true).automaton()?;
        let mut counts: HashMap<String, u64> = HashMap::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut stream = index
                .terms()
                .search(&automaton)
                .ge(first.to_string())
                .le(format!("{first}\u{10FFFF}"))
                .into_stream()?;
            let mut budget = MAX_READ;
            while budget > 0 && stream.advance() {
                budget -= 1;
                if let Ok(term) = std::str::from_utf8(stream.key()) {
                    let count = counts.entry(term.to_owned()).or_default();
                    *count += u64::from(stream.value().doc_freq);
                }
            }
        }
        let mut near = Vec::with_capacity(counts.len());
        for (term, count) in counts {
            let alive = first_alive(self.searcher, &Term::from_field_text(field, &term))?;
            if alive.is_some() {
                near.push(SimilarTerm {
                    distance: strsim::osa_distance(&term, text),
                    text: term,
                    count,
                });
            }
        }
        Ok(nearest(near))
    }
}

/// Orders terms by their distance, the most frequent first. Of those at the least distance, those
/// that are far rarer than the first are slips themselves, and are left out.
fn nearest(mut near: Vec<SimilarTerm>) -> Vec<SimilarTerm> {
    near.sort_unstable_by(|left, right| {
        (left.distance, right.count, &left.text).cmp(&(right.distance, left.count, &right.text))
    });
    if let Some((distance, count)) = near.first().map(|it| (it.distance, it.count)) {
        near.retain(|it| it.distance == distance && it.count * 10 >= count);
    }
    near
}

/// Returns the first agent that is still listed and has a term: those of deleted agents stay until
/// their segment is merged.
pub(crate) fn first_alive(searcher: &Searcher, term: &Term) -> tantivy::Result<Option<DocAddress>> {
    for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
        let index = segment.inverted_index(term.field())?;
        let Some(mut found) = index.read_postings(term, IndexRecordOption::Basic)? else {
            continue;
        };
        while found.doc() != TERMINATED {
            if !segment.is_deleted(found.doc()) {
                return Ok(Some(DocAddress::new(ordinal, found.doc())));
            }
            found.advance();
        }
    }
    Ok(None)
}

/// Returns the maximum edit distance for a word or name of this length.
fn tolerance(text: &str) -> u8 {
    match text.chars().count() {
        ..=4 => 0,
        5..=8 => 1,
        _ => 2,
    }
}

/// Reports whether two words have equal length and different letters. A swap is a typing error, and
/// so is a letter too many or too few, while another letter makes another word (`arxiv`, and
/// `arsiv`, the Turkish for archive).
fn has_another_letter(left: &str, right: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let (left, right) = (sorted(left), sorted(right));
    left.len() == right.len() && left != right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_may_have_two_slips_and_short_ones_none() {
        let table = [
            ("", 0),
            ("fado", 0),
            ("table", 1),
            ("größerer", 1),
            ("restaurant", 2),
        ];
        for (text, slips) in table {
            assert_eq!(tolerance(text), slips, "{text}");
        }
    }
}
