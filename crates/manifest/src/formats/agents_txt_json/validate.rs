//! Checks of one member against another, and of the forms of the specification's own examples
//! (AX-03, AX-05 to AX-07).

use super::manifest::{Auth, Capability, Manifest};
use super::rules::{AX_03, AX_05, AX_06, AX_07};
use super::shape::{SCHEME, TERMS};
use crate::finding::Findings;
use crate::format::Input;
use serde_json::Value;
use std::collections::HashSet;

/// Validates the document against the rules of agents-txt 1.0.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let mut ids = HashSet::new();
    for (index, item) in manifest.capabilities.items() {
        let at = format!("/capabilities/{index}");
        let published = &input.value["capabilities"][index]["auth"];
        auth(item, published, &format!("{at}/auth"), findings);
        parameters(item, &at, findings);
        if item.id.raw().is_some_and(|id| !ids.insert(id)) {
            let message = "another capability has this id; give each its own";
            findings.add(&AX_05, format!("{at}/id"), message);
        }
    }
    for caller in manifest.callers() {
        let at = &caller.pointer;
        let published = input.value.pointer(at).unwrap_or(&Value::Null);
        TERMS.check(published, at, findings);
        for (index, id) in caller.terms.capabilities.items() {
            if !ids.contains(id.as_str()) {
                let message = "no capability has this id; declare it or remove it";
                findings.add(&AX_06, format!("{at}/capabilities/{index}"), message);
            }
        }
    }
}

fn auth(capability: &Capability, published: &Value, at: &str, findings: &mut Findings) {
    if let Some(Auth::Word(word)) = capability.auth.get() {
        let message = format!("only a word; write {{\"type\": \"{word}\"}}");
        findings.add(&AX_07, at, message);
    } else if !capability.auth.is_absent() {
        SCHEME.check(published, at, findings);
    }
}

fn parameters(capability: &Capability, at: &str, findings: &mut Findings) {
    if !capability.params.is_absent() {
        let message = "an older name; today it is `parameters`";
        findings.add(AX_07.warning(), format!("{at}/params"), message);
    }
    for (index, parameter) in capability.parameters.items() {
        let at = format_args!("{at}/parameters/{index}");
        if !parameter.place.is_absent() {
            continue;
        }
        if parameter.location.raw().is_some() {
            let message = "an older name; today it is `in`";
            findings.add(&AX_07, format!("{at}/location"), message);
        } else {
            let message = "`in` is missing; give query, path, header or body";
            findings.add(&AX_03, format!("{at}/in"), message);
        }
    }
}
