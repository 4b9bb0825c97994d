//! Tests that tell a description from links, lists and separators.

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
    plain > 2 && links * 3 <= plain && !last_plain.ends_with(':') && !is_about_the_file(paragraph)
}

/// Returns true for a paragraph about the file instead of the site (GP-16).
fn is_about_the_file(paragraph: &str) -> bool {
    const STARTS: [&str; 9] = [
        "this file",
        "this document",
        "this page",
        "this guide",
        "this manifest",
        "this compatibility file",
        "guidance for ",
        "guidelines for ",
        "instructions for ",
    ];
    const ADDRESSES: [&str; 5] = [
        "ai agents, ",
        "ai agents and ",
        "this site is agent",
        "a machine-readable ",
        "machine-readable ",
    ];
    let start: String = paragraph
        .chars()
        .take(40)
        .flat_map(char::to_lowercase)
        .collect();
    STARTS
        .iter()
        .chain(&ADDRESSES)
        .any(|words| start.starts_with(words))
}

/// Returns true for a separator line such as `-----`, which has no letter or digit.
pub(super) fn is_rule(line: &str) -> bool {
    line.chars().count() > 2 && !line.contains(char::is_alphanumeric)
}
