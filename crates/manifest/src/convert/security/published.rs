//! Authentication as an A2A card of either generation publishes it.

use super::{Alternative, OwnRequirements, Scheme, Security, declared};
use crate::convert::Target;
use crate::convert::losses::Report;
use crate::json::escape;
use crate::{Agent, Capability};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Type of a scheme, its wrapper in 1.0, its members, and the required members.
type Kind = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const KINDS: [Kind; 5] = [
    (
        "apiKey",
        "apiKeySecurityScheme",
        &["description", "in", "name"],
        &["in", "name"],
    ),
    (
        "http",
        "httpAuthSecurityScheme",
        &["description", "scheme", "bearerFormat"],
        &["scheme"],
    ),
    (
        "oauth2",
        "oauth2SecurityScheme",
        &["description", "flows", "oauth2MetadataUrl"],
        &["flows"],
    ),
    (
        "openIdConnect",
        "openIdConnectSecurityScheme",
        &["description", "openIdConnectUrl"],
        &["openIdConnectUrl"],
    ),
    ("mutualTLS", "mtlsSecurityScheme", &["description"], &[]),
];

/// OAuth flows and the URLs that each requires; only 1.0 has the last.
const FLOWS: [(&str, &[&str]); 5] = [
    ("authorizationCode", &["authorizationUrl", "tokenUrl"]),
    ("clientCredentials", &["tokenUrl"]),
    ("implicit", &["authorizationUrl"]),
    ("password", &["tokenUrl"]),
    ("deviceCode", &["deviceAuthorizationUrl", "tokenUrl"]),
];

/// Other members of a flow; only 1.0 has the last.
const OF_FLOW: [&str; 3] = ["refreshUrl", "scopes", "pkceRequired"];

/// Returns the schemes and requirements of `agent`'s card as published; `None` if there is no card.
pub(super) fn security(agent: &Agent, report: &mut Report<'_>) -> Option<Security> {
    let origin = report.origin;
    let is_card = origin.format == "a2a-agent-card" || agent.pointer.ends_with("/data");
    let card = origin.published(&agent.pointer).filter(|_| is_card)?;
    let declared = card.get("securitySchemes").and_then(Value::as_object);
    let all = requirements(card);
    if declared.is_none_or(Map::is_empty) && all.is_none() {
        return None;
    }
    let mut schemes = Vec::new();
    let mut undeclared = HashSet::new();
    for (name, value) in declared.into_iter().flatten() {
        let pointer = format!("{}/securitySchemes/{}", agent.pointer, escape(name));
        if let Some((kind, members)) = scheme(value, &pointer, report) {
            report.handles(format!("{pointer}/type"));
            schemes.push(Scheme {
                name: name.clone(),
                kind,
                members,
            });
        } else {
            report.lost(&pointer, format!("the authentication {name:?}"));
            undeclared.insert(name.clone());
        }
    }
    added(agent, &mut schemes, report);
    let mut kept_requirements = |of: &Value, at: &str| {
        let mut alternatives = requirements(of)?;
        let has_place = |it: &Alternative| it.iter().all(|(name, _)| !undeclared.contains(name));
        let count = alternatives.len();
        alternatives.retain(has_place);
        if alternatives.len() < count {
            let what = "requirements of an authentication that it cannot declare";
            report.lost(&format!("{at}/{}", member(of)), what);
        }
        // An empty list of requirements would permit access without authentication.
        (count == 0 || !alternatives.is_empty()).then_some(alternatives)
    };
    let all = kept_requirements(card, &agent.pointer);
    let of_one = |it: &Capability| {
        let own = kept_requirements(origin.published(&it.pointer)?, &it.pointer)?;
        Some((it.pointer.clone(), own))
    };
    let own = agent.capabilities.iter().filter_map(of_one).collect();
    Some(Security {
        schemes,
        all,
        own: OwnRequirements::Published(own),
    })
}

/// Reports what the card requires beyond the schemes, which some targets cannot express.
pub(in super::super) fn account(agents: &[Agent], report: &mut Report<'_>) {
    let origin = report.origin;
    let names_schemes = matches!(
        report.target,
        Target::AgentJson | Target::JsonAgents | Target::Zervice
    );
    let is_card = origin.format == "a2a-agent-card" && names_schemes;
    for agent in agents.iter().filter(|_| is_card) {
        let Some(card) = origin.published(&agent.pointer) else {
            continue;
        };
        let all = requirements(card).unwrap_or_default();
        let place = format!("{}/{}", agent.pointer, member(card));
        if all.iter().any(|it| it.len() > 1) {
            report.lost(&place, "which authentication schemes are needed together");
        }
        if all.iter().flatten().any(|(_, scopes)| !scopes.is_empty()) {
            report.lost(&place, "which scopes are needed");
        }
        let has_own = |it: &&Capability| {
            let skill = origin.published(&it.pointer);
            skill.and_then(requirements).is_some()
        };
        let own: Vec<_> = agent.capabilities.iter().filter(has_own).collect();
        report.lost_of(&own, "the separate authentication");
    }
}

/// Adds the authentication that was added to the agent after reading its card.
fn added(agent: &Agent, schemes: &mut Vec<Scheme>, report: &mut Report<'_>) {
    let known = report.origin.source().map_or(&[][..], |it| &it.agents);
    let known = known.iter().find(|it| it.pointer == agent.pointer);
    let known = known.map_or(&[][..], |it| &it.auth);
    let auths = agent.auth.iter().filter(|it| !known.contains(it));
    for auth in auths.filter(|auth| auth.scheme != "none") {
        let taken = |name: &str| schemes.iter().any(|it| it.name == name);
        schemes.extend(declared(auth, taken, agent, report));
    }
}

/// Returns the member in which `of` gives its requirements.
fn member(of: &Value) -> &'static str {
    if of["securityRequirements"].is_array() {
        "securityRequirements"
    } else {
        "security"
    }
}

/// Returns the requirements of `of`, a card or a skill; `None` if it gives none.
fn requirements(of: &Value) -> Option<Vec<Alternative>> {
    let items = of.get(member(of))?.as_array()?;
    Some(items.iter().filter_map(alternative).collect())
}

/// Parses `{name: scopes}` or, in 1.0, `{schemes: {name: {list: scopes}}}`.
fn alternative(item: &Value) -> Option<Alternative> {
    let members = match item.get("schemes") {
        Some(Value::Object(schemes)) => schemes,
        Some(_) | None => item.as_object()?,
    };
    let scopes = |value: &Value| {
        let list = value.get("list").unwrap_or(value).as_array();
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let named = members.iter();
    Some(
        named
            .map(|(name, value)| (name.clone(), scopes(value)))
            .collect(),
    )
}

/// Returns the type of a declared scheme and its members under the names of OpenAPI.
fn scheme(
    value: &Value,
    pointer: &str,
    report: &mut Report<'_>,
) -> Option<(&'static str, Map<String, Value>)> {
    let word = value.get("type").and_then(Value::as_str);
    let is_kind = |(kind, wrapper, ..): &&Kind| match word {
        Some(word) => word == *kind,
        None => value.get(wrapper).is_some(),
    };
    let (kind, wrapper, known, required) = KINDS.iter().find(is_kind)?;
    let published = if word.is_some() {
        value
    } else {
        &value[wrapper]
    };
    let mut members = Map::new();
    for name in *known {
        let found = published.get(name);
        let found = match *name {
            "in" => found.or_else(|| published.get("location")),
            "flows" => {
                let inner = if word.is_some() { "" } else { wrapper };
                let at = [pointer, inner, "flows"].join("/").replace("//", "/");
                let flows = flows(found?, &at, report)?;
                members.insert("flows".to_owned(), Value::Object(flows));
                continue;
            }
            _ => found,
        };
        if let Some(text) = found.filter(|it| it.is_string()) {
            members.insert((*name).to_owned(), text.clone());
        }
    }
    let has = |name: &&str| members.contains_key(*name);
    let place = members.get("in").and_then(Value::as_str);
    let is_place = place.is_none_or(|it| matches!(it, "header" | "query" | "cookie"));
    (required.iter().all(has) && is_place).then_some((*kind, members))
}

/// Returns the flows that the target supports: one in 1.0, and no device code flow elsewhere.
fn flows(value: &Value, pointer: &str, report: &mut Report<'_>) -> Option<Map<String, Value>> {
    let is_1 = report.target == Target::A2a;
    let mut flows = Map::new();
    for (name, required) in FLOWS {
        let Some(published) = value.get(name) else {
            continue;
        };
        let fits = required.iter().all(|it| published[it].is_string());
        if !fits || (is_1 && !flows.is_empty()) || (!is_1 && name == "deviceCode") {
            report.lost(
                &format!("{pointer}/{name}"),
                format!("the OAuth flow {name}"),
            );
            continue;
        }
        let mut flow = Map::new();
        for member in required.iter().chain(&OF_FLOW) {
            let fits = match *member {
                "scopes" => published[member].is_object(),
                "pkceRequired" => is_1 && published[member].is_boolean(),
                _ => published[member].is_string(),
            };
            if fits {
                flow.insert((*member).to_owned(), published[*member].clone());
            }
        }
        flow.entry("scopes").or_insert_with(|| Map::new().into());
        flows.insert(name.to_owned(), Value::Object(flow));
    }
    (!flows.is_empty()).then_some(flows)
}
