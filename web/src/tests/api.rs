//! Tests of the API.

use super::*;
use manifest::Domain;

#[tokio::test]
async fn pagination_returns_each_agent_exactly_once() {
    let registry = registry::full().await;
    let mut seen = Vec::new();
    let mut address = "/api/v1/search?per_site=100&limit=2&sort=name".to_owned();
    loop {
        let body = get(&registry, &address).await.json();
        let ids = body["results"].as_array().unwrap().iter();
        seen.extend(ids.map(|result| result["id"].as_str().unwrap().to_owned()));
        let Some(cursor) = body["next_cursor"].as_str() else {
            break;
        };
        address = format!("/api/v1/search?per_site=100&limit=2&sort=name&cursor={cursor}");
        assert!(seen.len() <= 11, "the pages never end: {seen:?}");
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((count, seen.len()), (11, 11), "{seen:?}");
}

#[tokio::test]
async fn answers_are_tagged_and_a_second_request_is_answered_with_304() {
    let registry = registry::full().await;
    for address in [
        "/search?q=table",
        "/agent/mesa.example/reservations",
        "/site/mesa.example",
        "/api/v1/search?q=table",
        "/api/v1/suggest?q=table",
        "/api/v1/agents/mesa.example/reservations",
        "/api/v1/sites/mesa.example",
    ] {
        let first = get(&registry, address).await;
        let tag = first.header(ETAG).to_owned();
        assert!(tag.starts_with("W/\""), "{address}: {tag}");
        let request = Request::get(address).header("if-none-match", &tag);
        let second = ask(&registry, request.body(Body::empty()).unwrap()).await;
        assert_eq!(second.status, StatusCode::NOT_MODIFIED, "{address}");
        assert_eq!(second.header(ETAG), tag);
        assert_eq!(second.body, "");
    }
    let one = get(&registry, "/api/v1/search?q=table").await;
    let other = get(&registry, "/api/v1/search?q=chair").await;
    assert_ne!(one.header(ETAG), other.header(ETAG));
}

#[tokio::test]
async fn a_change_of_the_registry_changes_the_tags_of_its_agents() {
    let registry = registry::full().await;
    let addresses = [
        "/agent/mesa.example/reservations",
        "/api/v1/agents/mesa.example/reservations",
    ];
    let mut before = Vec::new();
    for address in addresses {
        before.push(get(&registry, address).await.header(ETAG).to_owned());
    }
    let other = [Domain::parse("xn--bcher-kva.example").unwrap()];
    let store = &registry.state.store;
    store.forget(&other, "", registry::now()).await.unwrap();
    for (address, before) in addresses.into_iter().zip(before) {
        assert_ne!(get(&registry, address).await.header(ETAG), before);
    }
}

#[tokio::test]
async fn the_api_is_open_to_pages_of_any_origin() {
    let registry = registry::full().await;
    for address in ["/api/v1/search", "/api/v1/sites/nothing.example"] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    }
    let page = get(&registry, "/").await;
    assert_eq!(page.header(ACCESS_CONTROL_ALLOW_ORIGIN), "");
}

#[tokio::test]
async fn the_search_response_matches_its_snapshot() {
    let registry = registry::full().await;
    let address = "/api/v1/search?q=book+a+table+in+Lisbon&facets=format,level&include=connect,evidence&limit=1";
    let answer = get(&registry, address).await;
    assert_eq!(answer.header(CONTENT_TYPE), "application/json");
    let mut body = answer.json();
    body["took_ms"] = 0.into();
    // Its key is random.
    assert!(body["next_cursor"].is_string());
    body["next_cursor"] = "token".into();
    insta::assert_json_snapshot!(body);
}

#[tokio::test]
async fn the_agent_response_matches_its_snapshot() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/agents/xn--bcher-kva.example/buecher").await;
    insta::assert_json_snapshot!(answer.json());
}

#[tokio::test]
async fn the_site_response_matches_its_snapshot() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/sites/xn--bcher-kva.example").await;
    insta::assert_json_snapshot!(answer.json());
}

#[tokio::test]
async fn the_problem_response_matches_its_snapshot() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/search?fromat=a&limit=0").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.header(CONTENT_TYPE), "application/problem+json");
    insta::assert_json_snapshot!(answer.json());
}

#[tokio::test]
async fn agents_are_counted_by_how_their_sites_answered_and_none_is_gone() {
    let registry = registry::full().await;
    let all = get(&registry, "/api/v1/search?facets=status").await.json();
    let counts = serde_json::json!([{"value": "ok", "count": all["total"]}]);
    assert_eq!(all["facets"]["status"], counts);
    let failing = get(&registry, "/api/v1/search?status=failing").await.json();
    assert_eq!(failing["total"], 0);
    let gone = get(&registry, "/api/v1/search?status=gone").await;
    assert_eq!(gone.status, StatusCode::BAD_REQUEST);
    assert_eq!(gone.json()["errors"][0]["suggestion"], "failing");
}

#[tokio::test]
async fn a_mistyped_word_is_corrected_and_page_and_api_say_so() {
    let registry = registry::full().await;
    let body = get(&registry, "/api/v1/search?q=reservatoins+in+Lisbon")
        .await
        .json();
    assert_eq!(
        body["query"]["did_you_mean"],
        serde_json::json!([{"from": "reservatoins", "to": "reservations"}])
    );
    assert_ne!(body["total"], 0);
    get(&registry, "/search?q=reservatoins+in+Lisbon")
        .await
        .says(&["“reservatoins”</span> was read as", "“reservations”"]);
    get(&registry, "/search?q=reservations+in+Lisbon")
        .await
        .never_says(&["was read as"]);
}

#[tokio::test]
async fn a_partial_query_is_completed() {
    let registry = registry::full().await;
    let body = get(&registry, "/api/v1/suggest?q=mesa&limit=5")
        .await
        .json();
    assert_eq!(body["q"], "mesa");
    let suggestions = body["suggestions"].as_array().unwrap();
    assert!(
        suggestions
            .contains(&serde_json::json!({"text": "mesa.example", "kind": "site", "count": 1})),
        "{body}"
    );
    let empty = get(&registry, "/api/v1/suggest").await.json();
    assert_eq!(empty["suggestions"], serde_json::json!([]));
    for (query, code) in [
        ("q=a&limit=0", "out_of_range"),
        ("prefix=a", "unknown_parameter"),
    ] {
        let problem = get(&registry, &format!("/api/v1/suggest?{query}")).await;
        assert_eq!(problem.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(problem.json()["errors"][0]["code"], code, "{query}");
    }
    get(&registry, "/search?q=mesa")
        .await
        .says(&["list=\"completions\"", "<option value=\"mesa.example\">"]);
    let unindexed = registry::empty().await;
    let body = get(&unindexed, "/api/v1/suggest?q=mesa").await.json();
    assert_eq!(body["suggestions"], serde_json::json!([]));
}

#[tokio::test]
async fn a_query_of_any_length_is_answered() {
    let registry = registry::full().await;
    let query = "table+".repeat(1_000);
    let body = get(&registry, &format!("/api/v1/search?q={query}"))
        .await
        .json();
    assert_ne!(body["query"]["ignored"], serde_json::json!([]));
    assert_ne!(body["total"], 0);
}

#[tokio::test]
async fn the_base_of_the_api_leads_to_its_reference() {
    let registry = registry::empty().await;
    let base = get(&registry, "/api/v1").await;
    assert_eq!(base.status, StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(base.header(LOCATION), "/docs/api");
    let reference = get(&registry, "/docs/api").await;
    reference.says(&["/api/v1/search", "/.well-known/agents/api/search"]);
}

#[tokio::test]
async fn an_agent_is_answered_with_the_account_of_its_documents() {
    let registry = registry::full().await;
    let path = "/api/v1/agents/mesa.example/reservations";
    let plain = get(&registry, path).await.json();
    assert!(plain.get("accounts").is_none());
    let body = get(&registry, &format!("{path}?include=account"))
        .await
        .json();
    let account = &body["accounts"][0];
    let values = account["values"].as_array().unwrap();
    // The documents of this registry state their site, and nothing else.
    assert_eq!(
        (&values[0]["place"], &values[0]["part"]),
        (&"/of".into(), &"kept".into())
    );
    let count = |part: &str| values.iter().filter(|it| it["part"] == part).count() as u64;
    for part in ["used", "kept", "dropped"] {
        assert_eq!(account[part], count(part), "{part}");
    }
    let answer = get(&registry, &format!("{path}?include=everything")).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_pages_of_the_lists_have_every_agent_and_site_once() {
    let registry = registry::full().await;
    for (path, list, key) in [
        ("/api/v1/agents?limit=1", "agents", "id"),
        ("/api/v1/sites?limit=1", "sites", "domain"),
    ] {
        let (mut address, mut seen) = (path.to_owned(), Vec::new());
        loop {
            let page = get(&registry, &address).await.json();
            let items = page[list].as_array().unwrap();
            seen.extend(items.iter().map(|it| it[key].as_str().unwrap().to_owned()));
            match page["next"].as_str() {
                Some(next) => next.clone_into(&mut address),
                None => break,
            }
        }
        assert!(seen.len() > 2 && seen.is_sorted(), "{seen:?}");
        let whole = get(&registry, &path.replace("limit=1", "limit=100")).await;
        assert_eq!(whole.json()[list].as_array().unwrap().len(), seen.len());
    }
}

#[tokio::test]
async fn agents_are_read_by_their_ids_in_one_request() {
    let registry = registry::full().await;
    let id = "mesa.example/reservations";
    let address = format!("/api/v1/agents?id=none,{id}&id=mesa.example/none&include=agent");
    let body = get(&registry, &address).await.json();
    assert_eq!(body["agents"][0]["id"], id);
    assert_eq!(body["agents"][0]["agent"]["id"], id);
    assert_eq!(
        body["missing"],
        serde_json::json!(["none", "mesa.example/none"])
    );
    let many = format!("/api/v1/agents?id={}", vec![id; 101].join(","));
    assert_eq!(get(&registry, &many).await.status, StatusCode::BAD_REQUEST);
}
