//! Lines such as `GET /books/{id} — one book`: capabilities, with or without Markdown markup.

use crate::formats::agents_txt::lines::{Line, Position};
use crate::formats::generic;
use crate::{Capability, Document, link, text};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// Maximum number of words of a purpose that is the name of a call.
const MAX_WORDS: usize = 8;

/// Endings of pages and files, and names of manifests, which are read rather than called.
const PAGES: [&str; 11] = [
    ".txt",
    ".md",
    ".xml",
    ".html",
    "/openapi.json",
    "/mcp.json",
    "/agent.json",
    "/agents.json",
    "/agent-card.json",
    "/server-card.json",
    "/ai-plugin.json",
];

/// An HTTP method, its target and its description.
#[derive(Clone, Debug)]
pub(in crate::formats::agents_txt) struct Operation {
    pub(in crate::formats::agents_txt) at: Position,
    label: Option<String>,
    method: Option<String>,
    target: String,
    description: Option<String>,
}

impl Operation {
    /// Parses the operation at the start of `text`, a part of `line`.
    pub(in crate::formats::agents_txt) fn read(line: &Line<'_>, text: &str) -> Option<Self> {
        let text = text.trim_start_matches(['`', '*']);
        let (method, rest) = text.split_once(char::is_whitespace)?;
        let method = method.trim_end_matches(['`', '*']);
        if !METHODS.contains(&method) {
            return None;
        }
        let rest = rest.trim_start().trim_start_matches('`');
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (target, after) = rest.split_at(end);
        let target = target.trim_end_matches(['`', '*', ',', ';', ':', '.']);
        let is_address =
            target.starts_with('/') || link::is_absolute(target) || link::is_template(target);
        let is_page = PAGES.iter().any(|ending| target.ends_with(ending));
        if !is_address || is_page {
            return None;
        }
        Some(Self {
            at: line.place(text),
            label: None,
            method: Some(method.to_owned()),
            target: target.to_owned(),
            description: text::some(after.trim_start_matches(is_separator)),
        })
    }

    /// Parses the address with a blank to fill in within a sentence, as in
    /// `Use https://shop.example/search?q=YOUR_QUERY for the search of books.`
    pub(in crate::formats::agents_txt) fn in_sentence(line: &Line<'_>, text: &str) -> Option<Self> {
        let word = text.split_whitespace().find(|word| word.contains("://"))?;
        let address = word.trim_matches(['`', '*', ',', ';', '.', '(', ')', '"']);
        let target = filled_in(address)?;
        let after = text.split_once(word)?.1.trim();
        let purpose = ["for ", "to "].iter().find_map(|it| after.strip_prefix(it));
        let purpose = purpose.map(|it| it.trim_end_matches('.'));
        Some(Self {
            at: line.place(word),
            label: purpose
                .filter(|it| it.split_whitespace().count() <= MAX_WORDS)
                .and_then(text::some),
            method: None,
            target,
            description: text::some(text),
        })
    }

    /// Returns the operation at a path that stands alone under a name.
    pub(in crate::formats::agents_txt) fn at_path(line: &Line<'_>, name: &str, path: &str) -> Self {
        Self {
            at: line.place(path),
            label: text::some(name),
            method: None,
            target: path.to_owned(),
            description: None,
        }
    }

    /// Returns the operation with the name that the text gives it, as in `Search: GET /search`.
    pub(in crate::formats::agents_txt) fn called(mut self, label: &str) -> Self {
        self.label = text::some(label.trim_matches('*'));
        self
    }

    /// Reports whether the address begins with a variable, so that it cannot be called.
    pub(in crate::formats::agents_txt) fn is_template(&self) -> bool {
        link::is_template(&self.target)
    }

    /// Returns the operation as a capability; a path is below `base` if there is one.
    pub(super) fn capability(&self, document: &Document, base: Option<&str>) -> Capability {
        let base = base.filter(|_| self.target.starts_with('/'));
        let url = match base {
            _ if self.is_template() => None,
            Some(base) => link::below(base, &self.target),
            None => link::absolute_template(&document.url, &self.target),
        };
        let unnamed = || match &self.method {
            Some(method) => format!("{method} {}", self.target),
            None => self.target.clone(),
        };
        let name = self.label.clone().unwrap_or_else(unnamed);
        let mut capability = Capability {
            id: unnamed(),
            name: text::clean(&name, text::MAX_CHARS),
            description: self.description.clone(),
            method: self.method.clone(),
            endpoint: text::some(&link::template(&self.target)),
            url,
            ..Capability::default()
        };
        generic::add_variables(&mut capability);
        capability
    }
}

/// Reports whether the value of a key is a path that is called, as its form shows: it has a variable, or a part
/// named after an API or one of its versions.
pub(super) fn is_of_api(value: &str) -> bool {
    let path = value.split('?').next().unwrap_or_default();
    let is_version = |part: &str| {
        let number = part.strip_prefix('v');
        number.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
    };
    let mut parts = path.split('/');
    let is_address = value.starts_with('/') || link::is_absolute(value);
    is_address
        && !value.contains([' ', '*'])
        && !PAGES.iter().any(|ending| path.ends_with(ending))
        && parts.any(|part| part == "api" || is_version(part) || part.starts_with(['{', ':', '[']))
}

/// Returns the call at a path that stands under a key.
pub(super) fn under(key: &str, path: &str, document: &Document) -> Capability {
    let mut capability = Capability {
        id: key.to_owned(),
        name: text::clean(key, text::MAX_CHARS),
        endpoint: text::some(&link::template(path)),
        url: link::absolute_template(&document.url, &link::template(path)),
        ..Capability::default()
    };
    generic::add_variables(&mut capability);
    capability
}

/// Returns an address with the values of its query that a caller fills in as variables, such as `YOUR_QUERY`
/// or `<query>`; `None` if there are none.
fn filled_in(address: &str) -> Option<String> {
    const BRACKETS: [char; 6] = ['<', '>', '{', '}', '[', ']'];
    if !link::is_absolute(address) {
        return None;
    }
    let (path, query) = address.split_once('?')?;
    let is_blank = |value: &str| {
        let is_marked = value.len() > 2 && value.starts_with(BRACKETS) && value.ends_with(BRACKETS);
        let is_word = |it: char| it.is_ascii_uppercase() || it == '_';
        is_marked || (value.starts_with("YOUR_") && value.chars().all(is_word))
    };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    if !pairs.clone().any(|(_, value)| is_blank(value)) {
        return None;
    }
    let pairs = pairs.map(|(name, value)| {
        if is_blank(value) {
            format!("{name}={{{}}}", value.trim_matches(BRACKETS))
        } else {
            format!("{name}={value}")
        }
    });
    Some(format!("{path}?{}", pairs.collect::<Vec<_>>().join("&")))
}

/// Returns true for characters between an address and its description.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || "—–-:#*`→>".contains(character)
}
