//! Facts of an OpenAPI document in the normalized model, to complete the agents that name it.

use crate::agent::Interface;
use crate::body::{self, Content};
use crate::openapi::{self, OpenApi, Operation};
use crate::reference::{self, Follow};
use crate::{Agent, Capability, Document, Fact, link, schema, text};
use std::collections::BTreeMap;

/// Positions of the fields of the model.
const POINTERS: [(Fact, &str); 4] = [
    (Fact::Name, "/info/title"),
    (Fact::Description, "/info/description"),
    (Fact::Version, "/info/version"),
    (Fact::Interfaces, "/servers"),
];

/// Returns the facts of an OpenAPI document; `None` if it is none.
///
/// They are no agent of their own (GP-05).
pub(super) fn agent(document: &Document) -> Option<Agent> {
    let body = body::open(document);
    let api = match &body.content {
        Content::Json(value) => openapi::of_value(value)?,
        Content::Text => openapi::of_value(&openapi::parse(&body.text)?)?,
        Content::Html | Content::Nothing => return None,
    };
    let servers = servers(&api, document);
    let base = servers.first().map(String::as_str);
    let capabilities = api.operations.into_iter();
    let mut agent = Agent {
        name: api.title.unwrap_or_default(),
        description: api.description,
        version: api.release,
        capabilities: capabilities.map(|it| capability(it, base)).collect(),
        interfaces: servers
            .into_iter()
            .map(|url| Interface {
                protocol: "rest".to_owned(),
                url,
                ..Interface::default()
            })
            .collect(),
        pointers: BTreeMap::from(
            POINTERS.map(|(field, pointer)| (field.into(), pointer.to_owned())),
        ),
        ..Agent::default()
    };
    agent.raw_values().for_each(text::unhide);
    Some(agent)
}

/// Returns the base URLs that a caller can reach.
fn servers(api: &OpenApi, document: &Document) -> Vec<String> {
    let servers = api.servers.iter().filter(|url| !url.contains('{'));
    let servers = servers.filter_map(|url| reference::to(document, "api", url, "/servers"));
    let public = servers.filter(|it| !matches!(it.follow, Follow::Refused(_)));
    text::distinct(public.map(|it| it.url))
}

fn capability(operation: Operation, base: Option<&str>) -> Capability {
    let call = format!("{} {}", operation.method, operation.path);
    let id = operation.id.clone().unwrap_or_else(|| call.clone());
    let title = operation.id.or_else(|| operation.summary.clone());
    let name = title.unwrap_or(call);
    let description = operation.description.or(operation.summary);
    let has_params = operation
        .params
        .iter()
        .any(|it| it.location.as_deref() != Some("body"));
    Capability {
        id,
        description: description.filter(|it| *it != name),
        name,
        url: base.and_then(|base| link::concatenated(base, &operation.path)),
        endpoint: Some(operation.path),
        method: Some(operation.method),
        input_schema: operation
            .body
            .filter(|_| !has_params)
            .or_else(|| schema::of_params(&operation.params)),
        params: operation.params,
        tags: operation.tags,
        deprecated: operation.deprecated,
        protocol: Some("rest".to_owned()),
        pointer: operation.pointer,
        ..Capability::default()
    }
}
