//! Numbers, which say little about the meaning of a need but move its vector far.

use std::borrow::Cow;

/// Number that stands for every other.
const ANY: &str = "2";

/// Returns a text in which each number that is a word of its own, such as `8`, `1,200` or `-3.5`, is
/// the same one. A number in a word, such as `mp3` or `10h`, is part of its name.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    let mut neutral = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_in_word = false;
    while let Some(character) = rest.chars().next() {
        let number = rest.len() - rest.trim_start_matches(is_of_number).len();
        let length =
            if character.is_ascii_digit() && !is_in_word && !rest[number..].starts_with(is_of_word)
            {
                neutral.push_str(ANY);
                // A full stop or comma after a number ends the sentence.
                let digits = rest[..number].trim_end_matches(['.', ',']);
                digits.len()
            } else {
                neutral.push(character);
                character.len_utf8()
            };
        is_in_word = is_of_word(character);
        rest = &rest[length..];
    }
    Cow::Owned(neutral)
}

fn is_of_number(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '.' | ',')
}

/// Reports whether a number next to the character is part of a word; not in scripts without spaces.
fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() && !matches!(character, '\u{E00}'..='\u{E7F}' | '\u{2E80}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_its_own_is_neutral() {
        for (text, expected) in [
            ("a table for 5 people", "a table for 2 people"),
            ("under 1,200.50 euros, or 30.", "under 2 euros, or 2."),
            ("-3.5 degrees", "-2 degrees"),
            ("play an mp3 for 10h", "play an mp3 for 10h"),
            ("4名で予約", "2名で予約"),
            ("no number", "no number"),
            ("7", "2"),
            ("", ""),
        ] {
            assert_eq!(neutral(text), expected);
        }
    }
}
