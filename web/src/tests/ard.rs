//! The registry API of ARD.

use super::*;
use serde_json::json;

#[tokio::test]
async fn a_body_that_is_declared_as_something_else_is_refused() {
    let registry = registry::full().await;
    let body = json!({"query": {"text": "table"}}).to_string();
    for path in ["/ard", "/ard/search", "/ard/explore"] {
        let request = Request::post(path).header(CONTENT_TYPE, "text/plain");
        let answer = ask(&registry, request.body(Body::from(body.clone())).unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        assert_eq!(answer.json()["errorCode"], "INVALID_ARGUMENT");
        answer.says(&["application/json"]);
    }
    let request = Request::post("/ard/search").body(Body::from(body)).unwrap();
    let status = ask(&registry, request).await.status;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

async fn post(registry: &Registry, path: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post(path).header(CONTENT_TYPE, "application/json");
    ask(registry, request.body(body.into()).unwrap()).await
}

async fn search(registry: &Registry, body: &Value) -> Answer {
    post(registry, "/ard/search", body.to_string()).await
}

fn members(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// Asserts that an answer is an error in the form of ARD.
#[track_caller]
fn refused(answer: &Answer, status: StatusCode, code: &str, word: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    let body = answer.json();
    assert_eq!(members(&body), ["errorCode", "message"]);
    assert_eq!(body["errorCode"], code);
    let message = body["message"].as_str().unwrap();
    assert!(message.contains(word), "{message}");
}

#[tokio::test]
async fn a_search_returns_entries_with_score_and_source() {
    let registry = registry::full().await;
    let body = json!({"query": {"text": "book a table in Lisbon"}});
    for path in ["/ard/search", "/ard"] {
        let answer = post(&registry, path, body.to_string()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
        let found = answer.json();
        assert_eq!(members(&found), ["results"]);
        let first = &found["results"][0];
        assert_eq!(
            first["identifier"],
            "urn:air:mesa.example:agent:reservations"
        );
        assert_eq!(first["type"], "application/a2a-agent-card+json");
        assert_eq!(
            first["url"],
            "https://mesa.example/.well-known/agent-card.json"
        );
        assert_eq!(first["source"], "https://agentdex.example/ard/");
        assert!((1..=100).contains(&first["score"].as_u64().unwrap()));
        assert_eq!(
            first["capabilities"],
            json!(["Book a table", "Menu of the day"])
        );
        let metadata = first["metadata"].as_object().unwrap();
        assert_eq!(
            metadata["page"],
            "https://agentdex.example/agent/mesa.example/reservations"
        );
        assert!(
            metadata
                .values()
                .all(|it| !it.is_array() && !it.is_object())
        );
    }
    let unknown = json!({"query": {"text": "https://nowhere.example/agent"}});
    let none = search(&registry, &unknown).await;
    assert_eq!(none.json(), json!({"results": []}));
}

#[tokio::test]
async fn filters_are_alternatives_in_a_path_and_conjunctive_across_paths() {
    let registry = registry::full().await;
    let found = async |filter: Value| {
        let body = json!({"query": {"text": "book a table", "filter": filter}});
        let answer = search(&registry, &body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.json()["results"].as_array().unwrap().len()
    };
    let a2a = "application/a2a-agent-card+json";
    for filter in [
        json!({}),
        json!({"type": a2a}),
        json!({"type": ["application/parquet", a2a], "tags": ["Reservation"]}),
        json!({"publisher": "mesa.example", "metadata.level": ["A"]}),
        json!({"capabilities": ["Book a table"], "metadata.status": ["ok", "failing"]}),
    ] {
        assert!(found(filter.clone()).await > 0, "{filter}");
    }
    for filter in [
        json!({"type": "application/parquet"}),
        json!({"type": a2a, "tags": "no such tag"}),
        json!({"publisher": ["example.com", "not a domain"]}),
        json!({"metadata.format": "json-agents", "type": a2a}),
    ] {
        assert_eq!(found(filter.clone()).await, 0, "{filter}");
    }
}

#[tokio::test]
async fn an_entry_delivers_the_document_that_was_asked_for() {
    let registry = registry::servers().await;
    let entry = async |filter: Value| {
        let query = json!({
            "@context": {"ard": "https://agenticresourcediscovery.org/ns#"},
            "text": "what time is it in a city",
            "filter": filter,
        });
        let answer = search(&registry, &json!({"query": query})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let found = answer.json()["results"].as_array().unwrap().clone();
        let [entry] = &found[..] else {
            panic!("{found:?}")
        };
        entry.clone()
    };
    let a2a = "application/a2a-agent-card+json";
    let card = "https://clocks.example/.well-known/agent-card.json";
    for filter in [json!({}), json!({"type": a2a})] {
        let entry = entry(filter).await;
        assert_eq!((&entry["type"], &entry["url"]), (&json!(a2a), &json!(card)));
        assert_eq!(entry.get("data"), None);
    }
    // No document of the site describes the server.
    let mcp = "application/mcp-server-card+json";
    let entry = entry(json!({"type": [mcp]})).await;
    assert_eq!(entry["type"], mcp);
    assert_eq!(entry.get("url"), None);
    assert_eq!(entry["data"]["name"], "example.clocks/world-clock");
    assert_eq!(
        entry["data"]["remotes"][0]["url"],
        "https://clocks.example/mcp"
    );
}

#[tokio::test]
async fn the_publisher_is_compared_exactly() {
    let registry = registry::full().await;
    let found = async |publisher: &str| {
        let filter = format!("publisherId = '{publisher}'");
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("filter", &filter)
            .finish();
        let list = get(&registry, &format!("/ard/agents?{query}")).await.json();
        let items = list["items"].as_array().unwrap().iter();
        let of = format!("urn:air:{publisher}:");
        items
            .filter(|it| it["identifier"].as_str().unwrap().starts_with(&of))
            .count()
            == list["items"].as_array().unwrap().len()
    };
    assert!(found("chain.example").await);
    assert!(found("spa.chain.example").await);
}

#[tokio::test]
async fn pages_of_a_search_lead_on_and_belong_to_it() {
    let registry = registry::full().await;
    let body = |token: Option<&str>, size: u32| {
        let mut body = json!({"query": {"text": "table book menu spa"}, "pageSize": size});
        if let Some(token) = token {
            body["pageToken"] = json!(token);
        }
        body
    };
    let whole = search(&registry, &body(None, 100)).await.json();
    let whole: Vec<_> = whole["results"].as_array().unwrap().clone();
    assert!(whole.len() > 1, "{whole:?}");
    let mut paged = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = search(&registry, &body(token.as_deref(), 1)).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.body);
        let page = page.json();
        paged.extend(page["results"].as_array().unwrap().clone());
        match page["pageToken"].as_str() {
            Some(next) if paged.len() <= whole.len() => token = Some(next.to_owned()),
            _ => break,
        }
    }
    assert_eq!(paged, whole);
    let first = search(&registry, &body(None, 1)).await.json();
    let token = first["pageToken"].as_str().unwrap();
    for forged in [&token[1..], "AAAA", "ž", ""] {
        let answer = search(&registry, &body(Some(forged), 1)).await;
        refused(
            &answer,
            StatusCode::BAD_REQUEST,
            "INVALID_ARGUMENT",
            "pageToken",
        );
    }
    let other = search(&registry, &body(Some(token), 2)).await;
    refused(
        &other,
        StatusCode::BAD_REQUEST,
        "INVALID_ARGUMENT",
        "pageToken",
    );
}

#[tokio::test]
async fn only_the_mode_of_referrals_returns_referrals() {
    let registry = registry::full().await;
    for (mode, expected) in [
        ("auto", None),
        ("none", None),
        ("referrals", Some(json!([]))),
    ] {
        let body = json!({"query": {"text": "table"}, "federation": mode});
        let answer = search(&registry, &body).await.json();
        assert_eq!(answer.get("referrals"), expected.as_ref(), "{mode}");
    }
}

#[tokio::test]
async fn facets_count_what_the_search_finds() {
    let registry = registry::full().await;
    let explore = async |body: Value| post(&registry, "/ard/explore", body.to_string()).await;
    let facets = json!([{"field": "type"}, {"field": "tags", "limit": 1}, {"field": "publisher"}]);
    let all = explore(json!({"resultType": {"facets": facets}})).await;
    assert_eq!(all.status, StatusCode::OK, "{}", all.body);
    let all = all.json();
    assert_eq!(members(&all), ["resultType", "facets"]);
    assert_eq!(all["resultType"], "facets");
    let types = all["facets"]["type"]["buckets"].as_array().unwrap();
    let sum: u64 = types.iter().map(|it| it["count"].as_u64().unwrap()).sum();
    let list = get(&registry, "/ard/agents").await.json();
    assert_eq!(list["total"], sum, "{list}");
    let tags = &all["facets"]["tags"];
    assert_eq!(tags["buckets"].as_array().unwrap().len(), 1);
    assert!(tags["otherCount"].as_u64().unwrap() > 0);

    let a2a = "application/a2a-agent-card+json";
    let query = json!({"text": "book a table", "filter": {"type": [a2a]}});
    let some = explore(json!({"query": query, "resultType": {"facets": [{"field": "type"}]}}));
    let some = some.await.json();
    let buckets = some["facets"]["type"]["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 1, "{some}");
    assert_eq!(buckets[0]["value"], a2a);

    for (facets, word) in [
        (
            json!([{"field": "trustManifest.identity"}]),
            "not supported",
        ),
        (json!([{"field": "type", "limit": 0}]), "limit"),
        (json!([{"field": "type", "colour": 1}]), "colour"),
        (json!(vec![json!({"field": "type"}); 21]), "at most 20"),
        (json!("type"), "invalid type"),
    ] {
        let answer = explore(json!({"resultType": {"facets": facets}})).await;
        refused(&answer, StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", word);
    }
}

#[tokio::test]
async fn agents_are_listed_in_order_and_filtered() {
    let registry = registry::full().await;
    let all = get(&registry, "/ard/agents").await;
    assert!(all.header(CACHE_CONTROL).starts_with("public"));
    let all = all.json();
    let items: Vec<_> = all["items"].as_array().unwrap().iter().collect();
    assert_eq!(all["total"], items.len());
    let named = "/ard/agents?filter=displayName+%3D+%27Mesa+reservations%27";
    let named = get(&registry, named).await.json();
    assert_eq!(named["items"].as_array().unwrap().len(), 1, "{named}");
    for (filter, count) in [
        ("createdAfter+%3E+%272000-01-01%27", items.len()),
        ("createdAfter+%3E+%272099-01-01%27", 0),
        ("updatedAfter+%3E+%272099-01-01T00:00:00Z%27", 0),
        ("type+%3D+%27application/parquet%27", 0),
    ] {
        let list = get(&registry, &format!("/ard/agents?filter={filter}")).await;
        assert_eq!(list.status, StatusCode::OK, "{}", list.body);
        assert_eq!(
            list.json()["items"].as_array().unwrap().len(),
            count,
            "{filter}"
        );
    }
    let page = get(&registry, "/ard/agents?pageSize=1&orderBy=displayName")
        .await
        .json();
    let token = page["pageToken"].as_str().unwrap();
    let next = format!("/ard/agents?pageSize=1&orderBy=displayName&pageToken={token}");
    let next = get(&registry, &next).await.json();
    assert_eq!(next["items"][0], *items[1]);
    for (query, word) in [
        ("filter=type", "expected"),
        ("orderBy=colour", "orderBy"),
        ("pageSize=0", "pageSize"),
        ("pageSize=101", "pageSize"),
        ("pageSize=x", "pageSize"),
        ("pageToken=AAAA", "pageToken"),
        ("colour=red", "colour"),
    ] {
        let answer = get(&registry, &format!("/ard/agents?{query}")).await;
        refused(&answer, StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", word);
    }
}

#[tokio::test]
async fn an_entry_is_found_by_its_identifier() {
    let registry = registry::full().await;
    let list = get(&registry, "/ard/agents?pageSize=100").await.json();
    for item in list["items"].as_array().unwrap() {
        let identifier = item["identifier"].as_str().unwrap();
        let found = get(&registry, &format!("/ard/agents/{identifier}")).await;
        assert_eq!(found.status, StatusCode::OK, "{identifier}: {}", found.body);
        assert_eq!(found.json(), *item);
    }
    let none = get(&registry, "/ard/agents/urn:air:mesa.example:agent:none").await;
    refused(&none, StatusCode::NOT_FOUND, "NOT_FOUND", "no agent “none”");
    let wrong = get(&registry, "/ard/agents/mesa").await;
    refused(
        &wrong,
        StatusCode::BAD_REQUEST,
        "INVALID_ARGUMENT",
        "urn:air:",
    );
}

#[tokio::test]
async fn what_was_removed_is_gone() {
    let registry = registry::full().await;
    let domain = manifest::Domain::parse("mesa.example").unwrap();
    let store = &registry.state.store;
    let now = (registry.state.now)();
    store.forget(&[domain], "asked to", now).await.unwrap();
    let gone = get(
        &registry,
        "/ard/agents/urn:air:mesa.example:agent:reservations",
    )
    .await;
    refused(&gone, StatusCode::GONE, "NOT_FOUND", "no longer listed");
}

#[tokio::test]
async fn bad_bodies_are_refused_with_the_reason() {
    let registry = registry::full().await;
    let text = |body: &str| body.to_owned();
    for (body, word) in [
        (text(""), "body"),
        (text("{"), "body"),
        (text("[]"), "body"),
        (text("{}"), "query"),
        (text(r#"{"query": {}}"#), "query.text"),
        (text(r#"{"query": {"text": "  "}}"#), "query.text"),
        (text(r#"{"query": {"text": 7}}"#), "invalid type"),
        (text(r#"{"query": {"text": "a", "colour": 1}}"#), "colour"),
        (text(r#"{"query": {"text": "a"}, "colour": 1}"#), "colour"),
        (
            text(r#"{"query": {"text": "a"}, "federation": "all"}"#),
            "all",
        ),
        (
            text(r#"{"query": {"text": "a"}, "pageSize": 0}"#),
            "pageSize",
        ),
        (
            text(r#"{"query": {"text": "a"}, "pageSize": 101}"#),
            "pageSize",
        ),
        (
            text(r#"{"query": {"text": "a"}, "pageSize": 1.5}"#),
            "invalid type",
        ),
        (
            text(r#"{"query": {"text": "a", "filter": {"x": "y"}}}"#),
            "not supported",
        ),
        (
            text(r#"{"query": {"text": "a", "filter": []}}"#),
            "invalid type",
        ),
        ("[".repeat(10_000), "body"),
    ] {
        let answer = post(&registry, "/ard/search", body).await;
        refused(&answer, StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", word);
    }
    let bytes = post(&registry, "/ard/search", vec![0xff_u8; 10]).await;
    refused(&bytes, StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", "body");
    let huge = post(&registry, "/ard/search", vec![b' '; 2 << 20]).await;
    refused(
        &huge,
        StatusCode::PAYLOAD_TOO_LARGE,
        "INVALID_ARGUMENT",
        "body",
    );
    let wrong = get(&registry, "/ard/search").await;
    refused(
        &wrong,
        StatusCode::METHOD_NOT_ALLOWED,
        "INVALID_ARGUMENT",
        "POST",
    );
    let nothing = get(&registry, "/ard/nothing").await;
    refused(&nothing, StatusCode::NOT_FOUND, "NOT_FOUND", "no such page");
}

/// A client that knows only the text of ARD: it reads the catalogue, and asks the registry in it.
#[tokio::test]
async fn a_client_of_ard_finds_and_calls_the_registry() {
    let registry = registry::full().await;
    let catalog = get(&registry, "/.well-known/ard.json").await.json();
    let entries = catalog["entries"].as_array().unwrap();
    let is_registry = |it: &&Value| it["type"] == "application/ai-registry+json";
    let base = entries.iter().find(is_registry).unwrap()["url"]
        .as_str()
        .unwrap();
    let base = base.strip_prefix("https://agentdex.example").unwrap();
    let body = json!({"query": {"text": "book a table"}}).to_string();
    let found = post(&registry, &format!("{base}/search"), body)
        .await
        .json();
    let identifier = found["results"][0]["identifier"].as_str().unwrap();
    let entry = get(&registry, &format!("{base}/agents/{identifier}")).await;
    assert_eq!(entry.json()["displayName"], "Mesa reservations");
}
