//! Cuts a text into the pieces of the sentence model: BERT's uncased `WordPiece`.
//!
//! Control characters go, Chinese characters stand alone, accents go, capitals become small; then words end
//! at white space, each punctuation mark is a word, and a word is cut into the longest known pieces from its
//! start. A word that cannot be cut, or has more than 100 characters, is one unknown piece.
//! `indexer/embedding/fixture.jsonl` holds what the original says of some hundred texts.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::collections::HashMap;

/// Characters of the longest word that is cut.
const MAX_WORD: usize = 100;
/// What pieces inside a word begin with in the vocabulary.
const INSIDE: &str = "##";

/// The known pieces, each with the number of its row.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// Pieces that begin a word.
    starts: HashMap<Box<str>, usize>,
    /// Pieces that go on with one, without their mark.
    insides: HashMap<Box<str>, usize>,
    /// Bytes of the longest piece.
    longest: usize,
}

impl Vocabulary {
    /// Row of the piece that stands for what is not known.
    pub(super) const UNKNOWN: usize = 0;

    /// Pieces in the order of their rows, the one for the unknown first.
    pub(super) fn new<'a>(pieces: impl Iterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self {
            starts: HashMap::new(),
            insides: HashMap::new(),
            longest: 0,
        };
        // The first is written in brackets: no word can be that.
        for (row, piece) in pieces.enumerate().skip(1) {
            vocabulary.longest = vocabulary.longest.max(piece.len());
            match piece.strip_prefix(INSIDE).filter(|it| !it.is_empty()) {
                Some(inside) => vocabulary.insides.insert(inside.into(), row),
                None => vocabulary.starts.insert(piece.into(), row),
            };
        }
        vocabulary
    }

    /// True when a word, in lower case and without accents, is one piece.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.starts.contains_key(word)
    }

    /// Rows of the first `limit` pieces of a text.
    pub(super) fn pieces(&self, text: &str, limit: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut word = Word::default();
        for character in characters(text) {
            if found.len() >= limit {
                break;
            }
            if character.is_whitespace() {
                self.cut(&mut word, &mut found);
            } else if is_punctuation(character) {
                self.cut(&mut word, &mut found);
                word.push(character);
                self.cut(&mut word, &mut found);
            } else {
                word.push(character);
            }
        }
        self.cut(&mut word, &mut found);
        found.truncate(limit);
        found
    }

    /// Cuts a word, adds its rows, and empties it.
    fn cut(&self, word: &mut Word, found: &mut Vec<usize>) {
        let before = found.len();
        let mut rest = word.text.as_str();
        while !rest.is_empty() {
            let known = if found.len() == before {
                &self.starts
            } else {
                &self.insides
            };
            let Some((row, length)) = self.longest_piece(known, rest) else {
                found.truncate(before);
                break;
            };
            found.push(row);
            rest = &rest[length..];
        }
        if word.length > 0 && (word.length > MAX_WORD || !rest.is_empty()) {
            found.truncate(before);
            found.push(Self::UNKNOWN);
        }
        *word = Word::default();
    }

    /// The longest known piece that a text begins with: its row and its length in bytes.
    fn longest_piece(
        &self,
        known: &HashMap<Box<str>, usize>,
        text: &str,
    ) -> Option<(usize, usize)> {
        let mut end = text.floor_char_boundary(self.longest);
        while end > 0 {
            if let Some(&row) = known.get(&text[..end]) {
                return Some((row, end));
            }
            end = text.floor_char_boundary(end - 1);
        }
        None
    }
}

/// The characters of a word, of which only so many are kept.
#[derive(Default)]
struct Word {
    text: String,
    length: usize,
}

impl Word {
    fn push(&mut self, character: char) {
        self.length += 1;
        if self.length <= MAX_WORD {
            self.text.push(character);
        }
    }
}

/// The characters of a text, cleaned, without accents, and in lower case.
fn characters(text: &str) -> impl Iterator<Item = char> {
    let spaced = text.chars().filter(|it| !is_removed(*it)).flat_map(|it| {
        let space = is_chinese(it).then_some(' ');
        [space, Some(it), space].into_iter().flatten()
    });
    DecomposingNormalizerBorrowed::new_nfd()
        .normalize_iter(spaced)
        .filter(|it| it.is_ascii() || category(*it) != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
}

fn is_removed(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | ' '..='~' => false,
        char::REPLACEMENT_CHARACTER => true,
        // Unassigned characters stay, as in the original.
        _ => matches!(
            category(character),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_punctuation()
    } else {
        GeneralCategoryGroup::Punctuation.contains(category(character))
    }
}

/// The blocks that the original calls Chinese: ideographs, not kana or hangul.
fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}'
        | '\u{2b920}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{2f800}'..='\u{2fa1f}')
}

fn category(character: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(character)
}
