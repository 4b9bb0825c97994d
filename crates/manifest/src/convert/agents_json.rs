//! Writer of `agents.json` of the agents.txt protocol.

use super::input::{self, Input};
use super::losses::Report;
use super::names::{self, UniqueNames};
use super::service;
use crate::agent::{Audit, Sessions};
use crate::fact::part;
use crate::{Agent, Capability, CapabilityFact, Fact};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Path prefix of the protocol's own endpoints.
const BASE: &str = "/.well-known/agents/api/";
const DEFAULT_SESSION: &str = "/.well-known/agents/api/session";
const DEFAULT_AUDIT: &str = "/.well-known/agents/api/audit/{session_id}";

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "DELETE", "PATCH"];
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// Writes the manifest of `agent`; returns `None` if no capability is called over HTTP.
pub(super) fn write(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let mut writer = Writer::new(agent, report)?;
    let capabilities = writer.capabilities();
    if capabilities.is_empty() {
        let what = "a capability with an HTTP method and a URL";
        writer.report.missing_field(agent, Fact::Capabilities, what);
        return None;
    }
    let mut site = json!({"name": agent.name, "url": writer.site});
    for (name, text) in [
        ("description", &agent.description),
        ("contact", &agent.contact),
    ] {
        if let Some(text) = text {
            site[name] = json!(text);
        }
    }
    let mut manifest = json!({"schema_version": "1.0", "site": site, "capabilities": capabilities});
    let session = agent.sessions.as_ref().and_then(|it| writer.session(it));
    let audit = agent.audit.as_ref().map(|it| writer.audit(it));
    for (name, value) in [
        ("session", session),
        ("flows", writer.flows()),
        ("rate_limit", writer.rate_limit()),
        ("audit", audit),
        ("docs_url", agent.docs.as_ref().map(|docs| json!(docs))),
    ] {
        if let Some(value) = value {
            manifest[name] = value;
        }
    }
    writer.account(&manifest);
    Some(manifest)
}

struct Writer<'w, 'r> {
    agent: &'w Agent,
    report: &'w mut Report<'r>,
    /// The site's URL.
    site: String,
    /// Its origin without a trailing slash; paths are relative to it.
    origin: String,
    /// The capabilities that were written, with their names in the result.
    written: Vec<(&'w Capability, String)>,
}

impl<'w, 'r> Writer<'w, 'r> {
    fn new(agent: &'w Agent, report: &'w mut Report<'r>) -> Option<Self> {
        let root = report.origin.at("/")?.to_string();
        let domain = report.origin.domain.registrable();
        let is_own = |url: &&String| {
            let host = url::Url::parse(url).ok();
            let host = host.as_ref().and_then(url::Url::host_str);
            let host = host.and_then(|host| crate::Domain::parse(host).ok());
            host.is_some_and(|host| host.registrable() == domain)
        };
        let pages = agent.homepage.iter().chain(service::api_url(agent));
        let site = pages.into_iter().find(is_own).cloned().unwrap_or(root);
        let origin = service::origin(&site)?;
        Some(Self {
            agent,
            report,
            site,
            origin,
            written: Vec::new(),
        })
    }

    /// Writes the capabilities that have a method and a URL.
    fn capabilities(&mut self) -> Vec<Value> {
        let agent = self.agent;
        let mut taken = UniqueNames::default();
        let mut values = Vec::new();
        for capability in &agent.capabilities {
            let call = service::call(agent, capability).and_then(|(method, url)| {
                let is_known = METHODS.contains(&method);
                is_known
                    .then_some((method, url))
                    .ok_or("the format does not support its HTTP method")
            });
            let name = name(capability).ok_or("no identifier can be made from its name");
            match (call, name) {
                (Ok((method, url)), Ok(name)) => {
                    let name = taken.take(&name);
                    if name != capability.name {
                        let message = format!("{:?} is renamed {name:?}", capability.name);
                        self.report.changed(&capability.pointer, message);
                    }
                    values.push(self.capability(capability, &name, method, url));
                    self.written.push((capability, name));
                }
                (Err(why), _) | (_, Err(why)) => self.report.left_out(capability, why),
            }
        }
        values
    }

    fn capability(&mut self, it: &Capability, name: &str, method: &str, url: &str) -> Value {
        let mut value = json!({"name": name});
        if let Some(description) = &it.description {
            value["description"] = json!(description);
        }
        value["endpoint"] = json!(self.path(url));
        value["method"] = json!(method);
        let params = self.params(it, method);
        if !params.is_empty() {
            value["params"] = Value::Object(params);
        }
        for (name, flag) in [
            ("requires_session", it.requires_session),
            ("human_handoff", it.human_handoff),
        ] {
            if let Some(flag) = flag {
                value[name] = json!(flag);
            }
        }
        value
    }

    /// Writes the parameters whose type the protocol supports; it has none in headers.
    fn params(&mut self, capability: &Capability, method: &str) -> Map<String, Value> {
        let mut params = Map::new();
        for input in input::inputs(capability) {
            let param = &input.param;
            let name = &param.name;
            let kind = param.kind.as_deref().filter(|kind| TYPES.contains(kind));
            let lost = if param.location.as_deref() == Some("header") {
                Some(format!("the header parameter {name:?}"))
            } else if let Some(kind) = kind {
                params.insert(name.clone(), self.param(capability, &input, kind));
                let is_moved = !input.has_usual_location(method);
                is_moved.then(|| format!("the location of the parameter {name:?}"))
            } else {
                Some(format!("the parameter {name:?}, whose type is not given,"))
            };
            if let Some(what) = lost {
                self.report.lost_of(&[capability], what);
            }
        }
        params
    }

    fn param(&mut self, capability: &Capability, input: &Input, kind: &str) -> Value {
        let Input { param, schema, .. } = input;
        let mut value = json!({"type": kind});
        if let Some(description) = &param.description {
            value["description"] = json!(description);
        }
        if param.required {
            value["required"] = json!(true);
        }
        if let Some(default) = param.default.as_ref().filter(|it| !it.is_null()) {
            value["default"] = default.clone();
        }
        if !param.choices.is_empty() {
            value["enum"] = json!(param.choices);
        }
        let items = schema
            .get("items")
            .filter(|it| kind == "array" && it.is_object());
        if let Some(items) = items {
            value["items"] = items.clone();
        }
        if !input::has_only(schema, &["type", "description", "default", "enum", "items"]) {
            let what = format!("further constraints on the parameter {:?}", param.name);
            self.report.lost_of(&[capability], what);
        }
        value
    }

    /// Returns a URL of this site as a path, with `:name` for parameters, and any other unchanged.
    fn path(&self, url: &str) -> String {
        match service::below(&self.origin, url) {
            Some(path) => service::with_colons(path),
            None => url.to_owned(),
        }
    }

    fn is_default(&self, part: &str, url: &str, default: &str) -> bool {
        self.agent.is_default_in_part(part) && service::below(&self.origin, url) == Some(default)
    }

    fn session(&mut self, sessions: &Sessions) -> Option<Value> {
        let mut session = Map::new();
        for (name, part, url) in [
            ("create", part::SESSION_CREATE, &sessions.create),
            ("delete", part::SESSION_DELETE, &sessions.delete),
        ] {
            if !self.is_default(part, url, DEFAULT_SESSION) {
                session.insert(name.to_owned(), json!(self.path(url)));
            }
        }
        let is_default = self.agent.is_default_in_part(part::SESSION_TTL);
        if !is_default && sessions.ttl_s >= 60 {
            session.insert("ttl_seconds".to_owned(), json!(sessions.ttl_s));
        } else if !is_default {
            let what = "a session lifetime of less than a minute";
            self.report.lost(self.agent.place(Fact::Sessions), what);
        }
        let needs_one = |(it, _): &(&Capability, String)| it.requires_session == Some(true);
        let is_implied = session.is_empty() && self.written.iter().any(needs_one);
        (!is_implied).then_some(Value::Object(session))
    }

    fn audit(&self, audit: &Audit) -> Value {
        let mut value = json!({"enabled": true});
        if !self.is_default(part::AUDIT_ENDPOINT, &audit.endpoint, DEFAULT_AUDIT) {
            value["endpoint"] = json!(self.path(&audit.endpoint));
        }
        for (name, text) in [
            ("public_key", &audit.public_key),
            ("description", &audit.description),
        ] {
            if let Some(text) = text {
                value[name] = json!(text);
            }
        }
        value
    }

    fn flows(&self) -> Option<Value> {
        let mut names = HashMap::new();
        for (capability, name) in self.written.iter().rev() {
            names.insert(capability.id.as_str(), name);
            names.insert(capability.name.as_str(), name);
        }
        let flow = |flow: &crate::agent::Flow| {
            let steps = flow.steps.iter();
            let step = |step: &String| (*names.get(step.as_str()).unwrap_or(&step)).clone();
            let mut value = json!({"name": flow.name});
            if let Some(description) = &flow.description {
                value["description"] = json!(description);
            }
            value["steps"] = steps.map(step).collect();
            value
        };
        let flows = &self.agent.flows;
        (!flows.is_empty()).then(|| flows.iter().map(flow).collect())
    }

    /// Writes the limit of calls per minute under both its new and its old name (C-01).
    fn rate_limit(&mut self) -> Option<Value> {
        let mut written = None;
        for limit in &self.agent.rate_limits {
            let number = i64::try_from(limit.limit).ok().filter(|limit| *limit > 0);
            let fits = limit.scope == "default" && limit.window_s == 60 && written.is_none();
            if let Some(number) = number.filter(|_| fits) {
                written = Some(json!({
                    "requests_per_minute": number,
                    "max_requests_per_minute": number,
                }));
                if let Some(note) = &limit.note {
                    self.report.lost(self.agent.place(Fact::RateLimits), note);
                }
            } else {
                let (scope, limit, window) = (&limit.scope, limit.limit, limit.window_s);
                let what = format!("the limit of {limit} calls in {window} s ({scope})");
                self.report.lost(self.agent.place(Fact::RateLimits), what);
            }
        }
        written
    }

    fn account(&mut self, manifest: &Value) {
        let agent = self.agent;
        let mut kept = vec![
            Fact::Name,
            Fact::Description,
            Fact::Contact,
            Fact::Docs,
            Fact::Capabilities,
            Fact::RateLimits,
            Fact::Sessions,
            Fact::Flows,
            Fact::Audit,
        ];
        let is_site = |url: &Option<String>| url.as_ref().is_none_or(|url| *url == self.site);
        if is_site(&agent.homepage) {
            kept.push(Fact::Homepage);
        }
        let calls = self.written.iter().filter_map(|(it, _)| it.url.as_deref());
        let begins = |base: &String| {
            let mut calls = calls.clone().peekable();
            calls.peek().is_some() && calls.all(|url| service::below(base, url).is_some())
        };
        let is_expressed = |url: &String| *url == self.site || begins(url);
        if agent.url.as_ref().is_none_or(is_expressed) {
            kept.push(Fact::Url);
        }
        let endpoints = manifest["capabilities"].as_array().into_iter().flatten();
        let has_api = endpoints
            .filter_map(|it| it["endpoint"].as_str())
            .any(|it| it.starts_with(BASE));
        let api = format!("{}{}", self.origin, BASE.trim_end_matches('/'));
        for interface in &agent.interfaces {
            let is_api = has_api && interface.url == api;
            let is_rest = interface.protocol == "rest" && is_expressed(&interface.url);
            if !(is_api || is_rest) {
                let what = format!("the {} interface {}", interface.protocol, interface.url);
                self.report.lost(agent.place(Fact::Interfaces), what);
            }
        }
        kept.push(Fact::Interfaces);
        if agent.tags.is_empty() {
            kept.push(Fact::Tags);
        }
        self.report.keep(agent, &kept);
        let written: Vec<_> = self.written.iter().map(|(it, _)| *it).collect();
        let mut of_capability = vec![
            CapabilityFact::Id,
            CapabilityFact::Name,
            CapabilityFact::Description,
            CapabilityFact::Method,
            CapabilityFact::Endpoint,
            CapabilityFact::Url,
            CapabilityFact::Params,
            CapabilityFact::RequiresSession,
            CapabilityFact::HumanHandoff,
        ];
        if written.iter().all(|it| input::is_all(it)) {
            of_capability.push(CapabilityFact::InputSchema);
        }
        self.report.keep_of(written, &of_capability);
    }
}

/// Returns the name if it has only characters that the format permits, else the id if it has, else
/// a name made from the name.
fn name(capability: &Capability) -> Option<String> {
    let is_name = |name: &&String| {
        let is_allowed =
            |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b"_.".contains(&it);
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_allowed)
    };
    let own = [&capability.name, &capability.id].into_iter().find(is_name);
    let made = || {
        let slug = names::slug(&capability.name, "_")?;
        let is_letter = slug.starts_with(|first: char| first.is_ascii_lowercase());
        Some(if is_letter { slug } else { format!("c_{slug}") })
    };
    own.cloned().or_else(made)
}
