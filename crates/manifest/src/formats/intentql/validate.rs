//! Checks of one member against another: the rules IQ-08 and IQ-11 to IQ-15, and schemas in place of parameters.

use super::manifest::{Action, Auth, Manifest};
use super::parameter::{self, Parameter};
use super::rules::{IQ_08, IQ_09, IQ_11, IQ_12, IQ_13, IQ_14, IQ_15};
use crate::field::{Field, Table};
use crate::finding::Findings;
use crate::format::Input;
use crate::{Finding, json, link, text};
use serde_json::Value;
use std::collections::HashSet;

/// Checks the manifest against the rules of IntentQL.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    for (name, item) in manifest.capabilities.members() {
        let at = format!("/capabilities/{}", json::escape(name));
        action(item, &at, findings);
        for member in ["parameters", "returns"] {
            if parameter::is_schema(&input.value["capabilities"][name][member]) {
                let message =
                    "a JSON Schema, where this format has an object of parameters by name";
                let finding = Finding::new(&IQ_09, format!("{at}/{member}"), message);
                let help = "write what `properties` holds here, each parameter with `required`";
                findings.push(finding.with_help(help));
            }
        }
        if item.auth_required.get() == Some(&true) && manifest.auth.is_absent() {
            let message =
                "authentication is required, but there is no `auth` that states the method";
            findings.add(&IQ_12, format!("{at}/auth_required"), message);
        }
    }
    if let Some(auth) = manifest.auth.get() {
        self::auth(auth, findings);
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

fn action(action: &Action, at: &str, findings: &mut Findings) {
    for name in action
        .endpoint
        .raw()
        .into_iter()
        .flat_map(link::path_params)
    {
        let is_required = |(declared, parameter): (&str, &Parameter)| {
            declared == name && parameter.required.get() == Some(&true)
        };
        if !action.parameters.members().any(is_required) {
            let name = text::clean(&name, 80);
            let message = format!(
                "the path has {{{name}}}, which is no required parameter; declare `{name}` with `required: true`"
            );
            findings.add(&IQ_08, format!("{at}/endpoint"), message);
        }
    }
    parameters(&action.parameters, &format!("{at}/parameters"), findings);
    parameters(&action.returns, &format!("{at}/returns"), findings);
}

fn parameters(named: &Table<Parameter>, at: &str, findings: &mut Findings) {
    for (name, found) in named.members() {
        parameter(found, &format!("{at}/{}", json::escape(name)), findings);
    }
}

fn parameter(parameter: &Parameter, at: &str, findings: &mut Findings) {
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
    let needed: &[_] = match auth.kind.raw() {
        Some("api_key") => &[("header", &auth.header, "the header that carries the key")],
        Some("oauth2") => &[
            ("authorization_url", &auth.authorization_url, "an https URL"),
            ("token_url", &auth.token_url, "an https URL"),
        ],
        Some(_) | None => &[],
    };
    let is_blank = |field: &Field<String>| match field {
        Field::Is(text) => text.trim().is_empty(),
        Field::Absent => true,
        Field::Wrong(_) => false,
    };
    for (name, _, what) in needed.iter().filter(|(_, field, _)| is_blank(field)) {
        let message = format!("`{name}` is missing or empty; give {what}");
        findings.add(IQ_11.warning(), format!("/auth/{name}"), message);
    }
}

fn deprecated(manifest: &Manifest, findings: &mut Findings) {
    let pointer = "/deprecated_capabilities";
    let list = &manifest.deprecated_capabilities;
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
