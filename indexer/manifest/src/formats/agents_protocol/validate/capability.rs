//! Validation of each capability: AJ-06 to AJ-11, AJ-14 and AJ-20.

use super::super::manifest::{Capability, Manifest};
use super::param;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agents_protocol::rules::{
    AJ_06, AJ_07, AJ_08, AJ_09, AJ_10, AJ_11, AJ_14, AJ_20,
};
use crate::{link, text};
use std::collections::{HashMap, HashSet};
use url::{Origin, Url};

/// Checks each capability, and its name against those before it.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let pointer = "/capabilities";
    let list = &manifest.capabilities;
    let what = "a list with at least one capability";
    let Some(items) = list.require(&AJ_06, pointer, what, findings) else {
        return;
    };
    if items.is_empty() {
        findings.add(&AJ_06, pointer, format!("empty; give {what}"));
    }
    list.check_items(&AJ_06, pointer, "a capability object", findings);
    let origins = origins(manifest, input);
    let mut calls = HashMap::new();
    for (index, item) in list.items() {
        let at = format!("{pointer}/{index}");
        capability(item, &at, findings);
        endpoint(item, &origins, &at, input, findings);
        let Some(name) = item.name.raw() else {
            continue;
        };
        let call = (item.method.raw(), item.endpoint.raw());
        if let Some(other) = calls.insert(name, call) {
            let message = if other == call {
                "the same capability is listed twice; remove one of the two"
            } else {
                "a different call above has the same name; rename one of the two"
            };
            findings.add(&AJ_14, format!("{at}/name"), message);
        }
    }
}

/// Returns the origins of the site's own endpoints: that of the document and that of `site.url`.
fn origins(manifest: &Manifest, input: &Input<'_>) -> [Origin; 2] {
    let found = &input.document.url;
    let site = manifest.site.get().and_then(|site| site.url.raw());
    let site = site.filter(|url| link::is_own(input.document, url));
    let site = site.and_then(|url| Url::parse(url).ok());
    [found.origin(), site.as_ref().unwrap_or(found).origin()]
}

fn capability(item: &Capability, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/name");
    let what = "the capability's name as a string";
    let name = &item.name;
    let name = name.require_text(&AJ_07, pointer, what, findings);
    if name.is_some_and(|name| !is_name(name)) {
        let message = "use lower-case letters, digits, dots and underscores, such as cart.add";
        findings.add(&AJ_08, pointer, message);
    }
    let pointer = format_args!("{at}/description");
    item.description
        .check(&AJ_07, pointer, "a string", findings);
    method(item, at, findings);
    for (name, flag) in [
        ("requires_session", &item.requires_session),
        ("human_handoff", &item.human_handoff),
    ] {
        let pointer = format_args!("{at}/{name}");
        flag.check(&AJ_07, pointer, "true or false", findings);
    }
    param::validate(item, at, findings);
    let has_session = item.requires_session.get() == Some(&true);
    if item.human_handoff.get() == Some(&true) && (item.is_get() || !has_session) {
        let message = "a handoff is usually a POST within a session; check this one";
        findings.add(&AJ_20, format!("{at}/human_handoff"), message);
    }
}

fn method(item: &Capability, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/method");
    let what = "GET, POST, PUT or DELETE";
    let method = &item.method;
    let Some(method) = method.require_text(&AJ_07, pointer, what, findings) else {
        return;
    };
    match &*method.to_ascii_uppercase() {
        "GET" | "POST" | "PUT" | "DELETE" if method.contains(char::is_lowercase) => {
            findings.add(AJ_09.warning(), pointer, "write the method in upper case");
        }
        "GET" | "POST" | "PUT" | "DELETE" => {}
        "PATCH" => findings.add(
            AJ_09.warning(),
            pointer,
            format!("not defined by the schema; use {what}"),
        ),
        _ => {
            let message = format!("not a method of this format; use {what}");
            findings.add(&AJ_09, pointer, message);
        }
    }
}

fn endpoint(
    item: &Capability,
    origins: &[Origin],
    at: &str,
    input: &Input<'_>,
    findings: &mut Findings,
) {
    let pointer = format_args!("{at}/endpoint");
    let what = "the path to call as a string";
    let endpoint = &item.endpoint;
    let Some(endpoint) = endpoint.require_text(&AJ_07, pointer, what, findings) else {
        return;
    };
    let url = link::absolute_template(&input.document.url, endpoint);
    let is_elsewhere = url
        .as_deref()
        .and_then(|url| Url::parse(url).ok())
        .is_some_and(|url| !origins.contains(&url.origin()));
    if is_elsewhere {
        findings.add(&AJ_10, pointer, "not on the site's own origin");
    } else if !link::is_absolute(endpoint) && !endpoint.starts_with('/') {
        let message = "give a path that starts with a slash";
        findings.add(&AJ_10, pointer, message);
    }
    let declared: HashSet<_> = item.params.members().map(|(name, _)| name).collect();
    for name in link::path_params(endpoint) {
        if !declared.contains(name.as_str()) {
            let message = format!("`{}` is not declared in params", text::clean(&name, 80));
            findings.add(&AJ_11, pointer, message);
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'.'
    };
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_allowed)
}
