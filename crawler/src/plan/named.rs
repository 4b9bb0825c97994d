//! Named documents: which of them may be requested, and how (P9).

use crate::robots::Policy;
use manifest::{Domain, reference};
use store::{DocumentKind, Lease, NamedDocument};
use url::{Position, Url};

/// Maximum number of known documents of a domain: with that many, no named document is requested.
pub(super) const DOCUMENTS_CAP: usize = 200;

/// Reports whether a named document is neither known nor recently found missing, and its domain has
/// room for more.
pub(super) fn is_askable(lease: &Lease, url: &str) -> bool {
    lease.known.len() < DOCUMENTS_CAP
        && lease.known.iter().all(|known| known.requested != url)
        && !lease
            .named
            .iter()
            .any(|named| named.is_absent && named.url == url)
}

/// Returns the documents that a robots.txt names, with their targets.
pub(super) fn hinted(
    origin: &Url,
    domain: &Domain,
    policy: &Policy,
) -> Vec<(String, NamedDocument)> {
    let named_by = format!("{}/robots.txt", &origin[..Position::BeforePath]);
    let hints = policy.hints().iter();
    hints
        .filter(|hint| match hint.field.as_str() {
            "openapi" | "ai-plugin" => false,
            // The same field gives the endpoint of a server, which is never requested.
            "mcp" => reference::is_mcp_card(&hint.target),
            _ => true,
        })
        .filter_map(|hint| {
            let target = target_on(origin, domain, &hint.target)?;
            let document = NamedDocument {
                url: origin.join(&target).ok()?.into(),
                named_by: named_by.clone(),
                is_own: true,
                kind: DocumentKind::Manifest,
                is_absent: false,
            };
            Some((target, document))
        })
        .collect()
}

/// Returns the target for a document of `domain` on a visit to `origin`: path and query on that
/// host, or the whole URL on another host of the same registrable domain, which is visited as its
/// own host (P9). A document cannot know the port at which its site is visited: a URL without one
/// gets that of `origin`.
pub(crate) fn target_on(origin: &Url, domain: &Domain, target: &str) -> Option<String> {
    let mut url = origin.join(target).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    if is_web && url.host() == origin.host() {
        return Some(url[Position::BeforePath..Position::AfterQuery].to_owned());
    }
    let host = Domain::parse(url.host_str()?).ok()?;
    let is_sibling = url.scheme() == "https"
        && (url.port().is_none() || url.port() == origin.port())
        && host.registrable() == domain.registrable();
    if !is_sibling || url.set_port(origin.port()).is_err() {
        return None;
    }
    Some(url[..Position::AfterQuery].to_owned())
}
