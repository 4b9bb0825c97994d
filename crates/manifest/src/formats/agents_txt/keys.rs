//! The keys of all dialects, by meaning.

use crate::{Capability, text};

/// Comments that carry data in every dialect (AT-01).
pub(super) const COMMENTS: &[&str] = &["json", "standard", "spec-version", "generated"];

/// Keys that also count as comments in dialects without a specification.
pub(super) const INFORMAL_COMMENTS: &[&str] = &["contact", "site", "website", "docs", "api"];

pub(super) const NAMES: &[&str] = &["name", "site-name", "title"];
pub(super) const URLS: &[&str] = &[
    "url",
    "site-url",
    "website",
    "canonical-url",
    "homepage",
    "canonical-site",
    "canonical",
    "home",
    "home-page",
    "website-home",
    "human-ui",
];
pub(super) const DESCRIPTIONS: &[&str] = &[
    "description",
    "site-description",
    "purpose",
    "summary",
    "tagline",
];
pub(super) const CONTACTS: &[&str] = &[
    "contact",
    "site-contact",
    "contact-email",
    "email",
    "support",
    "support-email",
];
pub(super) const DOCS: &[&str] = &[
    "docs",
    "documentation",
    "api-docs",
    "api-reference",
    "agent-guide",
    "human-guide",
    "guide",
    "developer-docs",
    "auth-docs",
];
pub(super) const PROVIDERS: &[&str] = &["owner", "organization", "provider", "publisher"];
pub(super) const LANGUAGES: &[&str] = &["language", "languages", "primary-language"];
pub(super) const TAGS: &[&str] = &["tags", "topics", "categories", "category", "keywords"];

/// Keys and headings above a list of capabilities, in dialects without a specification.
pub(super) const LISTS: &[&str] = &["capabilities", "skills", "tools", "actions", "services"];

/// Keys that point at an interface, with its protocol.
pub(super) const INTERFACES: &[(&str, &str)] = &[
    ("agent-api", "interaction-api"),
    ("mcp", "mcp"),
    ("mcp-server", "mcp"),
    ("mcp-endpoint", "mcp"),
    ("mcp-url", "mcp"),
    ("webmcp", "webmcp"),
    ("a2a-endpoint", "a2a"),
    ("openapi", "openapi"),
    ("openapi-spec", "openapi"),
    ("spec-openapi", "openapi"),
    ("rest", "rest"),
    ("rest-api", "rest"),
    ("graphql", "graphql"),
    ("websocket", "websocket"),
    ("api", "rest"),
    ("api-base", "rest"),
    ("base-url", "rest"),
];

/// Keys that point at another document, with its relation and the maximum number of references
/// (`docs/formats.md`, "References").
pub(super) const REFERENCES: &[(&str, &str, usize)] = &[
    ("agents-json", "agents.json", 1),
    ("agents.json", "agents.json", 1),
    ("capabilities-url", "agents.json", 1),
    ("json", "agents.json", 1),
    ("a2a", "agent-card", 10),
    ("agent-card", "agent-card", 10),
    ("policy", "agent-policy", 1),
    ("openapi", "openapi", 5),
    ("openapi-spec", "openapi", 5),
    ("spec-openapi", "openapi", 5),
    ("ucp", "ucp", 1),
    ("skills", "skills", 5),
    ("mcp-metadata", "mcp-card", 5),
    ("server-card", "mcp-card", 5),
    ("mcp-server-card", "mcp-card", 5),
];

/// Other keys that the model has a field for.
const OTHERS: &[&str] = &[
    "site",
    "agent",
    "author",
    "logo",
    "version",
    "spec-version",
    "declaration-type",
    "operates-on",
    "standard",
    "generated",
    "capability",
    "capabilities",
    "allow",
    "disallow",
    "flow",
    "flow-description",
    "rate-limit",
    "session-endpoint",
    "session-ttl",
    "audit",
    "audit-endpoint",
    "protocols",
    "payments",
    "authorization",
    "payment-system",
    "communication",
    "communication-protocol",
    "allow-action",
    "tool",
    "user-agent",
];

/// Keys of a specification that the model has no field for; they are kept like unknown ones.
const KEPT: &[&str] = &[
    "skills",
    "identity",
    "verify",
    "terms",
    "site-terms",
    "site-privacy-policy",
    "privacy-policy",
    "allow-training",
    "allow-rag",
    "allow-scraping",
    "allow-actions",
    "preferred-interface",
    "sitemap",
];

/// Returns true for keys that the model has a field for, so that they are not kept as extensions.
pub(super) fn has_place(key: &str) -> bool {
    let lists = [
        NAMES,
        URLS,
        DESCRIPTIONS,
        CONTACTS,
        DOCS,
        PROVIDERS,
        LANGUAGES,
        TAGS,
        OTHERS,
    ];
    lists.into_iter().any(|keys| keys.contains(&key)) || is_pointer(key)
}

/// Returns true for keys that point at an interface or at another document.
pub(super) fn is_pointer(key: &str) -> bool {
    INTERFACES.iter().any(|(known, _)| *known == key)
        || REFERENCES.iter().any(|(known, _, _)| *known == key)
}

/// Returns true for keys that some specification of agents.txt defines (AT-04).
pub(super) fn is_known(key: &str) -> bool {
    has_place(key) || KEPT.contains(&key)
}

/// Returns true for values of `Allow` that are paths rather than capabilities (C-102).
pub(super) fn is_path(value: &str) -> bool {
    value.starts_with(['/', '*'])
}

/// Returns true for a value of `Allow` as in agents-protocol, which allows capabilities; robots.txt
/// and agents.txt 1.0 allow paths (C-102).
pub(super) fn is_capability_name(value: &str) -> bool {
    !value.is_empty()
        && value != "all"
        && !value.starts_with(['/', '*'])
        && !value.contains("://")
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Returns a capability with this name; the built-in names imply more properties (AT-29).
pub(super) fn named(name: &str) -> Option<Capability> {
    let name = text::some(name)?;
    let is_checkout = name == "checkout";
    let needs_session = is_checkout || name.starts_with("cart.");
    Some(Capability {
        id: name.clone(),
        tags: prefix_tag(&name),
        requires_session: needs_session.then_some(true),
        human_handoff: is_checkout.then_some(true),
        name,
        ..Capability::default()
    })
}

/// Returns the prefix of a name as a tag: `cart` for `cart.add`.
pub(super) fn prefix_tag(name: &str) -> Vec<String> {
    let prefix = name.split_once('.').map(|(prefix, _)| prefix.to_owned());
    prefix
        .into_iter()
        .filter(|prefix| !prefix.is_empty())
        .collect()
}
