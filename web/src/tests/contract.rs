//! Tests of what holds for every address: methods, origins, ids, limits, cursors.

use super::*;
use crate::client::Peer;
use crate::rate::Limiter;
use crate::routes::PAGES;
use axum::http::Method;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_EXPOSE_HEADERS,
    ALLOW, CONTENT_LENGTH, VARY,
};
use manifest::Domain;
use std::net::IpAddr;

/// Returns an address of each page with a tag, which the forms of owners do not have.
pub(super) fn pages() -> impl Iterator<Item = String> {
    let examples = [
        ("/search", "/search?q=table"),
        ("{domain}", "mesa.example"),
        ("{slug}", "reservations"),
        ("{list}", "capabilities"),
        ("{name}", "search"),
        ("{id}", "A2-06"),
    ];
    let is_form = |it: &str| {
        let first = it.split('/').nth(1);
        first.is_some_and(|it| ["leave", "return", "own"].contains(&it))
    };
    let paths = PAGES
        .iter()
        .map(|it| it.path)
        .filter(move |it| !is_form(it));
    paths.map(move |path| {
        let filled = examples.iter();
        filled.fold(path.to_owned(), |path, (name, value)| {
            path.replace(name, value)
        })
    })
}

const ENDPOINTS: [&str; 6] = [
    "/api/v1/search?q=table",
    "/api/v1/suggest?q=table",
    "/api/v1/agents/mesa.example/reservations",
    "/api/v1/sites/mesa.example",
    "/api/v1/rules",
    "/api/v1/rules/A2-06",
];

fn all() -> impl Iterator<Item = String> {
    pages().chain(ENDPOINTS.map(str::to_owned))
}

fn request(method: Method, address: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(address)
}

async fn send(registry: &Registry, request: axum::http::request::Builder) -> Answer {
    ask(registry, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn head_is_answered_as_get_without_its_body() {
    let registry = registry::full().await;
    for address in all() {
        let full = get(&registry, &address).await;
        let head = send(&registry, request(Method::HEAD, &address)).await;
        assert_eq!(head.status, StatusCode::OK, "{address}");
        assert_eq!(head.body, "", "{address}");
        for name in [CONTENT_TYPE, ETAG, CACHE_CONTROL, VARY] {
            let expected = full.header(name.clone());
            assert_eq!(head.header(name.clone()), expected, "{address}: {name}");
        }
    }
}

#[tokio::test]
async fn options_and_405_name_the_methods() {
    let registry = registry::full().await;
    for address in all() {
        let options = send(&registry, request(Method::OPTIONS, &address)).await;
        assert_eq!(options.status, StatusCode::NO_CONTENT, "{address}");
        assert_eq!(options.header(ALLOW), "GET, HEAD, OPTIONS", "{address}");
        let refused = send(&registry, request(Method::DELETE, &address)).await;
        assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED, "{address}");
        assert_eq!(refused.header(ALLOW), "GET, HEAD, OPTIONS", "{address}");
        refused.says(&["accepts only GET, HEAD, OPTIONS"]);
    }
    let unknown = send(&registry, request(Method::OPTIONS, "/api/v1/nothing")).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    let whole = send(&registry, request(Method::OPTIONS, "*")).await;
    assert_eq!(whole.status, StatusCode::NO_CONTENT);
    assert_eq!(whole.header(ALLOW), "GET, HEAD, POST, OPTIONS");
    let other = send(&registry, request(Method::GET, "*")).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_browser_may_ask_on_behalf_of_a_page_of_another_origin() {
    let registry = registry::full().await;
    for address in ENDPOINTS {
        let preflight = request(Method::OPTIONS, address)
            .header("origin", "https://other.example")
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "if-none-match");
        let answer = send(&registry, preflight).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
        let methods = answer.header(ACCESS_CONTROL_ALLOW_METHODS);
        assert_eq!(methods, "GET, HEAD, OPTIONS");
        let headers = answer.header(ACCESS_CONTROL_ALLOW_HEADERS);
        assert!(headers.contains("If-None-Match"), "{headers}");
        let exposed = get(&registry, address).await;
        let exposed = exposed.header(ACCESS_CONTROL_EXPOSE_HEADERS);
        for name in [
            "ETag",
            "Retry-After",
            "X-RateLimit-Remaining",
            "X-Request-Id",
        ] {
            assert!(exposed.contains(name), "{exposed}");
        }
    }
}

#[tokio::test]
async fn every_answer_has_a_tag_and_is_not_sent_twice() {
    let registry = registry::full().await;
    for address in all() {
        let tag = get(&registry, &address).await.header(ETAG).to_owned();
        assert!(tag.starts_with("W/\""), "{address}: {tag}");
        let again = request(Method::GET, &address).header("if-none-match", &tag);
        let again = send(&registry, again).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{address}");
        assert_eq!(again.header(ETAG), tag, "{address}");
        assert_ne!(again.header(CACHE_CONTROL), "", "{address}");
        assert_eq!(again.body, "");
    }
}

#[tokio::test]
async fn unknown_parameters_are_refused_by_every_endpoint() {
    let registry = registry::full().await;
    for address in ENDPOINTS.into_iter().chain(["/openapi.json"]) {
        let mark = if address.contains('?') { '&' } else { '?' };
        let answer = get(&registry, &format!("{address}{mark}colour=red")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{address}");
        let problem = answer.json();
        assert_eq!(
            problem["errors"][0]["code"], "unknown_parameter",
            "{address}"
        );
        assert_eq!(problem["errors"][0]["pointer"], "colour", "{address}");
        assert!(problem["errors"][0]["suggestion"].is_null(), "{problem}");
    }
    // Lists to browse refuse them.
    for page in pages().filter(|it| !it.starts_with("/browse")) {
        let mark = if page.contains('?') { '&' } else { '?' };
        let answer = get(&registry, &format!("{page}{mark}utm_source=news")).await;
        assert_eq!(answer.status, StatusCode::OK, "{page}");
    }
}

#[tokio::test]
async fn each_answer_has_an_id() {
    let registry = registry::empty().await;
    let id = HeaderName::from_static("x-request-id");
    for address in ["/", "/api/v1/search", "/nothing", "/api/v1/search?limit=0"] {
        let given = request(Method::GET, address).header("x-request-id", "mine-1");
        let answer = send(&registry, given).await;
        assert_eq!(answer.header(id.clone()), "mine-1", "{address}");
        let forged = request(Method::GET, address).header("x-request-id", "a\" level=error");
        let answer = send(&registry, forged).await;
        assert_eq!(answer.header(id.clone()).len(), 32, "{address}");
    }
}

#[tokio::test]
async fn answers_are_compressed_in_three_ways() {
    let registry = registry::full().await;
    for coding in ["gzip", "br", "zstd"] {
        let asked = request(Method::GET, "/api/v1/search").header("accept-encoding", coding);
        let response = app(registry.state.clone())
            .oneshot(asked.body(Body::empty()).unwrap())
            .await
            .unwrap();
        assert_eq!(response.headers()[CONTENT_ENCODING], coding);
        let vary = response.headers().get_all(VARY);
        let is_named = vary.iter().any(|it| it == "accept-encoding");
        assert!(is_named, "{vary:?}");
    }
}

#[tokio::test]
async fn a_body_above_the_limit_is_refused_before_it_is_read() {
    let registry = registry::empty().await;
    for address in ["/api/v1/search", "/search"] {
        let large = request(Method::POST, address).header(CONTENT_LENGTH, (1 << 20) + 1);
        let answer = send(&registry, large).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
        answer.says(&["at most 1048576 bytes"]);
    }
}

/// Returns a registry with one request at once, and the next a minute later: no test lasts that
/// long.
async fn limited() -> Registry {
    let mut registry = registry::empty().await;
    let proxies = ["10.0.0.0/8".parse().unwrap()];
    registry.state.limiter = Limiter::new("1".parse().unwrap(), &proxies);
    registry
}

async fn get_from(registry: &Registry, peer: &str, forwarded: &str, address: &str) -> Answer {
    let peer = Peer(peer.parse::<IpAddr>().unwrap());
    let asked = request(Method::GET, address).extension(peer);
    send(registry, asked.header("x-forwarded-for", forwarded)).await
}

#[tokio::test]
async fn a_client_that_asks_too_often_learns_when_to_come_back_and_what_else_to_do() {
    let registry = limited().await;
    let answer = get_from(&registry, "2001:db8::1", "", "/api/v1/rules").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.headers["x-ratelimit-limit"], "1");
    assert_eq!(answer.headers["x-ratelimit-remaining"], "0");
    let reset: i64 = answer.headers["x-ratelimit-reset"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    let now = registry::now().0 / 1_000;
    assert!((now + 1..=now + 60).contains(&reset), "{reset}");
    // Another address of the same network.
    let refused = get_from(&registry, "2001:db8::2", "198.51.100.7", "/api/v1/rules").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header(CONTENT_TYPE), "application/problem+json");
    let wait_s: u64 = refused.header(RETRY_AFTER).parse().unwrap();
    assert!((1..=60).contains(&wait_s), "{wait_s}");
    assert_eq!(refused.header(CACHE_CONTROL), "no-store");
    assert_eq!(refused.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    assert_eq!(refused.json()["errorCode"], "too_many_requests");
    refused.says(&["limit=100", "If-None-Match", "/api/v1/export/latest.json"]);
    let page = get_from(&registry, "2001:db8::2", "", "/docs").await;
    assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS);
    page.says(&["<h1>Too many requests</h1>"]);
    let other = get_from(&registry, "2001:db8:0:1::1", "", "/api/v1/rules").await;
    assert_eq!(other.status, StatusCode::OK);
}

#[tokio::test]
async fn a_preflight_request_takes_nothing_from_the_requests_and_is_not_refused_for_them() {
    let registry = limited().await;
    let peer = "198.51.100.1";
    let ask = async || {
        let preflight = request(Method::OPTIONS, "/.well-known/agents/api/submit")
            .extension(Peer(peer.parse::<IpAddr>().unwrap()))
            .header("origin", "https://other.example")
            .header("access-control-request-method", "GET");
        send(&registry, preflight).await
    };
    let used_up = get_from(&registry, peer, "", "/api/v1/rules").await;
    assert_eq!(used_up.status, StatusCode::OK);
    let refused = get_from(&registry, peer, "", "/api/v1/rules").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let answer = ask().await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    assert!(!answer.headers.contains_key("x-ratelimit-remaining"));
    // There are as many of them as of requests.
    assert_eq!(ask().await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn clients_behind_a_proxy_are_limited_one_by_one() {
    let registry = limited().await;
    for number in 0..30 {
        let client = format!("203.0.113.9, 198.51.100.{number}");
        let answer = get_from(&registry, "10.0.0.1", &client, "/api/v1/rules").await;
        assert_eq!(answer.status, StatusCode::OK, "{client}");
    }
    for number in 0..2 {
        let forged = format!("198.51.100.{number}");
        let answer = get_from(&registry, "127.0.0.1", &forged, "/api/v1/rules").await;
        let is_refused = answer.status == StatusCode::TOO_MANY_REQUESTS;
        assert_eq!(is_refused, number == 1, "this machine is no trusted proxy");
    }
}

#[tokio::test]
async fn a_cursor_into_a_generation_that_is_gone_leads_to_the_first_page() {
    let registry = registry::full().await;
    let search = "/api/v1/search?sort=name&limit=2";
    let first = get(&registry, search).await.json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let next = format!("{search}&cursor={cursor}");
    assert_eq!(get(&registry, &next).await.status, StatusCode::OK);
    let other = [Domain::parse("hostile.example").unwrap()];
    let store = &registry.state.store;
    store.forget(&other, "", registry::now()).await.unwrap();
    registry.reindex().await;
    let gone = get(&registry, &next).await;
    assert_eq!(gone.status, StatusCode::GONE, "{}", gone.body);
    let problem = gone.json();
    assert_eq!(problem["errorCode"], "cursor_gone");
    let anew = problem["links"]["first"].as_str().unwrap();
    assert_eq!(anew, "/api/v1/search?sort=name&limit=2");
    let anew = get(&registry, anew).await.json();
    assert_eq!(anew["total"], first["total"].as_u64().unwrap() - 1);
    let page = next.replace("/api/v1", "");
    let page = get(&registry, &page).await;
    assert_eq!(page.status, StatusCode::GONE);
    page.says(&["href=\"/search?sort=name&#38;limit=2\""]);
}

#[tokio::test]
async fn a_forged_cursor_is_a_bad_request() {
    let registry = registry::full().await;
    let long = "A".repeat(60_000);
    for cursor in ["x", "AAAA", "%00", "%ff", "..", "=", &long] {
        let answer = get(&registry, &format!("/api/v1/search?cursor={cursor}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        assert_eq!(answer.json()["errors"][0]["code"], "bad_cursor");
    }
}

#[tokio::test]
async fn the_length_of_head_is_that_of_get_or_absent() {
    let registry = registry::full().await;
    let head = async |encoding: Option<&str>| {
        let mut asked = request(Method::HEAD, "/api/v1/rules");
        if let Some(encoding) = encoding {
            asked = asked.header("accept-encoding", encoding);
        }
        send(&registry, asked).await
    };
    let length = get(&registry, "/api/v1/rules").await.body.len().to_string();
    assert_eq!(head(None).await.header(CONTENT_LENGTH), length);
    assert_eq!(head(Some("gzip")).await.header(CONTENT_LENGTH), "");
}
