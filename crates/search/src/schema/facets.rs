//! Values of the facets by which agents are filtered and counted.

use super::MAX_VALUE;
use crate::facet::{A2A_AGENT, Facet, MCP_DOCUMENTS, MCP_SERVER};
use manifest::agent::Capability;
use manifest::convert::agent_card;
use std::collections::BTreeSet;
use store::StoredAgent;

/// Properties of an agent that it does not state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detected<'a> {
    /// Language of its texts (ISO 639-1).
    pub language: Option<&'a str>,
    /// Id of its category, or [`OTHER`](crate::OTHER); none while it waits for its sentence vector.
    pub category: Option<&'a str>,
}

/// Returns the distinct values of a facet.
pub fn values(facet: Facet, stored: &StoredAgent, detected: Detected<'_>) -> BTreeSet<String> {
    let agent = &stored.listing.agent;
    let capabilities = &agent.capabilities;
    let found: BTreeSet<String> = match facet {
        Facet::Callable => one(connect::callable(&stored.listing).as_str()),
        Facet::Category => one(detected.category.unwrap_or_default()),
        Facet::Format => one(stored.listing.format.as_str()),
        Facet::Document => documents(stored),
        Facet::Level => one(stored.listing.level.as_str()),
        Facet::Status => one(stored.status.as_str()),
        Facet::Tld => one(stored.domain.tld()),
        Facet::Site => BTreeSet::from([
            stored.domain.as_str().to_owned(),
            stored.domain.registrable().to_owned(),
        ]),
        Facet::Protocol => agent
            .interfaces
            .iter()
            .map(|interface| &interface.protocol)
            .chain(capabilities.iter().filter_map(|it| it.protocol.as_ref()))
            .map(|protocol| facet.canonical(protocol))
            .collect(),
        Facet::Auth if agent.auth.is_empty() => one("unknown"),
        Facet::Auth => agent
            .auth
            .iter()
            .map(|auth| facet.canonical(&auth.scheme))
            .collect(),
        Facet::Registration => flag(
            agent
                .auth
                .iter()
                .map(|it| Some(it.registration_url.is_some())),
        ),
        Facet::Session => flag(capabilities.iter().map(|it| it.requires_session)),
        Facet::Handoff => flag(capabilities.iter().map(|it| it.human_handoff)),
        Facet::Language if agent.languages.is_empty() => one(detected.language.unwrap_or_default()),
        Facet::Language => agent
            .languages
            .iter()
            .map(|it| facet.canonical(it))
            .collect(),
        Facet::Openapi => flag(
            agent
                .interfaces
                .iter()
                .map(|it| Some(it.protocol.eq_ignore_ascii_case("openapi"))),
        ),
        Facet::ModalityIn => modes(facet, &agent.input_modes, capabilities, |it| {
            &it.input_modes
        }),
        Facet::ModalityOut => modes(facet, &agent.output_modes, capabilities, |it| {
            &it.output_modes
        }),
        Facet::Signed => flag(std::iter::once(Some(!agent.signatures.is_empty()))),
        Facet::Tag => {
            let of_capabilities = capabilities.iter().flat_map(|it| &it.tags);
            let tags = agent.tags.iter().chain(of_capabilities);
            tags.map(|tag| facet.canonical(tag)).collect()
        }
        Facet::Capability => capabilities
            .iter()
            .flat_map(|it| [&it.name, &it.id])
            .map(|name| facet.canonical(name))
            .collect(),
    };
    found
        .into_iter()
        .filter(|value| !value.is_empty() && value.len() <= MAX_VALUE)
        .collect()
}

/// Returns the formats of all documents of an agent, and whether it is an MCP server or an A2A agent
/// without one.
fn documents(stored: &StoredAgent) -> BTreeSet<String> {
    let sources = stored.listing.sources.iter();
    let mut formats: BTreeSet<String> = sources.map(|it| it.format.as_str().to_owned()).collect();
    formats.insert(stored.listing.format.as_str().to_owned());
    let is_described = MCP_DOCUMENTS.iter().any(|it| formats.contains(*it));
    if !is_described && connect::is_mcp_server(&stored.listing.agent) {
        formats.insert(MCP_SERVER.to_owned());
    }
    if agent_card::written(&stored.domain, &stored.listing).is_some() {
        formats.insert(A2A_AGENT.to_owned());
    }
    formats
}

/// Collects the modalities of an agent and of its capabilities.
fn modes(
    facet: Facet,
    own: &[String],
    capabilities: &[Capability],
    of: impl Fn(&Capability) -> &Vec<String>,
) -> BTreeSet<String> {
    own.iter()
        .chain(capabilities.iter().flat_map(of))
        .map(|mode| facet.canonical(mode))
        .collect()
}

fn one(value: &str) -> BTreeSet<String> {
    BTreeSet::from([value.to_owned()])
}

fn flag(mut values: impl Iterator<Item = Option<bool>>) -> BTreeSet<String> {
    one(if values.any(|value| value == Some(true)) {
        "true"
    } else {
        "false"
    })
}
