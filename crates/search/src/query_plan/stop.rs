//! Stop words.

use crate::dictionary::{is_common, is_known};
use manifest::text;
use std::sync::LazyLock;

/// English stop words.
static ENGLISH: LazyLock<Vec<&str>> = LazyLock::new(|| sorted(include_str!("stop/english.txt")));

/// Stop words of other languages that are no English words.
static FOREIGN: LazyLock<Vec<&str>> = LazyLock::new(|| sorted(include_str!("stop/foreign.txt")));

/// Stop words of other languages that are English words too, sorted.
const ALSO_ENGLISH: &[&str] = &[
    "con", "dos", "fur", "hay", "jest", "les", "med", "mit", "nas", "pour", "van",
];

/// Foreign stop words that say nothing about the language, as names of places begin with them
/// (`Los Angeles`), sorted.
const OF_NAMES: &[&str] = &[
    "al", "com", "d", "da", "de", "del", "der", "di", "du", "el", "il", "im", "l", "la", "las",
    "le", "los", "w", "z",
];

/// Returns the words of a list in order.
fn sorted(list: &'static str) -> Vec<&'static str> {
    let mut words: Vec<_> = text::listed(list).collect();
    words.sort_unstable();
    words
}

/// The stop words of one query: `van` and `hay` are some in a query that is not in English.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopWords {
    is_foreign: bool,
}

impl StopWords {
    /// Returns the stop words of a query of these words, in lower case and without accents. It is
    /// not in English if it has a stop word of another language, or more known words of others than
    /// English ones.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let has = |list: &[&str], word: &str| list.binary_search(&word).is_ok();
        let (mut foreign, mut english) = (0, 0);
        for word in words.filter(|word| !has(ALSO_ENGLISH, word)) {
            if has(&FOREIGN, word) && !has(OF_NAMES, word) {
                return Self { is_foreign: true };
            }
            let is_english = has(&ENGLISH, word) || is_common(word);
            english += usize::from(is_english);
            foreign += usize::from(!is_english && is_known(word));
        }
        Self {
            is_foreign: foreign > english,
        }
    }

    /// Reports whether the query is not in English.
    pub(super) fn are_foreign(self) -> bool {
        self.is_foreign
    }

    /// Reports whether a word is one of them.
    pub(super) fn contains(self, word: &str) -> bool {
        is_stop_word(word) || self.is_foreign && ALSO_ENGLISH.binary_search(&word).is_ok()
    }
}

/// Reports whether a word, in lower case and without accents, is a stop word in every query.
pub(super) fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok() || FOREIGN.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_for_the_search_in_them() {
        for words in [ALSO_ENGLISH, OF_NAMES] {
            assert!(words.is_sorted());
        }
    }
}
