//! Validation of `agents.json`: the rules AJ-01 to AJ-24, except AJ-22, which `merge` checks
//! because it compares two documents.

use super::manifest::{Flow, Manifest};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agents_protocol::rules::{
    AJ_01, AJ_02, AJ_03, AJ_04, AJ_05, AJ_17, AJ_21, AJ_24,
};
use crate::{json, link, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

mod capability;
mod param;
mod service;

/// Most names that a message lists.
const MAX_NAMES: usize = 20;

/// Checks the manifest against the rules of the agents.txt protocol.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        return findings.add(&AJ_01, "", message);
    }
    media_type(input, findings);
    version(manifest, findings);
    site(manifest, input, findings);
    capability::validate(manifest, input, findings);
    service::sessions(manifest, findings);
    flows(manifest, findings);
    service::rate_limit(manifest, findings);
    service::audit(manifest, findings);
    for pointer in input.secrets {
        findings.add(
            &AJ_24,
            pointer,
            "a secret does not belong in a manifest: remove and revoke it",
        );
    }
    unknown(manifest, findings);
}

fn media_type(input: &Input<'_>, findings: &mut Findings) {
    let Some(sent) = input.document.media_type.as_deref() else {
        return;
    };
    let sent = sent.to_ascii_lowercase();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    let expected = "application/json; charset=utf-8";
    if essence != "application/json" {
        let message = format!("served with another media type than {expected}");
        findings.add(&AJ_02, "", message);
    } else if !sent.contains("utf-8") {
        let message = format!("publishers must serve it as {expected}; the charset is missing");
        findings.add(&AJ_02, "", message);
    }
}

fn version(manifest: &Manifest, findings: &mut Findings) {
    if manifest.schema_version.is_absent() && manifest.protocol_version.raw().is_some() {
        let message = "an older name; today it is `schema_version`";
        findings.add(AJ_03.warning(), "/protocol_version", message);
        return;
    }
    let what = "the schema's version as a string, such as 1.0";
    let field = &manifest.schema_version;
    field.require_text(&AJ_03, "/schema_version", what, findings);
}

fn site(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let what = "an object with name and url";
    let site = &manifest.site;
    let Some(site) = site.require(&AJ_04, "/site", what, findings) else {
        return;
    };
    let what = "the site's name as a string";
    site.name.require_text(&AJ_04, "/site/name", what, findings);
    for (pointer, field) in [
        ("/site/description", &site.description),
        ("/site/contact", &site.contact),
    ] {
        field.check(&AJ_04, pointer, "a string", findings);
    }
    let pointer = "/site/url";
    let what = "the site's address as an absolute https URL";
    let url = &site.url;
    let Some(url) = url.require_text(&AJ_05, pointer, what, findings) else {
        return;
    };
    if !link::is_absolute(url) {
        findings.add(&AJ_05, pointer, format!("give {what}"));
        return;
    }
    if !url.starts_with("https:") {
        findings.add(AJ_05.warning(), pointer, "not https");
    }
    if !link::is_own(input.document, url) {
        let own = input.document.domain.registrable();
        let message = format!("not the site {own}, which serves the file");
        findings.add(AJ_05.warning(), pointer, message);
    }
}

fn flows(manifest: &Manifest, findings: &mut Findings) {
    let flows = &manifest.flows;
    flows.check(&AJ_17, "/flows", "a list of flows", findings);
    flows.check_items(&AJ_17, "/flows", "a flow object", findings);
    let capabilities = manifest.capabilities.items();
    let names = capabilities.filter_map(|(_, capability)| capability.name.raw());
    let names: HashSet<_> = names.collect();
    for (index, item) in flows.items() {
        flow(item, &format!("/flows/{index}"), &names, findings);
    }
}

fn flow(flow: &Flow, at: &str, names: &HashSet<&str>, findings: &mut Findings) {
    let what = "the flow's name as a string";
    flow.name
        .require_text(&AJ_17, format_args!("{at}/name"), what, findings);
    let pointer = format_args!("{at}/description");
    flow.description
        .check(&AJ_17, pointer, "a string", findings);
    let pointer = format_args!("{at}/steps");
    let what = "a list of capability names";
    let Some(steps) = flow.steps.require(&AJ_17, pointer, what, findings) else {
        return;
    };
    if steps.is_empty() {
        findings.add(AJ_17.warning(), pointer, format!("empty; give {what}"));
    }
    flow.steps
        .check_items(&AJ_17, pointer, "a capability name", findings);
    for (index, step) in flow.steps.items() {
        if !names.contains(step.trim()) {
            let message = "no capability has this name";
            findings.add(AJ_17.warning(), format!("{pointer}/{index}"), message);
        }
    }
}

/// Reports the members that the format does not define, each once, with its object (AJ-21).
fn unknown(manifest: &Manifest, findings: &mut Findings) {
    let of_capabilities = manifest.capabilities.items().flat_map(|(_, capability)| {
        let params = capability.params.members();
        let params = params.map(|(_, param)| ("capabilities[].params.*", &param.unknown));
        params.chain([("capabilities[]", &capability.unknown)])
    });
    let of_flows = manifest.flows.items();
    let of_flows = of_flows.map(|(_, flow)| ("flows[]", &flow.unknown));
    let objects = [("", &manifest.unknown)]
        .into_iter()
        .chain(manifest.sections())
        .chain(of_capabilities)
        .chain(of_flows);
    let names = objects.flat_map(|(place, members): (&str, &Map<String, Value>)| {
        members.keys().map(move |name| (place, name.as_str()))
    });
    let mut seen = HashSet::new();
    let names = names.filter(|name| seen.insert(*name)).take(MAX_NAMES);
    let names = names.map(|(place, name)| match place {
        "" => name.to_owned(),
        place => format!("{place}.{name}"),
    });
    let names: Vec<_> = names.collect();
    if !names.is_empty() {
        let message = format!("the format does not define {}", names.join(", "));
        findings.add(&AJ_21, "", text::clean(&message, text::MAX_CHARS));
    }
}
