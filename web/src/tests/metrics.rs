//! Tests of the metrics of the web server.

use super::interaction::{end, session};
use super::*;
use serde_json::json;
use store::{Exclusion, ExclusionSource, Scope};

/// Asserts that the metrics have these lines.
async fn has(registry: &Registry, lines: &[&str]) {
    let text = registry.metrics().await;
    for line in lines {
        assert!(text.lines().any(|it| it == *line), "{line} in {text}");
    }
}

#[tokio::test]
async fn a_new_server_has_every_counter_at_zero() {
    let registry = registry::empty().await;
    has(
        &registry,
        &[
            "responses_total{status=\"200\"} 0",
            "responses_total{status=\"304\"} 0",
            "responses_total{status=\"429\"} 0",
            "responses_total{status=\"503\"} 0",
            "searches_total{result=\"some\"} 0",
            "searches_total{result=\"none\"} 0",
            "submissions_total{result=\"accepted\"} 0",
            "submissions_total{result=\"known\"} 0",
            "submissions_total{result=\"refused\"} 0",
            "streams 0",
            "sessions 0",
        ],
    )
    .await;
}

#[tokio::test]
async fn submissions_are_counted_by_their_result() {
    let registry = registry::full().await;
    let submit = async |domain: &str| {
        let body = json!({ "domain": domain }).to_string();
        let request = Request::post("/api/v1/submit").header(CONTENT_TYPE, "application/json");
        ask(&registry, request.body(Body::from(body)).unwrap()).await
    };
    let exclusion = Exclusion {
        scope: Scope::suffix("left.example").unwrap(),
        reason: "wishes to be left out.".to_owned(),
        source: ExclusionSource::Owner,
        since: registry::THEN,
    };
    let store = &registry.state.store;
    store.exclude(&exclusion, registry::now()).await.unwrap();
    assert_eq!(submit("new.example").await.status, StatusCode::ACCEPTED);
    assert_eq!(submit("mesa.example").await.status, StatusCode::ACCEPTED);
    assert_eq!(submit("left.example").await.status, StatusCode::CONFLICT);
    // It is no request for a visit.
    assert_eq!(submit("no domain").await.status, StatusCode::BAD_REQUEST);
    has(
        &registry,
        &[
            "submissions_total{result=\"accepted\"} 2",
            "submissions_total{result=\"known\"} 0",
            "submissions_total{result=\"refused\"} 1",
        ],
    )
    .await;
}

#[tokio::test]
async fn streams_and_sessions_are_counted_while_they_are_open() {
    let registry = registry::full().await;
    let place = registry.state.feed.place().unwrap();
    let [token, _] = session(&registry, &Value::Null).await;
    let _other = session(&registry, &Value::Null).await;
    has(&registry, &["streams 1", "sessions 2"]).await;
    drop(place);
    assert!(end(&registry, &token).await.status.is_success());
    has(&registry, &["streams 0", "sessions 1"]).await;
}
