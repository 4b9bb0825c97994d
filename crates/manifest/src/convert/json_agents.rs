//! Writer of JSON Agents, the Portable Agent Manifest.

use super::losses::{self, Report};
use super::names;
use super::service;
use crate::agent::{Graph, Policy};
use crate::{Agent, Capability, CapabilityFact, Fact, link};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const TOOL_TYPES: [&str; 6] = ["http", "function", "plugin", "system", "mcp", "custom"];
const EFFECTS: [&str; 4] = ["allow", "deny", "audit", "notify"];

/// Sections of a manifest that the model keeps as published, with the members that they may have;
/// an empty list permits any member.
const SECTIONS: [(&str, &[&str]); 5] = [
    ("context", &[]),
    (
        "runtime",
        &["type", "language", "entrypoint", "env", "resources"],
    ),
    (
        "security",
        &[
            "sandbox",
            "network_zone",
            "auth_context",
            "sensitive_data_handling",
        ],
    ),
    (
        "observability",
        &[
            "log_level",
            "log_sink",
            "redact_sensitive",
            "metrics_enabled",
            "trace_enabled",
        ],
    ),
    ("extensions", &[]),
];

/// Writes the manifest of `agent`; returns `None` if no identifier can be made for it.
pub(super) fn write(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let id = identifier(agent, report)?;
    let mut identity = json!({"id": id, "name": agent.name});
    for (name, text) in [
        ("description", agent.description.as_ref()),
        ("version", agent.version.as_ref()),
        ("homepage", homepage(agent)),
    ] {
        if let Some(text) = text {
            identity[name] = json!(text);
        }
    }
    let author = author(agent, report);
    if !author.is_empty() {
        identity["authors"] = json!([author]);
    }
    if let Some(license) = losses::further(agent, "license").filter(|it| it.is_string()) {
        identity["license"] = license.clone();
    }
    if !agent.tags.is_empty() {
        identity["tags"] = json!(agent.tags);
    }
    let (capabilities, tools) = capabilities(agent, report);
    let sections = sections(agent, report);
    let policies: Vec<_> = agent
        .policies
        .iter()
        .filter_map(|it| policy(it, agent, report))
        .collect();
    let graph = agent.graph.as_ref().and_then(|it| graph(it, agent, report));
    let mut manifest = json!({
        "manifest_version": "1.0",
        "profiles": profiles(&sections, !policies.is_empty(), graph.is_some()),
        "agent": identity,
    });
    let mut set = |name: &str, value: Value| manifest[name] = value;
    for (name, list) in [("capabilities", capabilities), ("tools", tools)] {
        if !list.is_empty() {
            set(name, Value::Array(list));
        }
    }
    if let Some(modalities) = modalities(agent) {
        set("modalities", modalities);
    }
    for (name, section) in sections {
        set(&name, section);
    }
    if !policies.is_empty() {
        set("policies", Value::Array(policies));
    }
    if let Some(graph) = graph {
        set("graph", graph);
    }
    account(agent, report);
    Some(manifest)
}

/// Returns the agent's own identifier, else a URN made from its name.
fn identifier(agent: &Agent, report: &mut Report<'_>) -> Option<String> {
    if !agent.key.is_empty() {
        return Some(agent.key.clone());
    }
    let urn = names::urn(&report.origin.domain, &agent.name);
    let urn = report.require(agent, Fact::Key, urn)?;
    let message = format!("the agent has no identifier of its own: it is called {urn}");
    report.changed(&agent.pointer, message);
    Some(urn)
}

fn homepage(agent: &Agent) -> Option<&String> {
    let is_default = agent.is_default(Fact::Homepage);
    agent.homepage.as_ref().filter(|_| !is_default)
}

fn author(agent: &Agent, report: &mut Report<'_>) -> Map<String, Value> {
    let mut author = Map::new();
    if let Some(provider) = &agent.provider {
        author.insert("organization".to_owned(), json!(provider.name));
        if provider.url.is_some() && provider.url.as_ref() != homepage(agent) {
            report.lost(agent.place(Fact::Provider), "the provider's page");
        }
    }
    if let Some(contact) = &agent.contact {
        let is_email = contact
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && crate::Domain::parse(host).is_ok());
        if is_email && !contact.contains(char::is_whitespace) {
            author.insert("email".to_owned(), json!(contact));
        } else {
            report.lost(
                agent.place(Fact::Contact),
                "a contact that is not a mail address",
            );
        }
    }
    author
}

/// Writes capabilities that can be called as tools, the others as capabilities.
fn capabilities(agent: &Agent, report: &mut Report<'_>) -> (Vec<Value>, Vec<Value>) {
    let mut capabilities = Vec::new();
    let mut tools = Vec::new();
    let (mut as_capability, mut as_tool) = (Vec::new(), Vec::new());
    for capability in &agent.capabilities {
        if let Some(kind) = tool_type(agent, capability) {
            tools.push(tool(capability, kind, agent, report));
            as_tool.push(capability);
        } else {
            let mut value = json!({"id": capability.id});
            if let Some(description) = &capability.description {
                value["description"] = json!(description);
            }
            capabilities.push(value);
            as_capability.push(capability);
        }
    }
    report.keep_of(
        as_capability,
        &[CapabilityFact::Id, CapabilityFact::Description],
    );
    let kept = [
        CapabilityFact::Id,
        CapabilityFact::Name,
        CapabilityFact::Description,
        CapabilityFact::Url,
        CapabilityFact::Endpoint,
        CapabilityFact::Params,
        CapabilityFact::InputSchema,
        CapabilityFact::OutputSchema,
        CapabilityFact::Protocol,
        CapabilityFact::RequiresAuth,
    ];
    let is_kind =
        |it: &&Capability| it.tags.len() == 1 && tool_type(agent, it) == Some(&*it.tags[0]);
    let (plain, tagged): (Vec<&Capability>, Vec<_>) = as_tool.into_iter().partition(is_kind);
    report.keep_of(plain, &[&kept[..], &[CapabilityFact::Tags]].concat());
    report.keep_of(tagged, &kept);
    (capabilities, tools)
}

/// Returns the type under which a tool was read, else the type that its protocol implies; `None` if
/// it is not a tool.
fn tool_type<'c>(agent: &Agent, capability: &'c Capability) -> Option<&'c str> {
    let own = capability.tags.first().map(String::as_str);
    let own = own.filter(|tag| TOOL_TYPES.contains(tag));
    let is_http = capability
        .url
        .as_ref()
        .is_some_and(|url| link::is_absolute(url));
    own.or(match capability.protocol.as_deref() {
        Some("mcp") if is_http => Some("mcp"),
        None | Some("rest") if is_http => {
            let url = capability.url.as_deref().unwrap_or_default();
            let mut same = agent.interfaces.iter().filter(|it| it.url == url);
            match same.next().map(|it| it.protocol.as_str()) {
                Some("mcp") => Some("mcp"),
                _ if service::is_other_protocol(agent, url) => None,
                _ => Some("http"),
            }
        }
        _ => None,
    })
}

fn tool(capability: &Capability, kind: &str, agent: &Agent, report: &mut Report<'_>) -> Value {
    let mut value = json!({"id": capability.id, "name": capability.name});
    if let Some(description) = &capability.description {
        value["description"] = json!(description);
    }
    value["type"] = json!(kind);
    if let Some(endpoint) = capability.url.as_ref().or(capability.endpoint.as_ref()) {
        value["endpoint"] = json!(endpoint);
    }
    for (name, schema) in [
        ("input_schema", super::input::schema(capability)),
        ("output_schema", capability.output_schema.clone()),
    ] {
        if let Some(schema) = schema.filter(Value::is_object) {
            value[name] = schema;
        }
    }
    let named: Vec<_> = agent
        .auth
        .iter()
        .filter(|auth| auth.scheme != "none")
        .collect();
    match (capability.requires_auth, named.as_slice()) {
        (Some(false), _) => value["auth"] = json!({"method": "none"}),
        (Some(true), [only]) => {
            let word = only.name.as_ref().filter(|_| only.scheme == "other");
            value["auth"] = json!({"method": word.unwrap_or(&only.scheme)});
        }
        (Some(true), _) => report.lost_of(&[capability], "the required authentication"),
        (None, _) => {}
    }
    value
}

fn modalities(agent: &Agent) -> Option<Value> {
    let mut modalities = Map::new();
    for (name, modes) in [
        ("input", &agent.input_modes),
        ("output", &agent.output_modes),
    ] {
        if !modes.is_empty() {
            modalities.insert(name.to_owned(), json!(modes));
        }
    }
    (!modalities.is_empty()).then_some(Value::Object(modalities))
}

/// Returns the sections and `x-` members as published, without members that the closed schema
/// forbids.
fn sections(agent: &Agent, report: &mut Report<'_>) -> Vec<(String, Value)> {
    let mut sections = Vec::new();
    for (name, value) in agent.specified.iter().chain(&agent.extensions) {
        let section = SECTIONS.iter().find(|(section, _)| section == name);
        match (section, value) {
            (Some((_, known)), Value::Object(members)) => {
                let is_known = |name: &str| known.is_empty() || known.contains(&name);
                let kept: Map<_, _> = members
                    .clone()
                    .into_iter()
                    .filter(|(name, _)| is_known(name))
                    .collect();
                if kept.len() < members.len() {
                    let what = format!("unknown members of {name}");
                    report.lost(agent.place(Fact::Extensions), what);
                }
                sections.push((name.clone(), Value::Object(kept)));
            }
            (None, value) if name.starts_with("x-") => sections.push((name.clone(), value.clone())),
            (None, Value::String(_)) if name == "license" => {}
            _ if report.is_accounted_for() => {}
            _ => report.lost(
                agent.place(Fact::Extensions),
                format!("the member {name:?}"),
            ),
        }
    }
    sections
}

/// Returns the profiles that the content needs, so that no validator has to guess (JA-06).
fn profiles(
    sections: &[(String, Value)],
    has_policies: bool,
    has_graph: bool,
) -> Vec<&'static str> {
    let has = |section: &str| sections.iter().any(|(name, _)| name == section);
    let is_governed = has_policies || has("security") || has("observability");
    let needed = [
        ("exec", has("runtime")),
        ("gov", is_governed),
        ("graph", has_graph),
    ];
    let needed = needed.into_iter().filter(|(_, is_needed)| *is_needed);
    std::iter::once("core")
        .chain(needed.map(|(profile, _)| profile))
        .collect()
}

fn policy(policy: &Policy, agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    if policy.action.is_empty() || !EFFECTS.contains(&policy.effect.as_str()) {
        let what = format!(
            "the policy {:?}, which lacks an effect or action",
            policy.id
        );
        report.lost(agent.place(Fact::Policies), what);
        return None;
    }
    let mut value = json!({"id": policy.id, "effect": policy.effect, "action": policy.action});
    if let Some(condition) = &policy.condition {
        value["where"] = json!(condition);
    }
    Some(value)
}

/// Writes the graph without the nodes that refer to no agent.
fn graph(graph: &Graph, agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let (nodes, others): (Vec<_>, Vec<_>) =
        graph.nodes.iter().partition(|it| it.reference.is_some());
    for node in others {
        let what = format!("the node {:?}, which refers to no agent", node.id);
        report.lost(agent.place(Fact::Graph), what);
    }
    if nodes.is_empty() {
        return None;
    }
    let ids: HashSet<_> = nodes.iter().map(|node| &node.id).collect();
    let node = |it: &&crate::agent::GraphNode| {
        let mut value = json!({"id": it.id, "ref": it.reference});
        if let Some(role) = &it.role {
            value["role"] = json!(role);
        }
        value
    };
    let mut value = json!({"nodes": nodes.iter().map(node).collect::<Vec<_>>()});
    let edges = graph
        .edges
        .iter()
        .filter(|it| ids.contains(&it.from) && ids.contains(&it.to));
    let edge = |it: &crate::agent::GraphEdge| {
        let mut value = json!({"from": it.from, "to": it.to});
        if let Some(condition) = &it.condition {
            value["condition"] = json!(condition);
        }
        value
    };
    let edges: Vec<_> = edges.map(edge).collect();
    if edges.len() < graph.edges.len() {
        report.lost(
            agent.place(Fact::Graph),
            "edges to nodes that refer to no agent",
        );
    }
    if !edges.is_empty() {
        value["edges"] = Value::Array(edges);
    }
    Some(value)
}

fn account(agent: &Agent, report: &mut Report<'_>) {
    let mut kept = vec![
        Fact::Key,
        Fact::Name,
        Fact::Description,
        Fact::Version,
        Fact::Provider,
        Fact::Contact,
        Fact::Homepage,
        Fact::Tags,
        Fact::Capabilities,
        Fact::InputModes,
        Fact::OutputModes,
        Fact::Graph,
        Fact::Policies,
        Fact::Specified,
        Fact::Extensions,
    ];
    let is_tool = |url: &str| {
        agent
            .capabilities
            .iter()
            .any(|it| it.url.as_deref() == Some(url))
    };
    for interface in &agent.interfaces {
        if interface.protocol != "mcp" || !is_tool(&interface.url) {
            let what = format!("the {} interface {}", interface.protocol, interface.url);
            report.lost(agent.place(Fact::Interfaces), what);
        }
    }
    kept.push(Fact::Interfaces);
    let calls = agent.capabilities.iter().filter_map(|it| it.url.as_deref());
    let is_expressed = |url: &String| {
        Some(url) == agent.homepage.as_ref()
            || calls.clone().any(|it| service::below(url, it).is_some())
    };
    if agent.url.as_ref().is_none_or(is_expressed) {
        kept.push(Fact::Url);
    }
    let is_plain = |auth: &crate::agent::Auth| {
        let is_word_only = auth.location.is_none()
            && auth.token_url.is_none()
            && auth.docs.is_none()
            && auth.metadata_url.is_none()
            && auth.scopes.is_empty()
            && auth.token_format.is_none()
            && auth.description.is_none();
        auth.scheme == "none" || is_word_only && auth.authorization_url.is_none()
    };
    if agent.auth.len() <= 1 && agent.auth.iter().all(is_plain) {
        kept.push(Fact::Auth);
    }
    report.keep(agent, &kept);
}
