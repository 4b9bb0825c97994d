//! Tests of times that were stored by a clock that was ahead.

use crate::cast::{MINUTE, NOON, domain, lease, leased, minutes, seeds, visit};
use manifest::Timestamp;
use store::{DomainState, Store};

on_every_database!(
    hs_100_a_domain_visited_by_a_clock_ahead_is_due_after_its_interval,
    hs_100_a_domain_added_by_a_clock_ahead_is_due,
    hs_100_a_postponed_domain_is_not_lost_in_the_future,
    hs_100_times_of_a_correct_clock_stay,
    hs_100_a_clock_that_was_ahead_for_a_while_makes_no_domain_due_early,
    hs_100_an_address_and_a_host_are_blocked_for_a_day_at_most,
);

const HOUR: i64 = 60;
const YEAR: i64 = 365 * 24 * HOUR;

async fn domain_state(store: &dyn Store, name: &str) -> DomainState {
    store.domain_state(&domain(name)).await.unwrap().unwrap()
}

/// Visits a domain at this minute; it is due again an hour later.
async fn visited(store: &dyn Store, name: &str, minute: i64) {
    let names = seeds(&[name]);
    store
        .add_seeds(&names, false, minutes(minute))
        .await
        .unwrap();
    let visit = visit(lease(store, name, minutes(minute)).await, minutes(minute));
    store.record_visits(&[visit]).await.unwrap();
}

async fn hs_100_a_domain_visited_by_a_clock_ahead_is_due_after_its_interval(store: &dyn Store) {
    visited(store, "a.example", YEAR).await;
    let ahead = store.next_due().await.unwrap().unwrap();
    assert_eq!(store.rebase(NOON).await.unwrap(), 1);
    let due = store.next_due().await.unwrap().unwrap();
    let interval = ahead.0 - (minutes(YEAR).0 + 1000);
    assert_eq!(due.0 - NOON.0, interval, "the interval stays");
    let domain_state = domain_state(store, "a.example").await;
    assert_eq!(domain_state.last_visit, Some(NOON));
    assert!(domain_state.not_before <= due);
    let early = store.lease_domains(Timestamp(due.0 - 1), due, 10).await;
    assert_eq!(early.unwrap(), []);
    lease(store, "a.example", due).await;
}

async fn hs_100_a_domain_added_by_a_clock_ahead_is_due(store: &dyn Store) {
    let names = seeds(&["a.example", "b.example"]);
    store.add_seeds(&names, false, minutes(HOUR)).await.unwrap();
    assert_eq!(store.rebase(minutes(-HOUR)).await.unwrap(), 2);
    let leases = store.lease_domains(minutes(-HOUR), NOON, 10).await.unwrap();
    assert_eq!(leases.len(), 2);
}

async fn hs_100_a_postponed_domain_is_not_lost_in_the_future(store: &dyn Store) {
    let lease = leased(store, "a.example").await;
    let in_a_year = minutes(YEAR);
    store.postpone_leases(&[(lease, in_a_year)]).await.unwrap();
    assert_eq!(store.rebase(minutes(1)).await.unwrap(), 1);
    let due = store.next_due().await.unwrap().unwrap();
    assert!(due <= minutes(36 * HOUR + 1), "{due:?}");
}

async fn hs_100_times_of_a_correct_clock_stay(store: &dyn Store) {
    visited(store, "a.example", 0).await;
    let due = store.next_due().await.unwrap();
    assert_eq!(store.rebase(minutes(1)).await.unwrap(), 0);
    assert_eq!(store.next_due().await.unwrap(), due);
}

/// Keeps the times of the other domains: only times of the wrong clock are moved.
async fn hs_100_a_clock_that_was_ahead_for_a_while_makes_no_domain_due_early(store: &dyn Store) {
    visited(store, "before.example", 0).await;
    let due = store.next_due().await.unwrap();
    let later = visit(leased_at(store, "ahead.example", 30).await, minutes(YEAR));
    store.record_visits(&[later]).await.unwrap();
    assert_eq!(store.rebase(minutes(31)).await.unwrap(), 1);
    assert_eq!(store.next_due().await.unwrap(), due);
    assert!(domain_state(store, "before.example").await.last_visit < Some(minutes(1)));
}

async fn leased_at(store: &dyn Store, name: &str, minute: i64) -> store::Lease {
    let names = seeds(&[name]);
    store
        .add_seeds(&names, false, minutes(minute))
        .await
        .unwrap();
    lease(store, name, minutes(minute)).await
}

async fn hs_100_an_address_and_a_host_are_blocked_for_a_day_at_most(store: &dyn Store) {
    let address = "192.0.2.7".parse().unwrap();
    let until = minutes(YEAR);
    store.block_address(address, until).await.unwrap();
    let host = domain("a.example");
    store.block_host(&host, until, NOON).await.unwrap();
    store.rebase(NOON).await.unwrap();
    let in_a_day = Timestamp(NOON.0 + 24 * 60 * MINUTE);
    let blocks = store.address_blocks(NOON).await.unwrap();
    assert_eq!(blocks, [(address, in_a_day)]);
    let hosts = store.host_blocks(NOON).await.unwrap();
    assert_eq!(hosts, [(host, in_a_day)]);
}
