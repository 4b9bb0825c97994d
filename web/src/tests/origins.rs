//! Pages of other origins: they may read whatever the protocol, and change nothing.

use super::interaction::{BASE, session};
use super::*;
use crate::client::Peer;
use crate::rate::Limiter;
use axum::http::Method;
use axum::http::header::{ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ORIGIN};
use serde_json::json;

/// Headers by which a browser says that a page of another origin sends a request.
const FOREIGN: [(&str, &str); 6] = [
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
    ("origin", "https://evil.example"),
    ("origin", "http://agentdex.example"),
    ("origin", "https://agentdex.example:8443"),
    ("origin", "null"),
];

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// Calls of the native API that change something, and forms that do the same.
const ACTS: [(&str, &str, &str); 12] = [
    ("/api/v1/submit", JSON, "{\"domain\": \"new.example\"}"),
    ("/api/v1/sites/mesa.example/recheck", "", ""),
    ("/api/v1/leave", JSON, "{\"domain\": \"mesa.example\"}"),
    ("/api/v1/return", JSON, "{\"domain\": \"mesa.example\"}"),
    ("/api/v1/own", JSON, "{\"domain\": \"mesa.example\"}"),
    (
        "/api/v1/reports",
        JSON,
        "{\"target\": \"mesa.example\", \"kind\": \"spam\", \"text\": \"It sells.\"}",
    ),
    ("/submit", FORM, "domain=new.example"),
    ("/recheck", FORM, "domain=mesa.example"),
    ("/leave", FORM, "domain=mesa.example"),
    ("/return", FORM, "domain=mesa.example"),
    ("/own", FORM, "domain=mesa.example"),
    (
        "/report",
        FORM,
        "target=mesa.example&kind=spam&text=It+sells.",
    ),
];

/// Sends a body of a media type with more headers.
async fn post(
    registry: &Registry,
    path: &str,
    media_type: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Answer {
    let mut request = Request::post(path);
    if !media_type.is_empty() {
        request = request.header(CONTENT_TYPE, media_type);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    ask(registry, request.body(body.into()).unwrap()).await
}

/// Asserts that nothing was submitted, reported or claimed.
async fn assert_unchanged(registry: &Registry) {
    assert!(registry.state.store.reports(10).await.unwrap().is_empty());
    let new = get(registry, "/api/v1/sites/new.example").await;
    assert_eq!(new.status, StatusCode::NOT_FOUND);
    new.never_says(&["queued", "submitted"]);
}

#[tokio::test]
async fn a_page_of_another_origin_changes_nothing_whatever_the_type_of_its_body() {
    let registry = registry::full().await;
    for (path, _, body) in ACTS {
        for header in FOREIGN {
            for media_type in [JSON, "text/plain", FORM, "multipart/form-data", ""] {
                let answer = post(&registry, path, media_type, &[header], body).await;
                let of = format!("{path} {header:?} {media_type}: {}", answer.body);
                assert_eq!(answer.status, StatusCode::FORBIDDEN, "{of}");
                if path.starts_with("/api/") {
                    assert_eq!(answer.json()["errorCode"], "cross_site", "{of}");
                }
            }
        }
    }
    // A header that is sent twice is none to rely on.
    let own = ("origin", "https://agentdex.example");
    let twice = [own, ("origin", "https://evil.example")];
    let answer = post(&registry, ACTS[0].0, JSON, &twice, ACTS[0].2).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_unchanged(&registry).await;
}

#[tokio::test]
async fn own_pages_and_programs_act_as_before() {
    for headers in [
        &[][..],
        &[("origin", "https://agentdex.example")],
        &[
            ("sec-fetch-site", "same-origin"),
            ("origin", "https://agentdex.example"),
        ],
        &[("sec-fetch-site", "none")],
        &[
            ("origin", "http://127.0.0.1:8080"),
            ("host", "127.0.0.1:8080"),
        ],
        &[
            ("origin", "http://localhost:8080"),
            ("host", "localhost:8080"),
        ],
    ] {
        let registry = registry::full().await;
        for (path, media_type, body) in ACTS {
            let answer = post(&registry, path, media_type, headers, body).await;
            let of = format!("{path} {headers:?}: {}", answer.body);
            assert_ne!(answer.status, StatusCode::FORBIDDEN, "{of}");
            assert_ne!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{of}");
        }
        let reports = registry.state.store.reports(10).await.unwrap();
        assert!(!reports.is_empty(), "{headers:?}");
    }
}

#[tokio::test]
async fn a_name_that_a_stranger_controls_is_no_own_origin_because_the_host_repeats_it() {
    let registry = registry::full().await;
    let rebound = [
        ("origin", "http://rebound.example:8080"),
        ("host", "rebound.example:8080"),
    ];
    let answer = post(&registry, ACTS[0].0, JSON, &rebound, ACTS[0].2).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.body);
    answer.says(&["--public-url"]);
    let other = [
        ("origin", "http://127.0.0.1:8080"),
        ("host", "127.0.0.1:8081"),
    ];
    let answer = post(&registry, ACTS[0].0, JSON, &other, ACTS[0].2).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.body);
}

#[tokio::test]
async fn no_tool_and_no_skill_changes_anything_for_a_page_of_another_origin() {
    let registry = registry::full().await;
    let data = |skill: &str, domain: &str| json!({"data": {"skill": skill, "domain": domain}});
    let parts = [
        json!({"text": "recheck mesa.example"}),
        json!({"text": "Submit new.example"}),
        data("submit", "new.example"),
        data("recheck", "mesa.example"),
        data("leave", "mesa.example"),
    ];
    for header in FOREIGN {
        for part in &parts {
            for (version, method, role) in [
                ("0.3", "message/send", "user"),
                ("1.0", "SendMessage", "ROLE_USER"),
            ] {
                let message = json!({"messageId": "1", "role": role, "parts": [part]});
                let body = json!({
                    "jsonrpc": "2.0", "id": "a", "method": method,
                    "params": {"message": message},
                });
                let headers = [header, ("a2a-version", version)];
                let body = body.to_string();
                let answer = post(&registry, "/a2a", JSON, &headers, body).await;
                assert_refused(
                    &answer,
                    &json!("a"),
                    &format!("{header:?} {part} {version}"),
                );
            }
        }
        let body = json!({
            "jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "recheck_site", "arguments": {"domain": "mesa.example"}},
        });
        let mut request = mcp::post(body.to_string());
        let name: HeaderName = header.0.parse().unwrap();
        request
            .headers_mut()
            .insert(name, header.1.parse().unwrap());
        let answer = ask(&registry, request).await;
        assert_refused(&answer, &json!(7), &format!("{header:?}"));
    }
    assert_unchanged(&registry).await;
}

/// Asserts that a request of JSON-RPC is refused as one of another origin.
#[track_caller]
fn assert_refused(answer: &Answer, id: &Value, of: &str) {
    assert_eq!(
        answer.status,
        StatusCode::FORBIDDEN,
        "{of}: {}",
        answer.body
    );
    let body = answer.json();
    assert_eq!(&body["id"], id, "{of}: {body}");
    assert_eq!(body["error"]["code"], -32600, "{of}: {body}");
    assert_eq!(body["error"]["data"]["errorCode"], "cross_site", "{of}");
}

#[tokio::test]
async fn the_interaction_api_keeps_its_headers_and_refuses_what_changes_something() {
    let registry = registry::full().await;
    let [token, _] = session(&registry, &json!({})).await;
    for (path, body) in [
        ("submit", "{\"domain\": \"new.example\"}"),
        ("recheck", "{\"domain\": \"mesa.example\"}"),
        ("leave", "{\"domain\": \"mesa.example\"}"),
    ] {
        for header in FOREIGN {
            for token in [&*token, "none", ""] {
                let headers = [header, ("x-agent-session", token)];
                let path = format!("{BASE}/{path}");
                let answer = post(&registry, &path, JSON, &headers, body).await;
                assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {header:?}");
                assert_eq!(answer.json()["ok"], false);
                assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
            }
        }
    }
    assert_unchanged(&registry).await;
    let own = [("x-agent-session", &*token)];
    let path = format!("{BASE}/submit");
    let body = "{\"domain\": \"new.example\"}";
    let answer = post(&registry, &path, JSON, &own, body).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
}

#[tokio::test]
async fn reads_stay_open_to_every_origin() {
    let registry = registry::full().await;
    let foreign = [
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
    ];
    for address in [
        "/api/v1/search?q=table",
        "/api/v1/agents/mesa.example/reservations",
        "/.well-known/agents/api/search?q=table",
        "/.well-known/agents.json",
        "/ard/agents",
        "/v0.1/servers",
        "/search/index.json?q=table",
    ] {
        let mut request = Request::get(address);
        for (name, value) in foreign {
            request = request.header(name, value);
        }
        let answer = ask(&registry, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{address}");
    }
    let parts = json!([{"text": "book a table"}]);
    let message = json!({"message": {"messageId": "1", "role": "user", "parts": parts}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": message});
    let message = message.to_string();
    for (path, media_type, body) in [
        ("/ard/search", JSON, "{\"query\": {\"text\": \"table\"}}"),
        ("/a2a", JSON, &message),
        ("/api/v1/validate", "text/plain", "{}"),
    ] {
        let answer = post(&registry, path, media_type, &foreign, body.to_owned()).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{path}");
    }
}

async fn preflight(registry: &Registry, path: &str, method: &str) -> Answer {
    let request = Request::options(path)
        .header(ORIGIN, "https://evil.example")
        .header("access-control-request-method", method)
        .header("access-control-request-headers", "content-type");
    ask(registry, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_browser_is_told_beforehand_what_another_origin_may_send() {
    let registry = registry::full().await;
    let allowing = [
        ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_ALLOW_METHODS,
        ACCESS_CONTROL_ALLOW_HEADERS,
    ];
    for (path, ..) in ACTS {
        for method in ["POST", "PUT", "GARBAGE \u{e9}"] {
            let answer = preflight(&registry, path, method).await;
            assert_eq!(answer.status, StatusCode::NO_CONTENT, "{path}");
            for name in &allowing {
                assert_eq!(answer.header(name.clone()), "", "{path}: {name}");
            }
        }
    }
    for (path, method) in [
        ("/api/v1/search", "GET"),
        ("/api/v1/validate", "POST"),
        ("/ard/search", "POST"),
        // The skill decides, which the browser does not know yet.
        ("/a2a", "POST"),
        ("/.well-known/agents/api/search", "GET"),
        ("/.well-known/agents/api/submit", "POST"),
    ] {
        let answer = preflight(&registry, path, method).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{path}");
        for name in &allowing {
            assert_ne!(answer.header(name.clone()), "", "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn json_endpoints_take_nothing_but_json() {
    let registry = registry::full().await;
    let json = ACTS.into_iter().filter(|it| it.1 == JSON);
    let json = json.map(|(path, _, body)| (path, body));
    let search = ("/ard/search", "{\"query\": {\"text\": \"table\"}}");
    for (path, body) in json.chain([search]) {
        for media_type in ["text/plain", FORM, "", "text/plain; application/json"] {
            let answer = post(&registry, path, media_type, &[], body).await;
            let of = format!("{path} {media_type}: {}", answer.body);
            assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{of}");
            answer.says(&["Content-Type: application/json"]);
        }
        let twice = [("content-type", "application/json")];
        let answer = post(&registry, path, "text/plain", &twice, body).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
    }
    let parameters = "application/JSON; charset=utf-8";
    let answer = post(&registry, ACTS[0].0, parameters, &[], ACTS[0].2).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.body);
}

#[tokio::test]
async fn what_another_origin_is_refused_takes_no_visit_from_the_client() {
    let mut registry = registry::full().await;
    registry.state.limiter = Limiter::new("100000".parse().unwrap(), &[]);
    let recheck = async |header: (&str, &str)| {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/api/v1/sites/none.example/recheck")
            .extension(Peer("198.51.100.1".parse().unwrap()))
            .header(header.0, header.1);
        ask(&registry, request.body(Body::empty()).unwrap()).await
    };
    for _ in 0..20 {
        let refused = recheck(FOREIGN[0]).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    }
    let own = recheck(("sec-fetch-site", "none")).await;
    assert_eq!(own.status, StatusCode::NOT_FOUND, "{}", own.body);
}
