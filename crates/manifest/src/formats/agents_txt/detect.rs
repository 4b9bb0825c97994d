//! The tests on texts: the dialects of agents.txt in order, those without a specification last.

use super::lines::{Kind, lines};
use super::other::{self, CodingNotes};
use super::{Dialect, OTHER, keys};
use crate::format_id::FormatId;
use std::collections::HashMap;

/// One test; the first one that holds determines the format.
struct Test {
    dialect: Dialect,
    holds: fn(&Traits<'_>) -> bool,
}

const fn test(dialect: Dialect, holds: fn(&Traits<'_>) -> bool) -> Test {
    Test { dialect, holds }
}

const TESTS: &[Test] = &[
    test(Dialect::YamlBlocks, |t| t.has_yaml_block),
    test(Dialect::AgentNav, |t| t.is_agentnav),
    test(Dialect::AgentsBrief, |t| {
        t.has_agent_section || t.has_any(&["allow-training", "allow-rag", "preferred-interface"])
    }),
    test(Dialect::WellKnown, |t| {
        t.has_capability_block
            || t.has_any(&[
                "spec-version",
                "site-name",
                "site-url",
                "declaration-type",
                "operates-on",
            ])
    }),
    test(Dialect::YamlList, |t| t.has_capability_list),
    test(Dialect::AgentsProtocol, |t| {
        let names_site = t.value("site").is_some_and(|value| !is_url(value));
        t.has_any(&["agents-json"])
            || t.allows_capability
            || (names_site && t.has_any(&["url", "flow"]))
    }),
    test(Dialect::AgentsProtocolLegacy, |t| {
        t.has_any(&["agent-api", "capabilities-url", "session-endpoint"])
            || t.value("capabilities").is_some()
    }),
    test(Dialect::AgentsTxtCom, |t| {
        const DIRECTIVES: [&str; 5] = ["mcp", "skills", "a2a", "ucp", "webmcp"];
        t.names_agents_txt_com
            || t.has_any(&["protocols", "authorization"])
            || DIRECTIVES
                .iter()
                .any(|key| t.value(key).is_some_and(is_url))
    }),
    test(Dialect::AgentPolicy, |t| {
        t.value("policy").is_some_and(is_url) && t.has_any(&["contact"])
    }),
    test(Dialect::AgentstxtDev, |t| {
        let keys = [
            "communication",
            "communication-protocol",
            "payment-system",
            "logo",
        ];
        t.has_any(&keys) && t.has_any(&["name", "agent"])
    }),
    test(Dialect::Adp, |t| {
        t.names_adp || (t.has_any(&["engine"]) && t.has_any(&["spec"]))
    }),
    test(Dialect::HashedPolicy, |t| t.starts_with_hash),
    test(Dialect::RobotsLike, |t| {
        t.has_any(&["user-agent"]) && t.has_other_than_robots_keys
    }),
    test(Dialect::None, |t| {
        t.is_humans_txt
            || t.has_any(&["user-agent"])
            || t.coding_notes.are_certain()
            || t.is_llms_txt
    }),
    test(Dialect::FreeKeys, |t| {
        t.pairs >= 2 && t.pairs > t.prose && t.has_any(FREE_KEYS)
    }),
    // AT-41: comments alone declare nothing.
    test(Dialect::AgentsTxtCom, |t| {
        t.is_at_text_path && t.comments > 0 && t.has_only_comments()
    }),
    // AT-90: a title with some text below it.
    test(Dialect::Prose, |t| {
        t.is_at_text_path && t.comments > 0 && t.comments + t.prose + t.pairs > 1
    }),
];

/// Keys that make a file of free `Key: Value` lines a manifest (AT-92).
const FREE_KEYS: &[&str] = &[
    "name",
    "site",
    "url",
    "website",
    "owner",
    "contact",
    "docs",
    "documentation",
    "api",
    "manifest",
    "llms",
    "index",
    "description",
    "purpose",
    "status",
    "agent-card",
    "openapi",
];

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
    let first = TESTS.iter().find(|test| (test.holds)(&traits));
    match first.map(|first| first.dialect) {
        Some(dialect) if dialect != Dialect::None => dialect.id(),
        _ if is_text_path(path) => OTHER,
        _ => FormatId::UNRECOGNISED,
    }
}

/// Returns true for paths at which a text is expected.
pub(in crate::formats) fn is_text_path(path: &str) -> bool {
    path.contains(".txt") || path.contains(".md")
}

/// Everything that the tests need, collected in one pass.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent trait"
)]
struct Traits<'t> {
    /// First non-empty value of each unindented key.
    values: HashMap<String, &'t str>,
    pairs: usize,
    prose: usize,
    headings: usize,
    comments: usize,
    has_yaml_block: bool,
    is_agentnav: bool,
    has_agent_section: bool,
    has_capability_list: bool,
    has_capability_block: bool,
    allows_capability: bool,
    names_agents_txt_com: bool,
    names_adp: bool,
    starts_with_hash: bool,
    has_other_than_robots_keys: bool,
    coding_notes: CodingNotes,
    is_llms_txt: bool,
    is_at_text_path: bool,
    is_humans_txt: bool,
    has_address: bool,
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
                Kind::Item(_) => {
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
    fn has_only_comments(&self) -> bool {
        self.pairs + self.prose + self.headings == 0 && !self.has_address
    }

    fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.values.contains_key(*key))
    }

    fn value(&self, key: &str) -> Option<&'t str> {
        self.values.get(key).copied()
    }
}

fn is_navigation(word: &str) -> bool {
    matches!(
        word.trim_end_matches(':'),
        "site" | "pages" | "sections" | "navigation" | "intent map" | "intent-map"
    )
}

fn is_url(value: &str) -> bool {
    value.starts_with('/') || crate::link::is_absolute(value)
}

fn is_hash(text: &str) -> bool {
    let digits = text.rsplit([':', '=', ' ']).next().unwrap_or(text);
    digits.len() >= 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
