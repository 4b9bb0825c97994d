//! Tests of the results of a visit: documents, their history, receipts.

use crate::cast::{NOON, document, domain, found, lease, leased, minutes, reading, seeds, visit};
use manifest::Timestamp;
use manifest::document::Delivery;
use store::{Outcome, RobotsState, Store};

on_every_database!(
    p40_a_document_is_removed_after_two_visits_a_day_apart_or_one_410,
    documents_are_returned_byte_for_byte,
    a_known_document_is_named_in_the_next_lease,
    an_unchanged_document_only_moves_its_time,
    a_document_confirmed_by_304_only_moves_its_time,
    a_changed_document_is_read_again,
    a_document_with_another_url_is_read_again,
    a_document_with_other_headers_is_read_again,
    a_document_that_is_gone_is_removed,
    identical_documents_share_one_blob,
    the_last_three_visits_are_kept,
    the_last_twenty_visits_are_kept_for_domains_with_agents,
    a_visit_without_robots_txt_keeps_the_last_state,
    p35_a_repeated_visit_keeps_the_last_outcome,
    one_dropped_visit_leaves_the_others,
    missing_records_are_none,
);

const CARD: (&str, &str) = ("/.well-known/agent-card.json", "alpha");

async fn documents_are_returned_byte_for_byte(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let visit = found(
        store,
        "a.example",
        &[("/b", "beta\r\n\0"), ("/a", "")],
        NOON,
    )
    .await;
    let stored = store.documents(&domain("a.example")).await.unwrap();
    assert_eq!(stored.len(), 2);
    assert_eq!(stored[0].document, visit.documents[1]);
    assert_eq!(stored[1].document, visit.documents[0]);
    for stored in stored {
        assert_eq!(stored.hash, stored.document.hash());
        let blob = store.blob(&stored.hash).await.unwrap();
        assert_eq!(blob, Some(stored.document.body));
    }
}

async fn a_known_document_is_named_in_the_next_lease(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let visit = found(store, "a.example", &[CARD], NOON).await;
    let lease = lease(store, "a.example", visit.next.due).await;
    assert_eq!(lease.last_outcome, Some(Outcome::Found));
    assert_eq!(lease.known.len(), 1);
    let known = &lease.known[0];
    assert_eq!(known.requested, visit.documents[0].requested.as_str());
    assert_eq!(known.etag, visit.documents[0].etag);
    assert_eq!(known.hash, visit.documents[0].hash());
}

async fn an_unchanged_document_only_moves_its_time(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    found(store, "a.example", &[CARD], NOON).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    found(store, "a.example", &[CARD], minutes(90)).await;
    assert_eq!(store.unread_domains(10).await.unwrap(), []);
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    let document = &site.documents[0];
    assert_eq!((document.first_seen, document.changed), (NOON, NOON));
    assert_eq!(document.fetched, minutes(90));
    assert_eq!(site.agents[0].last_seen, minutes(90));
}

async fn a_document_confirmed_by_304_only_moves_its_time(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let first = found(store, "a.example", &[CARD], NOON).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    let mut second = visit(lease(store, "a.example", minutes(90)).await, minutes(90));
    second.unchanged = vec![first.documents[0].requested.to_string()];
    let ended = second.ended;
    let recorded = store.record_visits(&[second]).await.unwrap();
    assert_eq!(recorded.documents, 0);
    assert_eq!(store.unread_domains(10).await.unwrap(), []);
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(recorded.unchanged_agents, site.agents.len() as u64);
    let findings = site.documents[0].findings.len();
    assert_eq!(recorded.unchanged_findings, findings as u64);
    assert_eq!(site.documents[0].fetched, ended);
    assert_eq!(site.documents[0].changed, NOON);
    assert_eq!(site.agents[0].last_seen, ended);
}

async fn a_changed_document_is_read_again(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    found(store, "a.example", &[CARD], NOON).await;
    let first = store.unread_domains(10).await.unwrap().remove(0);
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    assert_eq!(store.unread_domains(10).await.unwrap(), []);

    found(store, "a.example", &[(CARD.0, "beta")], minutes(90)).await;
    let second = store.unread_domains(10).await.unwrap().remove(0);
    assert_eq!(second.domain, first.domain);
    assert!(second.revision > first.revision);
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.documents.len(), 1);
    let document = &site.documents[0];
    assert_eq!((document.first_seen, document.changed), (NOON, minutes(90)));
    let old = readings.listings[0].sources[0].hash.as_str();
    assert_eq!(store.blob(old).await.unwrap(), Some(b"alpha".to_vec()));
}

async fn a_document_with_another_url_is_read_again(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    found(store, "a.example", &[CARD], NOON).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    let mut moved = visit(lease(store, "a.example", minutes(90)).await, minutes(90));
    let mut card = document("a.example", CARD.0, CARD.1, minutes(90));
    card.url = "https://www.a.example/card.json".parse().unwrap();
    moved.documents = vec![card];
    let recorded = store.record_visits(&[moved]).await.unwrap();
    assert_eq!(recorded.documents, 0);
    assert_eq!(store.unread_domains(10).await.unwrap().len(), 1);
}

async fn a_document_with_other_headers_is_read_again(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let first = found(store, "a.example", &[CARD], NOON).await;
    let stored = store.documents(&domain("a.example")).await.unwrap();
    assert_eq!(stored[0].document.served, first.documents[0].served);
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    for (minute, cache_control, allow_origin, unread) in [
        (90, "max-age=59", None, 0),
        (180, "max-age=59", Some("*"), 1),
    ] {
        let now = minutes(minute);
        let mut visit = visit(lease(store, "a.example", now).await, now);
        let mut card = document("a.example", CARD.0, CARD.1, now);
        card.served = Some(Delivery {
            cache_control: Some(cache_control.to_owned()),
            allow_origin: allow_origin.map(str::to_owned),
        });
        visit.documents = vec![card.clone()];
        store.record_visits(&[visit]).await.unwrap();
        assert_eq!(store.unread_domains(10).await.unwrap().len(), unread);
        let site = store.site(&domain("a.example")).await.unwrap().unwrap();
        assert_eq!(site.documents[0].served, card.served);
    }
}

async fn a_document_that_is_gone_is_removed(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let first = found(store, "a.example", &[CARD], NOON).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    let mut second = visit(lease(store, "a.example", minutes(90)).await, minutes(90));
    second.gone = vec![
        first.documents[0].requested.to_string(),
        "https://a.example/never-seen".to_owned(),
    ];
    store.record_visits(&[second]).await.unwrap();
    assert_eq!(store.documents(&domain("a.example")).await.unwrap(), []);
    assert_eq!(store.unread_domains(10).await.unwrap().len(), 1);
    let stats = store.stats(minutes(90)).await.unwrap();
    assert!(stats.findings.is_empty() && stats.formats.is_empty());
}

async fn identical_documents_share_one_blob(store: &dyn Store) {
    let names = seeds(&["a.example", "b.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    let leases = store.lease_domains(NOON, minutes(5), 10).await.unwrap();
    let visits: Vec<_> = leases
        .into_iter()
        .map(|lease| {
            let card = document(lease.domain.as_str(), CARD.0, CARD.1, NOON);
            let mut visit = visit(lease, NOON);
            visit.documents = vec![card];
            visit
        })
        .collect();
    let recorded = store.record_visits(&visits).await.unwrap();
    assert_eq!(recorded.documents, 2);
    let hash = visits[0].documents[0].hash();
    assert_eq!(store.blob(&hash).await.unwrap(), Some(b"alpha".to_vec()));
}

async fn visit_often(store: &dyn Store, times: i64) -> Vec<Timestamp> {
    for time in 1..=times {
        let now = minutes(90 * time);
        let visit = visit(lease(store, "a.example", now).await, now);
        store.record_visits(&[visit]).await.unwrap();
    }
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    site.visits.iter().map(|visit| visit.started).collect()
}

async fn the_last_three_visits_are_kept(store: &dyn Store) {
    let first = visit(leased(store, "a.example").await, NOON);
    store
        .record_visits(std::slice::from_ref(&first))
        .await
        .unwrap();
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.visits[0].receipts, first.receipts);
    assert_eq!((site.visits[0].requests, site.visits[0].bytes), (4, 2048));
    let kept = visit_often(store, 5).await;
    assert_eq!(kept, [minutes(450), minutes(360), minutes(270)]);
}

async fn the_last_twenty_visits_are_kept_for_domains_with_agents(store: &dyn Store) {
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    found(store, "a.example", &[CARD], NOON).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    let kept = visit_often(store, 22).await;
    assert_eq!(kept.len(), 20);
    assert_eq!(kept[0], minutes(90 * 22));
}

async fn a_visit_without_robots_txt_keeps_the_last_state(store: &dyn Store) {
    let mut first = visit(leased(store, "a.example").await, NOON);
    first.robots = Some(RobotsState {
        verdict: "partial".to_owned(),
        mask: 5,
        delay_ms: Some(30_000),
        ..RobotsState::default()
    });
    let answer = first.robots.clone();
    store.record_visits(&[first]).await.unwrap();
    let mut second = visit(lease(store, "a.example", minutes(90)).await, minutes(90));
    second.robots = None;
    second.outcome = Outcome::Down;
    second.detail = Some("connection refused".to_owned());
    store.record_visits(&[second]).await.unwrap();
    let site = store.site(&domain("a.example")).await.unwrap().unwrap();
    assert_eq!(site.robots, answer);
    assert_eq!(site.visits[0].detail.as_deref(), Some("connection refused"));

    let lease = lease(store, "a.example", minutes(300)).await;
    assert_eq!(lease.robots, answer);
    store.release_leases(minutes(300), 1000, 0).await.unwrap();
    let due = store.next_due().await.unwrap().unwrap();
    assert!(
        (30_000..30_200).contains(&(due.0 - minutes(300).0)),
        "{due:?}"
    );
}

async fn one_dropped_visit_leaves_the_others(store: &dyn Store) {
    let names = seeds(&["a.example", "b.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    let leases = store.lease_domains(NOON, minutes(5), 10).await.unwrap();
    let mut visits: Vec<_> = leases.into_iter().map(|it| visit(it, NOON)).collect();
    visits[0].lease.token += 1;
    visits[0].documents = vec![document("a.example", CARD.0, CARD.1, NOON)];
    let recorded = store.record_visits(&visits).await.unwrap();
    assert_eq!((recorded.visits, recorded.fenced), (1, 1));
    assert_eq!(recorded.documents, 0);
    assert_eq!(store.documents(&domain("a.example")).await.unwrap(), []);
}

async fn missing_records_are_none(store: &dyn Store) {
    let absent = domain("absent.example");
    assert_eq!(store.site(&absent).await.unwrap(), None);
    assert_eq!(store.documents(&absent).await.unwrap(), []);
    assert_eq!(store.blob("00").await.unwrap(), None);
    assert_eq!(store.unread_domains(10).await.unwrap(), []);
}

async fn p40_a_document_is_removed_after_two_visits_a_day_apart_or_one_410(store: &dyn Store) {
    const HOUR: i64 = 60;
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let there = [("/a", "alpha"), ("/b", "beta")];
    found(store, "a.example", &there, NOON).await;
    let url = |path: &str| format!("https://a.example{path}");
    // Time, missing documents, removed documents, remaining documents.
    for (hours, missing, gone, left) in [
        (2, vec!["/a"], vec![], 2),
        (25, vec!["/a"], vec![], 2),
        (27, vec!["/a"], vec![], 1),
        (29, vec![], vec!["/b"], 0),
    ] {
        let now = minutes(hours * HOUR);
        let mut visit = visit(lease(store, "a.example", now).await, now);
        visit.missing = missing.into_iter().map(url).collect();
        visit.gone = gone.into_iter().map(url).collect();
        store.record_visits(&[visit]).await.unwrap();
        let documents = store.documents(&domain("a.example")).await.unwrap();
        assert_eq!(documents.len(), left, "{hours}");
    }
    // A document that reappeared in between was never removed.
    let now = minutes(40 * HOUR);
    found(store, "a.example", &there, now).await;
    for (hours, is_missing) in [(42, true), (50, false), (67, true)] {
        let now = minutes(hours * HOUR);
        let mut visit = visit(lease(store, "a.example", now).await, now);
        let urls = vec![url("/a")];
        if is_missing {
            visit.missing = urls;
        } else {
            visit.unchanged = urls;
        }
        store.record_visits(&[visit]).await.unwrap();
    }
    assert_eq!(
        store.documents(&domain("a.example")).await.unwrap().len(),
        2
    );
}

/// Leaves a visit without an outcome that was interrupted because of a neighbour (P35).
async fn p35_a_repeated_visit_keeps_the_last_outcome(store: &dyn Store) {
    let name = domain("a.example");
    let mut broken_off = visit(leased(store, "a.example").await, NOON);
    broken_off.outcome = Outcome::Throttled;
    broken_off.next.is_again = true;
    store
        .record_visits(std::slice::from_ref(&broken_off))
        .await
        .unwrap();
    let site = store.site(&name).await.unwrap().unwrap();
    assert_eq!(site.last_outcome, None);
    assert_eq!(site.last_visit, Some(broken_off.ended));
    assert_eq!(site.visits[0].outcome, Outcome::Throttled);

    let mut whole = visit(
        lease(store, "a.example", broken_off.next.due).await,
        broken_off.next.due,
    );
    whole.outcome = Outcome::Found;
    store
        .record_visits(std::slice::from_ref(&whole))
        .await
        .unwrap();
    broken_off.lease = lease(store, "a.example", whole.next.due).await;
    store.record_visits(&[broken_off]).await.unwrap();
    let site = store.site(&name).await.unwrap().unwrap();
    assert_eq!(site.last_outcome, Some(Outcome::Found));
}
