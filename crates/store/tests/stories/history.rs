//! Tests of the history of agents and documents.

use crate::cast::{domain, found, minutes, reading, seed};
use manifest::AgentId;
use store::{Operation, Store, Target};

on_every_database!(
    the_versions_of_a_document_are_kept_newest_first,
    the_changes_of_an_agent_are_separate_from_those_of_others,
    a_mark_changes_with_its_domain_and_not_with_others,
    the_documents_of_a_format_come_with_the_latest_change_first,
);

/// Visits the domain twice; its document at `/a` changes from one visit to the next.
async fn changed(store: &dyn Store) {
    store
        .add_seeds(&[seed("a.example")], false, minutes(0))
        .await
        .unwrap();
    for (body, at) in [("alpha one", 0), ("alpha two", 120)] {
        let documents = [("/a", body), ("/b", "beta")];
        found(store, "a.example", &documents, minutes(at)).await;
        let readings = reading(store).await;
        store.replace_agents(&readings, minutes(at)).await.unwrap();
    }
}

async fn the_versions_of_a_document_are_kept_newest_first(store: &dyn Store) {
    changed(store).await;
    let name = domain("a.example");
    let versions = store
        .versions(&name, "https://a.example/a", 10)
        .await
        .unwrap();
    let times: Vec<_> = versions
        .iter()
        .map(|it| (it.first_seen, it.last_seen, it.bytes))
        .collect();
    assert_eq!(
        times,
        [(minutes(120), None, 9), (minutes(0), Some(minutes(0)), 9)]
    );
    let old = store.blob(&versions[1].hash).await.unwrap();
    assert_eq!(old.as_deref(), Some(&b"alpha one"[..]));
    let newest = store.versions(&name, "https://a.example/a", 1).await;
    assert_eq!(newest.unwrap(), versions[..1]);
    for (name, url) in [
        ("a.example", "https://a.example/c"),
        ("b.example", "https://a.example/a"),
    ] {
        let none = store.versions(&domain(name), url, 10).await.unwrap();
        assert!(none.is_empty(), "{name} {url}");
    }
}

async fn the_changes_of_an_agent_are_separate_from_those_of_others(store: &dyn Store) {
    changed(store).await;
    let forgotten = [domain("a.example")];
    store
        .forget(&forgotten, "asked", minutes(200))
        .await
        .unwrap();
    let of = async |slug: &str, limit| {
        let id = AgentId::new(&domain("a.example"), slug);
        store.changes_of(&id, limit).await.unwrap()
    };
    for slug in ["alpha", "beta"] {
        let changes = of(slug, 10).await;
        let slugs: Vec<_> = changes.iter().map(|it| it.agent.parts().1).collect();
        assert_eq!(slugs, [slug; 2]);
        let operations = [changes[0].op, changes[1].op];
        assert_eq!(operations, [Operation::Remove, Operation::Add]);
    }
    assert_eq!(of("alpha", 1).await[0].reason, "asked");
    assert!(of("gamma", 10).await.is_empty());
    let of_domain = async |name: &str, limit| {
        let changes = store.changes_of_domain(&domain(name), limit).await.unwrap();
        changes.into_iter().map(|it| it.seq).collect::<Vec<_>>()
    };
    assert_eq!(of_domain("a.example", 10).await, [4, 3, 2, 1]);
    assert_eq!(of_domain("a.example", 1).await, [4]);
    for other in ["a.example.org", "b.example"] {
        assert!(of_domain(other, 10).await.is_empty(), "{other}");
    }
}

async fn the_documents_of_a_format_come_with_the_latest_change_first(store: &dyn Store) {
    changed(store).await;
    let of = async |format, limit| store.documents_of_format(format, limit).await.unwrap();
    let documents = of("profile", 10).await;
    let found = documents
        .iter()
        .map(|it| (it.document.path(), &*it.document.body));
    let found: Vec<_> = found.collect();
    assert_eq!(found, [("/a", &b"alpha two"[..]), ("/b", b"beta")]);
    assert_eq!(documents[0].document.domain, domain("a.example"));
    assert_eq!(of("profile", 1).await, documents[..1]);
    assert!(of("none", 10).await.is_empty());
}

async fn a_mark_changes_with_its_domain_and_not_with_others(store: &dyn Store) {
    let (name, other) = (domain("a.example"), domain("b.example"));
    let mark = async || store.site_mark(&name).await.unwrap();
    assert_eq!(mark().await, None);
    let mut marks = Vec::new();
    let add = async |name| {
        let seeds = [seed(name)];
        store.add_seeds(&seeds, false, minutes(0)).await.unwrap();
    };
    add("a.example").await;
    marks.push(mark().await);
    found(store, "a.example", &[("/a", "alpha")], minutes(0)).await;
    marks.push(mark().await);
    let readings = reading(store).await;
    store.replace_agents(&readings, minutes(0)).await.unwrap();
    marks.push(mark().await);
    found(store, "a.example", &[("/a", "alpha")], minutes(120)).await;
    marks.push(mark().await);

    add("b.example").await;
    found(store, "b.example", &[("/b", "beta")], minutes(120)).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, minutes(0)).await.unwrap();
    assert_ne!(store.site_mark(&other).await.unwrap(), None);
    assert_eq!(mark().await, marks[3], "b.example");

    store.mark_all_unread().await.unwrap();
    marks.push(mark().await);
    let target = Target::parse("a.example/alpha").unwrap();
    store.hide(&target, "spam", minutes(130)).await.unwrap();
    marks.push(mark().await);
    store
        .show(&target, "a mistake", minutes(130))
        .await
        .unwrap();
    marks.push(mark().await);
    for (place, mark) in marks.iter().enumerate() {
        assert!(mark.is_some() && !marks[..place].contains(mark), "{place}");
    }
    store
        .forget(std::slice::from_ref(&name), "asked", minutes(140))
        .await
        .unwrap();
    assert_eq!(mark().await, None);
}
