//! Tests of the twins of pages: JSON and Markdown.

use super::contract::pages;
use super::*;
use crate::twin::Form;
use axum::http::header::{ACCEPT, LINK, VARY};
use pulldown_cmark::{Event, Options, Parser, Tag};

/// `Accept` of Firefox and of Chromium.
const BROWSERS: [&str; 2] = [
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
];

fn twin(page: &str, form: Form) -> String {
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{}{mark}{query}", form.path(path))
}

async fn get_as(registry: &Registry, address: &str, accept: &str) -> Answer {
    let request = Request::get(address).header(ACCEPT, accept);
    ask(registry, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn every_page_has_twins_below_its_path_and_by_accept() {
    let registry = registry::full().await;
    for page in pages() {
        for form in [Form::Json, Form::Markdown] {
            let address = twin(&page, form);
            let named = get(&registry, &address).await;
            assert_eq!(named.status, StatusCode::OK, "{address}");
            assert!(
                named.header(CONTENT_TYPE).starts_with(form.media_type()),
                "{address}: {}",
                named.header(CONTENT_TYPE)
            );
            assert_eq!(named.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{address}");
            assert_ne!(named.header(ETAG), "", "{address}");
            let chosen = get_as(&registry, &page, form.media_type()).await;
            assert_eq!(chosen.header(CONTENT_TYPE), named.header(CONTENT_TYPE));
            assert_eq!(chosen.header(ETAG), named.header(ETAG), "{page}");
            let vary: Vec<_> = chosen.headers.get_all(VARY).iter().collect();
            assert!(vary.iter().any(|it| *it == "accept"), "{page}: {vary:?}");
        }
        for accept in BROWSERS {
            let html = get_as(&registry, &page, accept).await;
            assert_eq!(html.header(CONTENT_TYPE), "text/html; charset=utf-8");
            html.says(&["<!DOCTYPE html>"]);
            let links = html.header(LINK);
            for form in [Form::Json, Form::Markdown] {
                let address = twin(&page, form);
                assert!(
                    links.contains(&format!("<{address}>; rel=\"alternate\"")),
                    "{links}"
                );
            }
        }
    }
}

#[tokio::test]
async fn every_page_links_to_its_own_json_twin() {
    let registry = registry::full().await;
    for page in pages() {
        let address = twin(&page, Form::Json);
        get(&registry, &page)
            .await
            .says(&[&format!("<a href=\"{address}\">This page as JSON</a>")]);
    }
}

#[tokio::test]
async fn the_json_twin_of_a_page_is_the_body_of_the_api() {
    let registry = registry::full().await;
    for (page, api) in [
        ("/search?q=table", "/api/v1/search?q=table"),
        (
            "/agent/mesa.example/reservations",
            "/api/v1/agents/mesa.example/reservations",
        ),
        (
            "/agent/mesa.example/reservations/raw",
            "/api/v1/agents/mesa.example/reservations/raw",
        ),
        (
            "/agent/mesa.example/reservations/history",
            "/api/v1/agents/mesa.example/reservations/history",
        ),
        (
            "/agent/mesa.example/reservations/diff",
            "/api/v1/agents/mesa.example/reservations/diff",
        ),
        ("/site/mesa.example", "/api/v1/sites/mesa.example"),
        ("/docs/rules", "/api/v1/rules"),
        ("/docs/rules/A2-06", "/api/v1/rules/A2-06"),
    ] {
        let (mut own, mut body) = (
            get(&registry, &twin(page, Form::Json)).await.json(),
            get(&registry, api).await.json(),
        );
        for body in [&mut own, &mut body] {
            if let Some(took) = body.get_mut("took_ms") {
                *took = 0.into();
            }
        }
        assert_eq!(own, body, "{page}");
    }
}

#[tokio::test]
async fn the_front_page_and_the_documents_have_json_of_their_own() {
    let registry = registry::full().await;
    let home = get(&registry, "/index.json").await.json();
    assert_eq!(home["counts"]["agents"], 11);
    assert_eq!(
        home["newest"][0]["page"]
            .as_str()
            .map(|it| it.starts_with("/agent/")),
        Some(true)
    );
    let docs = get(&registry, "/docs/index.json").await.json();
    assert_eq!(docs["docs"][0]["page"], "/docs/search");
    let doc = get(&registry, "/docs/search/index.json").await.json();
    let text = get(&registry, "/docs/search/index.md").await.body;
    assert_eq!(doc["markdown"], text);
    assert!(text.starts_with("# "), "{text:.80}");
}

#[tokio::test]
async fn markdown_tells_what_the_page_tells() {
    let registry = registry::full().await;
    let agent = get(&registry, "/agent/mesa.example/reservations/index.md").await;
    agent.says(&[
        "# Mesa reservations\n",
        "[mesa.example](</site/mesa.example>)",
        "## How to call it\n",
        "## Capabilities\n",
        "- Listed as: mesa.example/reservations\n",
        "SHA-256: ",
    ]);
    get(&registry, "/search/index.md?q=book+a+table")
        .await
        .says(&[
            "# book a table\n",
            "### [Mesa reservations](</agent/mesa.example/reservations>)",
        ]);
    get(&registry, "/site/empty.example/index.md")
        .await
        .says(&["# empty.example\n", "## Why this site isn't listed\n"]);
}

#[tokio::test]
async fn hostile_text_is_no_markup_in_markdown() {
    let registry = registry::full().await;
    for address in [
        "/index.md",
        "/search/index.md",
        "/search/index.md?q=%23+a+%5Bx%5D(javascript:alert)%3Cscript%3E",
        "/agent/hostile.example/x/index.md",
        "/agent/hostile.example/x/raw/index.md",
        "/agent/hostile.example/x/history/index.md",
        "/site/hostile.example/index.md",
    ] {
        let page = get(&registry, address).await;
        assert_eq!(page.status, StatusCode::OK, "{address}");
        for event in Parser::new_ext(&page.body, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{address}: {html}"),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let is_ours = dest_url.starts_with('/') && !dest_url.starts_with("//");
                    assert!(is_ours, "{address}: {dest_url}");
                }
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn errors_of_twins_are_problems() {
    let registry = registry::full().await;
    for address in [
        "/agent/mesa.example/nothing/index.json",
        "/agent/mesa.example/nothing/index.md",
        "/site/nothing.example/index.md",
        "/docs/nothing/index.json",
        "/nothing/index.md",
    ] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        let media_type = answer.header(CONTENT_TYPE);
        assert_eq!(media_type, "application/problem+json", "{address}");
    }
    let chosen = get_as(&registry, "/site/nothing.example", "application/json").await;
    assert_eq!(chosen.header(CONTENT_TYPE), "application/problem+json");
    let moved = get(&registry, "/site/b%C3%BCcher.example/index.md").await;
    assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(
        moved.header(LOCATION),
        "/site/xn--bcher-kva.example/index.md"
    );
}

#[tokio::test]
async fn what_accept_chooses_is_like_the_twin_in_errors_and_for_other_origins() {
    let registry = registry::full().await;
    let chosen = async |address: &str| {
        let request = Request::get(address).header("accept", "application/json");
        ask(&registry, request.body(Body::empty()).unwrap()).await
    };
    for (address, status, media_type) in [
        ("/search?q=table", 200, "application/json"),
        ("/search?limit=x", 400, "application/problem+json"),
        ("/nothing", 404, "application/problem+json"),
    ] {
        let answer = chosen(address).await;
        assert_eq!(answer.status.as_u16(), status, "{address}");
        assert_eq!(answer.header(CONTENT_TYPE), media_type, "{address}");
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{address}");
    }
}
