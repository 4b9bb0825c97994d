//! Validation of sessions, rate limits and records beyond their shapes (AJ-15, AJ-16, AJ-18, AJ-19).

use crate::finding::Findings;
use crate::formats::agents_protocol_json::manifest::Manifest;
use crate::formats::agents_protocol_json::normalize::DEFAULT_AUDIT;
use crate::formats::agents_protocol_json::rules::{AJ_15, AJ_16, AJ_18, AJ_19};
use crate::{Finding, link};

/// Checks that sessions are described where they are needed, under their current names.
pub(super) fn sessions(manifest: &Manifest, findings: &mut Findings) {
    let field = &manifest.session;
    if field.is_absent() && manifest.needs_sessions() {
        let message = "a capability needs a session and none is described; the defaults apply";
        findings.add(&AJ_16, "", message);
    }
    let Some(session) = field.get() else {
        return;
    };
    for (pointer, name, is_absent) in [
        (
            "/session/endpoint",
            "create` and `delete",
            session.endpoint.is_absent(),
        ),
        ("/session/ttl", "ttl_seconds", session.ttl.is_absent()),
    ] {
        if !is_absent {
            let message = format!("an older name; today it is `{name}`");
            findings.add(AJ_15.warning(), pointer, message);
        }
    }
}

/// Checks the two names of the rate limit.
pub(super) fn rate_limit(manifest: &Manifest, findings: &mut Findings) {
    let Some(limit) = manifest.rate_limit.get() else {
        return;
    };
    let new = &limit.requests_per_minute;
    let old = &limit.max_requests_per_minute;
    match (new.get(), old.get()) {
        (Some(new), Some(old)) if new != old => {
            let message = "the two limits differ; the lower one is used";
            findings.add(&AJ_18, "/rate_limit", message);
        }
        (None, Some(_)) => {
            let message = "an older name; today it is `requests_per_minute`";
            findings.add(&AJ_18, "/rate_limit/max_requests_per_minute", message);
        }
        (Some(_) | None, Some(_) | None) => {}
    }
}

/// Checks the endpoint of the signed session records.
pub(super) fn audit(manifest: &Manifest, findings: &mut Findings) {
    let Some(audit) = manifest.audit.get().filter(|audit| audit.is_enabled()) else {
        return;
    };
    let pointer = "/audit/endpoint";
    let Some(endpoint) = audit.endpoint.get() else {
        if audit.endpoint.is_absent() {
            let message = "no endpoint is given, so the default of the specification applies";
            let finding = Finding::new(AJ_19.info(), "/audit", message);
            findings.push(finding.with_correction(format!("\"endpoint\": \"{DEFAULT_AUDIT}\"")));
        }
        return;
    };
    let names = link::path_params(endpoint);
    if !names.iter().any(|name| name == "session_id") {
        let message = "the path has no place for the session's id; add :session_id";
        findings.add(&AJ_19, pointer, message);
    }
}
