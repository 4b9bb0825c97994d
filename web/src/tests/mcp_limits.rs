//! Tests of the rate limit of calls.

use super::mcp::post;
use super::*;
use crate::client::Peer;
use crate::rate::Limiter;
use axum::Router;
use axum::response::Response;
use serde_json::json;
use std::net::IpAddr;

/// Sends a call that reads, and returns the answer.
async fn search(site: &Router) -> Response {
    let params = json!({"name": "search_agents", "arguments": {"q": "table"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut request = post(body.to_string());
    let address: IpAddr = "192.0.2.1".parse().unwrap();
    request.extensions_mut().insert(Peer(address));
    site.clone().oneshot(request).await.unwrap()
}

#[tokio::test]
async fn a_call_that_reads_takes_one_token() {
    let mut registry = registry::full().await;
    registry.state.limiter = Limiter::new("600".parse().unwrap(), &[]);
    let answer = search(&app(registry.state.clone())).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["x-ratelimit-limit"], "120");
    assert_eq!(answer.headers()["x-ratelimit-remaining"], "119");
}

#[tokio::test]
async fn a_call_too_many_is_an_error_of_the_protocol() {
    let mut registry = registry::full().await;
    // One at once, and the next a minute later.
    registry.state.limiter = Limiter::new("1".parse().unwrap(), &[]);
    let site = app(registry.state.clone());
    assert_eq!(search(&site).await.status(), StatusCode::OK);
    let refused = search(&site).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers().contains_key(RETRY_AFTER));
    let body = to_bytes(refused.into_body(), 1 << 20).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["id"], 1);
    assert_eq!(body["error"]["code"], -32000);
    assert_eq!(body["error"]["data"]["errorCode"], "too_many_requests");
}
