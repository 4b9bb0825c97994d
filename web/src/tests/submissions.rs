//! Tests of submissions and rechecks: what is accepted, what is refused, and what the answers say.

use super::*;
use crate::client::Peer;
use crate::rate::Limiter;
use manifest::Domain;
use serde_json::json;
use std::time::Duration;
use store::{Exclusion, ExclusionSource, Outcome, Scope};

async fn post(registry: &Registry, address: &str, body: &str) -> Answer {
    let request = Request::post(address).header(CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(body.to_owned()));
    ask(registry, request.unwrap()).await
}

async fn submit(registry: &Registry, domain: &str) -> Answer {
    let body = json!({ "domain": domain }).to_string();
    post(registry, "/api/v1/submit", &body).await
}

async fn exclude(registry: &Registry, name: &str, source: ExclusionSource) {
    let exclusion = Exclusion {
        scope: Scope::suffix(name).unwrap(),
        reason: "wishes to be left out.".to_owned(),
        source,
        since: registry::THEN,
    };
    let store = &registry.state.store;
    store.exclude(&exclusion, registry::now()).await.unwrap();
}

#[tokio::test]
async fn a_submission_has_an_address_at_which_it_is_followed() {
    let registry = registry::full().await;
    let accepted = submit(&registry, "https://New.example:443/agents").await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{}", accepted.body);
    assert_eq!(accepted.header(CACHE_CONTROL), "no-store");
    let location = accepted.header(LOCATION);
    let body = accepted.json();
    assert_eq!(body["links"]["submission"], location);
    assert_eq!(
        (&body["state"], &body["domain"]),
        (&json!("waiting"), &json!("new.example"))
    );
    let id = body["id"].as_str().unwrap();
    assert_eq!(id.len(), 20);
    assert_eq!(get(&registry, location).await.json(), body);
    let again = submit(&registry, "new.example").await;
    assert_eq!(again.status, StatusCode::ACCEPTED);
    assert_eq!(again.header(LOCATION), location);
    let other = submit(&registry, "other.example").await.json();
    let other = other["id"].as_str().unwrap();
    assert_ne!(other[..16], id[..16], "ids do not count");
    let none = get(&registry, "/api/v1/submissions/1").await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_known_domain_that_is_submitted_is_rechecked() {
    let registry = registry::full().await;
    for domain in ["mesa.example", "empty.example", "waiting.example"] {
        let answer = submit(&registry, domain).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{domain}");
        let body = answer.json();
        assert_eq!(
            (&body["kind"], &body["state"]),
            (&json!("recheck"), &json!("waiting")),
            "{domain}"
        );
    }
}

/// Nothing is queued, and the answer says so.
#[tokio::test]
async fn p47_a_known_domain_that_was_rechecked_lately_is_answered_with_its_next_time() {
    let registry = registry::full().await;
    let later = throttled(&registry).await;
    let answer = submit(&registry, "waiting.example").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let body = answer.json();
    assert_eq!(body["state"], "visited");
    assert_eq!(body["next_allowed"], later.to_rfc3339());
    let reason = body["reason"].as_str().unwrap();
    assert!(reason.contains("no visit was queued"), "{reason}");
    let recheck = "/api/v1/sites/waiting.example/recheck";
    assert_eq!(body["links"]["recheck"], recheck);
    let open = registry.state.store.open_submission(&waiting()).await;
    assert_eq!(open.unwrap(), None);
    // The tool of MCP and the page say the same.
    let result = mcp::tool(
        &registry,
        "submit_site",
        json!({"domain": "waiting.example"}),
    );
    assert_eq!(result.await["structuredContent"], body);
    let form = [("domain", "waiting.example")];
    let page = forms::post(&registry, "/submit", &form).await;
    assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS);
    page.says(&["waiting.example can be rechecked", "Recheck a site"]);
}

fn waiting() -> Domain {
    Domain::parse("waiting.example").unwrap()
}

/// Lets `waiting.example` ask for a pause, and returns its end.
pub(super) async fn throttled(registry: &Registry) -> manifest::Timestamp {
    let store = &registry.state.store;
    let now = registry::now();
    let later = now.after(Duration::from_mins(7));
    let mut lease = store.lease_domains(now, later, 100).await.unwrap();
    lease.retain(|it| it.domain == waiting());
    let mut visit = registry::visit(lease.remove(0), Outcome::Throttled, None);
    visit.next.not_before = later;
    store.record_visits(&[visit]).await.unwrap();
    later
}

/// Proves by the registry's own store that a domain is the owner's; returns the token.
async fn owned(registry: &Registry, domain: &str) -> String {
    let body = json!({ "domain": domain }).to_string();
    let claim = post(registry, "/api/v1/own", &body).await;
    assert_eq!(claim.status, StatusCode::ACCEPTED, "{}", claim.body);
    let body = claim.json();
    let token = body["token"].as_str().unwrap().to_owned();
    let value = body["publish"]["dns"]["value"].as_str().unwrap();
    let hash = crate::random::token_hash(&token);
    assert_eq!(
        value,
        format!("agentdex-own={hash}"),
        "the token stays secret"
    );
    let state = get(registry, claim.header(LOCATION)).await;
    state.never_says(&[&token]);
    verify(registry).await;
    token
}

/// Lets a crawler find the token of the claim that waits.
pub(super) async fn verify(registry: &Registry) {
    let store = &registry.state.store;
    let later = registry::now().after(Duration::from_secs(10));
    let claims = store.take_claims(10, later).await.unwrap();
    let check = store::ClaimCheck {
        is_verified: true,
        seen_dns: "the token".to_owned(),
        seen_file: None,
    };
    store
        .settle_claim(&claims[0], &check, registry::now())
        .await
        .unwrap();
}

#[tokio::test]
async fn p47_an_owner_with_a_token_waits_less() {
    let registry = registry::full().await;
    let token = owned(&registry, "mesa.example").await;
    let recheck = async |domain: &str, token: &str| {
        let address = format!("/api/v1/sites/{domain}/recheck");
        let request = Request::post(address).header("owner-token", token);
        ask(&registry, request.body(Body::empty()).unwrap()).await
    };
    let accepted = recheck("mesa.example", &token).await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{}", accepted.body);
    let store = &registry.state.store;
    let now = registry::now();
    store.take_submissions(10, false, now).await.unwrap();
    let until = now.after(Duration::from_mins(1));
    let mut lease = store.lease_domains(now, until, 100).await.unwrap();
    lease.retain(|it| it.domain.as_str() == "mesa.example");
    let mut visit = registry::visit(lease.remove(0), Outcome::Empty, None);
    (visit.started, visit.ended, visit.next.not_before) = (now, now, now);
    store.record_visits(&[visit]).await.unwrap();
    for (token, wait) in [(&*token, "60"), ("another", "600"), ("", "600")] {
        let early = recheck("mesa.example", token).await;
        assert_eq!(
            early.status,
            StatusCode::TOO_MANY_REQUESTS,
            "{}",
            early.body
        );
        assert_eq!(early.header(RETRY_AFTER), wait, "{token}");
    }
}

/// A visit that leads to nothing says what its owner can do.
#[tokio::test]
async fn a_submission_of_a_name_without_address_has_advice() {
    let registry = registry::full().await;
    let accepted = submit(&registry, "nowhere.example").await;
    let store = &registry.state.store;
    let now = registry::now();
    store.take_submissions(10, false, now).await.unwrap();
    let until = now.after(Duration::from_mins(1));
    let mut lease = store.lease_domains(now, until, 100).await.unwrap();
    lease.retain(|it| it.domain.as_str() == "nowhere.example");
    let mut visit = registry::visit(lease.remove(0), Outcome::DnsError, None);
    visit.receipts.clear();
    visit.requests = 0;
    store.record_visits(&[visit]).await.unwrap();
    let location = accepted.header(LOCATION);
    let body = get(&registry, location).await.json();
    assert_eq!(body["outcome"], "dns_error");
    let advice = body["advice"].as_str().unwrap();
    assert!(advice.contains("A or AAAA record"), "{advice}");
    get(&registry, &location.replace("/api/v1", ""))
        .await
        .says(&["the domain was not found. Check the spelling"]);
}

#[tokio::test]
async fn what_is_no_public_domain_is_refused_with_the_reason() {
    let registry = registry::empty().await;
    for (domain, code) in [
        ("localhost", "bad_domain"),
        ("10.0.0.1", "bad_domain"),
        ("co.uk", "bad_domain"),
        ("a.test", "reserved_name"),
        ("x.nosuchtld", "unknown_suffix"),
        ("ftp://shop.example", "bad_scheme"),
    ] {
        let answer = submit(&registry, domain).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{domain}");
        let problem = answer.json();
        assert_eq!(problem["errors"][0]["pointer"], "domain");
        assert_eq!(problem["errors"][0]["code"], code, "{domain}");
    }
    for body in [
        "",
        "[]",
        "{}",
        "{\"domain\": 1}",
        "{\"domain\": \"a.example\", \"b\": 1}",
    ] {
        let answer = post(&registry, "/api/v1/submit", body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        answer.says(&["domain"]);
    }
}

#[tokio::test]
async fn p04_an_excluded_domain_is_refused_with_the_reason_and_the_way_back() {
    let registry = registry::full().await;
    exclude(&registry, "mesa.example", ExclusionSource::Owner).await;
    exclude(&registry, "bad.example", ExclusionSource::Operator).await;
    for (domain, way_back) in [
        ("mesa.example", "POST /api/v1/return"),
        ("a.bad.example", "operator"),
    ] {
        let refused = submit(&registry, domain).await;
        assert_eq!(refused.status, StatusCode::CONFLICT);
        assert_eq!(refused.json()["errorCode"], "excluded");
        refused.says(&["wishes to be left out. ", way_back]);
        let recheck = format!("/api/v1/sites/{domain}/recheck");
        let refused = post(&registry, &recheck, "").await;
        assert_eq!(refused.status, StatusCode::CONFLICT);
    }
}

#[tokio::test]
async fn p47_a_request_that_comes_too_early_learns_when_to_come() {
    let registry = registry::full().await;
    for number in 0..10 {
        let answer = submit(&registry, &format!("h{number}.stranger.example")).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
    }
    let refused = submit(&registry, "h10.stranger.example").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header(RETRY_AFTER), "86400");
    let next = registry::now().after(Duration::from_hours(24));
    let problem = refused.json();
    assert_eq!(problem["errorCode"], "too_early");
    assert_eq!(problem["next_allowed"], next.to_rfc3339());
    refused.says(&[
        "20 new names below stranger.example",
        "or 10 from this network",
    ]);
    // A recheck of a site that asked for a pause.
    throttled(&registry).await;
    let refused = post(&registry, "/api/v1/sites/waiting.example/recheck", "").await;
    assert_eq!(
        refused.status,
        StatusCode::TOO_MANY_REQUESTS,
        "{}",
        refused.body
    );
    assert_eq!(refused.header(RETRY_AFTER), "420");
}

#[tokio::test]
async fn p47_a_submission_beyond_the_daily_share_says_why_it_waits_and_until_when() {
    let registry = registry::full().await;
    let store = &registry.state.store;
    for number in 0..50 {
        let answer = submit(&registry, &format!("site{number}.example")).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
    }
    let taken = store.take_submissions(500, false, registry::now()).await;
    assert_eq!(taken.unwrap().len(), 50);
    let answer = submit(&registry, "site50.example").await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.body);
    let body = answer.json();
    assert_eq!(body["state"], "waiting");
    let until = body["not_before"].as_str().unwrap();
    assert!(*until > *registry::now().to_rfc3339(), "{until}");
    let reason = body["reason"].as_str().unwrap();
    assert!(reason.contains("last 24 hours are used up"), "{reason}");
    let state = get(&registry, answer.header(LOCATION)).await.json();
    assert_eq!(state, body);
}

#[tokio::test]
async fn a_recheck_of_an_unknown_site_says_how_to_submit_it() {
    let registry = registry::empty().await;
    for address in ["/api/v1/sites/none.example", "/site/none.example"] {
        let answer = get(&registry, address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        answer.says(&["/api/v1/submit"]);
    }
    let refused = post(&registry, "/api/v1/sites/none.example/recheck", "").await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    refused.says(&["/api/v1/submit"]);
}

#[tokio::test]
async fn requests_for_visits_have_a_stricter_limit() {
    let mut registry = registry::full().await;
    registry.state.limiter = Limiter::new("100000".parse().unwrap(), &[]);
    let post = async |address: &str, peer: &str| {
        let request = Request::post(address)
            .header(CONTENT_TYPE, "application/json")
            .extension(Peer(peer.parse().unwrap()));
        let request = request.body(Body::from("{\"domain\": \"mesa.example\"}"));
        ask(&registry, request.unwrap()).await.status
    };
    for number in 0..10 {
        let address = match number % 2 {
            0 => "/api/v1/submit",
            _ => "/api/v1/sites/none.example/recheck",
        };
        let status = post(address, "2001:db8::1").await;
        assert_ne!(status, StatusCode::TOO_MANY_REQUESTS, "{number}");
    }
    let refused = post("/api/v1/submit", "2001:db8::2").await;
    assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS, "the same network");
    let other = post("/api/v1/submit", "2001:db8:0:1::1").await;
    assert_eq!(other, StatusCode::ACCEPTED);
    let validate = post("/api/v1/validate", "2001:db8::1").await;
    assert_eq!(validate, StatusCode::OK, "other requests have their own");
}

#[tokio::test]
async fn what_waits_says_since_when_no_crawler_takes_work() {
    let registry = registry::full().await;
    let since = registry::THEN.after(Duration::from_secs(3)).to_rfc3339();
    let sentence = [
        "No crawler has taken up work since <time datetime=\"",
        ">2 hours ago</time>",
    ];
    let answer = submit(&registry, "new.example").await;
    let submission = answer.header(LOCATION).to_owned();
    let leave = json!({ "domain": "mesa.example" }).to_string();
    let claim = post(&registry, "/api/v1/leave", &leave).await;
    let claim = claim.json()["links"]["state"].as_str().unwrap().to_owned();
    let pages = [
        submission.replace("/api/v1", ""),
        claim.replace("/api/v1", ""),
        "/site/new.example".to_owned(),
    ];
    let bodies = [&*submission, &*claim, "/status/index.json"];
    for page in &pages {
        get(&registry, page).await.says(&sentence);
    }
    for body in bodies {
        let body = get(&registry, body).await.json();
        assert_eq!(body["no_crawler_since"], since, "{body}");
    }
    answer.says(&["No crawler takes up work", &since]);
    get(&registry, &claim)
        .await
        .says(&["No crawler takes up work"]);
    get(&registry, "/status").await.says(&["Takes no work"]);
    let site = get(&registry, "/api/v1/sites/new.example").await.json();
    assert_eq!(site["submission"]["no_crawler_since"], since);

    // A crawler takes all of it.
    let store = &*registry.state.store;
    let now = registry::now();
    store.take_submissions(10, false, now).await.unwrap();
    store.take_claims(10, now).await.unwrap();
    let until = now.after(Duration::from_mins(1));
    store.lease_domains(now, until, 10).await.unwrap();
    for page in &pages {
        get(&registry, page).await.never_says(&sentence);
    }
    for body in bodies {
        let body = get(&registry, body).await.json();
        assert_eq!(body["no_crawler_since"], json!(null), "{body}");
    }
    get(&registry, "/status").await.says(&["Running"]);
}

#[tokio::test]
async fn a_submitted_site_has_a_page_before_its_first_visit() {
    let registry = registry::full().await;
    let answer = submit(&registry, "new.example:8443").await;
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let page = get(&registry, "/site/new.example").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header(CACHE_CONTROL), "no-cache");
    page.says(&[
        "Waiting for the crawler, submitted",
        "We have not visited it yet.",
        &format!("href=\"/submissions/{id}\""),
        "https://new.example:8443",
    ]);
    let text = get(&registry, "/site/new.example/index.md").await;
    text.says(&["Waiting for the crawler, submitted"]);
    for path in ["/site/new.example/index.json", "/api/v1/sites/new.example"] {
        let body = get(&registry, path).await.json();
        let link = format!("/api/v1/submissions/{id}");
        assert_eq!(body["submission"]["state"], "waiting", "{path}");
        assert_eq!(body["submission"]["link"], link);
        assert_eq!(body["source"], "submitted");
        assert_eq!(body["last_visit"], json!(null));
    }
    for path in ["report", "crawl"] {
        let path = format!("/api/v1/sites/new.example/{path}");
        assert_eq!(get(&registry, &path).await.status, StatusCode::OK);
    }
    get(&registry, "/search?q=new.example")
        .await
        .says(&["waits for its first visit."]);
    let store = &*registry.state.store;
    let now = registry::now();
    store.take_submissions(10, true, now).await.unwrap();
    let body = get(&registry, "/api/v1/sites/new.example").await.json();
    assert_eq!(body["submission"]["state"], "queued");
    // What is excluded is not shown, whatever was submitted before.
    submit(&registry, "other.example").await;
    exclude(&registry, "other.example", ExclusionSource::Operator).await;
    let page = get(&registry, "/site/other.example").await;
    assert_eq!(page.status, StatusCode::GONE);
}

/// P49: a submission shows the answer that refused its visit, until another visit.
#[tokio::test]
async fn p49_a_refused_visit_shows_its_answer_until_the_next() {
    let registry = registry::full().await;
    let accepted = post(&registry, "/api/v1/sites/mesa.example/recheck", "").await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{}", accepted.body);
    let address = accepted.header(LOCATION).to_owned();
    let id = address.rsplit('/').next().unwrap().to_owned();
    let store = &registry.state.store;
    let now = registry::now();
    store.take_submissions(10, false, now).await.unwrap();
    let visit = async |at: manifest::Timestamp, edge: Option<store::EdgeAnswer>| {
        let until = at.after(Duration::from_mins(1));
        let mut lease = store.lease_domains(at, until, 100).await.unwrap();
        lease.retain(|it| it.domain.as_str() == "mesa.example");
        let outcome = edge.as_ref().map_or(Outcome::Empty, |_| Outcome::Refused);
        let mut visit = registry::visit(lease.remove(0), outcome, None);
        (visit.started, visit.ended, visit.next.not_before) = (at, at, at);
        (visit.next.due, visit.edge) = (at, edge);
        store.record_visits(&[visit]).await.unwrap();
    };
    let answer = store::EdgeAnswer {
        at: now,
        url: "https://mesa.example/agents.txt".to_owned(),
        status: 403,
        headers: vec![("server".to_owned(), "cloudflare".to_owned())],
        body: "<b>No</b>".to_owned(),
        user_agent: "AgentdexBot/1.0".to_owned(),
        ..store::EdgeAnswer::default()
    };
    visit(now, Some(answer)).await;
    let body = get(&registry, &address).await.json();
    assert_eq!(
        (&body["outcome"], &body["state"]),
        (&json!("refused"), &json!("visited"))
    );
    assert_eq!(body["refusal"]["http_status"], 403);
    assert_eq!(body["refusal"]["products"][0]["name"], "Cloudflare");
    assert!(body["advice"].as_str().unwrap().contains("/bot"));
    let page = format!("/submissions/{id}");
    get(&registry, &page).await.says(&[
        "What was answered to us",
        "<code class=\"address\">server: cloudflare</code>, which Cloudflare sends",
        "&#60;b&#62;No&#60;/b&#62;",
    ]);
    let result = mcp::tool(&registry, "check_site", json!({"domain": "mesa.example"})).await;
    assert_eq!(result["structuredContent"]["refusal"], body["refusal"]);

    visit(now.after(Duration::from_secs(30)), None).await;
    assert_eq!(get(&registry, &address).await.json().get("refusal"), None);
    get(&registry, &page)
        .await
        .never_says(&["What was answered to us"]);
}
