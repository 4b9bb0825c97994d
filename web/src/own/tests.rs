//! Tests of the table and of the manifests made from it.

use super::capability::CAPABILITIES;
use super::published::{Published, Registry};
use super::{FLOWS, SHORT_DESCRIPTION, place};
use crate::api;
use manifest::{Document, Domain, Level};
use serde_json::Value;
use std::collections::BTreeSet;
use url::Url;

/// Capabilities whose endpoints of the native API are not there yet.
const COMING: [&str; 3] = ["submit", "recheck", "leave"];

/// Returns the facts of a registry with everything configured.
fn registry() -> Registry {
    Registry {
        url: "https://agentdex.example".to_owned(),
        contact: Some("registry@agentdex.example".to_owned()),
        requests_per_minute: Some(600),
    }
}

/// Returns a document as a crawler of the registry finds it.
fn document(registry: &Registry, published: &Published) -> Document {
    let url = Url::parse(&registry.at(published.path)).unwrap();
    let domain = Domain::parse(url.host_str().unwrap()).unwrap();
    Document {
        media_type: Some(published.media_type.to_owned()),
        ..Document::new(domain, url, published.text.as_bytes())
    }
}

#[test]
fn names_are_unique_and_flows_name_capabilities() {
    let names: BTreeSet<_> = CAPABILITIES.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), CAPABILITIES.len());
    let tools: BTreeSet<_> = CAPABILITIES.iter().filter_map(|it| it.tool).collect();
    let expected = [
        "check_site",
        "get_agent",
        "list_capabilities",
        "recheck_site",
        "search_agents",
    ];
    assert!(tools.iter().eq(&expected), "{tools:?}");
    for step in FLOWS.iter().flat_map(|it| it.steps) {
        assert!(names.contains(step), "{step}");
    }
    assert!(SHORT_DESCRIPTION.len() <= 100);
}

#[test]
fn every_capability_of_the_native_api_is_as_openapi_describes_it() {
    let (_, document) = api::openapi::described(api::v1::BASE, api::v1::routes);
    let document = serde_json::to_value(document).unwrap();
    assert_eq!(place::API, api::v1::BASE);
    for capability in &CAPABILITIES {
        let operation =
            &document["paths"][capability.api_address()][capability.method.as_str().to_lowercase()];
        assert_eq!(
            operation.is_null(),
            COMING.contains(&capability.name),
            "{} at {}",
            capability.name,
            capability.api_address()
        );
        let described = operation["parameters"].as_array();
        for parameter in capability
            .api_parameters()
            .iter()
            .filter(|_| described.is_some())
        {
            let described = described
                .unwrap()
                .iter()
                .find(|it| it["name"] == parameter.name);
            let schema = &described.unwrap_or_else(|| panic!("{parameter:?}"))["schema"];
            let text = schema.to_string();
            for (member, value) in &parameter.schema {
                let pair = format!("\"{member}\":{value}");
                let is_listed = member == "enum" && text.contains("\"type\":\"array\"");
                assert!(text.contains(&pair) || is_listed, "{pair} in {text}");
            }
        }
    }
}

#[test]
fn our_own_lint_finds_nothing_in_any_manifest() {
    let registry = registry();
    for published in registry.documents() {
        let reading = manifest::read(&document(&registry, &published));
        let findings: Vec<_> = reading
            .findings
            .iter()
            .map(|it| (it.rule.id, it.severity, &it.pointer, &it.message))
            .collect();
        assert!(findings.is_empty(), "{}: {findings:#?}", published.path);
        assert_eq!(reading.level(), Level::A, "{}", published.path);
        let names: Vec<_> = reading.agents[0]
            .capabilities
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(names, CAPABILITIES.each_ref().map(|it| it.name));
    }
}

/// Returns the value of a manifest in JSON.
fn json(path: &str) -> Value {
    let documents = registry().documents();
    let found = documents.iter().find(|it| it.path == path).unwrap();
    serde_json::from_str(&found.text).unwrap()
}

#[test]
fn sessions_belong_to_what_changes_something() {
    let manifest = json(place::AGENTS_JSON);
    for capability in manifest["capabilities"].as_array().unwrap() {
        let is_change = capability["method"] != "GET";
        assert_eq!(capability["requires_session"], is_change, "{capability}");
    }
}
