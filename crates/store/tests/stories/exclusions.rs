//! Tests of exclusions and of the deletion of a domain's stored data (P4).

use crate::cast::{NOON, domain, found, lease, leased, minutes, read, seeds, visit};
use store::{DeletedCounts, Exclusion, ExclusionSource, Operation, Scope, Store};

on_every_database!(
    p04_an_excluded_domain_is_deleted_with_its_data,
    p04_a_suffix_covers_all_subdomains,
    p04_an_excluded_domain_cannot_be_added,
    p04_an_exclusion_can_be_changed_and_removed,
    p04_a_visit_in_flight_is_not_recorded,
    p04_bytes_shared_with_other_domains_stay,
    p04_domains_beyond_one_step_are_deleted,
    forgotten_domains_can_be_added_again,
);

fn exclusion(scope: Scope) -> Exclusion {
    Exclusion {
        scope,
        reason: "the owner wrote to us".to_owned(),
        source: ExclusionSource::Owner,
        since: NOON,
    }
}

fn alone(name: &str) -> Exclusion {
    exclusion(Scope::domain(&domain(name)))
}

fn below(name: &str) -> Exclusion {
    exclusion(Scope::suffix(name).unwrap())
}

/// Visits a new domain, finds these documents and reads them.
async fn listed(store: &dyn Store, name: &str, bodies: &[(&str, &str)]) {
    let added = store.add_seeds(&seeds(&[name]), false, NOON).await.unwrap();
    assert_eq!(added.new, 1);
    found(store, name, bodies, NOON).await;
    for unread in store.unread_domains(10).await.unwrap() {
        let readings = read(store, unread).await;
        store.replace_agents(&readings, NOON).await.unwrap();
    }
}

async fn p04_an_excluded_domain_is_deleted_with_its_data(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha"), ("/b", "beta")]).await;
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    let hash = site.agents[0].hash.clone();
    let deleted = store
        .exclude(&alone("a.example"), minutes(5))
        .await
        .unwrap();
    let expected = DeletedCounts {
        domains: 1,
        documents: 2,
        agents: 2,
    };
    assert_eq!(deleted, expected);
    assert_eq!(store.site(&domain("a.example")).await.unwrap(), None);
    assert_eq!(store.agents(None, 10).await.unwrap(), []);
    for document in &site.documents {
        assert_eq!(store.blob(&document.hash).await.unwrap(), None);
    }
    let changes = store.changes(2, 10).await.unwrap();
    assert_eq!(changes.len(), 2);
    let removal = &changes[0];
    assert_eq!((removal.seq, removal.op), (3, Operation::OptOut));
    assert_eq!((removal.at, &removal.hash), (minutes(5), &None));
    assert_eq!(removal.previous_hash, Some(hash));
    assert_eq!(removal.reason, "the owner wrote to us");
    let stats = store.stats(minutes(5)).await.unwrap();
    assert_eq!((stats.domains, stats.agents, stats.capabilities), (0, 0, 0));
    assert!(stats.findings.is_empty() && stats.formats.is_empty());
}

async fn p04_a_suffix_covers_all_subdomains(store: &dyn Store) {
    let names = [
        "shop.example",
        "www.shop.example",
        "a.b.shop.example",
        "myshop.example",
        "shop.example.com",
    ];
    store.add_seeds(&seeds(&names), false, NOON).await.unwrap();
    let deleted = store.exclude(&below("shop.example"), NOON).await.unwrap();
    assert_eq!(deleted.domains, 3);
    for (name, is_there) in names.into_iter().zip([false, false, false, true, true]) {
        let site = store.site(&domain(name)).await.unwrap();
        assert_eq!(site.is_some(), is_there, "{name}");
    }
    let deleted = store.exclude(&below("com"), NOON).await.unwrap();
    assert_eq!(deleted.domains, 1);
}

async fn p04_an_excluded_domain_cannot_be_added(store: &dyn Store) {
    store.exclude(&alone("a.example"), NOON).await.unwrap();
    store.exclude(&below("shop.example"), NOON).await.unwrap();
    let names = seeds(&["a.example", "www.a.example", "www.shop.example"]);
    for _ in 0..2 {
        let added = store.add_seeds(&names, true, NOON).await.unwrap();
        assert_eq!(added.excluded, 2);
    }
    assert_eq!(store.stats(NOON).await.unwrap().domains, 1);
    let none = store.add_seeds(&names[..1], true, NOON).await.unwrap();
    assert_eq!((none.new, none.known, none.excluded), (0, 0, 1));
}

async fn p04_an_exclusion_can_be_changed_and_removed(store: &dyn Store) {
    let first = alone("a.example");
    store.exclude(&first, NOON).await.unwrap();
    let second = Exclusion {
        reason: "again".to_owned(),
        source: ExclusionSource::Operator,
        since: minutes(1),
        ..first
    };
    store.exclude(&second, minutes(1)).await.unwrap();
    store.exclude(&below("a.example"), NOON).await.unwrap();
    let all = store.exclusions().await.unwrap();
    assert_eq!(all, [second.clone(), below("a.example")]);
    let include = async || store.include(&second.scope, "over", NOON).await.unwrap();
    assert!(include().await);
    assert!(!include().await);
    assert_eq!(store.exclusions().await.unwrap(), [below("a.example")]);
}

async fn p04_a_visit_in_flight_is_not_recorded(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    store.exclude(&alone("a.example"), NOON).await.unwrap();
    let recorded = store.record_visits(&[visit(lease, NOON)]).await.unwrap();
    assert_eq!((recorded.visits, recorded.fenced), (0, 1));
    assert_eq!(store.site(&domain("a.example")).await.unwrap(), None);
}

async fn p04_bytes_shared_with_other_domains_stay(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "same")]).await;
    listed(store, "b.example", &[("/a", "same")]).await;
    store.exclude(&alone("a.example"), NOON).await.unwrap();
    let site = store.site(&domain("b.example")).await.unwrap().unwrap();
    let hash = &site.documents[0].hash;
    assert_eq!(store.blob(hash).await.unwrap(), Some(b"same".to_vec()));
    store.exclude(&alone("b.example"), NOON).await.unwrap();
    assert_eq!(store.blob(hash).await.unwrap(), None);
}

async fn p04_domains_beyond_one_step_are_deleted(store: &dyn Store) {
    let names: Vec<String> = (0..1_203).map(|it| format!("h{it}.shop.example")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    store.add_seeds(&seeds(&names), false, NOON).await.unwrap();
    let deleted = store.exclude(&below("shop.example"), NOON).await.unwrap();
    assert_eq!(deleted.domains, 1_203);
    assert_eq!(store.stats(NOON).await.unwrap().domains, 0);
}

async fn forgotten_domains_can_be_added_again(store: &dyn Store) {
    listed(store, "a.example", &[("/a", "alpha")]).await;
    let names = [domain("a.example"), domain("unknown.example")];
    let deleted = store.forget(&names, "asked", minutes(5)).await.unwrap();
    assert_eq!((deleted.domains, deleted.agents), (1, 1));
    let changes = store.changes(1, 10).await.unwrap();
    assert_eq!(changes[0].reason, "asked");
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    assert_eq!(lease(store, "a.example", NOON).await.last_outcome, None);
}
