//! Tests of named documents: stored with their domain, requested, known or absent (P9).

use crate::cast::{NOON, document, domain, lease, leased, minutes, seeds, visit};
use store::{Discovery, DocumentKind, Lease, NamedDocument, Outcome, Store};

on_every_database!(
    p09_named_documents_come_with_the_lease_own_ones_first,
    p09_a_found_document_is_known_and_a_missing_one_waits_for_a_month,
    p09_the_documents_of_a_domain_are_limited,
    p09_a_document_that_the_operator_names_makes_its_domain_due,
    p36_unanswered_paths_come_with_the_next_lease,
);

const DAY: i64 = 24 * 60;

fn named(url: &str, is_own: bool) -> NamedDocument {
    NamedDocument {
        url: url.to_owned(),
        named_by: "https://a.example/catalog.json".to_owned(),
        is_own,
        kind: DocumentKind::Manifest,
        is_absent: false,
    }
}

fn urls(lease: &Lease) -> Vec<(&str, bool)> {
    let named = lease.named.iter();
    named.map(|it| (it.url.as_str(), it.is_absent)).collect()
}

async fn p09_named_documents_come_with_the_lease_own_ones_first(store: &dyn Store) {
    let mut first = visit(leased(store, "a.example").await, NOON);
    first.named = vec![named("https://a.example/1.json", true)];
    store.record_visits(&[first]).await.unwrap();
    store
        .add_seeds(&seeds(&["b.example"]), false, NOON)
        .await
        .unwrap();
    let discovery = Discovery {
        from: domain("b.example"),
        to: domain("a.example"),
        url: "https://a.example/0.json".to_owned(),
        named_by: "https://b.example/catalog.json".to_owned(),
    };
    assert_eq!(store.discover(&[discovery], 9, NOON).await.unwrap(), 0);
    let until = minutes(2 * DAY);
    let leases = store.lease_domains(minutes(DAY), until, 9).await.unwrap();
    let lease = leases.iter().find(|it| it.domain == domain("a.example"));
    let lease = lease.unwrap();
    assert_eq!(
        urls(lease),
        [
            ("https://a.example/1.json", false),
            ("https://a.example/0.json", false)
        ]
    );
    assert!(lease.named[0].is_own && !lease.named[1].is_own);
    assert_eq!(lease.named[1].named_by, "https://b.example/catalog.json");
}

async fn p09_a_found_document_is_known_and_a_missing_one_waits_for_a_month(store: &dyn Store) {
    let mut first = visit(leased(store, "a.example").await, NOON);
    first.asked = vec![
        named("https://a.example/1.json", true),
        named("https://a.example/2.json", true),
    ];
    first.outcome = Outcome::Found;
    first.documents = vec![document("a.example", "/1.json", "one", NOON)];
    store.record_visits(&[first]).await.unwrap();
    let again = lease(store, "a.example", minutes(DAY)).await;
    assert_eq!(urls(&again), [("https://a.example/2.json", true)]);
    assert_eq!(again.known.len(), 1);

    // A known document is not stored again, whatever names it.
    let mut second = visit(again, minutes(DAY));
    second.named = vec![named("https://a.example/1.json", true)];
    store.record_visits(&[second]).await.unwrap();
    let later = lease(store, "a.example", minutes(31 * DAY)).await;
    assert_eq!(urls(&later), [("https://a.example/2.json", false)]);

    // After half a year it is deleted, until something names it again.
    let mut third = visit(later, minutes(200 * DAY));
    third.named = vec![named("https://a.example/3.json", true)];
    store.record_visits(&[third]).await.unwrap();
    let last = lease(store, "a.example", minutes(201 * DAY)).await;
    assert_eq!(urls(&last), [("https://a.example/3.json", false)]);
}

async fn p09_the_documents_of_a_domain_are_limited(store: &dyn Store) {
    let mut first = visit(leased(store, "a.example").await, NOON);
    first.named = (0..300)
        .map(|number| named(&format!("https://a.example/{number}.json"), number < 250))
        .collect();
    store.record_visits(&[first]).await.unwrap();
    let lease = lease(store, "a.example", minutes(DAY)).await;
    let own = lease.named.iter().filter(|it| it.is_own).count();
    assert_eq!((own, lease.named.len()), (200, 220));
}

async fn p09_a_document_that_the_operator_names_makes_its_domain_due(store: &dyn Store) {
    let mut first = visit(leased(store, "a.example").await, NOON);
    first.next.due = minutes(30 * DAY);
    store.record_visits(&[first]).await.unwrap();
    let document = named("https://a.example/1.json", true);
    let documents = [(domain("a.example"), document)];
    // Not while the host is blocked.
    store.name_documents(&documents, minutes(5)).await.unwrap();
    assert_eq!(store.due(minutes(DAY), 9).await.unwrap(), 0);
    let other = [(domain("a.example"), named("https://a.example/2.json", true))];
    store.name_documents(&other, minutes(60)).await.unwrap();
    let lease = lease(store, "a.example", minutes(60)).await;
    assert_eq!(lease.named.len(), 2);
    store.return_leases(&[lease]).await.unwrap();
    // Naming a document again does not make its domain due.
    let again = lease_again(store).await;
    let mut second = visit(again, minutes(60));
    second.next.due = minutes(30 * DAY);
    store.record_visits(&[second]).await.unwrap();
    store.name_documents(&other, minutes(DAY)).await.unwrap();
    assert_eq!(store.due(minutes(DAY), 9).await.unwrap(), 0);
}

async fn lease_again(store: &dyn Store) -> Lease {
    lease(store, "a.example", minutes(60)).await
}

async fn p36_unanswered_paths_come_with_the_next_lease(store: &dyn Store) {
    let mut first = visit(leased(store, "a.example").await, NOON);
    first.next.unanswered = vec!["/agents.json".to_owned()];
    store.record_visits(&[first]).await.unwrap();
    let again = lease(store, "a.example", minutes(DAY)).await;
    assert_eq!(again.unanswered, ["/agents.json"]);
    store
        .record_visits(&[visit(again, minutes(DAY))])
        .await
        .unwrap();
    let last = lease(store, "a.example", minutes(2 * DAY)).await;
    assert!(last.unanswered.is_empty());
}
