//! Tests of status changes of agents and their entries in the change log.

use crate::agents::read;
use crate::cast::{NOON, found, lease, minutes, reading, seeds, visit};
use store::{AgentStatus, Change, Operation, Outcome, Store, Visit};

on_every_database!(
    every_change_of_status_is_logged,
    a_visit_without_a_change_of_status_logs_nothing,
    each_listed_agent_of_the_domain_alone_is_logged,
    a_domain_without_agents_logs_nothing,
    a_repeated_visit_changes_no_status,
    a_visit_without_a_current_lease_changes_no_status,
    an_agent_that_is_read_late_is_added_with_its_status,
    an_interrupted_visit_leaves_the_status_unknown,
);

/// Returns a visit of the only due domain without documents and with this outcome.
async fn ending(store: &dyn Store, name: &str, outcome: Outcome, minute: i64) -> Visit {
    let now = minutes(minute);
    let mut visit = visit(lease(store, name, now).await, now);
    visit.outcome = outcome;
    visit
}

/// Records visits and returns the changes that they cause.
async fn record(store: &dyn Store, visits: &[Visit]) -> Vec<Change> {
    let before = store.last_change().await.unwrap();
    store.record_visits(visits).await.unwrap();
    store.changes(before, 100).await.unwrap()
}

async fn every_change_of_status_is_logged(store: &dyn Store) {
    let added = read(store, "a.example", &[("/a", "alpha")], 0)
        .await
        .remove(0);
    let turns = [
        (Outcome::Down, "from ok to failing"),
        (Outcome::Empty, "from failing to unknown"),
        (Outcome::Found, "from unknown to ok"),
        (Outcome::Budget, "from ok to unknown"),
        (Outcome::Throttled, "from unknown to failing"),
        (Outcome::Found, "from failing to ok"),
    ];
    for (seq, (outcome, reason)) in (2_u32..).zip(turns) {
        let visit = ending(store, "a.example", outcome, 90 * i64::from(seq)).await;
        let changes = record(store, std::slice::from_ref(&visit)).await;
        let expected = Change {
            seq: seq.into(),
            hash: added.hash.clone(),
            previous_hash: added.hash.clone(),
            ..Change::new(Operation::Status, added.agent.clone(), reason, visit.ended)
        };
        assert_eq!(changes, [expected]);
        let agent = store.agents(None, 10).await.unwrap().remove(0);
        let status = reason.rsplit(' ').next().unwrap();
        assert_eq!(agent.status.as_str(), status);
        assert_eq!(agent.changed, NOON, "its content is the same");
    }
}

async fn a_visit_without_a_change_of_status_logs_nothing(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let outcomes = [
        (Outcome::Found, 0),
        (Outcome::Down, 1),
        (Outcome::Timeout, 0),
        (Outcome::TlsError, 0),
        (Outcome::Soft404, 1),
        (Outcome::RobotsDisallow, 0),
    ];
    for (round, (outcome, logged)) in (1..).zip(outcomes) {
        let visit = ending(store, "a.example", outcome, 90 * round).await;
        let changes = record(store, &[visit]).await;
        assert_eq!(changes.len(), logged, "{outcome:?}: {changes:?}");
    }
}

async fn each_listed_agent_of_the_domain_alone_is_logged(store: &dyn Store) {
    let both = [("/a", "alpha"), ("/b", "beta")];
    read(store, "b.example", &both, 0).await;
    read(store, "a.example", &[("/a", "gamma")], 1).await;
    read(store, "c.example", &[("/a", "delta")], 2).await;
    let until = minutes(200);
    let leases = store.lease_domains(minutes(90), until, 10).await.unwrap();
    let visits: Vec<Visit> = leases
        .into_iter()
        .map(|lease| {
            let mut visit = visit(lease, minutes(90));
            visit.outcome = match visit.lease.domain.as_str() {
                "b.example" => Outcome::Down,
                "c.example" => Outcome::Empty,
                _ => Outcome::Found,
            };
            visit
        })
        .collect();
    let changes = record(store, &visits).await;
    let logged: Vec<_> = changes
        .iter()
        .map(|change| (change.seq, change.agent.as_str(), change.reason.as_str()))
        .collect();
    assert_eq!(
        logged,
        [
            (5, "b.example/alpha", "from ok to failing"),
            (6, "b.example/beta", "from ok to failing"),
            (7, "c.example/delta", "from ok to unknown"),
        ]
    );
}

async fn a_domain_without_agents_logs_nothing(store: &dyn Store) {
    let names = seeds(&["a.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    for (round, outcome) in (0..).zip([Outcome::Found, Outcome::Down, Outcome::Empty]) {
        let visit = ending(store, "a.example", outcome, 90 * round).await;
        assert_eq!(record(store, &[visit]).await, []);
    }
}

async fn a_repeated_visit_changes_no_status(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let mut visit = ending(store, "a.example", Outcome::Throttled, 90).await;
    visit.next.is_again = true;
    assert_eq!(record(store, &[visit]).await, []);
    let agent = store.agents(None, 10).await.unwrap().remove(0);
    assert_eq!(agent.status, AgentStatus::Ok);
}

async fn a_visit_without_a_current_lease_changes_no_status(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let late = ending(store, "a.example", Outcome::Down, 90).await;
    // It is leased again, because a lease lasts five minutes.
    let current = ending(store, "a.example", Outcome::Found, 100).await;
    assert_eq!(record(store, &[late, current]).await, []);
}

async fn an_agent_that_is_read_late_is_added_with_its_status(store: &dyn Store) {
    let names = seeds(&["a.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    found(store, "a.example", &[("/a", "alpha")], NOON).await;
    let down = ending(store, "a.example", Outcome::Down, 90).await;
    assert_eq!(record(store, &[down]).await, []);
    let readings = reading(store).await;
    let changes = store.replace_agents(&readings, minutes(91)).await.unwrap();
    assert_eq!((changes.len(), changes[0].op), (1, Operation::Add));
    let agent = store.agents(None, 10).await.unwrap().remove(0);
    assert_eq!(agent.status, AgentStatus::Failing);
    let up = ending(store, "a.example", Outcome::Found, 180).await;
    let changes = record(store, &[up]).await;
    assert_eq!(changes.len(), 1);
    assert_eq!(
        (changes[0].seq, changes[0].reason.as_str()),
        (2, "from failing to ok")
    );
}

async fn an_interrupted_visit_leaves_the_status_unknown(store: &dyn Store) {
    let names = seeds(&["a.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    let mut broken_off = ending(store, "a.example", Outcome::Found, 0).await;
    broken_off.documents = vec![crate::cast::document("a.example", "/a", "alpha", NOON)];
    broken_off.next.is_again = true;
    store.record_visits(&[broken_off]).await.unwrap();
    let readings = reading(store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    let whole = ending(store, "a.example", Outcome::Found, 90).await;
    let changes = record(store, &[whole]).await;
    assert_eq!(changes[0].reason, "from unknown to ok");
}
