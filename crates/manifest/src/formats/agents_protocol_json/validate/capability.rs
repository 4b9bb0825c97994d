//! Validation of each capability: AJ-10, AJ-11, AJ-14 and AJ-20.

use super::param;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agents_protocol_json::manifest::{Capability, Manifest};
use crate::formats::agents_protocol_json::rules::{AJ_10, AJ_11, AJ_14, AJ_20};
use crate::{link, text};
use std::collections::{HashMap, HashSet};
use url::{Origin, Url};

/// Checks each capability, and its name against those before it.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let origins = origins(manifest, input);
    let mut calls = HashMap::new();
    for (index, item) in manifest.capabilities.items() {
        let at = format!("/capabilities/{index}");
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
    param::validate(item, at, findings);
    let has_session = item.requires_session.get() == Some(&true);
    if item.human_handoff.get() == Some(&true) && (item.is_get() || !has_session) {
        let message = "a handoff is usually a POST within a session; check this one";
        findings.add(&AJ_20, format!("{at}/human_handoff"), message);
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
    let Some(endpoint) = item.endpoint.raw() else {
        return;
    };
    let url = link::absolute_template(&input.document.url, endpoint);
    let is_elsewhere = url
        .as_deref()
        .and_then(|url| Url::parse(url).ok())
        .is_some_and(|url| !origins.contains(&url.origin()));
    if is_elsewhere {
        findings.add(
            &AJ_10,
            pointer,
            "not on the site's own origin; give a path of the site",
        );
    } else if !link::is_absolute(endpoint) && !endpoint.starts_with('/') {
        let message = "not a path of the site; give one that starts with a slash";
        findings.add(&AJ_10, pointer, message);
    }
    let declared: HashSet<_> = item.params.members().map(|(name, _)| name).collect();
    for name in link::path_params(endpoint) {
        if !declared.contains(name.as_str()) {
            let message = format!(
                "`{}` is not declared; add it to params",
                text::clean(&name, 80)
            );
            findings.add(&AJ_11, pointer, message);
        }
    }
}
