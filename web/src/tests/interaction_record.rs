//! Tests of the record of a session, verified with another library than the one that signs.

use super::interaction::{BASE, call, end, session};
use super::*;
use axum::http::Method;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use manifest::Timestamp;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use store::Session;

/// Reads the record of a session.
async fn record(registry: &Registry, id: &str) -> Answer {
    get(registry, &format!("{BASE}/audit/{id}")).await
}

/// Searches within a session.
async fn search(registry: &Registry, token: &str) -> Answer {
    let address = format!("{BASE}/search?q=my+secret+need&level=A&limit=1");
    call(registry, Method::GET, &address, token, &Value::Null).await
}

/// Writes a value without fractions in the form of RFC 8785, for member names in ASCII.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().collect();
            names.sort();
            let members = names
                .iter()
                .map(|it| format!("{}:{}", json!(it), canonical(&members[*it])));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        single => single.to_string(),
    }
}

/// Reports whether chain, root and signature of a record are right, by these published keys.
fn is_valid(record: &Value, keys: &Value) -> bool {
    let mut previous = String::new();
    for event in record["events"].as_array().unwrap() {
        if event["prev_hash"] != previous {
            return false;
        }
        previous = format!("{:x}", Sha256::digest(canonical(event)));
    }
    let mut known = keys["keys"].as_array().unwrap().iter();
    let is_published =
        known.any(|it| it["kid"] == record["key_id"] && it["x"] == record["public_key"]);
    let mut signed = record.clone();
    signed.as_object_mut().unwrap().remove("signature");
    let bytes = |name: &str| {
        let text = record[name].as_str().unwrap();
        BASE64_URL_SAFE_NO_PAD.decode(text).unwrap_or_default()
    };
    let key =
        ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, bytes("public_key"));
    let verified = key.verify(canonical(&signed).as_bytes(), &bytes("signature"));
    is_published && record["root_hash"] == previous && verified.is_ok()
}

#[tokio::test]
async fn a_record_lists_every_call_and_reveals_no_search() {
    let registry = registry::full().await;
    let agent = json!({"agent_name": "Test", "purpose": "To try", "password": "hunter2"});
    let [token, id] = session(&registry, &agent).await;
    assert_eq!(search(&registry, &token).await.status, StatusCode::OK);
    let address = format!("{BASE}/submit");
    for body in [
        json!({"domain": "new.example", "key": "hunter2"}),
        json!({"domain": 7}),
    ] {
        call(&registry, Method::POST, &address, &token, &body).await;
    }
    let open = record(&registry, &id).await;
    assert_eq!(open.status, StatusCode::CONFLICT);
    assert_eq!(open.header(RETRY_AFTER), "3600");
    assert_eq!(end(&registry, &token).await.status, StatusCode::OK);
    let text = record(&registry, &id).await;
    text.never_says(&["hunter2", "secret", &token]);
    let record = &text.json()["data"];
    assert_eq!(
        record["agent"],
        json!({"agent_name": "Test", "purpose": "To try"})
    );
    let events = record["events"].as_array().unwrap();
    let calls: Vec<_> = events
        .iter()
        .map(|it| {
            (
                it["capability"].as_str().unwrap(),
                it["response_status"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(calls, [("search", 200), ("submit", 201), ("submit", 400)]);
    assert_eq!(events[1]["params"], json!({"domain": "new.example"}));
    let proof = format!("sha256:{:x}", Sha256::digest("my secret need"));
    assert_eq!(events[0]["params"], json!({"q": proof, "limit": "1"}));
}

#[tokio::test]
async fn a_changed_record_does_not_verify() {
    let registry = registry::full().await;
    let [token, id] = session(&registry, &Value::Null).await;
    for _ in 0..3 {
        search(&registry, &token).await;
    }
    end(&registry, &token).await;
    let record = record(&registry, &id).await.json()["data"].clone();
    let keys = get(&registry, "/.well-known/jwks.json").await.json();
    assert!(is_valid(&record, &keys), "{record:#}");
    for (pointer, value) in [
        ("/events/0/response_status", json!(500)),
        ("/events/2/timestamp", json!("2026-01-01T00:00:00Z")),
        ("/events/1/prev_hash", json!("")),
        ("/ended_at", json!("2026-01-01T00:00:00Z")),
        ("/site", json!("https://other.example")),
        ("/root_hash", json!("0")),
        ("/events", json!([])),
    ] {
        let mut changed = record.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        assert!(!is_valid(&changed, &keys), "{pointer}");
    }
}

#[tokio::test]
async fn a_record_stays_the_same_when_the_keys_are_rotated() {
    fn two_months_later() -> Timestamp {
        registry::now().after(Duration::from_hours(60 * 24))
    }
    let mut registry = registry::full().await;
    let [token, id] = session(&registry, &Value::Null).await;
    search(&registry, &token).await;
    end(&registry, &token).await;
    let kept = record(&registry, &id).await.json();
    // A session that is not deleted is signed when its record is first read.
    let [other, expired] = session(&registry, &Value::Null).await;
    search(&registry, &other).await;
    let secrets = &registry.state.secrets;
    for days in [30, 60] {
        let later = registry::now().after(Duration::from_hours(days * 24));
        secrets.renew(later).unwrap();
    }
    registry.state.public_url = "https://moved.example".to_owned();
    registry.state.now = two_months_later;
    let keys = get(&registry, "/.well-known/jwks.json").await.json();
    assert_eq!(record(&registry, &id).await.json(), kept);
    assert!(is_valid(&kept["data"], &keys));
    let late = record(&registry, &expired).await.json()["data"].clone();
    assert!(is_valid(&late, &keys), "{late:#}");
    assert_ne!(late["key_id"], kept["data"]["key_id"]);
    assert_eq!(late["ended_at"], "2026-11-20T15:46:40Z");
}

#[tokio::test]
async fn a_session_has_so_many_calls_and_no_more() {
    let registry = registry::empty().await;
    let [token, id] = session(&registry, &Value::Null).await;
    let call = store::SessionCall {
        at: registry::now(),
        capability: "check".to_owned(),
        method: "GET".to_owned(),
        params: "{}".to_owned(),
        policy: "allowed".to_owned(),
        status: 404,
    };
    for _ in 1..Session::MAX_CALLS {
        assert!(registry.state.store.record_call(&id, &call).await.unwrap());
    }
    assert_eq!(search(&registry, &token).await.status, StatusCode::OK);
    let refused = search(&registry, &token).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header(RETRY_AFTER), "3600");
    assert_eq!(end(&registry, &token).await.status, StatusCode::OK);
    let record = record(&registry, &id).await.json();
    let events = record["data"]["events"].as_array().unwrap();
    assert_eq!(events.len(), Session::MAX_CALLS as usize);
}
