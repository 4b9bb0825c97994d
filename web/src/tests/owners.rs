//! Tests of the page that leads owners.

use super::*;
use manifest::Domain;
use store::{ClaimCheck, Exclusion, ExclusionSource, Scope, Target};

async fn place(registry: &Registry, domain: &str) -> Answer {
    let page = get(registry, &format!("/owners?domain={domain}")).await;
    assert_eq!(page.status, StatusCode::OK, "{domain}");
    assert_eq!(page.header(CACHE_CONTROL), "no-cache");
    page
}

async fn post(registry: &Registry, address: &str) {
    let request = Request::post(address).header(CONTENT_TYPE, "application/json");
    let request = request.body(Body::from("{\"domain\": \"nowhere.example\"}"));
    let answer = ask(registry, request.unwrap()).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.body);
}

#[tokio::test]
async fn owners_are_told_where_a_domain_stands_and_what_they_can_do() {
    let registry = registry::full().await;
    get(&registry, "/owners").await.says(&[
        "<label for=\"domain\">Your domain</label>",
        "href=\"/submit\"",
        "href=\"/validate\"",
        "href=\"/recheck\"",
        "href=\"/leave\"",
        "href=\"/return\"",
        "href=\"/docs/listing\"",
        "aria-current=\"true\">For site owners",
    ]);
    let listed = place(&registry, "https://mesa.example/path").await;
    listed
        .says(&[
            "mesa.example is listed</h2>",
            "Manifest A, checked <time",
            "href=\"/site/mesa.example#documents\">No problems found</a>",
            "href=\"/site/mesa.example\"",
            "action=\"/recheck\"",
            "href=\"/leave?domain=mesa.example\"",
            "src=\"/site/mesa.example/badge.svg\"",
            "href=\"/site/mesa.example/feed.atom\"",
        ])
        .never_says(&["action=\"/submit\"", "/return", "Not found"]);
    place(&registry, "closed.example").await.says(&[
        "closed.example isn’t listed</h2>",
        "At our last visit, robots.txt blocked every path we know",
        "Allow the path of the manifest",
    ]);
    place(&registry, "waiting.example")
        .await
        .says(&["waiting.example waits for its first visit</h2>"]);
    let fault = get(&registry, "/owners?domain=localhost").await;
    assert_eq!(fault.status, StatusCode::BAD_REQUEST);
    fault.says(&["id=\"domain-fault\"", "value=\"localhost\""]);
}

#[tokio::test]
async fn what_is_asked_for_is_followed_and_not_offered_again() {
    let registry = registry::full().await;
    place(&registry, "nowhere.example")
        .await
        .says(&[
            "nowhere.example isn’t listed yet</h2>",
            "The registry has no record of it.",
            "action=\"/submit\"",
            "Submit nowhere.example",
        ])
        .never_says(&["action=\"/recheck\"", "ot found"]);
    place(&registry, "shop.test")
        .await
        .says(&["shop.test is a reserved name</h2>"])
        .never_says(&["action=\"/submit\""]);
    post(&registry, "/api/v1/submit").await;
    post(&registry, "/api/v1/sites/mesa.example/recheck").await;
    for domain in ["nowhere.example", "mesa.example"] {
        let pages = [
            place(&registry, domain).await,
            get(&registry, &format!("/site/{domain}")).await,
        ];
        for page in pages {
            page.says(&[
                "Waiting for the crawler",
                "href=\"/submissions/",
                "Follow the visit",
            ])
            .never_says(&["Recheck now", "action=\"/submit\""]);
        }
    }
}

#[tokio::test]
async fn what_left_is_said_to_have_left() {
    let registry = registry::full().await;
    let (store, now) = (&registry.state.store, registry::now());
    let target = Target::parse("mesa.example").unwrap();
    store.hide(&target, "spam", now).await.unwrap();
    place(&registry, "mesa.example").await.says(&[
        "mesa.example is hidden</h2>",
        "spam",
        "public log",
    ]);
    for (source, title, way) in [
        (
            ExclusionSource::Operator,
            "mesa.example is excluded</h2>",
            None,
        ),
        (
            ExclusionSource::Owner,
            "mesa.example has left</h2>",
            Some("href=\"/return?domain=mesa.example\""),
        ),
    ] {
        let exclusion = Exclusion {
            scope: Scope::domain(&Domain::parse("mesa.example").unwrap()),
            reason: "a reason".to_owned(),
            source,
            since: now,
        };
        store.exclude(&exclusion, now).await.unwrap();
        let page = place(&registry, "mesa.example").await;
        page.says(&[title, "a reason"]).never_says(&[
            "action=\"/recheck\"",
            "action=\"/submit\"",
            "badge.svg",
            "/leave?",
        ]);
        assert_eq!(page.body.contains("/return?domain="), way.is_some());
    }
}

#[tokio::test]
async fn the_state_of_a_claim_does_not_repeat_what_is_done() {
    let registry = registry::full().await;
    let store = &registry.state.store;
    let mut now = registry::now();
    for (action, under_way, done, next) in [
        (
            "leave",
            "<h1>Remove mesa.example</h1>",
            "<h1>mesa.example left the registry</h1>",
            "href=\"/return?domain=mesa.example\">Bring it back",
        ),
        (
            "return",
            "<h1>Bring mesa.example back</h1>",
            "<h1>mesa.example may be listed again</h1>",
            "href=\"/owners?domain=mesa.example\">See where it stands",
        ),
    ] {
        let request = Request::post(format!("/{action}"));
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let request = request.body(Body::from("domain=mesa.example"));
        let begun = ask(&registry, request.unwrap()).await;
        assert_eq!(begun.status, StatusCode::SEE_OTHER, "{}", begun.body);
        let page = begun.header(LOCATION).to_owned();
        let steps = ["Publish the token in one", "Look again", "Keep the address"];
        get(&registry, &page).await.says(&steps).says(&[under_way]);
        now = now.after(std::time::Duration::from_secs(10));
        let claim = store.take_claims(10, now).await.unwrap().remove(0);
        let check = ClaimCheck {
            is_verified: true,
            seen_dns: "the token".to_owned(),
            seen_file: None,
        };
        store.settle_claim(&claim, &check, now).await.unwrap();
        let answer = get(&registry, &page).await;
        answer.says(&[done, next]).never_says(&steps);
        answer.never_says(&[under_way]);
    }
}
