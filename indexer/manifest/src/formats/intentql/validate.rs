//! Checks of the rules IQ-01 to IQ-15.

use super::manifest::{Action, Auth, Manifest};
use super::parameter::Parameter;
use crate::field::{Field, Table};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::intentql::rules::{
    IQ_01, IQ_02, IQ_03, IQ_04, IQ_05, IQ_06, IQ_07, IQ_08, IQ_09, IQ_10, IQ_11, IQ_12, IQ_13,
    IQ_14, IQ_15,
};
use crate::{json, link, text};
use serde_json::Value;
use std::collections::HashSet;

const TYPES: [&str; 6] = ["string", "number", "boolean", "date", "array", "object"];

/// Checks the manifest against the rules of IntentQL.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.add(&IQ_01, "", message);
        return;
    }
    let what = "the site's name as a string";
    manifest.name.require_text(&IQ_02, "/name", what, findings);
    let what = "a version as a string, such as 1.0.0";
    let version = manifest
        .version
        .require_text(&IQ_03, "/version", what, findings);
    if version.is_some_and(|version| semver::Version::parse(version).is_err()) {
        findings.add(
            IQ_03.warning(),
            "/version",
            "not a semantic version such as 1.0.0",
        );
    }
    manifest
        .description
        .check(IQ_02.warning(), "/description", "a string", findings);
    let what = "an absolute https URL";
    let base = manifest.base_url.check(&IQ_04, "/base_url", what, findings);
    if base.is_some_and(|base| !(link::is_absolute(base) && base.trim().starts_with("https:"))) {
        findings.add(&IQ_04, "/base_url", format!("give {what}"));
    }
    actions(manifest, findings);
    if let Some(auth) = manifest.auth.check(&IQ_11, "/auth", "an object", findings) {
        self::auth(auth, findings);
    }
    let limits = manifest
        .rate_limits
        .check(&IQ_10, "/rate_limits", "an object", findings);
    for (name, limit) in limits
        .into_iter()
        .flat_map(super::manifest::RateLimits::named)
    {
        rate(limit, &format!("/rate_limits/{name}"), findings);
    }
    deprecated(manifest, findings);
    let metadata = manifest.metadata.get();
    let requires_https = metadata
        .and_then(|metadata| metadata.security.get())
        .is_some_and(|security| security.require_https.get() == Some(&true));
    let is_plain = |url: Option<&str>| url.is_some_and(|url| url.starts_with("http:"));
    if input.document.url.scheme() == "http" {
        findings.add(&IQ_15, "", "served over http; serve it over https");
    }
    if requires_https && is_plain(manifest.base_url.raw()) {
        let message = "the site requires https, but base_url is http";
        findings.add(&IQ_15, "/metadata/security/require_https", message);
    }
}

fn actions(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/capabilities";
    let what = "an object of capabilities by name";
    let Some(named) = manifest
        .capabilities
        .require(&IQ_05, pointer, what, findings)
    else {
        return;
    };
    if named.0.is_empty() {
        findings.add(
            IQ_05.warning(),
            pointer,
            "the object is empty; add a capability",
        );
    }
    for (name, field) in &named.0 {
        let at = format!("{pointer}/{}", json::escape(name));
        let what = "an object with description, method and endpoint";
        if let Some(item) = field.check(&IQ_06, &at, what, findings) {
            action(item, &at, findings);
            if item.auth_required.get() == Some(&true) && manifest.auth.is_absent() {
                let message =
                    "authentication is required, but there is no `auth` that states the method";
                findings.add(&IQ_12, format!("{at}/auth_required"), message);
            }
        }
    }
}

fn action(action: &Action, at: &str, findings: &mut Findings) {
    let what = "a description of what the capability does";
    let pointer = format_args!("{at}/description");
    action
        .description
        .require_text(&IQ_06, pointer, what, findings);
    let what = "GET, POST, PUT or DELETE";
    let pointer = format_args!("{at}/method");
    match action.method.require_text(&IQ_06, pointer, what, findings) {
        None | Some("GET" | "POST" | "PUT" | "DELETE") => {}
        Some(method)
            if matches!(
                &*method.to_ascii_uppercase(),
                "GET" | "POST" | "PUT" | "DELETE"
            ) =>
        {
            findings.add(IQ_07.warning(), pointer, "write the method in upper case");
        }
        Some(_) => findings.add(
            &IQ_07,
            pointer,
            format!("not a method of this format; use {what}"),
        ),
    }
    let pointer = format_args!("{at}/endpoint");
    let what = "the path to call as a string";
    let endpoint = action
        .endpoint
        .require_text(&IQ_06, pointer, what, findings);
    for name in endpoint.into_iter().flat_map(link::path_params) {
        let is_required = |(declared, parameter): (&str, &Parameter)| {
            declared == name && parameter.required.get() == Some(&true)
        };
        if !action.parameters.members().any(is_required) {
            let name = text::clean(&name, 80);
            let message = format!("declare a parameter `{name}` with `required: true`");
            findings.add(&IQ_08, pointer, message);
        }
    }
    parameters(&action.parameters, &format!("{at}/parameters"), findings);
    parameters(&action.returns, &format!("{at}/returns"), findings);
    let pointer = format_args!("{at}/auth_required");
    action
        .auth_required
        .check(&IQ_06, pointer, "true or false", findings);
    rate(&action.rate_limit, &format!("{at}/rate_limit"), findings);
}

fn parameters(named: &Table<Parameter>, at: &str, findings: &mut Findings) {
    let what = "an object of parameters by name";
    let Some(named) = named.check(&IQ_09, at, what, findings) else {
        return;
    };
    for (name, field) in &named.0 {
        let at = format!("{at}/{}", json::escape(name));
        let what = "an object with the parameter's type";
        if let Some(found) = field.check(&IQ_09, &at, what, findings) {
            parameter(found, &at, findings);
        }
    }
}

fn parameter(parameter: &Parameter, at: &str, findings: &mut Findings) {
    let what = "string, number, boolean, date, array or object";
    let pointer = format_args!("{at}/type");
    let kind = parameter.kind.require_text(&IQ_09, pointer, what, findings);
    if kind == Some("integer") {
        findings.add(&IQ_09, pointer, "not a type of this format; use number");
    } else if kind.is_some_and(|kind| !TYPES.contains(&kind)) {
        findings.add(&IQ_09, pointer, format!("unknown type; use {what}"));
    }
    let number = |field: &Field<Value>| field.get().and_then(Value::as_f64);
    let (min, max) = (number(&parameter.min), number(&parameter.max));
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        findings.add(&IQ_13, format!("{at}/min"), "min is larger than max");
    }
    let Some(default) = parameter.default() else {
        return;
    };
    let choices = parameter
        .choices
        .get()
        .filter(|choices| !choices.is_empty());
    let measure = match default {
        Value::String(text) => f64::from(u32::try_from(text.chars().count()).unwrap_or(u32::MAX)),
        other => other.as_f64().unwrap_or(f64::NAN),
    };
    if choices.is_some_and(|choices| !choices.contains(default)) {
        findings.add(
            &IQ_13,
            format!("{at}/default"),
            "the default is not one of enum",
        );
    } else if min.is_some_and(|min| measure < min) || max.is_some_and(|max| measure > max) {
        findings.add(
            &IQ_13,
            format!("{at}/default"),
            "the default is not between min and max",
        );
    }
}

fn auth(auth: &Auth, findings: &mut Findings) {
    let what = "api_key, oauth2, bearer or basic";
    let pointer = "/auth/type";
    match auth.kind.require_text(&IQ_11, pointer, what, findings) {
        None | Some("bearer" | "basic") => {}
        Some("api_key") => {
            let what = "the header that carries the key";
            auth.header
                .require_text(IQ_11.warning(), "/auth/header", what, findings);
        }
        Some("oauth2") => {
            for (pointer, field) in [
                ("/auth/authorization_url", &auth.authorization_url),
                ("/auth/token_url", &auth.token_url),
            ] {
                field.require_text(IQ_11.warning(), pointer, "an https URL", findings);
            }
        }
        Some(_) => findings.add(&IQ_11, pointer, format!("unknown type; use {what}")),
    }
}

/// Checks a rate: digits, a slash and a unit, nothing else (IQ-10).
fn rate(field: &Field<String>, pointer: &str, findings: &mut Findings) {
    let what = "a number, a slash and second, minute, hour or day, such as 100/hour";
    let Some(text) = field.check(&IQ_10, pointer, what, findings) else {
        return;
    };
    let is_right = text.split_once('/').is_some_and(|(count, unit)| {
        count.parse::<u64>().is_ok() && matches!(unit, "second" | "minute" | "hour" | "day")
    });
    if !is_right {
        findings.add(&IQ_10, pointer, format!("give {what}"));
    }
}

fn deprecated(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/deprecated_capabilities";
    let list = &manifest.deprecated_capabilities;
    list.check(&IQ_14, pointer, "a list of capability names", findings);
    let declared: HashSet<&str> = manifest
        .capabilities
        .members()
        .map(|(name, _)| name)
        .collect();
    for (index, name) in list.items() {
        if !declared.contains(name.as_str()) {
            findings.add(
                &IQ_14,
                format!("{pointer}/{index}"),
                "no capability has this name; correct or remove it",
            );
        }
    }
}
