//! D10: draft-srijal-agents-policy-00, a restrictive policy with a hash in its first line.
//!
//! The draft has expired, and reads a malformed file as "nothing is allowed". It is kept as
//! served, and listed by its name if it gives one.

use super::{Manifest, keys};
use crate::{Agent, link, text};

/// The agent of which only a name is known.
pub(super) fn agent(manifest: &Manifest) -> Option<Agent> {
    let line = manifest.directives.any(keys::NAMES);
    let line = line.or_else(|| manifest.directives.any(&["site", "agent"]))?;
    let name = text::some(&line.value).filter(|name| !link::is_absolute(name))?;
    Some(super::only_named(line.at, name))
}
