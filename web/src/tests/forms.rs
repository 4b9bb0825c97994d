//! Tests of the forms: they take what the API takes, and refuse what it refuses, with the fault at its
//! field.

use super::*;
use manifest::Domain;
use store::{Exclusion, ExclusionSource, ReportSelection, Scope};
use url::form_urlencoded;

pub(super) async fn post(registry: &Registry, path: &str, fields: &[(&str, &str)]) -> Answer {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    let request = Request::post(path)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin");
    ask(registry, request.body(Body::from(body.finish())).unwrap()).await
}

#[tokio::test]
async fn a_submitted_domain_is_followed_at_its_own_page() {
    let registry = registry::full().await;
    get(&registry, "/submit?domain=new.example")
        .await
        .says(&["action=\"/submit\"", "value=\"new.example\""])
        .has_only_our_script();
    let sent = [("domain", "https://New.example/agents")];
    let answer = post(&registry, "/submit", &sent).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    let location = answer.header(LOCATION);
    assert!(location.starts_with("/submissions/"), "{location}");
    let page = get(&registry, location).await;
    assert_eq!(page.header(CACHE_CONTROL), "no-store");
    page.says(&[
        "First visit to new.example",
        "Waiting for the crawler",
        "data-refresh",
        "Look again",
    ]);
    let known = post(&registry, "/submit", &[("domain", "mesa.example")]).await;
    assert_eq!(known.status, StatusCode::SEE_OTHER);
    let recheck = get(&registry, known.header(LOCATION)).await;
    recheck.says(&["Another visit to mesa.example"]);
    let none = get(&registry, "/submissions/1").await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
    none.says(&["There is no such submission."]);
}

#[tokio::test]
async fn a_fault_stands_at_its_field_with_the_value_kept() {
    let registry = registry::full().await;
    let text = "x".repeat(2_001);
    for (path, fields, expected) in [
        ("/submit", vec![("domain", "<b>shop")], "&#60;b&#62;shop"),
        ("/submit", vec![], "<p class=\"fault\" id=\"domain-fault\""),
        (
            "/recheck",
            vec![("domain", "no domain")],
            "value=\"no domain\"",
        ),
        (
            "/leave",
            vec![("domain", "a.example:0")],
            "a port is a number",
        ),
        (
            "/return",
            vec![("domain", "10.0.0.1")],
            "an IP address is not a domain",
        ),
        (
            "/report",
            vec![("target", "a b"), ("kind", "spm"), ("text", " ")],
            "Did you mean “spam”?",
        ),
        (
            "/report",
            vec![
                ("target", "unknown.example"),
                ("kind", "spam"),
                ("text", "x"),
            ],
            "The registry does not know unknown.example; give a domain",
        ),
        (
            "/report",
            vec![
                ("target", "mesa.example/none"),
                ("kind", "spam"),
                ("text", "x"),
            ],
            "Report the domain instead.",
        ),
        (
            "/report",
            vec![
                ("target", "mesa.example"),
                ("kind", "spam"),
                ("text", &text),
            ],
            "at most 2000 characters",
        ),
    ] {
        let answer = post(&registry, path, &fields).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {fields:?}");
        answer.says(&[
            expected,
            "aria-invalid=\"true\" aria-describedby=\"",
            "-fault\"",
        ]);
        answer.never_says(&["<b>shop"]);
    }
    let answer = post(&registry, "/submit", &[("domian", "a.example")]).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_recheck_states_before_and_after() {
    let registry = registry::full().await;
    get(&registry, "/site/mesa.example").await.says(&[
        "action=\"/recheck\"",
        "<input type=\"hidden\" name=\"domain\" value=\"mesa.example\">",
        "/report?target=mesa.example",
        "/leave?domain=mesa.example",
    ]);
    let sent = [("domain", "mesa.example")];
    let answer = post(&registry, "/recheck", &sent).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    let state = answer.header(LOCATION).to_owned();
    get(&registry, &state)
        .await
        .says(&["Another visit to mesa.example", "data-refresh"]);
    let store = &*registry.state.store;
    store
        .take_submissions(10, false, registry::now())
        .await
        .unwrap();
    let until = registry::now().after(std::time::Duration::from_mins(1));
    let leases = store
        .lease_domains(registry::now(), until, 1)
        .await
        .unwrap();
    let lease = leases.into_iter().next().unwrap();
    assert_eq!(lease.domain, Domain::parse("mesa.example").unwrap());
    let visit = registry::visit(lease, store::Outcome::Down, None);
    store.record_visits(&[visit]).await.unwrap();
    get(&registry, &state)
        .await
        .says(&[
            "During the visit, the server did not answer or failed.",
            "<caption>Before and after</caption>",
            "<td data-label=\"Before\">found</td><td data-label=\"After\">down</td>",
            "Its agents and findings are the same as before.",
        ])
        .never_says(&["data-refresh"]);
    let unknown = post(&registry, "/recheck", &[("domain", "none.example")]).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    unknown.says(&["Submit none.example"]);
}

#[tokio::test]
async fn p04_an_excluded_domain_is_refused_with_the_way_back() {
    let registry = registry::full().await;
    let exclusion = Exclusion {
        scope: Scope::suffix("mesa.example").unwrap(),
        reason: "wishes to be left out".to_owned(),
        source: ExclusionSource::Owner,
        since: registry::THEN,
    };
    let store = &registry.state.store;
    store.exclude(&exclusion, registry::now()).await.unwrap();
    for path in ["/submit", "/recheck"] {
        let refused = post(&registry, path, &[("domain", "mesa.example")]).await;
        assert_eq!(refused.status, StatusCode::CONFLICT);
        refused.says(&["wishes to be left out", "<a href=\"/return\">"]);
    }
    let nothing = post(&registry, "/leave", &[("domain", "mesa.example")]).await;
    assert_eq!(nothing.status, StatusCode::CONFLICT);
    nothing.says(&["is not listed already"]);
    let part = post(&registry, "/return", &[("domain", "a.mesa.example")]).await;
    assert_eq!(part.status, StatusCode::CONFLICT);
    part.says(&["ask for the return of mesa.example"]);
}

#[tokio::test]
async fn p47_a_form_that_comes_too_early_says_when_to_come() {
    let registry = registry::full().await;
    for number in 0..10 {
        let domain = format!("h{number}.stranger.example");
        let answer = post(&registry, "/submit", &[("domain", &domain)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
    }
    let refused = post(&registry, "/submit", &[("domain", "h10.stranger.example")]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header(RETRY_AFTER), "86400");
    refused.says(&[
        "20 new names below stranger.example",
        "value=\"h10.stranger.example\"",
    ]);
}

#[tokio::test]
async fn leaving_shows_the_token_at_the_address_to_which_the_form_leads() {
    let registry = registry::full().await;
    let fields = [("domain", "mesa.example"), ("subdomains", "yes")];
    let begun = post(&registry, "/leave", &fields).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER);
    let location = begun.header(LOCATION);
    let (path, token) = location.split_once("?token=").unwrap();
    let page = get(&registry, location).await;
    assert_eq!(page.header(CACHE_CONTROL), "no-store");
    page.says(&[
        "<h1>Remove mesa.example and its subdomains</h1>",
        "_agentdex.mesa.example",
        "https://mesa.example/.well-known/agentdex-leave.txt",
        &format!("agentdex-leave={token}"),
        "data-refresh",
    ]);
    for address in [path.to_owned(), format!("{path}?token=guessed")] {
        get(&registry, &address)
            .await
            .says(&["shown only at the address"])
            .never_says(&[token, "guessed", "agentdex-leave="]);
    }
    let id = path.strip_prefix("/leave/").unwrap();
    let state = get(&registry, &format!("/api/v1/leave/{id}")).await.json();
    assert_eq!(
        (&state["state"], &state["subdomains"]),
        (&"waiting".into(), &true.into())
    );
    let other = get(&registry, &format!("/return/{id}")).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_owner_proves_a_site_and_asks_for_a_visit_without_a_script() {
    let registry = registry::full().await;
    get(&registry, "/owners?domain=mesa.example")
        .await
        .says(&["href=\"/own?domain=mesa.example\""]);
    get(&registry, "/own?domain=mesa.example").await.says(&[
        "<h1>Prove that a site is yours</h1>",
        "value=\"mesa.example\"",
    ]);
    let begun = post(&registry, "/own", &[("domain", "mesa.example")]).await;
    assert_eq!(begun.status, StatusCode::SEE_OTHER);
    let location = begun.header(LOCATION);
    let (path, token) = location.split_once("?token=").unwrap();
    let published = format!("agentdex-own={}", crate::random::token_hash(token));
    let visit = format!("name=\"owner_token\" value=\"{token}\"");
    get(&registry, location)
        .await
        .says(&[
            "<h1>Prove that mesa.example is yours</h1>",
            "https://mesa.example/.well-known/agentdex-own.txt",
            &published,
            "keep it secret",
        ])
        .never_says(&[&visit, &format!("agentdex-own={token}")]);
    get(&registry, path).await.never_says(&[token, &published]);
    submissions::verify(&registry).await;
    get(&registry, location).await.says(&[
        "<h1>mesa.example is yours</h1>",
        &visit,
        "action=\"/recheck\"",
    ]);
    get(&registry, path)
        .await
        .never_says(&[token, "owner_token"]);
    let fields = [("domain", "mesa.example"), ("owner_token", token)];
    let asked = post(&registry, "/recheck", &fields).await;
    assert_eq!(asked.status, StatusCode::SEE_OTHER, "{}", asked.body);
}

#[tokio::test]
async fn a_report_is_stored_and_its_id_is_shown() {
    let registry = registry::full().await;
    get(&registry, "/agent/mesa.example/reservations")
        .await
        .says(&["href=\"/report?target=mesa.example%2Freservations\""]);
    get(&registry, "/report?target=mesa.example%2Freservations")
        .await
        .says(&["value=\"mesa.example/reservations\""]);
    let fields = [
        ("target", "mesa.example/reservations"),
        ("kind", "wrong"),
        ("text", "It has\r\nmoved."),
    ];
    let sent = post(&registry, "/report", &fields).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER);
    let reports = registry.state.store.reports(10).await.unwrap();
    assert_eq!(reports[0].text, "It has\nmoved.");
    let location = sent.header(LOCATION);
    assert_eq!(location, format!("/reports/{}", reports[0].id));
    let page = get(&registry, location).await;
    assert_eq!(page.header(CACHE_CONTROL), "no-store");
    page.says(&[
        "Stored, and open",
        &reports[0].id,
        "href=\"/agent/mesa.example/reservations\"",
        "The registry shows it wrongly",
    ])
    .never_says(&["It has", "<form class=\"form\""]);
    let selection = ReportSelection::Ids(vec![reports[0].id.clone()]);
    let store = &registry.state.store;
    let closed = store.close_reports(&selection, "mended", registry::now());
    assert_eq!(closed.await.unwrap().len(), 1);
    get(&registry, location)
        .await
        .says(&["Closed by the operator <time", "Its text is deleted."])
        .never_says(&["and open"]);
    let none = get(&registry, "/reports/12345678901234567890").await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_page_of_another_site_cannot_send_forms() {
    let registry = registry::full().await;
    for path in [
        "/submit", "/recheck", "/report", "/leave", "/return", "/own",
    ] {
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://other.example"),
        ] {
            let request = Request::post(path)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .header(name, value);
            let request = request.body(Body::from("domain=mesa.example"));
            let refused = ask(&registry, request.unwrap()).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path} {name}");
            refused.says(&["open the form here and send it again"]);
        }
        let json = Request::post(path).header(CONTENT_TYPE, "application/json");
        let json = json
            .body(Body::from("{\"domain\": \"a.example\"}"))
            .unwrap();
        let refused = ask(&registry, json).await;
        assert_eq!(refused.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        refused.says(&["application/x-www-form-urlencoded"]);
        let long = format!("domain={}", "a".repeat(20_000));
        let long = post(&registry, path, &[("domain", &long)]).await;
        assert_eq!(long.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        long.says(&["at most 16384 bytes"]);
    }
    assert!(registry.state.store.reports(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_unknown_domain_is_no_dead_end() {
    let registry = registry::full().await;
    let site = get(&registry, "/site/mesa-unknown.example").await;
    assert_eq!(site.status, StatusCode::NOT_FOUND);
    site.says(&[
        "action=\"/submit\"",
        "<input type=\"hidden\" name=\"domain\" value=\"mesa-unknown.example\">",
        "<a class=\"button plain\" href=\"/validate\">",
    ])
    .never_says(&["Similar agents", "Mesa reservations"]);
    let problem = get(&registry, "/api/v1/sites/mesa-unknown.example").await;
    assert_eq!(problem.json().get("similar"), None);
    for query in [
        "mesa-unknown.example",
        "https%3A%2F%2Fmesa-unknown.example%2Fa",
    ] {
        get(&registry, &format!("/search?q={query}"))
            .await
            .says(&["Submit mesa-unknown.example", "not listed yet"])
            .never_says(&["Mesa reservations"]);
    }
    for query in ["mesa.example", "https%3A%2F%2Fmesa.example%2Fmenu%3Fa"] {
        let page = get(&registry, &format!("/search?q={query}")).await;
        page.says(&["<a href=\"/site/mesa.example\">mesa.example</a>: 1 agent listed."]);
        let row = page.body.find("site-row").unwrap();
        assert!(
            page.body
                .find("class=\"hits\"")
                .is_none_or(|hits| row < hits)
        );
    }
    // A name that no registry could visit is not offered.
    for query in ["node.js", "read+mesa.example+now", "localhost"] {
        get(&registry, &format!("/search?q={query}"))
            .await
            .never_says(&["site-row", "action=\"/submit\""]);
    }
    let looked_up = get(
        &registry,
        "/site?domain=https%3A%2F%2Fmesa.example%3A443%2Fa",
    )
    .await;
    assert_eq!(looked_up.header(LOCATION), "/site/mesa.example");
}

#[tokio::test]
async fn each_page_leads_to_the_documentation_the_data_and_the_exit() {
    let registry = registry::full().await;
    for page in [
        "/",
        "/search",
        "/nothing",
        "/leave",
        "/agent/mesa.example/reservations/raw",
    ] {
        get(&registry, page).await.says(&[
            "<a href=\"/docs\">Docs</a>",
            "<a href=\"/docs/changes\">Download the data</a>",
            "<a href=\"/leave\">Remove a site</a>",
        ]);
    }
}
