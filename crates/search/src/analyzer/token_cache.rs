//! Words as the index takes them, each worked out once: few words make up most of all texts.

use super::language::Language;
use super::{Piece, stemmed, unstemmed, word};
use crate::word_map::WordMap;
use std::collections::HashMap;
use tantivy::tokenizer::{RawTokenizer, TextAnalyzer};

/// Words that are kept; some 10 MB.
const MAX_KEPT: usize = 100_000;

/// The forms of words met so far.
pub(crate) struct TokenCache {
    unstemmed: TextAnalyzer,
    stemmed: TextAnalyzer,
    /// Cache entry of a word's forms.
    places: WordMap<usize>,
    kept: Vec<Form>,
    /// The texts of all forms, one behind the other: the most frequent words come first and lie
    /// side by side.
    texts: String,
    /// The terms of words' stems in the languages that they were last met in.
    own: HashMap<usize, (Language, Option<Box<str>>)>,
    /// Counts texts.
    text: u32,
}

/// A word in the forms that are indexed: four of them fit into a line of a processor's cache.
struct Form {
    /// Offset of its texts, the folded word followed by the stem, and their lengths.
    from: u32,
    folded: u32,
    stem: u32,
    /// The text that it was last met in.
    text: u32,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self {
            unstemmed: unstemmed(RawTokenizer::default()),
            stemmed: stemmed(RawTokenizer::default()),
            places: WordMap::default(),
            kept: Vec::new(),
            texts: String::new(),
            own: HashMap::new(),
            text: 0,
        }
    }
}

impl TokenCache {
    /// Begins a text: places of an earlier one no longer hold.
    pub(crate) fn begin(&mut self) {
        if self.kept.len() > MAX_KEPT || self.text == u32::MAX {
            self.places.clear();
            self.kept.clear();
            self.texts.clear();
            self.own.clear();
            self.text = 0;
        }
        self.text += 1;
    }

    /// Returns the place of a word's forms.
    pub(crate) fn find(&mut self, piece: Piece<'_>) -> usize {
        if let Some(place) = self.places.get(piece.text) {
            return *place;
        }
        let place = self.kept.len();
        let folded = word(&mut self.unstemmed, piece.text);
        let stem = word(&mut self.stemmed, piece.text);
        let form = Form {
            from: short(self.texts.len()),
            folded: short(folded.len()),
            stem: short(stem.len()),
            text: 0,
        };
        self.texts.push_str(&folded);
        self.texts.push_str(&stem);
        self.kept.push(form);
        self.places.insert(piece.text, place);
        place
    }

    /// Returns a word in lower case and folded.
    pub(crate) fn folded(&self, place: usize) -> &str {
        let form = &self.kept[place];
        self.text_at(form.from, form.folded)
    }

    /// Returns the English stem of that.
    pub(crate) fn stem(&self, place: usize) -> &str {
        let form = &self.kept[place];
        self.text_at(form.from + form.folded, form.stem)
    }

    fn text_at(&self, from: u32, length: u32) -> &str {
        let from = from as usize;
        &self.texts[from..from + length as usize]
    }

    /// Returns the term of a word's stem in a language.
    pub(crate) fn own(
        &mut self,
        piece: Piece<'_>,
        place: usize,
        language: Language,
    ) -> Option<&str> {
        let in_language = || (language, language.stem(piece.text).map(Into::into));
        let own = self.own.entry(place).or_insert_with(in_language);
        if own.0 != language {
            *own = in_language();
        }
        own.1.as_deref()
    }

    /// Returns true the first time that a text asks for this place.
    pub(crate) fn is_new(&mut self, place: usize) -> bool {
        let last = std::mem::replace(&mut self.kept[place].text, self.text);
        last != self.text
    }
}

/// Returns a length among the kept texts, which stay far below 4 GB: some 100,000 words of at most
/// 96 bytes.
fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
