//! D5: `Agent` or `Name` with `Logo`, `Communication` and `Payment-System` (agentstxt.dev; AT-50).
//!
//! `Author` is an address to write to. The file offers nothing to call, and has no rules.

use super::Manifest;

/// The protocols that it says it speaks, without an address for any.
pub(super) fn tags(manifest: &Manifest) -> impl Iterator<Item = String> {
    let keys = ["communication", "communication-protocol"];
    let lists = keys.map(|key| manifest.directives.list(key));
    lists.into_iter().flatten()
}
