//! Tests of the limits and parts of search results, over a socket.

use super::*;
use crate::tests::served::Served;
use axum::http::Method;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG};
use serde_json::json;
use std::collections::BTreeSet;

/// Bytes of the second version of a document.
const SECOND: &str = "{\"of\": \"mesa.example\", \"more\": 1}";

fn ids(body: &Value) -> Vec<String> {
    let results = body["results"].as_array().unwrap().iter();
    results
        .map(|it| it["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_budget_shortens_the_last_results_and_the_cursor_leads_to_the_rest() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let all = "/api/v1/search?sort=name&per_site=100&include=connect,evidence";
    let whole = served.read(all).await.json();
    let characters = whole["results"].to_string().chars().count();
    let same = served
        .read(&format!("{all}&budget_chars={characters}"))
        .await
        .json();
    assert!(same["results"] == whole["results"], "{characters}");
    for budget in [1_000, 2_000, 4_000, characters - 1] {
        let mut seen = Vec::new();
        let mut path = format!("{all}&budget_chars={budget}");
        let first = served.read(&path).await.json();
        let results = first["results"].as_array().unwrap();
        let length = first["results"].to_string().chars().count();
        assert!(
            length <= budget || results.len() == 1,
            "{length} of {budget}"
        );
        let is_short = |it: &&Value| it["shortened"] == true;
        let whole_ones = results.iter().take_while(|it| !is_short(it)).count();
        assert_eq!(
            results.iter().filter(is_short).count(),
            results.len() - whole_ones
        );
        let without_snippets = |results: &[Value]| -> Vec<Value> {
            let mut results = results.to_vec();
            for result in &mut results {
                result["connect"]["snippets"].take();
            }
            results
        };
        assert_eq!(
            without_snippets(&results[..whole_ones]),
            without_snippets(&whole["results"].as_array().unwrap()[..whole_ones])
        );
        assert_ne!(first["results"], whole["results"], "nothing is left out");
        for short in &results[whole_ones..] {
            assert_eq!(
                (short.get("connect"), short.get("description")),
                (None, None)
            );
        }
        loop {
            let page = served.get(&path).await.json();
            seen.extend(ids(&page));
            assert!(
                seen.len() <= ids(&whole).len(),
                "the pages never end: {seen:?}"
            );
            match page["next_cursor"].as_str() {
                Some(cursor) => path = format!("{all}&budget_chars={budget}&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(seen, ids(&whole), "{budget}");
    }
}

#[tokio::test]
async fn agents_that_were_not_checked_in_time_are_left_out() {
    let mut registry = registry::full().await;
    // Only this one is visited a day later.
    registry.revise(registry::mesa(), SECOND).await;
    registry.state.now = || registry::THEN.after(std::time::Duration::from_hours(30));
    let served = Served::start(&registry).await;
    let all = "/api/v1/search?sort=name&per_site=100&facets=format";
    let whole = served.read(all).await.json();
    assert_eq!(whole["total_is_exact"], true);
    let recent = served
        .read(&format!("{all}&checked_within=7h"))
        .await
        .json();
    assert_eq!(ids(&recent), ["mesa.example/reservations"]);
    assert_eq!(
        (&recent["total_is_exact"], &recent["next_cursor"]),
        (&json!(false), &json!(null))
    );
    assert_eq!(recent["facets"], whole["facets"]);
    let none = served
        .read(&format!("{all}&checked_within=5h"))
        .await
        .json();
    assert_eq!((ids(&none).len(), &none["next_cursor"]), (0, &json!(null)));
    let need = served
        .read("/api/v1/search?q=table&checked_within=5h")
        .await;
    assert_eq!(need.json()["match"], "none");
    let mut seen = Vec::new();
    let mut path = format!("{all}&checked_within=2d&limit=2");
    loop {
        let page = served.read(&path).await.json();
        assert!(ids(&page).len() <= 2);
        seen.extend(ids(&page));
        assert!(seen.len() <= 11, "the pages never end: {seen:?}");
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("{all}&checked_within=2d&limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, ids(&whole));
    let problem = served
        .refused(&format!("{all}&checked_within=7"), 400)
        .await;
    assert_eq!(problem["errors"][0]["code"], "bad_time_span");
}

#[tokio::test]
async fn results_include_the_documents_as_served() {
    let registry = registry::full().await;
    registry.revise(registry::mesa(), SECOND).await;
    let served = Served::start(&registry).await;
    let path = "/api/v1/search?q=mesa.example&include=raw";
    let body = served.read(path).await.json();
    let result = &body["results"][0];
    assert_eq!(result["raw"][0]["text"], SECOND);
    assert_eq!(
        (result.get("connect"), result.get("evidence")),
        (None, None)
    );
    let bytes = result["raw"][0]["links"]["bytes"].as_str().unwrap();
    assert_eq!(served.read(bytes).await.body, SECOND);
    // A new layout of the document is no change of the agent, but one of the answer.
    let before = served.get(path).await;
    registry
        .revise(registry::mesa(), "{\"of\":  \"mesa.example\"}")
        .await;
    let after = served.get(path).await;
    assert_ne!(before.header(ETAG), after.header(ETAG));
    let plain = served.get("/api/v1/search?q=mesa.example").await.json();
    assert_eq!(plain["results"][0].get("raw"), None);
    let problem = served.refused("/api/v1/search?include=rwa", 400).await;
    assert_eq!(problem["errors"][0]["suggestion"], "raw");
}

/// Returns the number of searches of the index so far.
async fn searches(registry: &Registry) -> usize {
    let text = registry.metrics().await;
    let counts = text.lines().filter(|it| it.starts_with("searches_total"));
    counts
        .map(|it| it.rsplit(' ').next().unwrap().parse::<usize>().unwrap())
        .sum()
}

#[tokio::test]
async fn an_answer_is_kept_for_the_next_request() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let found = served.read("/api/v1/search?q=table").await;
    assert_eq!(searches(&registry).await, 1);
    let again = served.read("/api/v1/search?limit=&q=table").await;
    assert_eq!(searches(&registry).await, 1);
    assert_eq!(again.body, found.body);
    assert_eq!(again.headers["etag"], found.headers["etag"]);
    assert_eq!(again.headers["content-type"], "application/json");
    served.read("/api/v1/search?q=tables").await;
    assert_eq!(searches(&registry).await, 2);
    // Whatever changes without a new generation of the index is read anew.
    for part in ["checked_within=7d", "include=raw"] {
        let before = searches(&registry).await;
        for _ in 0..2 {
            served.get(&format!("/api/v1/search?q=table&{part}")).await;
        }
        assert_eq!(searches(&registry).await, before + 2, "{part}");
    }
}

#[tokio::test]
async fn an_answer_is_kept_as_its_client_reads_it() {
    let registry = registry::full().await;
    let path = "/api/v1/search?q=table";
    let ask = async |method: Method, encodings: &[&str]| {
        let request = Request::builder().method(method).uri(path);
        let lines = encodings.iter();
        let request = lines.fold(request, |request, it| request.header(ACCEPT_ENCODING, *it));
        let request = request.body(Body::empty()).unwrap();
        let response = app(registry.state.clone()).oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let encoding = parts.headers.get(CONTENT_ENCODING).cloned();
        (encoding, to_bytes(body, 1 << 20).await.unwrap())
    };
    // The answer to HEAD has no body that could be kept.
    assert_eq!(ask(Method::HEAD, &["br"]).await.1, "");
    // Nor is an answer kept for a client whose encodings are in several lines, all of which
    // compression reads.
    assert_eq!(ask(Method::GET, &["gzip", "br"]).await.0.unwrap(), "br");
    let mut seen = BTreeSet::new();
    for (encodings, encoding) in [("br", "br"), ("gzip", "gzip"), ("identity", "")] {
        let before = searches(&registry).await;
        let found = ask(Method::GET, &[encodings]).await;
        let again = ask(Method::GET, &[encodings]).await;
        assert_eq!(searches(&registry).await, before + 1, "{encodings}");
        assert_eq!(again, found);
        assert_eq!(
            found
                .0
                .map_or(String::new(), |it| it.to_str().unwrap().into()),
            encoding
        );
        assert!(seen.insert(found.1), "{encodings}");
        let head = ask(Method::HEAD, &[encodings]).await;
        assert_eq!((head.0, &*head.1), (again.0, &b""[..]));
    }
    let identity = seen
        .iter()
        .filter_map(|it| serde_json::from_slice::<Value>(it).ok());
    assert_eq!(identity.count(), 1);
}

#[tokio::test]
async fn no_answer_is_kept_beyond_its_generation() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let names = async || {
        let found = served.read("/api/v1/search?q=book%20a%20table").await;
        let first = found.json()["results"][0]["name"].clone();
        (first, found.headers["etag"].clone())
    };
    let before = names().await;
    assert_eq!(before.0, "Mesa reservations");
    let mut mesa = registry::mesa();
    mesa.agents[0]["name"] = json!("Mesa do Tejo");
    registry.revise(mesa, SECOND).await;
    registry.reindex().await;
    let after = names().await;
    assert_eq!(after.0, "Mesa do Tejo");
    assert_ne!(after.1, before.1);
}

#[tokio::test]
async fn an_agent_that_is_withdrawn_is_not_shown_from_memory() {
    let mut registry = registry::full().await;
    let paths = [
        "/api/v1/search?q=book%20a%20table",
        "/search?q=book%20a%20table",
    ];
    for path in paths {
        get(&registry, path).await.says(&["Mesa reservations"]);
    }
    let domain = [manifest::Domain::parse("mesa.example").unwrap()];
    let store = &registry.state.store;
    let forgotten = store.forget(&domain, "asked to", registry::now()).await;
    forgotten.unwrap();
    // The index still has it.
    registry.state.now = || registry::now().after(std::time::Duration::from_secs(1));
    for path in paths {
        get(&registry, path)
            .await
            .never_says(&["Mesa reservations"]);
    }
}

#[tokio::test]
async fn the_tag_of_results_covers_all_that_they_say() {
    let mut registry = registry::full().await;
    let tag = async |registry: &Registry, path: &str| {
        let answer = get(registry, path).await;
        answer.header(ETAG).to_owned()
    };
    let site = "/search?q=mesa-unknown.example";
    let before = tag(&registry, site).await;
    let submission = json!({"domain": "mesa-unknown.example"}).to_string();
    let served = Served::start(&registry).await;
    let lines = "content-type: application/json\r\n";
    let submitted = served.ask("POST", "/api/v1/submit", lines, submission.as_bytes());
    assert_eq!(submitted.await.status, 202);
    assert_ne!(tag(&registry, site).await, before);
    // The times of checks grow older.
    for path in ["/search?q=table", "/api/v1/search?q=table"] {
        registry.state.now = registry::now;
        let before = tag(&registry, path).await;
        registry.state.now = || registry::now().after(std::time::Duration::from_mins(11));
        assert_ne!(tag(&registry, path).await, before, "{path}");
    }
}

#[tokio::test]
async fn capabilities_have_their_agents_and_calls_on_every_page_and_within_a_budget() {
    let registry = registry::full().await;
    let served = Served::start(&registry).await;
    let all = "/api/v1/search?q=book+a+table&unit=capability&per_site=100";
    let whole = served.read(all).await.json();
    let results = whole["results"].as_array().unwrap();
    assert!(results.len() > 2, "{whole:#}");
    assert!(results[0]["connect"].is_object(), "{whole:#}");
    for result in results {
        let connect = &result["connect"];
        if connect.is_object() {
            assert_eq!(connect["capability"], result["capability"]["name"]);
        }
        for reason in result["match"]["because"].as_array().unwrap() {
            assert_eq!(reason["capability"], result["capability"]["name"]);
        }
    }
    let of = |result: &Value| {
        let names = [&result["id"], &result["capability"]["id"], &result["score"]];
        names.map(Value::to_string).join(" ")
    };
    let wanted: Vec<String> = results.iter().map(of).collect();
    for part in [
        "limit=1",
        "budget_chars=1000",
        "checked_within=366d&limit=2",
    ] {
        let (mut seen, mut path) = (Vec::new(), format!("{all}&{part}"));
        loop {
            let page = served.get(&path).await.json();
            seen.extend(page["results"].as_array().unwrap().iter().map(of));
            assert!(seen.len() <= wanted.len(), "the pages never end: {seen:?}");
            match page["next_cursor"].as_str() {
                Some(cursor) => path = format!("{all}&{part}&cursor={cursor}"),
                None => break,
            }
        }
        let weak = part
            .starts_with("checked")
            .then_some(whole["total"].as_u64());
        let count = weak.map_or(wanted.len(), |it| usize::try_from(it.unwrap()).unwrap());
        assert_eq!(seen, wanted[..count], "{part}");
    }
    let address = "/search?q=book+a+table&unit=capability";
    let page = served.read(address).await;
    let text = page.body;
    assert!(text.contains("#capability-1") && text.contains("Example call"));
    let twin = served
        .ask("GET", address, "Accept: text/markdown\r\n", b"")
        .await;
    assert!(twin.body.contains("Capability of ["));
}

#[tokio::test]
async fn hits_have_only_the_parts_and_languages_that_are_asked_for() {
    let registry = registry::full().await;
    let hits = async |more: &str| {
        let address = format!("/api/v1/search?q=book+a+table{more}");
        get(&registry, &address).await.json()["results"].clone()
    };
    let parts = ["connect", "evidence", "raw", "facts", "links"];
    let of = |hit: &Value| parts.map(|it| hit[it].is_object() || hit[it].is_array());
    let whole = hits("").await;
    assert_eq!(of(&whole[0]), [true, false, false, true, true]);
    assert_eq!(of(&hits("&include=").await[0]), [false; 5]);
    let evident = hits("&include=evidence").await;
    assert_eq!(of(&evident[0]), [false, true, false, true, true]);
    let languages = |hits: &Value| {
        let snippets = hits[0]["connect"]["snippets"].as_object();
        snippets.map(|it| it.keys().cloned().collect::<Vec<_>>())
    };
    assert_eq!(languages(&whole).unwrap(), ["curl", "python", "typescript"]);
    assert_eq!(
        languages(&hits("&snippets=python").await).unwrap(),
        ["python"]
    );
    assert_eq!(languages(&hits("&snippets=").await), None);
}

#[tokio::test]
async fn the_pages_of_a_list_have_all_that_it_counts() {
    let registry = registry::full().await;
    for query in ["", "q=table&sort=name&", "format=a2a-agent-card&"] {
        let (mut seen, mut cursor) = (BTreeSet::new(), String::new());
        let total = loop {
            let address = format!("/api/v1/search?{query}limit=2&cursor={cursor}");
            let page = get(&registry, &address).await.json();
            for hit in page["results"].as_array().unwrap() {
                assert!(seen.insert(hit["id"].to_string()), "{hit}");
            }
            match page["next_cursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => break page["total"].clone(),
            }
        };
        assert_eq!(total, seen.len(), "{query}");
    }
}
