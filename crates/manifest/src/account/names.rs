//! Names of members: their words, and the facts that they mean.

use crate::text;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of members that mean a fact, by its field or its last step.
const MEANINGS: &[(&str, &[&str])] = &[
    ("key", &["name", "identifier", "slug", "handle"]),
    (
        "name",
        &[
            "name", "title", "brand", "human", "service", "platform", "project", "tool", "intent",
            "app", "agent", "site",
        ],
    ),
    (
        "id",
        &["name", "title", "tool", "intent", "identifier", "key"],
    ),
    (
        "description",
        &[
            "summary",
            "tagline",
            "about",
            "purpose",
            "positioning",
            "model",
            "human",
            "note",
            "notes",
            "text",
            "title",
            "instructions",
            "usage",
        ],
    ),
    (
        "provider",
        &[
            "publisher",
            "organization",
            "owner",
            "vendor",
            "company",
            "author",
            "builder",
            "operator",
            "creator",
            "host",
            "entity",
            "legal",
        ],
    ),
    (
        "contact",
        &["email", "support", "mail", "owner", "author", "publisher"],
    ),
    ("version", &["version", "release"]),
    (
        "tags",
        &[
            "keywords",
            "categories",
            "category",
            "topics",
            "capabilities",
            "features",
            "skills",
            "expertise",
            "type",
            "types",
            "flags",
            "protocols",
        ],
    ),
    ("languages", &["lang", "locale", "locales"]),
    (
        "capabilities",
        &[
            "skills",
            "tools",
            "actions",
            "intents",
            "services",
            "endpoints",
            "paths",
            "calls",
            "operations",
            "flows",
        ],
    ),
    ("method", &["verb", "http"]),
    ("enum", &["choices", "values", "options"]),
    ("required", &["must", "mandatory", "needed"]),
    ("type", &["kind"]),
    (
        "interfaces",
        &[
            "protocol",
            "transport",
            "type",
            "kind",
            "binding",
            "endpoint",
            "endpoints",
            "mcp",
            "a2a",
            "server",
            "servers",
            "remote",
            "remotes",
            "api",
            "connection",
            "variables",
            "headers",
            "version",
        ],
    ),
    (
        "auth",
        &[
            "auth",
            "authentication",
            "authorization",
            "security",
            "scheme",
            "schemes",
            "header",
            "token",
            "oauth",
            "type",
            "methods",
            "scopes",
            "flows",
            "access",
            "credentials",
            "headers",
            "remotes",
        ],
    ),
    (
        "payments",
        &[
            "payment", "pricing", "price", "x402", "accepts", "asset", "network", "networks",
            "currency", "cost", "amount", "billing", "rails", "methods", "chains",
        ],
    ),
    (
        "rate_limits",
        &["rate", "limit", "limits", "requests", "quota"],
    ),
    ("rate_limit", &["rate", "limit", "limits", "requests"]),
    (
        "programs",
        &[
            "command",
            "args",
            "install",
            "run",
            "transport",
            "packages",
            "stdio",
        ],
    ),
    ("input_modes", &["input", "consumes"]),
    ("output_modes", &["output", "produces"]),
    ("audit", &["audit", "key"]),
    ("graph", &["graph", "agents", "nodes", "edges"]),
    ("policies", &["policies", "policy", "rules"]),
    (
        "signatures",
        &["signature", "signatures", "proof", "key", "algorithm"],
    ),
];
/// Words of headings beside those that mean a fact.
const OF_HEADINGS: &[&str] = &[
    "adp",
    "brief",
    "discover",
    "register",
    "registration",
    "connect",
    "navigation",
    "public",
    "agents",
    "capabilities",
    "txt",
    "of",
    "to",
    "in",
    "json",
    "yaml",
    "markdown",
    "file",
    "manifest",
    "declaration",
    "and",
    "for",
    "the",
    "about",
    "information",
    "info",
    "data",
    "overview",
    "metadata",
    "identity",
    "section",
    "documentation",
    "docs",
    "links",
    "resources",
    "sitemap",
    "pages",
    "protocols",
    "terms",
    "legal",
    "privacy",
    "training",
    "usage",
    "permissions",
    "crawling",
    "crawlers",
    "bots",
    "allowed",
    "disallowed",
    "sessions",
    "workflows",
    "contacts",
    "discovery",
    "interaction",
    "available",
    "supported",
    "standard",
    "end",
    "begin",
    "start",
];
/// Fields of the model whose facts are told by any name on the way to a value.
pub(super) const GROUPS: [&str; 10] = [
    "interfaces",
    "auth",
    "payments",
    "rate_limits",
    "programs",
    "signatures",
    "policies",
    "graph",
    "flows",
    "translations",
];

/// Iterates over a place and those around it, the innermost first, without the document itself.
pub(super) fn around(place: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(place), |inner| {
        inner.rsplit_once('/').map(|(outer, _)| outer)
    })
    .filter(|place| !place.is_empty())
}

/// Returns the names of the members on the way to a place, the innermost first.
pub(super) fn names(place: &str) -> impl Iterator<Item = String> {
    let steps = place.rsplit('/').filter(|it| !it.is_empty());
    let named = steps.filter(|it| it.parse::<usize>().is_err());
    let shown = |name: String| name.chars().filter(|it| !text::is_hidden(*it)).collect();
    named.map(move |it| shown(it.replace("~1", "/").replace("~0", "~")))
}

/// Returns the words of the members on the way to a place, as hashes; those of the innermost members are
/// the first.
pub(super) fn words(place: &str) -> Vec<u64> {
    let steps = place.rsplit('/');
    let named = steps.filter(|it| !it.bytes().all(|byte| byte.is_ascii_digit()));
    let mut words = Vec::new();
    named.for_each(|name| each_word(name, |word| words.push(hash(word))));
    words
}

/// Passes each word of a name that says something to `found`.
pub(super) fn each_word(name: &str, mut found: impl FnMut(&str)) {
    let mut start = 0;
    let mut was_lower = false;
    let mut end_at = |start: usize, end: usize| {
        let word = &name[start..end];
        // `modes` is a part of two names that mean the opposite.
        let says_nothing = ["agents", "capabilities", "modes", "Modes"].contains(&word);
        if word.len() > 2 && !says_nothing {
            found(word);
        }
    };
    for (at, it) in name.char_indices() {
        let is_letter = it.is_alphanumeric();
        if !is_letter || (it.is_uppercase() && was_lower) {
            end_at(start, at);
            start = if is_letter { at } else { at + it.len_utf8() };
        }
        was_lower = it.is_lowercase() || it.is_ascii_digit();
    }
    end_at(start, name.len());
}

/// Reports whether two lists of words have one in common.
pub(super) fn share(some: &[u64], others: &[u64]) -> bool {
    some.iter().any(|word| others.contains(word))
}

/// Returns the words of members that mean a fact, as hashes.
pub(super) fn words_of_fact(fact: &str) -> &'static [u64] {
    WORDS_OF_FACTS.get(fact).map_or(&[], Vec::as_slice)
}

/// Reports whether each word of a heading names the format, or a part of a document.
pub(super) fn is_heading_of_format(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let mut words = lower
        .split(|it: char| !it.is_alphanumeric())
        .filter(|it| !it.is_empty());
    words.all(|word| {
        let is_edition = word.len() <= 3 && word.ends_with(|it: char| it.is_ascii_digit());
        let is_known = |known: &&str| *known == word || known.strip_suffix('s') == Some(word);
        let of_facts = MEANINGS
            .iter()
            .flat_map(|(fact, words)| words.iter().chain([fact]));
        is_edition || of_facts.chain(OF_HEADINGS).any(is_known)
    })
}

/// The words of [`MEANINGS`].
static WORDS_OF_FACTS: LazyLock<HashMap<&str, Vec<u64>>> = LazyLock::new(|| {
    let hashed = |words: &[&str]| words.iter().map(|word| hash(word)).collect();
    MEANINGS
        .iter()
        .map(|(fact, words)| (*fact, hashed(words)))
        .collect()
});

/// The words of the members on the way to a value, found when they are needed.
pub(super) struct Own<'p> {
    place: &'p str,
    all: OnceCell<Vec<u64>>,
    near: OnceCell<Vec<u64>>,
}

impl<'p> Own<'p> {
    pub(super) fn of(place: &'p str) -> Self {
        Self {
            place,
            all: OnceCell::new(),
            near: OnceCell::new(),
        }
    }

    pub(super) fn all(&self) -> &[u64] {
        self.all.get_or_init(|| words(self.place))
    }

    /// Returns the words of the two innermost members.
    pub(super) fn near(&self) -> &[u64] {
        self.near.get_or_init(|| {
            let steps = self.place.rsplit('/');
            let named = steps.filter(|it| !it.bytes().all(|byte| byte.is_ascii_digit()));
            let mut near = Vec::new();
            named
                .take(2)
                .for_each(|name| each_word(name, |word| near.push(hash(word))));
            near
        })
    }
}

/// Returns the last step of a path that is a name.
pub(super) fn last_name(path: &str) -> &str {
    let mut steps = path.rsplit('/');
    steps
        .find(|it| !it.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or_default()
}

/// Returns a hash of the words of a text, whatever their case and what stands between them, or of the text
/// without any.
pub(super) fn hash(text: &str) -> u64 {
    // FNV-1a: fast for short texts; two with the same hash cost a value its place in the table.
    let add = |hash: u64, letter: char| (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3);
    let (mut hash, mut count) = (0xcbf2_9ce4_8422_2325, 0);
    let mut is_apart = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            is_apart |= letter.is_ascii() || !text::is_hidden(letter);
            continue;
        }
        if std::mem::take(&mut is_apart) && count > 0 {
            hash = add(hash, ' ');
        }
        if letter.is_ascii() {
            hash = add(hash, letter.to_ascii_lowercase());
        } else {
            hash = letter.to_lowercase().fold(hash, add);
        }
        count += 1;
        if count == text::MAX_CHARS {
            break;
        }
    }
    if count == 0 {
        hash = text.trim().chars().fold(hash, add);
    }
    hash
}

/// Returns the letters and digits of a text in lower case, without marks of hidden characters; a text
/// without any as it is.
pub(super) fn letters(text: &str) -> String {
    let kept = text.chars().filter(|it| it.is_alphanumeric());
    let letters: String = kept
        .flat_map(char::to_lowercase)
        .take(text::MAX_CHARS)
        .collect();
    if letters.is_empty() {
        text.trim().to_owned()
    } else {
        letters
    }
}
