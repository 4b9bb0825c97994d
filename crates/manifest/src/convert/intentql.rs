//! Writer of IntentQL `agent.json`.

use super::input;
use super::losses::{self, Report};
use super::names::UniqueNames;
use super::service;
use crate::agent::{Auth, Param};
use crate::{Agent, Capability, CapabilityFact, Fact};
use serde_json::{Map, Value, json};

mod parameter;

use parameter::Fit;

const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

/// Writes the manifest of `agent`; returns `None` if it has no version, or capabilities of which
/// none is called over HTTP.
pub(super) fn write(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let version = report.require(agent, Fact::Version, agent.version.as_ref());
    let base = base(agent);
    let capabilities = capabilities(agent, base, report);
    if capabilities.is_empty() && !agent.capabilities.is_empty() {
        let what = "a capability with an HTTP method and a URL";
        report.missing_field(agent, Fact::Capabilities, what);
        return None;
    }
    let mut manifest = json!({"name": agent.name, "version": version?});
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            manifest[name] = value;
        }
    };
    set(
        "description",
        agent.description.as_ref().map(|it| json!(it)),
    );
    set("base_url", base.map(|it| json!(it)));
    set("auth", auth(agent, report));
    set("capabilities", Some(Value::Object(capabilities)));
    set("rate_limits", rate_limits(agent, report));
    set("deprecated_capabilities", deprecated(agent));
    set("metadata", metadata(agent));
    account(agent, base, report);
    Some(manifest)
}

/// Returns the base URL of endpoints, if the agent gives one for its HTTP API: its own URL, else
/// that of a REST interface.
fn base(agent: &Agent) -> Option<&str> {
    let is_default = agent.is_default(Fact::Url);
    let default = agent.url.as_ref().filter(|_| is_default);
    let is_stated = |url: &&String| default != Some(url);
    let rest = agent.interfaces.iter().filter(|it| it.protocol == "rest");
    let mut rest = rest.map(|it| &it.url).filter(is_stated);
    let mut calls = agent.capabilities.iter().filter_map(|it| it.url.as_deref());
    let is_base = |url: &&String| {
        let is_rest = rest.clone().any(|it| it == *url);
        is_rest || calls.any(|call| service::below(url, call).is_some())
    };
    let is_api = |url: &&String| !service::is_other_protocol(agent, url);
    let own = agent.url.as_ref().filter(is_stated).filter(is_api);
    own.filter(is_base)
        .or_else(|| rest.next())
        .map(String::as_str)
}

fn capabilities(agent: &Agent, base: Option<&str>, report: &mut Report<'_>) -> Map<String, Value> {
    let origin = report.origin.at("/").map(String::from).unwrap_or_default();
    let base = base.unwrap_or(&origin);
    let mut taken = UniqueNames::default();
    let mut values = Map::new();
    let mut written = Vec::new();
    for capability in &agent.capabilities {
        match service::call(agent, capability) {
            Ok((method, url)) if METHODS.contains(&method) => {
                let name = taken.take(&capability.name);
                if name != capability.name {
                    let message =
                        format!("another capability has this name: this one is renamed {name:?}");
                    report.changed(&capability.pointer, message);
                }
                let endpoint = service::below(base, url).unwrap_or(url);
                values.insert(name, action(capability, method, endpoint, report));
                written.push(capability);
            }
            Ok(_) => report.left_out(capability, "the format does not support its HTTP method"),
            Err(why) => report.left_out(capability, why),
        }
    }
    report.keep_of(
        written,
        &[
            CapabilityFact::Name,
            CapabilityFact::Description,
            CapabilityFact::Method,
            CapabilityFact::Endpoint,
            CapabilityFact::Url,
            CapabilityFact::Params,
            CapabilityFact::InputSchema,
            CapabilityFact::OutputSchema,
            CapabilityFact::RequiresAuth,
            CapabilityFact::RateLimit,
            CapabilityFact::Deprecated,
        ],
    );
    values
}

fn action(capability: &Capability, method: &str, endpoint: &str, report: &mut Report<'_>) -> Value {
    let mut action = json!({
        "description": report.description_of(capability),
        "method": method,
        "endpoint": endpoint,
    });
    let parameters = parameters(capability, method, report);
    if !parameters.is_empty() {
        action["parameters"] = Value::Object(parameters);
    }
    if let Some(schema) = &capability.output_schema {
        let mut fit = Fit::default();
        let returns = parameter::of_object(schema, &mut fit);
        report_fit(capability, "the output", &fit, report);
        match returns {
            Some(returns) if !returns.is_empty() => action["returns"] = Value::Object(returns),
            Some(_) | None => report.lost_of(&[capability], "the schema of the output"),
        }
    }
    if let Some(required) = capability.requires_auth {
        action["auth_required"] = json!(required);
    }
    if let Some(limit) = &capability.rate_limit {
        match service::rate(limit) {
            Some(rate) => action["rate_limit"] = json!(rate),
            None => report.lost_of(&[capability], "the rate limit"),
        }
    }
    action
}

/// Writes the parameters whose types the format supports; it has none in headers, and does not
/// distinguish query from body.
fn parameters(
    capability: &Capability,
    method: &str,
    report: &mut Report<'_>,
) -> Map<String, Value> {
    let mut parameters = Map::new();
    let mut fit = Fit {
        has_lost: !input::is_all(capability),
        ..Fit::default()
    };
    for input in input::inputs(capability) {
        let Param {
            name,
            required,
            location,
            ..
        } = &input.param;
        if location.as_deref() == Some("header") {
            let what = format!("the header parameter {name:?}");
            report.lost_of(&[capability], what);
            continue;
        }
        if let Some(parameter) = parameter::of(&input.schema, *required, &mut fit) {
            parameters.insert(name.clone(), parameter);
            if !input.has_usual_location(method) {
                let what = format!("the location of the parameter {name:?}");
                report.lost_of(&[capability], what);
            }
        } else {
            let what = format!("the parameter {name:?}, whose type is not given,");
            report.lost_of(&[capability], what);
        }
    }
    report_fit(capability, "the input", &fit, report);
    parameters
}

fn report_fit(capability: &Capability, which: &str, fit: &Fit, report: &mut Report<'_>) {
    if fit.has_lost {
        report.lost_of(&[capability], format!("details in the schema of {which}"));
    }
    if fit.has_integers {
        let name = &capability.name;
        let message = format!("integers in {which} of {name:?} are written as numbers");
        report.changed(&capability.pointer, message);
    }
}

/// Writes the first authentication that the format supports; reports the others.
fn auth(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let mut written = None;
    for auth in agent.auth.iter().filter(|auth| auth.scheme != "none") {
        if let Some(value) = one(auth).filter(|_| written.is_none()) {
            report.lost_of_auth(agent, auth, &value);
            if !auth.flows.is_empty() {
                report.lost(agent.place(Fact::Auth), "the names of OAuth flows");
            }
            written = Some(value);
        } else {
            let what = format!("authentication by {}", auth.scheme);
            report.lost(agent.place(Fact::Auth), what);
        }
    }
    written
}

fn one(auth: &Auth) -> Option<Value> {
    let mut value = json!({"type": auth.scheme});
    match auth.scheme.as_str() {
        "api_key" => match auth.location.as_deref() {
            Some("header") => value["header"] = json!(auth.name.as_ref()?),
            Some(_) => return None,
            None => {}
        },
        "oauth2" => {
            for (name, url) in [
                ("authorization_url", &auth.authorization_url),
                ("token_url", &auth.token_url),
            ] {
                if let Some(url) = url {
                    value[name] = json!(url);
                }
            }
            if !auth.scopes.is_empty() {
                let meaning = |scope: &String| auth.scope_descriptions.get(scope);
                let scopes = auth.scopes.iter();
                let scopes = scopes.map(|it| (it.clone(), json!(meaning(it).map_or("", |it| it))));
                value["scopes"] = Value::Object(scopes.collect());
            }
        }
        "bearer" => {
            if let Some(format) = &auth.token_format {
                value["format"] = json!(format);
            }
        }
        "basic" => {}
        _ => return None,
    }
    if let Some(text) = auth.description.as_ref().or(auth.docs.as_ref()) {
        value["description"] = json!(text);
    }
    Some(value)
}

fn rate_limits(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let mut limits = Map::new();
    for scope in ["default", "authenticated", "burst"] {
        let limit = agent.rate_limits.iter().find(|limit| limit.scope == scope);
        if let Some(rate) = limit.and_then(service::rate) {
            limits.insert(scope.to_owned(), json!(rate));
        }
    }
    if limits.len() < agent.rate_limits.len() {
        let what = "some of the rate limits";
        report.lost(agent.place(Fact::RateLimits), what);
    }
    (!limits.is_empty()).then_some(Value::Object(limits))
}

fn deprecated(agent: &Agent) -> Option<Value> {
    let is_written = |it: &&Capability| {
        it.deprecated && service::call(agent, it).is_ok_and(|(method, _)| METHODS.contains(&method))
    };
    let names: Vec<_> = agent
        .capabilities
        .iter()
        .filter(is_written)
        .map(|it| &it.name)
        .collect();
    (!names.is_empty()).then(|| json!(names))
}

/// Writes contact and documentation, and the metadata of an IntentQL source.
fn metadata(agent: &Agent) -> Option<Value> {
    let mut metadata = Map::new();
    for (name, value) in [("contact", &agent.contact), ("documentation", &agent.docs)] {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), json!(value));
        }
    }
    let further = losses::further(agent, "metadata").and_then(Value::as_object);
    for (name, value) in further.into_iter().flatten() {
        metadata.entry(name).or_insert_with(|| value.clone());
    }
    (!metadata.is_empty()).then_some(Value::Object(metadata))
}

fn account(agent: &Agent, base: Option<&str>, report: &mut Report<'_>) {
    let mut kept = vec![
        Fact::Name,
        Fact::Description,
        Fact::Version,
        Fact::Capabilities,
        Fact::Auth,
        Fact::RateLimits,
        Fact::Contact,
        Fact::Docs,
    ];
    if base == agent.url.as_deref() {
        kept.push(Fact::Url);
    }
    if base.is_some() && base == agent.homepage.as_deref() {
        kept.push(Fact::Homepage);
    }
    for interface in &agent.interfaces {
        if interface.protocol != "rest" || base.is_some_and(|base| base != interface.url) {
            let what = format!("the {} interface {}", interface.protocol, interface.url);
            report.lost(agent.place(Fact::Interfaces), what);
        }
    }
    kept.push(Fact::Interfaces);
    report.keep_except(agent, &kept, &["metadata"]);
}
