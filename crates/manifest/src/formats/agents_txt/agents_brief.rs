//! Dialect agents-brief 0.4: keys about the site, then `[Agent: name]` sections (AT-70).
//!
//! The keys about the site are read as in agents.txt 1.0. Of the sections, which are about calling
//! agents, the rate limit and the authentication are read. The dialect has no rules of its own.

use super::lines::Position;
use super::{Dialect, Manifest};
use crate::agent::Auth;

/// Returns the name in a section's heading, `Agent: name`.
pub(super) fn section_name(head: &str) -> Option<&str> {
    let (key, name) = head.split_once(':')?;
    key.trim()
        .eq_ignore_ascii_case("agent")
        .then(|| name.trim())
}

/// Returns the authentication that each section requires.
pub(super) fn auths(manifest: &Manifest) -> impl Iterator<Item = (Position, Auth)> {
    let is_brief = manifest.dialect == Dialect::AGENTS_BRIEF;
    let sections = manifest.blocks.iter().filter(move |_| is_brief);
    sections.filter_map(|section| {
        let method = section.directives.first("auth-method")?;
        let mut auth = Auth::of(&method.value);
        auth.token_url = section.directives.url("auth-endpoint");
        Some((method.at, auth))
    })
}
