//! Tests that pages of sites and agents are never older than the registry, and are sent again only if
//! something changed.

use super::*;
use axum::http::header::IF_NONE_MATCH;
use manifest::Domain;
use store::{Exclusion, ExclusionSource, Scope, Target};

/// Forms of a site and of an agent.
const ADDRESSES: [&str; 12] = [
    "/site/mesa.example",
    "/site/mesa.example/index.md",
    "/site/mesa.example/index.json",
    "/api/v1/sites/mesa.example",
    "/api/v1/sites/mesa.example/report",
    "/api/v1/sites/mesa.example/crawl",
    "/agent/mesa.example/reservations",
    "/agent/mesa.example/reservations/index.md",
    "/agent/mesa.example/reservations/raw",
    "/api/v1/agents/mesa.example/reservations",
    "/api/v1/agents/mesa.example/reservations/evidence",
    "/api/v1/agents/mesa.example/reservations/similar",
];

async fn ask_again(registry: &Registry, address: &str, tag: &str) -> Answer {
    let request = Request::get(address).header(IF_NONE_MATCH, tag);
    ask(registry, request.body(Body::empty()).unwrap()).await
}

/// Asserts that each answer has changed since its tag was given, and then not again; returns the answers
/// with their tags, if they have any.
async fn changed(registry: &Registry, before: &[(&str, String)]) -> Vec<(Answer, String)> {
    let mut after = Vec::new();
    for (address, tag) in before {
        let answer = ask_again(registry, address, tag).await;
        assert_ne!(answer.status, StatusCode::NOT_MODIFIED, "{address}");
        let new = answer.header(ETAG).to_owned();
        if answer.status == StatusCode::OK {
            assert_eq!(answer.header(CACHE_CONTROL), "no-cache", "{address}");
            let again = ask_again(registry, address, &new).await;
            assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{address}");
            assert_eq!(again.header(CACHE_CONTROL), "no-cache");
        }
        after.push((answer, new));
    }
    after
}

/// Pairs addresses with the tags of their answers.
fn tagged<'a>(addresses: &[&'a str], answers: &[(Answer, String)]) -> Vec<(&'a str, String)> {
    let tags = answers.iter().map(|it| it.1.clone());
    addresses.iter().copied().zip(tags).collect()
}

#[tokio::test]
async fn the_next_request_shows_what_changed() {
    let registry = registry::full().await;
    let store = &registry.state.store;
    let of_site = &ADDRESSES[..6];
    let nothing: Vec<_> = ADDRESSES.iter().map(|it| (*it, String::new())).collect();
    let first = changed(&registry, &nothing).await;

    let domain = Domain::parse("mesa.example").unwrap();
    let recheck = Request::post("/api/v1/sites/mesa.example/recheck");
    let asked = ask(&registry, recheck.body(Body::empty()).unwrap()).await;
    assert_eq!(asked.status, StatusCode::ACCEPTED, "{}", asked.body);
    let waiting = tagged(&of_site[..5], &first);
    let waiting = changed(&registry, &waiting).await;
    waiting[0].0.says(&["Waiting for the crawler"]);
    assert_eq!(waiting[3].0.json()["submission"]["state"], "waiting");

    let taken = store.take_submissions(10, true, registry::now()).await;
    assert_eq!(taken.unwrap().len(), 1);
    let before = changed(&registry, &nothing).await;
    let mut page = registry::mesa();
    page.agents[0]["name"] = "Mesa by night".into();
    registry.revise(page, "{}").await;
    let revised = changed(&registry, &tagged(&ADDRESSES, &before)).await;
    for (answer, _) in [
        &revised[0],
        &revised[1],
        &revised[3],
        &revised[6],
        &revised[9],
    ] {
        answer.says(&["Mesa by night"]);
    }

    let target = Target::parse("mesa.example/reservations").unwrap();
    store.hide(&target, "spam", registry::now()).await.unwrap();
    let hidden = changed(&registry, &tagged(&ADDRESSES, &revised)).await;
    hidden[0].0.says(&["Hidden by the operator"]);
    assert_eq!(hidden[6].0.status, StatusCode::GONE);
    store
        .show(&target, "a mistake", registry::now())
        .await
        .unwrap();
    let shown = changed(&registry, &tagged(&ADDRESSES, &revised)).await;
    shown[0].0.never_says(&["Hidden by the operator"]);

    let exclusion = Exclusion {
        scope: Scope::domain(&domain),
        reason: "asked for by the owner".to_owned(),
        source: ExclusionSource::Owner,
        since: registry::now(),
    };
    store.exclude(&exclusion, registry::now()).await.unwrap();
    for (answer, _) in changed(&registry, &tagged(&ADDRESSES, &shown)).await {
        assert_eq!(answer.status, StatusCode::GONE);
        assert_eq!(answer.header(CACHE_CONTROL), "no-store");
    }
}

#[tokio::test]
async fn a_client_that_knows_anything_does_not_know_what_there_is_not() {
    let registry = registry::full().await;
    for (address, expected) in [
        ("/site/mesa.example", StatusCode::NOT_MODIFIED),
        ("/agent/mesa.example/reservations", StatusCode::NOT_MODIFIED),
        ("/agent/mesa.example/nothing", StatusCode::NOT_FOUND),
        ("/site/nowhere.example", StatusCode::NOT_FOUND),
    ] {
        let answer = ask_again(&registry, address, "*").await;
        assert_eq!(answer.status, expected, "{address}");
    }
}
