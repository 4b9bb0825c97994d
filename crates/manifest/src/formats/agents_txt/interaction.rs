//! Sessions, audit and the Interaction API, which both agents-protocol dialects have.

use super::facts::Facts;
use super::report::Report;
use super::{Dialect, Manifest};
use crate::agent::{Audit, Interface, Sessions};
use crate::fact::part;
use crate::rule::Rule;
use crate::{Agent, Document, Fact, link, rate};

/// Default lifetime of a session, in seconds (C-08).
const DEFAULT_TTL: u64 = 1_800;

/// Checks `Session-TTL` (C-106) and `Audit`.
pub(super) fn validate(
    report: &mut Report<'_>,
    ttl_rule: &'static Rule,
    audit_rule: &'static Rule,
) {
    let directives = report.directives();
    if let Some(line) = directives.first("session-ttl")
        && rate::seconds(&line.value).is_none()
    {
        let message = "Session-TTL is not a number of seconds; write 3600s";
        report.at(ttl_rule, line.value_at, message);
    }
    if let Some(line) = directives.first("audit")
        && !matches!(line.value.to_ascii_lowercase().as_str(), "true" | "false")
    {
        report.at(audit_rule, line.value_at, "Audit is neither true nor false");
    }
}

/// Adds the Interaction API, sessions and audit, with their default addresses (AT-15 to AT-18).
pub(super) fn add(
    manifest: &Manifest,
    document: &Document,
    facts: &mut Facts<'_>,
    agent: &mut Agent,
) {
    let published = manifest.directives.first("agent-api");
    let base = published.and_then(|line| link::guessed(&document.url, &line.value));
    let default_base = link::origin(document) + ".well-known/agents/api";
    if base.is_none()
        && manifest.dialect == Dialect::AGENTS_PROTOCOL_LEGACY
        && !agent.capabilities.is_empty()
    {
        agent.interfaces.push(Interface {
            protocol: "interaction-api".to_owned(),
            url: default_base.clone(),
            ..Interface::default()
        });
        agent.defaulted.push(Fact::Interfaces.into());
    }
    let base = base.unwrap_or(default_base);
    if matches!(
        manifest.dialect,
        Dialect::AGENTS_PROTOCOL_LEGACY | Dialect::AGENTS_PROTOCOL
    ) {
        add_sessions(document, &base, facts, agent);
    }
    add_audit(document, &base, facts, agent);
}

fn add_sessions(document: &Document, base: &str, facts: &mut Facts<'_>, agent: &mut Agent) {
    let needs_session = |agent: &Agent| {
        let mut capabilities = agent.capabilities.iter();
        capabilities.any(|it| it.requires_session == Some(true))
    };
    let endpoint = facts.line(Fact::Sessions, &["session-endpoint"]);
    let ttl = facts.line(Fact::Sessions, &["session-ttl"]);
    let ttl = ttl.and_then(|line| rate::seconds(&line.value));
    if endpoint.is_none() && ttl.is_none() && !needs_session(agent) {
        return;
    }
    let published = endpoint.and_then(|line| link::guessed(&document.url, &line.value));
    let create = published.unwrap_or_else(|| {
        agent.defaulted.push(part::SESSION_CREATE.to_owned());
        below(base, "session")
    });
    if ttl.is_none() {
        agent.defaulted.push(part::SESSION_TTL.to_owned());
    }
    agent.sessions = Some(Sessions {
        delete: create.clone(),
        create,
        ttl_s: ttl.unwrap_or(DEFAULT_TTL),
    });
}

fn add_audit(document: &Document, base: &str, facts: &mut Facts<'_>, agent: &mut Agent) {
    let endpoint = facts.line(Fact::Audit, &["audit-endpoint"]);
    let audit = facts.line(Fact::Audit, &["audit"]);
    if endpoint.is_none() && !audit.is_some_and(|line| is_true(&line.value)) {
        facts.forget(Fact::Audit);
        return;
    }
    let published = endpoint.and_then(|line| link::absolute_template(&document.url, &line.value));
    agent.audit = Some(Audit {
        endpoint: published.unwrap_or_else(|| {
            agent.defaulted.push(part::AUDIT_ENDPOINT.to_owned());
            below(base, "audit")
        }),
        public_key: None,
        ..Audit::default()
    });
}

fn below(base: &str, name: &str) -> String {
    format!("{}/{name}", base.trim_end_matches('/'))
}

fn is_true(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "true" | "yes" | "on" | "1" | "enabled"
    )
}
