//! Dialect agentstxt.dev: `Agent` or `Name` with `Logo`, `Communication` and `Payment-System`
//! (AT-50).
//!
//! `Author` is a contact address. The dialect has no key for anything to call, and no rules.

use super::Manifest;

/// Returns the protocols that the file names without giving an address.
pub(super) fn tags(manifest: &Manifest) -> impl Iterator<Item = String> {
    let keys = ["communication", "communication-protocol"];
    let lists = keys.map(|key| manifest.directives.list(key));
    lists.into_iter().flatten()
}
