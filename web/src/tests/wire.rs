//! Hosts and encodings that a request states, and connections whose request is not read to its end.

use super::served::Served;
use super::*;
use axum::http::header::ACCEPT_ENCODING;
use axum::http::{Version, header};

const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn a_request_names_one_host() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    for (lines, version) in [
        ("", "1.1"),
        ("host:\r\n", "1.1"),
        ("host: a\r\nhost: a\r\n", "1.1"),
        ("host: a\r\nhost: b\r\n", "1.1"),
        ("host: a b\r\n", "1.1"),
        ("host: a, b\r\n", "1.1"),
        ("host: user@a\r\n", "1.1"),
        ("host: a:x\r\n", "1.1"),
        ("host: a/b\r\n", "1.1"),
        ("host: \u{e9}\r\n", "1.1"),
        ("host: a\r\nhost: b\r\n", "1.0"),
        ("host: a b\r\n", "1.0"),
    ] {
        let head = format!("GET /api/v1/rules HTTP/{version}\r\n{lines}connection: close\r\n\r\n");
        let answer = served.raw(&head).await;
        assert_eq!(
            answer.status,
            StatusCode::BAD_REQUEST,
            "{lines:?} {version}"
        );
        assert_eq!(answer.json()["errorCode"], "bad_host", "{lines:?}");
        assert_ne!(answer.header(HeaderName::from_static("x-request-id")), "");
    }
    for (lines, version) in [
        ("host: a\r\n", "1.1"),
        ("host: 127.0.0.1:8080\r\n", "1.1"),
        ("host: [::1]:8080\r\n", "1.1"),
        ("host: a:\r\n", "1.1"),
        ("host: a_b.example\r\n", "1.1"),
        ("host: a\r\n", "1.0"),
        // Older than the header.
        ("", "1.0"),
    ] {
        let head = format!("GET /api/v1/rules HTTP/{version}\r\n{lines}connection: close\r\n\r\n");
        let answer = served.raw(&head).await;
        assert_eq!(answer.status, StatusCode::OK, "{lines:?} {version}");
    }
    // The target names the host; the header is there nevertheless.
    let absolute = "GET http://a/api/v1/rules HTTP/1.1\r\nconnection: close\r\n";
    let without = served.raw(&format!("{absolute}\r\n")).await;
    assert_eq!(without.status, StatusCode::BAD_REQUEST);
    let with = served.raw(&format!("{absolute}host: b\r\n\r\n")).await;
    assert_eq!(with.status, StatusCode::OK);
}

#[tokio::test]
async fn a_request_over_http2_names_one_host() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let ask = async |uri: &str, hosts: &[&str]| {
        let stream = served.connect().await;
        let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
        let driver = tokio::spawn(connection);
        let mut request = Request::get(uri).version(Version::HTTP_2);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        let (answer, _) = sender
            .send_request(request.body(()).unwrap(), true)
            .unwrap();
        let status = answer.await.unwrap().status();
        driver.abort();
        status
    };
    let path = "http://a/api/v1/rules";
    assert_eq!(ask(path, &[]).await, StatusCode::OK);
    assert_eq!(ask(path, &["A"]).await, StatusCode::OK);
    assert_eq!(ask(path, &["b"]).await, StatusCode::BAD_REQUEST);
    assert_eq!(ask(path, &["a", "a"]).await, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_client_that_accepts_no_encoding_gets_the_answer_as_it_is() {
    let registry = registry::full().await;
    let body = "{\"domain\": \"new.example\"}";
    for (accepted, encoding) in [
        ("identity;q=0", ""),
        ("*;q=0", ""),
        ("*; q=0.000, identity;q=0", ""),
        ("deflate, *;q=0", ""),
        ("IDENTITY;Q=0", ""),
        ("gzip, *;q=0", "gzip"),
        ("identity;q=0, br", "br"),
        ("br;q=0, gzip;q=0.5", "gzip"),
    ] {
        let request = Request::get("/api/v1/rules").header(ACCEPT_ENCODING, accepted);
        let response = app(registry.state.clone())
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{accepted}");
        let found = response.headers().get(CONTENT_ENCODING);
        let found = found.map_or("", |it| it.to_str().unwrap());
        assert_eq!(found, encoding, "{accepted}");
        let request = Request::post("/api/v1/submit")
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT_ENCODING, accepted);
        let response = app(registry.state.clone())
            .oneshot(request.body(Body::from(body)).unwrap())
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::ACCEPTED, "{accepted}");
    }
}

#[tokio::test]
async fn a_connection_ends_with_the_refusal_of_a_body_that_is_not_read() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let post = |path: &str, lines: &str| {
        format!("POST {path} HTTP/1.1\r\nhost: a\r\n{lines}\r\n{{\"domain\": \"a.example\"}}")
    };
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    for (path, lines, status) in [
        (
            "/api/v1/submit",
            format!("{JSON}content-length: 9999999\r\n"),
            413,
        ),
        (
            "/api/v1/submit",
            "content-length: 99999\r\n".to_owned(),
            415,
        ),
        (
            "/api/v1/reports",
            format!("{form}content-length: 99999\r\n"),
            415,
        ),
        (
            "/api/v1/leave",
            format!("{form}transfer-encoding: chunked\r\n"),
            415,
        ),
        ("/submit", format!("{JSON}content-length: 99999\r\n"), 415),
        (
            "/ard/search",
            format!("{form}content-length: 99999\r\n"),
            415,
        ),
        (
            "/api/v1/submit",
            format!("origin: null\r\n{JSON}content-length: 99999\r\n"),
            403,
        ),
        (
            "/api/v1/rules",
            format!("{JSON}content-length: 99999\r\n"),
            405,
        ),
    ] {
        // The rest of the body is never sent: the answer comes without it, and ends the connection.
        let answer = served.raw(&post(path, &lines)).await;
        let of = format!("{path} {lines:?}");
        assert_eq!(answer.status.as_u16(), status, "{of}: {}", answer.body);
        assert_eq!(answer.header(header::CONNECTION), "close", "{of}");
    }
}
