//! Rules of the catalogue, with their examples.

use super::document::FindingView;
use super::{rule_path, words_of};
use manifest::rules::{Example, Rule};

/// Longest document shown, in characters.
const MAX_TEXT: usize = 4_000;

/// Rule in a list.
#[derive(Clone, Debug)]
pub(crate) struct RuleView {
    pub(crate) id: &'static str,
    pub(crate) path: String,
    pub(crate) severity: &'static str,
    /// Text and code, alternating.
    pub(crate) title: Vec<&'static str>,
    /// Source: the specification and its section.
    pub(crate) section: &'static str,
}

/// Rules of one format.
#[derive(Clone, Debug)]
pub(crate) struct RuleGroup {
    pub(crate) format: &'static str,
    /// Anchor on the page of all rules.
    pub(crate) anchor: String,
    pub(crate) rules: Vec<RuleView>,
}

/// Document that follows or breaks a rule.
#[derive(Clone, Debug)]
pub(crate) struct ExampleView {
    pub(crate) path: &'static str,
    pub(crate) media_type: Option<&'static str>,
    pub(crate) text: String,
}

impl RuleView {
    /// Converts a rule.
    pub(crate) fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            path: rule_path(rule.id),
            severity: rule.severity.label(),
            title: rule.title.split('`').collect(),
            section: rule.section,
        }
    }
}

impl RuleGroup {
    /// Returns the whole catalogue, by format in catalogue order, and then the formats without rules
    /// of their own.
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
        for entry in manifest::formats::ALL
            .iter()
            .filter(|it| it.rules.is_empty())
        {
            groups.push(Self {
                format: entry.title,
                anchor: anchor(entry.title),
                rules: Vec::new(),
            });
        }
        groups
    }
}

impl ExampleView {
    /// Converts an example.
    pub(crate) fn of(example: &Example) -> Self {
        Self {
            path: example.path,
            media_type: example.media_type,
            text: legible(&example.text()),
        }
    }
}

/// Returns the findings of the validator in the bad example.
pub(crate) fn shown(rule: &Rule) -> Vec<FindingView> {
    let found = manifest::rules::shown(rule);
    FindingView::folded(&found)
}

/// Returns the anchor of a format on the page of all rules.
pub(crate) fn anchor(format: &str) -> String {
    let words = words_of(format).to_lowercase();
    words.split(' ').collect::<Vec<_>>().join("-")
}

/// Escapes the invisible characters of a text and truncates it to [`MAX_TEXT`].
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

/// Reports whether a character is a control character other than line breaks and tabs, or
/// changes the direction of text or hides it.
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
    fn invisible_characters_are_escaped() {
        assert_eq!(
            legible("a\u{feff}\u{202e}b\0\n"),
            r"a\u{feff}\u{202e}b\u{0}".to_owned() + "\n"
        );
        assert_eq!(legible(&"é".repeat(5_000)).chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn anchors_are_plain_and_unique() {
        assert_eq!(anchor("A2A agent card"), "a2a-agent-card");
        let groups = RuleGroup::all();
        let mut anchors: Vec<_> = groups.iter().map(|group| &group.anchor).collect();
        anchors.sort();
        anchors.dedup();
        assert_eq!(anchors.len(), groups.len());
    }
}
