//! The registry API of ARD, compared with the schemas of its specification.

use crate::serving::serve;
use crate::support::pipeline::Pipeline;
use crate::support::{self, http};
use serde_json::{Value, json};
use simweb::Simweb;
use std::path::Path;

/// Site whose catalogue names another registry.
const CATALOG: &str = r#"{"specVersion": "1.0", "host": {"displayName": "Finder"}, "entries": [
    {"identifier": "urn:air:finder.example:registry:public", "displayName": "Public finder",
     "type": "application/ai-registry+json", "url": "https://finder.example/ard/search"},
    {"identifier": "urn:air:finder.example:agent:clerk", "displayName": "Clerk",
     "type": "application/a2a-agent-card+json", "url": "https://finder.example/clerk.json",
     "description": "Sells tickets for ferries.", "tags": ["ferry"], "capabilities": ["tickets.sell"],
     "representativeQueries": ["Sell me a ferry ticket", "What does a ferry ticket cost?"]}]}"#;

const CARD: &str = r#"{"protocolVersion": "0.3.0", "name": "Ferry desk", "description": "Books a ferry crossing.",
    "url": "https://ferry.example/a2a", "version": "1.0.0", "capabilities": {}, "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"], "skills": [{"id": "book_ferry", "name": "Book a ferry",
    "description": "Books a crossing for cars and people.", "tags": ["ferry"],
    "examples": ["Book a ferry to the islands", "Take my car across"]}]}"#;

/// Schemas of the API, with those of catalogues that they refer to.
struct Schemas(Value);

impl Schemas {
    fn of(folder: &Path) -> Self {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        // One document, so that no reference leads to a file.
        let api = read("ard-0.9.openapi.yaml").replace("./ai-catalog.schema.json#", "#");
        let api: Value = serde_saphyr::from_str(&api).unwrap();
        let catalog: Value = serde_json::from_str(&read("ai-catalog.schema.json")).unwrap();
        Self(json!({"components": api["components"], "$defs": catalog["$defs"]}))
    }

    #[track_caller]
    fn check(&self, name: &str, text: &str) -> Value {
        let mut schema = self.0.clone();
        schema["$ref"] = json!(format!("#/components/schemas/{name}"));
        let validator = jsonschema::validator_for(&schema).unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        let errors = validator.iter_errors(&value);
        let errors: Vec<_> = errors
            .map(|it| format!("{}: {it}", it.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?} in {text}");
        value
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_follow_the_schemas_of_the_specification() {
    let Some(folder) = support::shared("formats/schemas/ard") else {
        return;
    };
    let schemas = Schemas::of(&folder);
    let web = Simweb::builder()
        .site("ferry.example")
        .file("/.well-known/agent-card.json", CARD)
        .site("finder.example")
        .file("/.well-known/ai-catalog.json", CATALOG);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let crawled = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let server = serve(&pipeline);
    let base = format!("{}/ard", server.url);

    let post = async |path: &str, body: &str| {
        http::post_text(&format!("{base}/{path}"), "application/json", body).await
    };
    let found = post(
        "search",
        r#"{"query": {"text": "book a ferry"}, "federation": "referrals"}"#,
    );
    let found = schemas.check("SearchResponse", &found.await.text);
    assert_eq!(found["results"][0]["displayName"], "Ferry desk", "{found}");
    let referral = json!({
        "identifier": "urn:air:finder.example:registry:public",
        "displayName": "Public finder",
        "type": "application/ai-registry+json",
        "url": "https://finder.example/ard/search",
    });
    assert_eq!(found["referrals"], json!([referral]));

    // The identifier is the publisher's own.
    let clerk =
        r#"{"query": {"text": "sell a ferry ticket", "filter": {"publisher": "finder.example"}}}"#;
    let clerk = post("search", clerk).await;
    let clerk = schemas.check("SearchResponse", &clerk.text);
    let identifier = clerk["results"][0]["identifier"].as_str().unwrap();
    assert_eq!(identifier, "urn:air:finder.example:agent:clerk");
    let entry = http::get(&format!("{base}/agents/{identifier}")).await;
    assert_eq!(entry.status, 200, "{}", entry.text);

    let explored = r#"{"resultType": {"facets": [{"field": "type"}, {"field": "tags"}]}}"#;
    let explored = post("explore", explored).await;
    schemas.check("ExploreResponse", &explored.text);
    let list = http::get(&format!("{base}/agents?orderBy=updatedAt+DESC")).await;
    let list = schemas.check("ListResponse", &list.text);
    assert_eq!(list["total"], 2);

    for (path, body, status) in [
        ("search", "{", 400),
        ("search", r#"{"query": {}}"#, 400),
        ("explore", "{}", 400),
        ("nothing", "{}", 404),
        ("agents", "{}", 405),
    ] {
        let refused = post(path, body).await;
        assert_eq!(refused.status, status, "{path} {body}");
        schemas.check("Error", &refused.text);
    }
}
