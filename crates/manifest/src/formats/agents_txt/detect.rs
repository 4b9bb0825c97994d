//! Detection of the dialect of a text.

use super::lines::{Kind, lines};
use super::other::{self, CodingNotes};
use super::{Dialect, dialect_table::DIALECTS, keys};
use crate::format_id::FormatId;
use std::collections::HashMap;

/// Keys of a robots.txt (DI-05).
const ROBOTS_KEYS: &[&str] = &[
    "user-agent",
    "allow",
    "disallow",
    "sitemap",
    "crawl-delay",
    "host",
    "clean-param",
    "content-signal",
    "content-usage",
    "noindex",
    "request-rate",
    "schemamap",
    "visit-time",
];

/// Returns the format of a text found at `path`.
pub(in crate::formats) fn format(text: &str, path: &str) -> FormatId {
    let traits = Traits::of(text, path);
    let detected = DIALECTS.iter().find(|it| (it.detects)(&traits));
    let row = detected.or_else(|| DIALECTS.iter().find(|it| (it.detects_last)(&traits)));
    match row.map(|it| it.dialect) {
        Some(dialect) if dialect != Dialect::OTHER => dialect.id,
        _ if is_text_path(path) => Dialect::OTHER.id,
        _ => FormatId::UNRECOGNISED,
    }
}

/// Returns true for paths at which a text is expected.
pub(in crate::formats) fn is_text_path(path: &str) -> bool {
    path.contains(".txt") || path.contains(".md")
}

/// Traits of a text that tell its dialect, collected in one pass.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent trait"
)]
pub(super) struct Traits<'t> {
    /// First non-empty value of each unindented key.
    pub(super) values: HashMap<String, &'t str>,
    pub(super) pairs: usize,
    pub(super) prose: usize,
    pub(super) headings: usize,
    pub(super) comments: usize,
    pub(super) has_yaml_block: bool,
    pub(super) is_agentnav: bool,
    pub(super) has_agent_section: bool,
    pub(super) has_capability_list: bool,
    pub(super) has_capability_block: bool,
    pub(super) allows_capability: bool,
    pub(super) names_agents_txt_com: bool,
    pub(super) names_adp: bool,
    pub(super) starts_with_hash: bool,
    pub(super) has_other_than_robots_keys: bool,
    pub(super) coding_notes: CodingNotes,
    pub(super) is_llms_txt: bool,
    pub(super) is_at_text_path: bool,
    pub(super) is_humans_txt: bool,
    pub(super) has_operation: bool,
    pub(super) has_address: bool,
}

impl<'t> Traits<'t> {
    fn of(text: &'t str, path: &str) -> Self {
        let mut traits = Self {
            is_llms_txt: path.contains("llms"),
            is_at_text_path: is_text_path(path),
            is_humans_txt: other::is_humans_txt(text),
            ..Self::default()
        };
        let mut navigation_words = 0;
        let mut after_empty_capabilities = false;
        let mut after_capability = false;
        for line in lines(text) {
            let is_after = std::mem::take(&mut after_empty_capabilities);
            let is_in_block = std::mem::take(&mut after_capability);
            match line.kind {
                Kind::Blank => after_empty_capabilities = is_after,
                Kind::Comment { level, text } => {
                    traits.note_comment(level, text);
                    after_empty_capabilities = is_after;
                }
                Kind::Section(name) => {
                    traits.has_agent_section |= name.to_ascii_lowercase().starts_with("agent:");
                }
                Kind::Item(text) => {
                    traits.has_operation |= has_operation(text);
                    traits.has_capability_list |= is_after && line.is_indented;
                    traits.prose += 1;
                }
                Kind::Pair(pair) => {
                    traits.pairs += 1;
                    let is_new_value = !line.is_indented && !pair.value.is_empty();
                    after_empty_capabilities =
                        !line.is_indented && pair.key == "capabilities" && pair.value.is_empty();
                    if is_navigation(&pair.key) && pair.written == pair.written.to_uppercase() {
                        navigation_words += 1;
                    }
                    if line.is_indented {
                        traits.has_capability_block |= is_in_block;
                        continue;
                    }
                    after_capability = pair.key == "capability";
                    traits.has_capability_block |=
                        after_capability && keys::is_capability_name(pair.value);
                    traits.has_other_than_robots_keys |= !ROBOTS_KEYS.contains(&pair.key.as_str());
                    traits.allows_capability |=
                        pair.key == "allow" && keys::is_capability_name(pair.value);
                    if is_new_value {
                        traits.values.entry(pair.key).or_insert(pair.value);
                    }
                }
                Kind::Prose(text) => {
                    traits.has_yaml_block |= text == "---yaml";
                    traits.has_operation |= has_operation(text);
                    traits.is_agentnav |= text.to_ascii_lowercase().starts_with("agents.txt v0.2");
                    navigation_words += usize::from(is_navigation(&text.to_lowercase()));
                    traits.prose += 1;
                }
                Kind::Quote(_) => traits.prose += 1,
            }
        }
        traits.is_agentnav |= navigation_words >= 3;
        traits
    }

    fn note_comment(&mut self, level: usize, text: &str) {
        let lower = text.to_ascii_lowercase();
        if self.comments == 0 {
            self.starts_with_hash = is_hash(&lower);
            self.is_llms_txt |= lower.starts_with("llms.txt");
        }
        self.comments += 1;
        self.has_address |= text.contains("://") || text.contains('@');
        self.headings += usize::from(level > 1);
        self.names_agents_txt_com |= lower.contains("agents-txt.com");
        self.names_adp |= lower.contains("adp/1.0");
        self.is_agentnav |= lower.starts_with("agents.txt v0.2");
        self.coding_notes.heading(text);
    }

    /// Returns true if the text consists of comments without headings and addresses.
    pub(super) fn has_only_comments(&self) -> bool {
        self.pairs + self.prose + self.headings == 0 && !self.has_address
    }

    pub(super) fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.values.contains_key(*key))
    }

    pub(super) fn value(&self, key: &str) -> Option<&'t str> {
        self.values.get(key).copied()
    }
}

/// Reports whether a line begins with a method and a path, perhaps below a number.
fn has_operation(text: &str) -> bool {
    let text = text.trim_start_matches(|it: char| it.is_ascii_digit() || ".) ".contains(it));
    let mut words = text.split_whitespace();
    let is_method = words
        .next()
        .is_some_and(|it| ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&it));
    is_method && words.next().is_some_and(|it| it.starts_with('/'))
}

fn is_navigation(word: &str) -> bool {
    matches!(
        word.trim_end_matches(':'),
        "site" | "pages" | "sections" | "navigation" | "intent map" | "intent-map"
    )
}

fn is_hash(text: &str) -> bool {
    let digits = text.rsplit([':', '=', ' ']).next().unwrap_or(text);
    digits.len() >= 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
