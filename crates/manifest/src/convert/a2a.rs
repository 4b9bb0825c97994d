//! Writer of A2A agent cards, 0.3 and 1.0.

use super::losses::{self, Report};
use super::security::{self, Alternative, Scheme, Security};
use crate::agent::Interface;
use crate::{Agent, Capability, CapabilityFact, Fact, json};
use serde_json::{Map, Value, json};

/// The generation to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    V03,
    V1,
}

/// Version of an interface whose card does not give one.
const OLDEST: &str = "0.3.0";

/// Writes the card of `agent`; returns `None` if the agent lacks a fact that A2A requires.
pub(super) fn write(
    agent: &Agent,
    generation: Generation,
    report: &mut Report<'_>,
) -> Option<Value> {
    let interfaces = interfaces(agent, generation, report);
    let version = report.require(agent, Fact::Version, agent.version.as_ref());
    let input = modes(agent, Fact::InputModes, &agent.input_modes, report);
    let output = modes(agent, Fact::OutputModes, &agent.output_modes, report);
    let skills = report.require(agent, Fact::Capabilities, some(&agent.capabilities));
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
            set("supportedInterfaces", interfaces.iter().map(of_1).collect());
        }
        Generation::V03 => {
            set("url", json!(interfaces[0].url));
            set("preferredTransport", json!(interfaces[0].transport));
            if interfaces.len() > 1 {
                set(
                    "additionalInterfaces",
                    interfaces[1..].iter().map(of_0).collect(),
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
    let features = features(agent, generation, report);
    if let Some(extended) = extended(agent, report).filter(|_| generation == Generation::V03) {
        set("supportsAuthenticatedExtendedCard", json!(extended));
    }
    set("capabilities", features);
    if !security.schemes.is_empty() {
        let schemes = security.schemes.iter();
        let named = schemes.map(|it| (it.name.clone(), scheme(it, generation)));
        set("securitySchemes", Value::Object(named.collect()));
    }
    if let Some(alternatives) = security.for_all() {
        let (name, value) = requirements(alternatives, generation);
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

/// Returns the interfaces that the generation can express, the preferred one first.
fn interfaces(
    agent: &Agent,
    generation: Generation,
    report: &mut Report<'_>,
) -> Option<Vec<Interface>> {
    let is_complete = |it: &&Interface| it.protocol == "a2a" && it.transport.is_some();
    let is_old = |it: &&Interface| it.version.as_ref().is_none_or(|it| it.starts_with("0."));
    let mut fitting: Vec<_> = agent.interfaces.iter().filter(is_complete).collect();
    if generation == Generation::V03 {
        fitting.retain(is_old);
        // A card of 0.3 gives one version for all its interfaces.
        let version = fitting.first().and_then(|it| it.version.clone());
        fitting.retain(|it| it.version == version);
    }
    if fitting.is_empty() {
        let which = match generation {
            Generation::V03 => "an interface for A2A 0.3 or older",
            Generation::V1 => "an A2A interface",
        };
        let what = format!("{which} as {{protocol: a2a, url, transport, version}}");
        report.missing_field(agent, Fact::Interfaces, &what);
        return None;
    }
    for other in agent.interfaces.iter().filter(|it| !fitting.contains(it)) {
        let what = format!("the {} interface {}", other.protocol, other.url);
        report.lost(agent.place(Fact::Interfaces), what);
    }
    let upgraded = fitting.into_iter().map(|it| upgraded(it, agent, report));
    Some(upgraded.collect())
}

/// Fills in the version that applies to a card without one.
fn upgraded(interface: &Interface, agent: &Agent, report: &mut Report<'_>) -> Interface {
    let mut interface = interface.clone();
    if interface.version.is_none() {
        let transport = interface.transport.as_deref().unwrap_or_default();
        let url = &interface.url;
        let message =
            format!("{url} gives no A2A version: it is called with {transport} of A2A {OLDEST}");
        report.changed(agent.place(Fact::Url), message);
        interface.version = Some(OLDEST.to_owned());
    } else if let Some(version) = published_version(&interface, agent, report) {
        interface.version = Some(version.to_owned());
    }
    interface
}

/// Returns the version as the card writes it, if it extends the version in the model: `0.3.0` for
/// `0.3`.
fn published_version<'o>(
    interface: &Interface,
    agent: &Agent,
    report: &Report<'o>,
) -> Option<&'o str> {
    let known = interface.version.as_deref()?;
    let card = report.origin.published(&agent.pointer)?;
    let listed = card.get("supportedInterfaces").and_then(Value::as_array);
    let listed = listed.into_iter().flatten();
    let same = listed.filter(|it| it["url"] == interface.url.as_str());
    let versions = std::iter::once(card).chain(same);
    let mut versions = versions.filter_map(|it| it.get("protocolVersion")?.as_str());
    versions.find(|it| {
        let rest = it.strip_prefix(known);
        rest.is_some_and(|rest| rest.starts_with('.'))
    })
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
    fact: Fact,
    modes: &'a [String],
    report: &mut Report<'_>,
) -> Option<&'a [String]> {
    report.require(agent, fact, some(modes))
}

fn some<T>(list: &[T]) -> Option<&[T]> {
    (!list.is_empty()).then_some(list)
}

/// Writes the provider, whose name and URL are both required.
fn provider(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let provider = agent.provider.as_ref()?;
    let Some(url) = &provider.url else {
        report.lost(agent.place(Fact::Provider), "a provider without a page");
        return None;
    };
    Some(json!({"organization": provider.name, "url": url}))
}

/// Writes the protocol features, if the agent was read from a card that gives them.
fn features(agent: &Agent, generation: Generation, report: &mut Report<'_>) -> Value {
    let flags: &[&str] = match generation {
        Generation::V1 => &["streaming", "pushNotifications", "extendedAgentCard"],
        Generation::V03 => &["streaming", "pushNotifications", "stateTransitionHistory"],
    };
    let published = losses::further(agent, "capabilities");
    let mut features = Map::new();
    for (name, value) in published.and_then(Value::as_object).into_iter().flatten() {
        let is_extensions = |value: &Value| {
            let items = value.as_array();
            items.is_some_and(|items| items.iter().all(|it| it["uri"].is_string()))
        };
        let fits = match name.as_str() {
            "extensions" => is_extensions(value),
            "extendedAgentCard" if generation == Generation::V03 => continue,
            name => flags.contains(&name) && value.is_boolean(),
        };
        if fits {
            features.insert(name.clone(), value.clone());
        } else {
            let place = format!("{}/capabilities/{}", agent.pointer, json::escape(name));
            report.lost(&place, format!("the feature {name:?}"));
        }
    }
    if generation == Generation::V1
        && let Some(extended) = extended(agent, report)
    {
        features.insert("extendedAgentCard".to_owned(), json!(extended));
    }
    Value::Object(features)
}

/// Reports whether authenticated callers get an extended card; each generation has its own member
/// for that.
fn extended(agent: &Agent, report: &mut Report<'_>) -> Option<bool> {
    let origin = report.origin;
    let places = [
        "capabilities/extendedAgentCard",
        "supportsAuthenticatedExtendedCard",
    ];
    let places = places.map(|it| format!("{}/{it}", agent.pointer));
    let is_card = origin.format == "a2a-agent-card";
    let flag = |place: &String| origin.published(place).and_then(Value::as_bool);
    let extended = places.iter().find_map(flag).filter(|_| is_card);
    for place in places {
        report.handles(place);
    }
    extended
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
    // A2A 1.0 calls OpenAPI's `in` `location`.
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

fn requirements(alternatives: &[Alternative], generation: Generation) -> (&'static str, Value) {
    if generation == Generation::V03 {
        return ("security", security::openapi(alternatives));
    }
    let requirement = |alternative: &Alternative| {
        let named = alternative.iter();
        let named = named.map(|(name, scopes)| (name.clone(), json!({"list": scopes})));
        json!({"schemes": named.collect::<Map<_, _>>()})
    };
    let value = alternatives.iter().map(requirement).collect();
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

/// Reports the facts that a card cannot express.
fn account(agent: &Agent, interfaces: &[Interface], security: &Security, report: &mut Report<'_>) {
    let mut kept = vec![
        Fact::Name,
        Fact::Description,
        Fact::Version,
        Fact::Provider,
        Fact::Docs,
        Fact::Logo,
        Fact::Capabilities,
        Fact::Auth,
        Fact::Interfaces,
        Fact::InputModes,
        Fact::OutputModes,
    ];
    let is_address = |url: &String| interfaces.iter().any(|it| it.url == *url);
    if agent.url.as_ref().is_none_or(is_address) {
        kept.push(Fact::Url);
    }
    let page = agent.provider.as_ref().and_then(|it| it.url.as_ref());
    if page.is_some() && page == agent.homepage.as_ref() {
        kept.push(Fact::Homepage);
    }
    let of_skills: std::collections::HashSet<_> =
        agent.capabilities.iter().flat_map(|it| &it.tags).collect();
    if agent.tags.iter().all(|tag| of_skills.contains(tag)) {
        kept.push(Fact::Tags);
    }
    report.keep_except(agent, &kept, &["capabilities"]);
    let of_skill = [
        CapabilityFact::Id,
        CapabilityFact::Name,
        CapabilityFact::Description,
        CapabilityFact::Tags,
        CapabilityFact::Examples,
        CapabilityFact::InputModes,
        CapabilityFact::OutputModes,
        CapabilityFact::RequiresAuth,
    ];
    report.keep_of(&agent.capabilities, &of_skill);
    let unexpressed: Vec<_> = agent
        .capabilities
        .iter()
        .filter(|it| !security.states(it))
        .collect();
    report.lost_of(&unexpressed, "the required authentication");
}
