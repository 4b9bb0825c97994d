//! References of a document to other documents, and how each may be followed.
//!
//! Nothing is fetched here: a [`Reference`] is data for the crawler, which also checks the resolved
//! IP address (DI-09), robots.txt and the domain's budget.

use crate::finding::Findings;
use crate::rule::document::DI_09;
use crate::{Document, Finding, FormatId, link, public_address};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use url::{Host, Url};

#[cfg(test)]
mod tests;

/// Maximum size of a JSON document, in bytes (DI-03).
const JSON_BYTES: u64 = 1024 * 1024;
/// Maximum size of an agents.txt, in bytes (DI-03).
const TEXT_BYTES: u64 = 256 * 1024;
/// Maximum size of the file of a skill, in bytes (P44).
pub const SKILL_BYTES: usize = 64 * 1024;
/// Maximum size of an OpenAPI document, in bytes.
const OPENAPI_BYTES: u64 = crate::openapi::MAX_BYTES as u64;

/// Maximum number of files of skills of one index.
pub(crate) const SKILL_FILES: u32 = 10;

/// Kind of the metadata of OAuth.
pub(crate) const OAUTH: &str = "oauth-metadata";
/// Kind of the file of a skill.
pub const SKILL: &str = "skill";

/// A reference to another document.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Reference {
    /// Kind of the other document: `agent-card`, `agents.json`, `openapi`, `ai-catalog`, `mcp-card`, …
    pub rel: String,
    /// Absolute URL, resolved against the document's final URL, without fragment and userinfo.
    pub url: String,
    /// Position in the document: JSON pointer, or `line:N` or empty for text formats.
    pub pointer: String,
    /// Permitted treatment.
    pub follow: Follow,
    /// Limit on following one document's references of this kind; `None` for links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// Permitted treatment of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Follow {
    /// Fetched during the visit, because it belongs to the site.
    Fetch,
    /// Queued as a document of the other host, and never attributed to this one.
    Queue,
    /// An OpenAPI document: read for facts on capabilities, not listed.
    Read,
    /// Not fetched, but its host is a candidate for a later visit.
    Seed,
    /// Not followed, but shown as a link.
    Link,
    /// Never followed.
    Refused(Refusal),
}

/// Reason why a reference is never followed (DI-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// Not https.
    Scheme,
    /// An IP address instead of a domain.
    Address,
    /// A name that exists only in private networks.
    PrivateName,
    /// The URL contains a user name or password.
    Userinfo,
    /// A port other than 80 and 443.
    Port,
}

/// Limit on following the references of one kind in one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Limit {
    /// Maximum number of references.
    pub most: u32,
    /// Maximum size of each document, in bytes.
    pub bytes: u64,
    /// Maximum number of steps from the document; 1 if references of the referenced document are
    /// not followed.
    pub depth: u32,
}

impl Reference {
    /// Creates the reference from `document` to `url`, without a limit.
    pub(crate) fn new(document: &Document, rel: &str, mut url: Url, pointer: &str) -> Self {
        let rel = match rel {
            "mcp" if is_mcp_card(url.path()) => "mcp-card",
            "skills" if url.path().ends_with("/index.json") => "skills-index",
            rel => rel,
        };
        let refusal = refusal(document, &url);
        url.set_fragment(None);
        // Neither call can fail for a URL with a host; a password must not be shown.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        let url = String::from(url);
        let is_own = link::is_own(document, &url);
        let follow = match (refusal, rel) {
            (Some(refusal), _) => Follow::Refused(refusal),
            (None, "homepage") => Follow::Seed,
            (None, rel) if limit(FormatId::UNRECOGNISED, rel).is_none() => Follow::Link,
            // Many sites share one server for all of their users, and a skill of another site is a
            // mention of that site.
            (None, OAUTH | SKILL) if !is_own => Follow::Link,
            (None, _) if !is_own => Follow::Queue,
            (None, "openapi") => Follow::Read,
            (None, _) => Follow::Fetch,
        };
        Self {
            rel: rel.to_owned(),
            url,
            pointer: pointer.to_owned(),
            follow,
            limit: None,
        }
    }
}

/// Sets the limit of each reference of a document in `format`, unless an inner document set one.
pub(crate) fn bound(references: &mut [Reference], format: FormatId) {
    for reference in references {
        let is_followed = !matches!(reference.follow, Follow::Refused(_) | Follow::Link);
        if reference.limit.is_none() && is_followed {
            reference.limit = limit(format, &reference.rel);
        }
    }
}

/// Reports references that are never followed (DI-09), once for each position.
///
/// It is only a warning, because the specifications' own validators accept such documents.
pub(crate) fn report_refused(references: &[Reference], findings: &mut Findings) {
    let reported = findings.places_of(&DI_09);
    for reference in references {
        let Follow::Refused(refusal) = reference.follow else {
            continue;
        };
        let is_followed = reference.rel != "homepage" && reference.rel != "docs";
        if !is_followed || reported.contains(&reference.pointer) {
            continue;
        }
        let message = format!("not followed: {}", refusal.why());
        match reference.pointer.strip_prefix("line:").map(str::parse) {
            Some(Ok(line)) => {
                findings.push(Finding::at_line(&DI_09, line, message));
            }
            _ => findings.add(&DI_09, reference.pointer.as_str(), message),
        }
    }
}

impl Refusal {
    /// Describes what is wrong with the URL and what would be right.
    pub fn why(self) -> &'static str {
        match self {
            Self::Scheme => "not https; publish it over https",
            Self::Address => "the host is an IP address; give a host name",
            Self::PrivateName => "the host is a name of a private network; give a public host",
            Self::Userinfo => "the URL contains a user name or password; remove it and revoke it",
            Self::Port => "the URL has an unusual port; publish it on port 443",
        }
    }
}

/// Creates a reference to another document (DI-09); returns `None` if `text` is not a URL with a
/// host.
pub(crate) fn to(document: &Document, rel: &str, text: &str, pointer: &str) -> Option<Reference> {
    let text = text.trim();
    // A template is no address.
    let is_one = !text.is_empty()
        && text.len() <= link::MAX_URL
        && !text.contains(|it: char| it.is_whitespace() || it == '{');
    let url = link::joined(&document.url, text).filter(|_| is_one)?;
    url.has_host()
        .then(|| Reference::new(document, rel, url, pointer))
}

/// Reports whether a URL or path is that of an MCP server card, and not of an endpoint.
///
/// The same members name either, and an endpoint is never requested (GP-18).
pub fn is_mcp_card(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.strip_suffix(".json").unwrap_or(file);
    matches!(stem, "server-card" | "mcp-server-card") || file == "mcp.json"
}

/// Removes repeated references, in order.
pub(crate) fn distinct(references: impl Iterator<Item = Reference>) -> Vec<Reference> {
    let mut seen = HashSet::new();
    references
        .filter(|it| seen.insert((it.rel.clone(), it.url.clone())))
        .collect()
}

/// Returns the limit for references of kind `rel` in a document in `format`.
fn limit(format: FormatId, rel: &str) -> Option<Limit> {
    let limit = |most, bytes, depth| Some(Limit { most, bytes, depth });
    match (format.as_str(), rel) {
        (_, "openapi") => limit(5, OPENAPI_BYTES, 1),
        (_, "homepage" | "agents.json" | "agent-policy" | "ucp" | "x402" | "skills-index") => {
            limit(1, JSON_BYTES, 1)
        }
        (_, "agents.txt") => limit(3, TEXT_BYTES, 1),
        (_, "json-agents") => limit(20, JSON_BYTES, 2),
        ("ai-catalog", "agent-card" | "mcp-card" | "ai-catalog") => limit(200, JSON_BYTES, 4),
        ("mcp-catalog", "mcp-card") => limit(200, JSON_BYTES, 1),
        ("anp-collection", "next") => limit(10, JSON_BYTES, 10),
        ("agent-identity-kit" | "agent-identity-kit-team", "agent-card")
        | ("anp-collection", "anp-agent-description") => limit(50, JSON_BYTES, 1),
        // The catalogue and the cards that it names.
        (_, "mcp-catalog") => limit(1, JSON_BYTES, 2),
        (_, SKILL) => limit(SKILL_FILES, SKILL_BYTES as u64, 1),
        // Metadata of a resource, and of its server.
        (_, OAUTH) => limit(3, JSON_BYTES, 2),
        (_, "agent-card") => limit(10, JSON_BYTES, 1),
        (_, "ai-catalog" | "mcp-card" | "anp-collection" | "anp-agent-description" | "next") => {
            limit(5, JSON_BYTES, 1)
        }
        (_, _) => None,
    }
}

/// Returns the reason why `url` must not be fetched; the origin of the document itself is always
/// permitted.
fn refusal(document: &Document, url: &Url) -> Option<Refusal> {
    let is_same_origin = url.origin() == document.url.origin();
    if !url.username().is_empty() || url.password().is_some() {
        return Some(Refusal::Userinfo);
    }
    if is_same_origin {
        return None;
    }
    match url.host() {
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Some(Refusal::Address),
        Some(host) if public_address::of_host(&host).is_none() => {}
        Some(Host::Domain(_)) | None => return Some(Refusal::PrivateName),
    }
    match (url.scheme(), url.port()) {
        ("https", None | Some(80)) => None,
        ("https", Some(_)) => Some(Refusal::Port),
        (_, _) => Some(Refusal::Scheme),
    }
}
