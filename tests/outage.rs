//! Tests of a web server whose database is away for a while.

use crate::support::binary;
use crate::support::http::{self, client};
use crate::support::postgres::{Database, Gate};
use crate::support::registry::{CARD, Registry, card};
use crate::support::server::Server;
use crate::support::wait::until;
use reqwest::Response;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use store::Role;

/// Pages and answers that are kept once they were asked for.
const KEPT: [&str; 4] = ["/", "/stats", "/search?q=table", "/site/mesa.example"];
const KEPT_JSON: &str = "/api/v1/search?q=table";

/// Fills a database with one agent, and returns the registry with its index.
pub(crate) async fn filled(url: &str) -> Registry {
    filled_with(url, "mesa.example").await
}

/// Fills a database with the agent of one site, and returns the registry with its index.
pub(crate) async fn filled_with(url: &str, site: &str) -> Registry {
    let mut registry = Registry {
        folder: tempfile::tempdir().unwrap(),
        store: store::open(url, &[Role::Indexer]).await.unwrap(),
        now: 1_800_000_000_000,
    };
    let mesa = card("Mesa", "book_table", "Books a table.");
    registry.visit(site, &[(CARD, &mesa)], &[]).await;
    registry.catch_up().await;
    registry
}

/// Starts `web` with its data in the folder of a registry.
pub(crate) fn start(registry: &Registry, arguments: &[&str]) -> Server {
    let folder = registry.folder.path();
    let mut command = Command::new(binary("web"));
    command
        .current_dir(folder)
        .args(["--index", registry.index().to_str().unwrap()])
        .args(["--admin-listen", "127.0.0.1:0"])
        .args(arguments);
    Server::start(&mut command)
}

/// Returns the address of `/readyz` of a server.
pub(crate) fn readiness(server: &Server) -> String {
    let began = server.began.join("\n");
    let word = "health and metrics are served at ";
    let (_, rest) = began.split_once(word).unwrap();
    let end = rest.find(['"', ' ', '\n']).unwrap();
    format!("http://{}/readyz", &rest[..end])
}

pub(crate) async fn get(server: &Server, path: &str) -> Response {
    let request = client().get(format!("{}{path}", server.url));
    request.send().await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
pub(crate) async fn text(response: Response) -> String {
    response.text().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.map_or("", |it| it.to_str().unwrap())
}

async fn submit(server: &Server, domain: &str) -> http::Answer {
    let url = format!("{}/api/v1/submit", server.url);
    http::post_json(&url, &json!({ "domain": domain })).await
}

/// Calls a tool of MCP.
async fn call(server: &Server, name: &str, arguments: serde_json::Value) -> http::Answer {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": name, "arguments": arguments}});
    let request = client()
        .post(format!("{}/mcp", server.url))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(request.to_string());
    http::answer(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_answers_and_suggestions_go_on_while_the_database_is_away() {
    let Some(database) = Database::create().await else {
        return;
    };
    let registry = filled(&database.url()).await;
    let mut gate = Gate::open();
    let server = start(&registry, &["--database", &gate.url(&database)]);
    let is_ready = async || http::get(&readiness(&server)).await.status == 200;
    until("the server is ready", is_ready).await;
    for path in KEPT.into_iter().chain([KEPT_JSON]) {
        let response = get(&server, path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(header(&response, "cache-status"), "", "{path}");
        assert!(!text(response).await.contains("cannot be reached"));
    }
    gate.cut().await;
    goes_on(&server).await;
    refuses_the_rest(&server).await;
    let unready = http::get(&readiness(&server)).await;
    assert_eq!(unready.status, 503);
    assert!(unready.text.contains("is away"), "{}", unready.text);
    let alive = readiness(&server).replace("readyz", "healthz");
    assert_eq!(http::get(&alive).await.status, 200);
    gate.restore();
    until("the server is ready again", is_ready).await;
    for path in KEPT
        .into_iter()
        .chain([KEPT_JSON, "/agent/mesa.example/mesa"])
    {
        let response = get(&server, path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(header(&response, "cache-status"), "", "{path}");
        assert!(!text(response).await.contains("cannot be reached"));
    }
    let accepted = submit(&server, "new.example").await;
    assert_eq!(accepted.status, 202, "{}", accepted.text);
    drop(server);
    Arc::clone(&registry.store).close().await;
    database.drop().await;
}

/// Asserts that a server without its database gives kept answers, suggestions and its documentation.
async fn goes_on(server: &Server) {
    let notice =
        r#"<p class="warning" role="status">The database of this registry cannot be reached"#;
    for path in KEPT {
        // What was read in the last seconds needs no database.
        until("an answer is as of before", async || {
            let response = get(server, path).await;
            assert_eq!(response.status(), 200, "{path}");
            !header(&response, "cache-status").is_empty()
        })
        .await;
        let response = get(server, path).await;
        let status = header(&response, "cache-status");
        assert_eq!(status, "agentdex; hit; detail=database_away", "{path}");
        assert_eq!(header(&response, "cache-control"), "no-store");
        assert_ne!(header(&response, "age"), "");
        let page = text(response).await;
        assert!(page.contains(notice), "{path}: {page}");
        assert!(page.trim_end().ends_with("</html>"), "{path}");
    }
    let kept = get(server, KEPT_JSON).await;
    assert_eq!(kept.status(), 200);
    assert!(header(&kept, "cache-status").ends_with("detail=database_away"));
    let kept: serde_json::Value = serde_json::from_str(&text(kept).await).unwrap();
    assert_eq!(kept["results"][0]["id"], "mesa.example/mesa");
    // Not asked for before.
    let suggested = get(server, "/api/v1/suggest?q=mes").await;
    assert_eq!(suggested.status(), 200);
    let status = header(&suggested, "cache-status");
    assert_eq!(status, "agentdex; detail=database_away");
    let suggested = text(suggested).await;
    assert!(suggested.to_lowercase().contains("mesa"), "{suggested}");
    assert!(suggested.contains("cannot be reached"), "{suggested}");
    assert_eq!(get(server, "/docs/api").await.status(), 200);
}

/// Asserts that a server without its database refuses what it cannot answer, in each form.
async fn refuses_the_rest(server: &Server) {
    let page = get(server, "/agent/mesa.example/mesa").await;
    assert_eq!(
        (page.status().as_u16(), header(&page, "retry-after")),
        (503, "30")
    );
    assert!(header(&page, "content-type").starts_with("text/html"));
    let problem = get(server, "/api/v1/search?q=restaurant").await;
    assert_eq!(problem.status(), 503);
    assert_eq!(header(&problem, "retry-after"), "30");
    let problem = text(problem).await;
    assert!(
        problem.contains(r#""errorCode":"database_away""#),
        "{problem}"
    );
    let refused = submit(server, "new.example").await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    let called = call(server, "search_agents", json!({"q": "restaurant"})).await;
    assert_eq!(called.status, 200);
    assert!(
        called.text.contains("the database cannot be reached")
            || called.text.contains("The database cannot be reached"),
        "{}",
        called.text
    );
    let interaction = http::post_json(
        &format!("{}/api/v1/interaction/sessions", server.url),
        &json!({}),
    )
    .await;
    assert_ne!(interaction.status, 500, "{}", interaction.text);
}
