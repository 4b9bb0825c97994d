//! Entries of lists that are no capabilities (GP-16).

use super::operation::is_endpoint;
use crate::formats::generic::addresses::{kind, names_others, protocol};
use crate::text;
use serde_json::Value;

/// Reports whether a member of `capabilities` has the name of another part of a document, which
/// has a reader of its own.
pub(super) fn is_container(at: &str, name: &str) -> bool {
    const PARTS: [&str; 12] = [
        "authentication",
        "auth",
        "endpoints",
        "tools",
        "skills",
        "actions",
        "rate_limits",
        "rate_limit",
        "rateLimits",
        "extensions",
        "payment",
        "payments",
    ];
    at == "/capabilities" && PARTS.contains(&name)
}

/// Reports whether an entry of a map of endpoints is about the site and not called (GP-16).
pub(super) fn is_about_the_site(at: &str, name: &str, item: &Value) -> bool {
    const NAMES: [&str; 40] = [
        "auth",
        "login",
        "payments",
        "contacts",
        "services",
        "ai_policy",
        "policy",
        "security",
        "docs",
        "documentation",
        "homepage",
        "home",
        "website",
        "site",
        "sitemap",
        "robots",
        "llms",
        "llms_txt",
        "llms_full",
        "privacy",
        "terms",
        "contact",
        "support",
        "pricing",
        "blog",
        "about",
        "status",
        "health",
        "health_check",
        "github",
        "feed",
        "rss",
        "page",
        "base_url",
        "baseUrl",
        "base",
        "changelog",
        "license",
        "whitepaper",
        "metrics",
    ];
    let is_map_of_addresses = at.contains("ndpoints") || at == "/services";
    let address = item.as_str().unwrap_or_default();
    let is_page = kind::is_page(address);
    let is_named = item.is_string() && NAMES.contains(&name) && !address.contains(['{', ' ']);
    is_map_of_addresses && (is_page || is_named)
}

/// Reports whether the endpoints in an object are those of the service itself: neither of its authentication
/// and payment, nor of others.
pub(super) fn is_about_itself(name: &str) -> bool {
    const APART: [&str; 14] = [
        "auth", "oauth", "login", "wallet", "webhook", "callback", "example", "sdk", "allow",
        "deny", "access", "robots", "crawl", "limit",
    ];
    let lower = name.to_ascii_lowercase();
    !APART.iter().any(|it| lower.contains(it)) && !names_others(&lower)
}

/// Returns the name of the call in a member such as `passport_endpoint`, or in one with a path below `/api/`;
/// `None` if the member says that the address is an interface, a document or a part of something else.
pub(super) fn stem_of_endpoint(name: &str, address: &str) -> Option<String> {
    const OTHERS: [&str; 14] = [
        "api", "agent", "http", "https", "rest", "rpc", "main", "default", "service", "public",
        "server", "token", "health", "openapi",
    ];
    const PARTS: [&str; 6] = ["base", "prefix", "root", "regist", "spec", "schema"];
    let stem = name
        .strip_suffix("_endpoint")
        .or_else(|| name.strip_suffix("Endpoint"))
        .or_else(|| address.starts_with("/api/").then_some(name))?;
    let lower = stem.to_ascii_lowercase();
    let is_apart = OTHERS.contains(&lower.as_str())
        || PARTS.iter().any(|it| lower.contains(it))
        || !is_about_itself(&lower);
    let is_call =
        is_endpoint(address) && !address.contains(|it: char| it == '*' || it.is_whitespace());
    let is_typed = protocol(name, &Value::from(address)).is_some_and(|it| it != "rest");
    (is_call && !is_apart && !is_typed && !kind::is_page(address))
        .then(|| stem.replace(['_', '-'], " "))
        .and_then(|stem| text::some(&stem))
}

/// Reports whether an entry of a map of endpoints is the documentation.
pub(super) fn is_documentation(at: &str, name: &str, item: &Value) -> bool {
    at.contains("ndpoints") && item.is_string() && matches!(name, "docs" | "documentation")
}
