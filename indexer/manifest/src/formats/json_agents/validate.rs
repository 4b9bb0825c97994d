//! The rules JA-01 to JA-16, with the AU rules for URIs and the PE rules for expressions.

use super::expression;
use super::manifest::{Capability, Graph, Manifest, Policy, Tool};
use super::uri::AgentUri;
use crate::Severity::{Error, Warning};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::Input;
use crate::{Severity, json, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

const PROFILES: [&str; 4] = ["core", "exec", "gov", "graph"];
const TOOL_TYPES: [&str; 6] = ["http", "function", "plugin", "system", "mcp", "custom"];
const EFFECTS: [&str; 4] = ["allow", "deny", "audit", "notify"];
/// Capabilities of the upstream registry.
const REGISTERED: [&str; 7] = [
    "summarization",
    "routing",
    "retrieval",
    "qa",
    "classification",
    "extraction",
    "generation",
];

/// Compares the manifest with the rules of JSON Agents.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.error("JA-01", "", message);
        return;
    }
    version(manifest, findings);
    identity(manifest, findings);
    unknown(&manifest.unknown, "", findings);
    profiles(manifest, findings);
    let pointer = "/capabilities";
    manifest
        .capabilities
        .check("JA-09", Error, pointer, "a list of capabilities", findings);
    manifest
        .capabilities
        .check_items("JA-09", Error, pointer, "an object with an id", findings);
    for (index, item) in manifest.capabilities.items() {
        capability(item, &format!("{pointer}/{index}"), findings);
    }
    manifest
        .tools
        .check("JA-10", Error, "/tools", "a list of tools", findings);
    manifest
        .tools
        .check_items("JA-10", Error, "/tools", "a tool object", findings);
    for (index, item) in manifest.tools.items() {
        tool(item, &format!("/tools/{index}"), findings);
    }
    if manifest.capabilities.items().count() + manifest.tools.items().count() == 0 {
        findings.warn(
            "JA-07",
            "",
            "neither capabilities nor tools: there is little to find",
        );
    }
    sections(manifest, findings);
    for (index, item) in manifest.policies.items() {
        policy(item, &format!("/policies/{index}"), findings);
    }
    if let Some(graph) = manifest.graph.get() {
        self::graph(graph, findings);
    }
    for pointer in input.secrets {
        let message = "credentials do not belong in a manifest: refer to them by name";
        findings.error("JA-12", pointer, message);
    }
}

fn version(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/manifest_version";
    let field = &manifest.version;
    match field.require_text("JA-02", Error, pointer, "the string 1.0", findings) {
        None | Some("1.0") => {}
        Some(version) if version.starts_with("1.") => {
            findings.warn("JA-02", pointer, "a newer 1.x; read as 1.0");
        }
        Some(_) => findings.error("JA-02", pointer, "unknown version; give 1.0"),
    }
}

fn identity(manifest: &Manifest, findings: &mut Findings) {
    let what = "an object with id and name";
    let Some(agent) = manifest
        .agent
        .require("JA-03", Error, "/agent", what, findings)
    else {
        return;
    };
    let what = "the agent's URI";
    if let Some(id) = agent
        .id
        .require_text("JA-03", Error, "/agent/id", what, findings)
    {
        uri(id, "/agent/id", findings);
    }
    let what = "the agent's name as a string";
    agent
        .name
        .require_text("JA-03", Error, "/agent/name", what, findings);
    for (name, field) in [
        ("description", &agent.description),
        ("version", &agent.version),
        ("homepage", &agent.homepage),
        ("license", &agent.license),
    ] {
        field.check(
            "JA-03",
            Error,
            &format!("/agent/{name}"),
            "a string",
            findings,
        );
    }
    agent
        .tags
        .check("JA-03", Error, "/agent/tags", "a list of strings", findings);
    agent.authors.check(
        "JA-03",
        Error,
        "/agent/authors",
        "a list of authors",
        findings,
    );
    unknown(&agent.unknown, "/agent", findings);
}

fn profiles(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/profiles";
    let what = "a list of core, exec, gov, graph";
    manifest
        .profiles
        .check("JA-08", Error, pointer, what, findings);
    manifest
        .profiles
        .check_items("JA-08", Error, pointer, "a profile's name", findings);
    let mut seen = HashSet::new();
    for (index, profile) in manifest.profiles.items() {
        let pointer = format!("{pointer}/{index}");
        if !PROFILES.contains(&profile.as_str()) {
            findings.error("JA-08", pointer, format!("unknown profile; give {what}"));
        } else if !seen.insert(profile) {
            findings.error("JA-08", pointer, "listed twice");
        }
    }
    if manifest.follows("gov") && !manifest.is_governed() {
        let message = "profile gov needs security, policies or observability";
        findings.error("JA-05", pointer, message);
    }
    for (profile, section, is_absent) in [
        ("exec", "runtime", manifest.runtime.is_absent()),
        ("graph", "graph", manifest.graph.is_absent()),
    ] {
        if manifest.follows(profile) && is_absent {
            findings.error(
                "JA-06",
                pointer,
                format!("profile {profile} needs {section}"),
            );
        }
    }
    if manifest.profiles.is_absent() {
        return;
    }
    for (profile, has_content) in [
        ("exec", !manifest.runtime.is_absent()),
        ("gov", manifest.is_governed()),
        ("graph", !manifest.graph.is_absent()),
    ] {
        if has_content && !manifest.follows(profile) {
            findings.warn(
                "JA-16",
                pointer,
                format!("its content needs profile {profile} too"),
            );
        }
    }
}

fn capability(capability: &Capability, at: &str, findings: &mut Findings) {
    let pointer = format!("{at}/id");
    let what = "the capability's id as a string";
    let id = capability
        .id
        .require_text("JA-09", Error, &pointer, what, findings);
    if id.is_some_and(|id| !REGISTERED.contains(&id)) {
        findings.info("JA-09", pointer, "not in the registry: a custom capability");
    }
    for (name, field) in [
        ("description", &capability.description),
        ("schema", &capability.schema),
    ] {
        field.check(
            "JA-09",
            Error,
            &format!("{at}/{name}"),
            "a string",
            findings,
        );
    }
    unknown(&capability.unknown, at, findings);
}

fn tool(tool: &Tool, at: &str, findings: &mut Findings) {
    let what = "the tool's id as a string";
    if let Some(id) = tool
        .id
        .require_text("JA-10", Error, &format!("{at}/id"), what, findings)
    {
        uri(id, &format!("{at}/id"), findings);
    }
    let what = "the tool's name as a string";
    tool.name
        .require_text("JA-10", Error, &format!("{at}/name"), what, findings);
    let pointer = format!("{at}/type");
    let what = "http, function, plugin, system, mcp or custom";
    let kind = tool
        .kind
        .require_text("JA-10", Error, &pointer, what, findings);
    if kind.is_some_and(|kind| !TOOL_TYPES.contains(&kind)) {
        findings.error("JA-10", pointer, format!("unknown type; give {what}"));
    }
    let pointer = format!("{at}/endpoint");
    let endpoint = tool
        .endpoint
        .check("JA-11", Warning, &pointer, "a URL", findings);
    let is_https = endpoint.is_some_and(|url| url.trim().starts_with("https://"));
    if kind == Some("http") && !is_https {
        findings.warn("JA-11", pointer, "a tool over http needs an https endpoint");
    } else if kind == Some("mcp") && endpoint.is_none() {
        findings.warn("JA-11", pointer, "an MCP tool needs an endpoint");
    }
    unknown(&tool.unknown, at, findings);
}

/// Sections that must be objects or lists.
fn sections(manifest: &Manifest, findings: &mut Findings) {
    for (name, section) in [
        ("context", &manifest.context),
        ("runtime", &manifest.runtime),
        ("security", &manifest.security),
        ("observability", &manifest.observability),
        ("extensions", &manifest.extensions),
    ] {
        section.check("JA-04", Error, &format!("/{name}"), "an object", findings);
    }
    manifest
        .modalities
        .check("JA-04", Error, "/modalities", "an object", findings);
    manifest.graph.check(
        "JA-14",
        Error,
        "/graph",
        "an object with nodes and edges",
        findings,
    );
    manifest
        .policies
        .check("JA-13", Error, "/policies", "a list of policies", findings);
    manifest
        .policies
        .check_items("JA-13", Error, "/policies", "a policy object", findings);
    manifest.signatures.check(
        "JA-04",
        Error,
        "/signatures",
        "a list of signatures",
        findings,
    );
}

fn policy(policy: &Policy, at: &str, findings: &mut Findings) {
    for (name, field) in [
        ("id", &policy.id),
        ("effect", &policy.effect),
        ("action", &policy.action),
    ] {
        let what = format!("the policy's {name} as a string");
        field.require_text("JA-13", Error, &format!("{at}/{name}"), &what, findings);
    }
    if policy
        .effect
        .raw()
        .is_some_and(|effect| !EFFECTS.contains(&effect))
    {
        let message = "unknown effect; give allow, deny, audit or notify";
        findings.error("JA-13", format!("{at}/effect"), message);
    }
    condition(
        &policy.condition,
        "JA-13",
        Error,
        &format!("{at}/where"),
        findings,
    );
}

fn graph(graph: &Graph, findings: &mut Findings) {
    let pointer = "/graph/nodes";
    let what = "a list of at least one node";
    if let Some(nodes) = graph.nodes.require("JA-14", Error, pointer, what, findings)
        && nodes.is_empty()
    {
        findings.error("JA-14", pointer, format!("empty; give {what}"));
    }
    graph
        .nodes
        .check_items("JA-14", Error, pointer, "a node object", findings);
    let mut ids = HashSet::new();
    for (index, node) in graph.nodes.items() {
        let at = format!("{pointer}/{index}");
        let what = "the node's id as a string";
        let id = node
            .id
            .require_text("JA-14", Error, &format!("{at}/id"), what, findings);
        if id.is_some_and(|id| !ids.insert(id)) {
            findings.warn("JA-14", format!("{at}/id"), "another node has this id");
        }
        let what = "the URI of the node's manifest";
        let pointer = format!("{at}/ref");
        let target = node
            .reference
            .require_text("JA-14", Error, &pointer, what, findings);
        if let Some(target) = target {
            uri(target, &pointer, findings);
        }
    }
    let pointer = "/graph/edges";
    graph
        .edges
        .check("JA-14", Error, pointer, "a list of edges", findings);
    graph
        .edges
        .check_items("JA-14", Error, pointer, "an edge object", findings);
    for (index, edge) in graph.edges.items() {
        let at = format!("{pointer}/{index}");
        for (name, field) in [("from", &edge.from), ("to", &edge.to)] {
            let pointer = format!("{at}/{name}");
            let end = field.require_text("JA-14", Error, &pointer, "a node's id", findings);
            if end.is_some_and(|end| !ids.contains(end)) {
                findings.warn("JA-14", pointer, "no node has this id");
            }
        }
        condition(
            &edge.condition,
            "JA-14",
            Warning,
            &format!("{at}/condition"),
            findings,
        );
    }
}

/// Checks an expression; what breaks it is as grave as `worst`.
fn condition(
    field: &Field<String>,
    rule: &str,
    worst: Severity,
    pointer: &str,
    findings: &mut Findings,
) {
    if let Some(text) = field.check(rule, worst, pointer, "an expression as a string", findings) {
        for fault in expression::check(text) {
            findings.add(
                fault.rule,
                fault.severity.min(worst),
                pointer,
                fault.message,
            );
        }
    }
}

fn uri(text: &str, pointer: &str, findings: &mut Findings) {
    let is_agent_uri = text
        .get(..6)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("ajson:"));
    if is_agent_uri && let Err(error) = AgentUri::parse(text) {
        findings.error(error.rule(), pointer, error.to_string());
    }
}

fn unknown(members: &Map<String, Value>, at: &str, findings: &mut Findings) {
    for name in members.keys().filter(|name| !name.starts_with("x-")) {
        let message = "not defined here; put it under extensions or an x- name";
        let name = text::clean(name, 200);
        findings.error("JA-04", format!("{at}/{}", json::escape(&name)), message);
    }
}
