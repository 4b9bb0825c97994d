//! Conversion of a card to the normalized model.

use super::card::{Card, Skill};
use super::generation::describes_url;
use super::{interfaces, security, signature};
use crate::agent::{Interface, Provider};
use crate::fact::part;
use crate::field::{Field, List};
use crate::format::Input;
use crate::{Agent, Capability, Fact, link, text};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most tags that are taken from `capabilities` of one card.
const MAX_FEATURES: usize = 100;

/// Returns the agent that `card` describes.
pub(super) fn normalize(card: &Card, input: &Input<'_>) -> Agent {
    let document = input.document;
    let url = |field: &Field<String>| link::absolute(&document.url, field.raw()?);
    let interfaces = interfaces::normalize(card, document);
    let mut defaulted = Vec::new();
    if interfaces.is_defaulted {
        defaulted.push(part::TRANSPORT.to_owned());
    }
    let provider = card.provider.get();
    let homepage = provider
        .and_then(|provider| url(&provider.url))
        .unwrap_or_else(|| {
            defaulted.push(Fact::Homepage.into());
            link::origin(document)
        });
    let extensions = extensions(card, &interfaces.listed, url(&card.url));
    let is_callable = |interface: &Interface| interface.url.contains("://");
    let main = interfaces.listed.iter().position(is_callable);
    let place = |field: Fact, pointer: &str| (field.into(), pointer.to_owned());
    let mut pointers: BTreeMap<_, _> = main
        .map(|main| place(Fact::Url, &interfaces.pointers[main]))
        .into_iter()
        .collect();
    let skills = skills(card);
    let mut tags: Vec<_> = skills.iter().flat_map(|skill| skill.tags.clone()).collect();
    let features = own_features(card);
    if tags.is_empty() && !features.is_empty() {
        pointers.extend([place(Fact::Tags, "/capabilities")]);
    }
    tags.extend(features);
    Agent {
        name: card.name.text().unwrap_or_default(),
        description: card.description.text(),
        pointers,
        url: main.map(|main| interfaces.listed[main].url.clone()),
        version: card.version.text(),
        provider: provider.and_then(|provider| {
            Some(Provider {
                name: provider.organization.text()?,
                url: url(&provider.url),
            })
        }),
        docs: url(&card.documentation_url),
        logo: url(&card.icon_url),
        homepage: Some(homepage),
        tags: text::distinct(tags),
        capabilities: skills,
        auth: security::auths(card, document),
        interfaces: interfaces.listed,
        programs: interfaces.programs,
        signatures: signature::normalize(card, input),
        input_modes: card.default_input_modes.texts(),
        output_modes: card.default_output_modes.texts(),
        specified: specified(card),
        extensions,
        defaulted,
        ..Agent::default()
    }
}

fn skills(card: &Card) -> Vec<Capability> {
    let items = card.skills.get().map_or(&[][..], Vec::as_slice);
    let needs_auth = security::is_needed_by_all(card);
    items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| {
            let pointer = format!("/skills/{index}");
            match item {
                Field::Is(skill) => capability(skill, needs_auth, pointer),
                Field::Wrong(Value::String(name)) => {
                    let name = text::some(name)?;
                    Some(Capability {
                        id: name.clone(),
                        name,
                        pointer,
                        ..Capability::default()
                    })
                }
                Field::Wrong(_) | Field::Absent => None,
            }
        })
        .collect()
}

fn capability(skill: &Skill, needs_auth: Option<bool>, pointer: String) -> Option<Capability> {
    let name = skill.name.text().or_else(|| skill.id.text())?;
    Some(Capability {
        id: skill.id.text().unwrap_or_else(|| name.clone()),
        name,
        description: skill.description.text(),
        requires_auth: security::is_needed_by_itself(&skill.security, &skill.security_requirements)
            .or(needs_auth),
        tags: texts(&skill.tags),
        examples: texts(&skill.examples),
        input_modes: skill.input_modes.texts(),
        output_modes: skill.output_modes.texts(),
        pointer,
        ..Capability::default()
    })
}

/// Returns the texts of a list; a single string counts as a list of one.
fn texts(list: &List<String>) -> Vec<String> {
    match list {
        Field::Wrong(Value::String(only)) => text::some(only).into_iter().collect(),
        Field::Is(_) | Field::Wrong(_) | Field::Absent => list.texts(),
    }
}

/// Returns the true members of `capabilities` that are not protocol features; they become tags.
fn own_features(card: &Card) -> Vec<String> {
    const OF_PROTOCOL: [&str; 8] = [
        "streaming",
        "pushNotifications",
        "push_notifications",
        "stateTransitionHistory",
        "state_transition_history",
        "extendedAgentCard",
        "extended_agent_card",
        "extensions",
    ];
    let features = card.capabilities.get().into_iter().flatten();
    let claimed = features.filter(|(_, value)| **value == Value::Bool(true));
    let own = claimed.filter(|(name, _)| !OF_PROTOCOL.contains(&name.as_str()));
    own.filter_map(|(name, _)| text::some(name))
        .take(MAX_FEATURES)
        .collect()
}

/// Returns the members that A2A does not define, and a `url` beside the interfaces of 1.0 that is the
/// address of none of them.
fn extensions(card: &Card, interfaces: &[Interface], url: Option<String>) -> Map<String, Value> {
    let mut extensions = card.unknown.clone();
    let is_listed = |url: &String| interfaces.iter().any(|it| it.url == *url);
    if !describes_url(card)
        && let Some(url) = url.filter(|url| !is_listed(url))
    {
        extensions.insert("url".to_owned(), url.into());
    }
    extensions
}

/// Returns the protocol features, as published.
fn specified(card: &Card) -> Map<String, Value> {
    let features = card.capabilities.get().filter(|it| !it.is_empty());
    let named = |features: &Map<String, Value>| {
        ("capabilities".to_owned(), Value::Object(features.clone()))
    };
    features.map(named).into_iter().collect()
}
