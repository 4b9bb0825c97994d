//! Words as the index takes them, each worked out once: few words make up most of all texts.

use super::language::Language;
use super::{Piece, stemmed, unstemmed, word};
use crate::search::word_map::WordMap;
use std::ops::Range;
use tantivy::tokenizer::{RawTokenizer, TextAnalyzer};

/// Words that are kept; some 10 MB.
const MAX_KEPT: usize = 100_000;

/// The forms of words met so far.
pub(crate) struct Forms {
    unstemmed: TextAnalyzer,
    stemmed: TextAnalyzer,
    /// Where a word's forms are.
    places: WordMap<usize>,
    kept: Vec<Form>,
    /// The texts of all forms, one behind the other: the most frequent words come first and lie side by side.
    texts: String,
    /// Counts texts.
    text: u64,
}

/// A word in the forms that are indexed.
struct Form {
    folded: Range<usize>,
    stem: Range<usize>,
    /// The text that it was last met in.
    text: u64,
    /// The term of its stem in the language that it was last met in.
    own: Option<(Language, Option<Box<str>>)>,
}

impl Default for Forms {
    fn default() -> Self {
        Self {
            unstemmed: unstemmed(RawTokenizer::default()),
            stemmed: stemmed(RawTokenizer::default()),
            places: WordMap::default(),
            kept: Vec::new(),
            texts: String::new(),
            text: 0,
        }
    }
}

impl Forms {
    /// Begins a text: places of an earlier one no longer hold.
    pub(crate) fn begin(&mut self) {
        if self.kept.len() > MAX_KEPT {
            self.places.clear();
            self.kept.clear();
            self.texts.clear();
        }
        self.text += 1;
    }

    /// The place of a word's forms.
    pub(crate) fn find(&mut self, piece: Piece<'_>) -> usize {
        if let Some(place) = self.places.get(piece.text) {
            return *place;
        }
        let place = self.kept.len();
        let folded = word(&mut self.unstemmed, piece.text);
        let stem = word(&mut self.stemmed, piece.text);
        let form = Form {
            folded: self.keep(&folded),
            stem: self.keep(&stem),
            text: 0,
            own: None,
        };
        self.kept.push(form);
        self.places.insert(piece.text, place);
        place
    }

    /// A word in lower case and folded.
    pub(crate) fn folded(&self, place: usize) -> &str {
        &self.texts[self.kept[place].folded.clone()]
    }

    /// The English stem of that.
    pub(crate) fn stem(&self, place: usize) -> &str {
        &self.texts[self.kept[place].stem.clone()]
    }

    /// The term of a word's stem in a language.
    pub(crate) fn own(
        &mut self,
        piece: Piece<'_>,
        place: usize,
        language: Language,
    ) -> Option<&str> {
        let own = &mut self.kept[place].own;
        let known = own.take_if(|it| it.0 == language);
        let known = known.unwrap_or_else(|| (language, language.stem(piece.text).map(Into::into)));
        own.insert(known).1.as_deref()
    }

    /// True the first time that a text asks for this place.
    pub(crate) fn is_new(&mut self, place: usize) -> bool {
        let last = std::mem::replace(&mut self.kept[place].text, self.text);
        last != self.text
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let from = self.texts.len();
        self.texts.push_str(text);
        from..self.texts.len()
    }
}
