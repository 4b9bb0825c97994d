//! Tests of the table and of the manifests made from it.

mod schemas;

use super::capability::CAPABILITIES;
use super::published::OwnDocument;
use super::registry::Registry;
use super::{FLOWS, SHORT_DESCRIPTION, place};
use crate::api;
use manifest::merge::merge;
use manifest::{Document, Domain, Level, Reading, Severity, ajson};
use serde_json::Value;
use std::collections::BTreeSet;
use url::Url;

/// Returns the facts of a registry with everything configured.
fn registry() -> Registry {
    Registry {
        url: "https://agentdex.example".to_owned(),
        contact: Some("registry@agentdex.example".to_owned()),
        requests_per_minute: Some(600),
    }
}

/// Returns a document as a crawler finds it at the registry.
fn document(registry: &Registry, published: &OwnDocument) -> Document {
    let url = Url::parse(&registry.at(&published.path)).unwrap();
    let domain = Domain::parse(url.host_str().unwrap()).unwrap();
    Document {
        media_type: Some(published.media_type.to_owned()),
        ..Document::new(domain, url, published.text.as_bytes())
    }
}

/// Returns the manifests, without texts for crawlers, models and agents that load skills.
fn manifests() -> Vec<Document> {
    let registry = registry();
    let documents = registry.documents().into_iter();
    documents
        .filter(|it| {
            let is_text = [place::ROBOTS, place::LLMS].contains(&it.path.as_str());
            !is_text && !it.media_type.starts_with("text/markdown")
        })
        .map(|it| document(&registry, &it))
        .collect()
}

/// Returns the value of a manifest in JSON.
fn json(path: &str) -> Value {
    let documents = registry().documents();
    let found = documents.iter().find(|it| it.path == path).unwrap();
    serde_json::from_str(&found.text).unwrap()
}

#[test]
fn names_are_unique_and_flows_name_capabilities() {
    let names: BTreeSet<_> = CAPABILITIES.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), CAPABILITIES.len());
    let tools: BTreeSet<_> = CAPABILITIES.iter().filter_map(|it| it.tool).collect();
    let expected = [
        "check_site",
        "get_agent",
        "get_submission",
        "list_capabilities",
        "recheck_site",
        "search_agents",
        "submit_site",
    ];
    assert!(tools.iter().eq(&expected), "{tools:?}");
    for step in FLOWS.iter().flat_map(|it| it.steps) {
        assert!(names.contains(step), "{step}");
    }
    assert!(SHORT_DESCRIPTION.len() <= 100);
}

#[test]
fn every_capability_of_the_native_api_is_as_openapi_describes_it() {
    let described =
        crate::openapi::described(api::v1::BASE, api::v1::routes, aide::axum::ApiRouter::new);
    let document = described.document;
    let document = serde_json::to_value(document).unwrap();
    assert_eq!(place::API, api::v1::BASE);
    for capability in &CAPABILITIES {
        let method = capability.method.as_str().to_lowercase();
        let operation = &document["paths"][capability.api_address()][&method];
        assert!(
            operation.is_object(),
            "{method} {}",
            capability.api_address()
        );
        let described = operation["parameters"].as_array();
        for parameter in capability
            .api_parameters()
            .iter()
            .filter(|_| described.is_some())
        {
            let mut described = described.into_iter().flatten();
            let described = described.find(|it| it["name"] == parameter.name);
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
fn our_own_lint_finds_no_error_and_no_warning_in_any_manifest() {
    for document in manifests() {
        let reading = manifest::read(&document);
        let findings = reading.findings.iter();
        let findings: Vec<_> = findings
            .filter(|it| it.severity != Severity::Info)
            .map(|it| (it.rule.id, it.severity, &it.pointer, &it.message))
            .collect();
        assert!(findings.is_empty(), "{}: {findings:#?}", document.url);
        assert!(reading.is_valid(), "{}", document.url);
        for agent in &reading.agents {
            let names: BTreeSet<_> = agent.capabilities.iter().map(|it| &*it.id).collect();
            let all: BTreeSet<_> = CAPABILITIES.iter().map(|it| it.name).collect();
            assert!(
                names.is_empty() || names == all,
                "{}: {names:?}",
                document.url
            );
        }
    }
}

/// A first visit may end after any document, and the order of the visits after it differs.
#[test]
fn the_manifests_are_one_agent_whichever_is_read_first() {
    let documents = manifests();
    let documents: Vec<(&Document, Reading)> = documents
        .iter()
        .map(|it| (it, manifest::read(it)))
        .collect();
    let domain = Domain::parse("agentdex.example").unwrap();
    let mut read = 0;
    for first in 0..documents.len() {
        for is_reversed in [false, true] {
            let mut readings = documents.clone();
            readings.rotate_left(first);
            if is_reversed {
                readings[1..].reverse();
            }
            for count in 1..=readings.len() {
                let merged = merge(&domain, &readings[..count]);
                let path = readings[count - 1].0.path();
                if merged.listings.is_empty() {
                    let is_linkset =
                        |(it, _): &(&Document, Reading)| it.path() == place::API_CATALOG;
                    assert!(readings[..count].iter().all(is_linkset), "{path}");
                    continue;
                }
                assert_eq!(merged.listings.len(), 1, "after {path}");
                let listing = &merged.listings[0];
                assert_eq!(listing.id.as_str(), "agentdex.example/agentdex", "{path}");
                assert!(
                    listing.conflicts.is_empty(),
                    "{path}: {:#?}",
                    listing.conflicts
                );
                read += 1;
                if count < readings.len() {
                    continue;
                }
                let findings = merged.findings.iter().flatten();
                let findings: Vec<_> = findings
                    .filter(|it| it.severity != Severity::Info)
                    .collect();
                assert!(findings.is_empty(), "{findings:#?}");
                assert_eq!(listing.level, Level::A);
                let names = listing.agent.capabilities.iter().map(|it| it.id.as_str());
                let names: BTreeSet<_> = names.collect();
                let all: BTreeSet<_> = CAPABILITIES.iter().map(|it| it.name).collect();
                assert_eq!(names, all);
                assert_eq!(listing.agent.capabilities.len(), all.len());
                let protocols: BTreeSet<_> = listing
                    .agent
                    .interfaces
                    .iter()
                    .map(|it| it.protocol.as_str())
                    .collect();
                for protocol in ["interaction-api", "mcp", "rest"] {
                    assert!(protocols.contains(protocol), "{protocols:?}");
                }
            }
        }
    }
    assert!(read > documents.len());
}

#[test]
fn sessions_belong_to_what_changes_something() {
    let manifest = json(place::AGENTS_JSON);
    for capability in manifest["capabilities"].as_array().unwrap() {
        let is_change = capability["method"] != "GET";
        assert_eq!(capability["requires_session"], is_change, "{capability}");
    }
}

#[test]
fn agents_json_says_which_calls_count_for_more_than_one_request() {
    let manifest = json(place::AGENTS_JSON);
    assert_eq!(manifest["rate_limit"]["requests_per_minute"], 600);
    for capability in manifest["capabilities"].as_array().unwrap() {
        let text = capability["description"].as_str().unwrap();
        let is_costly = ["submit", "recheck", "leave"].map(Value::from);
        let is_costly = is_costly.contains(&capability["name"]);
        assert_eq!(text.contains("counts as 20 requests"), is_costly, "{text}");
    }
}

#[test]
fn the_identifier_of_json_agents_leads_to_its_manifest() {
    let manifest = json(place::JSON_AGENTS);
    let identifier = manifest["agent"]["id"].as_str().unwrap();
    assert_eq!(identifier, "ajson://agentdex.example/agents/agentdex");
    let candidates = ajson::candidates(identifier).unwrap();
    assert_eq!(candidates[0].as_str(), registry().at(place::JSON_AGENTS));
}

/// Each condition of ours is `tool.id in [names]`, or the negation of two of them.
#[test]
fn exactly_one_policy_applies_to_each_tool() {
    let manifest = json(place::JSON_AGENTS);
    let policies = manifest["policies"].as_array().unwrap();
    let lists = |condition: &str| -> BTreeSet<String> {
        let parts = condition.split('\'').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let tools = manifest["tools"].as_array().unwrap().iter();
    let tools: Vec<_> = tools.map(|it| it["id"].as_str().unwrap()).collect();
    for tool in tools.into_iter().chain(["other"]) {
        let effects: Vec<_> = policies
            .iter()
            .filter(|policy| {
                let condition = policy["where"].as_str().unwrap();
                let is_negated = condition.starts_with("not (");
                lists(condition).contains(tool) != is_negated
            })
            .map(|policy| policy["effect"].as_str().unwrap())
            .collect();
        let expected = match tool {
            "submit" | "recheck" | "leave" => "audit",
            "other" => "deny",
            _ => "allow",
        };
        assert_eq!(effects, [expected], "{tool}");
    }
}

#[test]
fn a_registry_without_a_name_of_its_own_has_manifests_too() {
    let registry = Registry {
        url: "http://127.0.0.1:8080".to_owned(),
        contact: None,
        requests_per_minute: None,
    };
    let documents = registry.documents();
    let card = documents.iter().find(|it| it.path == place::SERVER_CARD[0]);
    let card: Value = serde_json::from_str(&card.unwrap().text).unwrap();
    assert_eq!(card["name"], "1.0.0.127/agentdex");
    assert!(documents.iter().all(|it| !it.text.contains("Contact")));
}
