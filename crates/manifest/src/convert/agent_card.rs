//! Agent cards of agents that publish none.

use super::{Origin, Target, convert};
use crate::{Domain, Listing};
use serde_json::Value;

/// Format of the cards that sites publish.
const CARD: &str = "a2a-agent-card";

/// Writes the card of an A2A agent whose site publishes none, as of an entry with an inline card in a
/// catalogue; for version 0.3 if the agent speaks it. Returns `None` for any other agent, and for one
/// that lacks a fact that A2A requires.
pub fn written(domain: &Domain, listing: &Listing) -> Option<Value> {
    let is_published = listing.sources.iter().any(|it| it.format.as_str() == CARD);
    let interface = listing
        .agent
        .interfaces
        .iter()
        .find(|it| it.protocol == "a2a");
    let interface = interface.filter(|_| !is_published)?;
    let is_old = interface
        .version
        .as_ref()
        .is_none_or(|it| it.starts_with("0."));
    let target = if is_old { Target::A2a03 } else { Target::A2a };
    let origin = Origin::of_listing(domain, listing)?;
    let body = convert(std::slice::from_ref(&listing.agent), &origin, target).body?;
    serde_json::from_str(&body).ok()
}
