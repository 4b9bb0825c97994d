//! Tests of badges.

use super::*;
use axum::http::header::{ACCEPT, IF_NONE_MATCH};
use manifest::Domain;
use store::{Exclusion, ExclusionSource, Outcome, Scope, Target};

async fn badge(registry: &Registry, domain: &str) -> Value {
    let answer = get(registry, &format!("/site/{domain}/badge.json")).await;
    assert_eq!(answer.status, StatusCode::OK, "{domain}");
    assert_eq!(answer.header(CACHE_CONTROL), "no-cache");
    let body = answer.json();
    let picture = get(registry, &format!("/site/{domain}/badge.svg")).await;
    assert_eq!(picture.status, StatusCode::OK, "{domain}");
    assert_eq!(picture.header(CONTENT_TYPE), "image/svg+xml");
    let message = body["message"].as_str().unwrap();
    picture.says(&["<svg xmlns=", "agent<tspan", &format!(">{message}</text>")]);
    body
}

#[tokio::test]
async fn a_badge_says_whether_a_site_is_listed() {
    let registry = registry::full().await;
    for (domain, message, is_error) in [
        (
            "mesa.example",
            "listed · manifest A · checked 20 Nov 2026",
            false,
        ),
        ("empty.example", "not listed · checked 20 Nov 2026", true),
        ("closed.example", "not listed · checked 20 Nov 2026", true),
        ("waiting.example", "waiting for its first visit", true),
        ("nowhere.example", "not listed yet", true),
    ] {
        let body = badge(&registry, domain).await;
        assert_eq!(body["message"], message, "{domain}");
        assert_eq!(body["isError"], is_error, "{domain}");
        assert_eq!(
            (&body["schemaVersion"], &body["label"]),
            (&1.into(), &"agentdex".into())
        );
    }
    submit_form(&registry, "nowhere.example").await;
    let body = badge(&registry, "nowhere.example").await;
    assert_eq!(body["message"], "waiting for its first visit");
}

async fn submit_form(registry: &Registry, domain: &str) {
    let request = Request::post("/submit")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(format!("domain={domain}")));
    let answer = ask(registry, request.unwrap()).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_badge_is_honest_about_what_is_stale_or_gone() {
    let mut registry = registry::full().await;
    let store = std::sync::Arc::clone(&registry.state.store);
    let later = || registry::THEN.after(std::time::Duration::from_hours(24));
    registry.state.now = || registry::THEN.after(std::time::Duration::from_hours(9 * 24));
    let body = badge(&registry, "mesa.example").await;
    let message = "listed · manifest A · not confirmed since 20 Nov 2026";
    assert_eq!(body["message"], message, "no visit since");
    assert_eq!(body["color"], "#8a4b00");
    registry.state.now = registry::now;
    let until = later().after(std::time::Duration::from_mins(1));
    let leases = store.lease_domains(later(), until, 100).await.unwrap();
    let lease = leases
        .into_iter()
        .find(|it| it.domain.as_str() == "mesa.example");
    let failed = registry::visit(lease.unwrap(), Outcome::Down, None);
    store.record_visits(&[failed]).await.unwrap();
    assert_eq!(badge(&registry, "mesa.example").await["message"], message);

    let now = registry::now();
    let target = Target::parse("mesa.example").unwrap();
    store.hide(&target, "spam", now).await.unwrap();
    let body = badge(&registry, "mesa.example").await;
    assert_eq!(body["message"], "hidden by the operator");
    for (source, message) in [
        (ExclusionSource::Operator, "excluded by the operator"),
        (ExclusionSource::Owner, "left the registry"),
    ] {
        let exclusion = Exclusion {
            scope: Scope::domain(&Domain::parse("mesa.example").unwrap()),
            reason: "a reason".to_owned(),
            source,
            since: now,
        };
        store.exclude(&exclusion, now).await.unwrap();
        assert_eq!(badge(&registry, "mesa.example").await["message"], message);
    }
}

#[tokio::test]
async fn a_badge_is_found_whatever_a_client_accepts() {
    let registry = registry::full().await;
    for file in ["badge.svg", "badge.json"] {
        let address = format!("/site/mesa.example/{file}");
        let request = |name, value: &str| {
            let request = Request::get(&address).header(name, value);
            request.body(Body::empty()).unwrap()
        };
        let answer = ask(&registry, request(ACCEPT, "application/json")).await;
        assert_eq!(answer.status, StatusCode::OK, "{file}");
        let tag = answer.header(ETAG).to_owned();
        let again = ask(&registry, request(IF_NONE_MATCH, &tag)).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{file}");
    }
    let other = get(&registry, "/site/MESA.example/badge.svg").await;
    assert_eq!(other.header(LOCATION), "/site/mesa.example/badge.svg");
    get(&registry, "/site/mesa.example").await.says(&[
        "src=\"/site/mesa.example/badge.svg\"",
        "[![agentdex](https://agentdex.example/site/mesa.example/badge.svg)](https://agentdex.example/site/mesa.example)",
    ]);
}
