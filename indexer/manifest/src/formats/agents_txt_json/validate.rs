//! Validation against the rules AX-01 to AX-08.

use super::manifest::{Agents, Auth, Capability, Manifest, Parameter};
use crate::Severity::{Error, Warning};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::Input;
use crate::json;
use serde_json::Value;
use std::collections::HashSet;

const PROTOCOLS: [&str; 5] = ["REST", "MCP", "A2A", "GraphQL", "WebSocket"];
const SCHEMES: [&str; 5] = ["none", "api-key", "bearer-token", "oauth2", "hmac"];
const WINDOWS: [&str; 4] = ["second", "minute", "hour", "day"];
const LOCATIONS: [&str; 4] = ["query", "path", "header", "body"];
/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 500;

/// Validates the document against the rules of agents-txt 1.0.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.report("AX-01", "", message);
        return;
    }
    let what = "the version as major.minor, such as 1.0";
    let version =
        manifest
            .spec_version
            .require_text("AX-01", Error, "/specVersion", what, findings);
    if version.is_some_and(|version| !is_major_minor(version)) {
        findings.report("AX-01", "/specVersion", format!("give {what}"));
    }
    site(manifest, findings);
    members(manifest, findings);
    let list = &manifest.capabilities;
    let what = "the capabilities as a list";
    list.require("AX-03", Error, "/capabilities", what, findings);
    list.check_items(
        "AX-03",
        Error,
        "/capabilities",
        "an object with an id",
        findings,
    );
    let mut ids = HashSet::new();
    for (index, item) in list.items() {
        let at = format!("/capabilities/{index}");
        capability(item, &at, findings);
        if item.id.raw().is_some_and(|id| !ids.insert(id)) {
            let message = "another capability has this id; give each its own";
            findings.report("AX-05", format!("{at}/id"), message);
        }
    }
    callers(manifest, &ids, findings);
}

fn is_major_minor(version: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    version
        .split_once('.')
        .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

fn site(manifest: &Manifest, findings: &mut Findings) {
    let what = "an object with name and url";
    let Some(site) = manifest
        .site
        .require("AX-02", Error, "/site", what, findings)
    else {
        return;
    };
    site.name
        .require_text("AX-02", Error, "/site/name", "the site's name", findings);
    let what = "the site's address";
    if let Some(url) = site
        .url
        .require_url("AX-02", Error, "/site/url", what, findings)
    {
        https("/site/url", url, findings);
    }
    let pointer = "/site/description";
    let description = site
        .description
        .check("AX-02", Error, pointer, "a string", findings);
    if description.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        let message = format!("longer than {MAX_DESCRIPTION} characters; shorten it");
        findings.report("AX-02", pointer, message);
    }
    let pointer = "/site/contact";
    let contact = site
        .contact
        .check("AX-02", Error, pointer, "a mail address", findings);
    if contact.is_some_and(|contact| !contact.contains('@')) {
        findings.report("AX-02", pointer, "not a mail address; give one");
    }
    let what = "the address of the privacy policy";
    site.privacy_policy
        .check_url("AX-02", Error, "/site/privacyPolicy", what, findings);
}

/// Checks `declarationType`, `operatesOn` and `access` (AX-02).
fn members(manifest: &Manifest, findings: &mut Findings) {
    let kind = manifest.declaration_type.check(
        "AX-02",
        Error,
        "/declarationType",
        "platform or agent",
        findings,
    );
    if kind.is_some_and(|kind| !matches!(kind.as_str(), "platform" | "agent")) {
        findings.report("AX-02", "/declarationType", "give platform or agent");
    }
    let operates = &manifest.operates_on;
    operates.check(
        "AX-02",
        Error,
        "/operatesOn",
        "a list of addresses",
        findings,
    );
    operates.check_items("AX-02", Error, "/operatesOn", "an address", findings);
    let what = "an object with the lists allow and disallow";
    let access = manifest
        .access
        .require("AX-02", Error, "/access", what, findings);
    for (name, list) in access
        .into_iter()
        .flat_map(|it| [("allow", &it.allow), ("disallow", &it.disallow)])
    {
        let pointer = format_args!("/access/{name}");
        let what = "a list of paths";
        list.require("AX-02", Error, pointer, what, findings);
        list.check_items("AX-02", Error, pointer, "a path", findings);
    }
}

fn capability(capability: &Capability, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/id");
    let what = "an id of lower-case letters, digits and hyphens";
    let id = capability
        .id
        .require_text("AX-03", Error, pointer, what, findings);
    if id.is_some_and(|id| !is_id(id)) {
        findings.report("AX-03", pointer, format!("give {what}"));
    }
    let pointer = format_args!("{at}/description");
    let what = "what the capability does";
    let text = &capability.description;
    let text = text.require_text("AX-03", Error, pointer, what, findings);
    if text.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        let message = format!("longer than {MAX_DESCRIPTION} characters; shorten it");
        findings.report("AX-03", pointer, message);
    }
    let pointer = format!("{at}/endpoint");
    let what = "the address of the endpoint";
    let url = &capability.endpoint;
    if let Some(url) = url.require_url("AX-03", Error, &pointer, what, findings) {
        https(&pointer, url, findings);
    }
    let pointer = format_args!("{at}/protocol");
    let what = format_args!("one of {}", PROTOCOLS.join(", "));
    let protocol = &capability.protocol;
    let protocol = protocol.require_text("AX-04", Error, pointer, what, findings);
    if protocol.is_some_and(|protocol| !PROTOCOLS.contains(&protocol)) {
        findings.report("AX-04", pointer, format!("unknown; give {what}"));
    }
    for (name, field) in [
        ("method", &capability.method),
        ("openapi", &capability.openapi),
    ] {
        field.check(
            "AX-03",
            Error,
            format_args!("{at}/{name}"),
            "a string",
            findings,
        );
    }
    auth(&capability.auth, &format!("{at}/auth"), findings);
    rate_limit(&capability.rate_limit, &format!("{at}/rateLimit"), findings);
    parameters(capability, at, findings);
}

fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !id.starts_with('-') && id.bytes().all(|byte| byte == b'-' || is_plain(byte))
}

fn auth(auth: &Field<Auth>, at: &str, findings: &mut Findings) {
    let what = format_args!("an object whose type is one of {}", SCHEMES.join(", "));
    let scheme = match auth.check("AX-03", Error, at, what, findings) {
        None => return,
        Some(Auth::Word(word)) => {
            let message = format!("only a word; write {{\"type\": \"{word}\"}}");
            findings.report("AX-07", at, message);
            return;
        }
        Some(Auth::Object(scheme)) => scheme,
    };
    let pointer = format_args!("{at}/type");
    let kind = &scheme.kind;
    let kind = kind.require_text("AX-03", Error, pointer, what, findings);
    if kind.is_some_and(|kind| !SCHEMES.contains(&kind)) {
        let message = format!("unknown; give one of {}", SCHEMES.join(", "));
        findings.report("AX-03", pointer, message);
    }
}

fn rate_limit(limit: &Field<Value>, at: &str, findings: &mut Findings) {
    let Some(limit) = limit.get().filter(|limit| !limit.is_null()) else {
        return;
    };
    let is_positive = limit["requests"].as_u64().is_some_and(|count| count > 0);
    let window = limit["window"].as_str().unwrap_or_default();
    if !is_positive || !WINDOWS.contains(&window) {
        let message =
            "give {\"requests\": a positive number, \"window\": second, minute, hour or day}";
        findings.report("AX-03", at, message);
    }
}

fn parameters(capability: &Capability, at: &str, findings: &mut Findings) {
    if !capability.params.is_absent() {
        let message = "an older name; today it is `parameters`";
        findings.warn("AX-07", format!("{at}/params"), message);
    }
    let list = &capability.parameters;
    let pointer = format_args!("{at}/parameters");
    list.check("AX-03", Error, pointer, "a list of parameters", findings);
    list.check_items("AX-03", Error, pointer, "an object with a name", findings);
    for (index, item) in list.items() {
        parameter(item, &format!("{pointer}/{index}"), findings);
    }
}

fn parameter(parameter: &Parameter, at: &str, findings: &mut Findings) {
    for (name, field) in [("name", &parameter.name), ("type", &parameter.kind)] {
        let what = format_args!("the parameter's {name}");
        field.require_text("AX-03", Error, format_args!("{at}/{name}"), what, findings);
    }
    if parameter.place.is_absent() && parameter.location.raw().is_some() {
        let message = "an older name; today it is `in`";
        findings.report("AX-07", format!("{at}/location"), message);
        return;
    }
    let pointer = format_args!("{at}/in");
    let what = "query, path, header or body";
    let place = &parameter.place;
    let place = place.require_text("AX-03", Error, pointer, what, findings);
    if place.is_some_and(|place| !LOCATIONS.contains(&place)) {
        findings.report("AX-03", pointer, format!("unknown; give {what}"));
    }
}

fn callers(manifest: &Manifest, ids: &HashSet<&str>, findings: &mut Findings) {
    let what = "an object from callers' names to their terms";
    let agents = manifest
        .agents
        .require("AX-02", Error, "/agents", what, findings);
    if let Some(Agents::List(_)) = agents {
        let message = "a list; write an object from callers' names to their terms";
        findings.report("AX-07", "/agents", message);
    }
    for caller in manifest.callers() {
        let at = &caller.pointer;
        rate_limit(
            &caller.terms.rate_limit,
            &format!("{at}/rateLimit"),
            findings,
        );
        let list = &caller.terms.capabilities;
        let pointer = format_args!("{at}/capabilities");
        list.check("AX-06", Error, pointer, "a list of ids", findings);
        list.check_items("AX-06", Error, pointer, "an id", findings);
        for (index, id) in list.items() {
            if !ids.contains(id.as_str()) {
                let message = "no capability has this id; declare it or remove it";
                findings.report("AX-06", format!("{pointer}/{index}"), message);
            }
        }
        let pointer = format_args!("{at}/agentDeclaration");
        let declaration = &caller.terms.declaration;
        declaration.check("AX-06", Warning, pointer, "an address", findings);
    }
}

fn https(pointer: &str, url: &str, findings: &mut Findings) {
    if !url.starts_with("https:") {
        findings.report(
            "AX-08",
            pointer,
            "not https; serve it over TLS and give the https address",
        );
    }
}
