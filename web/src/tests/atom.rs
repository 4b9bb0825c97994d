//! Tests of Atom feeds, read as a reader of feeds does.

use super::*;
use crate::client::{Client, Peer};
use crate::rate::Limiter;
use crate::rate::processor::BURST;
use atom_syndication::Feed;
use axum::http::header::{ACCEPT, IF_NONE_MATCH};
use manifest::Domain;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Instant;
use store::{Exclusion, ExclusionSource, Scope};

const FEEDS: [&str; 4] = [
    "/feed.atom",
    "/site/mesa.example/feed.atom",
    "/agent/mesa.example/reservations/feed.atom",
    "/search/feed.atom?q=book+a+table",
];

async fn feed(registry: &Registry, address: &str) -> Feed {
    let answer = get(registry, address).await;
    assert_eq!(answer.status, StatusCode::OK, "{address}");
    let media_type = "application/atom+xml; charset=utf-8";
    assert_eq!(answer.header(CONTENT_TYPE), media_type);
    let feed = Feed::read_from(answer.body.as_bytes()).unwrap();
    let own = feed.links().iter().find(|it| it.rel() == "self").unwrap();
    let canonical = format!("https://agentdex.example{address}").replace('+', "%20");
    assert_eq!(own.href().replace('+', "%20"), canonical);
    assert_eq!(feed.id(), own.href());
    let ids: BTreeSet<&str> = feed
        .entries()
        .iter()
        .map(atom_syndication::Entry::id)
        .collect();
    assert_eq!(ids.len(), feed.entries().len(), "{address}");
    feed
}

fn titles(feed: &Feed) -> Vec<&str> {
    feed.entries().iter().map(|it| &*it.title().value).collect()
}

#[tokio::test]
async fn feeds_have_what_changed_and_what_is_found() {
    let registry = registry::full().await;
    for address in FEEDS {
        let feed = feed(&registry, address).await;
        let titles = titles(&feed);
        let expected = "Mesa reservations at mesa.example";
        assert!(
            titles.iter().any(|it| it.ends_with(expected)),
            "{address}: {titles:?}"
        );
        for entry in feed.entries() {
            let page = entry
                .links()
                .iter()
                .find(|it| it.rel() == "alternate")
                .unwrap();
            let path = page
                .href()
                .strip_prefix("https://agentdex.example")
                .unwrap();
            assert_eq!(get(&registry, path).await.status, StatusCode::OK, "{path}");
        }
    }
    let of_site = feed(&registry, FEEDS[1]).await;
    assert!(
        titles(&of_site)
            .iter()
            .all(|it| it.ends_with(" at mesa.example"))
    );
    let change = of_site.entries()[0]
        .id()
        .strip_prefix("https://agentdex.example");
    let change = get(&registry, change.unwrap()).await.json();
    assert_eq!(change["changes"][0]["id"], "mesa.example/reservations");
}

#[tokio::test]
async fn a_feed_is_sent_again_only_if_something_changed() {
    let registry = registry::full().await;
    let mut tags = Vec::new();
    let ask_again = async |address: &str, tag: &str| {
        let request = Request::get(address).header(IF_NONE_MATCH, tag);
        ask(&registry, request.body(Body::empty()).unwrap()).await
    };
    for address in FEEDS {
        let tag = get(&registry, address).await.header(ETAG).to_owned();
        let again = ask_again(address, &tag).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{address}");
        tags.push(tag);
    }
    let mut page = registry::mesa();
    page.agents[0]["name"] = "Mesa by night".into();
    registry.revise(page, "{}").await;
    for (address, tag) in FEEDS[..3].iter().zip(&tags) {
        let answer = ask_again(address, tag).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        let feed = Feed::read_from(answer.body.as_bytes()).unwrap();
        let newest = &feed.entries()[0];
        assert_eq!(
            newest.title().value,
            "Changed: Mesa by night at mesa.example"
        );
        assert_eq!(newest.summary().unwrap().value, "Changed: name.");
    }
}

#[tokio::test]
async fn feeds_of_what_is_gone_say_so() {
    let registry = registry::full().await;
    for (address, status) in [
        ("/site/nowhere.example/feed.atom", StatusCode::NOT_FOUND),
        ("/agent/mesa.example/none/feed.atom", StatusCode::NOT_FOUND),
        ("/site/empty.example/feed.atom", StatusCode::OK),
    ] {
        assert_eq!(get(&registry, address).await.status, status, "{address}");
    }
    let mut page = registry::mesa();
    page.agents.clear();
    registry.revise(page, "{}").await;
    let of_agent = feed(&registry, FEEDS[2]).await;
    let gone = "No longer listed: mesa.example/reservations at mesa.example";
    assert_eq!(titles(&of_agent)[0], gone);
    assert_eq!(titles(&feed(&registry, FEEDS[1]).await)[0], gone);
    let exclusion = Exclusion {
        scope: Scope::domain(&Domain::parse("mesa.example").unwrap()),
        reason: "asked for by the owner".to_owned(),
        source: ExclusionSource::Owner,
        since: registry::now(),
    };
    let store = &registry.state.store;
    store.exclude(&exclusion, registry::now()).await.unwrap();
    for address in &FEEDS[1..3] {
        assert_eq!(get(&registry, address).await.status, StatusCode::GONE);
    }
}

#[tokio::test]
async fn pages_name_their_feeds() {
    let registry = registry::full().await;
    for (page, feed) in [
        ("/", FEEDS[0]),
        ("/browse/new", FEEDS[0]),
        ("/site/mesa.example", FEEDS[1]),
        ("/agent/mesa.example/reservations", FEEDS[2]),
        ("/agent/mesa.example/reservations/history", FEEDS[2]),
        ("/search?q=book+a+table", FEEDS[3]),
    ] {
        let link = format!("href=\"{feed}\">").replace('+', "%20");
        let page = get(&registry, page).await;
        assert!(
            page.body
                .contains("<link rel=\"alternate\" type=\"application/atom+xml\"")
        );
        assert!(
            page.body
                .replace('+', "%20")
                .replace("application/atom%20xml", "")
                .contains(&link),
            "{link}"
        );
    }
    let request = Request::get(FEEDS[1]).header(ACCEPT, "application/json");
    let answer = ask(&registry, request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK, "whatever a client accepts");
}

#[tokio::test]
async fn the_feed_of_a_search_costs_as_much_as_the_search() {
    let mut registry = registry::full().await;
    registry.state.limiter = Limiter::new("600".parse().unwrap(), &[]);
    let peer: IpAddr = "192.0.2.1".parse().unwrap();
    let limiter = &registry.state.limiter;
    limiter.charge_search(Client::of(peer), BURST * 2, Instant::now());
    for (address, status) in [
        ("/search?q=book+a+table", StatusCode::TOO_MANY_REQUESTS),
        (FEEDS[3], StatusCode::TOO_MANY_REQUESTS),
        (FEEDS[1], StatusCode::OK),
    ] {
        let request = Request::get(address).extension(Peer(peer));
        let answer = ask(&registry, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, status, "{address}");
    }
}
