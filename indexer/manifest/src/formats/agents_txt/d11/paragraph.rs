//! Which paragraph of a text describes its site.

use crate::link;

/// True for a paragraph that says something itself, rather than leading on to a link or a list.
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
    plain > 2 && links * 3 <= plain && !last_plain.ends_with(':')
}

/// True for a line without a word in it, drawn to part what is above from what is below.
pub(super) fn is_rule(line: &str) -> bool {
    line.chars().count() > 2 && !line.contains(char::is_alphanumeric)
}
