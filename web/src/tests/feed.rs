//! Tests of the change feed, of exports, and of agents that are no longer listed.

use super::*;
use axum::http::HeaderValue;
use axum::http::header::{ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_RANGE, RANGE};
use export::daily;
use futures_util::StreamExt as _;
use manifest::{Domain, Timestamp};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

async fn asked(registry: &Registry, address: &str, headers: &[(HeaderName, &str)]) -> Answer {
    let mut request = Request::get(address);
    for (name, value) in headers {
        request = request.header(name, HeaderValue::from_str(value).unwrap());
    }
    ask(registry, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn the_feed_is_read_page_by_page() {
    let registry = registry::full().await;
    let last = registry.state.store.last_change().await.unwrap();
    let mut next = "/api/v1/changes?limit=3".to_owned();
    let mut numbers = Vec::new();
    loop {
        let page = get(&registry, &next).await.json();
        let changes = page["changes"].as_array().unwrap();
        if changes.is_empty() {
            break;
        }
        assert!(changes.len() <= 3);
        assert_eq!(changes[0].get("agent"), None);
        numbers.extend(changes.iter().map(|it| it["seq"].as_u64().unwrap()));
        page["links"]["next"]
            .as_str()
            .unwrap()
            .clone_into(&mut next);
    }
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
    let with = get(&registry, "/api/v1/changes?include=agent").await.json();
    let first = &with["changes"][0];
    assert_eq!(
        (&first["op"], &first["agent"]["id"]),
        (&json!("add"), &first["id"])
    );
    assert_eq!(first["agent"]["hash"], first["hash"]);
}

#[tokio::test]
async fn invalid_numbers_are_refused_with_what_would_be_right() {
    let registry = registry::full().await;
    let last = registry.state.store.last_change().await.unwrap();
    for (query, code) in [
        ("since=-1".to_owned(), "out_of_range"),
        ("since=99999999999999999999".to_owned(), "out_of_range"),
        ("limit=0".to_owned(), "out_of_range"),
        ("limit=1001".to_owned(), "out_of_range"),
        ("include=all".to_owned(), "unknown_value"),
        ("epoch=0F".to_owned(), "bad_epoch"),
        (format!("since={}", last + 1), "beyond_newest"),
    ] {
        let answer = get(&registry, &format!("/api/v1/changes?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(answer.json()["errors"][0]["code"], code, "{query}");
    }
    let current = get(&registry, &format!("/api/v1/changes?since={last}")).await;
    assert_eq!(current.json()["changes"], json!([]));
}

#[tokio::test]
async fn the_stream_sends_each_change_with_its_number() {
    let registry = registry::full().await;
    let stream = "/api/v1/changes/stream?wait=0";
    let epoch = registry.state.store.feed_state().await.unwrap().epoch;
    let answer = get(&registry, stream).await;
    assert_eq!(answer.header(CONTENT_TYPE), "text/event-stream");
    assert_eq!(answer.header(CACHE_CONTROL), "no-cache");
    let first = format!("id: {epoch}-1\n");
    answer.says(&[&first, "retry: 2000", "\"op\":\"add\""]);
    let last_event_id = HeaderName::from_static("last-event-id");
    let address = format!("{stream}&since=0");
    for id in [format!("{epoch}-2"), "2".to_owned()] {
        let resumed = asked(&registry, &address, &[(last_event_id.clone(), &id)]).await;
        resumed.says(&["-3\n"]).never_says(&["-1\n", "-2\n"]);
    }
    let last = registry.state.store.last_change().await.unwrap();
    for (id, code) in [
        ("x".to_owned(), "out_of_range"),
        (format!("{epoch}-x"), "out_of_range"),
        ("x-2".to_owned(), "bad_epoch"),
        (format!("{epoch}-{}", last + 1), "beyond_newest"),
    ] {
        let refused = asked(&registry, stream, &[(last_event_id.clone(), &id)]).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        let fault = &refused.json()["errors"][0];
        assert_eq!(fault["code"], code, "{id}");
        assert_eq!(fault["pointer"], "Last-Event-ID", "{id}");
        let message = fault["message"].as_str().unwrap();
        assert!(!message.contains("since"), "{message}");
    }
}

#[tokio::test]
async fn the_stream_begins_at_once_even_if_nothing_has_changed() {
    let registry = registry::full().await;
    let last = registry.state.store.last_change().await.unwrap();
    let address = format!("/api/v1/changes/stream?since={last}");
    let request = Request::get(address).body(Body::empty()).unwrap();
    let response = app(registry.state.clone()).oneshot(request).await.unwrap();
    let mut body = response.into_body().into_data_stream();
    // Sooner than the first comment that keeps the connection alive.
    let first = timeout(Duration::from_secs(10), body.next()).await;
    let first = first.unwrap().unwrap().unwrap();
    let text = std::str::from_utf8(&first).unwrap();
    assert!(
        text.starts_with(": ") && text.contains("retry: 2000"),
        "{text}"
    );
}

#[tokio::test]
async fn another_epoch_leads_to_the_export() {
    let registry = registry::full().await;
    let epoch = registry.state.store.feed_state().await.unwrap().epoch;
    let page = get(&registry, "/api/v1/changes?limit=1").await.json();
    assert_eq!(page["epoch"], *epoch);
    assert_eq!(get(&registry, "/api/v1/info").await.json()["epoch"], *epoch);
    for link in ["next", "stream"] {
        let link = page["links"][link].as_str().unwrap();
        assert!(link.contains(&format!("&epoch={epoch}")), "{link}");
    }
    for address in [
        "/api/v1/changes?since=1&epoch=0123456789abcdef",
        "/api/v1/changes/stream?wait=0&epoch=0123456789abcdef",
    ] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::GONE);
        let problem = answer.json();
        assert_eq!(problem["errorCode"], "changes_gone");
        assert_eq!(problem["links"]["snapshot"], "/api/v1/export/latest.json");
    }
}

#[tokio::test]
async fn more_streams_than_places_are_refused_until_one_ends() {
    let registry = registry::full().await;
    let mut places = Vec::new();
    while let Ok(place) = registry.state.feed.place() {
        places.push(place);
    }
    let stream = "/api/v1/changes/stream?wait=0";
    let refused = get(&registry, stream).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header(RETRY_AFTER), "30");
    places.pop();
    assert_eq!(get(&registry, stream).await.status, StatusCode::OK);
    // Its place is free again.
    assert_eq!(get(&registry, stream).await.status, StatusCode::OK);
}

#[tokio::test]
async fn changes_that_are_dropped_lead_to_the_export() {
    let registry = registry::full().await;
    let store = &registry.state.store;
    assert_eq!(store.compact(Timestamp(i64::MAX), 2, 10).await.unwrap(), 2);
    for address in [
        "/api/v1/changes?since=1",
        "/api/v1/changes/stream?since=1&wait=0",
    ] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::GONE);
        let problem = answer.json();
        assert_eq!(problem["errorCode"], "changes_gone");
        assert_eq!(problem["links"]["snapshot"], "/api/v1/export/latest.json");
    }
    assert_eq!(
        get(&registry, "/api/v1/changes?since=2").await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn exports_are_served_whole_and_in_parts() {
    let registry = registry::full().await;
    let latest = "/api/v1/export/latest.json";
    assert_eq!(get(&registry, latest).await.status, StatusCode::NOT_FOUND);
    let folder = registry.state.feed.export();
    let made = daily::export(&*registry.state.store, &folder, registry::THEN)
        .await
        .unwrap();
    let described = get(&registry, latest).await;
    assert_eq!(described.json(), serde_json::to_value(&made).unwrap());
    assert_eq!(made.date, "2026-11-20");
    for file in &made.files {
        let address = format!("/api/v1/export/{}", file.name);
        let head = Request::head(&address).body(Body::empty()).unwrap();
        let head = ask(&registry, head).await;
        assert_eq!((head.status, &*head.body), (StatusCode::OK, ""));
        let length = HeaderName::from_static("content-length");
        assert_eq!(head.header(length), file.bytes.to_string());
        assert_eq!(head.header(CONTENT_TYPE), "application/zstd");
        assert_eq!(head.header(ACCEPT_RANGES), "bytes");
        assert!(head.header(CACHE_CONTROL).contains("max-age=300"));
        let known = [(HeaderName::from_static("if-none-match"), head.header(ETAG))];
        let same = asked(&registry, &address, &known).await;
        assert_eq!((same.status, &*same.body), (StatusCode::NOT_MODIFIED, ""));
        // The bytes stay as they are: the start of every file of zstd is 28 B5 2F FD.
        let part = [(RANGE, "bytes=2-2"), (ACCEPT_ENCODING, "gzip, br")];
        let part = asked(&registry, &address, &part).await;
        assert_eq!(
            (part.status, &*part.body),
            (StatusCode::PARTIAL_CONTENT, "/")
        );
        assert_eq!(
            part.header(CONTENT_RANGE),
            format!("bytes 2-2/{}", file.bytes)
        );
        assert_eq!(part.header(CONTENT_ENCODING), "");
    }
}

#[tokio::test]
async fn no_other_file_is_served_as_an_export() {
    let registry = registry::full().await;
    let folder = registry.state.feed.export();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("notes.txt"), "private").unwrap();
    std::fs::write(
        folder.parent().unwrap().join("agents-2026-11-20.jsonl.zst"),
        "private",
    )
    .unwrap();
    for name in [
        "notes.txt",
        "..%2Fagentdex.db",
        "..%2Fagents-2026-11-20.jsonl.zst",
        "%2Fetc%2Fpasswd",
        "agents-2026-11-20.jsonl.zst",
        "agents-....-..-...jsonl.zst",
        "agents-2026-11-20.jsonl.zst%00",
        ".unfinished-x",
    ] {
        let answer = get(&registry, &format!("/api/v1/export/{name}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{name}");
        assert!(!answer.body.contains("private"));
    }
}

#[tokio::test]
async fn an_agent_with_a_new_name_is_found_under_its_old_one() {
    let registry = registry::full().await;
    let mut page = registry::mesa();
    // Its slug, in this registry.
    page.agents[0]["key"] = json!("tables");
    registry.revise(page, "{}").await;
    for (address, location) in [
        (
            "/agent/mesa.example/reservations",
            "/agent/mesa.example/tables",
        ),
        (
            "/agent/mesa.example/reservations/index.md",
            "/agent/mesa.example/tables/index.md",
        ),
        (
            "/api/v1/agents/mesa.example/reservations",
            "/api/v1/agents/mesa.example/tables",
        ),
        (
            "/api/v1/agents/mesa.example/reservations/raw?document=x",
            "/api/v1/agents/mesa.example/tables/raw?document=x",
        ),
    ] {
        let moved = get(&registry, address).await;
        assert_eq!(moved.status, StatusCode::MOVED_PERMANENTLY, "{address}");
        assert_eq!(moved.header(LOCATION), location);
    }
    let present = get(&registry, "/agent/mesa.example/tables").await;
    assert_eq!(present.status, StatusCode::OK);
}

#[tokio::test]
async fn a_removed_agent_leaves_a_tombstone_with_time_and_reason() {
    let registry = registry::full().await;
    let gone = [Domain::parse("mesa.example").unwrap()];
    let store = &registry.state.store;
    store
        .forget(&gone, "<b>asked</b> for", registry::THEN)
        .await
        .unwrap();
    let api = get(&registry, "/api/v1/agents/mesa.example/reservations").await;
    assert_eq!(api.status, StatusCode::GONE);
    let tombstone = &api.json()["tombstone"];
    assert_eq!(tombstone["id"], "mesa.example/reservations");
    assert_eq!(tombstone["op"], "remove");
    assert_eq!(tombstone["at"], "2026-11-20T12:00:00Z");
    assert_eq!(tombstone["reason"], "<b>asked</b> for");
    let page = get(&registry, "/agent/mesa.example/reservations").await;
    assert_eq!(page.status, StatusCode::GONE);
    page.says(&["No longer listed", "2026-11-20T12:00:00Z"])
        .never_says(&["<b>asked"]);
    let never = get(&registry, "/agent/mesa.example/never").await;
    assert_eq!(never.status, StatusCode::NOT_FOUND);
}
