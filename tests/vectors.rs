//! Sentence vectors: they follow the agents in the background, and none is computed twice.

use crate::support::registry::{CARD, Registry, card};
use search::{IndexWriter, SentenceVectors, embedding};

/// Returns the number of agents in the index that wait for their vector.
fn waiting(registry: &Registry) -> u64 {
    let writer = IndexWriter::open(&registry.index(), embedding::shipped()).unwrap();
    writer.waiting(10, |_| false).unwrap().count
}

#[tokio::test]
async fn a_rebuild_computes_no_vector_twice() {
    let mut registry = Registry::new().await;
    for (domain, name) in [
        ("ferry.example", "Ferry desk"),
        ("tram.example", "Tram desk"),
    ] {
        let card = card(name, "plan_journey", "Plans a journey.");
        registry.visit(domain, &[(CARD, &card)], &[]).await;
    }
    let done = registry.catch_up().await;
    assert_eq!((done.added, done.encoded), (2, 2));
    assert_eq!(waiting(&registry), 0);

    std::fs::remove_dir_all(registry.index()).unwrap();
    let done = registry.catch_up().await;
    assert_eq!((done.rebuilt, done.encoded), (1, 0));
    assert_eq!(waiting(&registry), 0);

    // The same texts on another site have the same vector; another text has its own.
    let same = card("Ferry desk", "plan_journey", "Plans a journey.");
    registry.visit("copy.example", &[(CARD, &same)], &[]).await;
    let done = registry.catch_up().await;
    assert_eq!((done.added, done.encoded), (1, 0));
    let other = card("Ferry desk", "plan_journey", "Plans a journey by sea.");
    registry
        .visit("ferry.example", &[(CARD, &other)], &[])
        .await;
    let done = registry.catch_up().await;
    assert_eq!((done.updated, done.encoded), (1, 1));
    assert_eq!(
        registry.search("boat trip").hits[0].id.parts().0,
        "ferry.example"
    );
}

#[tokio::test]
async fn agents_are_found_before_their_vectors_are_computed() {
    let mut registry = Registry::new().await;
    let ferry = card(
        "Ferry desk",
        "book_ferry",
        "Books a ferry crossing to the islands.",
    );
    registry
        .visit("ferry.example", &[(CARD, &ferry)], &[])
        .await;
    registry.catch_up().await;
    let agents = registry.store.agents(None, 10).await.unwrap();
    let mut writer = IndexWriter::open(&registry.index(), embedding::shipped()).unwrap();
    let position = writer.position().unwrap().clone();
    let build = writer.rebuild().unwrap();
    build.add_all(&agents, &SentenceVectors::new()).unwrap();
    writer.switch(build, position).unwrap();
    drop(writer);
    assert_eq!(waiting(&registry), 1);
    let found = registry.search("ferry crossing to the islands");
    assert_eq!(
        (found.total, found.hits[0].id.parts().0),
        (1, "ferry.example")
    );
    // Its vector is still in the store.
    let done = registry.catch_up().await;
    assert_eq!((done.indexed, done.encoded), (0, 1));
    assert_eq!(waiting(&registry), 0);
}
