//! Checks of the rules WC-01 to WC-08.

use super::manifest::{Action, Fields, Flow, Manifest, Parameter};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::wildcard::rules::{WC_01, WC_02, WC_03, WC_04, WC_05, WC_06, WC_07, WC_08};
use crate::json;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Checks the document against the rules of the Wildcard specification.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.add(&WC_01, "", message);
        return;
    }
    let version = &manifest.agents_json;
    let what = "the specification's version, such as 0.1.0";
    version.require(&WC_01, "/agentsJson", what, findings);
    info(manifest, findings);
    let sources = sources(manifest, findings);
    let list = &manifest.flows;
    list.require(&WC_01, "/flows", "the flows as a list", findings);
    list.check_items(&WC_04, "/flows", "an object with an id", findings);
    for (index, item) in list.items() {
        flow(item, &sources, &format!("/flows/{index}"), findings);
    }
    overrides(manifest, &sources, findings);
}

fn info(manifest: &Manifest, findings: &mut Findings) {
    let what = "an object with title, version and description";
    let Some(info) = manifest.info.require(&WC_01, "/info", what, findings) else {
        return;
    };
    for (name, field) in [
        ("title", &info.title),
        ("version", &info.version),
        ("description", &info.description),
    ] {
        let what = format_args!("the {name} as a string");
        field.require_text(&WC_02, format_args!("/info/{name}"), what, findings);
    }
}

/// Checks the sources and returns their ids.
fn sources<'m>(manifest: &'m Manifest, findings: &mut Findings) -> HashSet<&'m str> {
    let list = &manifest.sources;
    let what = "the APIs as a list";
    list.require(&WC_01, "/sources", what, findings);
    let what = "an object with id and path";
    list.check_items(&WC_03, "/sources", what, findings);
    let mut ids = HashSet::new();
    for (index, source) in list.items() {
        let pointer = format_args!("/sources/{index}/path");
        let what = "the address of the OpenAPI document";
        source.path.require_text(&WC_03, pointer, what, findings);
        let pointer = format_args!("/sources/{index}/id");
        let id = &source.id;
        let id = id.require_text(&WC_03, pointer, "an id", findings);
        if id.is_some_and(|id| !ids.insert(id)) {
            let message = "another source has this id; give each its own";
            findings.add(&WC_03, pointer, message);
        }
    }
    ids
}

fn flow(flow: &Flow, sources: &HashSet<&str>, at: &str, findings: &mut Findings) {
    for (name, field) in [
        ("id", &flow.id),
        ("title", &flow.title),
        ("description", &flow.description),
    ] {
        let what = format_args!("the flow's {name} as a string");
        field.require(&WC_04, format_args!("{at}/{name}"), what, findings);
    }
    let list = &flow.actions;
    let pointer = format_args!("{at}/actions");
    list.require(&WC_04, pointer, "the operations as a list", findings);
    let what = "an object with id, sourceId and operationId";
    list.check_items(&WC_04, pointer, what, findings);
    for (index, item) in list.items() {
        action(item, sources, &format!("{pointer}/{index}"), findings);
    }
    links(flow, at, findings);
    let pointer = format!("{at}/fields");
    let what = "an object with parameters and responses";
    if let Some(value) = flow.fields.require(&WC_04, &pointer, what, findings) {
        fields(value, &pointer, findings);
    }
}

fn action(action: &Action, sources: &HashSet<&str>, at: &str, findings: &mut Findings) {
    for (name, field) in [
        ("id", &action.id),
        ("sourceId", &action.source_id),
        ("operationId", &action.operation_id),
    ] {
        let what = format_args!("the action's {name} as a string");
        field.require(&WC_04, format_args!("{at}/{name}"), what, findings);
    }
    if action
        .source_id
        .raw()
        .is_some_and(|id| !sources.contains(id))
    {
        let message = "no source has this id; add it to sources";
        findings.add(&WC_05, format!("{at}/sourceId"), message);
    }
}

/// Checks the links of a flow. WC-06 is reported once for each flow, as its links mostly share a
/// fault.
fn links(flow: &Flow, at: &str, findings: &mut Findings) {
    let list = &flow.links;
    let pointer = format_args!("{at}/links");
    list.check(&WC_04, pointer, "a list of links", findings);
    let what = "an object with origin and target";
    list.check_items(&WC_04, pointer, what, findings);
    let actions: HashSet<_> = flow
        .actions
        .items()
        .filter_map(|it| it.1.id.raw())
        .collect();
    let (mut own, mut stray) = (Vec::new(), Vec::new());
    for (index, link) in list.items() {
        let at = format!("{pointer}/{index}");
        for (name, end) in [("origin", &link.origin), ("target", &link.target)] {
            let at = format!("{at}/{name}");
            let what = "an object with fieldPath";
            let Some(end) = end.require(&WC_04, &at, what, findings) else {
                continue;
            };
            let place = format!("{at}/fieldPath");
            let what = "the path of a field";
            end.field_path.require(&WC_04, &place, what, findings);
            let place = format!("{at}/actionId");
            let what = "an action's id or null";
            end.action_id.check(&WC_04, &place, what, findings);
            match end.action_id.raw() {
                Some(id) if actions.contains(id) => {}
                Some(id) if Some(id) == flow.id.raw() => own.push(place),
                Some(_) => stray.push(place),
                None => {}
            }
        }
        extras(&link.unknown, &at, findings);
    }
    let count = stray.len();
    if let Some(first) = stray.into_iter().next() {
        let message = format!(
            "no action of this flow has this id ({count} such ends of links in all); \
             give an action's id, or null for the flow itself"
        );
        findings.add(&WC_06, first, message);
    }
    // Upstream's own files name the flow where the specification requires null.
    if let Some(first) = own.into_iter().next() {
        let message = "this is the flow's own id; the specification uses null for the flow itself";
        findings.add(WC_06.info(), first, message);
    }
}

fn fields(fields: &Fields, at: &str, findings: &mut Findings) {
    let list = &fields.parameters;
    let pointer = format_args!("{at}/parameters");
    let what = "the parameters as a list";
    list.require(&WC_04, pointer, what, findings);
    list.check_items(&WC_04, pointer, "an object with a name", findings);
    for (index, item) in list.items() {
        parameter(item, &format!("{pointer}/{index}"), findings);
    }
    let pointer = format!("{at}/requestBody");
    if let Field::Wrong(found) = &fields.request_body {
        let message = format!(
            "{} where an object belongs; leave it out",
            json::kind(found)
        );
        findings.add(&WC_07, &pointer, message);
    }
    if let Some(body) = fields.request_body.get() {
        extras(&without(body, &["content", "required"]), &pointer, findings);
    }
    let pointer = format!("{at}/responses");
    let what = "an object with success";
    if let Some(responses) = fields.responses.require(&WC_04, &pointer, what, findings) {
        extras(
            &without(responses, &["success", "example"]),
            &pointer,
            findings,
        );
        if !responses.get("success").is_some_and(Value::is_object) {
            let message = "give the schema of the answer as an object";
            findings.add(&WC_04, format!("{pointer}/success"), message);
        }
    }
}

fn parameter(parameter: &Parameter, at: &str, findings: &mut Findings) {
    let what = "the parameter's name";
    let pointer = format_args!("{at}/name");
    parameter.name.require(&WC_04, pointer, what, findings);
    let pointer = format_args!("{at}/required");
    let required = &parameter.required;
    required.check(&WC_04, pointer, "true or false", findings);
    for (name, field) in [
        ("description", &parameter.description),
        ("type", &parameter.kind),
    ] {
        field.check(&WC_04, format_args!("{at}/{name}"), "a string", findings);
    }
    let mut unknown = parameter.unknown.clone();
    for (name, is_there) in [
        ("enum", !parameter.choices.is_absent()),
        ("default", !parameter.default.is_absent()),
    ] {
        if is_there {
            unknown.insert(name.to_owned(), Value::Null);
        }
    }
    extras(&unknown, at, findings);
}

fn without(members: &Map<String, Value>, known: &[&str]) -> Map<String, Value> {
    let unknown = members
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()));
    unknown
        .map(|(name, _)| (name.clone(), Value::Null))
        .collect()
}

/// Reports the unknown members of a closed object, all in one finding (WC-07).
fn extras(unknown: &Map<String, Value>, at: &str, findings: &mut Findings) {
    if unknown.is_empty() {
        return;
    }
    let names: Vec<_> = unknown.keys().take(20).map(String::as_str).collect();
    let message = format!(
        "the schema does not allow these members here: {}; upstream's own files have some too",
        names.join(", ")
    );
    findings.add(
        &WC_07,
        at,
        crate::text::clean(&message, crate::text::MAX_CHARS),
    );
}

fn overrides(manifest: &Manifest, sources: &HashSet<&str>, findings: &mut Findings) {
    let list = &manifest.overrides;
    list.check(&WC_01, "/overrides", "a list of overrides", findings);
    let what = "an object with sourceId, operationId, fieldPath and value";
    list.check_items(&WC_01, "/overrides", what, findings);
    for (index, item) in list.items() {
        let at = format_args!("/overrides/{index}");
        for (name, field) in [
            ("sourceId", &item.source_id),
            ("operationId", &item.operation_id),
            ("fieldPath", &item.field_path),
        ] {
            let what = format_args!("the {name} of the change as a string");
            field.require(&WC_01, format_args!("{at}/{name}"), what, findings);
        }
        let pointer = format_args!("{at}/value");
        item.value
            .require(&WC_01, pointer, "the new value", findings);
        if item.source_id.raw().is_some_and(|id| !sources.contains(id)) {
            let message = "no source has this id, so the override changes nothing";
            findings.add(&WC_08, format!("{at}/sourceId"), message);
        }
    }
}
