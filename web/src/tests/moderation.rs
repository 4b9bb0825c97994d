//! Moderation over the API: the log, reports, and requests to leave and to return.

use super::{Answer, ask, get, registry};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use registry::Registry;
use serde_json::{Value, json};
use store::{Exclusion, ExclusionSource, Scope, Target};

async fn post(registry: &Registry, path: &str, body: &Value) -> Answer {
    let request = Request::post(format!("/api/v1{path}"));
    let request = request.header("content-type", "application/json");
    ask(
        registry,
        request.body(Body::from(body.to_string())).unwrap(),
    )
    .await
}

#[tokio::test]
async fn a_body_that_cannot_be_used_is_answered_with_what_is_wrong() {
    let registry = registry::full().await;
    let of = |body: &Answer| body.json()["errors"][0]["code"].clone();
    for (path, body, code) in [
        ("/leave", json!({}), "required"),
        ("/leave", json!({ "domain": 1 }), "bad_type"),
        ("/leave", json!({ "domain": "no domain" }), "bad_domain"),
        ("/leave", json!({ "domain": "a.example:0" }), "bad_port"),
        (
            "/leave",
            json!({ "domain": "a.example", "subdomains": 1 }),
            "bad_type",
        ),
        (
            "/leave",
            json!({ "domain": "a.example", "x": 1 }),
            "unknown_parameter",
        ),
        (
            "/return",
            json!({ "domain": "a.example", "subdomains": true }),
            "unknown_parameter",
        ),
        (
            "/reports",
            json!({ "target": "a b", "kind": "spam", "text": "x" }),
            "bad_target",
        ),
        (
            "/reports",
            json!({ "target": "a.example", "kind": "spm", "text": "x" }),
            "unknown_value",
        ),
        (
            "/reports",
            json!({ "target": "a.example", "kind": "spam", "text": " \n" }),
            "bad_text",
        ),
        (
            "/reports",
            json!({ "target": "a.example", "kind": "spam", "text": "x".repeat(2_001) }),
            "bad_text",
        ),
        (
            "/leave?x=1",
            json!({ "domain": "a.example" }),
            "unknown_parameter",
        ),
    ] {
        let answer = post(&registry, path, &body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {body}");
        assert_eq!(of(&answer), code, "{path} {body}");
    }
    for body in ["", "[]", "{", "\"a\""] {
        let request = Request::post("/api/v1/leave")
            .header("content-type", "application/json")
            .body(Body::from(body))
            .unwrap();
        let answer = ask(&registry, request).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(answer.json()["errorCode"], "bad_body");
    }
    let unknown = json!({ "target": "unknown.example", "kind": "spam", "text": "x" });
    let answer = post(&registry, "/reports", &unknown).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    for path in ["/api/v1/leave/x", "/api/v1/return/x"] {
        assert_eq!(get(&registry, path).await.status, StatusCode::NOT_FOUND);
    }
    for query in [
        "before=x",
        "before=-1",
        "limit=0",
        "limit=1001",
        "limit=+1",
        "after=1",
    ] {
        let answer = get(&registry, &format!("/api/v1/moderation?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
    }
}

/// The addresses that take a JSON object, each with a body that is accepted.
const OBJECTS: [(&str, &str); 4] = [
    ("/submit", r#"{"domain": "mesa.example"}"#),
    ("/leave", r#"{"domain": "mesa.example"}"#),
    ("/return", r#"{"domain": "mesa.example"}"#),
    (
        "/reports",
        r#"{"target": "mesa.example", "kind": "spam", "text": "It sells."}"#,
    ),
];

async fn send(registry: &Registry, path: &str, body: String) -> Answer {
    let request = Request::post(format!("/api/v1{path}"));
    let request = request.header("content-type", "application/json");
    ask(registry, request.body(Body::from(body)).unwrap()).await
}

#[tokio::test]
async fn all_bodies_that_are_objects_are_read_alike() {
    let registry = registry::full().await;
    for (path, body) in OBJECTS {
        let answer = send(&registry, path, body.to_owned()).await;
        assert!(
            answer.status != StatusCode::BAD_REQUEST,
            "{path}: {}",
            answer.body
        );
        let inner = body.trim_matches(['{', '}']);
        for (body, code) in [
            (r#"["mesa.example"]"#.to_owned(), "bad_body"),
            (String::new(), "bad_body"),
            (format!("{body} {{}}"), "bad_body"),
            (format!("{{{inner}, {inner}}}"), "bad_parameters"),
            (format!(r#"{{{inner}, "colour": 1}}"#), "bad_parameters"),
        ] {
            let answer = send(&registry, path, body.clone()).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {body}");
            assert_eq!(answer.json()["errorCode"], code, "{path} {body}");
        }
        let twice = send(&registry, path, format!("{{{inner}, {inner}}}")).await;
        assert_eq!(twice.json()["errors"][0]["code"], "repeated", "{path}");
        let most = format!("{body}{}", " ".repeat((16 << 10) - body.len()));
        let answer = send(&registry, path, most.clone()).await;
        assert_ne!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        let answer = send(&registry, path, format!("{most} ")).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        answer.says(&["too_large", "at most 16384 bytes"]);
    }
}

#[tokio::test]
async fn domains_follow_the_same_rules_everywhere() {
    let registry = registry::full().await;
    for path in ["/submit", "/leave", "/return"] {
        for (domain, code) in [
            ("shop.onion", "reserved_name"),
            ("a.test", "reserved_name"),
            ("printer.local", "reserved_name"),
            ("node.js", "unknown_suffix"),
            ("co.uk", "bad_domain"),
            ("127.0.0.1", "bad_domain"),
            ("shop.example:0", "bad_port"),
            ("ftp://shop.example", "bad_scheme"),
        ] {
            let answer = post(&registry, path, &json!({ "domain": domain })).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {domain}");
            assert_eq!(answer.json()["errors"][0]["code"], code, "{path} {domain}");
        }
    }
    let url = json!({ "domain": "https://Mesa.example:8443/agents" });
    let begun = post(&registry, "/leave", &url).await.json();
    assert_eq!(begun["domain"], "mesa.example");
    let url = begun["publish"]["file"]["url"].as_str().unwrap();
    assert!(url.starts_with("https://mesa.example:8443/"), "{url}");
    // A sentence that begins with a domain keeps its spelling.
    let refused = post(&registry, "/return", &json!({ "domain": "mesa.example" })).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.starts_with("mesa.example has not left"), "{detail}");
}

#[tokio::test]
async fn a_request_to_leave_names_two_places_and_is_joined_by_the_next_one() {
    let registry = registry::full().await;
    let asked = json!({ "domain": "MESA.example", "subdomains": true });
    let answer = post(&registry, "/leave", &asked).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    let begun = answer.json();
    let value = begun["publish"]["dns"]["value"].as_str().unwrap();
    let token = value.strip_prefix("agentdex-leave=").unwrap();
    assert!(token.len() >= 32, "{token}");
    assert_eq!(begun["subdomains"], true);
    let file = &begun["publish"]["file"];
    let expected = json!({
        "url": "https://mesa.example/.well-known/agentdex-leave.txt",
        "content": value,
    });
    assert_eq!(*file, expected);
    let state = get(&registry, begun["links"]["state"].as_str().unwrap()).await;
    assert_eq!(state.json()["state"], "waiting");
    state.never_says(&[token]);
    let id = begun["id"].as_str().unwrap();
    let other = get(&registry, &format!("/api/v1/return/{id}")).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    // A stranger who asks as well gets the same, and ends nothing.
    for _ in 0..10 {
        let answer = post(&registry, "/leave", &asked).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
        assert_eq!(answer.json()["id"], begun["id"]);
        assert_eq!(answer.json()["publish"], begun["publish"]);
    }
    let below = |number| json!({ "domain": format!("h{number}.mesa.example") });
    for number in 0..6 {
        let answer = post(&registry, "/leave", &below(number)).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
    }
    let answer = post(&registry, "/leave", &below(6)).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.json()["errorCode"], "limited");
    let answer = post(&registry, "/leave", &json!({ "domain": "mesa.example" })).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert_ne!(
        answer.json()["id"],
        begun["id"],
        "without subdomains it is another request"
    );
}

#[tokio::test]
async fn what_is_hidden_or_excluded_is_gone_from_every_address() {
    let registry = registry::full().await;
    let store = &*registry.state.store;
    let now = registry::now();
    let agents = store.agents(None, 100).await.unwrap();
    let hidden = agents
        .iter()
        .find(|it| it.domain.as_str() == "mesa.example");
    let id = hidden.unwrap().listing.id.as_str().to_owned();
    let target = Target::parse("mesa.example").unwrap();
    store.hide(&target, "a <b>fraud</b>", now).await.unwrap();
    for path in [
        format!("/agent/{id}"),
        format!("/agent/{id}/index.json"),
        format!("/api/v1/agents/{id}"),
        format!("/api/v1/agents/{id}/history"),
        format!("/api/v1/agents/{id}/raw"),
        format!("/api/v1/agents/{id}/evidence"),
        format!("/api/v1/agents/{id}/similar"),
        format!("/api/v1/agents/{id}/diff"),
    ] {
        let answer = get(&registry, &path).await;
        assert_eq!(answer.status, StatusCode::GONE, "{path}");
        answer.says(&["fraud"]);
    }
    let address = format!("/api/v1/agents/{id}");
    let tombstone = get(&registry, &address).await.json()["tombstone"].clone();
    assert_eq!(
        (&tombstone["id"], &tombstone["op"]),
        (&json!(id), &json!("remove"))
    );
    assert_eq!(tombstone["reason"], "hidden: a <b>fraud</b>");
    assert_eq!(tombstone["at"], now.to_rfc3339());
    let never = get(&registry, "/api/v1/agents/mesa.example/never").await;
    assert_eq!(
        never.json()["tombstone"],
        json!(null),
        "it was never listed"
    );
    let found = get(&registry, "/api/v1/search?site=mesa.example").await;
    assert_eq!(found.json()["results"], json!([]));
    let site = get(&registry, "/api/v1/sites/mesa.example").await.json();
    assert_eq!(site["agents"], json!([]));
    assert_eq!(site["hidden"][0]["target"], "mesa.example");
    let page = get(&registry, "/site/mesa.example").await;
    page.says(&[
        "<dd class=\"bad\">Hidden by the operator<small>",
        "The operator of this registry hides mesa.example since <time datetime=\"",
        "</time>: a &#60;b&#62;fraud",
    ]);
    page.never_says(&["<b>fraud", "no agent in it to list", "found no agent"]);
    let since = format!("since {}: a <b>fraud</b>.", now.to_rfc3339());
    let reason = site["not_listed_because"].as_str().unwrap();
    assert!(reason.ends_with(&since), "{reason}");
    let page = get(&registry, "/site/mesa.example/index.md").await;
    page.says(&["## Hidden by the operator"]);

    let exclusion = Exclusion {
        scope: Scope::suffix("mesa.example").unwrap(),
        reason: "the owner asked".to_owned(),
        source: ExclusionSource::Owner,
        since: now,
    };
    store.exclude(&exclusion, now).await.unwrap();
    let page = get(&registry, "/site/mesa.example").await;
    assert_eq!(page.status, StatusCode::GONE);
    page.says(&[
        "<h1>mesa.example has left</h1>",
        "left this registry <time datetime=\"",
        "href=\"/return?domain=mesa.example\"",
        "the owner asked",
        "href=\"/log\"",
    ]);
    let log = get(&registry, "/api/v1/moderation").await.json();
    let actions = log["entries"].as_array().unwrap().iter();
    let actions: Vec<_> = actions.map(|it| it["action"].clone()).collect();
    assert_eq!(actions, ["optout", "hide"]);
    get(&registry, "/log").await.says(&[
        "<h1>Public log</h1>",
        "<td data-label=\"Action\">Asked not to be listed</td>",
        "<td data-label=\"Reason\" dir=\"auto\">the owner asked</td>",
        "<td data-label=\"Decided by\">its owner</td>",
        "<td data-label=\"Action\">Hidden</td>",
        "<td data-label=\"Decided by\">the operator</td>",
    ]);
    assert_eq!(get(&registry, "/log/index.json").await.json(), log);
    let older = get(&registry, "/log?before=1").await;
    older.says(&["There are no older entries.", "href=\"/log\">Newest</a>"]);
    let twin = get(&registry, "/log/index.md").await;
    twin.says(&[
        "# Public log\n",
        ": Asked not to be listed, ",
        "the owner asked (its owner)",
    ]);
}

#[tokio::test]
async fn the_list_of_what_is_gone_has_only_what_is_not_listed_now() {
    let registry = registry::full().await;
    let store = &*registry.state.store;
    let now = registry::now();
    let mesa = Target::parse("mesa.example").unwrap();
    let books = Target::parse("xn--bcher-kva.example").unwrap();
    for target in [&mesa, &books] {
        store.hide(target, "a mistake", now).await.unwrap();
    }
    store.show(&mesa, "it was none", now).await.unwrap();
    let names = async |list: &str| {
        let body = get(&registry, &format!("/browse/{list}/index.json")).await;
        let changes = body.json()["changes"].as_array().unwrap().clone();
        let names = changes.into_iter().map(|it| it["name"].clone());
        names.map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let gone: Vec<String> = names("gone").await;
    assert_eq!(gone, ["xn--bcher-kva.example/buecher"]);
    let new: Vec<String> = names("new").await;
    assert!(new.contains(&"Mesa reservations".to_owned()), "{new:?}");
    assert!(!new.contains(&gone[0]), "{new:?}");
}
