//! A2A agent cards, 0.3 and 1.0 (FORMATS.md section 10).

use super::report::{Report, place};
use super::security::{self, Scheme, Security};
use crate::agent::Interface;
use crate::{Agent, Capability};
use serde_json::{Map, Value, json};

/// The generation to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    V03,
    V1,
}

/// The card of `agent`; `None` when A2A requires what it does not say.
pub(super) fn write(
    agent: &Agent,
    generation: Generation,
    report: &mut Report<'_>,
) -> Option<Value> {
    let interfaces = interfaces(agent, generation, report);
    let version = report.require(agent, "version", agent.version.as_ref());
    let input = modes(agent, "input_modes", &agent.input_modes, report);
    let output = modes(agent, "output_modes", &agent.output_modes, report);
    let skills = report.require(agent, "capabilities", some(&agent.capabilities));
    let (interfaces, version, input, output, _) = (interfaces?, version?, input?, output?, skills?);
    let security = Security::of(agent, report);

    let mut card = Map::new();
    let mut set = |name: &str, value: Value| card.insert(name.to_owned(), value);
    if generation == Generation::V03 {
        set("protocolVersion", json!(interfaces[0].version));
    }
    set("name", json!(agent.name));
    set("description", json!(report.description(agent)));
    match generation {
        Generation::V1 => {
            set(
                "supportedInterfaces",
                interfaces.iter().map(|it| of_1(it)).collect(),
            );
        }
        Generation::V03 => {
            set("url", json!(interfaces[0].url));
            set("preferredTransport", json!(interfaces[0].transport));
            if interfaces.len() > 1 {
                set(
                    "additionalInterfaces",
                    interfaces[1..].iter().map(|it| of_0(it)).collect(),
                );
            }
        }
    }
    if let Some(provider) = provider(agent, report) {
        set("provider", provider);
    }
    set("version", json!(version));
    for (name, url) in [("documentationUrl", &agent.docs), ("iconUrl", &agent.logo)] {
        if let Some(url) = url {
            set(name, json!(url));
        }
    }
    set("capabilities", features(agent, generation, report));
    if !security.schemes.is_empty() {
        let schemes = security.schemes.iter();
        let named = schemes.map(|it| (it.name.clone(), scheme(it, generation)));
        set("securitySchemes", Value::Object(named.collect()));
    }
    if let Some(alternatives) = security.for_all() {
        let (name, value) = requirements(&alternatives, generation);
        set(name, value);
    }
    set("defaultInputModes", json!(input));
    set("defaultOutputModes", json!(output));
    let skills = agent.capabilities.iter();
    set(
        "skills",
        skills
            .map(|it| skill(it, &security, generation, report))
            .collect(),
    );
    account(agent, &interfaces, &security, report);
    Some(Value::Object(card))
}

/// The interfaces that the generation can name, the preferred one first.
fn interfaces<'a>(
    agent: &'a Agent,
    generation: Generation,
    report: &mut Report<'_>,
) -> Option<Vec<&'a Interface>> {
    let is_complete =
        |it: &&Interface| it.protocol == "a2a" && it.transport.is_some() && it.version.is_some();
    let is_old = |it: &&Interface| it.version.as_ref().is_some_and(|it| it.starts_with("0."));
    let mut fitting: Vec<_> = agent.interfaces.iter().filter(is_complete).collect();
    if generation == Generation::V03 {
        fitting.retain(is_old);
        // A card of 0.3 names one version for all its interfaces.
        let version = fitting.first().and_then(|it| it.version.clone());
        fitting.retain(|it| it.version == version);
    }
    if fitting.is_empty() {
        let which = match generation {
            Generation::V03 => "an interface for A2A 0.3 or older",
            Generation::V1 => "an A2A interface",
        };
        let what = format!("{which} with its address, transport and version");
        report.missing(place(agent, "interfaces"), &what);
        return None;
    }
    for other in agent.interfaces.iter().filter(|it| !fitting.contains(it)) {
        let what = format!("the {} interface {}", other.protocol, other.url);
        report.lost(place(agent, "interfaces"), what);
    }
    Some(fitting)
}

fn of_1(interface: &Interface) -> Value {
    let mut value = json!({
        "url": interface.url,
        "protocolBinding": interface.transport,
        "protocolVersion": interface.version,
    });
    if let Some(tenant) = &interface.tenant {
        value["tenant"] = json!(tenant);
    }
    value
}

fn of_0(interface: &Interface) -> Value {
    json!({"url": interface.url, "transport": interface.transport})
}

fn modes<'a>(
    agent: &Agent,
    field: &str,
    modes: &'a [String],
    report: &mut Report<'_>,
) -> Option<&'a [String]> {
    report.require(agent, field, some(modes))
}

fn some<T>(list: &[T]) -> Option<&[T]> {
    (!list.is_empty()).then_some(list)
}

/// Both members are required of a provider.
fn provider(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let provider = agent.provider.as_ref()?;
    let Some(url) = &provider.url else {
        report.lost(place(agent, "provider"), "a provider without a page");
        return None;
    };
    Some(json!({"organization": provider.name, "url": url}))
}

/// Protocol features, where the agent was read from a card that names them.
fn features(agent: &Agent, generation: Generation, report: &mut Report<'_>) -> Value {
    let flags: &[&str] = match generation {
        Generation::V1 => &["streaming", "pushNotifications", "extendedAgentCard"],
        Generation::V03 => &["streaming", "pushNotifications", "stateTransitionHistory"],
    };
    let published = agent.extensions.get("capabilities");
    let mut features = Map::new();
    for (name, value) in published.and_then(Value::as_object).into_iter().flatten() {
        let is_extensions = |value: &Value| {
            let items = value.as_array();
            items.is_some_and(|items| items.iter().all(|it| it["uri"].is_string()))
        };
        let fits = match name.as_str() {
            "extensions" => is_extensions(value),
            name => flags.contains(&name) && value.is_boolean(),
        };
        if fits {
            features.insert(name.clone(), value.clone());
        } else {
            let place = place(agent, "extensions");
            report.lost(place, format!("{name:?} among its features"));
        }
    }
    Value::Object(features)
}

fn scheme(scheme: &Scheme, generation: Generation) -> Value {
    if generation == Generation::V03 {
        return scheme.openapi();
    }
    let wrapper = match scheme.kind {
        "apiKey" => "apiKeySecurityScheme",
        "http" => "httpAuthSecurityScheme",
        "oauth2" => "oauth2SecurityScheme",
        "openIdConnect" => "openIdConnectSecurityScheme",
        _ => "mtlsSecurityScheme",
    };
    // What OpenAPI calls `in`, 1.0 calls `location`.
    let rename = |name: &String| {
        if name == "in" {
            "location".to_owned()
        } else {
            name.clone()
        }
    };
    let members = scheme.members.iter();
    let members: Map<String, Value> = members
        .map(|(name, it)| (rename(name), it.clone()))
        .collect();
    json!({wrapper: members})
}

fn requirements(alternatives: &[Option<&str>], generation: Generation) -> (&'static str, Value) {
    if generation == Generation::V03 {
        return ("security", security::openapi(alternatives));
    }
    let requirement = |name: Option<&str>| match name {
        Some(name) => json!({"schemes": {name: {"list": []}}}),
        None => json!({"schemes": {}}),
    };
    let value = alternatives.iter().copied().map(requirement).collect();
    ("securityRequirements", value)
}

fn skill(
    capability: &Capability,
    security: &Security,
    generation: Generation,
    report: &mut Report<'_>,
) -> Value {
    let mut skill = json!({
        "id": capability.id,
        "name": capability.name,
        "description": report.description_of(capability),
        "tags": capability.tags,
    });
    for (name, texts) in [
        ("examples", &capability.examples),
        ("inputModes", &capability.input_modes),
        ("outputModes", &capability.output_modes),
    ] {
        if !texts.is_empty() {
            skill[name] = json!(texts);
        }
    }
    if let Some(alternatives) = security.of_one(capability) {
        let (name, value) = requirements(&alternatives, generation);
        skill[name] = value;
    }
    skill
}

/// Reports what a card has no place for.
fn account(agent: &Agent, interfaces: &[&Interface], security: &Security, report: &mut Report<'_>) {
    let mut kept = vec![
        "name",
        "description",
        "version",
        "provider",
        "docs",
        "logo",
        "capabilities",
        "auth",
        "interfaces",
        "input_modes",
        "output_modes",
    ];
    let is_address = |url: &String| interfaces.iter().any(|it| it.url == *url);
    if agent.url.as_ref().is_none_or(is_address) {
        kept.push("url");
    }
    let page = agent.provider.as_ref().and_then(|it| it.url.as_ref());
    if page.is_some() && page == agent.homepage.as_ref() {
        kept.push("homepage");
    }
    let of_skills: std::collections::HashSet<_> =
        agent.capabilities.iter().flat_map(|it| &it.tags).collect();
    if agent.tags.iter().all(|tag| of_skills.contains(tag)) {
        kept.push("tags");
    }
    let features_only = agent.extensions.keys().all(|name| name == "capabilities");
    if features_only {
        kept.push("extensions");
    }
    report.keep(agent, &kept);
    let of_skill = [
        "id",
        "name",
        "description",
        "tags",
        "examples",
        "input_modes",
        "output_modes",
        "requires_auth",
    ];
    report.keep_of(&agent.capabilities, &of_skill);
    let untold: Vec<_> = agent
        .capabilities
        .iter()
        .filter(|it| !security.tells(it))
        .collect();
    report.lost_of(&untold, "the authentication needed");
}
