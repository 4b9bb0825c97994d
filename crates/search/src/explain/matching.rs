//! Words of a text that match the words of a need.

use super::snippet::Mark;
use crate::analyzer::language::Language;
use crate::analyzer::{self, Beginnings, segment};
use crate::query_plan::Word;
use crate::word_map::WordMap;
use std::collections::{BTreeSet, HashMap};
use tantivy::tokenizer::TextAnalyzer;

/// Matches words of texts with the words of one need.
pub(super) struct Matcher<'a> {
    words: &'a [Word],
    /// Beginnings of the terms of the need, so that most words of a text need not be stemmed.
    beginnings: Beginnings,
    english: TextAnalyzer,
    /// Words that were looked at before, by the code of the text's language; the texts of an answer
    /// share many words.
    by_language: HashMap<&'static str, LanguageMatches>,
}

/// Words of texts in one language.
struct LanguageMatches {
    own: Option<LanguageStemmer>,
    /// Indexes of the need's words that each word matches.
    matching: WordMap<Vec<usize>>,
}

/// Stemming of a language other than English.
struct LanguageStemmer {
    language: Language,
    stemmer: TextAnalyzer,
    /// First characters of the stems that the need's words have in the language.
    beginnings: BTreeSet<char>,
}

impl<'a> Matcher<'a> {
    /// Creates a matcher for the words of a need.
    pub(super) fn new(words: &'a [Word]) -> Self {
        let terms = words.iter().flat_map(|word| &word.terms);
        Self {
            words,
            beginnings: Beginnings::of(terms.map(String::as_str)),
            english: analyzer::word_stemmer(),
            by_language: HashMap::new(),
        }
    }

    /// Returns the indexes of the need's words that a text contains, and their byte ranges in
    /// order; overlapping ranges are merged.
    pub(super) fn matched(
        &mut self,
        text: &str,
        language: Option<Language>,
    ) -> (BTreeSet<usize>, Vec<Mark>) {
        let (mut matched, mut marks) = (BTreeSet::new(), Vec::new());
        let (words, beginnings, english) = (self.words, &self.beginnings, &mut self.english);
        let code = language.map_or("en", |it| it.code);
        let known = self
            .by_language
            .entry(code)
            .or_insert_with(|| LanguageMatches::of(language, words));
        segment(text, |piece| {
            let matching = known.matching(piece.text, words, beginnings, english);
            if !matching.is_empty() {
                matched.extend(matching);
                marks.push((piece.from, piece.to));
            }
        });
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
}

impl LanguageMatches {
    fn of(language: Option<Language>, words: &[Word]) -> Self {
        let terms = words.iter().flat_map(|word| &word.terms);
        let own = language.map(|language| LanguageStemmer {
            language,
            stemmer: language.stemmer(),
            beginnings: terms.filter_map(|it| language.beginning(it)).collect(),
        });
        Self {
            own,
            matching: WordMap::default(),
        }
    }

    /// Returns the indexes of the need's words that a word matches by its stem in English or in the
    /// language.
    fn matching(
        &mut self,
        word: &str,
        words: &[Word],
        beginnings: &Beginnings,
        english: &mut TextAnalyzer,
    ) -> &[usize] {
        let own = self.own.as_ref();
        let may_be_own = own.is_some_and(|it| it.language.may_begin(word, &it.beginnings));
        let may_be_english = beginnings.may_begin(word);
        if !may_be_own && !may_be_english {
            return &[];
        }
        if self.matching.get(word).is_none() {
            let stem = may_be_english.then(|| analyzer::word(english, word));
            let mut matching = stem.map_or_else(Vec::new, |it| having(&it, words));
            let stem = self.own.as_mut().filter(|_| may_be_own);
            if let Some(stem) = stem.and_then(|it| it.language.stem_with(&mut it.stemmer, word)) {
                matching.extend(having(&stem, words));
            }
            self.matching.insert(word, matching);
        }
        self.matching.get(word).map_or(&[], |it| it)
    }
}

/// Returns the indexes of the words that have a term.
fn having(term: &str, words: &[Word]) -> Vec<usize> {
    let words = words.iter().enumerate();
    let having = words.filter(|(_, word)| word.terms.iter().any(|it| it == term));
    having.map(|(at, _)| at).collect()
}
