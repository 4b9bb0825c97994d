//! Cuts a text into the pieces of the sentence model: BERT's uncased `WordPiece`.
//!
//! Control characters go, Chinese characters stand alone, accents go, capitals become small; then
//! words end at white space, and each punctuation mark is a word. A word is cut into the longest
//! known pieces from its start. A word that cannot be cut, or has more than 100 characters, is one
//! unknown piece, and a word of a script other than Latin is left out: its pieces would be single
//! letters. `crates/search/embedding/fixture.jsonl` holds what the Python side
//! says of some hundred texts.

use crate::word_map::WordMap;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// Characters of the longest word that is cut.
const MAX_WORD: usize = 100;
/// Prefix of continuation pieces in the vocabulary.
const INSIDE: &str = "##";

/// Letters of a piece that says something by itself.
const MIN_WORD: usize = 4;

/// The last letter of the Latin blocks of Unicode.
const LAST_LATIN: char = '\u{24F}';
/// Words that are kept cut up.
const MAX_KEPT: usize = 100_000;
/// Pieces of a word that is kept; very few have more.
const MAX_KEPT_PIECES: usize = 5;

/// Words that were cut up before.
#[derive(Debug, Default)]
pub(super) struct PieceCache(WordMap<PieceRows>);

/// The rows of a word's pieces. With its word it fills half a line of a processor's cache.
#[derive(Clone, Copy, Debug)]
struct PieceRows {
    rows: [u16; MAX_KEPT_PIECES],
    count: u8,
}

/// The known pieces, each with the number of its row.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// Pieces that begin a word.
    starts: WordMap<u32>,
    /// Pieces that go on with one, without their mark.
    insides: WordMap<u32>,
    /// Bytes of the longest piece.
    longest: usize,
}

impl Vocabulary {
    /// Row of the piece that stands for what is not known.
    pub(super) const UNKNOWN: u32 = 0;

    /// Creates a vocabulary from entries in the order of their rows, the one for the unknown
    /// first.
    pub(super) fn new<'a>(entries: impl Iterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self {
            starts: WordMap::default(),
            insides: WordMap::default(),
            longest: 0,
        };
        // The first is written in brackets: no word can be that.
        for (row, piece) in (0_u32..).zip(entries).skip(1) {
            vocabulary.longest = vocabulary.longest.max(piece.len());
            match piece.strip_prefix(INSIDE).filter(|it| !it.is_empty()) {
                Some(inside) => vocabulary.insides.insert(inside, row),
                None => vocabulary.starts.insert(piece, row),
            }
        }
        vocabulary
    }

    /// Reports whether a word, in lower case and without accents, is one piece.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.starts.get(word).is_some()
    }

    /// Reports whether more than two thirds of a word are pieces that are words themselves: of
    /// `screenwriting`, and not of `wechat`.
    pub(super) fn is_made_of_words(&self, word: &str) -> bool {
        let (mut known, mut of_words, mut rest) = (&self.starts, 0, word);
        while !rest.is_empty() {
            let Some((_, length)) = self.longest_piece(known, rest) else {
                return false;
            };
            let (piece, behind) = rest.split_at(length);
            if length >= MIN_WORD && self.has_word(piece) {
                of_words += length;
            }
            (known, rest) = (&self.insides, behind);
        }
        of_words * 3 > word.len() * 2
    }

    /// Returns the share of a text that is known English: the mean, over its words of letters, of one
    /// divided by the number of pieces that the word is cut into. It is 1 for a text without words.
    ///
    /// The pieces are made for English, so that nine in ten English needs have more than 0.85, and
    /// nine in ten of other languages in Latin letters less than 0.8. Words in other letters count 0.
    pub(super) fn english_share(&self, text: &str) -> f64 {
        let text: String = characters(text).collect();
        let is_between = |it: char| it.is_whitespace() || is_punctuation(it);
        let words = text
            .split(is_between)
            .filter(|it| it.contains(char::is_alphabetic));
        let (mut count, mut sum) = (0_u32, 0.0);
        for word in words {
            count += 1;
            if is_latin(word) {
                let length = word.chars().count();
                let text = word.to_owned();
                let mut found = Vec::new();
                self.cut_anew(&Word { text, length }, &mut found);
                let pieces = found.iter().filter(|it| **it != Self::UNKNOWN).count();
                sum += u32::try_from(pieces)
                    .ok()
                    .filter(|it| *it > 0)
                    .map_or(0.0, |it| 1.0 / f64::from(it));
            }
        }
        if count == 0 {
            1.0
        } else {
            sum / f64::from(count)
        }
    }

    /// Rows of the first `limit` pieces of a text.
    pub(super) fn pieces(&self, text: &str, limit: usize, known: &mut PieceCache) -> Vec<u32> {
        let mut found = Vec::new();
        let mut word = Word::default();
        if text.is_ascii() {
            self.ascii(text, limit, &mut word, known, &mut found);
        } else {
            for character in characters(text) {
                if found.len() >= limit {
                    break;
                }
                if character.is_whitespace() {
                    self.cut(&mut word, known, &mut found);
                } else if is_punctuation(character) {
                    self.cut(&mut word, known, &mut found);
                    word.push(character);
                    self.cut(&mut word, known, &mut found);
                } else {
                    word.push(character);
                }
            }
        }
        self.cut(&mut word, known, &mut found);
        found.truncate(limit);
        found
    }

    /// Does the same for a text that has no accents, and in which letters and digits are the only
    /// characters of words.
    fn ascii(
        &self,
        text: &str,
        limit: usize,
        word: &mut Word,
        known: &mut PieceCache,
        found: &mut Vec<u32>,
    ) {
        let mut rest = text;
        while found.len() < limit && !rest.is_empty() {
            let letters = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let (letters, behind) = rest.split_at(letters);
            word.push_ascii(letters);
            let mut behind = behind.chars();
            match behind.next() {
                Some(character) if is_removed(character) => {}
                Some(character) if character.is_ascii_punctuation() => {
                    self.cut(word, known, found);
                    word.push(character);
                    self.cut(word, known, found);
                }
                Some(_) | None => self.cut(word, known, found),
            }
            rest = behind.as_str();
        }
    }

    /// Cuts a word, adds its rows, and empties it.
    fn cut(&self, word: &mut Word, known: &mut PieceCache, found: &mut Vec<u32>) {
        if word.length == 0 {
            return;
        }
        let before = found.len();
        if let Some(cut) = known.0.get(&word.text).filter(|_| word.length <= MAX_WORD) {
            let rows = &cut.rows[..usize::from(cut.count)];
            found.extend(rows.iter().map(|row| u32::from(*row)));
        } else {
            self.cut_anew(word, found);
            known.keep(word, &found[before..]);
        }
        word.text.clear();
        word.length = 0;
    }

    fn cut_anew(&self, word: &Word, found: &mut Vec<u32>) {
        if word.length <= MAX_WORD && !is_latin(&word.text) {
            return;
        }
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
        if word.length > MAX_WORD || !rest.is_empty() {
            found.truncate(before);
            found.push(Self::UNKNOWN);
        }
    }

    /// Returns the longest known piece that a text begins with: its row and its length in bytes.
    fn longest_piece(&self, known: &WordMap<u32>, text: &str) -> Option<(u32, usize)> {
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

impl PieceCache {
    fn keep(&mut self, word: &Word, found: &[u32]) {
        let mut rows = [0; MAX_KEPT_PIECES];
        let Some(kept) = rows.get_mut(..found.len()) else {
            return;
        };
        for (kept, row) in kept.iter_mut().zip(found) {
            let Ok(row) = u16::try_from(*row) else {
                return;
            };
            *kept = row;
        }
        let (Ok(count), true) = (u8::try_from(found.len()), word.length <= MAX_WORD) else {
            return;
        };
        if self.0.len() == MAX_KEPT {
            self.0.clear();
        }
        self.0.insert(&word.text, PieceRows { rows, count });
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

    /// Adds ASCII letters and digits, in lower case.
    fn push_ascii(&mut self, letters: &str) {
        let from = self.text.len();
        let room = MAX_WORD.saturating_sub(self.length).min(letters.len());
        self.length += letters.len();
        self.text.push_str(&letters[..room]);
        self.text[from..].make_ascii_lowercase();
    }
}

/// Reports whether all letters of a word are Latin ones.
fn is_latin(word: &str) -> bool {
    let is_letter = |it: char| GeneralCategoryGroup::Letter.contains(category(it));
    word.chars().all(|it| it <= LAST_LATIN || !is_letter(it))
}

/// Returns the characters of a text, cleaned, without accents, and in lower case.
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

/// Returns the blocks that the original calls Chinese: ideographs, not kana or hangul.
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
