//! Tests that tell a description from links, lists and separators.

use crate::formats::wording::{is_about_the_file, is_instruction};
use crate::link;

/// Returns true for a paragraph of text, false for one that only introduces a link or a list.
pub(super) fn is_description(paragraph: &str) -> bool {
    let paragraph = paragraph.trim();
    let mut links = 0;
    let mut plain = 0;
    let mut last_plain = "";
    for word in paragraph.split_whitespace() {
        if link::is_absolute(word) || word.starts_with('/') {
            links += 1;
        } else {
            plain += 1;
            last_plain = word;
        }
    }
    plain > 2
        && links * 3 <= plain
        && !last_plain.ends_with(':')
        && !is_about_the_file(paragraph)
        && !is_instruction(paragraph)
}

/// Returns true for a separator line such as `-----`, which has no letter or digit.
pub(super) fn is_rule(line: &str) -> bool {
    line.chars().count() > 2 && !line.contains(char::is_alphanumeric)
}
