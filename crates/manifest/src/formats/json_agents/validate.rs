//! Checks of the rules JA-01 to JA-16, with the AU rules for URIs and the PE rules for expressions.
//!
//! [`super::shape`] checks against the official schema; this module checks the other rules.

use super::ajson::{self, AjsonUri};
use super::manifest::{Graph, Manifest, Tool};
use super::rules::{
    AU_07, AU_13, JA_02, JA_05, JA_06, JA_07, JA_09, JA_11, JA_12, JA_14, JA_15, JA_16,
};
use crate::Severity::{self, Error, Warning};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::Input;
use crate::{link, policy, text};
use serde_json::Map;
use std::collections::HashSet;

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

/// Maximum number of names in a message.
const MAX_NAMES: usize = 20;

/// Checks the manifest against the rules of JSON Agents.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    version(manifest, findings);
    let identity = manifest.agent.get();
    if let Some(id) = identity.and_then(|identity| identity.id.raw()) {
        uri(id, "/agent/id", findings);
        claim(id, input, findings);
    }
    profiles(manifest, findings);
    capabilities(manifest, findings);
    for (index, item) in manifest.policies.items() {
        if let Some(text) = item.condition.get() {
            expression(text, Error, &format!("/policies/{index}/where"), findings);
        }
    }
    if let Some(graph) = manifest.graph.get() {
        self::graph(graph, findings);
    }
    minimum(manifest, findings);
    extensions(manifest, findings);
    for pointer in input.secrets {
        let message = "a credential in a public file; revoke it, and refer to it by name";
        findings.add(&JA_12, pointer, message);
    }
}

fn version(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/manifest_version";
    match manifest.version.raw() {
        None | Some("1.0") => {}
        Some(version) if version.starts_with("1.") => {
            findings.add(JA_02.warning(), pointer, "a later 1.x; it is read as 1.0");
        }
        Some(_) => findings.add(&JA_02, pointer, "unknown version; give 1.0"),
    }
}

fn profiles(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/profiles";
    // A list of another type has a finding of its shape already.
    if matches!(manifest.profiles, Field::Wrong(_)) {
        return;
    }
    if manifest.follows("gov") && !manifest.has_governance() {
        let message =
            "profile gov needs security, policies or observability; add one, or remove the profile";
        findings.add(&JA_05, pointer, message);
    }
    for (profile, section, is_absent) in [
        ("exec", "runtime", manifest.runtime.is_absent()),
        ("graph", "graph", manifest.graph.is_absent()),
    ] {
        if manifest.follows(profile) && is_absent {
            let message =
                format!("profile {profile} needs {section}; add it, or remove the profile");
            findings.add(&JA_06, pointer, message);
        }
    }
    let has_runtime = !manifest.runtime.is_absent();
    let is_empty = manifest.runtime.get().is_some_and(Map::is_empty);
    for (profile, has_content, is_empty) in [
        ("exec", has_runtime, is_empty),
        (
            "gov",
            manifest.has_governance(),
            manifest.has_only_empty_governance(),
        ),
        ("graph", !manifest.graph.is_absent(), false),
    ] {
        if has_content && !manifest.follows(profile) {
            let message =
                format!("the manifest has content of profile {profile}; list that profile too");
            findings.add(&JA_16, pointer, message);
        } else if manifest.follows(profile) && is_empty {
            let message = format!(
                "profile {profile} is listed, but its section is empty; remove one of them"
            );
            findings.add(&JA_16, pointer, message);
        }
    }
}

fn capabilities(manifest: &Manifest, findings: &mut Findings) {
    for (index, item) in manifest.capabilities.items() {
        if item.id.raw().is_some_and(|id| !REGISTERED.contains(&id)) {
            let pointer = format_args!("/capabilities/{index}/id");
            let message = "not in the registry of capabilities; an id of your own is accepted";
            findings.add(JA_09.warning(), pointer, message);
        }
    }
    for (index, item) in manifest.tools.items() {
        tool(item, &format!("/tools/{index}"), findings);
    }
}

fn tool(tool: &Tool, at: &str, findings: &mut Findings) {
    if let Some(id) = tool.id.raw().filter(|id| ajson::has_scheme(id))
        && let Err(error) = AjsonUri::parse(id)
    {
        findings.add(error.rule(), format!("{at}/id"), error.to_string());
    }
    let pointer = format_args!("{at}/endpoint");
    let endpoint = tool.endpoint.raw();
    // An endpoint of another type has a finding of its shape already.
    if matches!(tool.endpoint, Field::Wrong(_)) {
        return;
    }
    match tool.kind.raw() {
        Some("http") if !endpoint.is_some_and(|url| url.starts_with("https://")) => {
            let message = "a tool of type http has no https endpoint; give the URL to call";
            findings.add(&JA_11, pointer, message);
        }
        Some("mcp") if endpoint.is_none() => {
            findings.add(
                &JA_11,
                pointer,
                "a tool of type mcp has no endpoint; give the URL of its server",
            );
        }
        Some(_) | None => {}
    }
}

fn graph(graph: &Graph, findings: &mut Findings) {
    if graph.nodes.get().is_some_and(Vec::is_empty) {
        findings.add(&JA_14, "/graph/nodes", "empty; give at least one node");
    }
    let mut ids = HashSet::new();
    for (index, node) in graph.nodes.items() {
        let at = format_args!("/graph/nodes/{index}");
        if node.id.raw().is_some_and(|id| !ids.insert(id)) {
            findings.add(
                JA_14.warning(),
                format!("{at}/id"),
                "another node has this id; give each its own",
            );
        }
        if let Some(target) = node.reference.raw() {
            uri(target, &format!("{at}/ref"), findings);
        }
    }
    for (index, edge) in graph.edges.items() {
        let at = format_args!("/graph/edges/{index}");
        for (name, end) in [("from", &edge.from), ("to", &edge.to)] {
            if end.raw().is_some_and(|end| !ids.contains(end)) {
                findings.add(
                    JA_14.warning(),
                    format!("{at}/{name}"),
                    "no node has this id",
                );
            }
        }
        if let Some(text) = edge.condition.get() {
            expression(text, Warning, &format!("{at}/condition"), findings);
        }
    }
}

/// Reports the faults of an expression, with `worst` as the highest severity.
fn expression(text: &str, worst: Severity, pointer: &str, findings: &mut Findings) {
    let faults = match policy::parse(text) {
        Ok(expression) => expression.warnings,
        Err(error) => {
            findings.add(error.rule().at_most(worst), pointer, error.to_string());
            Vec::new()
        }
    };
    for fault in faults {
        findings.add(fault.rule().warning(), pointer, fault.to_string());
    }
}

/// Reports the faults of an `ajson:` URI; an id that is not such a URI is accepted (C-63).
fn uri(text: &str, pointer: &str, findings: &mut Findings) {
    if !ajson::has_scheme(text) {
        return;
    }
    let uri = match AjsonUri::parse(text) {
        Ok(uri) => uri,
        Err(error) => return findings.add(error.rule(), pointer, error.to_string()),
    };
    if uri.query().is_some() {
        findings.add(
            &AU_07,
            pointer,
            "the query is dropped when the URI is resolved; leave it out",
        );
    }
    if let Err(reason) = uri.candidates() {
        findings.add(reason.rule(), pointer, reason.to_string());
    }
}

/// Reports an agent whose URI is that of another site.
fn claim(id: &str, input: &Input<'_>, findings: &mut Findings) {
    let Some(host) = AjsonUri::parse(id).ok().map(|uri| uri.host().to_string()) else {
        return;
    };
    if !link::is_own(input.document, &format!("https://{host}/")) {
        let own = input.document.url.host_str().unwrap_or_default();
        let message = format!(
            "this URI names an agent of {}; give one on {own}",
            text::clean(&host, text::MAX_CHARS)
        );
        findings.add(&AU_13, "/agent/id", message);
    }
}

/// Reports missing members (JA-07): the schema requires few, section 5 of the specification seven.
fn minimum(manifest: &Manifest, findings: &mut Findings) {
    let count = manifest.capabilities.items().count() + manifest.tools.items().count();
    if count == 0 {
        let message =
            "neither capabilities nor tools; list them, so that searches can find the agent";
        return findings.add(&JA_07, "", message);
    }
    let missing: Vec<_> = [
        ("profiles", manifest.profiles.is_absent()),
        ("capabilities", manifest.capabilities.is_absent()),
        ("tools", manifest.tools.is_absent()),
        ("modalities", manifest.modalities.is_absent()),
        ("context", manifest.context.is_absent()),
    ]
    .into_iter()
    .filter_map(|(name, is_absent)| is_absent.then_some(name))
    .collect();
    if !missing.is_empty() {
        let message = format!(
            "without {}, which section 5 of the specification requires and its schema does not",
            missing.join(", ")
        );
        findings.add(JA_07.info(), "", message);
    }
}

/// Lists the extensions (JA-15).
fn extensions(manifest: &Manifest, findings: &mut Findings) {
    let own = manifest
        .unknown
        .keys()
        .filter(|name| name.starts_with("x-"));
    let shared = manifest
        .extensions
        .get()
        .into_iter()
        .flat_map(|it| it.keys());
    let names: Vec<_> = own
        .chain(shared)
        .take(MAX_NAMES)
        .map(String::as_str)
        .collect();
    if !names.is_empty() {
        let message = format!("extensions, kept as published: {}", names.join(", "));
        findings.add(&JA_15, "", text::clean(&message, text::MAX_CHARS));
    }
}
