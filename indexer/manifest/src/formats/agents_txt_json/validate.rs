//! Validation against the rules AX-01 to AX-08.

use super::manifest::{Agents, Auth, Capability, Manifest, Parameter};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agents_txt_json::rules::{
    AX_01, AX_02, AX_03, AX_04, AX_05, AX_06, AX_07, AX_08,
};
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
        findings.add(&AX_01, "", message);
        return;
    }
    let what = "the version as major.minor, such as 1.0";
    let version = manifest
        .spec_version
        .require_text(&AX_01, "/specVersion", what, findings);
    if version.is_some_and(|version| !is_major_minor(version)) {
        findings.add(&AX_01, "/specVersion", format!("give {what}"));
    }
    site(manifest, findings);
    members(manifest, findings);
    let list = &manifest.capabilities;
    let what = "the capabilities as a list";
    list.require(&AX_03, "/capabilities", what, findings);
    list.check_items(&AX_03, "/capabilities", "an object with an id", findings);
    let mut ids = HashSet::new();
    for (index, item) in list.items() {
        let at = format!("/capabilities/{index}");
        capability(item, &at, findings);
        if item.id.raw().is_some_and(|id| !ids.insert(id)) {
            let message = "another capability has this id; give each its own";
            findings.add(&AX_05, format!("{at}/id"), message);
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
    let Some(site) = manifest.site.require(&AX_02, "/site", what, findings) else {
        return;
    };
    site.name
        .require_text(&AX_02, "/site/name", "the site's name", findings);
    let what = "the site's address";
    if let Some(url) = site.url.require_url(&AX_02, "/site/url", what, findings) {
        https("/site/url", url, findings);
    }
    let pointer = "/site/description";
    let description = site
        .description
        .check(&AX_02, pointer, "a string", findings);
    if description.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        let message = format!("longer than {MAX_DESCRIPTION} characters; shorten it");
        findings.add(&AX_02, pointer, message);
    }
    let pointer = "/site/contact";
    let contact = site
        .contact
        .check(&AX_02, pointer, "a mail address", findings);
    if contact.is_some_and(|contact| !contact.contains('@')) {
        findings.add(&AX_02, pointer, "not a mail address; give one");
    }
    let what = "the address of the privacy policy";
    site.privacy_policy
        .check_url(&AX_02, "/site/privacyPolicy", what, findings);
}

/// Checks `declarationType`, `operatesOn` and `access` (AX-02).
fn members(manifest: &Manifest, findings: &mut Findings) {
    let kind =
        manifest
            .declaration_type
            .check(&AX_02, "/declarationType", "platform or agent", findings);
    if kind.is_some_and(|kind| !matches!(kind.as_str(), "platform" | "agent")) {
        findings.add(&AX_02, "/declarationType", "give platform or agent");
    }
    let operates = &manifest.operates_on;
    operates.check(&AX_02, "/operatesOn", "a list of addresses", findings);
    operates.check_items(&AX_02, "/operatesOn", "an address", findings);
    let what = "an object with the lists allow and disallow";
    let access = manifest.access.require(&AX_02, "/access", what, findings);
    for (name, list) in access
        .into_iter()
        .flat_map(|it| [("allow", &it.allow), ("disallow", &it.disallow)])
    {
        let pointer = format_args!("/access/{name}");
        let what = "a list of paths";
        list.require(&AX_02, pointer, what, findings);
        list.check_items(&AX_02, pointer, "a path", findings);
    }
}

fn capability(capability: &Capability, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/id");
    let what = "an id of lower-case letters, digits and hyphens";
    let id = capability.id.require_text(&AX_03, pointer, what, findings);
    if id.is_some_and(|id| !is_id(id)) {
        findings.add(&AX_03, pointer, format!("give {what}"));
    }
    let pointer = format_args!("{at}/description");
    let what = "what the capability does";
    let text = &capability.description;
    let text = text.require_text(&AX_03, pointer, what, findings);
    if text.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        let message = format!("longer than {MAX_DESCRIPTION} characters; shorten it");
        findings.add(&AX_03, pointer, message);
    }
    let pointer = format!("{at}/endpoint");
    let what = "the address of the endpoint";
    let url = &capability.endpoint;
    if let Some(url) = url.require_url(&AX_03, &pointer, what, findings) {
        https(&pointer, url, findings);
    }
    let pointer = format_args!("{at}/protocol");
    let what = format_args!("one of {}", PROTOCOLS.join(", "));
    let protocol = &capability.protocol;
    let protocol = protocol.require_text(&AX_04, pointer, what, findings);
    if protocol.is_some_and(|protocol| !PROTOCOLS.contains(&protocol)) {
        findings.add(&AX_04, pointer, format!("unknown; give {what}"));
    }
    for (name, field) in [
        ("method", &capability.method),
        ("openapi", &capability.openapi),
    ] {
        field.check(&AX_03, format_args!("{at}/{name}"), "a string", findings);
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
    let scheme = match auth.check(&AX_03, at, what, findings) {
        None => return,
        Some(Auth::Word(word)) => {
            let message = format!("only a word; write {{\"type\": \"{word}\"}}");
            findings.add(&AX_07, at, message);
            return;
        }
        Some(Auth::Object(scheme)) => scheme,
    };
    let pointer = format_args!("{at}/type");
    let kind = &scheme.kind;
    let kind = kind.require_text(&AX_03, pointer, what, findings);
    if kind.is_some_and(|kind| !SCHEMES.contains(&kind)) {
        let message = format!("unknown; give one of {}", SCHEMES.join(", "));
        findings.add(&AX_03, pointer, message);
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
        findings.add(&AX_03, at, message);
    }
}

fn parameters(capability: &Capability, at: &str, findings: &mut Findings) {
    if !capability.params.is_absent() {
        let message = "an older name; today it is `parameters`";
        findings.add(AX_07.warning(), format!("{at}/params"), message);
    }
    let list = &capability.parameters;
    let pointer = format_args!("{at}/parameters");
    list.check(&AX_03, pointer, "a list of parameters", findings);
    list.check_items(&AX_03, pointer, "an object with a name", findings);
    for (index, item) in list.items() {
        parameter(item, &format!("{pointer}/{index}"), findings);
    }
}

fn parameter(parameter: &Parameter, at: &str, findings: &mut Findings) {
    for (name, field) in [("name", &parameter.name), ("type", &parameter.kind)] {
        let what = format_args!("the parameter's {name}");
        field.require_text(&AX_03, format_args!("{at}/{name}"), what, findings);
    }
    if parameter.place.is_absent() && parameter.location.raw().is_some() {
        let message = "an older name; today it is `in`";
        findings.add(&AX_07, format!("{at}/location"), message);
        return;
    }
    let pointer = format_args!("{at}/in");
    let what = "query, path, header or body";
    let place = &parameter.place;
    let place = place.require_text(&AX_03, pointer, what, findings);
    if place.is_some_and(|place| !LOCATIONS.contains(&place)) {
        findings.add(&AX_03, pointer, format!("unknown; give {what}"));
    }
}

fn callers(manifest: &Manifest, ids: &HashSet<&str>, findings: &mut Findings) {
    let what = "an object from callers' names to their terms";
    let agents = manifest.agents.require(&AX_02, "/agents", what, findings);
    if let Some(Agents::List(_)) = agents {
        let message = "a list; write an object from callers' names to their terms";
        findings.add(&AX_07, "/agents", message);
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
        list.check(&AX_06, pointer, "a list of ids", findings);
        list.check_items(&AX_06, pointer, "an id", findings);
        for (index, id) in list.items() {
            if !ids.contains(id.as_str()) {
                let message = "no capability has this id; declare it or remove it";
                findings.add(&AX_06, format!("{pointer}/{index}"), message);
            }
        }
        let pointer = format_args!("{at}/agentDeclaration");
        let declaration = &caller.terms.declaration;
        declaration.check(AX_06.warning(), pointer, "an address", findings);
    }
}

fn https(pointer: &str, url: &str, findings: &mut Findings) {
    if !url.starts_with("https:") {
        findings.add(
            &AX_08,
            pointer,
            "not https; serve it over TLS and give the https address",
        );
    }
}
