//! Tests of what the registry says about itself and its vocabulary, over a socket.

use super::*;
use crate::tests::served::Served;
use export::daily;
use serde_json::json;
use std::time::Duration;
use store::{Census, Day};

/// Addresses of this kind.
const ALL: [&str; 4] = ["capabilities", "facets", "info", "stats"];

#[tokio::test]
async fn the_pages_of_the_vocabulary_have_every_capability_once_with_its_count() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let pages = async |limit: usize| {
        let mut values: Vec<Value> = Vec::new();
        let mut next = Some(format!("/api/v1/capabilities?limit={limit}"));
        while let Some(path) = next {
            let page = served.read(&path).await.json();
            values.extend(page["capabilities"].as_array().unwrap().clone());
            assert!(values.len() < 10_000, "the pages never end");
            next = page["next"].as_str().map(str::to_owned);
        }
        values
    };
    let whole = pages(1_000).await;
    assert_eq!(pages(700).await, whole);
    let value = |known: &Value| known["value"].as_str().unwrap().to_owned();
    let values: Vec<_> = whole.iter().map(value).collect();
    assert!(values.is_sorted_by(|one, other| one < other) && values.len() > 100);
    assert!(whole.contains(&json!({"value": "book_table", "count": 1})));
    let few = whole.iter().filter(|it| !value(it).starts_with("op"));
    // Every value is accepted by the filter, which finds as many agents.
    for known in few {
        let value = known["value"].as_str().unwrap();
        let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        let path = format!("/api/v1/search?capability={value}");
        let found = served.get(&path).await.json();
        assert_eq!(found["total"], known["count"], "{path}");
    }
}

#[tokio::test]
async fn a_prefix_is_compared_without_case() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let books = served
        .read("/api/v1/capabilities?prefix=BOOKS.")
        .await
        .json();
    assert_eq!(
        books["capabilities"],
        json!([{"value": "books.buy", "count": 1}, {"value": "books.search", "count": 1}])
    );
    let first = served
        .read("/api/v1/capabilities?prefix=books.&limit=1")
        .await
        .json();
    assert_eq!(
        first["next"],
        "/api/v1/capabilities?prefix=books.&limit=1&after=books.buy"
    );
    let none = served.read("/api/v1/capabilities?prefix=zzz").await.json();
    assert_eq!(
        (&none["capabilities"], &none["next"]),
        (&json!([]), &json!(null))
    );
}

#[tokio::test]
async fn the_facets_are_those_of_a_search_for_everything() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let facets = served.read("/api/v1/facets").await.json();
    let search = served
        .get("/api/v1/search?facets=format,level,auth,site&limit=1")
        .await;
    let search = search.json();
    assert_eq!(facets["total"], search["total"]);
    for name in ["format", "level", "auth", "site"] {
        assert_eq!(facets["facets"][name], search["facets"][name], "{name}");
    }
    let names = facets["facets"].as_object().unwrap().len();
    assert_eq!(names, search::Facet::ALL.len());
}

#[tokio::test]
async fn the_registry_says_what_it_is_and_each_of_its_links_answers() {
    let registry = registry::full().await;
    let folder = registry.state.feed.export();
    let made = daily::export(&*registry.state.store, &folder, registry::THEN);
    made.await.unwrap();
    let served = Served::start(&registry).await;
    let info = served.read("/api/v1/info").await.json();
    assert_eq!(info["name"], "Agentdex");
    assert_eq!(info["url"], "https://agentdex.example");
    assert_eq!(info["counts"]["agents"], 11);
    assert_eq!(info["counts"]["sites"], 12);
    assert_eq!(info["limits"]["body_bytes"], 1_048_576);
    let search = served.get("/api/v1/search").await.json();
    assert_eq!(info["generation"], search["generation"]);
    for (name, link) in info["links"].as_object().unwrap() {
        let answer = served.get(link.as_str().unwrap()).await;
        let is_post = ["validate", "convert", "submit"].contains(&name.as_str());
        let expected = if is_post { 405 } else { 200 };
        assert_eq!(answer.status.as_u16(), expected, "{name}");
    }
}

#[tokio::test]
async fn the_counts_add_up() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let stats = served.read("/api/v1/stats").await.json();
    let sum = |counts: &Value| -> u64 {
        let counts = counts.as_object().unwrap().values();
        counts.map(|it| it.as_u64().unwrap()).sum()
    };
    assert_eq!(stats["agents"], 11);
    let documents = &stats["documents"];
    let total = sum(&documents["by_format"]) + documents["unread"].as_u64().unwrap();
    assert_eq!(documents["total"], total);
    let graded = documents["by_format_and_level"].as_object().unwrap();
    assert_eq!(
        graded.values().map(sum).sum::<u64>(),
        sum(&documents["by_level"])
    );
    assert_eq!(
        sum(&stats["sites"]["by_outcome"]),
        stats["sites"]["visited"]
    );
    assert_eq!(
        (&stats["sites"]["known"], &stats["sites"]["visited"]),
        (&json!(12), &json!(11))
    );
    assert_ne!(stats["findings"]["AJ-18"], json!(null));
    let unindexed = registry::unindexed().await;
    let served = Served::start(&unindexed).await;
    let info = served.read("/api/v1/info").await.json();
    assert_eq!(
        (&info["generation"], &info["counts"]["agents"]),
        (&json!(null), &json!(1))
    );
    served.refused("/api/v1/facets", 503).await;
    served.refused("/api/v1/capabilities", 503).await;
}

#[tokio::test]
async fn earlier_days_are_shown_as_they_were_counted() {
    let registry = registry::full().await;
    let store = &registry.state.store;
    let today = Day::of(registry::now());
    for (days, agents) in [(9, 7), (2, 8), (0, 11)] {
        let counts = Census {
            agents,
            domains: 12,
            outcomes: [("found".to_owned(), 9)].into(),
            protocols: [("mcp".to_owned(), agents)].into(),
            ..Census::default()
        };
        let at = today.before(days).start();
        assert!(store.record_census(&counts, at).await.unwrap());
    }
    let served = Served::start(&registry).await;
    let stats = served.read("/api/v1/stats").await.json();
    assert_eq!(stats["history"], json!([]));
    for (days, expected) in [(1, vec![11]), (3, vec![8, 11]), (10, vec![7, 8, 11])] {
        let path = format!("/api/v1/stats?days={days}");
        let stats = served.read(&path).await.json();
        let history = stats["history"].as_array().unwrap();
        let agents: Vec<_> = history.iter().map(|it| &it["agents"]).collect();
        assert_eq!(json!(agents), json!(expected), "{days}");
        let last = &history[history.len() - 1];
        let date = today.start().date();
        assert_eq!(last["day"], json!(date));
        assert_eq!(last["sites"]["visited"], 9);
        assert_eq!(last["agents_by"]["protocol"], json!({"mcp": 11}));
    }
    for days in ["0", "3661", "-1", "x"] {
        let path = format!("/api/v1/stats?days={days}");
        let problem = served.refused(&path, 400).await;
        assert_eq!(problem["errors"][0]["code"], "out_of_range");
    }
}

#[tokio::test]
async fn the_counts_are_kept_for_some_seconds() {
    let mut registry = registry::full().await;
    let sites = async |registry: &Registry| {
        let stats = get(registry, "/api/v1/stats").await.json();
        let info = get(registry, "/api/v1/info").await.json();
        assert_eq!(stats["sites"]["known"], info["counts"]["sites"]);
        stats["sites"]["known"].as_u64().unwrap()
    };
    assert_eq!(sites(&registry).await, 12);
    registry::seed(&*registry.state.store, "new.example").await;
    assert_eq!(sites(&registry).await, 12);
    registry.state.now = || registry::now().after(Duration::from_secs(15));
    assert_eq!(sites(&registry).await, 13);
}

#[tokio::test]
async fn a_registry_without_agents_answers_with_nothing() {
    let registry = registry::empty().await;
    let served = Served::start(&registry).await;
    for name in ALL {
        served.read(&format!("/api/v1/{name}")).await;
    }
    let body = served.get("/api/v1/capabilities").await.json();
    assert_eq!(body["capabilities"], json!([]));
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    for name in ALL {
        let problem = served
            .refused(&format!("/api/v1/{name}?perfix=a"), 400)
            .await;
        assert_eq!(problem["errors"][0]["pointer"], "perfix");
        let wrong = served
            .ask("POST", &format!("/api/v1/{name}"), "", b"a")
            .await;
        served::problem(&wrong, 405);
    }
    let problem = served.refused("/api/v1/capabilities?perfix=a", 400).await;
    assert_eq!(problem["errors"][0]["suggestion"], "prefix");
    for limit in ["0", "1001", "-1", "x"] {
        let path = format!("/api/v1/capabilities?limit={limit}");
        let problem = served.refused(&path, 400).await;
        assert_eq!(problem["errors"][0]["code"], "out_of_range");
    }
}

#[tokio::test]
async fn browsing_begins_with_the_categories() {
    let registry = registry::full().await;
    let first = get(&registry, "/browse").await;
    assert_eq!(first.header(LOCATION), "/browse/categories");
    let page = get(&registry, "/browse/categories").await;
    page.says(&[
        "<a href=\"/search?category=food\" dir=\"auto\">Food and drink</a>",
        "<a href=\"/search?category=other\" dir=\"auto\">Other</a>",
    ]);
    let body = get(&registry, "/browse/categories/index.json").await.json();
    let values = body["values"].as_array().unwrap();
    assert_eq!(values.last().unwrap()["text"], "Other");
    let counts = values.iter().map(|it| it["agents"].as_u64().unwrap());
    let counts: Vec<u64> = counts.collect();
    assert!(!counts.contains(&0), "{counts:?}");
    let all = get(&registry, "/api/v1/search?limit=1").await.json();
    assert_eq!(counts.iter().sum::<u64>(), all["total"].as_u64().unwrap());
}

#[tokio::test]
async fn ids_of_capabilities_have_a_list_of_their_own() {
    let registry = registry::full().await;
    let texts = async |list: &str| {
        let body = get(&registry, &format!("/browse/{list}/index.json")).await;
        let values = body.json()["values"].as_array().unwrap().clone();
        let texts = values
            .into_iter()
            .map(|it| it["text"].as_str().unwrap().to_owned());
        texts.collect::<Vec<_>>()
    };
    let (names, ids) = (texts("capabilities").await, texts("ids").await);
    // `book_table` is its id.
    assert!(names.contains(&"book a table".to_owned()), "{names:?}");
    assert!(!ids.contains(&"book_table".to_owned()), "{ids:?}");
    assert!(ids.contains(&"books.search".to_owned()), "{ids:?}");
    assert!(!names.contains(&"books.search".to_owned()), "{names:?}");
}
