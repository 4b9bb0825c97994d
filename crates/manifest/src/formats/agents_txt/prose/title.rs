//! The name of a site in a heading that is partly about the file itself.

use crate::{link, text};

/// Maximum length of a heading that is a name, in characters.
const MAX_NAME: usize = 100;

/// Words of a heading that describe the file rather than the site.
const OF_FILES: &str = include_str!("title/of_files.txt");

/// Nouns for such a file; a heading about the file contains one of them.
const NOUNS: &[&str] = &[
    "bootstrap",
    "brief",
    "discovery",
    "engagement",
    "file",
    "guidance",
    "guide",
    "guidelines",
    "index",
    "information",
    "instructions",
    "manifest",
    "notes",
    "points",
    "policy",
    "profile",
    "readme",
    "reference",
    "rules",
    "summary",
];

/// Returns the name in a heading: `Shop` for `agents.txt — Shop (https://shop.example)`, for
/// `Shop — Notes for AI agents`, for `Shop Agent Guide` and for `Agent guidance for Shop`.
pub(super) fn name(heading: &str) -> Option<String> {
    let heading = heading.trim_matches(|it: char| "=-# ".contains(it));
    let heading = heading
        .split_once(" (http")
        .map_or(heading, |(name, _)| name);
    let is_sentence = heading.ends_with('.') && heading.split_whitespace().count() > 4;
    if is_sentence || heading.chars().count() > MAX_NAME || heading.contains("://") {
        return None;
    }
    let separators = [" — ", " – ", " - ", " | ", ": "];
    let separator = separators.iter().find(|it| heading.contains(**it));
    let parts: Vec<&str> = match separator {
        Some(separator) => heading.splitn(3, separator).collect(),
        None => vec![heading],
    };
    let about_site = parts.iter().filter(|part| !is_about_file(part));
    let kept: Vec<&str> = about_site.map(|part| without_file(part)).collect();
    let name = kept.join(separator.copied().unwrap_or_default());
    text::some(&name).filter(|name| !link::is_absolute(name))
}

/// Reports whether a heading begins with the name of the file.
pub(super) fn names_file(heading: &str) -> bool {
    words(heading)
        .first()
        .is_some_and(|word| is_file_name(word))
}

/// Returns the address of a site in a heading: the only URL, without a path.
pub(super) fn address(heading: &str) -> Option<String> {
    let mut words = heading.split_whitespace();
    let url = words.find_map(|word| {
        let word = word.trim_matches(|it: char| "()<>[],.`".contains(it));
        link::is_absolute(word).then_some(word)
    })?;
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    path.is_empty().then(|| url.to_owned())
}

/// Returns true for a heading above a description of the site, such as "What this site is".
pub(super) fn is_about_site(heading: &str) -> bool {
    const WORDS: [&str; 10] = [
        "about",
        "what",
        "scope",
        "overview",
        "summary",
        "introduction",
        "description",
        "purpose",
        "identity",
        "mission",
    ];
    words(heading)
        .iter()
        .any(|word| WORDS.contains(&word.as_str()))
}

/// Returns true if every word only describes the kind of file.
fn is_about_file(part: &str) -> bool {
    let words = words(part);
    words.iter().all(|word| is_file_word(word)) && (words.len() > 1 || !is_name_like(part))
}

/// Returns true for a word that might be a name, false for one such as "Index".
fn is_name_like(part: &str) -> bool {
    let words = words(part);
    !words
        .iter()
        .any(|word| NOUNS.contains(&word.as_str()) || is_file_name(word))
}

/// Removes the words about the file from `Shop Agent Guide` or `Agent guidance for Shop`.
fn without_file(part: &str) -> &str {
    let part = part.trim();
    let lower = words(part);
    let tail = lower
        .iter()
        .rev()
        .take_while(|word| is_file_word(word))
        .count();
    let has_noun = |words: &[String]| words.iter().any(|word| NOUNS.contains(&word.as_str()));
    if tail > 1 && has_noun(&lower[lower.len() - tail..]) {
        return first_words(part, lower.len() - tail);
    }
    let head = lower.iter().take_while(|word| is_file_word(word)).count();
    let ends_in_for = head > 0 && lower[head - 1] == "for";
    if head > 0 && ends_in_for && (has_noun(&lower[..head]) || is_file_name(&lower[0])) {
        return part[first_words(part, head).len()..].trim();
    }
    if lower.first().is_some_and(|word| is_file_name(word)) {
        return part[first_words(part, 1).len()..].trim();
    }
    part
}

fn words(part: &str) -> Vec<String> {
    let words = part.split_whitespace();
    words
        .map(|word| word.trim_matches(['(', ')', ',', ':']).to_ascii_lowercase())
        .collect()
}

fn is_file_word(word: &str) -> bool {
    text::listed(OF_FILES).any(|it| it == word) || is_file_name(word)
}

fn is_file_name(word: &str) -> bool {
    matches!(word, "agents.txt" | "agent.txt" | "ai.txt")
}

/// Returns the first `count` words of a text, unchanged.
fn first_words(text: &str, count: usize) -> &str {
    let mut rest = text;
    for _ in 0..count {
        rest = rest.trim_start();
        rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    }
    &text[..text.len() - rest.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_give_the_name_of_the_site() {
        for (heading, expected) in [
            ("Mugs", Some("Mugs")),
            ("agents.txt", None),
            ("agents.txt — Mugs (https://mugs.example)", Some("Mugs")),
            ("agents.txt for Mugs", Some("Mugs")),
            ("agents.txt for https://mugs.example", None),
            ("agents.txt: Mugs", Some("Mugs")),
            ("Mugs — Agent Readme", Some("Mugs")),
            ("Mugs — rules of engagement for agents", Some("Mugs")),
            ("Mugs Agent Guide", Some("Mugs")),
            ("Agent guidance for Mugs.example", Some("Mugs.example")),
            ("Mugs Ltd. Agent Instructions", Some("Mugs Ltd.")),
            ("Mugs | Mugs and bowls", Some("Mugs | Mugs and bowls")),
            (
                "Monetize Your Agent — Agent Discovery",
                Some("Monetize Your Agent"),
            ),
            ("AI", Some("AI")),
            ("Agent access and content guide", None),
            ("== Agent-Specific Instructions for Mugs ==", Some("Mugs")),
            ("See https://mugs.example", None),
            ("This file is for all agents.", None),
        ] {
            assert_eq!(name(heading).as_deref(), expected, "{heading}");
        }
    }
}
