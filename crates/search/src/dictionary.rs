//! Words that a dictionary has: the pieces of the table for English, and those of the sentence encoder
//! for the languages that it knows.

use super::analyzer;
use super::embedding::table;
use super::stable_hash::stable_hash;
use encoder::Encoder;
use std::sync::LazyLock;

/// Minimum length in letters of a word of other languages; a shorter one says little.
const MIN_WORD: usize = 3;

/// Endings of infinitives, plurals and comparatives, and minimum length in bytes of what they follow.
const ENDINGS: [&str; 3] = ["en", "er", "em"];
const MIN_STEM: usize = 4;

/// Hashes of the words of the encoder, folded, in order.
static WORDS: LazyLock<Box<[u64]>> = LazyLock::new(|| {
    let words = Encoder::shipped().map(Encoder::words).unwrap_or_default();
    let folded = words.iter().map(|it| analyzer::fold(it));
    let words = folded.filter(|it| it.chars().count() >= MIN_WORD);
    let hashes = words.map(|it| stable_hash(&it));
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
});

/// Reports whether a dictionary of any language has a word, or it is made of English words. The word is
/// folded.
pub fn is_known(word: &str) -> bool {
    is_english(word) || is_foreign(word)
}

/// Reports whether a folded word is a word of any language that the encoder knows, or one with an
/// ending of German or Dutch, such as `tanken`.
pub fn is_foreign(word: &str) -> bool {
    let has = |word: &str| WORDS.binary_search(&stable_hash(word)).is_ok();
    let stem = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
    has(word) || stem.is_some_and(|it| it.len() >= MIN_STEM && has(it))
}

/// Reports whether a folded word is an English word, the plural of one, or made of English words.
pub fn is_english(word: &str) -> bool {
    is_common(word) || table().is_some_and(|it| it.is_made_of_words(word))
}

/// Reports whether a folded word is an English word that is common enough to be known as a whole.
pub fn has_english(word: &str) -> bool {
    table().is_some_and(|it| it.has_word(word))
}

/// Reports whether a folded word or its singular is an English word that is common enough to be
/// known as a whole.
pub fn is_common(word: &str) -> bool {
    has_english(word) || word.strip_suffix('s').is_some_and(has_english)
}
