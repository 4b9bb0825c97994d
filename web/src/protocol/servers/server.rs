//! Agents as servers of the registry: `server.json` and the facts about it.

use super::package::packages;
use crate::own::registry::reversed;
use crate::state::AppState;
use crate::view;
use manifest::agent::{Interface, Param};
use manifest::caution::{self, Caution};
use manifest::{AgentId, Domain};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use store::{Change, StoredAgent};

/// Schema of `server.json`.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// Schema of a server card.
const CARD_SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/// Member of `_meta` that the API defines.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// Most characters of a description.
const MAX_DESCRIPTION: usize = 100;
/// Version of an agent that states none.
const NO_VERSION: &str = "0.0.0";

/// Server, with facts about it.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "ServerItem")]
pub(super) struct Item {
    server: ServerJson,
    #[serde(rename = "_meta")]
    meta: Map<String, Value>,
}

/// Server as `server.json` of the MCP registry states it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ServerJson(Value);

impl JsonSchema for ServerJson {
    fn schema_name() -> Cow<'static, str> {
        "ServerJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = json_schema!({ "type": "string" });
        json_schema!({
            "type": "object",
            "description": "Server as `server.json` of the MCP registry states it.",
            "properties": { "$schema": text, "name": text, "description": text, "version": text },
            "required": ["$schema", "name", "description", "version"],
            "additionalProperties": {},
        })
    }
}

impl Item {
    /// Returns an agent as a server; `None` if it is not one of MCP.
    pub(super) fn of(stored: &StoredAgent, state: &AppState) -> Option<Self> {
        let server = card(stored)?;
        let sources = stored.listing.sources.iter();
        let cautions = caution::of(&stored.listing);
        let mut own = json!({
            "id": stored.listing.id,
            "page": format!("{}{}", state.public_url, view::agent_path(&stored.listing.id)),
            "level": stored.listing.level.as_str(),
            "status": stored.status.as_str(),
            "checkedAt": stored.last_seen.to_rfc3339(),
            "evidence": sources.map(|it| &it.url).collect::<Vec<_>>(),
        });
        if !cautions.is_empty() {
            own["cautions"] = cautions.iter().map(Caution::text).collect();
        }
        let own = (format!("{}/facts", state.registry().namespace()), own);
        let first_seen = stored.first_seen.to_rfc3339();
        let changed = stored.changed.to_rfc3339();
        let official = official("active", &first_seen, &first_seen, &changed);
        Some(Self {
            server: ServerJson(server),
            meta: Map::from_iter([(OFFICIAL.to_owned(), official.into()), own]),
        })
    }

    /// Returns an agent that was removed, as a deleted server.
    pub(super) fn removed(change: &Change) -> Self {
        let at = change.at.to_rfc3339();
        let mut official = official("deleted", &at, &at, &at);
        official.insert("statusMessage".to_owned(), json!("No longer listed here."));
        Self {
            server: ServerJson(json!({
                "$schema": SCHEMA,
                "name": name(&change.agent),
                "description": "No longer listed.",
                "version": NO_VERSION,
            })),
            meta: Map::from_iter([(OFFICIAL.to_owned(), official.into())]),
        }
    }

    /// Returns the name of the server.
    pub(super) fn name(&self) -> &str {
        self.text("name")
    }

    /// Returns its version.
    pub(super) fn version(&self) -> &str {
        self.text("version")
    }

    /// Iterates over the texts in which it is searched for.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        ["name", "title", "description"]
            .map(|it| self.text(it))
            .into_iter()
    }

    fn text(&self, member: &str) -> &str {
        self.server.0[member].as_str().unwrap_or_default()
    }
}

/// Returns an agent as `server.json` states a server; `None` if it is not one of MCP.
fn card(stored: &StoredAgent) -> Option<Value> {
    let agent = &stored.listing.agent;
    if !connect::is_mcp_server(agent) {
        return None;
    }
    let text = agent.description.as_deref().unwrap_or(&agent.name);
    let mut server = json!({
        "$schema": SCHEMA,
        "name": name(&stored.listing.id),
        "title": view::shortened(&agent.name, MAX_DESCRIPTION - 1),
        "description": view::shortened(text, MAX_DESCRIPTION - 1),
        "version": version(stored),
    });
    let remotes: Vec<_> = agent.interfaces.iter().filter_map(remote).collect();
    for (name, list) in [("remotes", remotes), ("packages", packages(agent))] {
        if !list.is_empty() {
            server[name] = json!(list);
        }
    }
    let pages = agent.homepage.iter().chain(&agent.docs);
    if let Some(page) = pages.clone().find(|it| it.starts_with("https://")) {
        server["websiteUrl"] = json!(page);
    }
    Some(server)
}

/// Returns an agent as a server card describes a server; one that is only started by a command, as
/// `server.json` does, because cards name no packages. Returns `None` if it is not one of MCP.
pub(in crate::protocol) fn server_card(stored: &StoredAgent) -> Option<Value> {
    let mut server = card(stored)?;
    if server.get("remotes").is_some()
        && let Some(members) = server.as_object_mut()
    {
        members.insert("$schema".to_owned(), json!(CARD_SCHEMA));
        members.remove("packages");
    }
    Some(server)
}

/// Returns what the registry itself states, of which the status has changed at `since`.
fn official(status: &str, since: &str, published: &str, updated: &str) -> Map<String, Value> {
    let facts = json!({
        "status": status,
        "statusChangedAt": since,
        "publishedAt": published,
        "updatedAt": updated,
        "isLatest": true,
    });
    facts.as_object().cloned().unwrap_or_default()
}

/// Returns the name of an agent as a server: `com.example/calendar`.
fn name(id: &AgentId) -> String {
    let (domain, slug) = id.parts();
    format!("{}/{slug}", reversed(domain))
}

/// Returns the agent with a name of [`name`].
pub(super) fn id_of(name: &str) -> Option<AgentId> {
    let (namespace, slug) = name.split_once('/')?;
    let domain = Domain::parse(&reversed(namespace)).ok()?;
    let id = AgentId::new(&domain, slug);
    (self::name(&id) == name).then_some(id)
}

/// Returns the version of an agent.
pub(super) fn version(stored: &StoredAgent) -> &str {
    let version = stored.listing.agent.version.as_deref();
    version.unwrap_or(NO_VERSION)
}

/// Returns an interface as the remote of a server.
fn remote(interface: &Interface) -> Option<Value> {
    if !connect::is_mcp_over_http(interface) {
        return None;
    }
    let kind = match interface.transport.as_deref() {
        Some("sse") => "sse",
        // The usual transport, also where the manifest states none.
        _ => "streamable-http",
    };
    let mut remote = json!({"type": kind, "url": interface.url});
    let of = |place: &str| {
        let params = interface.params.iter();
        let place = place.to_owned();
        params.filter(move |it| it.location.as_deref() == Some(place.as_str()))
    };
    let headers: Vec<_> = of("header")
        .map(|it| {
            let mut header = input(it);
            header.insert("name".to_owned(), json!(it.name));
            Value::Object(header)
        })
        .collect();
    let variables: Map<_, _> = of("path")
        .map(|it| (it.name.clone(), Value::Object(input(it))))
        .collect();
    if !headers.is_empty() {
        remote["headers"] = json!(headers);
    }
    if !variables.is_empty() {
        remote["variables"] = Value::Object(variables);
    }
    Some(remote)
}

/// Returns a value that a client asks its user for.
fn input(param: &Param) -> Map<String, Value> {
    let mut input = Map::from_iter([("isRequired".to_owned(), json!(param.required))]);
    if let Some(description) = &param.description {
        input.insert("description".to_owned(), json!(description));
    }
    if let Some(default) = param.default.as_ref().filter(|it| it.is_string()) {
        input.insert("default".to_owned(), default.clone());
    }
    if !param.choices.is_empty() {
        input.insert("choices".to_owned(), json!(param.choices));
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_agent() {
        let id = AgentId::new(&Domain::parse("bücher.example").unwrap(), "shelf");
        assert_eq!(name(&id), "example.xn--bcher-kva/shelf");
        assert_eq!(id_of(&name(&id)), Some(id));
        for wrong in [
            "",
            "shelf",
            "/shelf",
            "example..a/b",
            "Example.A/b",
            "a b/c",
        ] {
            assert_eq!(id_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_remote_states_what_a_client_has_to_fill_in() {
        let param = |name: &str, place: &str| Param {
            name: name.to_owned(),
            location: Some(place.to_owned()),
            required: true,
            ..Param::default()
        };
        let interface = Interface {
            protocol: "mcp".to_owned(),
            url: "https://mesa.example/{tenant}/mcp".to_owned(),
            transport: Some("sse".to_owned()),
            params: vec![param("X-Key", "header"), param("tenant", "path")],
            ..Interface::default()
        };
        let expected = json!({
            "type": "sse",
            "url": "https://mesa.example/{tenant}/mcp",
            "headers": [{"isRequired": true, "name": "X-Key"}],
            "variables": {"tenant": {"isRequired": true}},
        });
        assert_eq!(remote(&interface), Some(expected));
        let other = |protocol: &str, transport: &str, url: &str| Interface {
            protocol: protocol.to_owned(),
            transport: Some(transport.to_owned()),
            url: url.to_owned(),
            ..Interface::default()
        };
        for wrong in [
            other("a2a", "http", "https://mesa.example/a2a"),
            other("mcp", "stdio", "https://mesa.example/mcp"),
            other("mcp", "http", "npx server"),
        ] {
            assert_eq!(remote(&wrong), None, "{wrong:?}");
        }
    }
}
