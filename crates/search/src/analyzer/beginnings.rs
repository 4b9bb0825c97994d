//! Beginnings of English stems, by which most words of a text are ruled out without being stemmed.

use std::collections::BTreeSet;

/// First and second characters of English stems; the second is `None` for a stem of one character.
///
/// A stem begins with the first two characters of its word, but for `y` and `i`, which replace each
/// other (`dying`, `die`). Stemmers of other languages change the second one, too.
#[derive(Debug, Default)]
pub(crate) struct Beginnings(BTreeSet<(char, Option<char>)>);

impl Beginnings {
    /// Collects the beginnings of `stems`.
    pub(crate) fn of<'a>(stems: impl Iterator<Item = &'a str>) -> Self {
        let mut beginnings = BTreeSet::new();
        for stem in stems {
            let mut characters = stem.chars();
            if let Some(first) = characters.next() {
                beginnings.insert((plain(first), characters.next().map(plain)));
            }
        }
        Self(beginnings)
    }

    /// Reports whether a word may have one of the stems. Characters other than ASCII change when
    /// they are folded, so they may be any.
    pub(crate) fn may_begin(&self, word: &str) -> bool {
        let mut characters = word.chars();
        let Some(first) = characters.next().filter(char::is_ascii).map(plain) else {
            return true;
        };
        match characters.next().map(plain) {
            Some(second) if second.is_ascii() => {
                self.0.contains(&(first, Some(second))) || self.0.contains(&(first, None))
            }
            None | Some(_) => {
                let all = (first, None)..=(first, Some(char::MAX));
                self.0.range(all).next().is_some()
            }
        }
    }
}

/// Returns a character in lower case if it is ASCII, and `i` for `y`.
fn plain(character: char) -> char {
    match character.to_ascii_lowercase() {
        'y' => 'i',
        it => it,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{segment, word, word_stemmer};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_with_another_beginning_are_ruled_out() {
        let beginnings = Beginnings::of(["recip", "die", "x"].into_iter());
        for word in [
            "Recipes", "re", "r", "Rücken", "dying", "Diesel", "X", "xenon", "Übung", "",
        ] {
            assert!(beginnings.may_begin(word), "{word}");
        }
        for word in ["Rose", "dose", "and", "q"] {
            assert!(!beginnings.may_begin(word), "{word}");
        }
    }

    proptest! {
        #[test]
        fn an_english_stem_is_found_by_its_beginning(
            text in "([a-zA-ZäßçİI'_ -]|[a-zI]{1,3}(y|i|e|s|ing|ed|ly|ies|ied|eed|'s){0,3} ){0,20}",
        ) {
            let mut stemmer = word_stemmer();
            let mut words = Vec::new();
            segment(&text, |piece| words.push(piece.text.to_owned()));
            for text in words {
                let stem = word(&mut stemmer, &text);
                let beginnings = Beginnings::of(std::iter::once(&*stem));
                prop_assert!(beginnings.may_begin(&text), "{text}: {stem}");
            }
        }
    }
}
