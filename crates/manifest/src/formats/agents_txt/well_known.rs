//! Dialect "agents.txt 1.0 (well-known)": `Site-Name`, `Site-URL`, and indented blocks below
//! `Capability:` and `Agent:`.
//!
//! Specification: kaylacar/agents-txt 1.0 and draft-car-agents-txt-wellknown-00.

use super::directives::published;
use super::lines::Position;
use super::{Dialect, Manifest};
use crate::agent::Auth;
use crate::fact::part;
use crate::{Agent, Capability, Document, extension};
use serde_json::{Map, Value};

pub(super) mod block;
pub(super) mod rules;
mod validate;

pub(super) use block::Block;
pub(super) use validate::validate;

/// Returns true if the file describes its publisher's own bot, which others cannot call (AT-37).
pub(super) fn is_operator(manifest: &Manifest) -> bool {
    let kind = manifest.directives.text("declaration-type");
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("agent"))
}

/// Returns the blocks that declare a capability. In other dialects, a block without an endpoint
/// does not count.
fn declared(manifest: &Manifest) -> impl Iterator<Item = &Block> {
    let is_d3 = manifest.dialect == Dialect::WELL_KNOWN;
    let blocks = manifest.blocks.iter().filter(|block| !block.is_agent);
    blocks.filter(move |block| is_d3 || block.directives.first("endpoint").is_some())
}

/// Returns the declared capabilities.
pub(super) fn capabilities<'m>(
    manifest: &'m Manifest,
    document: &'m Document,
) -> impl Iterator<Item = (Position, Capability)> {
    declared(manifest).flat_map(|block| {
        let capabilities = block.capabilities(document).into_iter();
        capabilities.map(|capability| (block.at, capability))
    })
}

/// Records which values are defaults of the specification (AT-32, AT-33).
pub(super) fn note_defaults(manifest: &Manifest, agent: &mut Agent) {
    let is_omitted = |key: &'static str| {
        move |block: &Block| block.protocol() == "rest" && block.directives.first(key).is_none()
    };
    let defaults = [
        ("protocol", part::PROTOCOL),
        ("method", part::METHOD),
        ("auth", part::REQUIRES_AUTH),
    ];
    for (key, part) in defaults {
        if !agent.capabilities.is_empty() && declared(manifest).any(is_omitted(key)) {
            agent.defaulted.push(part.to_owned());
        }
    }
}

/// Returns the authentication of each declared capability.
pub(super) fn auths(manifest: &Manifest) -> impl Iterator<Item = (Position, Auth)> {
    declared(manifest).filter_map(|block| Some((block.directives.first("auth")?.at, block.auth()?)))
}

/// Returns the blocks of which the keys are known: those of capabilities in any dialect, and those of
/// callers in agents.txt 1.0.
pub(super) fn specified(manifest: &Manifest) -> impl Iterator<Item = &Block> {
    let is_d3 = manifest.dialect == Dialect::WELL_KNOWN;
    let blocks = manifest.blocks.iter();
    blocks.filter(move |block| is_d3 || !block.is_agent)
}

/// Returns the unknown keys of the blocks of callers, by the caller's name (AT-04).
pub(super) fn unknown_of_callers(manifest: &Manifest) -> Map<String, Value> {
    let callers = specified(manifest).filter(|block| block.is_agent);
    let named = callers.map(|block| (block.name.clone(), published(block.unknown())));
    let kept = named.filter(|(_, lines)| !lines.is_empty());
    extension::kept(kept.map(|(name, lines)| (name, Value::Object(lines))))
}

/// Returns the capabilities with a protocol other than REST, which are interfaces too, and the
/// descriptions of APIs that blocks name.
pub(super) fn interfaces(manifest: &Manifest) -> impl Iterator<Item = (Position, String, &str)> {
    let called = declared(manifest).filter(|block| block.protocol() != "rest");
    let called = called.filter_map(|block| {
        let endpoint = block.directives.first("endpoint")?;
        Some((endpoint.at, block.protocol(), endpoint.value.as_str()))
    });
    let described = declared(manifest).filter_map(|block| block.directives.first("openapi"));
    called.chain(described.map(|line| (line.at, "openapi".to_owned(), line.address())))
}
