//! A2A agent cards of every generation, hybrids included.

use crate::finding::Findings;
use crate::format::{Fields, Format, Input, Spelling};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference};
use serde_json::Value;
use url::Url;

mod binding;
mod card;
mod generation;
mod interfaces;
mod members;
mod normalize;
mod rules;
pub(crate) mod security;
mod shape;
mod signature;
mod spelling;
#[cfg(test)]
mod tests;
mod validate;

use card::Card;
use generation::Generation;

/// Reader of A2A agent cards.
pub(crate) struct A2aAgentCard;

impl Format for A2aAgentCard {
    type Manifest = Card;

    const ID: FormatId = rules::ID;
    const TITLE: &'static str = rules::FORMAT;
    const CLAIMS: &'static [&'static str] = &["agent-card.json"];
    const MARKERS: &'static [Marker] = &[Marker::common(Self::ID, is_agent_card)];
    const OUTLINES: &'static [(&'static Schema, u8)] = &[
        (&shape::CARD, Generation::V1.number()),
        (&shape::CARD, Generation::V03.number()),
    ];
    const ROWS: Option<&'static Schema> = Some(&shape::CARD);
    const PLACES: &'static [&'static str] =
        &["/.well-known/agent-card.json", "/.well-known/agent.json"];
    const FIELDS: Fields = &[
        (Fact::Name, &["/name"]),
        (Fact::Description, &["/description"]),
        (Fact::Url, &["/supportedInterfaces/0/url", "/url"]),
        (Fact::Version, &["/version"]),
        (Fact::Provider, &["/provider"]),
        (Fact::Docs, &["/documentationUrl"]),
        (Fact::Logo, &["/iconUrl"]),
        (Fact::Homepage, &["/provider/url"]),
        (Fact::Tags, &["/skills"]),
        (Fact::Capabilities, &["/skills"]),
        (
            Fact::Auth,
            &["/securitySchemes", "/authentication", "/security"],
        ),
        (Fact::Interfaces, &["/supportedInterfaces", "/url"]),
        (Fact::Signatures, &["/signatures"]),
        (Fact::InputModes, &["/defaultInputModes"]),
        (Fact::OutputModes, &["/defaultOutputModes"]),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;
    const OWN_MEANINGS: &'static [&'static str] = &["capabilities"];

    fn respelled(card: &Value) -> Option<Spelling> {
        spelling::respelled(card)
    }

    fn parse(input: &Input<'_>) -> Card {
        input.manifest()
    }

    fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
        validate::validate(card, input, findings);
    }

    fn normalize(card: &Card, input: &Input<'_>) -> Vec<Agent> {
        vec![normalize::normalize(card, input)]
    }

    fn references(card: &Card, input: &Input<'_>) -> Vec<Reference> {
        let provider = card.provider.get().and_then(|provider| provider.url.raw());
        provider
            .and_then(|url| reference::to(input.document, "homepage", url, "/provider/url"))
            .into_iter()
            .collect()
    }

    fn generation(card: &Card) -> Option<String> {
        Some(Generation::of(card).as_str().to_owned())
    }
}

/// Flags of the protocol in a card's `capabilities`.
const FLAGS: [&str; 4] = [
    "streaming",
    "pushNotifications",
    "stateTransitionHistory",
    "extendedAgentCard",
];

/// Reports whether an object only resembles a card (GP-11): nothing in it is of A2A but a list of
/// skills that name calls of HTTP or are mere words, or a flag of the protocol among capabilities of
/// which some are no flags, or which a site offers at its root.
pub(super) fn resembles_only(o: &marker::Object) -> bool {
    const OWN: [&str; 8] = [
        "protocolVersion",
        "supportedInterfaces",
        "additionalInterfaces",
        "preferredTransport",
        "securitySchemes",
        "supportsAuthenticatedExtendedCard",
        "defaultInputModes",
        "defaultOutputModes",
    ];
    let are_words = |skills: &Vec<Value>| !skills.is_empty() && skills.iter().all(Value::is_string);
    if OWN.iter().any(|name| o.contains_key(*name)) {
        return false;
    }
    let is_of_cards = |name: &str| FLAGS.contains(&name) || name == "extensions";
    match (marker::array(o, "skills"), o.get("capabilities")) {
        (Some(skills), None) => are_words(skills) || skills.iter().any(is_call),
        (None, Some(Value::Object(capabilities))) => {
            let mut others = capabilities.iter().filter(|(name, _)| !is_of_cards(name));
            let are_at_root = others.clone().next().is_some() && is_root(o.get("url"));
            are_at_root || others.any(|(_, value)| !value.is_boolean())
        }
        _ => false,
    }
}

/// Reports whether a URL names a site and no endpoint of it.
fn is_root(url: Option<&Value>) -> bool {
    let url = url
        .and_then(Value::as_str)
        .and_then(|url| Url::parse(url).ok());
    url.is_some_and(|url| url.path() == "/")
}

/// Reports whether an object names a call of HTTP.
fn is_call(value: &Value) -> bool {
    ["endpoint", "path", "method"]
        .iter()
        .any(|name| value[*name].is_string())
}

fn is_agent_card(o: &marker::Object) -> bool {
    let has = |name| o.contains_key(name);
    let capabilities_are_flags = marker::object(o, "capabilities").is_some_and(|map| {
        FLAGS.iter().any(|flag| map.contains_key(*flag)) && !map.values().any(is_call)
    });
    marker::array(o, "supportedInterfaces").is_some()
        || marker::array(o, "supported_interfaces").is_some()
        || (marker::array(o, "skills").is_some() && marker::array(o, "capabilities").is_none())
        || capabilities_are_flags
        || has("preferredTransport")
        || has("additionalInterfaces")
        || has("securitySchemes")
        || has("supportsAuthenticatedExtendedCard")
        || (has("defaultInputModes") && has("defaultOutputModes"))
}
