//! The registry's own documents, as they are served.

use super::registry::THEN;
use super::*;
use crate::crawler_identity::{CARD, CrawlerIdentity, DEFAULT_TOKEN};
use crate::own::place;
use crate::view::edge::{ADDRESSES, KEY_DIRECTORY};
use axum::http::Method;
use axum::http::header::LINK;
use serde_json::json;
use std::collections::BTreeSet;

/// Returns the paths of all documents.
fn paths(registry: &Registry) -> Vec<String> {
    let documents = registry.state.registry().documents().into_iter();
    let paths = documents.map(|it| it.path);
    paths.chain([place::SECURITY.to_owned()]).collect()
}

async fn send(registry: &Registry, method: Method, path: &str, tag: &str) -> Answer {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("if-none-match", tag);
    ask(registry, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn every_document_is_kept_for_an_hour_and_read_by_any_page() {
    let registry = registry::empty().await;
    let paths = paths(&registry);
    let distinct: BTreeSet<_> = paths.iter().collect();
    assert_eq!(distinct.len(), paths.len());
    for path in &paths {
        let answer = get(&registry, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{path}");
        assert_eq!(answer.header(CACHE_CONTROL), "public, max-age=3600");
        let tag = answer.header(ETAG);
        let again = send(&registry, Method::GET, path, tag).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
        let head = send(&registry, Method::HEAD, path, "").await;
        assert_eq!((head.status, head.body.as_str()), (StatusCode::OK, ""));
        assert_eq!(head.header(CONTENT_TYPE), answer.header(CONTENT_TYPE));
        let refused = send(&registry, Method::POST, path, "").await;
        assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
}

#[tokio::test]
async fn media_types_are_those_of_the_formats() {
    let registry = registry::empty().await;
    for (path, media_type) in [
        (
            "/.well-known/agents.json",
            "application/json; charset=utf-8",
        ),
        ("/.well-known/agents.txt", "text/plain; charset=utf-8"),
        ("/agents.txt", "text/plain; charset=utf-8"),
        ("/agent.json", "application/json; charset=utf-8"),
        (
            "/.well-known/agents/agentdex.agents.json",
            "application/agents+json",
        ),
        ("/.well-known/ard.json", "application/ai-catalog+json"),
        (
            "/.well-known/mcp/server-card.json",
            "application/mcp-server-card+json",
        ),
        (
            "/.well-known/agent-skills/index.json",
            "application/json; charset=utf-8",
        ),
        (
            "/.well-known/agent-skills/search/SKILL.md",
            "text/markdown; charset=utf-8",
        ),
        ("/.well-known/security.txt", "text/plain; charset=utf-8"),
        ("/llms.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = get(&registry, path).await;
        assert_eq!(answer.header(CONTENT_TYPE), media_type, "{path}");
    }
    let linkset = get(&registry, place::API_CATALOG).await;
    assert!(
        linkset
            .header(CONTENT_TYPE)
            .starts_with("application/linkset+json; profile=")
    );
}

#[tokio::test]
async fn security_txt_states_the_contact_and_an_end() {
    let mut registry = registry::empty().await;
    let text = get(&registry, place::SECURITY).await.body;
    // 180 days after the day of the requests.
    let expected = "Contact: mailto:registry@agentdex.example\nExpires: 2027-05-19T00:00:00Z\n\
                    Preferred-Languages: en\n\
                    Canonical: https://agentdex.example/.well-known/security.txt\n";
    assert_eq!(text, expected);
    registry.state.contact = Some("https://agentdex.example/contact".to_owned());
    let text = get(&registry, place::SECURITY).await.body;
    assert!(text.starts_with("Contact: https://agentdex.example/contact\n"));
    registry.state.contact = None;
    let missing = get(&registry, place::SECURITY).await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    assert_eq!(missing.json()["errorCode"], "not_found");
}

/// The documents of the crawler are what its operator configured, and `/bot` says what is missing.
#[tokio::test]
async fn the_crawler_is_described_to_machines_as_far_as_it_is_configured() {
    let mut registry = registry::empty().await;
    let card = get(&registry, CARD).await.json();
    assert_eq!(card["client_id"], format!("https://agentdex.example{CARD}"));
    assert_eq!(card["contacts"][0], "mailto:registry@agentdex.example");
    assert_eq!(card["web_bot_auth"]["rfc9309-product-token"], DEFAULT_TOKEN);
    for path in [ADDRESSES, KEY_DIRECTORY] {
        let missing = get(&registry, path).await;
        assert_eq!(missing.status, StatusCode::NOT_FOUND);
        let detail = missing.json()["detail"].to_string();
        assert!(
            detail.contains("operator of this registry publishes no"),
            "{detail}"
        );
    }
    let page = get(&registry, "/bot").await;
    page.says(&[
        "The operator publishes none.",
        "The operator publishes no keys.",
    ]);
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "b"}]});
    let addresses = ["198.41.0.0/24", "2001:500:200::/48"];
    let addresses = addresses.map(|it| it.parse().unwrap());
    registry.state.crawler = CrawlerIdentity::new("OtherBot", &addresses, Some(keys.clone()), THEN);
    let list = get(&registry, ADDRESSES).await.json();
    assert_eq!(list["prefixes"][0]["ipv4Prefix"], "198.41.0.0/24");
    assert_eq!(list["prefixes"][1]["ipv6Prefix"], "2001:500:200::/48");
    let directory = get(&registry, KEY_DIRECTORY).await;
    let media_type = "application/http-message-signatures-directory+json";
    assert_eq!(directory.header(CONTENT_TYPE), media_type);
    assert_eq!(directory.json(), keys);
    let card = get(&registry, CARD).await.json();
    assert_eq!(card["web_bot_auth"]["expected-user-agent"], "OtherBot/*");
    for (member, path) in [
        (&card["jwks_uri"], KEY_DIRECTORY),
        (&card["web_bot_auth"]["ips_uri"], ADDRESSES),
    ] {
        assert_eq!(member, &format!("https://agentdex.example{path}"));
    }
    let page = get(&registry, "/bot").await;
    page.says(&[ADDRESSES, KEY_DIRECTORY, CARD]);
}

/// Every address that a page or robots.txt names answers, and those of protocols that other parts
/// of the registry answer are left out.
#[tokio::test]
async fn pages_and_robots_txt_lead_to_the_manifests() {
    let registry = registry::full().await;
    let page = get(&registry, "/").await;
    let links = page.headers.get_all(LINK).iter();
    let links: Vec<_> = links.map(|it| it.to_str().unwrap()).collect();
    let links = links.join(", ");
    for (relation, path) in [
        ("agents", place::AGENTS_JSON),
        ("ard", place::CATALOGS[0]),
        ("ai-catalog", place::CATALOGS[1]),
        ("api-catalog", place::API_CATALOG),
        ("service-desc", place::OPENAPI),
        ("service-doc", place::DOCS),
    ] {
        assert!(
            links.contains(&format!("<{path}>; rel=\"{relation}\"")),
            "{links}"
        );
        assert_eq!(get(&registry, path).await.status, StatusCode::OK, "{path}");
    }
    let robots = get(&registry, "/robots.txt").await.body;
    let origin = "https://agentdex.example";
    for line in [
        "User-agent: *".to_owned(),
        format!("Agentmap: {origin}{}", place::CATALOGS[0]),
        format!("Agents: {origin}{}", place::AGENTS_JSON),
    ] {
        assert!(robots.lines().any(|it| it == line), "{robots}");
    }
    assert!(!robots.contains("Disallow"), "{robots}");
}

#[tokio::test]
async fn the_index_of_skills_has_the_hashes_of_its_files() {
    use sha2::{Digest as _, Sha256};
    let registry = registry::empty().await;
    let index = get(&registry, place::SKILLS_INDEX).await.json();
    let skills = index["skills"].as_array().unwrap();
    assert_eq!(skills.len(), crate::own::capability::CAPABILITIES.len());
    for skill in skills {
        let file = get(&registry, skill["url"].as_str().unwrap()).await.body;
        let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(&file));
        assert_eq!(skill["digest"], format!("sha256:{digest}"));
        let name = skill["name"].as_str().unwrap();
        assert!(
            file.starts_with(&format!("---\nname: {name}\ndescription: ")),
            "{file}"
        );
    }
}

/// A client that knows only the text of IntentQL: it reads `/agent.json`, and calls what it finds.
#[tokio::test]
async fn a_client_of_intentql_finds_and_calls_the_registry() {
    let registry = registry::full().await;
    let manifest = get(&registry, "/agent.json").await.json();
    let base = manifest["base_url"].as_str().unwrap();
    let base = base.strip_prefix("https://agentdex.example").unwrap();
    let call = |name: &str, values: &[(&str, &str)]| {
        let capability = &manifest["capabilities"][name];
        assert_eq!(capability["method"], "GET");
        assert_eq!(capability["auth_required"], false);
        let mut path = format!("{base}{}", capability["endpoint"].as_str().unwrap());
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let parameters = capability["parameters"].as_object().unwrap();
        for (name, parameter) in parameters {
            let given = values.iter().find(|(given, _)| given == name);
            assert!(given.is_some() || parameter["required"] == false, "{name}");
            let Some((_, value)) = given else {
                continue;
            };
            let variable = format!("{{{name}}}");
            if path.contains(&variable) {
                path = path.replace(&variable, value);
            } else {
                query.append_pair(name, value);
            }
        }
        let query = query.finish();
        if query.is_empty() {
            path
        } else {
            format!("{path}?{query}")
        }
    };
    let found = get(&registry, &call("search", &[("q", "book a table")])).await;
    assert_eq!(found.status, StatusCode::OK, "{}", found.body);
    let found = found.json();
    let id = found["results"][0]["id"].as_str().unwrap();
    assert_eq!(id, "mesa.example/reservations");
    let (domain, slug) = id.split_once('/').unwrap();
    for (name, values) in [
        ("detail", &[("domain", domain), ("slug", slug)][..]),
        ("browse", &[("sort", "name"), ("limit", "3")]),
        ("capabilities", &[("prefix", "book")]),
        ("check", &[("domain", domain)]),
    ] {
        let answer = get(&registry, &call(name, values)).await;
        assert_eq!(answer.status, StatusCode::OK, "{name}: {}", answer.body);
    }
}

/// A client that knows only the text of JSON Agents: it resolves the identifier, and calls a tool.
#[tokio::test]
async fn a_client_of_json_agents_finds_and_calls_the_registry() {
    let registry = registry::full().await;
    let rest = "ajson://agentdex.example/agents/agentdex".strip_prefix("ajson://");
    let (_, path) = rest.unwrap().split_once('/').unwrap();
    let manifest = get(&registry, &format!("/.well-known/{path}.agents.json")).await;
    let manifest = manifest.json();
    assert_eq!(manifest["manifest_version"], "1.0");
    let tools = manifest["tools"].as_array().unwrap();
    let tool = tools.iter().find(|it| it["id"] == "search").unwrap();
    assert_eq!(
        (&tool["type"], &tool["auth"]["method"]),
        (&"http".into(), &"none".into())
    );
    assert_eq!(tool["input_schema"]["required"], serde_json::json!(["q"]));
    let endpoint = tool["endpoint"].as_str().unwrap();
    let endpoint = endpoint.strip_prefix("https://agentdex.example").unwrap();
    let found = get(&registry, &format!("{endpoint}?q=book+a+table")).await;
    assert_eq!(found.json()["results"][0]["site"], "mesa.example");
}
