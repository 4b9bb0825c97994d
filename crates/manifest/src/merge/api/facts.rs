//! Facts of an OpenAPI document in the normalized model, to complete the agents that name it.

use crate::agent::{Auth, Interface};
use crate::body::{self, Content};
use crate::formats::a2a::security;
use crate::openapi::{self, OpenApi, Operation};
use crate::reference::{self, Follow};
use crate::{Agent, Capability, Document, Fact, link, schema, text};
use std::collections::BTreeMap;

/// Positions of the fields of the model.
const POINTERS: [(Fact, &str); 3] = [
    (Fact::Name, "/info/title"),
    (Fact::Description, "/info/description"),
    (Fact::Version, "/info/version"),
];
/// Positions of the security schemes in OpenAPI 3, and in Swagger 2.
const SCHEMES: &str = "/components/securitySchemes";
const SCHEMES_OF_2: &str = "/securityDefinitions";

/// Returns the facts of an OpenAPI document; `None` if it is none.
///
/// They are no agent of their own (GP-05).
pub(crate) fn agent(document: &Document) -> Option<Agent> {
    let body = body::open(document);
    let api = match &body.content {
        Content::Json(value) => openapi::of_value(value)?,
        Content::Text => openapi::of_value(&openapi::parse(&body.text)?)?,
        Content::Html | Content::Nothing => return None,
    };
    let servers = servers(&api, document);
    let base = servers.first().map(String::as_str);
    let auth = auths(&api, document);
    let mut pointers: BTreeMap<String, String> = POINTERS
        .map(|(fact, pointer)| (fact.into(), pointer.to_owned()))
        .into();
    let of_servers = if api.has_default_server {
        ""
    } else {
        "/servers"
    };
    pointers.insert(Fact::Interfaces.into(), of_servers.to_owned());
    let of_schemes = if api.version.starts_with('2') {
        SCHEMES_OF_2
    } else {
        SCHEMES
    };
    pointers.insert(Fact::Auth.into(), of_schemes.to_owned());
    let capabilities = api.operations.into_iter();
    let mut agent = Agent {
        name: api.title.unwrap_or_default(),
        description: api.description,
        version: api.release,
        capabilities: capabilities
            .map(|it| capability(it, base, document))
            .collect(),
        auth,
        interfaces: servers
            .into_iter()
            .map(|url| Interface {
                protocol: "rest".to_owned(),
                url,
                ..Interface::default()
            })
            .collect(),
        pointers,
        ..Agent::default()
    };
    agent.raw_values().for_each(text::unhide);
    Some(agent)
}

/// Returns the base URLs that a caller can reach.
fn servers(api: &OpenApi, document: &Document) -> Vec<String> {
    let servers = api.servers.iter();
    text::distinct(servers.filter_map(|url| reachable(url, "/servers", document)))
}

/// Returns the absolute URL of a server, unless it has a variable or cannot be reached.
fn reachable(url: &str, pointer: &str, document: &Document) -> Option<String> {
    if url.contains('{') {
        return None;
    }
    let reference = reference::to(document, "api", url, pointer)?;
    let is_refused = matches!(reference.follow, Follow::Refused(_));
    (!is_refused).then_some(reference.url)
}

/// Returns the ways to authenticate that some operation needs, each once.
fn auths(api: &OpenApi, document: &Document) -> Vec<Auth> {
    let operations = api.operations.iter();
    let requirements = operations.filter_map(|it| it.security.as_ref());
    let names = requirements.flatten().flatten();
    let mut auths: Vec<(&String, Auth)> = Vec::new();
    for name in names {
        if auths.iter().all(|(known, _)| *known != name)
            && let Some(scheme) = api.security_schemes.get(name)
            && let Some(auth) = security::of_scheme(name, scheme, document)
        {
            auths.push((name, auth));
        }
    }
    auths.into_iter().map(|(_, auth)| auth).collect()
}

fn capability(operation: Operation, base: Option<&str>, document: &Document) -> Capability {
    let own = operation.server.as_ref();
    let own = own.map(|url| reachable(url, &operation.pointer, document));
    let base = own.unwrap_or_else(|| base.map(str::to_owned));
    let needs_none = |it: &Vec<Vec<String>>| it.is_empty() || it.iter().any(Vec::is_empty);
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
        url: base.and_then(|base| link::concatenated(&base, &operation.path)),
        requires_auth: operation.security.as_ref().map(|it| !needs_none(it)),
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
