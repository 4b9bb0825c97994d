//! A rule of the catalogue, and the documents that show it.

use super::document::FindingView;
use super::path;
use manifest::rules::{Example, Rule};

/// Longest document shown, in characters.
const MAX_TEXT: usize = 4_000;

/// A rule among others.
#[derive(Clone, Debug)]
pub(crate) struct RuleView {
    pub(crate) id: &'static str,
    pub(crate) path: String,
    pub(crate) severity: &'static str,
    pub(crate) title: &'static str,
}

/// The rules of one format.
#[derive(Clone, Debug)]
pub(crate) struct RuleGroup {
    pub(crate) format: &'static str,
    /// Its place on the page of all rules.
    pub(crate) anchor: String,
    pub(crate) rules: Vec<RuleView>,
}

/// A document that follows or breaks a rule.
#[derive(Clone, Debug)]
pub(crate) struct ExampleView {
    pub(crate) path: &'static str,
    pub(crate) media_type: Option<&'static str>,
    pub(crate) text: String,
}

impl RuleView {
    /// A rule as lists show it.
    pub(crate) fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            path: rule_path(rule.id),
            severity: rule.severity.as_str(),
            title: rule.title,
        }
    }
}

impl RuleGroup {
    /// The whole catalogue, formats in its order.
    pub(crate) fn all() -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for rule in manifest::rules::all() {
            let view = RuleView::of(rule);
            match groups.iter_mut().find(|group| group.format == rule.format) {
                Some(group) => group.rules.push(view),
                None => groups.push(Self {
                    format: rule.format,
                    anchor: anchor(rule.format),
                    rules: vec![view],
                }),
            }
        }
        groups
    }
}

impl ExampleView {
    /// An example as pages show it.
    pub(crate) fn of(example: &Example) -> Self {
        Self {
            path: example.path,
            media_type: example.media_type,
            text: legible(&example.text()),
        }
    }
}

/// What the validator says of the bad example.
pub(crate) fn shown(rule: &Rule) -> Vec<FindingView> {
    let found = rule.shown();
    FindingView::folded(&found)
}

/// The page of a rule.
pub(crate) fn rule_path(id: &str) -> String {
    path(&["docs", "rules", id])
}

/// The place of a format on the page of all rules.
pub(crate) fn anchor(format: &str) -> String {
    let words = crate::error::words_of(format).to_lowercase();
    words.split(' ').collect::<Vec<_>>().join("-")
}

/// A text whose invisible characters can be seen, and no longer than a page bears.
fn legible(text: &str) -> String {
    let mut legible = String::with_capacity(text.len());
    for character in text.chars().take(MAX_TEXT) {
        if is_invisible(character) {
            legible.extend(character.escape_unicode());
        } else {
            legible.push(character);
        }
    }
    if text.chars().nth(MAX_TEXT).is_some() {
        legible.push('…');
    }
    legible
}

/// True for control characters but line breaks and tabs, and for those that turn or hide text.
fn is_invisible(character: char) -> bool {
    let turns_or_hides = matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    );
    turns_or_hides || character.is_control() && !matches!(character, '\n' | '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(
            legible("a\u{feff}\u{202e}b\0\n"),
            r"a\u{feff}\u{202e}b\u{0}".to_owned() + "\n"
        );
        assert_eq!(legible(&"é".repeat(5_000)).chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn anchors_are_plain_and_differ() {
        assert_eq!(anchor("A2A agent card"), "a2a-agent-card");
        let groups = RuleGroup::all();
        let mut anchors: Vec<_> = groups.iter().map(|group| &group.anchor).collect();
        anchors.sort();
        anchors.dedup();
        assert_eq!(anchors.len(), groups.len());
    }
}
