//! Tests of the whole site, without a socket.

mod a2a;
mod a2a_card;
mod a2a_commands;
mod api;
mod ard;
mod atom;
mod author;
mod badge;
mod caution;
mod compatibility;
mod contract;
mod current;
mod docs;
mod error_pages;
mod feed;
mod forms;
mod generators;
mod history;
mod index_unavailable;
mod interaction;
mod interaction_record;
mod manifests;
mod mcp;
mod mcp_limits;
mod metrics;
mod moderation;
mod openapi;
mod origins;
mod owner;
mod owners;
mod pages;
mod reading;
mod refusals;
mod registry;
mod safety;
mod searching;
mod served;
mod servers;
mod shares;
mod sharing;
mod submissions;
mod twins;
mod validate;
mod vocabulary;
mod wire;

use crate::app;
use axum::body::{Body, to_bytes};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, LOCATION, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode};
use registry::Registry;
use serde_json::Value;
use tower::ServiceExt as _;

/// Response, read to its end.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    fn header(&self, name: HeaderName) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Asserts that the page contains all of these fragments.
    fn says(&self, fragments: &[&str]) -> &Self {
        for fragment in fragments {
            assert!(
                self.body.contains(fragment),
                "no {fragment:?} in:\n{}",
                self.body
            );
        }
        self
    }

    /// Asserts that the only script of the page is ours, from a file, beside data that none runs.
    fn has_only_our_script(&self) {
        let data = self
            .body
            .matches("<script type=\"application/ld+json\">")
            .count();
        assert_eq!(
            self.body.matches("<script").count(),
            1 + data,
            "{}",
            self.body
        );
        self.says(&["<script src=\"/assets/"]);
    }

    /// Asserts that the page contains none of these fragments.
    fn never_says(&self, fragments: &[&str]) -> &Self {
        for fragment in fragments {
            assert!(
                !self.body.contains(fragment),
                "{fragment:?} in:\n{}",
                self.body
            );
        }
        self
    }
}

async fn ask(registry: &Registry, request: Request<Body>) -> Answer {
    let response = app(registry.state.clone()).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 20).await.unwrap();
    let is_picture = parts
        .headers
        .get(CONTENT_TYPE)
        .is_some_and(|it| it == "image/png");
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: if is_picture {
            String::new()
        } else {
            String::from_utf8(bytes.to_vec()).unwrap()
        },
    }
}

async fn get(registry: &Registry, address: &str) -> Answer {
    ask(registry, Request::get(address).body(Body::empty()).unwrap()).await
}
