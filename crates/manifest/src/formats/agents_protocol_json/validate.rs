//! Validation of `agents.json`: the rules AJ-01 to AJ-24, except AJ-22, which `merge` checks
//! because it compares two documents.

use super::manifest::Manifest;
use super::rules::{AJ_02, AJ_03, AJ_05, AJ_17, AJ_24};
use crate::finding::Findings;
use crate::format::Input;
use crate::{Finding, link, text};
use std::collections::HashSet;

mod capability;
mod param;
mod service;

/// Checks the manifest against the rules of the agents.txt protocol.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
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
            "a secret does not belong in a manifest; remove and revoke it",
        );
    }
}

fn media_type(input: &Input<'_>, findings: &mut Findings) {
    let Some(sent) = input.document.media_type.as_deref() else {
        return;
    };
    let sent = sent.to_ascii_lowercase();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    let expected = "application/json; charset=utf-8";
    if essence != "application/json" {
        let message = format!(
            "served as {}; send `Content-Type: {expected}`",
            quoted(essence)
        );
        findings.add(&AJ_02, "", message);
    } else if !sent.contains("utf-8") {
        let charset = sent
            .split(';')
            .find_map(|it| it.trim().strip_prefix("charset="));
        let problem = match charset {
            Some(charset) => format!("served with the charset {}", quoted(charset)),
            None => "served without a charset".to_owned(),
        };
        let message = format!("{problem}; send `Content-Type: {expected}`");
        findings.add(&AJ_02, "", message);
    }
}

/// Returns a part of a header for use in a message.
fn quoted(part: &str) -> String {
    format!("{:?}", text::clean(part.trim_matches('"'), 60))
}

fn version(manifest: &Manifest, findings: &mut Findings) {
    if !manifest.schema_version.is_absent() {
        return;
    }
    if manifest.protocol_version.raw().is_some() {
        let message = "an older name; today it is `schema_version`";
        findings.add(AJ_03.warning(), "/protocol_version", message);
    } else {
        let message = "`schema_version` is missing; give the schema's version as a string";
        let finding = Finding::new(&AJ_03, "/schema_version", message);
        findings.push(finding.with_correction(r#""schema_version": "1.0""#));
    }
}

fn site(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    let Some(url) = manifest.site.get().and_then(|site| site.url.raw()) else {
        return;
    };
    let pointer = "/site/url";
    if !link::is_absolute(url) {
        let message = "not an absolute URL; give the site's address with https://";
        return findings.add(&AJ_05, pointer, message);
    }
    if !url.starts_with("https:") {
        findings.add(
            AJ_05.warning(),
            pointer,
            "not https; serve it over TLS and give the https address",
        );
    }
    if !link::is_own(input.document, url) {
        let own = input.document.domain.registrable();
        let message = format!("not the site {own}, which serves the file; give its own address");
        findings.add(AJ_05.warning(), pointer, message);
    }
}

fn flows(manifest: &Manifest, findings: &mut Findings) {
    let capabilities = manifest.capabilities.items();
    let names = capabilities.filter_map(|(_, capability)| capability.name.raw());
    let names: HashSet<_> = names.collect();
    for (index, flow) in manifest.flows.items() {
        for (step, name) in flow.steps.items() {
            if !name.trim().is_empty() && !names.contains(name.trim()) {
                let message =
                    "no capability has this name; name one of `capabilities`, or remove the step";
                let pointer = format!("/flows/{index}/steps/{step}");
                findings.add(AJ_17.warning(), pointer, message);
            }
        }
    }
}
