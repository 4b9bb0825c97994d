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

/// Returns the agent that a profile at the site and an OpenAPI document with these members make.
fn completed(members: &serde_json::Value) -> crate::Agent {
    let mut api = json!({
        "openapi": "3.1.0",
        "info": {"title": "Mug API", "version": "7"},
        "paths": {"/mugs": {"get": {"operationId": "listMugs"}}},
        "components": {"securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Mug"},
            "login": {"type": "oauth2", "flows": {"clientCredentials": {
                "tokenUrl": "https://login.mugs.example/token", "scopes": {"read": "Reads"}}}},
        }},
    });
    for (name, value) in members.as_object().unwrap() {
        api[name] = value.clone();
    }
    let profile = json!({"name": "Mugs", "openapi": "https://mugs.example/api/openapi.json"});
    let mut documents = documents(&[("/agents.json", &profile.to_string())]);
    documents.push(at(
        "https://mugs.example/api/openapi.json",
        &api.to_string(),
    ));
    merged(&documents).remove(0).agent
}

#[test]
fn the_nearest_server_is_the_base_of_an_operation_and_without_any_the_origin_of_the_document() {
    let get = |more: serde_json::Value| {
        let mut get = json!({"operationId": "listMugs"});
        get.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        get
    };
    let server = |url: &str| json!([{ "url": url }]);
    for (members, url) in [
        (json!({}), Some("https://mugs.example/mugs")),
        (json!({"servers": []}), Some("https://mugs.example/mugs")),
        (
            json!({"servers": server("v2")}),
            Some("https://mugs.example/api/v2/mugs"),
        ),
        (
            json!({"servers": server("/v2"), "paths": {"/mugs": {
                "servers": server("/of-path"), "get": get(json!({}))}}}),
            Some("https://mugs.example/of-path/mugs"),
        ),
        (
            json!({"servers": server("/v2"), "paths": {"/mugs": {
                "servers": server("/of-path"),
                "get": get(json!({"servers": server("/of-operation")}))}}}),
            Some("https://mugs.example/of-operation/mugs"),
        ),
        (
            json!({"servers": server("/v2"), "paths": {"/mugs": {
                "get": get(json!({"servers": server("https://{region}.mugs.example")}))}}}),
            None,
        ),
        (json!({"servers": server("http://localhost:8000")}), None),
    ] {
        let agent = completed(&members);
        assert_eq!(agent.capabilities[0].url.as_deref(), url, "{members}");
    }
}

#[test]
fn security_of_the_document_or_of_the_operation_is_authentication() {
    let paths = |security: serde_json::Value| json!({"/mugs": {"get": {"operationId": "listMugs", "security": security}}});
    let key = json!([{"key": []}]);
    for (members, scheme, is_needed) in [
        (json!({}), None, None),
        (json!({"security": key}), Some("api_key"), Some(true)),
        (
            json!({"security": key, "paths": paths(json!([{"login": ["read"]}]))}),
            Some("oauth2"),
            Some(true),
        ),
        (
            json!({"security": key, "paths": paths(json!([]))}),
            None,
            Some(false),
        ),
        (
            json!({"paths": paths(json!([{}, {"key": []}]))}),
            Some("api_key"),
            Some(false),
        ),
    ] {
        let agent = completed(&members);
        let first = agent.auth.first().map(|it| it.scheme.as_str());
        assert_eq!(first, scheme, "{members}");
        let needed = agent.capabilities[0].requires_auth;
        assert_eq!(needed, is_needed, "{members}");
    }
    let agent = completed(&json!({"paths": paths(json!([{"login": ["read"]}]))}));
    assert_eq!(
        agent.auth[0].token_url.as_deref(),
        Some("https://login.mugs.example/token")
    );
}
