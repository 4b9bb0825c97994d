//! Entries of lists that are no capabilities (GP-16).

use crate::formats::generic::addresses::kind;
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

/// Reports whether an entry of a map of endpoints is the documentation.
pub(super) fn is_documentation(at: &str, name: &str, item: &Value) -> bool {
    at.contains("ndpoints") && item.is_string() && matches!(name, "docs" | "documentation")
}
