//! Writer of `agents.txt` with the keys of both revisions of the agents.txt protocol.
//!
//! Every capability is written as `Allow` for readers of the current revision and in `Capabilities`
//! for readers of the first. No line refers to other documents, because the writer does not know
//! whether the site serves them.

use super::losses::Report;
use super::service;
use crate::agent::{Audit, Flow, Sessions};
use crate::fact::part;
use crate::{Agent, CapabilityFact, Fact};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Protocols with a key for their interfaces.
pub(super) const KEYS: [(&str, &str); 4] = [
    ("interaction-api", "Agent-API"),
    ("mcp", "MCP"),
    ("openapi", "OpenAPI"),
    ("rest", "API"),
];

/// Writes the file of `agent`; returns `None` if it has no capability to allow.
pub(super) fn write(agent: &Agent, report: &mut Report<'_>) -> Option<String> {
    let mut file = File {
        text: String::new(),
        agent,
        report,
    };
    let names = file.names();
    if names.is_empty() {
        let what = "a capability with a name";
        file.report.missing_field(agent, Fact::Capabilities, what);
        return None;
    }
    let url = file.url()?;
    file.line("Site", Fact::Name, &agent.name);
    file.line("Name", Fact::Name, &agent.name);
    file.line("URL", Fact::Url, &url);
    for (key, fact, text) in [
        ("Description", Fact::Description, &agent.description),
        ("Contact", Fact::Contact, &agent.contact),
        ("Docs", Fact::Docs, &agent.docs),
        ("Logo", Fact::Logo, &agent.logo),
    ] {
        if let Some(text) = text {
            file.line(key, fact, text);
        }
    }
    file.interfaces();
    file.capabilities(&names);
    for flow in &agent.flows {
        file.flow(flow);
    }
    file.rate_limit();
    if let Some(sessions) = &agent.sessions {
        file.sessions(sessions);
    }
    if let Some(audit) = &agent.audit {
        file.audit(audit);
    }
    file.account(&url);
    Some(file.text)
}

struct File<'w, 'r> {
    text: String,
    agent: &'w Agent,
    report: &'w mut Report<'r>,
}

impl File<'_, '_> {
    /// Writes one line. A ` # ` in its value would begin a comment (AT-94), so its spaces are
    /// removed.
    fn line(&mut self, key: &str, fact: Fact, value: &str) {
        let mut value = value.to_owned();
        if value.contains(" # ") {
            let message = format!(
                "{key} is written without the spaces around `#`, which would begin a comment"
            );
            self.report.changed(self.agent.place(fact), message);
            while value.contains(" # ") {
                value = value.replace(" # ", "#");
            }
        }
        let _ = writeln!(self.text, "{key}: {value}");
    }

    /// Writes a blank line before a group of lines.
    fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Returns the names that `Allow` can express: a name that begins like a path would be read as
    /// one (C-102).
    fn names(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        for capability in &self.agent.capabilities {
            if capability.name.starts_with(['/', '*']) {
                self.report
                    .left_out(capability, "its name would be read as a path");
            } else {
                names.push(capability.name.clone());
            }
        }
        crate::text::distinct(names)
    }

    /// Returns the site's URL: its page, if that is on the site, else its root.
    fn url(&mut self) -> Option<String> {
        let root = self.report.origin.at("/")?.to_string();
        let is_default = self.agent.is_default(Fact::Homepage);
        let page = self.agent.homepage.as_ref().filter(|_| !is_default);
        let origin = service::origin(&root)?;
        let is_own = |url: &&String| service::below(&origin, url).is_some();
        let own = page
            .or(service::api_url(self.agent))
            .filter(is_own)
            .cloned();
        Some(own.unwrap_or_else(|| {
            let message = format!("no URL on the site itself is given: {root} is written instead");
            self.report.changed(&self.agent.pointer, message);
            root
        }))
    }

    /// Writes the interfaces that have a key, in the order in which the keys are read.
    fn interfaces(&mut self) {
        let agent = self.agent;
        let mut seen = HashSet::new();
        for (protocol, key) in KEYS {
            for interface in agent.interfaces.iter().filter(|it| it.protocol == protocol) {
                if seen.insert(&interface.url) {
                    self.line(key, Fact::Interfaces, &interface.url);
                }
            }
        }
        for interface in &agent.interfaces {
            if KEYS
                .iter()
                .all(|(protocol, _)| *protocol != interface.protocol)
            {
                let what = format!("the {} interface {}", interface.protocol, interface.url);
                self.report.lost(agent.place(Fact::Interfaces), what);
            }
        }
    }

    fn capabilities(&mut self, names: &[String]) {
        self.gap();
        for name in names {
            self.line("Allow", Fact::Capabilities, name);
        }
        let breaks_list = |name: &String| name.contains(',') || name.starts_with("# ");
        if names.iter().any(breaks_list) {
            let message =
                "no Capabilities line is written: it could not be split into the same names";
            self.report
                .changed(self.agent.place(Fact::Capabilities), message);
        } else {
            self.line("Capabilities", Fact::Capabilities, &names.join(", "));
        }
    }

    fn flow(&mut self, flow: &Flow) {
        let has_edge = |part: &String| part.starts_with("# ") || part.ends_with(" #");
        let is_clear = !flow.name.contains('→')
            && flow.steps.iter().all(|step| !step.contains(','))
            && !flow.steps.iter().chain([&flow.name]).any(has_edge);
        if !is_clear || flow.steps.is_empty() {
            let what = format!(
                "the flow {:?}, which has no steps or names with separators",
                flow.name
            );
            self.report.lost(self.agent.place(Fact::Flows), what);
            return;
        }
        self.gap();
        let steps = flow.steps.join(", ");
        self.line("Flow", Fact::Flows, &format!("{} → {steps}", flow.name));
        if let Some(description) = &flow.description {
            self.line("Flow-Description", Fact::Flows, description);
        }
    }

    fn rate_limit(&mut self) {
        let own = self
            .agent
            .rate_limits
            .iter()
            .find(|limit| limit.scope == "default");
        let own = own.and_then(|limit| Some((limit, service::rate(limit)?)));
        if let Some((_, rate)) = &own {
            self.gap();
            self.line("Rate-Limit", Fact::RateLimits, rate);
        }
        for limit in &self.agent.rate_limits {
            if own.as_ref().is_none_or(|(it, _)| *it != limit) {
                let (scope, limit, window) = (&limit.scope, limit.limit, limit.window_s);
                let what = format!("the limit of {limit} calls in {window} s ({scope})");
                self.report.lost(self.agent.place(Fact::RateLimits), what);
            }
        }
    }

    fn sessions(&mut self, sessions: &Sessions) {
        self.gap();
        if !self.agent.is_default_in_part(part::SESSION_CREATE) {
            self.line("Session-Endpoint", Fact::Sessions, &sessions.create);
        }
        if !self.agent.is_default_in_part(part::SESSION_TTL) {
            self.line(
                "Session-TTL",
                Fact::Sessions,
                &format!("{}s", sessions.ttl_s),
            );
        }
        if sessions.delete != sessions.create
            && !self.agent.is_default_in_part(part::SESSION_DELETE)
        {
            let what = "a different URL for deleting sessions";
            self.report.lost(self.agent.place(Fact::Sessions), what);
        }
    }

    fn audit(&mut self, audit: &Audit) {
        self.gap();
        self.line("Audit", Fact::Audit, "true");
        if !self.agent.is_default_in_part(part::AUDIT_ENDPOINT) {
            let endpoint = service::with_colons(&audit.endpoint);
            self.line("Audit-Endpoint", Fact::Audit, &endpoint);
        }
        if audit.description.is_some() {
            self.report.lost(
                self.agent.place(Fact::Audit),
                "the description of the audit",
            );
        }
        if audit.public_key.is_some() {
            self.report
                .lost(self.agent.place(Fact::Audit), "the audit's public key");
        }
    }

    fn account(&mut self, url: &str) {
        let agent = self.agent;
        let mut kept = vec![
            Fact::Name,
            Fact::Description,
            Fact::Contact,
            Fact::Docs,
            Fact::Logo,
            Fact::Capabilities,
            Fact::Interfaces,
            Fact::RateLimits,
            Fact::Sessions,
            Fact::Flows,
            Fact::Audit,
        ];
        let is_interface = |it: &String| agent.interfaces.iter().any(|other| other.url == *it);
        if agent
            .url
            .as_ref()
            .is_none_or(|it| it == url || is_interface(it))
        {
            kept.push(Fact::Url);
        }
        if agent.homepage.as_ref().is_none_or(|it| it == url) {
            kept.push(Fact::Homepage);
        }
        self.report.keep(agent, &kept);
        self.report
            .keep_of(&agent.capabilities, &[CapabilityFact::Name]);
    }
}
