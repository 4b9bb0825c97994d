//! Writer of Zervice `agents.json`: a list of agents.

use super::input;
use super::losses::Report;
use super::service;
use crate::agent::Auth;
use crate::{Agent, Capability, CapabilityFact, Fact};
use serde_json::{Value, json};

/// Writes the list of `agents`; returns `None` if every agent lacks a fact that the format
/// requires.
pub(super) fn write(agents: &[Agent], report: &mut Report<'_>) -> Option<Value> {
    if agents.is_empty() {
        report.nothing();
    }
    let list: Vec<_> = agents
        .iter()
        .filter_map(|agent| one(agent, report))
        .collect();
    (!list.is_empty()).then_some(Value::Array(list))
}

fn one(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let url = report.require(agent, Fact::Url, service::api_url(agent));
    let version = report.require(agent, Fact::Version, agent.version.as_ref());
    let (url, version) = (url?, version?);
    let authentication = authentication(agent, report);
    let capabilities: Vec<_> = agent.capabilities.iter().map(capability).collect();
    let mut value = json!({
        "name": agent.name,
        "description": report.description(agent),
        "url": url,
        "version": version,
        "capabilities": capabilities,
    });
    let openapi = service::interface(agent, "openapi").map(|it| json!(it.url));
    let tells_auth = authentication.is_some();
    for (name, member) in [
        ("authentication", authentication),
        ("openapi_url", openapi.clone()),
        ("logo_url", agent.logo.as_ref().map(|it| json!(it))),
    ] {
        if let Some(member) = member {
            value[name] = member;
        }
    }
    account(agent, openapi.as_ref(), tells_auth, report);
    Some(value)
}

fn capability(capability: &Capability) -> Value {
    let mut value = json!({"name": capability.name});
    if let Some(description) = &capability.description {
        value["description"] = json!(description);
    }
    for (name, schema) in [
        ("input_schema", input::schema(capability)),
        ("output_schema", capability.output_schema.clone()),
    ] {
        if let Some(schema) = schema.filter(Value::is_object) {
            value[name] = schema;
        }
    }
    value
}

/// Writes the one authentication that the format can express, which applies to every capability:
/// none only if no capability needs any.
fn authentication(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let mut needs = agent.capabilities.iter().map(|it| it.requires_auth);
    let is_needed = needs.clone().any(|need| need == Some(true));
    let is_open = needs.len() > 0 && needs.all(|need| need == Some(false));
    let is_fitting = |auth: &&Auth| match auth.scheme.as_str() {
        "none" => is_open || agent.auth.len() == 1 && !is_needed,
        _ => !is_open || agent.auth.len() == 1,
    };
    let chosen = agent
        .auth
        .iter()
        .filter(is_fitting)
        .find_map(|it| Some((it, scheme(it)?)));
    for auth in &agent.auth {
        if chosen.as_ref().is_none_or(|(it, _)| *it != auth) {
            let what = match auth.scheme.as_str() {
                "none" => "calls without authentication".to_owned(),
                scheme => format!("authentication by {scheme}"),
            };
            report.lost(agent.place(Fact::Auth), what);
        }
    }
    if let Some((auth, value)) = &chosen {
        report.lost_of_auth(agent, auth, value);
    }
    chosen.map(|(_, value)| value)
}

fn scheme(auth: &Auth) -> Option<Value> {
    match auth.scheme.as_str() {
        "none" => Some(json!({"type": "none"})),
        "api_key" => match auth.location.as_deref() {
            Some("header") => Some(json!({"type": "api_key", "header": auth.name.as_ref()?})),
            Some(_) => None,
            None => Some(json!({"type": "api_key"})),
        },
        "oauth2" => {
            let mut value = json!({"type": "oauth"});
            for (name, url) in [
                ("authorization_url", &auth.authorization_url),
                ("token_url", &auth.token_url),
            ] {
                if let Some(url) = url {
                    value[name] = json!(url);
                }
            }
            Some(value)
        }
        _ => None,
    }
}

fn account(agent: &Agent, openapi: Option<&Value>, tells_auth: bool, report: &mut Report<'_>) {
    let mut kept = vec![
        Fact::Name,
        Fact::Description,
        Fact::Version,
        Fact::Logo,
        Fact::Capabilities,
        Fact::Auth,
    ];
    for interface in &agent.interfaces {
        let is_rest =
            interface.protocol == "rest" && Some(&interface.url) == service::api_url(agent);
        let is_openapi = openapi.is_some_and(|url| *url == interface.url.as_str());
        if !is_rest && !is_openapi {
            let what = format!("the {} interface {}", interface.protocol, interface.url);
            report.lost(agent.place(Fact::Interfaces), what);
        }
    }
    kept.push(Fact::Interfaces);
    if service::api_url(agent) == agent.url.as_ref() {
        kept.push(Fact::Url);
    }
    if agent.homepage == agent.url {
        kept.push(Fact::Homepage);
    }
    report.keep(agent, &kept);
    let mut of_capability = vec![
        CapabilityFact::Name,
        CapabilityFact::Description,
        CapabilityFact::InputSchema,
        CapabilityFact::OutputSchema,
        CapabilityFact::Params,
    ];
    let mut needs = agent.capabilities.iter().map(|it| it.requires_auth);
    let first = needs.next();
    if tells_auth && needs.all(|need| Some(need) == first) {
        of_capability.push(CapabilityFact::RequiresAuth);
    }
    report.keep_of(&agent.capabilities, &of_capability);
}
