//! The rules AJ-01 to AJ-24.

use super::manifest::{Audit, Capability, Flow, Manifest, Param, RateLimit, Session};
use crate::Severity::{Error, Warning};
use crate::finding::Findings;
use crate::format::Input;
use crate::{json, link, text};
use serde_json::Value;
use std::collections::HashMap;

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// Compares the manifest with the rules of the agents.txt protocol.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.error("AJ-01", "", message);
        return;
    }
    media_type(input, findings);
    version(manifest, findings);
    site(manifest, input, findings);
    capabilities(manifest, input, findings);
    sessions(manifest, findings);
    let names: Vec<_> = manifest
        .capabilities
        .items()
        .filter_map(|(_, capability)| capability.name.raw())
        .collect();
    manifest
        .flows
        .check("AJ-17", Error, "/flows", "a list of flows", findings);
    manifest
        .flows
        .check_items("AJ-17", Error, "/flows", "a flow object", findings);
    for (index, item) in manifest.flows.items() {
        flow(item, &format!("/flows/{index}"), &names, findings);
    }
    let what = "an object with requests_per_minute";
    if let Some(limit) = manifest
        .rate_limit
        .check("AJ-18", Warning, "/rate_limit", what, findings)
    {
        rate_limit(limit, findings);
    }
    let what = "an object with enabled and endpoint";
    if let Some(audit) = manifest
        .audit
        .check("AJ-19", Warning, "/audit", what, findings)
    {
        self::audit(audit, findings);
    }
    for pointer in input.secrets {
        findings.warn("AJ-24", pointer, "a secret does not belong in a manifest");
    }
    if !manifest.unknown.is_empty() {
        let names: Vec<_> = manifest
            .unknown
            .keys()
            .take(20)
            .map(String::as_str)
            .collect();
        let message = format!(
            "members that the format does not define: {}",
            names.join(", ")
        );
        findings.info("AJ-21", "", text::clean(&message, text::MAX_CHARS));
    }
}

fn media_type(input: &Input<'_>, findings: &mut Findings) {
    let Some(sent) = input.document.media_type.as_deref() else {
        return;
    };
    let sent = sent.to_ascii_lowercase();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    let right = "application/json; charset=utf-8";
    if essence != "application/json" {
        findings.warn(
            "AJ-02",
            "",
            format!("served with another media type than {right}"),
        );
    } else if !sent.contains("utf-8") {
        findings.info(
            "AJ-02",
            "",
            format!("publishers should serve it as {right}"),
        );
    }
}

fn version(manifest: &Manifest, findings: &mut Findings) {
    let what = "the schema's version as a string, such as 1.0";
    if manifest.schema_version.is_absent() && manifest.protocol_version.raw().is_some() {
        let message = "an older name; today it is `schema_version`";
        findings.warn("AJ-03", "/protocol_version", message);
        return;
    }
    let field = &manifest.schema_version;
    field.require_text("AJ-03", Error, "/schema_version", what, findings);
}

fn site(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let what = "an object with name and url";
    let Some(site) = manifest
        .site
        .require("AJ-04", Error, "/site", what, findings)
    else {
        return;
    };
    let what = "the site's name as a string";
    site.name
        .require_text("AJ-04", Error, "/site/name", what, findings);
    for (pointer, field) in [
        ("/site/description", &site.description),
        ("/site/contact", &site.contact),
    ] {
        field.check("AJ-04", Warning, pointer, "a string", findings);
    }
    let pointer = "/site/url";
    let what = "the site's address as an absolute https URL";
    let Some(url) = site
        .url
        .require_text("AJ-05", Error, pointer, what, findings)
    else {
        return;
    };
    if !link::is_absolute(url) {
        findings.error("AJ-05", pointer, format!("give {what}"));
    } else if !url.starts_with("https:") {
        findings.warn("AJ-05", pointer, "not https");
    }
    if link::is_absolute(url) && !link::is_own(input.document, url) {
        let own = input.document.domain.registrable();
        findings.warn(
            "AJ-05",
            pointer,
            format!("another site than {own}, which serves it"),
        );
    }
}

fn capabilities(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let pointer = "/capabilities";
    let list = &manifest.capabilities;
    let what = "a list with at least one capability";
    let Some(items) = list.require("AJ-06", Error, pointer, what, findings) else {
        return;
    };
    if items.is_empty() {
        findings.error("AJ-06", pointer, format!("empty; give {what}"));
    }
    list.check_items("AJ-06", Error, pointer, "a capability object", findings);
    let mut calls = HashMap::new();
    for (index, item) in list.items() {
        let at = format!("{pointer}/{index}");
        capability(item, &at, input, findings);
        if let Some(name) = item.name.raw()
            && calls
                .insert(name, (item.method.raw(), item.endpoint.raw()))
                .is_some()
        {
            findings.warn(
                "AJ-14",
                format!("{at}/name"),
                "another capability has this name",
            );
        }
    }
}

fn capability(item: &Capability, at: &str, input: &Input<'_>, findings: &mut Findings) {
    let what = "the capability's name as a string";
    let name = item
        .name
        .require_text("AJ-07", Error, &format!("{at}/name"), what, findings);
    if name.is_some_and(|name| !is_name(name)) {
        let message = "use lower-case letters, digits, dots and underscores, such as cart.add";
        findings.warn("AJ-08", format!("{at}/name"), message);
    }
    let pointer = format!("{at}/method");
    let what = "GET, POST, PUT or DELETE";
    match item
        .method
        .require_text("AJ-07", Error, &pointer, what, findings)
    {
        None | Some("GET" | "POST" | "PUT" | "DELETE") => {}
        Some("PATCH") => findings.warn("AJ-09", pointer, format!("not defined; use {what}")),
        Some(method)
            if matches!(
                &*method.to_ascii_uppercase(),
                "GET" | "POST" | "PUT" | "DELETE" | "PATCH"
            ) =>
        {
            findings.warn("AJ-09", pointer, "write methods in upper case");
        }
        Some(_) => findings.error(
            "AJ-09",
            pointer,
            format!("no method of the format; use {what}"),
        ),
    }
    let pointer = format!("{at}/endpoint");
    let what = "the path to call as a string";
    let endpoint = item
        .endpoint
        .require_text("AJ-07", Error, &pointer, what, findings);
    if let Some(endpoint) = endpoint {
        self::endpoint(item, endpoint, at, input, findings);
    }
    for (name, flag) in [
        ("requires_session", &item.requires_session),
        ("human_handoff", &item.human_handoff),
    ] {
        flag.check(
            "AJ-07",
            Error,
            &format!("{at}/{name}"),
            "true or false",
            findings,
        );
    }
    let pointer = format!("{at}/params");
    item.params.check(
        "AJ-12",
        Error,
        &pointer,
        "an object of parameters by name",
        findings,
    );
    let named = item
        .params
        .get()
        .map_or(&[][..], |named| named.0.as_slice());
    for (name, field) in named {
        let pointer = format!("{pointer}/{}", json::escape(name));
        let what = "an object with the parameter's type";
        if let Some(found) = field.check("AJ-12", Error, &pointer, what, findings) {
            param(item, found, &pointer, findings);
        }
    }
    let is_get = item
        .method
        .raw()
        .is_some_and(|method| method.eq_ignore_ascii_case("GET"));
    if item.human_handoff.get() == Some(&true)
        && (is_get || item.requires_session.get() != Some(&true))
    {
        let message = "a handoff is usually a POST within a session";
        findings.info("AJ-20", format!("{at}/human_handoff"), message);
    }
}

fn endpoint(
    item: &Capability,
    endpoint: &str,
    at: &str,
    input: &Input<'_>,
    findings: &mut Findings,
) {
    let pointer = format!("{at}/endpoint");
    if link::is_absolute(endpoint) {
        if !link::is_own(input.document, endpoint) {
            findings.warn("AJ-10", &pointer, "leads to another site");
        }
    } else if !endpoint.starts_with('/') {
        findings.warn("AJ-10", &pointer, "give a path that starts with a slash");
    }
    for name in link::path_params(endpoint) {
        if item.params.members().all(|(declared, _)| declared != name) {
            let message = format!("`{}` is not declared in params", text::clean(&name, 80));
            findings.warn("AJ-11", &pointer, message);
        }
    }
}

fn param(item: &Capability, param: &Param, at: &str, findings: &mut Findings) {
    let what = "string, number, integer, boolean, array or object";
    let pointer = format!("{at}/type");
    let kind = param
        .kind
        .require_text("AJ-12", Error, &pointer, what, findings);
    if kind.is_some_and(|kind| !TYPES.contains(&kind)) {
        findings.error("AJ-12", pointer, format!("unknown type; give {what}"));
    }
    let is_get = item
        .method
        .raw()
        .is_some_and(|method| method.eq_ignore_ascii_case("GET"));
    if is_get && matches!(kind, Some("array" | "object")) {
        let message = "how lists and objects go into a query string is not defined";
        findings.warn("AJ-23", at, message);
    }
    param.required.check(
        "AJ-12",
        Warning,
        &format!("{at}/required"),
        "true or false",
        findings,
    );
    if !param.items.is_absent() && kind != Some("array") {
        findings.warn("AJ-13", format!("{at}/items"), "only an array has items");
    }
    let pointer = format!("{at}/enum");
    let choices = param
        .choices
        .check("AJ-13", Warning, &pointer, "a list of values", findings);
    if choices.is_some_and(Vec::is_empty) {
        findings.warn("AJ-13", pointer, "empty; give at least one value");
    }
    let Some(default) = param.default.get().filter(|default| !default.is_null()) else {
        return;
    };
    let pointer = format!("{at}/default");
    if kind.is_some_and(|kind| !fits(kind, default)) {
        findings.warn("AJ-13", pointer, "does not fit the parameter's type");
    } else if choices.is_some_and(|choices| !choices.is_empty() && !choices.contains(default)) {
        findings.warn("AJ-13", pointer, "not one of the parameter's enum");
    }
}

fn sessions(manifest: &Manifest, findings: &mut Findings) {
    let what = "an object with create, delete and ttl_seconds";
    let session = manifest
        .session
        .check("AJ-15", Error, "/session", what, findings);
    if manifest.session.is_absent() && manifest.needs_sessions() {
        let message = "a capability needs a session and none is described; the defaults apply";
        findings.warn("AJ-16", "", message);
    }
    let Some(Session {
        create,
        delete,
        ttl_seconds,
        endpoint,
        ttl,
    }) = session
    else {
        return;
    };
    for (pointer, field) in [("/session/create", create), ("/session/delete", delete)] {
        field.check("AJ-15", Error, pointer, "a path", findings);
    }
    for (pointer, name, is_there) in [
        (
            "/session/endpoint",
            "create` and `delete",
            !endpoint.is_absent(),
        ),
        ("/session/ttl", "ttl_seconds", !ttl.is_absent()),
    ] {
        if is_there {
            let message = format!("an older name; today it is `{name}`");
            findings.warn("AJ-15", pointer, message);
        }
    }
    let what = "a whole number of seconds, at least 60";
    for (pointer, field) in [("/session/ttl_seconds", ttl_seconds), ("/session/ttl", ttl)] {
        if field
            .check("AJ-15", Error, pointer, what, findings)
            .is_some_and(|seconds| *seconds < 60)
        {
            findings.error("AJ-15", pointer, format!("too short; give {what}"));
        }
    }
}

fn flow(flow: &Flow, at: &str, names: &[&str], findings: &mut Findings) {
    let what = "the flow's name as a string";
    flow.name
        .require_text("AJ-17", Error, &format!("{at}/name"), what, findings);
    let pointer = format!("{at}/steps");
    let what = "a list of capability names";
    let Some(steps) = flow.steps.require("AJ-17", Error, &pointer, what, findings) else {
        return;
    };
    if steps.is_empty() {
        findings.warn("AJ-17", &pointer, format!("empty; give {what}"));
    }
    flow.steps
        .check_items("AJ-17", Error, &pointer, "a capability name", findings);
    for (index, step) in flow.steps.items() {
        if !names.contains(&step.trim()) {
            let message = "no capability has this name";
            findings.warn("AJ-17", format!("{pointer}/{index}"), message);
        }
    }
}

fn rate_limit(limit: &RateLimit, findings: &mut Findings) {
    let new = &limit.requests_per_minute;
    let old = &limit.max_requests_per_minute;
    for (pointer, field) in [
        ("/rate_limit/requests_per_minute", new),
        ("/rate_limit/max_requests_per_minute", old),
    ] {
        let what = "a positive whole number";
        if field
            .check("AJ-18", Warning, pointer, what, findings)
            .is_some_and(|limit| *limit < 1)
        {
            findings.warn("AJ-18", pointer, format!("give {what}"));
        }
    }
    match (new.get(), old.get()) {
        (Some(new), Some(old)) if new != old => {
            let message = "the two limits differ; the lower one is used";
            findings.warn("AJ-18", "/rate_limit", message);
        }
        (None, Some(_)) => {
            let message = "an older name; today it is `requests_per_minute`";
            findings.warn("AJ-18", "/rate_limit/max_requests_per_minute", message);
        }
        (Some(_) | None, Some(_) | None) => {}
    }
}

fn audit(audit: &Audit, findings: &mut Findings) {
    audit.enabled.check(
        "AJ-19",
        Warning,
        "/audit/enabled",
        "true or false",
        findings,
    );
    if !audit.is_enabled() {
        return;
    }
    let pointer = "/audit/endpoint";
    let what = "a path with :session_id";
    let endpoint = audit
        .endpoint
        .require_text("AJ-19", Warning, pointer, what, findings);
    if endpoint.is_some_and(|endpoint| {
        !link::path_params(endpoint)
            .iter()
            .any(|name| name == "session_id")
    }) {
        findings.warn(
            "AJ-19",
            pointer,
            "says not where the session's id goes: add :session_id",
        );
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte))
}

fn fits(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}
