//! A hash map optimized for short words: a word of up to 15 bytes is a number stored in the table
//! itself.

use foldhash::fast::RandomState;
use std::collections::HashMap;

/// Maximum length in bytes of a word stored as a number.
const MAX_SHORT: usize = size_of::<u128>() - 1;

/// Values by word.
#[derive(Debug)]
pub(crate) struct WordMap<V> {
    short: HashMap<u128, V, RandomState>,
    long: HashMap<Box<str>, V, RandomState>,
}

impl<V> Default for WordMap<V> {
    fn default() -> Self {
        Self {
            short: HashMap::default(),
            long: HashMap::default(),
        }
    }
}

impl<V> WordMap<V> {
    /// Returns the value of a word.
    pub(crate) fn get(&self, word: &str) -> Option<&V> {
        match number(word) {
            Some(number) => self.short.get(&number),
            None => self.long.get(word),
        }
    }

    /// Sets the value of a word.
    pub(crate) fn insert(&mut self, word: &str, value: V) {
        match number(word) {
            Some(number) => self.short.insert(number, value),
            None => self.long.insert(word.into(), value),
        };
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// Removes all words.
    pub(crate) fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
    }
}

/// Packs the bytes and the length of a short word into one number.
fn number(word: &str) -> Option<u128> {
    if word.len() > MAX_SHORT {
        return None;
    }
    let mut bytes = [0; size_of::<u128>()];
    bytes[..word.len()].copy_from_slice(word.as_bytes());
    bytes[MAX_SHORT] = u8::try_from(word.len()).ok()?;
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_length_keep_their_values() {
        let mut map = WordMap::default();
        let words = [
            "",
            "a",
            "a\0",
            "b",
            "fifteen letters",
            "sixteen letters!",
            "überschrift",
            "überschriften",
        ];
        for (value, word) in words.iter().enumerate() {
            assert_eq!(map.get(word), None);
            map.insert(word, value);
        }
        for (value, word) in words.iter().enumerate() {
            assert_eq!(map.get(word), Some(&value), "{word}");
        }
        assert_eq!(map.len(), words.len());
        map.clear();
        assert_eq!(map.get("a"), None);
    }
}
