//! Conversion of facts to the strings that templates show.
//!
//! No text of third parties is marked as safe: templates escape it. Text that did not pass through
//! [`manifest`], such as a header of a foreign server, is cleaned here.

pub(crate) mod access;
pub(crate) mod brief;
pub(crate) mod capability;
pub(crate) mod card;
pub(crate) mod change;
pub(crate) mod chart;
pub(crate) mod claim;
pub(crate) mod code;
pub(crate) mod conflict;
pub(crate) mod document;
pub(crate) mod edge;
pub(crate) mod fault;
pub(crate) mod kept;
pub(crate) mod lines;
pub(crate) mod outcome;
pub(crate) mod place;
pub(crate) mod robots;
pub(crate) mod rule;
pub(crate) mod statement;
pub(crate) mod tile;
pub(crate) mod time;

use askama::filters::Safe;
pub(crate) use code::code;
use manifest::agent::Translation;
use manifest::{AgentId, Domain, Level, Severity, openapi};
use search::Category;
use serde_json::Value;
use store::AgentStatus;
use tile::Tile;
use url::Url;

/// Language of our own texts.
pub(crate) const PAGE_LANGUAGE: &str = "en";
/// Longest third-party text on a page that did not pass through `manifest`, in characters.
const MAX_FOREIGN: usize = 500;
/// Longest detail of a visit, in characters.
const MAX_DETAIL: usize = 2_000;

/// Title of the format of a document that has none that is known.
pub(crate) const UNKNOWN_FORMAT: &str = "No known format";

/// Longest name in titles and lists, in characters.
const MAX_TITLE: usize = 160;

/// Maximum number of translations of an agent or capability on a page.
const MAX_TRANSLATIONS: usize = 40;

/// Third-party address: a link only if its scheme is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebLink {
    /// As published.
    pub(crate) text: String,
    /// Target, if the scheme is `http` or `https`.
    pub(crate) href: Option<String>,
}

impl WebLink {
    /// Creates the link of an address.
    pub(crate) fn of(address: &str) -> Self {
        let href = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .map(String::from);
        Self {
            text: foreign(address),
            href,
        }
    }

    /// Creates a link from an optional address; a mail address stays text.
    pub(crate) fn maybe(address: Option<&String>) -> Option<Self> {
        address.map(|address| Self::of(address))
    }
}

/// Cleans third-party text that did not pass through `manifest`.
pub(crate) fn foreign(text: &str) -> String {
    manifest::text::clean(text, MAX_FOREIGN)
}

/// Cleans the detail of a visit, which is long enough for the names of all usual places.
pub(crate) fn visit_detail(text: &str) -> String {
    manifest::text::clean(text, MAX_DETAIL)
}

/// Returns the path of an agent's page.
pub(crate) fn agent_path(id: &AgentId) -> String {
    let (domain, slug) = id.parts();
    path(&["agent", domain, slug])
}

/// Returns the title of a category by its id; that of agents without one for another word.
pub(crate) fn category_title(id: &str) -> &'static str {
    Category::find(id).map_or("Other", |it| it.title)
}

/// Returns the path of a site's page.
pub(crate) fn site_path(domain: &str) -> String {
    path(&["site", domain])
}

/// Returns the path of a rule's page.
pub(crate) fn rule_path(id: &str) -> String {
    path(&["docs", "rules", id])
}

/// Returns a path of these segments, percent-encoded.
pub(crate) fn path(segments: &[&str]) -> String {
    let mut url = Url::parse("http://host/").expect("a constant URL is valid");
    url.path_segments_mut()
        .expect("an http URL has a path")
        .clear()
        .extend(segments);
    url.path().to_owned()
}

/// Text in a language other than the one that is shown.
#[derive(Clone, Debug)]
pub(crate) struct TranslationView {
    /// BCP 47 tag, for the attribute `lang`.
    pub(crate) language: String,
    pub(crate) text: String,
}

impl TranslationView {
    /// Converts translations, at most as many as a page shows.
    pub(crate) fn all(translations: &[Translation]) -> Vec<Self> {
        let translations = translations.iter().take(MAX_TRANSLATIONS);
        let view = |it: &Translation| Self {
            language: it.language.clone(),
            text: it.text.clone(),
        };
        translations.map(view).collect()
    }
}

/// Domain in Unicode, with its A-label form if that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiteName {
    /// In Unicode.
    pub(crate) shown: String,
    /// In A-labels, if that differs.
    pub(crate) ascii: Option<String>,
    /// Path of its page.
    pub(crate) path: String,
    pub(crate) tile: Tile,
}

impl SiteName {
    /// Creates the name of `domain`.
    pub(crate) fn of(domain: &Domain) -> Self {
        let shown = domain.to_unicode();
        Self {
            ascii: (shown != domain.as_str()).then(|| domain.as_str().to_owned()),
            path: site_path(domain.as_str()),
            tile: Tile::of(domain),
            shown,
        }
    }

    /// Returns the domain in A-labels.
    pub(crate) fn domain(&self) -> &str {
        self.ascii.as_deref().unwrap_or(&self.shown)
    }
}

/// Returns the meaning of a level in a few words (docs/levels.md).
pub(crate) fn level_words(level: Level) -> &'static str {
    match level {
        Level::A => "complete",
        Level::B => "valid, with notes",
        Level::C => "readable",
        Level::D => "not readable",
    }
}

/// Returns the meaning of a level, given by its letter, in a sentence.
pub(crate) fn level_meaning(letter: &str) -> &'static str {
    match Level::parse(letter) {
        Some(Level::A) => "Valid in its own format without a warning, and complete.",
        Some(Level::B) => "Valid in its own format, with warnings or not complete.",
        Some(Level::C) => "Listed, but invalid or in no specified format.",
        Some(Level::D) => "Stored, but no agent can be listed from it.",
        None => "",
    }
}

/// Returns the meaning of a rule's severity for a document that breaks the rule.
pub(crate) fn severity_words(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "A document that breaks this rule is invalid in its format.",
        Severity::Warning => {
            "A document that breaks this rule is read, but some clients may reject it."
        }
        Severity::Info => "For information; nothing needs to be fixed.",
    }
}

/// Returns the result of the last visit to an agent's site, in words before the time at which the
/// agent was confirmed last.
pub(crate) fn status_words(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Ok => "checked",
        AgentStatus::Failing => "not reached at our last visit, last confirmed",
        AgentStatus::Unknown => "not confirmed yet, read",
    }
}

/// Returns the attribute `lang` of an element with third-party text, with a space before it; nothing
/// if the language is that of the page, or unknown.
pub(crate) fn lang(language: Option<&'static str>) -> Safe<String> {
    let other = language.filter(|it| *it != PAGE_LANGUAGE);
    Safe(other.map_or_else(String::new, |it| format!(" lang=\"{it}\"")))
}

/// Returns the title of a format with its dialect, or its id if it has no title.
pub(crate) fn format_title(id: &str) -> String {
    let entry = manifest::formats::ALL
        .iter()
        .find(|entry| entry.id.as_str() == id || entry.also.iter().any(|it| it.as_str() == id));
    // One reader takes several small formats, which have nothing in common.
    match id {
        "agents-txt/free-keys" => return "agents.txt, own keys".to_owned(),
        "acp" => return "Profile of a shop (ACP)".to_owned(),
        "agent-skills-index" => return "Index of skills".to_owned(),
        "ucp" => return "Profile of a shop (UCP)".to_owned(),
        "webmcp" => return "Tools of pages (WebMCP)".to_owned(),
        "x402" => return "Prices of resources (x402)".to_owned(),
        "agents-txt/hashed-policy" => return "agents.txt with a hashed policy".to_owned(),
        "agents-txt/prose" => return "agents.txt in sentences".to_owned(),
        "agents-txt/robots-like" => return "agents.txt like a robots.txt".to_owned(),
        "agents-txt/yaml-blocks" => return "agents.txt in YAML blocks".to_owned(),
        "agents-txt/yaml-list" => return "agents.txt as a YAML list".to_owned(),
        _ => {}
    }
    match (entry, dialect(id)) {
        (Some(entry), Some(dialect)) => format!("{} ({dialect})", entry.title),
        (Some(entry), None) => entry.title.to_owned(),
        (None, _) if id == "unrecognised" => UNKNOWN_FORMAT.to_owned(),
        (None, _) if id == openapi::ID.as_str() => "OpenAPI document".to_owned(),
        (None, _) => id.to_owned(),
    }
}

/// Returns the dialect of a format id: `prose` for `agents-txt/prose`.
fn dialect(id: &str) -> Option<String> {
    if id == "agents-json/agents-protocol-legacy" {
        return Some("legacy".to_owned());
    }
    Some(id.strip_prefix("agents-txt/")?.to_owned())
}

/// Returns a number with its noun: `1 agent`, `2 agents`, `1,200 agents`.
pub(crate) fn count(number: u64, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{} {noun}", grouped(number))
}

/// Formats a number with its digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a value as indented JSON.
pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Formats a value for running text: strings without quotes.
pub(crate) fn inline(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Truncates text at a word to at most `max` characters, and marks the cut with `…`.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text.to_owned();
    };
    let head = &text[..end];
    let cut = head.rfind(' ').filter(|cut| *cut > end / 2).unwrap_or(end);
    format!("{}…", head[..cut].trim_end_matches([' ', ',', ';', '.']))
}

/// Returns the words of a path, as text for the search field.
pub(crate) fn words_of(path: &str) -> String {
    let words: String = path
        .chars()
        .map(|character| {
            if character.is_alphanumeric() {
                character
            } else {
                ' '
            }
        })
        .collect();
    manifest::text::clean(&words, 80)
}

/// Truncates a third-party name for titles and lists.
pub(crate) fn title(name: &str) -> String {
    shortened(name, MAX_TITLE)
}

/// Formats a number of bytes.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", (bytes + 512) / 1_024),
        _ => format!("{} MiB", (bytes + 524_288) / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_become_links() {
        let href = |text: &str| WebLink::of(text).href;
        assert_eq!(
            href("https://a.example/x").as_deref(),
            Some("https://a.example/x")
        );
        for hostile in [
            "javascript:alert(1)",
            " javascript:alert(1)",
            "data:text/html,x",
            "grpc.example:443",
            "//a.example",
            "mailto:a@b.example",
        ] {
            assert_eq!(href(hostile), None, "{hostile}");
        }
    }

    #[test]
    fn formats_have_names_for_people() {
        assert_eq!(format_title("a2a-agent-card"), "A2A agent card");
        assert_eq!(
            format_title("agents-txt/agents-protocol-legacy"),
            "agents.txt (agents-protocol-legacy)"
        );
        assert_eq!(format_title("agents-txt/adp-1.0"), "agents.txt (adp-1.0)");
        assert_eq!(format_title("agents-txt"), "agents.txt");
        assert_eq!(
            format_title("agents-json/agents-protocol-legacy"),
            "agents.json of the agents.txt protocol (legacy)"
        );
        assert_eq!(format_title("unrecognised"), "No known format");
        assert_eq!(format_title("something/data"), "something/data");
    }

    #[test]
    fn paths_are_encoded() {
        assert_eq!(
            path(&["agent", "a.example", "x y/ü"]),
            "/agent/a.example/x%20y%2F%C3%BC"
        );
    }

    #[test]
    fn numbers_and_sizes_read_well() {
        assert_eq!(count(1, "agent", "agents"), "1 agent");
        assert_eq!(count(1_234_567, "agent", "agents"), "1,234,567 agents");
        assert_eq!(size(1_023), "1023 B");
        assert_eq!(size(2_048), "2 KiB");
    }

    #[test]
    fn long_text_is_truncated_at_a_word() {
        assert_eq!(shortened("one two three", 9), "one two…");
        assert_eq!(shortened("one", 9), "one");
        assert_eq!(shortened("ääääääääää", 3), "äää…");
    }
}
