//! Tests of the rate limit of calls.

use super::mcp::post;
use super::*;
use crate::client::Peer;
use crate::rate::Limiter;
use serde_json::json;
use std::net::IpAddr;

#[tokio::test]
async fn a_call_that_reads_takes_one_token_and_a_refused_one_is_told_so() {
    let mut registry = registry::full().await;
    registry.state.limiter = Limiter::new("50".parse().unwrap(), &[]);
    // One application, whose buckets the requests share.
    let site = app(registry.state.clone());
    let mut statuses = Vec::new();
    for _ in 0..11 {
        let params = json!({"name": "search_agents", "arguments": {"q": "table"}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut request = post(body.to_string());
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        request.extensions_mut().insert(Peer(address));
        let response = site.clone().oneshot(request).await.unwrap();
        statuses.push(response.status().as_u16());
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            assert!(response.headers().contains_key(RETRY_AFTER));
            let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["error"]["code"], -32000);
            assert_eq!(body["error"]["data"]["errorCode"], "too_many_requests");
        }
    }
    assert_eq!(statuses, [vec![200; 10], vec![429]].concat());
}
