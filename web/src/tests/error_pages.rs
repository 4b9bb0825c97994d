//! Tests of the pages of errors: titles, links and times.

use super::*;
use url::form_urlencoded;

#[tokio::test]
async fn a_bad_request_has_the_title_of_its_kind() {
    let registry = registry::full().await;
    for (address, title) in [
        ("/search?limit=x", "Invalid search"),
        ("/site/notadomain", "Not a domain"),
        ("/site?domain=notadomain", "Not a domain"),
        ("/docs/rules?format=zzz", "Invalid parameters"),
        (
            "/agent/mesa.example/reservations/diff?from=zzz",
            "Invalid parameters",
        ),
    ] {
        let page = get(&registry, address).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST, "{address}");
        page.says(&[&format!("<title>{title}"), &format!("<h1>{title}</h1>")]);
        page.never_says(&["`"]);
    }
}

#[tokio::test]
async fn one_fault_is_a_sentence_and_several_are_a_list() {
    let registry = registry::full().await;
    let empty = get(&registry, "/site?domain=").await;
    empty
        .says(&["<p class=\"lead\" dir=\"auto\">Enter a domain, such as example.com.</p>"])
        .never_says(&["cannot be answered", "class=\"faults\""]);
    get(&registry, "/search?limit=x&sort=y").await.says(&[
        "The search cannot be answered as it is:",
        "class=\"faults\"",
    ]);
}

#[tokio::test]
async fn an_error_page_leads_to_pages_that_there_are() {
    let registry = registry::full().await;
    let known = get(&registry, "/agent/mesa.example/none").await;
    known.says(&["<a href=\"/site/mesa.example\">The page of mesa.example</a>"]);
    let unknown = get(&registry, "/agent/unknown.example/none").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    unknown.never_says(&["The page of", "/site/unknown.example"]);
}

#[tokio::test]
async fn times_in_sentences_are_relative_on_pages_and_exact_for_programs() {
    let registry = registry::full().await;
    let submit = async |number: u32| {
        let domain = format!("s{number}.many.example");
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.append_pair("domain", &domain);
        let form = Request::post("/submit")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body.finish()));
        ask(&registry, form.unwrap()).await
    };
    for number in 0..10 {
        assert_eq!(submit(number).await.status, StatusCode::SEE_OTHER);
    }
    let page = submit(10).await;
    assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS);
    page.says(&[
        "the next one can be submitted <time datetime=\"2026-11-21T14:46:40Z\" \
         title=\"21 Nov 2026, 14:46 UTC\">in 1 day</time>.",
    ]);
    let body = serde_json::json!({ "domain": "s10.many.example" }).to_string();
    let request = Request::post("/api/v1/submit").header(CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(body));
    let problem = ask(&registry, request.unwrap()).await.json();
    assert_eq!(problem["next_allowed"], "2026-11-21T14:46:40Z");
    let detail = problem["detail"].as_str().unwrap();
    let end = "the next one can be submitted at 2026-11-21T14:46:40Z.";
    assert!(detail.ends_with(end), "{detail}");
}
