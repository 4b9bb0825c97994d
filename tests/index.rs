//! From visits in a real store to answers from a real index, through the pipeline.

use crate::support;
use crate::support::registry::{CARD, Registry, card};
use crate::support::wait::until;
use indexer::run::{self, Until};
use manifest::Timestamp;
use search::follower::FollowError;
use search::{Facet, Fit, IndexWriter, Results, Searcher, WriteError, embedding};
use std::path::PathBuf;
use std::sync::Arc;
use store::Outcome;
use tokio_util::sync::CancellationToken;

fn search(searcher: &Searcher, text: &str) -> Results {
    searcher.search(&support::search(text)).unwrap()
}

#[tokio::test]
async fn new_documents_become_searchable() {
    let mut registry = Registry::new().await;
    let bakery = card(
        "Corner bakery",
        "order_bread",
        "Takes an order for sourdough bread.",
    );
    registry
        .visit("bakery.example", &[(CARD, &bakery)], &[])
        .await;
    registry
        .visit("nothing.example", &[(CARD, "<html>")], &[])
        .await;
    let done = registry.catch_up().await;
    assert_eq!((done.domains, done.documents, done.added), (2, 2, 1));
    let results = registry.search("order some bread");
    assert_eq!(results.total, 1);
    assert_eq!(results.fit, Fit::Strong);
    assert_eq!(results.hits[0].id.as_str(), "bakery.example/corner-bakery");
    assert_eq!(
        results.generation,
        registry.store.last_change().await.unwrap()
    );
    assert!(registry.catch_up().await.is_nothing());
}

#[tokio::test]
async fn changed_documents_replace_and_removed_ones_vanish() {
    let mut registry = Registry::new().await;
    let before = card("Atelier", "repair_shoes", "Mends boots and shoes.");
    registry
        .visit("atelier.example", &[(CARD, &before)], &[])
        .await;
    registry.catch_up().await;
    assert_eq!(registry.search("repair shoes").total, 1);
    let after = card("Atelier", "tune_pianos", "Tunes pianos at home.");
    registry
        .visit("atelier.example", &[(CARD, &after)], &[])
        .await;
    registry.catch_up().await;
    assert_eq!(registry.search("repair shoes").total, 0);
    assert_eq!(registry.search("tune my piano").total, 1);
    registry.visit("atelier.example", &[], &[CARD]).await;
    let done = registry.catch_up().await;
    assert_eq!(done.removed, 1);
    assert_eq!(registry.search("").total, 0);
}

#[tokio::test]
async fn a_site_that_is_down_is_found_as_failing_and_comes_after_its_equal_until_it_is_up() {
    let mut registry = Registry::new().await;
    let body = card("Piano workshop", "tune_pianos", "Tunes pianos at home.");
    for name in ["one.example", "two.example"] {
        registry.visit(name, &[(CARD, &body)], &[]).await;
    }
    registry.catch_up().await;
    let found = |registry: &Registry, text: &str| -> Vec<String> {
        let hits = registry.search(text).hits.into_iter();
        hits.map(|hit| hit.id.to_string()).collect()
    };
    let both = found(&registry, "tune my piano");
    let [first, second] = both.as_slice() else {
        panic!("two are found: {both:?}");
    };
    assert_eq!(found(&registry, "tune my piano is:up"), both);

    let domain = first.split('/').next().unwrap();
    registry.end(domain, Outcome::Down, &[], &[]).await;
    let done = registry.catch_up().await;
    assert_eq!((done.domains, done.indexed, done.rebuilt), (0, 1, 0));
    let turned = [second.clone(), first.clone()];
    assert_eq!(found(&registry, "tune my piano"), turned);
    let mut failing = support::search("tune my piano");
    failing.filters = [(Facet::Status, vec!["failing".to_owned()])].into();
    failing.facets = vec![Facet::Status];
    let searcher = Searcher::open(&registry.index(), embedding::shipped()).unwrap();
    let results = searcher.search(&failing).unwrap();
    assert_eq!((results.total, results.hits[0].id.as_str()), (1, &**first));
    let counts = results.facets[&Facet::Status].iter();
    let counts: Vec<_> = counts.map(|it| (it.value.as_str(), it.count)).collect();
    assert_eq!(counts, [("failing", 1), ("ok", 1)]);
    assert_eq!(found(&registry, "tune my piano is:failing"), turned[1..]);
    assert_eq!(found(&registry, "tune my piano -is:up"), turned[1..]);

    registry.visit(domain, &[(CARD, &body)], &[]).await;
    registry.catch_up().await;
    assert_eq!(found(&registry, "tune my piano is:up"), both);
    assert_eq!(searcher.search(&failing).unwrap().total, 0);
}

#[tokio::test]
async fn a_deleted_or_older_index_is_built_anew_by_itself() {
    let mut registry = Registry::new().await;
    for number in 0..3 {
        let body = card(
            &format!("Porter {number}"),
            "carry_luggage",
            "Carries luggage.",
        );
        registry
            .visit(&format!("porter{number}.example"), &[(CARD, &body)], &[])
            .await;
    }
    registry.catch_up().await;
    std::fs::remove_dir_all(registry.index()).unwrap();
    let done = registry.catch_up().await;
    assert_eq!((done.rebuilt, done.domains), (1, 0));
    assert_eq!(registry.search("carry luggage").total, 3);

    let marker = registry.index().join("agentdex-index.json");
    let text = std::fs::read_to_string(&marker).unwrap();
    let version = text.replace("\"version\":", "\"version\":9");
    assert_ne!(text, version);
    std::fs::write(&marker, version).unwrap();
    assert_eq!(registry.catch_up().await.rebuilt, 1);
    assert_eq!(registry.search("carry luggage").total, 3);
}

#[tokio::test]
async fn a_crash_between_store_and_index_is_made_up_for() {
    let mut registry = Registry::new().await;
    let first = card("Ferry desk", "book_ferry", "Books a ferry crossing.");
    registry
        .visit("ferry.example", &[(CARD, &first)], &[])
        .await;
    registry.catch_up().await;
    let second = card("Tram desk", "plan_tram", "Plans a tram journey.");
    registry
        .visit("tram.example", &[(CARD, &second)], &[])
        .await;
    registry.visit("ferry.example", &[], &[CARD]).await;
    // A process that reads into rows and dies before the index has them.
    for unread in registry.store.unread_domains(10).await.unwrap() {
        let documents = registry.store.documents(&unread.domain).await.unwrap();
        let readings = indexer::pipeline::read_domain(unread, &documents);
        let now = Timestamp(registry.now);
        registry.store.replace_agents(&readings, now).await.unwrap();
    }
    assert_eq!(
        registry.search("book ferry").total,
        1,
        "the index is behind"
    );
    let done = registry.catch_up().await;
    assert_eq!((done.domains, done.rebuilt, done.indexed), (0, 0, 2));
    let found = registry.search("book ferry");
    let is_ferry = |hit: &search::Hit| hit.id.parts().0 == "ferry.example";
    assert!(!found.hits.iter().any(is_ferry));
    assert_eq!(registry.search("plan tram").total, 1);
}

#[tokio::test]
async fn an_index_of_another_database_is_built_anew() {
    let mut one = Registry::new().await;
    one.visit(
        "one.example",
        &[(CARD, &card("One", "paint_walls", "Paints walls."))],
        &[],
    )
    .await;
    one.catch_up().await;
    let mut other = Registry::new().await;
    other
        .visit(
            "two.example",
            &[(CARD, &card("Two", "wash_windows", "Washes windows."))],
            &[],
        )
        .await;
    let done = run::run(
        Arc::clone(&other.store),
        &one.index(),
        embedding::shipped(),
        Until::CaughtUp,
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(done.rebuilt, 1);
    assert_eq!(one.search("paint walls").total, 0);
    assert_eq!(one.search("wash windows").total, 1);
}

#[tokio::test]
async fn a_watching_indexer_makes_a_manifest_searchable_and_stops_on_request() {
    let mut registry = Registry::new().await;
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let (store, index) = (Arc::clone(&registry.store), registry.index());
    let running = tokio::spawn(async move {
        run::run(
            store,
            &index,
            embedding::shipped(),
            Until::Stopped,
            &stopped,
        )
        .await
    });
    let searcher = Searcher::open(&registry.index(), embedding::shipped()).unwrap();
    until("an index is built", async || searcher.generation().is_ok()).await;
    let body = card(
        "Night pharmacy",
        "find_pharmacy",
        "Finds a pharmacy that is open now.",
    );
    registry
        .visit("pharmacy.example", &[(CARD, &body)], &[])
        .await;
    until("the manifest is searchable", async || {
        search(&searcher, "pharmacy").total > 0
    })
    .await;

    // The indexer rebuilds an index that is deleted while it runs. The folder cannot be removed in
    // the moment in which a file is added to it, so removing is tried again.
    let folder = registry.index();
    until("the index is removed", async || {
        std::fs::remove_dir_all(&folder).is_ok()
    })
    .await;
    // The searcher from before may still answer from the files that it holds open; a new one reads
    // the disk.
    until("the index is rebuilt", async || {
        let searcher = Searcher::open(&folder, embedding::shipped());
        let results = searcher.map(|searcher| searcher.search(&support::search("pharmacy")));
        matches!(results, Ok(Ok(results)) if results.total == 1)
    })
    .await;
    until("the first searcher follows", async || {
        let results = searcher.search(&support::search("pharmacy"));
        results.is_ok_and(|results| results.total == 1)
    })
    .await;
    stop.cancel();
    let done = running.await.unwrap().unwrap();
    assert_eq!(done.added, 1, "{done:?}");
    assert!(done.rebuilt >= 2, "rebuilt {} times", done.rebuilt);
}

#[tokio::test]
async fn a_second_indexer_on_an_index_is_refused_and_a_foreign_folder_too() {
    let registry = Registry::new().await;
    let attempt = |index: PathBuf| {
        let store = Arc::clone(&registry.store);
        async move {
            run::run(
                store,
                &index,
                embedding::shipped(),
                Until::CaughtUp,
                &CancellationToken::new(),
            )
            .await
        }
    };
    let _first = IndexWriter::open(&registry.index(), embedding::shipped()).unwrap();
    let error = attempt(registry.index()).await.unwrap_err();
    assert!(matches!(
        error,
        FollowError::Index(WriteError::Locked { .. })
    ));
    // The folder of the database is not an index.
    let error = attempt(registry.folder.path().to_owned())
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        FollowError::Index(WriteError::Foreign { .. })
    ));
}
