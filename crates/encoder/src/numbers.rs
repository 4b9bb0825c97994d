//! Numbers, which say little about the meaning of a need but move its vector far.

use std::borrow::Cow;

/// Number that stands for every other.
const ANY: &str = "2";

/// Returns a text in which each number that is a word of its own, such as `8` or `1,200.50`, is the same
/// one. A number in a word, such as `mp3` or `10h`, is part of its name.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    let mut neutral = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_in_word = false;
    while let Some(start) = rest.find(|it: char| it.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        neutral.push_str(before);
        is_in_word = before.chars().next_back().map_or(is_in_word, is_of_word);
        let after = number.trim_start_matches(|it: char| it.is_ascii_digit() || ".,".contains(it));
        // A full stop or comma behind a number ends the sentence.
        let number = &number[..number.len() - after.len()];
        let digits = number.trim_end_matches(['.', ',']);
        if is_in_word || after.starts_with(is_of_word) {
            neutral.push_str(digits);
        } else {
            neutral.push_str(ANY);
        }
        neutral.push_str(&number[digits.len()..]);
        is_in_word = digits.len() == number.len();
        rest = after;
    }
    neutral.push_str(rest);
    Cow::Owned(neutral)
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
            ("a1b2c3 4", "a1b2c3 2"),
            ("v1.2 of 3", "v1.2 of 2"),
            ("4名で予約", "2名で予約"),
            ("no number", "no number"),
            ("7", "2"),
            ("7...", "2..."),
            ("", ""),
        ] {
            assert_eq!(neutral(text), expected);
        }
    }
}
