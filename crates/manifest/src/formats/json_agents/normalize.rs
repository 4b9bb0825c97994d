//! Mapping of a Portable Agent Manifest to the normalized model.

use super::manifest::{Capability as Published, Graph, Manifest, Tool};
use crate::agent::{
    self, Auth, Flow, GraphEdge, GraphNode, Interface, Policy, Provider, Signature,
};
use crate::field::Field;
use crate::format::Input;
use crate::reference;
use crate::{Agent, Capability, Fact, Reference, ajson, auth, extension, link, schema};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use url::Url;

/// Maximum number of references to manifests of other agents, and to schemas (AU-11).
const MAX_REFERENCES: usize = 20;

/// Maximum number of nodes, edges, policies, signatures and schemas that are kept, each.
const MAX_PARTS: usize = 500;

/// Hosts of the schemas of registered capabilities, which are the same for all agents (C-64).
const REGISTRIES: [&str; 2] = ["jsonagents.org", "agentsjson.org"];

/// Returns the agent that the manifest describes.
pub(super) fn normalize(manifest: &Manifest, input: &Input<'_>) -> Agent {
    let document = input.document;
    let identity = manifest.agent.get().cloned().unwrap_or_default();
    let modalities = manifest.modalities.get().cloned().unwrap_or_default();
    let input_modes = modalities.input.texts();
    let output_modes = modalities.output.texts();
    let tools = manifest
        .tools
        .items()
        .filter_map(|(index, item)| tool(item, index, input));
    let author = identity.authors.items().next().map(|(_, author)| author);
    Agent {
        key: identity.id.text().unwrap_or_default(),
        name: identity.name.text().unwrap_or_default(),
        description: identity.description.text(),
        version: identity.version.text(),
        provider: author.and_then(|author| {
            let name = author.organization.text().or_else(|| author.name.text())?;
            Some(Provider { name, url: None })
        }),
        contact: author.and_then(|author| author.email.text()),
        homepage: identity
            .homepage
            .raw()
            .and_then(|homepage| link::absolute(&document.url, homepage)),
        tags: identity.tags.texts(),
        capabilities: capabilities(manifest).into_iter().chain(tools).collect(),
        auth: auths(manifest),
        interfaces: interfaces(manifest, input),
        flows: manifest.graph.get().map_or_else(Vec::new, flows),
        graph: manifest.graph.get().map(graph),
        policies: policies(manifest),
        signatures: signatures(manifest),
        input_modes,
        output_modes,
        specified: specified(manifest, input),
        extensions: extensions(manifest),
        pointers: pointers(manifest, input),
        ..Agent::default()
    }
}

/// Returns the manifests of the agents in the graph, the schemas of capabilities outside of the
/// registry, and the agent's page.
pub(super) fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
    let document = input.document;
    let mut seen = HashSet::from([document.url.to_string()]);
    let mut is_new = |reference: &Reference| seen.insert(reference.url.clone());
    let agents = agents(manifest)
        .flat_map(|(pointer, target)| {
            let urls = candidates(target).into_iter();
            urls.filter_map(move |url| reference::to(document, "json-agents", &url, &pointer))
        })
        .filter(&mut is_new)
        .take(MAX_REFERENCES)
        .collect::<Vec<_>>();
    let schemas = manifest.capabilities.items().filter_map(|(index, item)| {
        let pointer = format!("/capabilities/{index}/schema");
        let schema = item.schema.raw().filter(|url| link::is_absolute(url))?;
        reference::to(document, "schema", schema, &pointer)
    });
    let schemas: Vec<_> = schemas
        .filter(|reference| !is_of_registry(&reference.url))
        .filter(&mut is_new)
        .take(MAX_REFERENCES)
        .collect();
    let homepage = manifest.agent.get().and_then(|agent| agent.homepage.raw());
    let homepage =
        homepage.and_then(|url| reference::to(document, "homepage", url, "/agent/homepage"));
    agents.into_iter().chain(schemas).chain(homepage).collect()
}

/// Returns the ids of the agent itself and of the agents of its graph, with JSON pointers.
fn agents(manifest: &Manifest) -> impl Iterator<Item = (String, &str)> {
    let own = manifest.agent.get().and_then(|agent| agent.id.raw());
    let own = own.map(|id| ("/agent/id".to_owned(), id));
    let nodes = manifest.graph.get().into_iter().flat_map(|graph| {
        graph.nodes.items().filter_map(|(index, node)| {
            Some((format!("/graph/nodes/{index}/ref"), node.reference.raw()?))
        })
    });
    own.into_iter().chain(nodes)
}

/// Returns the URLs at which the manifest of the agent `target` may be.
fn candidates(target: &str) -> Vec<String> {
    match ajson::candidates(target) {
        Ok(urls) => urls.into_iter().map(String::from).collect(),
        Err(_) if link::is_absolute(target) => vec![target.to_owned()],
        Err(_) => Vec::new(),
    }
}

fn is_of_registry(url: &str) -> bool {
    let url = Url::parse(url).ok();
    url.is_some_and(|url| {
        let host = url.host_str().unwrap_or_default();
        REGISTRIES.contains(&host.strip_prefix("www.").unwrap_or(host))
    })
}

/// Returns the capabilities; a string in their list is taken for an id.
fn capabilities(manifest: &Manifest) -> Vec<Capability> {
    let items = manifest.capabilities.get().map_or(&[][..], Vec::as_slice);
    let of_item = |(index, item): (usize, &Field<Published>)| match item {
        Field::Is(item) => capability(item, index),
        Field::Wrong(Value::String(id)) => {
            let id = Field::Is(id.clone());
            let item = Published {
                id,
                ..Published::default()
            };
            capability(&item, index)
        }
        Field::Wrong(_) | Field::Absent => None,
    };
    items.iter().enumerate().filter_map(of_item).collect()
}

fn capability(item: &Published, index: usize) -> Option<Capability> {
    let id = item.id.text()?;
    let input_schema = object(&item.input_schema);
    Some(Capability {
        name: id.clone(),
        id,
        description: item.description.text(),
        params: input_schema
            .as_ref()
            .map_or_else(Vec::new, schema::params_of),
        input_schema,
        output_schema: object(&item.output_schema),
        pointer: format!("/capabilities/{index}"),
        ..Capability::default()
    })
}

fn tool(item: &Tool, index: usize, input: &Input<'_>) -> Option<Capability> {
    let id = item.id.text().or_else(|| item.name.text())?;
    let input_schema = object(&item.input_schema);
    let kind = item.kind.text();
    Some(Capability {
        name: item.name.text().unwrap_or_else(|| id.clone()),
        id,
        description: item.description.text(),
        url: url(item, input),
        endpoint: item.endpoint.text().as_deref().map(link::template),
        params: input_schema
            .as_ref()
            .map_or_else(Vec::new, schema::params_of),
        input_schema,
        output_schema: object(&item.output_schema),
        requires_auth: method(item).map(|method| auth::scheme(method) != "none"),
        protocol: kind.clone().filter(|kind| kind == "mcp"),
        tags: kind.into_iter().collect(),
        pointer: format!("/tools/{index}"),
        ..Capability::default()
    })
}

/// Returns a tool's endpoint as a URL; `None` if it is the name of a function or a file.
fn url(tool: &Tool, input: &Input<'_>) -> Option<String> {
    let endpoint = tool.endpoint.raw()?;
    let is_called = matches!(tool.kind.raw(), Some("http" | "mcp"));
    let is_url = link::is_absolute(endpoint) || (is_called && endpoint.starts_with('/'));
    is_url
        .then(|| link::absolute_template(&input.document.url, endpoint))
        .flatten()
}

fn method(tool: &Tool) -> Option<&str> {
    tool.auth.get()?.method.raw()
}

/// Returns the authentication schemes of the tools, each once.
fn auths(manifest: &Manifest) -> Vec<Auth> {
    let mut seen = HashSet::new();
    let of_tool = |tool: &Tool| {
        let stated = tool.auth.get()?;
        let auth = Auth::of(stated.method.raw()?);
        Some(match stated.header.text() {
            Some(header) => Auth {
                location: Some("header".to_owned()),
                name: Some(header),
                ..auth
            },
            None => auth,
        })
    };
    let ways = manifest.tools.items().filter_map(|(_, tool)| of_tool(tool));
    ways.filter(|auth| seen.insert((auth.scheme.clone(), auth.name.clone())))
        .collect()
}

/// Returns the agent's MCP servers, the only tools that are interfaces.
fn interfaces(manifest: &Manifest, input: &Input<'_>) -> Vec<Interface> {
    let tools = manifest.tools.items();
    tools
        .filter_map(|(_, tool)| mcp_url(tool, input))
        .map(|url| Interface {
            protocol: "mcp".to_owned(),
            url,
            ..Interface::default()
        })
        .collect()
}

/// Returns the URL of an MCP server; `None` if the tool is not one.
fn mcp_url(tool: &Tool, input: &Input<'_>) -> Option<String> {
    let is_server = tool.kind.raw() == Some("mcp");
    is_server.then(|| url(tool, input)).flatten()
}

/// Returns the pointers of facts that are collected from all tools: to the first tool with one.
fn pointers(manifest: &Manifest, input: &Input<'_>) -> BTreeMap<String, String> {
    let mut tools = manifest.tools.items();
    let auth = tools.find(|(_, tool)| method(tool).is_some());
    let auth = auth.map(|(index, _)| (Fact::Auth, format!("/tools/{index}/auth/method")));
    let mut tools = manifest.tools.items();
    let server = tools.find(|(_, tool)| mcp_url(tool, input).is_some());
    let server = server.map(|(index, _)| (Fact::Interfaces, format!("/tools/{index}/endpoint")));
    let found = auth.into_iter().chain(server);
    found
        .map(|(field, pointer)| (field.into(), pointer))
        .collect()
}

fn graph(graph: &Graph) -> agent::Graph {
    let nodes = graph.nodes.items().filter_map(|(_, node)| {
        Some(GraphNode {
            id: node.id.text()?,
            reference: node.reference.text(),
            role: node.role.text(),
        })
    });
    agent::Graph {
        nodes: nodes.take(MAX_PARTS).collect(),
        edges: edges(graph).collect(),
    }
}

fn edges(graph: &Graph) -> impl Iterator<Item = GraphEdge> {
    let edges = graph.edges.items().filter_map(|(_, edge)| {
        Some(GraphEdge {
            from: edge.from.text()?,
            to: edge.to.text()?,
            condition: edge.condition.text(),
        })
    });
    edges.take(MAX_PARTS)
}

/// Returns each edge as a flow of two steps, with the condition as its description.
fn flows(graph: &Graph) -> Vec<Flow> {
    let flow = |edge: GraphEdge| Flow {
        name: format!("{} → {}", edge.from, edge.to),
        description: edge.condition,
        steps: vec![edge.from, edge.to],
    };
    edges(graph).map(flow).collect()
}

fn policies(manifest: &Manifest) -> Vec<Policy> {
    let policies = manifest.policies.items().filter_map(|(_, policy)| {
        Some(Policy {
            id: policy.id.text()?,
            effect: policy.effect.text().unwrap_or_default(),
            action: policy.action.text().unwrap_or_default(),
            condition: policy.condition.text(),
        })
    });
    policies.take(MAX_PARTS).collect()
}

fn signatures(manifest: &Manifest) -> Vec<Signature> {
    let signatures = manifest.signatures.items().map(|(_, signature)| Signature {
        kid: signature.key_id.text(),
        alg: signature.alg.text(),
        value: signature.value.text(),
        created_at: signature.created_at.text(),
        state: "unverified".to_owned(),
    });
    signatures.take(MAX_PARTS).collect()
}

/// Returns the members of the schema that the model has no field for, within bounds: the sections
/// on running the agent, its profiles, licence and authors, and the addresses of the schemas of its
/// capabilities.
fn specified(manifest: &Manifest, input: &Input<'_>) -> Map<String, Value> {
    const SECTIONS: [(&str, &str); 9] = [
        ("profiles", "/profiles"),
        ("context", "/context"),
        ("runtime", "/runtime"),
        ("security", "/security"),
        ("observability", "/observability"),
        ("authors", "/agent/authors"),
        ("license", "/agent/license"),
        ("message_envelope", "/graph/message_envelope"),
        ("modalities", "/modalities"),
    ];
    let sections = SECTIONS.into_iter().filter_map(|(name, pointer)| {
        let section = input.value.pointer(pointer)?;
        let is_read = name == "modalities"
            && section
                .as_object()
                .is_some_and(|it| it.keys().all(|key| key == "input" || key == "output"));
        (!is_read).then(|| (name.to_owned(), section.clone()))
    });
    let schemas = manifest
        .capabilities
        .items()
        .filter_map(|(_, item)| Some((item.id.text()?, Value::String(item.schema.text()?))));
    let schemas: Map<_, _> = schemas.take(MAX_PARTS).collect();
    let schemas =
        (!schemas.is_empty()).then(|| ("capability_schemas".to_owned(), Value::Object(schemas)));
    extension::kept(sections.chain(schemas))
}

/// Returns the extensions, and the members outside of the format.
fn extensions(manifest: &Manifest) -> Map<String, Value> {
    let own = manifest.extensions.get().cloned();
    let own = own.map(|members| ("extensions".to_owned(), Value::Object(members)));
    let unknown = manifest.unknown.clone();
    extension::kept(own.into_iter().chain(unknown))
}

fn object(schema: &Field<Value>) -> Option<Value> {
    schema.get().filter(|schema| schema.is_object()).cloned()
}
