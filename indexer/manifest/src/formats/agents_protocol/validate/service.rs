//! Validation of sessions, rate limits and records (AJ-15, AJ-16, AJ-18, AJ-19).

use super::super::manifest::Manifest;
use crate::finding::Findings;
use crate::formats::agents_protocol::rules::{AJ_15, AJ_16, AJ_18, AJ_19};
use crate::link;

/// Checks the endpoints of sessions and their lifetime.
pub(super) fn sessions(manifest: &Manifest, findings: &mut Findings) {
    let field = &manifest.session;
    if field.is_absent() && manifest.needs_sessions() {
        let message = "a capability needs a session and none is described; the defaults apply";
        findings.add(&AJ_16, "", message);
    }
    let what = "an object with create, delete and ttl_seconds";
    let Some(session) = field.check(&AJ_15, "/session", what, findings) else {
        return;
    };
    for (pointer, field) in [
        ("/session/create", &session.create),
        ("/session/delete", &session.delete),
        ("/session/endpoint", &session.endpoint),
    ] {
        field.check(&AJ_15, pointer, "a path", findings);
    }
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
    let what = "a whole number of seconds, at least 60";
    for (pointer, field) in [
        ("/session/ttl_seconds", &session.ttl_seconds),
        ("/session/ttl", &session.ttl),
    ] {
        let seconds = field.check(&AJ_15, pointer, what, findings);
        if seconds.is_some_and(|seconds| *seconds < 60) {
            findings.add(&AJ_15, pointer, format!("too short; give {what}"));
        }
    }
}

/// Checks the rate limit.
pub(super) fn rate_limit(manifest: &Manifest, findings: &mut Findings) {
    let what = "an object with requests_per_minute";
    let limit = &manifest.rate_limit;
    let Some(limit) = limit.check(&AJ_18, "/rate_limit", what, findings) else {
        return;
    };
    let new = &limit.requests_per_minute;
    let old = &limit.max_requests_per_minute;
    for (pointer, field) in [
        ("/rate_limit/requests_per_minute", new),
        ("/rate_limit/max_requests_per_minute", old),
        ("/rate_limit/max_sessions", &limit.max_sessions),
    ] {
        let what = "a positive whole number";
        let limit = field.check(&AJ_18, pointer, what, findings);
        if limit.is_some_and(|limit| *limit < 1) {
            findings.add(&AJ_18, pointer, format!("give {what}"));
        }
    }
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
    let what = "an object with enabled and endpoint";
    let audit = &manifest.audit;
    let Some(audit) = audit.check(&AJ_19, "/audit", what, findings) else {
        return;
    };
    let pointer = "/audit/enabled";
    let enabled = &audit.enabled;
    enabled.check(&AJ_19, pointer, "true or false", findings);
    if !audit.is_enabled() {
        return;
    }
    let pointer = "/audit/endpoint";
    let what = "a path with :session_id";
    let endpoint = &audit.endpoint;
    let Some(endpoint) = endpoint.require_text(&AJ_19, pointer, what, findings) else {
        return;
    };
    let names = link::path_params(endpoint);
    if !names.iter().any(|name| name == "session_id") {
        let message = "the place of the session's id is missing; add :session_id";
        findings.add(&AJ_19, pointer, message);
    }
}
