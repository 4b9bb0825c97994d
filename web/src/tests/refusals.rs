//! Refusals that any operation may answer with: what the server does, compared with its description.

use super::*;
use crate::rate::Limiter;
use crate::tests::served::Served;
use axum::http::header::ALLOW;

/// Methods that a path may have, and one that no path has.
const METHODS: [&str; 3] = ["GET", "POST", "DELETE"];

/// Operation of the description, with an address of it.
#[derive(Debug)]
struct Operation {
    method: String,
    address: String,
    responses: Value,
}

impl Operation {
    /// Lists every operation.
    async fn all(registry: &Registry) -> Vec<Self> {
        let document = get(registry, "/openapi.json").await.json();
        let mut all = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            let address = path
                .replace("{domain}", "mesa.example")
                .replace("{slug}", "reservations")
                .replace("{id}", "A2-06")
                .replace("{session_id}", "none")
                .replace("{identifier}", "urn:air:mesa.example:agent:reservations")
                .replace("{name}", "example.mesa%2Freservations")
                .replace("{version}", "latest");
            for (method, operation) in item.as_object().unwrap() {
                all.push(Self {
                    method: method.to_uppercase(),
                    address: address.clone(),
                    responses: operation["responses"].clone(),
                });
            }
        }
        assert!(all.len() >= 18, "{}", all.len());
        all
    }

    /// Asserts that an answer has this status, and that the description has it with this body.
    fn refuses(&self, answer: &Answer, status: u16) {
        let Self {
            method, address, ..
        } = self;
        assert_eq!(answer.status.as_u16(), status, "{method} {address}");
        let described = &self.responses[status.to_string()];
        assert!(described.is_object(), "{method} {address}: {status}");
        match described["content"].as_object() {
            Some(content) => {
                let media_type = answer.header(CONTENT_TYPE);
                assert!(content.contains_key(media_type), "{address}: {media_type}");
                let body = answer.json();
                let is_refusal = match media_type {
                    "application/problem+json" => body["status"] == status,
                    "application/json" => body["message"].is_string() || body["error"].is_string(),
                    _ => body["ok"] == false,
                };
                assert!(is_refusal, "{address}: {body}");
            }
            None => assert_eq!(answer.body, "", "{method} {address}: {status}"),
        }
    }
}

#[tokio::test]
async fn every_operation_describes_the_refusal_of_another_method() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let operations = Operation::all(&registry).await;
    for operation in &operations {
        let is_there = |method: &str| {
            let mut others = operations.iter();
            others.any(|it| it.address == operation.address && it.method == method)
        };
        for method in METHODS.into_iter().filter(|it| !is_there(it)) {
            let answer = served.ask(method, &operation.address, "", b"").await;
            operation.refuses(&answer, 405);
            assert!(answer.header(ALLOW).contains(&operation.method));
        }
    }
}

#[tokio::test]
async fn every_operation_describes_the_refusal_of_a_large_body() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let body = vec![b' '; (1 << 20) + 1];
    for operation in Operation::all(&registry).await {
        let Operation {
            method, address, ..
        } = &operation;
        let answer = served.ask(method, address, "", &body).await;
        operation.refuses(&answer, 413);
    }
}

#[tokio::test]
async fn every_operation_describes_the_refusal_of_a_large_head() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let long = "a".repeat(1 << 16);
    let many = (0..200).fold(String::new(), |all, number| {
        all + &format!("x-{number}: a\r\n")
    });
    for operation in Operation::all(&registry).await {
        let Operation {
            method, address, ..
        } = &operation;
        let longer = format!("{address}?x={long}");
        operation.refuses(&served.ask(method, &longer, "", b"").await, 414);
        operation.refuses(&served.ask(method, address, &many, b"").await, 431);
    }
}

#[tokio::test]
async fn every_operation_describes_the_refusal_of_too_many_requests() {
    let mut registry = registry::full().await;
    let operations = Operation::all(&registry).await;
    registry.state.limiter = Limiter::new("1".parse().unwrap(), &[]);
    let served = Served::start(&registry).await;
    assert_eq!(served.get("/api/v1/rules").await.status, StatusCode::OK);
    for operation in operations {
        let Operation {
            method, address, ..
        } = &operation;
        let answer = served.ask(method, address, "", b"").await;
        operation.refuses(&answer, 429);
        assert_ne!(answer.header(RETRY_AFTER), "", "{address}");
    }
}
