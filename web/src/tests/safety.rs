//! Tests with hostile text, invalid addresses and failing parts.

use super::*;

#[tokio::test]
async fn every_response_has_security_headers() {
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
        "/browse/categories",
        "/browse/capabilities",
        "/browse/new",
        "/stats",
        "/status",
        "/validate",
        "/bot",
        "/about",
    ] {
        let page = get(&registry, address).await;
        page.never_says(&["style=", "<style", " onclick", "src=\"http", "href=\"//"]);
        page.has_only_our_script();
        for asset in page.body.split('"').filter(|it| it.starts_with("/assets/")) {
            let file = get(&registry, asset).await;
            assert_eq!(file.status, StatusCode::OK, "{asset}");
            assert!(file.header(CACHE_CONTROL).ends_with("immutable"));
        }
    }
}

#[tokio::test]
async fn an_asset_of_another_version_is_not_found() {
    let registry = registry::empty().await;
    let answer = get(&registry, "/assets/000000000000/site.css").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.header(CACHE_CONTROL), "no-store");
}

#[tokio::test]
async fn hostile_text_is_escaped() {
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
        page.has_only_our_script();
        page.never_says(&[
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
async fn an_unknown_address_is_a_404_with_suggestions() {
    let registry = registry::full().await;
    let page = get(&registry, "/agent/mesa.example/reservation-desk").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&[
        "There is no agent “reservation-desk” at mesa.example.",
        "Similar agents",
        "Mesa reservations",
    ]);
    let page = get(&registry, "/site/unheard-of.example").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&["unheard-of.example isn’t listed yet", "name=\"q\""]);
    let page = get(&registry, "/no/such/page").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    page.says(&["There is no such page."]);
    let page = get(&registry, "/site/%ff").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn bad_parameters_are_a_400_with_the_accepted_values() {
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
async fn post_requests_are_not_allowed() {
    let registry = registry::empty().await;
    for address in ["/", "/api/v1/search"] {
        let request = Request::post(address).body(Body::empty()).unwrap();
        let answer = ask(&registry, request).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    }
}

#[tokio::test]
async fn responses_are_compressed_if_the_client_accepts_it() {
    let registry = registry::full().await;
    let request = Request::get("/search").header("accept-encoding", "br");
    let response = app(registry.state.clone())
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    assert_eq!(response.headers()[CONTENT_ENCODING], "br");
}

#[tokio::test]
async fn unknown_api_paths_are_answered_with_json_problems() {
    let registry = registry::empty().await;
    for address in [
        "/api",
        "/api/",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v2/search",
        "/api/nothing/at/all",
    ] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        assert_eq!(
            answer.header(CONTENT_TYPE),
            "application/problem+json",
            "{address}"
        );
        assert_eq!(answer.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{address}");
        assert_eq!(answer.json()["errorCode"], "not_found");
    }
    let page = get(&registry, "/apiary").await;
    assert_eq!(page.header(CONTENT_TYPE), "text/html; charset=utf-8");
}

#[tokio::test]
async fn a_repeated_parameter_is_an_error_of_the_api_but_not_of_pages() {
    let registry = registry::full().await;
    let answer = get(&registry, "/api/v1/search?q=table&q=chair").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let problem = answer.json();
    assert_eq!(problem["errors"][0]["pointer"], "q");
    assert_eq!(problem["errors"][0]["code"], "repeated");
    let page = get(&registry, "/search?q=chair&q=table").await;
    assert_eq!(page.status, StatusCode::OK);
    let filters = get(&registry, "/api/v1/search?level=A&level=B").await;
    assert_eq!(filters.status, StatusCode::OK);
}
