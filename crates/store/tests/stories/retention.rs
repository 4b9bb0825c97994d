//! Tests of what is kept for a time only.

use crate::cast::{NOON, domain, lease, minutes, seeds, visit};
use crate::sessions::{call, session};
use manifest::Timestamp;
use std::net::Ipv4Addr;
use std::time::Duration;
use store::SubmissionKind::New;
use store::{
    LAPSED_INTERVAL, Outcome, ProblemReport, ReportKind, ReportSelection, Store, VisitRequest,
};

on_every_database!(
    expired_sessions_are_deleted_by_pages_with_their_calls,
    closed_reports_are_deleted_and_open_ones_stay,
    blocks_that_have_ended_are_deleted,
    a_name_that_lapsed_is_forgotten_unless_a_seed_list_has_it,
);

async fn expired_sessions_are_deleted_by_pages_with_their_calls(store: &dyn Store) {
    for number in 1..=3 {
        let session = session(number, "c", NOON);
        store.open_session(&session, NOON).await.unwrap();
        let id = &session.id;
        assert!(store.record_call(id, &call(NOON)).await.unwrap());
    }
    let end = session(1, "c", NOON).expires;
    assert_eq!(store.delete_sessions(end, 2).await.unwrap(), 0);
    let later = Timestamp(end.0 + 1);
    for deleted in [2, 1, 0] {
        assert_eq!(store.delete_sessions(later, 2).await.unwrap(), deleted);
    }
    for id in ["s1", "s2", "s3"] {
        assert_eq!(store.session_by_id(id).await.unwrap(), None);
        assert_eq!(store.session_calls(id).await.unwrap(), []);
    }
}

async fn closed_reports_are_deleted_and_open_ones_stay(store: &dyn Store) {
    for id in ["open", "closed"] {
        let report = ProblemReport {
            id: id.to_owned(),
            at: NOON,
            target: format!("{id}.example"),
            kind: ReportKind::Spam,
            text: "It advertises.".to_owned(),
            network: None,
        };
        store.report(&report).await.unwrap();
    }
    let selected = ReportSelection::Ids(vec!["closed".to_owned()]);
    let closing = store.close_reports(&selected, "looked into", minutes(1));
    closing.await.unwrap();
    assert_eq!(store.delete_reports(minutes(1), 10).await.unwrap(), 0);
    assert_eq!(store.delete_reports(minutes(2), 10).await.unwrap(), 1);
    assert_eq!(store.report_state("closed").await.unwrap(), None);
    assert!(store.report_state("open").await.unwrap().is_some());
}

async fn blocks_that_have_ended_are_deleted(store: &dyn Store) {
    let (first, second) = (Ipv4Addr::new(11, 0, 0, 1), Ipv4Addr::new(11, 0, 0, 2));
    for (address, until) in [(first, minutes(1)), (second, minutes(3))] {
        store.block_address(address.into(), until).await.unwrap();
    }
    store.forget_blocks(minutes(2)).await.unwrap();
    // At an earlier time, this deletes none itself.
    let blocks = store.address_blocks(NOON).await.unwrap();
    assert_eq!(blocks, [(second.into(), minutes(3))]);
}

async fn a_name_that_lapsed_is_forgotten_unless_a_seed_list_has_it(store: &dyn Store) {
    let names = ["seed.example", "stranger.example"];
    store
        .add_seeds(&seeds(&names[..1]), false, NOON)
        .await
        .unwrap();
    let request = VisitRequest {
        kind: New,
        id: "id".to_owned(),
        domain: domain(names[1]),
        port: None,
        network: String::new(),
        token_hash: None,
    };
    store.submit(&request, NOON).await.unwrap();
    store.take_submissions(10, true, NOON).await.unwrap();
    let until = minutes(5);
    let leases = store.lease_domains(NOON, until, 10).await.unwrap();
    let lapse = |fails, now| {
        move |lease| {
            let mut visit = visit(lease, now);
            visit.outcome = Outcome::DnsError;
            visit.next.fails = fails;
            visit.next.interval_ms = u64::try_from(LAPSED_INTERVAL.as_millis()).ok();
            visit.next.due = now;
            visit.next.not_before = now;
            visit
        }
    };
    let visits: Vec<_> = leases.into_iter().map(lapse(4, NOON)).collect();
    store.record_visits(&visits).await.unwrap();
    let known = async |name: &str| store.site(&domain(name)).await.unwrap().is_some();
    let first = store.forget_lapsed(0, 1).await.unwrap().unwrap();
    assert!(known(names[1]).await, "it may come back");

    let later = NOON.after(Duration::from_hours(1));
    let leases = store.lease_domains(later, minutes(90), 10).await.unwrap();
    assert_eq!(leases.len(), 2);
    assert_eq!(
        store.forget_lapsed(first, 10).await.unwrap(),
        Some(first + 1)
    );
    assert!(known(names[1]).await, "it is being visited");
    let visits: Vec<_> = leases.into_iter().map(lapse(5, later)).collect();
    store.record_visits(&visits).await.unwrap();
    assert_eq!(store.forget_lapsed(0, 10).await.unwrap(), Some(first + 1));
    assert!(!known(names[1]).await);
    assert!(known(names[0]).await);
    assert_eq!(store.forget_lapsed(first, 10).await.unwrap(), None);
    lease(store, names[0], later.after(Duration::from_hours(1))).await;
}
