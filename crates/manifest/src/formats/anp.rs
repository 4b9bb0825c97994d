//! Agent Network Protocol: descriptions of agents, and collections of them.
//!
//! A collection lists the locations of descriptions. If an item has more than a name and belongs to
//! the site, it is listed as an agent. Each interface of an agent is one capability, with its own
//! protocol. The form of 2025, with `@type` and `@id`, is accepted too.
//!
//! <https://github.com/agent-network-protocol/AgentNetworkProtocol>, ANP-07 and ANP-08

use crate::agent::{self, Provider};
use crate::field::{Field, List, Table};
use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Capability, Fact, FormatId, Reference, link};
use serde::Deserialize;
use serde_json::{Map, Value};

mod rules;
mod validate;

/// Maximum number of agents that are read of one page (AN-03).
const MAX_ITEMS: usize = 200;
/// Maximum number of interfaces that are read of one agent.
const MAX_INTERFACES: usize = 200;

/// Reader of agent descriptions.
pub(super) struct AnpAgentDescription;

/// Reader of collections of agent descriptions.
pub(super) struct AnpCollection;

/// Page of a collection.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Collection {
    items: List<AgentDescription>,
    next: Field<String>,
}

/// Agent description.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AgentDescription {
    #[serde(rename = "@id")]
    id: Field<String>,
    did: Field<String>,
    name: Field<String>,
    description: Field<String>,
    version: Field<String>,
    url: Field<String>,
    owner: Field<Owner>,
    #[serde(rename = "securityDefinitions")]
    security_definitions: Table<Definition>,
    security: Field<Value>,
    interfaces: List<Interface>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Owner of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Owner {
    name: Field<String>,
    url: Field<String>,
    #[serde(rename = "@id")]
    id: Field<String>,
}

/// Authentication scheme.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Definition {
    scheme: Field<String>,
    #[serde(rename = "in")]
    location: Field<String>,
    name: Field<String>,
}

/// Interface of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Interface {
    #[serde(rename = "type")]
    kind: Field<String>,
    /// Type in the form of 2025.
    #[serde(rename = "@type")]
    older_kind: Field<String>,
    protocol: Field<String>,
    version: Field<String>,
    url: Field<String>,
    description: Field<String>,
    #[serde(rename = "humanAuthorization")]
    human_authorization: Field<bool>,
}

const FIELDS: Fields = &[
    (Fact::Name, &["/name"]),
    (Fact::Description, &["/description"]),
    (Fact::Version, &["/version"]),
    (Fact::Url, &["/url"]),
    (Fact::Provider, &["/owner"]),
    (Fact::Auth, &["/securityDefinitions"]),
    (Fact::Capabilities, &["/interfaces"]),
    (Fact::Interfaces, &["/interfaces"]),
];

impl Format for AnpAgentDescription {
    type Manifest = AgentDescription;

    const ID: FormatId = FormatId::specified("anp-agent-description");
    const TITLE: &'static str = "ANP agent description";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        marker::text(o, "protocolType") == Some("ANP")
            || marker::is_type(o, |name| name.ends_with("AgentDescription"))
    })];
    const PLACES: &'static [&'static str] = &["/ad.json"];
    const SHAPE: Option<&'static Schema> = Some(&validate::DESCRIPTION);
    const FIELDS: Fields = FIELDS;
    const RULES: &'static [&'static Rule] = rules::DESCRIPTION;

    fn parse(input: &Input<'_>) -> AgentDescription {
        input.manifest()
    }

    fn validate(description: &AgentDescription, _: &Input<'_>, findings: &mut Findings) {
        validate::description(description, findings);
    }

    fn normalize(description: &AgentDescription, input: &Input<'_>) -> Vec<Agent> {
        vec![description.normalize("", input)]
    }

    fn references(description: &AgentDescription, input: &Input<'_>) -> Vec<Reference> {
        let owner = description.owner.get().and_then(|owner| owner.url.raw());
        let owner =
            owner.and_then(|url| reference::to(input.document, "homepage", url, "/owner/url"));
        owner.into_iter().collect()
    }
}

impl Format for AnpCollection {
    type Manifest = Collection;

    const ID: FormatId = FormatId::specified("anp-collection");
    const TITLE: &'static str = "ANP collection";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        marker::is_type(o, |name| name.ends_with("CollectionPage")) && o.contains_key("items")
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agent-descriptions"];
    const SHAPE: Option<&'static Schema> = Some(&validate::COLLECTION);
    const FIELDS: Fields = FIELDS;
    const RULES: &'static [&'static Rule] = rules::COLLECTION;

    fn parse(input: &Input<'_>) -> Collection {
        input.manifest()
    }

    fn validate(collection: &Collection, _: &Input<'_>, findings: &mut Findings) {
        validate::collection(collection, findings);
    }

    /// Items that only name an agent are mentions of its description.
    fn normalize(collection: &Collection, input: &Input<'_>) -> Vec<Agent> {
        let items = collection.items.items().take(MAX_ITEMS);
        items
            .filter(|(_, item)| !item.description.is_absent() || !item.interfaces.is_absent())
            .filter(|(_, item)| {
                let id = item
                    .location()
                    .map(|(_, id)| link::absolute(&input.document.url, id));
                id.is_none_or(|id| id.is_some_and(|id| link::is_own(input.document, &id)))
            })
            .map(|(index, item)| {
                let mut agent = item.normalize(&format!("/items/{index}"), input);
                if item.location().is_some_and(|(name, _)| name == "url") {
                    // Where an agent is described is not where it is called.
                    agent.url = None;
                }
                agent
            })
            .collect()
    }

    fn references(collection: &Collection, input: &Input<'_>) -> Vec<Reference> {
        let items = collection.items.items().take(MAX_ITEMS);
        let items = items.filter_map(|(index, item)| {
            let (name, url) = item.location()?;
            let pointer = format!("/items/{index}/{name}");
            reference::to(input.document, "anp-agent-description", url, &pointer)
        });
        let next = collection.next.raw();
        let next = next.and_then(|next| reference::to(input.document, "next", next, "/next"));
        items.chain(next).collect()
    }
}

impl AgentDescription {
    /// Returns the member of an item with the location of the description, and the location; `url` holds it
    /// where `@id` is missing.
    fn location(&self) -> Option<(&'static str, &str)> {
        let of_id = self.id.raw().map(|id| ("@id", id));
        of_id.or_else(|| Some(("url", self.url.raw()?)))
    }

    fn normalize(&self, at: &str, input: &Input<'_>) -> Agent {
        let absolute = |field: &Field<String>| link::absolute(&input.document.url, field.raw()?);
        let owner = self.owner.get().and_then(|owner| {
            Some(Provider {
                name: owner.name.text()?,
                url: absolute(&owner.url).or_else(|| absolute(&owner.id)),
            })
        });
        let interfaces = || self.interfaces.items().take(MAX_INTERFACES);
        Agent {
            key: self
                .did
                .text()
                .or_else(|| self.id.text())
                .unwrap_or_default(),
            pointer: at.to_owned(),
            name: self.name.text().unwrap_or_default(),
            description: self.description.text(),
            version: self.version.text(),
            url: absolute(&self.url),
            provider: owner,
            capabilities: interfaces()
                .filter_map(|(index, it)| it.capability(&format!("{at}/interfaces/{index}"), input))
                .collect(),
            auth: self.auths(),
            interfaces: interfaces()
                .filter_map(|(_, it)| it.endpoint(input))
                .collect(),
            extensions: self.unknown.clone(),
            ..Agent::default()
        }
    }

    fn auths(&self) -> Vec<agent::Auth> {
        let definitions = self.security_definitions.members();
        let auths = definitions.filter_map(|(name, definition)| {
            let mut auth = agent::Auth::of(definition.scheme.raw()?);
            auth.location = definition.location.text();
            auth.name = definition
                .name
                .text()
                .or(auth.name)
                .or_else(|| crate::text::some(name));
            Some(auth)
        });
        auths.take(20).collect()
    }

    /// Returns the names in `security`: one, or a list.
    fn security_names(&self) -> Vec<&str> {
        match self.security.get() {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) | None => Vec::new(),
        }
    }
}

impl Interface {
    /// Returns its type without the vocabulary's prefix, `ad:` or a URL.
    fn kind(&self) -> Option<String> {
        let kind = self.kind.text().or_else(|| self.older_kind.text())?;
        let name = kind.rsplit([':', '/', '#']).next().unwrap_or_default();
        Some(name.to_owned()).filter(|name| !name.is_empty())
    }

    fn capability(&self, at: &str, input: &Input<'_>) -> Option<Capability> {
        let protocol = self.protocol.text();
        let name = self.kind().or_else(|| protocol.clone())?;
        Some(Capability {
            id: name.clone(),
            name,
            description: self.description.text(),
            endpoint: self.url.text(),
            url: self
                .url
                .raw()
                .and_then(|url| link::absolute(&input.document.url, url)),
            human_handoff: self.human_authorization.get().copied(),
            protocol: protocol.map(|protocol| protocol.to_lowercase()),
            pointer: at.to_owned(),
            ..Capability::default()
        })
    }

    /// Returns the endpoint of an MCP server; for other protocols the URL is that of a description.
    fn endpoint(&self, input: &Input<'_>) -> Option<agent::Interface> {
        let is_mcp = self
            .protocol
            .raw()
            .is_some_and(|protocol| protocol.eq_ignore_ascii_case("mcp"));
        let url = self.url.raw().filter(|_| is_mcp)?;
        Some(agent::Interface {
            protocol: "mcp".to_owned(),
            version: self.version.text(),
            url: link::absolute(&input.document.url, url)?,
            ..agent::Interface::default()
        })
    }
}
