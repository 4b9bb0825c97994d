//! The extent of a visit, by the results of earlier ones (P8, P9, P36).

use manifest::FormatId;
use store::{DocumentKind, KnownDocument, Lease, Outcome};

/// Maximum number of consecutive visits that request only what the previous one could not complete
/// (P36); with their growing intervals they span a month.
const REST_VISITS: u32 = 5;

/// Format of descriptions of APIs.
const OPENAPI: &str = "openapi";
/// Format of files of skills.
const SKILL: &str = "agent-skill";

/// Formats that are not manifests: unrecognised documents, other texts at the path of an agents.txt
/// (DI-05), API descriptions, files of skills, and metadata of OAuth, which many sites without agents
/// have.
const NO_MANIFESTS: [&str; 6] = [
    "unrecognised",
    "agents-txt",
    OPENAPI,
    SKILL,
    "oauth-protected-resource",
    "oauth-authorization-server",
];

/// Extent of a visit, by the results of earlier ones (P9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Every path: the first visit, or the visit after one that could not look.
    First,
    /// Only the paths that the previous visit could not complete (P36).
    Rest,
    /// A few paths, because nothing was found before.
    Again,
    /// As many paths in rotation as a visit may request, because nothing was found before and
    /// the visit was requested (P47).
    Requested,
    /// The known documents and one other path, because there were manifests.
    Known,
}

/// Reports whether a format is one of manifests.
pub(crate) fn is_manifest(format: FormatId) -> bool {
    !NO_MANIFESTS.contains(&format.as_str())
}

/// Reports whether a known document is the file of a skill.
pub(super) fn is_skill(known: &KnownDocument) -> bool {
    known.format.as_deref() == Some(SKILL)
}

/// Returns the kind of documents in a format.
pub(super) fn kind_of_format(format: &str) -> DocumentKind {
    match format {
        OPENAPI => DocumentKind::Api,
        SKILL => DocumentKind::Skill,
        _ => DocumentKind::Manifest,
    }
}

/// Reports whether a known document is a manifest, as far as it has been read.
pub(super) fn is_known_manifest(known: &KnownDocument) -> bool {
    let format = known.format.as_deref();
    format.is_none_or(|format| !NO_MANIFESTS.contains(&format))
}

/// Chooses the extent of a visit.
pub(super) fn mode(lease: &Lease) -> Mode {
    use Outcome::{Empty, Found, Soft404};
    let has_looked = matches!(lease.last_outcome, Some(Found | Empty | Soft404));
    let is_partial = !lease.unanswered.is_empty() && !has_looked;
    let is_known = had_manifests(lease);
    let is_requested = lease.requests_left.is_some() && !is_known;
    if is_partial && lease.fails <= REST_VISITS && !is_requested {
        Mode::Rest
    } else if is_known {
        Mode::Known
    } else if is_partial || has_looked || was_alike(lease) {
        if is_requested {
            Mode::Requested
        } else {
            Mode::Again
        }
    } else {
        Mode::First
    }
}

/// Reports whether a domain had manifests; a domain whose last visit found none keeps documents
/// that are not manifests.
pub(super) fn had_manifests(lease: &Lease) -> bool {
    let is_without = matches!(lease.last_outcome, Some(Outcome::Empty | Outcome::Soft404));
    !is_without && lease.known.iter().any(is_known_manifest)
}

/// Reports whether the previous visit may have received the same answer everywhere, so that fewer
/// requests show that this has not changed (P8).
pub(super) fn was_alike(lease: &Lease) -> bool {
    match lease.last_outcome {
        Some(Outcome::Soft404) => true,
        // Not if robots.txt itself was redirected: then nothing else was requested.
        Some(Outcome::RedirectRefused | Outcome::BlockedAddress) => lease
            .robots
            .as_ref()
            .is_some_and(|robots| robots.status.is_some()),
        _ => false,
    }
}
