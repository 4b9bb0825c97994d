//! Agent Identity Kit: the identity of an agent and its owner.
//!
//! A card describes one agent; a team file lists agents with the addresses of their cards.
//! The trust level in a card is the agent's own claim, and is kept as such.

use crate::agent::{Interface, Provider};
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Capability, Fact, FormatId, Reference, extension, link, text};
use manifest::{Card, Owner};
use serde_json::{Map, Value};

mod manifest;
mod rules;
mod shape;
mod team;
mod validate;

pub(super) use team::IdentityTeam;

/// Reader of identity cards.
pub(super) struct IdentityKit;

impl Format for IdentityKit {
    type Manifest = Card;

    const ID: FormatId = FormatId::specified("agent-identity-kit");
    const TITLE: &'static str = rules::FORMAT;
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Self::ID, |o| {
        marker::object(o, "agent").is_some() && marker::object(o, "owner").is_some()
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agent.json"];
    const SHAPE: Option<&'static Schema> = Some(&shape::CARD);
    const OWN_MEANINGS: &'static [&'static str] = &["version"];
    const FIELDS: Fields = &[
        (Fact::Name, &["/agent/name"]),
        (Fact::Description, &["/agent/description"]),
        (Fact::Homepage, &["/agent/homepage"]),
        (Fact::Logo, &["/agent/avatar"]),
        (Fact::Tags, &["/agent/tags", "/protocols"]),
        (Fact::Provider, &["/owner"]),
        (Fact::Contact, &["/owner/contact"]),
        (Fact::Docs, &["/links/documentation"]),
        (Fact::Capabilities, &["/capabilities"]),
        (Fact::Interfaces, &["/endpoints"]),
    ];
    const RULES: &'static [&'static Rule] = rules::CARD;

    fn parse(input: &Input<'_>) -> Card {
        input.manifest()
    }

    fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
        validate::card(card, input, findings);
    }

    fn normalize(card: &Card, input: &Input<'_>) -> Vec<Agent> {
        let absolute = |url: Option<&str>| link::absolute(&input.document.url, url?);
        let identity = card.agent.get().cloned().unwrap_or_default();
        let owner = card.owner.get().cloned().unwrap_or_default();
        let links = card.links.get().cloned().unwrap_or_default();
        let protocols = card.protocols.get().into_iter().flatten();
        let supported = protocols
            .filter(|(_, value)| **value == Value::Bool(true))
            .filter_map(|(name, _)| text::some(name));
        vec![Agent {
            key: identity.handle.text().unwrap_or_default(),
            name: identity.name.text().unwrap_or_default(),
            description: identity.description.text(),
            homepage: absolute(identity.homepage.raw()),
            logo: absolute(identity.avatar.raw()),
            tags: text::distinct(identity.tags.texts().into_iter().chain(supported)),
            provider: provider(&owner, input),
            contact: owner.contact.text(),
            docs: absolute(links.documentation.raw()),
            capabilities: capabilities(card),
            interfaces: interfaces(card, input),
            extensions: extensions(card, input.value),
            ..Agent::default()
        }]
    }

    fn references(card: &Card, input: &Input<'_>) -> Vec<Reference> {
        let endpoints = card.endpoints.get();
        let address = endpoints.and_then(|endpoints| endpoints.get("card")?.as_str());
        let reference = address.and_then(|address| {
            reference::to(input.document, "agent-card", address, "/endpoints/card")
        });
        // A card usually gives its own address, which is not a reference.
        let is_other = |it: &Reference| it.url != input.document.url.as_str();
        reference.into_iter().filter(is_other).collect()
    }

    fn generation(card: &Card) -> Option<String> {
        card.version.text()
    }
}

fn provider(owner: &Owner, input: &Input<'_>) -> Option<Provider> {
    Some(Provider {
        name: owner.name.text()?,
        url: owner
            .url
            .raw()
            .and_then(|url| link::absolute(&input.document.url, url)),
    })
}

/// Returns the capabilities, which are words only.
fn capabilities(card: &Card) -> Vec<Capability> {
    let words = card.capabilities.items().filter_map(|(index, word)| {
        let name = text::some(word)?;
        Some(Capability {
            id: name.clone(),
            name,
            pointer: format!("/capabilities/{index}"),
            ..Capability::default()
        })
    });
    words.collect()
}

/// Returns the interfaces; the addresses of the card and of the health check are not interfaces.
fn interfaces(card: &Card, input: &Input<'_>) -> Vec<Interface> {
    const PROTOCOLS: [(&str, &str); 4] = [
        ("api", "rest"),
        ("mcp", "mcp"),
        ("a2a", "a2a"),
        ("inbox", "inbox"),
    ];
    let Some(endpoints) = card.endpoints.get() else {
        return Vec::new();
    };
    let interfaces = PROTOCOLS.into_iter().filter_map(|(name, protocol)| {
        let url = endpoints.get(name)?.as_str()?;
        Some(Interface {
            protocol: protocol.to_owned(),
            url: link::absolute(&input.document.url, url)?,
            ..Interface::default()
        })
    });
    interfaces.collect()
}

/// Returns the members that the model has no field for, as published.
fn extensions(card: &Card, value: &Value) -> Map<String, Value> {
    let mut extensions = card.unknown.clone();
    for name in ["platform", "voice", "trust", "links"] {
        if let Some(member) = value.get(name) {
            extensions.insert(name.to_owned(), member.clone());
        }
    }
    extension::unknown(&extensions, &["$schema"])
}
