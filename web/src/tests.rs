//! The site as visitors and programs see it, without a socket.

mod registry;

use crate::app;
use axum::body::{Body, to_bytes};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode};
use registry::Registry;
use serde_json::Value;
use tower::ServiceExt as _;

/// An answer, read to its end.
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

    /// Asserts that the page says all of this.
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

    /// Asserts that the page says nothing of this.
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
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8(bytes.to_vec()).unwrap(),
    }
}

async fn get(registry: &Registry, address: &str) -> Answer {
    ask(registry, Request::get(address).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn an_empty_registry_says_how_to_begin() {
    let registry = registry::empty().await;
    let home = get(&registry, "/").await;
    assert_eq!(home.status, StatusCode::OK);
    home.says(&[
        "Nothing is listed yet",
        "crawler --seeds",
        "agentdex --demo",
    ]);
    let search = get(&registry, "/search?q=anything").await;
    assert_eq!(search.status, StatusCode::OK);
    search.says(&["Nothing fits."]);
    let body = get(&registry, "/api/v1/search?q=anything").await.json();
    assert_eq!(body["match"], "none");
    assert_eq!(body["total"], 0);
}

#[tokio::test]
async fn the_front_page_counts_and_shows_what_is_new() {
    let registry = registry::full().await;
    let home = get(&registry, "/").await;
    assert_eq!(home.status, StatusCode::OK);
    home.says(&[
        "<dt>agents</dt><dd>7</dd>",
        "<dt>sites visited</dt><dd>7</dd>",
        "Newest agents",
        "/agent/mesa.example/reservations",
        "https://agentdex.example/api/v1/search",
    ]);
}

#[tokio::test]
async fn every_answer_is_guarded() {
    let registry = registry::full().await;
    for address in [
        "/",
        "/nothing",
        "/search?limit=0",
        "/api/v1/search",
        "/api/v1/x",
    ] {
        let answer = get(&registry, address).await;
        assert!(
            answer
                .header(CONTENT_SECURITY_POLICY)
                .starts_with("default-src 'self'")
        );
        assert_eq!(answer.header(X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(answer.header(REFERRER_POLICY), "same-origin");
    }
}

#[tokio::test]
async fn pages_load_nothing_but_our_own_files_and_hold_no_inline_style_or_script() {
    let registry = registry::full().await;
    for address in [
        "/",
        "/search",
        "/agent/mesa.example/reservations",
        "/site/mesa.example",
    ] {
        let page = get(&registry, address).await;
        page.never_says(&[
            "<script",
            "style=",
            "<style",
            " onclick",
            "src=\"http",
            "href=\"//",
        ]);
        for asset in page.body.split('"').filter(|it| it.starts_with("/assets/")) {
            let file = get(&registry, asset).await;
            assert_eq!(file.status, StatusCode::OK, "{asset}");
            assert!(file.header(CACHE_CONTROL).ends_with("immutable"));
        }
    }
}

#[tokio::test]
async fn an_asset_of_another_version_is_not_there() {
    let registry = registry::empty().await;
    let answer = get(&registry, "/assets/000000000000/site.css").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.header(CACHE_CONTROL), "no-store");
}

#[tokio::test]
async fn a_search_shows_what_fits_and_why() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=book+a+table").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(
        page.header(CACHE_CONTROL),
        "public, max-age=60, stale-while-revalidate=600"
    );
    page.says(&[
        "Mesa reservations",
        "Why it was found",
        "<mark>table</mark>",
        "value=\"book a table\"",
    ]);
}

#[tokio::test]
async fn facets_are_links_that_narrow_and_widen() {
    let registry = registry::full().await;
    let page = get(&registry, "/search").await;
    page.says(&["Narrow it down", "href=\"/search?level=B\""]);
    let narrowed = get(&registry, "/search?level=B").await;
    narrowed
        .says(&[
            "Bücher am Markt",
            "href=\"/search\"",
            "type=\"hidden\" name=\"level\" value=\"B\"",
        ])
        .never_says(&["Mesa reservations"]);
}

#[tokio::test]
async fn a_site_with_many_agents_does_not_fill_the_page() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=hotel+rooms").await;
    page.says(&[
        "2 more from chain.example",
        "/search?q=hotel+rooms&#38;site=chain.example",
    ]);
    let all = get(&registry, "/search?q=hotel+rooms&site=chain.example").await;
    all.says(&["Graz", "Linz", "Wien", "Wels"]);
}

#[tokio::test]
async fn an_honest_no_offers_what_comes_near() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?q=zzyzx").await;
    page.says(&["Nothing fits.", "No agent that we know"])
        .never_says(&["class=\"card\""]);
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repetition() {
    let registry = registry::full().await;
    let mut seen = Vec::new();
    let mut address = "/api/v1/search?per_site=100&limit=2&sort=name".to_owned();
    loop {
        let body = get(&registry, &address).await.json();
        let ids = body["results"].as_array().unwrap().iter();
        seen.extend(ids.map(|result| result["id"].as_str().unwrap().to_owned()));
        let Some(cursor) = body["next_cursor"].as_str() else {
            break;
        };
        address = format!("/api/v1/search?per_site=100&limit=2&sort=name&cursor={cursor}");
        assert!(seen.len() <= 7, "the pages never end: {seen:?}");
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((count, seen.len()), (7, 7), "{seen:?}");
}

#[tokio::test]
async fn the_next_page_is_a_link() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?limit=1").await;
    let next = page
        .body
        .split('"')
        .find(|it| it.contains("cursor="))
        .unwrap();
    let next = get(&registry, &next.replace("&#38;", "&")).await;
    assert_eq!(next.status, StatusCode::OK);
    next.says(&["First page"]);
}

#[tokio::test]
async fn an_agent_page_says_what_it_does_how_to_call_it_and_how_we_know() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/mesa.example/reservations").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header(CACHE_CONTROL), "public, max-age=300");
    page.says(&[
        "<h1 dir=\"auto\">Mesa reservations</h1>",
        "OAuth 2; flows: clientCredentials",
        "https://mesa.example/token",
        "message/send",
        "Book a table for four in Lisbon tonight",
        "rel=\"nofollow noopener ugc\"",
        "https://mesa.example/.well-known/agent-card.json",
        "nothing to mend",
        "stated at <code>/skills/0</code>",
    ]);
}

#[tokio::test]
async fn an_agent_page_shows_parameters_schemas_flows_and_limits() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/xn--bcher-kva.example/buecher").await;
    page.says(&[
        "GET /api/books",
        "Words of the title",
        "Default: 10.",
        "30 calls a minute",
        "Output schema",
        "handoff_url",
        "Buy a book",
        "A person finishes it at a URL",
        "bücher.example",
        "the limit is a text; write the number 30",
    ]);
}

#[tokio::test]
async fn a_domain_in_unicode_leads_to_its_a_labels() {
    let registry = registry::full().await;
    for (asked, wanted) in [
        ("/site/b%C3%BCcher.example", "/site/xn--bcher-kva.example"),
        ("/site/MESA.example", "/site/mesa.example"),
        (
            "/agent/b%C3%BCcher.example/buecher",
            "/agent/xn--bcher-kva.example/buecher",
        ),
        (
            "/api/v1/sites/b%C3%BCcher.example",
            "/api/v1/sites/xn--bcher-kva.example",
        ),
        (
            "/api/v1/agents/b%C3%BCcher.example/a%2Fb",
            "/api/v1/agents/xn--bcher-kva.example/a%2Fb",
        ),
    ] {
        let answer = get(&registry, asked).await;
        assert_eq!(answer.status, StatusCode::PERMANENT_REDIRECT, "{asked}");
        assert_eq!(answer.header(LOCATION), wanted);
    }
}

#[tokio::test]
async fn hostile_text_stays_text() {
    let registry = registry::full().await;
    for address in [
        "/",
        "/search",
        "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/agent/hostile.example/x",
        "/site/hostile.example",
        "/agent/hostile.example/%3Cscript%3E",
        "/%3Cscript%3Ealert(1)",
        "/search?sort=%3Cscript%3E",
        "/site/%3Cscript%3E",
    ] {
        let page = get(&registry, address).await;
        page.never_says(&[
            "<script",
            "<img src=x",
            "<i>x",
            "href=\"javascript:",
            "href=\"data:",
            "\u{202e}",
        ]);
    }
    let page = get(&registry, "/agent/hostile.example/x").await;
    page.says(&[
        "&#60;script&#62;alert(1)&#60;/script&#62; &#34;quoted&#34;",
        "javascript:alert(3)",
        "{{ 7 * 7 }}",
    ]);
    let snippets = get(&registry, "/api/v1/search?q=script").await.body;
    assert!(!snippets.contains("<script>alert(1)</mark>"), "{snippets}");
}

#[tokio::test]
async fn a_site_page_shows_documents_findings_robots_and_requests() {
    let registry = registry::full().await;
    let page = get(&registry, "/site/xn--bcher-kva.example").await;
    assert_eq!(page.status, StatusCode::OK);
    page.says(&[
        "<h1>bücher.example</h1>",
        "xn--bcher-kva.example",
        "1 agent in 1 document.",
        "AJ-18",
        "1 warning",
        "It lets us ask for every manifest (status 200).",
        "https://xn--bcher-kva.example/agents.txt",
        "404, 24 B, 31 ms",
        "the server says &#60;gone&#62;",
        "20 Nov 2026, 12:00 UTC",
        "2 hours ago",
    ]);
}

#[tokio::test]
async fn a_site_with_nothing_says_why() {
    let registry = registry::full().await;
    for (site, why) in [
        ("empty.example", "publishes no manifest"),
        ("closed.example", "robots.txt kept us away"),
        ("waiting.example", "We have not visited it yet."),
        ("broken.example", "none describes an agent"),
    ] {
        let page = get(&registry, &format!("/site/{site}")).await;
        assert_eq!(page.status, StatusCode::OK, "{site}");
        page.says(&["Why nothing of it is listed", why]);
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_404_with_ways_on() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/mesa.example/reservation-desk").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&[
        "There is no agent “reservation-desk” at mesa.example.",
        "Perhaps you meant",
        "Mesa reservations",
    ]);
    let page = get(&registry, "/site/unheard-of.example").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&["We have never heard of unheard-of.example.", "name=\"q\""]);
    let page = get(&registry, "/no/such/page").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&["There is no such page."]);
    let page = get(&registry, "/site/%ff").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn bad_parameters_are_a_400_that_says_what_would_be_right() {
    let registry = registry::full().await;
    let page = get(&registry, "/search?sort=nmae").await;
    assert_eq!(page.status, StatusCode::BAD_REQUEST);
    page.says(&["Did you mean “name”?"]);
    let page = get(&registry, "/site/192.0.2.1").await;
    assert_eq!(page.status, StatusCode::BAD_REQUEST);
    page.says(&["an IP address is not a domain"]);
    let page = get(&registry, "/search?cursor=abc").await;
    assert_eq!(page.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn only_reading_is_possible() {
    let registry = registry::empty().await;
    for address in ["/", "/api/v1/search"] {
        let request = Request::post(address).body(Body::empty()).unwrap();
        let answer = ask(&registry, request).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    }
}

#[tokio::test]
async fn an_index_that_cannot_be_read_is_our_fault_and_shows_nothing_internal() {
    let mut registry = registry::full().await;
    let folder = tempfile::tempdir().unwrap();
    registry.state.searcher = indexer::search::Searcher::open(folder.path()).unwrap();
    std::fs::write(folder.path().join("holiday.jpg"), "not an index").unwrap();
    for address in ["/search?q=a", "/api/v1/search?q=a"] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        answer
            .says(&["Something failed on our side."])
            .never_says(&[folder.path().to_str().unwrap(), "tantivy", "holiday"]);
    }
}

#[tokio::test]
async fn answers_are_tagged_and_a_second_question_is_answered_with_304() {
    let registry = registry::full().await;
    for address in [
        "/search?q=table",
        "/agent/mesa.example/reservations",
        "/site/mesa.example",
        "/api/v1/search?q=table",
        "/api/v1/agents/mesa.example/reservations",
        "/api/v1/sites/mesa.example",
    ] {
        let first = get(&registry, address).await;
        let tag = first.header(ETAG).to_owned();
        assert!(tag.starts_with("W/\""), "{address}: {tag}");
        let request = Request::get(address).header("if-none-match", &tag);
        let second = ask(&registry, request.body(Body::empty()).unwrap()).await;
        assert_eq!(second.status, StatusCode::NOT_MODIFIED, "{address}");
        assert_eq!(second.header(ETAG), tag);
        assert_eq!(second.body, "");
    }
    let one = get(&registry, "/api/v1/search?q=table").await;
    let other = get(&registry, "/api/v1/search?q=chair").await;
    assert_ne!(one.header(ETAG), other.header(ETAG));
}

#[tokio::test]
async fn answers_are_compressed_for_those_who_can_read_it() {
    let registry = registry::full().await;
    let request = Request::get("/search").header("accept-encoding", "br");
    let response = app(registry.state.clone())
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    assert_eq!(response.headers()[CONTENT_ENCODING], "br");
}

#[tokio::test]
async fn the_api_is_open_to_pages_of_any_origin() {
    let registry = registry::full().await;
    for address in ["/api/v1/search", "/api/v1/sites/nothing.example"] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    }
    let page = get(&registry, "/").await;
    assert_eq!(page.header(ACCESS_CONTROL_ALLOW_ORIGIN), "");
}

#[tokio::test]
async fn a_search_of_the_api_is_as_promised() {
    let registry = registry::full().await;
    let address = "/api/v1/search?q=book+a+table+in+Lisbon&facets=format,level&include=connect,evidence&limit=1";
    let answer = get(&registry, address).await;
    assert_eq!(answer.header(CONTENT_TYPE), "application/json");
    let mut body = answer.json();
    body["took_ms"] = 0.into();
    insta::assert_json_snapshot!(body);
}

#[tokio::test]
async fn an_agent_of_the_api_is_as_promised() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/agents/xn--bcher-kva.example/buecher").await;
    insta::assert_json_snapshot!(answer.json());
}

#[tokio::test]
async fn a_site_of_the_api_is_as_promised() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/sites/xn--bcher-kva.example").await;
    insta::assert_json_snapshot!(answer.json());
}

#[tokio::test]
async fn a_problem_of_the_api_is_as_promised() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/search?fromat=a&limit=0").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.header(CONTENT_TYPE), "application/problem+json");
    insta::assert_json_snapshot!(answer.json());
}
