//! Mapping of an IntentQL `agent.json` to the normalized model.

use super::manifest::{Action, Auth as Published, Manifest};
use super::parameter;
use super::shape::MANIFEST;
use crate::agent::{Auth, Interface, RateLimit};
use crate::fact::part;
use crate::field::Field;
use crate::format::Input;
use crate::{Agent, Capability, Fact, extension, json, link, rate, schema, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Members on versions of the document.
const VERSIONING: [&str; 2] = ["min_client_version", "breaking_changes"];
/// Members that the format defines and that its struct does not have.
const TEXTS: [&str; 5] = [
    "name",
    "version",
    "description",
    VERSIONING[0],
    VERSIONING[1],
];

/// Returns the agent that the manifest describes.
pub(super) fn normalize(manifest: &Manifest, input: &Input<'_>) -> Agent {
    let document = input.document;
    let mut defaulted = vec![Fact::Homepage.into()];
    let published = manifest.base_url.raw();
    let base = published.and_then(|base| link::guessed(&document.url, base));
    let base = base.unwrap_or_else(|| {
        defaulted.push(Fact::Url.into());
        link::origin(document)
    });
    // Without an address of its own, and without a call, there is no API to speak of (GP-12).
    let has_calls = manifest
        .capabilities
        .members()
        .any(|(_, action)| action.endpoint.raw().is_some());
    let deprecated = manifest.deprecated_capabilities.items();
    let deprecated: HashSet<&str> = deprecated.map(|(_, name)| name.as_str()).collect();
    // The default counts where the author uses the member, or where there is no authentication to need.
    let actions = || manifest.capabilities.members().map(|(_, action)| action);
    let is_open = |action: &Action| action.auth_required.is_absent();
    let has_default = manifest.auth.is_absent() || actions().any(|it| !is_open(it));
    let is_public = |action: &Action| has_default && is_open(action);
    if actions().any(is_public) {
        defaulted.push(part::REQUIRES_AUTH.into());
    }
    Agent {
        homepage: Some(link::origin(document)),
        capabilities: manifest
            .capabilities
            .members()
            .filter_map(|(name, action)| {
                let mut capability = capability(name, action, &base)?;
                set_schemas(&mut capability, &input.value["capabilities"][name]);
                if is_public(action) {
                    capability.requires_auth = Some(false);
                }
                Some(capability)
            })
            .map(|capability| Capability {
                deprecated: deprecated.contains(capability.id.as_str()),
                ..capability
            })
            .collect(),
        auth: manifest
            .auth
            .get()
            .and_then(|it| auth(it, input))
            .into_iter()
            .collect(),
        interfaces: if published.is_some() || has_calls {
            vec![rest(&base)]
        } else {
            Vec::new()
        },
        rate_limits: rate_limits(manifest),
        url: Some(base),
        specified: specified(input),
        extensions: extension::unknown(&manifest.unknown, &TEXTS),
        defaulted,
        ..MANIFEST.read(input.value, document)
    }
}

/// Returns the members of the specification that the model has no field for.
fn specified(input: &Input<'_>) -> Map<String, Value> {
    let rest = |name: &str, known: &[&str]| {
        let section = input.value.get(name)?.as_object()?;
        let rest = extension::unknown(section, known);
        (!rest.is_empty()).then(|| (name.to_owned(), Value::Object(rest)))
    };
    let sections = [
        rest("metadata", &["contact", "documentation"]),
        rest("rate_limits", &["default", "authenticated", "burst"]),
    ];
    let versioning = VERSIONING
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), input.value.get(name)?.clone())));
    extension::kept(sections.into_iter().flatten().chain(versioning))
}

/// Returns an HTTP interface at `url`.
pub(super) fn rest(url: &str) -> Interface {
    Interface {
        protocol: "rest".to_owned(),
        url: url.to_owned(),
        preferred: true,
        ..Interface::default()
    }
}

fn capability(name: &str, action: &Action, base: &str) -> Option<Capability> {
    let endpoint = action.endpoint.text();
    Some(Capability {
        id: text::some(name)?,
        name: text::some(name)?,
        description: action.description.text(),
        method: action
            .method
            .text()
            .map(|method| method.to_ascii_uppercase()),
        url: endpoint
            .as_deref()
            .and_then(|endpoint| link::concatenated(base, endpoint)),
        params: parameter::params(&action.parameters, endpoint.as_deref().unwrap_or_default()),
        endpoint: endpoint.as_deref().map(link::template),
        input_schema: parameter::schema_of(&action.parameters),
        output_schema: parameter::schema_of(&action.returns),
        requires_auth: action.auth_required.get().copied(),
        rate_limit: action
            .rate_limit
            .raw()
            .and_then(|limit| rate::parse("default", limit)),
        pointer: format!("/capabilities/{}", json::escape(name)),
        ..Capability::default()
    })
}

/// Sets the schemas of a capability that has JSON Schemas in place of parameters by name (IQ-09).
fn set_schemas(capability: &mut Capability, published: &Value) {
    let schema = |member: &str| published.get(member).filter(|it| parameter::is_schema(it));
    if let Some(schema) = schema("parameters") {
        capability.params = schema::params_of(schema);
        capability.input_schema = Some(schema.clone());
    }
    if let Some(schema) = schema("returns") {
        capability.output_schema = Some(schema.clone());
    }
}

fn auth(published: &Published, input: &Input<'_>) -> Option<Auth> {
    let url = |field: &Field<String>| link::absolute(&input.document.url, field.raw()?);
    let mut auth = Auth::of(published.kind.raw()?);
    if let Some(header) = published.header.text() {
        auth.location = Some("header".to_owned());
        auth.name = Some(header);
    }
    let scopes = published.scopes.get();
    for (scope, meaning) in scopes.into_iter().flatten() {
        let meaning = meaning.as_str().and_then(text::some);
        let described = text::some(scope).zip(meaning);
        auth.scope_descriptions.extend(described);
    }
    let scopes = scopes.into_iter().flat_map(Map::keys);
    auth.scopes = text::distinct(scopes.filter_map(|scope| text::some(scope)));
    auth.authorization_url = url(&published.authorization_url);
    auth.token_url = url(&published.token_url);
    auth.token_format = published.format.text();
    auth.description = published.description.text();
    Some(auth)
}

fn rate_limits(manifest: &Manifest) -> Vec<RateLimit> {
    let limits = manifest.rate_limits.get();
    let named = limits
        .into_iter()
        .flat_map(super::manifest::RateLimits::named);
    named
        .filter_map(|(scope, limit)| rate::parse(scope, limit.raw()?))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::document::sample;
    use crate::formats::read;
    use serde_json::json;

    #[test]
    fn a_capability_is_public_by_default_where_the_author_tells_them_apart() {
        let needs = |auth: bool, stated: bool| {
            let call =
                |path: &str| json!({"description": "Finds.", "method": "GET", "endpoint": path});
            let (find, mut order) = (call("/find"), call("/order"));
            if stated {
                order["auth_required"] = json!(true);
            }
            let mut manifest = json!({
                "name": "Mugs", "version": "1.0.0", "description": "Sells mugs.",
                "capabilities": {"find": find, "order": order},
            });
            if auth {
                manifest["auth"] = json!({"type": "api_key", "header": "X-Key"});
            }
            let reading = read(&sample("mugs.example", "/agent.json", manifest.to_string()));
            let capabilities = &reading.agents[0].capabilities;
            capabilities
                .iter()
                .map(|it| it.requires_auth)
                .collect::<Vec<_>>()
        };
        assert_eq!(needs(true, true), [Some(false), Some(true)]);
        assert_eq!(needs(true, false), [None, None]);
        assert_eq!(needs(false, false), [Some(false), Some(false)]);
    }
}
