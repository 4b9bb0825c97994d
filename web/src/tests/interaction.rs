//! Tests of the Interaction API: its envelopes, its parameters and its sessions.

use super::openapi::{conforms, description};
use super::*;
use crate::client::Peer;
use crate::rate::Limiter;
use axum::http::header::{ALLOW, IF_NONE_MATCH, LINK, WWW_AUTHENTICATE};
use axum::http::{Method, header::ACCESS_CONTROL_ALLOW_METHODS};
use manifest::Timestamp;
use serde_json::json;
use std::time::Duration;
use store::{Exclusion, ExclusionSource, Scope, Session};

pub(super) const BASE: &str = "/.well-known/agents/api";
const SESSION: &str = "/.well-known/agents/api/session";

/// Sends a request with a token and a body; null is none.
pub(super) async fn call(
    registry: &Registry,
    method: Method,
    address: &str,
    token: &str,
    body: &Value,
) -> Answer {
    let mut request = Request::builder().method(method).uri(address);
    if !token.is_empty() {
        request = request.header("x-agent-session", token);
    }
    let body = if body.is_null() {
        Body::empty()
    } else {
        request = request.header(CONTENT_TYPE, "application/json");
        Body::from(body.to_string())
    };
    let answer = ask(registry, request.body(body).unwrap()).await;
    if !answer.body.is_empty() {
        let envelope = answer.json();
        let is_success = answer.status.is_success();
        assert_eq!(envelope["ok"], is_success, "{envelope}");
        assert_eq!(envelope.get("data").is_some(), is_success, "{envelope}");
        assert_eq!(envelope["error"].is_string(), !is_success, "{envelope}");
        assert_eq!(
            answer.header(CONTENT_TYPE),
            "application/json; charset=utf-8"
        );
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    }
    answer
}

/// Creates a session; returns its token and its public id.
pub(super) async fn session(registry: &Registry, body: &Value) -> [String; 2] {
    let created = call(registry, Method::POST, SESSION, "", body).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.body);
    assert_eq!(created.header(CACHE_CONTROL), "private, no-store");
    ["session_token", "session_id"].map(|it| created.json()["data"][it].as_str().unwrap().into())
}

/// Ends a session.
pub(super) async fn end(registry: &Registry, token: &str) -> Answer {
    call(registry, Method::DELETE, SESSION, token, &Value::Null).await
}

/// Submits a domain.
async fn submit(registry: &Registry, token: &str, domain: &str) -> Answer {
    let address = format!("{BASE}/submit");
    let body = json!({ "domain": domain });
    call(registry, Method::POST, &address, token, &body).await
}

fn an_hour_later() -> Timestamp {
    registry::now().after(Duration::from_hours(1))
}

#[tokio::test]
async fn every_capability_answers_as_described() {
    let registry = registry::full().await;
    let document = description(&registry).await;
    let [token, id] = session(&registry, &json!({"agent_name": "Test"})).await;
    let site = json!({"domain": "mesa.example"});
    let new = json!({"domain": "new.example"});
    for (method, path, body, status) in [
        ("get", "/search?q=table", &Value::Null, 200),
        ("get", "/browse?protocol=a2a", &Value::Null, 200),
        (
            "get",
            "/detail/mesa.example%2Freservations",
            &Value::Null,
            200,
        ),
        (
            "get",
            "/detail/xn--bcher-kva.example%2Fnone",
            &Value::Null,
            404,
        ),
        ("get", "/capabilities", &Value::Null, 200),
        ("get", "/check?domain=mesa.example", &Value::Null, 200),
        ("get", "/check/mesa.example", &Value::Null, 200),
        ("post", "/submit", &new, 201),
        ("post", "/submit", &site, 201),
        ("post", "/recheck", &site, 201),
        ("post", "/leave", &site, 200),
        ("post", "/leave", &json!({"domain": "localhost"}), 400),
        ("get", "/submit", &Value::Null, 405),
        ("delete", "/session", &Value::Null, 200),
        ("delete", "/session", &Value::Null, 401),
    ] {
        let address = format!("{BASE}{path}");
        let verb = method.to_uppercase().parse().unwrap();
        let answer = call(&registry, verb, &address, &token, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        if status != 405 {
            conforms(&document, method, &address, &answer);
        }
    }
    let address = format!("{BASE}/audit/{id}");
    let record = get(&registry, &address).await;
    assert_eq!(record.status, StatusCode::OK);
    conforms(&document, "get", &address, &record);
}

#[tokio::test]
async fn pages_are_followed_by_their_addresses() {
    let registry = registry::full().await;
    for (start, limit) in [("/browse?sort=name", 2), ("/capabilities?prefix=", 200)] {
        let mut address = format!("{BASE}{start}&limit={limit}");
        let mut items = Vec::new();
        for page in 1.. {
            let data = get(&registry, &address).await.json()["data"].clone();
            assert_eq!([&data["page"], &data["limit"]], [page, limit]);
            items.extend(data["results"].as_array().unwrap().clone());
            match data["next"].as_str() {
                Some(next) => next.clone_into(&mut address),
                None => break,
            }
        }
        let number = items.len();
        assert!(number > 4, "{start}: {number}");
        items.sort_by_key(ToString::to_string);
        items.dedup();
        assert_eq!(items.len(), number, "{start}");
    }
    // A client that counts by itself does not get the first page again.
    let counted = get(&registry, &format!("{BASE}/browse?page=2")).await;
    assert_eq!(counted.status, StatusCode::BAD_REQUEST);
    counted.says(&["`page`", "follow `next`"]);
    let first = get(&registry, &format!("{BASE}/browse?page=1")).await;
    assert_eq!(first.status, StatusCode::OK);
}

#[tokio::test]
async fn reading_is_cached_unless_it_is_part_of_a_session() {
    let registry = registry::full().await;
    let address = format!("{BASE}/search?q=table");
    let first = get(&registry, &address).await;
    assert!(
        first
            .header(CACHE_CONTROL)
            .starts_with("public, max-age=60")
    );
    assert!(
        first
            .headers
            .get_all("vary")
            .iter()
            .any(|it| it == "x-agent-session")
    );
    assert_eq!(
        first.header(LINK),
        "</.well-known/agents.json>; rel=\"agents\""
    );
    let again = Request::get(&address).header(IF_NONE_MATCH, first.header(ETAG));
    let again = ask(&registry, again.body(Body::empty()).unwrap()).await;
    assert_eq!((again.status, &*again.body), (StatusCode::NOT_MODIFIED, ""));
    let head = Request::head(&address).body(Body::empty()).unwrap();
    let head = ask(&registry, head).await;
    assert_eq!((head.status, &*head.body), (StatusCode::OK, ""));
    assert_eq!(head.header(ETAG), first.header(ETAG));
    let [token, _] = session(&registry, &Value::Null).await;
    let own = call(&registry, Method::GET, &address, &token, &Value::Null).await;
    assert_eq!(own.header(CACHE_CONTROL), "private, no-store");
    assert_eq!(own.json()["data"], first.json()["data"]);
}

#[tokio::test]
async fn options_and_other_methods_are_answered_as_the_text_says() {
    let registry = registry::empty().await;
    let options = Request::options(format!("{BASE}/submit"));
    let options = ask(&registry, options.body(Body::empty()).unwrap()).await;
    assert_eq!(options.status, StatusCode::NO_CONTENT);
    let methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
    assert_eq!(options.header(ACCESS_CONTROL_ALLOW_METHODS), methods);
    assert_eq!(options.headers["access-control-max-age"], "86400");
    let headers = options.headers["access-control-allow-headers"]
        .to_str()
        .unwrap();
    for name in ["Authorization", "X-Agent-Session", "Content-Type", "Accept"] {
        assert!(headers.split(", ").any(|it| it == name), "{headers}");
    }
    let address = format!("{BASE}/search");
    let other = call(&registry, Method::PATCH, &address, "", &Value::Null).await;
    assert_eq!(other.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(other.header(ALLOW), "GET, HEAD, OPTIONS");
    for unknown in [
        BASE.to_owned(),
        format!("{BASE}/cart"),
        format!("{BASE}/cart/add"),
    ] {
        let answer = call(&registry, Method::POST, &unknown, "", &Value::Null).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{unknown}");
        answer.says(&["/.well-known/agents.json"]);
    }
}

#[tokio::test]
async fn a_token_is_accepted_in_each_of_its_headers_and_only_once() {
    let registry = registry::full().await;
    let [token, _] = session(&registry, &Value::Null).await;
    let bearer = format!("bearer {token}");
    for (headers, status) in [
        (&[("authorization", &*bearer)][..], 201),
        (&[("x-agent-session", &*token)], 201),
        (&[("x-session-token", &*token)], 201),
        (
            &[("authorization", &*bearer), ("x-session-token", &*token)],
            201,
        ),
        (
            &[("authorization", &*bearer), ("x-session-token", "other")],
            400,
        ),
        (&[("authorization", "Basic YTpi")], 401),
        (&[("x-agent-session", "")], 401),
        (&[], 401),
    ] {
        let mut request = Request::post(format!("{BASE}/submit"));
        request = request.header(CONTENT_TYPE, "application/json; charset=utf-8");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Body::from("{\"domain\": \"mesa.example\"}");
        let answer = ask(&registry, request.body(body).unwrap()).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
        assert_eq!(answer.header(WWW_AUTHENTICATE) == "Bearer", status == 401);
    }
}

#[tokio::test]
async fn a_session_that_is_forged_expired_or_deleted_is_refused() {
    let mut registry = registry::full().await;
    let forged = submit(&registry, &"f".repeat(32), "mesa.example").await;
    assert_eq!(forged.status, StatusCode::UNAUTHORIZED);
    let [deleted, _] = session(&registry, &Value::Null).await;
    let [token, _] = session(&registry, &Value::Null).await;
    assert_eq!(end(&registry, &deleted).await.status, StatusCode::OK);
    assert_eq!(
        end(&registry, &deleted).await.status,
        StatusCode::UNAUTHORIZED
    );
    let late = submit(&registry, &deleted, "mesa.example").await;
    assert_eq!(late.status, StatusCode::UNAUTHORIZED);
    // The other one outlives a restart of the server, but not its time.
    registry.restart();
    assert_eq!(
        submit(&registry, &token, "mesa.example").await.status,
        StatusCode::CREATED
    );
    registry.state.now = an_hour_later;
    let expired = submit(&registry, &token, "mesa.example").await;
    assert_eq!(expired.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        end(&registry, &token).await.status,
        StatusCode::UNAUTHORIZED
    );
    // The database has no token.
    let stored = registry.state.store.session_by_token(&token).await.unwrap();
    assert_eq!(stored, None);
}

#[tokio::test]
async fn a_network_with_too_many_sessions_is_told_when_to_come_back() {
    let registry = registry::empty().await;
    let mut tokens = Vec::new();
    for _ in 0..Session::MAX_OF_NETWORK {
        tokens.push(session(&registry, &Value::Null).await);
    }
    let refused = call(&registry, Method::POST, SESSION, "", &Value::Null).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header(RETRY_AFTER), "3600");
    refused.says(&["Retry after 3600 seconds."]);
    let other = Request::post(SESSION).extension(Peer("192.0.2.7".parse().unwrap()));
    let other = ask(&registry, other.body(Body::empty()).unwrap()).await;
    assert_eq!(other.status, StatusCode::CREATED);
    end(&registry, &tokens[0][0]).await;
    session(&registry, &Value::Null).await;
}

#[tokio::test]
async fn the_limit_of_requests_is_told_in_unix_seconds() {
    let mut registry = registry::empty().await;
    registry.state.limiter = Limiter::new("5".parse().unwrap(), &[]);
    let ask_once = async || {
        let request = Request::get(format!("{BASE}/check?domain=a.example"));
        let request = request.extension(Peer("192.0.2.7".parse().unwrap()));
        ask(&registry, request.body(Body::empty()).unwrap()).await
    };
    let now = registry::now().0 / 1_000;
    ask_once().await;
    let refused = ask_once().await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let wait = refused.header(RETRY_AFTER).to_owned();
    refused.says(&["\"ok\":false", &format!("{wait} seconds")]);
    let reset: i64 = refused.headers["x-ratelimit-reset"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((now + 1..=now + 60).contains(&reset), "{reset}");
}

#[tokio::test]
async fn bad_bodies_are_refused_each_in_its_own_way() {
    let registry = registry::empty().await;
    let large = format!("{{\"purpose\": \"{}\"}}", "a".repeat(65 << 10));
    for (media_type, body, status) in [
        ("application/json", "{", 400),
        ("application/json", "[1]", 400),
        ("application/json", "{\"agent_name\": 7}", 400),
        ("text/plain", "{}", 415),
        ("", "{}", 415),
        ("application/json", &*large, 413),
        ("application/json", "{\"unknown\": 7}", 201),
        ("text/plain", "", 201),
    ] {
        let request = Request::post(SESSION).header(CONTENT_TYPE, media_type);
        let answer = ask(
            &registry,
            request.body(Body::from(body.to_owned())).unwrap(),
        )
        .await;
        assert_eq!(answer.status, status, "{media_type} {}", answer.body);
        assert_eq!(answer.json()["ok"], status == 201);
    }
}

#[tokio::test]
async fn an_owner_finds_the_token_at_the_address_of_the_handoff() {
    let registry = registry::full().await;
    let [token, _] = session(&registry, &Value::Null).await;
    let address = format!("{BASE}/leave");
    let body = json!({"domain": "mesa.example"});
    let answer = call(&registry, Method::POST, &address, &token, &body).await;
    let data = &answer.json()["data"];
    let url = data["handoff_url"].as_str().unwrap();
    let path = url.strip_prefix("https://agentdex.example").unwrap();
    let page = get(&registry, path).await;
    assert_eq!(page.status, StatusCode::OK);
    let secret = path.split_once("token=").unwrap().1;
    page.says(&[
        "Remove mesa.example",
        &format!("agentdex-leave={secret}"),
        "_agentdex.mesa.example",
        "https://mesa.example/.well-known/agentdex-leave.txt",
        data["expires_at"].as_str().unwrap(),
    ]);
    // No address makes the page show another text.
    let (path, _) = path.split_once('?').unwrap();
    let other = get(&registry, &format!("{path}?token=other")).await;
    other
        .says(&["ask again"])
        .never_says(&["agentdex-leave=", "other<"]);
    let none = get(&registry, "/leave/none").await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
    // A state is not changed by looking at it.
    let state = get(&registry, data["state"].as_str().unwrap()).await.json();
    assert_eq!(state["state"], "waiting");
}

#[tokio::test]
async fn a_site_that_the_operator_excludes_is_refused_by_policy() {
    let registry = registry::full().await;
    let [token, _] = session(&registry, &Value::Null).await;
    let exclusion = Exclusion {
        scope: Scope::suffix("blocked.example").unwrap(),
        reason: "wishes to be left out.".to_owned(),
        source: ExclusionSource::Operator,
        since: registry::THEN,
    };
    let store = &registry.state.store;
    store.exclude(&exclusion, registry::now()).await.unwrap();
    let refused = submit(&registry, &token, "blocked.example").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.body);
}

#[tokio::test]
async fn what_is_given_twice_or_too_long_is_refused_by_name() {
    let registry = registry::full().await;
    for (path, fault) in [
        (
            "/detail?id=mesa.example/reservations&id=a.example/b",
            "`id`",
        ),
        (
            "/detail/mesa.example%2Freservations?id=mesa.example/reservations",
            "`id`",
        ),
        ("/check?domain=mesa.example&domain=a.example", "`domain`"),
        ("/search?q=table&q=chair", "`q`"),
    ] {
        let answer = get(&registry, &format!("{BASE}{path}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        answer.says(&[fault, "only once"]);
    }
    for name in ["agent_name", "agent_version", "purpose"] {
        let of = async |length: usize| {
            let body = json!({ name: "ä".repeat(length) });
            call(&registry, Method::POST, SESSION, "", &body).await
        };
        assert_eq!(of(200).await.status, StatusCode::CREATED, "{name}");
        let answer = of(201).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{name}");
        answer.says(&[&format!("`{name}` may have at most 200 characters")]);
    }
    let [token, _] = session(&registry, &Value::Null).await;
    let twice = Request::post(format!("{BASE}/recheck"))
        .header(CONTENT_TYPE, "application/json")
        .header("x-agent-session", &token)
        .body(Body::from(
            r#"{"domain": "mesa.example", "domain": "empty.example"}"#,
        ));
    let answer = ask(&registry, twice.unwrap()).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    answer.says(&["`domain` may be given only once"]);
}

#[tokio::test]
async fn advice_names_the_addresses_of_this_api() {
    let registry = registry::full().await;
    let answer = get(&registry, &format!("{BASE}/check?domain=unknown.example")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    answer
        .says(&["POST /.well-known/agents/api/submit, as /docs/protocols describes"])
        .never_says(&["/api/v1/"]);
}
