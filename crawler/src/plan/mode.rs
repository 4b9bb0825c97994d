//! How much a visit asks for, by what earlier ones brought (P8, P9, P36).

use manifest::FormatId;
use store::{KnownDocument, Lease, Outcome};

/// Visits in a row that ask for nothing but what the one before got no answer for (P36); with their growing
/// intervals they take a month.
const REST_VISITS: u32 = 5;

/// The formats of what is no manifest: what nothing recognises, some other text in the place of an agents.txt (DI-05),
/// and the description of an API.
const NO_MANIFESTS: [&str; 3] = ["unrecognised", "agents-txt", "openapi"];

/// The extent of a visit, by what earlier ones brought (P9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Everything: the first visit, or one after a visit that could not look.
    First,
    /// Only the paths that the visit before got no answer for (P36).
    Rest,
    /// Little: nothing was there.
    Again,
    /// The known documents and little else: there were manifests.
    Known,
}

/// Returns true for a format of manifests.
pub(crate) fn is_manifest(format: FormatId) -> bool {
    !NO_MANIFESTS.contains(&format.as_str())
}

/// Returns true for a known document that is a manifest, as far as it has been read.
pub(super) fn is_known_manifest(known: &KnownDocument) -> bool {
    let format = known.format.as_deref();
    format.is_none_or(|format| !NO_MANIFESTS.contains(&format))
}

/// Decides what a visit asks for.
pub(super) fn mode(lease: &Lease) -> Mode {
    use Outcome::{Empty, Found, Soft404};
    let has_looked = matches!(lease.last_outcome, Some(Found | Empty | Soft404));
    let is_partial = !lease.unanswered.is_empty() && !has_looked;
    if is_partial && lease.fails <= REST_VISITS {
        Mode::Rest
    } else if had_manifests(lease) {
        Mode::Known
    } else if is_partial || has_looked || was_alike(lease) {
        Mode::Again
    } else {
        Mode::First
    }
}

/// Returns true for a domain that had manifests; one whose last visit found none has kept what is no manifest.
fn had_manifests(lease: &Lease) -> bool {
    let is_without = matches!(lease.last_outcome, Some(Outcome::Empty | Outcome::Soft404));
    !is_without && lease.known.iter().any(is_known_manifest)
}

/// Returns true when the visit before may have got the same answer everywhere: it then takes less to tell that
/// this has not changed (P8).
pub(super) fn was_alike(lease: &Lease) -> bool {
    match lease.last_outcome {
        Some(Outcome::Soft404) => true,
        // Not when it was robots.txt that led astray: then nothing else was asked.
        Some(Outcome::RedirectRefused | Outcome::BlockedAddress) => lease
            .robots
            .as_ref()
            .is_some_and(|robots| robots.status.is_some()),
        _ => false,
    }
}
