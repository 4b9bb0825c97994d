//! Agents that are completed with the OpenAPI documents of their site.

use crate::merge::tests::{DOMAIN, documents, ids, merged};
use crate::{Document, Domain};
use serde_json::json;

/// Names one OpenAPI document of the site, on another host of its domain.
const PROFILE: &str = r#"{"name": "Mugs", "description": "Sells mugs",
    "openapi_url": "https://api.mugs.example/openapi.json",
    "actions": [{"name": "Search", "description": "Finds mugs",
                 "method": "GET", "path": "https://api.mugs.example/v1/mugs"}]}"#;

/// Returns a document of the site at this URL.
fn at(url: &str, body: &str) -> Document {
    let domain = Domain::parse(DOMAIN).unwrap();
    Document::new(domain, url.parse().unwrap(), body)
}

fn api() -> String {
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Mug API", "version": "7"},
        "servers": [{"url": "/v1"}],
        "paths": {
            "/mugs": {"get": {"operationId": "listMugs", "summary": "All mugs", "parameters": [
                {"name": "colour", "in": "query", "schema": {"type": "string"}}]}},
            "/orders": {"post": {"operationId": "order", "summary": "Orders a mug"}},
        },
    })
    .to_string()
}

#[test]
fn gp_18_an_api_of_the_site_completes_the_agent_that_names_it() {
    let mut documents = documents(&[("/agents.json", PROFILE)]);
    documents.push(at("https://api.mugs.example/openapi.json", &api()));
    let listings = merged(&documents);
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    let listing = &listings[0];
    assert_eq!(listing.sources.len(), 2);
    assert_eq!(listing.agent.version.as_deref(), Some("7"));
    assert_eq!(listing.provenance["version"].source, 1);
    let rest = listing.agent.interfaces.iter();
    let rest: Vec<_> = rest.filter(|it| it.protocol == "rest").collect();
    assert_eq!(rest[0].url, "https://api.mugs.example/v1");
    let capabilities = &listing.agent.capabilities;
    let names: Vec<_> = capabilities.iter().map(|it| &*it.name).collect();
    assert_eq!(
        names,
        ["Search", "order"],
        "the same call is one capability"
    );
    assert_eq!(capabilities[0].description.as_deref(), Some("Finds mugs"));
    assert_eq!(capabilities[0].params[0].name, "colour");
    assert_eq!(
        capabilities[1].url.as_deref(),
        Some("https://api.mugs.example/v1/orders")
    );
    let evidence = &listing.provenance["capabilities/1"];
    assert_eq!(
        (evidence.source, &*evidence.pointer),
        (1, "/paths/~1orders/post")
    );
}

#[test]
fn an_api_that_nothing_names_or_that_another_site_serves_is_not_credited() {
    let mut unnamed = documents(&[("/agents.json", r#"{"name": "Mugs", "skills": ["Search"]}"#)]);
    unnamed.push(at("https://mugs.example/openapi.json", &api()));
    let listings = merged(&unnamed);
    assert_eq!(listings[0].agent.capabilities.len(), 1);

    let foreign = PROFILE.replace("api.mugs.example/openapi", "potter.example/openapi");
    let mut documents = documents(&[("/agents.json", &foreign)]);
    documents.push(at("https://potter.example/openapi.json", &api()));
    let listings = merged(&documents);
    assert_eq!(listings[0].sources.len(), 1);

    let alone = [at("https://mugs.example/openapi.json", &api())];
    assert!(merged(&alone).is_empty(), "GP-05");
}
