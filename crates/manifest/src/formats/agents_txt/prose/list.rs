//! Lists of capabilities: below a heading or key such as "Tools", and the YAML-like lists of the
//! dialect "YAML list" (AT-80).

use crate::formats::agents_txt::keys;
use crate::formats::agents_txt::lines::Position;
use crate::{Capability, Document, link, text};

/// Maximum length of a capability's name in a list, in words; a longer item is a sentence.
const MAX_WORDS: usize = 8;

/// Kind of the items of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::formats::agents_txt) enum List {
    /// Anything.
    #[default]
    Other,
    /// Capabilities by name.
    Names,
    /// Addresses, some of which are capabilities.
    Addresses,
}

impl List {
    /// Returns the kind of list that a heading introduces.
    pub(in crate::formats::agents_txt) fn below(heading: &str) -> Self {
        let heading = heading
            .trim_matches(|it: char| "=-# :".contains(it))
            .to_ascii_lowercase();
        let plain = heading.strip_prefix("available ").unwrap_or(&heading);
        let plain = plain.strip_prefix("mcp ").unwrap_or(plain);
        let mut words = heading.split(|it: char| !it.is_alphanumeric());
        if keys::LISTS.contains(&plain) {
            Self::Names
        } else if words.any(|word| matches!(word, "apis" | "endpoints")) {
            Self::Addresses
        } else {
            Self::Other
        }
    }
}

/// One item of a list.
#[derive(Clone, Debug)]
pub(in crate::formats::agents_txt) struct Item {
    pub(in crate::formats::agents_txt) at: Position,
    pub(in crate::formats::agents_txt) text: String,
}

impl Item {
    /// Returns the capability of an item written as `name`, `name: /path`, `name: description` or
    /// `/path — description`; `None` for a sentence.
    pub(super) fn capability(&self, document: &Document) -> Option<Capability> {
        let item = self.text.trim();
        let (name, rest) = if item.starts_with(['/', '`']) {
            let (address, rest) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
            (address, rest)
        } else {
            halves(item)
        };
        let name = name.trim_end_matches(':').trim_matches(['*', '`', '"']);
        if name.split_whitespace().count() > MAX_WORDS {
            return None;
        }
        let rest = rest.trim_start_matches(|it: char| it.is_whitespace() || "—–-:*".contains(it));
        let (address, description) = match rest.split_once(char::is_whitespace) {
            Some((first, more)) if is_address(first) => (Some(first), more),
            None if is_address(rest) => (Some(rest), ""),
            _ => (Some(name).filter(|name| is_address(name)), rest),
        };
        let address = address.map(|it| it.trim_matches(['`', '"']));
        let capability = keys::named(name)?;
        Some(Capability {
            description: text::some(description.trim_matches('"')),
            endpoint: address.and_then(|it| text::some(&link::template(it))),
            url: address.and_then(|it| link::absolute_template(&document.url, it)),
            ..capability
        })
    }
}

/// Returns true for a path that could be called: not a file, not below `/.well-known/`.
pub(in crate::formats::agents_txt) fn is_callable(item: &str) -> bool {
    let address = item.trim_start_matches('`');
    let address = address.split([' ', '`']).next().unwrap_or_default();
    let file = address.rsplit('/').next().unwrap_or_default();
    address.starts_with('/') && !address.starts_with("/.well-known") && !file.contains('.')
}

fn is_address(word: &str) -> bool {
    let word = word.trim_matches(['`', '"']);
    word.starts_with('/') || link::is_absolute(word)
}

/// Splits an item into its name and the text that follows it.
fn halves(item: &str) -> (&str, &str) {
    let separators = [": ", " — ", " – ", " - "];
    let places = separators
        .iter()
        .filter_map(|it| Some((item.find(it)?, it.len())));
    match places.min() {
        Some((at, length)) => (&item[..at], &item[at + length..]),
        None => (item.trim_end_matches(':'), ""),
    }
}

/// Returns the names in `… tools: find_book, buy_book)`, a common suffix of a server's address.
pub(in crate::formats::agents_txt) fn tools_in(text: &str) -> Option<&str> {
    let (_, names) = text.split_once("tools: ")?;
    names.split([')', ';']).next()
}

/// Returns one of these names without the words after it.
pub(in crate::formats::agents_txt) fn tool(text: &str) -> Option<&str> {
    let name = text.split_whitespace().next()?.trim_matches('`');
    let is_name = |it: char| it.is_ascii_alphanumeric() || "_-.".contains(it);
    name.chars().all(is_name).then_some(name)
}
