//! D3: `Site-Name`, `Site-URL` and indented blocks below `Capability:` and `Agent:`
//! (kaylacar/agents-txt 1.0 and draft-car-agents-txt-wellknown-00; FORMATS.md 4.6).

use super::Manifest;
use super::lines::Place;
use crate::agent::Auth;
use crate::{Agent, Capability, Document};

pub(super) mod block;
pub(super) mod rules;
mod validate;

pub(super) use block::Block;
pub(super) use validate::validate;

/// True when the file describes its publisher's own bot, which offers nothing (AT-37).
pub(super) fn is_operator(manifest: &Manifest) -> bool {
    let kind = manifest.directives.text("declaration-type");
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("agent"))
}

/// The blocks that declare a capability; outside D3 one without an endpoint says nothing.
fn declared(manifest: &Manifest) -> impl Iterator<Item = &Block> {
    let is_d3 = manifest.dialect == super::Dialect::D3;
    let blocks = manifest.blocks.iter().filter(|block| !block.is_agent);
    blocks.filter(move |block| is_d3 || block.directives.first("endpoint").is_some())
}

/// What the blocks declare.
pub(super) fn capabilities<'m>(
    manifest: &'m Manifest,
    document: &'m Document,
) -> impl Iterator<Item = (Place, Capability)> {
    declared(manifest).map(|block| (block.at, block.capability(document)))
}

/// Names the values that the publisher left to the specification (AT-32, AT-33).
pub(super) fn note_defaults(manifest: &Manifest, agent: &mut Agent) {
    let is_left = |key: &'static str| {
        move |block: &Block| block.protocol() == "rest" && block.directives.first(key).is_none()
    };
    let defaults = [
        ("protocol", "capabilities.protocol"),
        ("method", "capabilities.method"),
        ("auth", "capabilities.requires_auth"),
    ];
    for (key, field) in defaults {
        if !agent.capabilities.is_empty() && declared(manifest).any(is_left(key)) {
            agent.defaulted.push(field.to_owned());
        }
    }
}

/// How callers of single capabilities authenticate.
pub(super) fn auths(manifest: &Manifest) -> impl Iterator<Item = (Place, Auth)> {
    declared(manifest).filter_map(|block| Some((block.directives.first("auth")?.at, block.auth()?)))
}

/// Capabilities that speak something else than REST are interfaces, too.
pub(super) fn interfaces(manifest: &Manifest) -> impl Iterator<Item = (Place, String, &str)> {
    let blocks = declared(manifest).filter(|block| block.protocol() != "rest");
    blocks.filter_map(|block| {
        let endpoint = block.directives.first("endpoint")?;
        Some((endpoint.at, block.protocol(), endpoint.value.as_str()))
    })
}
