//! The normalizer of `SentencePiece`: a map from characters to replacements, compiled by its trainer.
//!
//! The map is a [Darts-clone] double array: a unit holds a label, an offset to the units of the next
//! characters, and a flag whether a key ends there. Replacements follow it, each ended by a zero.
//!
//! [Darts-clone]: https://github.com/s-yata/darts-clone

use crate::packed::{ModelError, Packed};

/// Character that stands for a space in pieces, `▁`.
const SPACE: &[u8] = "\u{2581}".as_bytes();

#[derive(Debug)]
pub(crate) struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    pub(crate) fn read(packed: &mut Packed<'_>) -> Result<Self, ModelError> {
        let length = packed.count()?;
        let bytes = packed.bytes(length)?;
        let invalid = ModelError::Invalid("its map of characters is damaged");
        let Some((size, rest)) = bytes.split_first_chunk() else {
            return Err(invalid);
        };
        let Some((units, replacements)) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)
        else {
            return Err(invalid);
        };
        let units = units.as_chunks().0.iter().copied();
        Ok(Self {
            units: units.map(u32::from_le_bytes).collect(),
            replacements: replacements.to_vec(),
        })
    }

    /// Returns a text with its characters replaced, a space before it, one between words, and none
    /// after it; spaces are written as in pieces.
    pub(crate) fn normalized(&self, text: &str) -> Vec<u8> {
        let mut normalized = Vec::with_capacity(text.len() + text.len() / 4 + SPACE.len());
        let mut rest = text;
        let mut is_after_space = true;
        while !rest.is_empty() {
            let (replacement, length) = self.prefix(rest);
            for &byte in replacement {
                if byte != b' ' {
                    if is_after_space {
                        normalized.extend(SPACE);
                    }
                    normalized.push(byte);
                }
                is_after_space = byte == b' ';
            }
            rest = &rest[length..];
        }
        normalized
    }

    /// Returns the replacement for the longest key at the start of a text, or its first character,
    /// and its length.
    fn prefix<'a>(&'a self, text: &'a str) -> (&'a [u8], usize) {
        let mut found = None;
        let mut at = self.units.first().map_or(0, |root| offset(*root));
        for (index, byte) in text.bytes().enumerate() {
            at ^= usize::from(byte);
            let Some(&unit) = self.units.get(at) else {
                break;
            };
            if unit & 0x8000_00FF != u32::from(byte) {
                break;
            }
            at ^= offset(unit);
            if unit & 0x100 != 0 {
                let value = self.units.get(at).map(|leaf| leaf & 0x7FFF_FFFF);
                found = value.map(|value| (value as usize, index + 1));
            }
        }
        let replacement = |(value, length): (usize, usize)| {
            // A damaged map could have keys that end within a character.
            text.is_char_boundary(length).then_some(())?;
            let from = self.replacements.get(value..)?;
            let end = from.iter().position(|&byte| byte == 0)?;
            Some((&from[..end], length))
        };
        found.and_then(replacement).unwrap_or_else(|| {
            let length = text.chars().next().map_or(1, char::len_utf8);
            (&text.as_bytes()[..length], length)
        })
    }
}

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_ends_within_a_character_is_ignored() {
        let mut units = vec![0; 256];
        // A key of the first byte of `é` alone: a label with a leaf, whose value is next to it.
        units[0xC3] = 1 << 10 | 0x100 | 0xC3;
        let damaged = Charsmap {
            units,
            replacements: b"x\0".to_vec(),
        };
        assert_eq!(damaged.normalized("é"), "\u{2581}é".as_bytes());
    }
}
