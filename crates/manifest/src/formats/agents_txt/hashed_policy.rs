//! Dialect "hashed policy": a restrictive policy with a hash in its first line.
//!
//! Specification: draft-srijal-agents-policy-00. The draft has expired; it treats a malformed
//! file as "nothing is allowed". Only the name is read, if there is one.

use super::{Manifest, keys};
use crate::{Agent, link, text};

/// Returns an agent with a name only; `None` if the file gives no name.
pub(super) fn agent(manifest: &Manifest) -> Option<Agent> {
    let line = manifest.directives.any(keys::NAMES);
    let line = line.or_else(|| manifest.directives.any(&["site", "agent"]))?;
    let name = text::some(&line.value).filter(|name| !link::is_absolute(name))?;
    Some(super::manifest::only_named(line.at, name))
}
