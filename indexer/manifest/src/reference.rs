//! Other documents that a document points at, and what may be done with each.
//!
//! Nothing is fetched here: a [`Reference`] is data for whoever follows it, who also checks the
//! resolved address (DI-09), robots.txt and the domain's budget.

use crate::finding::Findings;
use crate::{Document, Finding, FormatId, Severity, link};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

#[cfg(test)]
mod tests;

/// Most bytes of a JSON document (DI-03).
const JSON_BYTES: u64 = 1024 * 1024;
/// Most bytes of an agents.txt (DI-03).
const TEXT_BYTES: u64 = 256 * 1024;
/// Most bytes of an OpenAPI document (FORMATS.md 12.5).
const OPENAPI_BYTES: u64 = crate::openapi::MAX_BYTES as u64;

/// Another document that this one points at (FORMATS.md 12.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// What is to be found there: `agent-card`, `agents.json`, `openapi`, `ai-catalog`, `mcp`, …
    pub rel: String,
    /// Absolute URL, resolved against the document's final URL, without fragment and userinfo.
    pub url: String,
    /// Where the document says so: JSON pointer, or empty for text formats.
    pub pointer: String,
    /// What may be done with it.
    pub follow: Follow,
    /// How far one document's references of this kind are followed; `None` for links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// What may be done with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Follow {
    /// Fetched during the visit: it is the site's own.
    Fetch,
    /// Queued as the other host's own document, and never credited to this one.
    Queue,
    /// An OpenAPI document: read for what it says of capabilities ([`crate::openapi`]), not listed.
    Read,
    /// Not fetched: its host is one to visit some day.
    Seed,
    /// Not followed: shown as a link.
    Link,
    /// Never followed.
    Refused(Refusal),
}

/// Why a reference is never followed (DI-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// Not https.
    Scheme,
    /// An IP address where a domain belongs.
    Address,
    /// A name that means something only in a private network.
    PrivateName,
    /// A user name or password stands in the URL.
    Userinfo,
    /// A port other than 80 and 443.
    Port,
}

/// How far the references of one kind in one document are followed (FORMATS.md 12.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// Most of them.
    pub most: u32,
    /// Most bytes of each.
    pub bytes: u64,
    /// Most steps from the document: 1 when what is found there is not followed further.
    pub depth: u32,
}

impl Reference {
    /// The reference from `document` to `url`, without a limit yet.
    pub(crate) fn new(document: &Document, rel: &str, mut url: Url, pointer: &str) -> Self {
        let refusal = refusal(document, &url);
        url.set_fragment(None);
        // Neither can fail on a URL with a host; a password must not be shown.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        let url = String::from(url);
        let is_own = link::is_own(document, &url);
        let follow = match (refusal, rel) {
            (Some(refusal), _) => Follow::Refused(refusal),
            (None, "homepage") => Follow::Seed,
            (None, rel) if limit(FormatId(""), rel).is_none() => Follow::Link,
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

/// Gives each reference of a document in `format` its limit, unless an inner document gave one.
pub(crate) fn bound(references: &mut [Reference], format: FormatId) {
    for reference in references {
        let is_refused = matches!(reference.follow, Follow::Refused(_));
        if reference.limit.is_none() && !is_refused {
            reference.limit = limit(format, &reference.rel);
        }
    }
}

/// Tells of each reference that nobody who is careful follows (DI-09), once for each place.
///
/// Only a warning: the specifications' own validators accept such documents.
pub(crate) fn report_refused(references: &[Reference], findings: &mut Findings) {
    let told = findings.places_of("DI-09");
    for reference in references {
        let Follow::Refused(refusal) = reference.follow else {
            continue;
        };
        let is_followed = reference.rel != "homepage" && reference.rel != "docs";
        if !is_followed || told.contains(&reference.pointer) {
            continue;
        }
        let message = format!("not followed: {}", refusal.why());
        match reference.pointer.strip_prefix("line:").map(str::parse) {
            Some(Ok(line)) => {
                findings.push(Finding::at_line("DI-09", Severity::Warning, line, message));
            }
            _ => findings.report("DI-09", reference.pointer.as_str(), message),
        }
    }
}

impl Refusal {
    /// What is wrong with the address, and what would be right.
    pub fn why(self) -> &'static str {
        match self {
            Self::Scheme => "not https; publish it over https",
            Self::Address => "an IP address; give the name of a host",
            Self::PrivateName => "a name of a private network; give a public host",
            Self::Userinfo => {
                "a user name or password stands in the address; remove it and revoke it"
            }
            Self::Port => "a port of its own; publish it on the usual one",
        }
    }
}

/// The row of FORMATS.md 12.5 for what a document in `format` calls `rel`.
fn limit(format: FormatId, rel: &str) -> Option<Limit> {
    let limit = |most, bytes, depth| Some(Limit { most, bytes, depth });
    match (format.as_str(), rel) {
        (_, "openapi") => limit(5, OPENAPI_BYTES, 1),
        (_, "homepage" | "agents.json" | "agent-policy" | "ucp") => limit(1, JSON_BYTES, 1),
        (_, "agents.txt") => limit(3, TEXT_BYTES, 1),
        (_, "json-agents") => limit(20, JSON_BYTES, 2),
        ("ai-catalog", "agent-card" | "mcp" | "ai-catalog") => limit(200, JSON_BYTES, 4),
        ("anp-collection", "next") => limit(10, JSON_BYTES, 10),
        ("agent-identity-kit" | "agent-identity-kit-team", "agent-card")
        | ("anp-collection", "anp-agent-description") => limit(50, JSON_BYTES, 1),
        (_, "agent-card") => limit(10, JSON_BYTES, 1),
        (_, "ai-catalog" | "mcp" | "anp-collection" | "anp-agent-description" | "next") => {
            limit(5, JSON_BYTES, 1)
        }
        (_, _) => None,
    }
}

/// Why `url` must not be fetched; the document's own origin, once fetched, is beyond doubt.
fn refusal(document: &Document, url: &Url) -> Option<Refusal> {
    let is_same_origin = url.origin() == document.url.origin();
    if !url.username().is_empty() || url.password().is_some() {
        return Some(Refusal::Userinfo);
    }
    if is_same_origin {
        return None;
    }
    match url.host() {
        Some(Host::Domain(name)) if !is_private(name) => {}
        Some(Host::Domain(_)) | None => return Some(Refusal::PrivateName),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Some(Refusal::Address),
    }
    match (url.scheme(), url.port()) {
        ("https", None | Some(80)) => None,
        ("https", Some(_)) => Some(Refusal::Port),
        (_, _) => Some(Refusal::Scheme),
    }
}

/// Names with one label, and those below suffixes that no public server answers for.
///
/// Names kept for examples and tests are left to whoever resolves names.
fn is_private(name: &str) -> bool {
    const SUFFIXES: [&str; 7] = [
        "localhost",
        "local",
        "internal",
        "lan",
        "intranet",
        "home.arpa",
        "onion",
    ];
    let name = name.trim_end_matches('.');
    let is_below = |suffix: &&str| {
        name.strip_suffix(*suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || SUFFIXES.iter().any(is_below)
}
