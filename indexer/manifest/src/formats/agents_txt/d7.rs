//! D7: agents-brief 0.4, once another agents.txt: site keys, then `[Agent: name]` sections (AT-70).
//!
//! The site keys are read like those of D3. The sections bind callers: what is read of them is
//! how often and how authorized somebody may call. It has no rules of its own.

use super::lines::Place;
use super::{Dialect, Manifest};
use crate::agent::Auth;

/// The name in a section's head, `Agent: name`.
pub(super) fn section_name(head: &str) -> Option<&str> {
    let (key, name) = head.split_once(':')?;
    key.trim()
        .eq_ignore_ascii_case("agent")
        .then(|| name.trim())
}

/// How callers authenticate where a section says that they must.
pub(super) fn auths(manifest: &Manifest) -> impl Iterator<Item = (Place, Auth)> {
    let is_brief = manifest.dialect == Dialect::D7;
    let sections = manifest.blocks.iter().filter(move |_| is_brief);
    sections.filter_map(|section| {
        let method = section.directives.first("auth-method")?;
        let mut auth = Auth::of(&method.value);
        auth.token_url = section.directives.url("auth-endpoint");
        Some((method.at, auth))
    })
}
