//! A Portable Agent Manifest in the shared model (FORMATS.md 12.1, 12.2).

use super::manifest::{Capability as Published, Graph, Identity, Manifest, Tool};
use super::uri::AgentUri;
use crate::agent::{self, Auth, GraphEdge, GraphNode, Interface, Policy, Provider, Signature};
use crate::field::Field;
use crate::format::Input;
use crate::{Agent, Capability, Reference, auth, link, schema};
use serde_json::{Map, Value};

/// Most manifests of other agents that one manifest leads to (AU-11).
const MAX_REFERENCES: usize = 20;

/// The one agent that a manifest describes.
pub(super) fn normalize(manifest: &Manifest, input: &Input<'_>) -> Agent {
    let document = input.document;
    let identity = manifest.agent.get().cloned().unwrap_or_default();
    let modalities = manifest.modalities.get().cloned().unwrap_or_default();
    let capabilities = manifest
        .capabilities
        .items()
        .filter_map(|(index, item)| capability(item, index));
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
        capabilities: capabilities.chain(tools).collect(),
        auth: auths(manifest),
        interfaces: interfaces(manifest, input),
        graph: manifest.graph.get().map(graph),
        policies: policies(manifest),
        signatures: signatures(manifest),
        input_modes: modalities.input.texts(),
        output_modes: modalities.output.texts(),
        extensions: extensions(manifest, &identity),
        ..Agent::default()
    }
}

/// The manifests of the agents in the graph, and the agent's page.
pub(super) fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
    let document = input.document;
    let identity = manifest.agent.get();
    let own = identity.and_then(|identity| Some(("/agent/id".to_owned(), identity.id.raw()?)));
    let nodes = manifest.graph.get().into_iter().flat_map(|graph| {
        graph.nodes.items().filter_map(|(index, node)| {
            Some((format!("/graph/nodes/{index}/ref"), node.reference.raw()?))
        })
    });
    let mut references: Vec<Reference> = Vec::new();
    for (pointer, target) in own.into_iter().chain(nodes) {
        let places = match AgentUri::parse(target) {
            Ok(uri) => uri.locations(),
            Err(_) if link::is_absolute(target) => vec![target.to_owned()],
            Err(_) => Vec::new(),
        };
        for place in places {
            if let Some(reference) = link::reference(document, "json-agents", &place, &pointer)
                && reference.url != document.url.as_str()
                && references.iter().all(|known| known.url != reference.url)
            {
                references.push(reference);
            }
        }
    }
    references.truncate(MAX_REFERENCES);
    let homepage = identity.and_then(|identity| identity.homepage.raw());
    let homepage =
        homepage.and_then(|url| link::reference(document, "homepage", url, "/agent/homepage"));
    references.extend(homepage);
    references
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
    let endpoint = item.endpoint.text();
    let input_schema = object(&item.input_schema);
    let kind = item.kind.text();
    Some(Capability {
        name: item.name.text().unwrap_or_else(|| id.clone()),
        id,
        description: item.description.text(),
        url: endpoint
            .as_deref()
            .and_then(|endpoint| link::absolute_template(&input.document.url, endpoint)),
        endpoint: endpoint.as_deref().map(link::template),
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

fn method(tool: &Tool) -> Option<&str> {
    tool.auth.get()?.method.raw()
}

/// How the tools' callers authenticate, each way once.
fn auths(manifest: &Manifest) -> Vec<Auth> {
    let mut auths = Vec::new();
    for (_, tool) in manifest.tools.items() {
        if let Some(auth) = method(tool).map(Auth::of)
            && !auths.contains(&auth)
        {
            auths.push(auth);
        }
    }
    auths
}

/// The agent's MCP servers: the only tools that are ways to talk.
fn interfaces(manifest: &Manifest, input: &Input<'_>) -> Vec<Interface> {
    manifest
        .tools
        .items()
        .filter(|(_, tool)| tool.kind.raw() == Some("mcp"))
        .filter_map(|(_, tool)| link::absolute(&input.document.url, tool.endpoint.raw()?))
        .map(|url| Interface {
            protocol: "mcp".to_owned(),
            url,
            ..Interface::default()
        })
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
    let edges = graph.edges.items().filter_map(|(_, edge)| {
        Some(GraphEdge {
            from: edge.from.text()?,
            to: edge.to.text()?,
            condition: edge.condition.text(),
        })
    });
    agent::Graph {
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
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
    policies.collect()
}

fn signatures(manifest: &Manifest) -> Vec<Signature> {
    let signatures = manifest.signatures.items().map(|(_, signature)| Signature {
        kid: signature.key_id.text(),
        alg: signature.alg.text(),
        state: "unverified".to_owned(),
    });
    signatures.collect()
}

/// Sections that describe how the agent is run, x- members, and extensions, as published.
fn extensions(manifest: &Manifest, identity: &Identity) -> Map<String, Value> {
    let mut extensions = manifest.unknown.clone();
    for (name, section) in [
        ("context", &manifest.context),
        ("runtime", &manifest.runtime),
        ("security", &manifest.security),
        ("observability", &manifest.observability),
        ("extensions", &manifest.extensions),
    ] {
        if let Some(section) = section.get() {
            extensions.insert(name.to_owned(), Value::Object(section.clone()));
        }
    }
    if let Some(license) = identity.license.text() {
        extensions.insert("license".to_owned(), license.into());
    }
    extensions
}

fn object(schema: &Field<Value>) -> Option<Value> {
    schema.get().filter(|schema| schema.is_object()).cloned()
}
