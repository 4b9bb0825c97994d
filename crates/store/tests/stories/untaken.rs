//! Tests of the time since which no crawler takes work.

use crate::cast::{NOON, domain, lease, leased, minutes, seeds, visit};
use crate::submissions::ask;
use manifest::Timestamp;
use store::SubmissionKind::{New, Recheck};
use store::{Claim, ClaimAction, ClaimAnswer, Store};

/// Requested visits of a day of one network in a registry without other visits.
const SHARE: usize = 50;

on_every_database!(
    work_waits_since_it_is_due_or_since_the_last_visit,
    a_submission_waits_from_its_first_moment_until_it_is_taken,
    a_claim_waits_until_its_check_begins,
    p47_a_submission_beyond_the_daily_share_waits_for_no_crawler,
);

async fn since(store: &dyn Store, minute: i64) -> Option<Timestamp> {
    store.untaken_since(minutes(minute)).await.unwrap()
}

async fn work_waits_since_it_is_due_or_since_the_last_visit(store: &dyn Store) {
    assert_eq!(since(store, 0).await, None, "there is no work");
    let first = leased(store, "a.example").await;
    assert_eq!(since(store, 1).await, None, "a crawler has it");
    store
        .add_seeds(&seeds(&["b.example"]), false, minutes(1))
        .await
        .unwrap();
    assert_eq!(since(store, 3).await, Some(minutes(1)));
    // A crawler that is busy with other sites has taken work.
    let done = visit(first, minutes(2));
    store
        .record_visits(std::slice::from_ref(&done))
        .await
        .unwrap();
    assert_eq!(since(store, 3).await, Some(done.ended));
    lease(store, "b.example", minutes(3)).await;
    assert_eq!(since(store, 4).await, None);
    // The lease of a crawler that was killed ends.
    assert_eq!(since(store, 20).await, Some(done.ended));
}

async fn a_submission_waits_from_its_first_moment_until_it_is_taken(store: &dyn Store) {
    ask(store, New, "a.example", "one", minutes(1)).await;
    assert_eq!(since(store, 5).await, Some(minutes(1)));
    let open = store.open_submission(&domain("a.example")).await.unwrap();
    assert_eq!(open.unwrap().id, "one");
    store.take_submissions(10, true, minutes(6)).await.unwrap();
    assert_eq!(since(store, 7).await, Some(minutes(6)), "its site is due");
    let first = lease(store, "a.example", minutes(8)).await;
    assert_eq!(since(store, 9).await, None);
    store
        .record_visits(&[visit(first, minutes(8))])
        .await
        .unwrap();
    let open = store.open_submission(&domain("a.example")).await.unwrap();
    assert_eq!(open, None);
    ask(store, Recheck, "a.example", "two", minutes(20)).await;
    assert_eq!(since(store, 25).await, Some(minutes(20)));
}

async fn a_claim_waits_until_its_check_begins(store: &dyn Store) {
    let named = (domain("a.example"), None);
    let hash = "hash".to_owned();
    let claim = Claim::new(
        "one".to_owned(),
        ClaimAction::Leave,
        named,
        false,
        hash,
        NOON,
    );
    let claimed = store.claim(&claim, NOON).await.unwrap();
    assert!(matches!(claimed, ClaimAnswer::Accepted(_)));
    let due = claim.next_check.unwrap();
    assert_eq!(since(store, 5).await, Some(due));
    let taken = store.take_claims(10, minutes(5)).await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(since(store, 6).await, None);
}

async fn p47_a_submission_beyond_the_daily_share_waits_for_no_crawler(store: &dyn Store) {
    for number in 0..=SHARE {
        let name = format!("s{number}.example");
        ask(store, New, &name, &name, NOON).await;
    }
    let taken = store.take_submissions(500, true, NOON).await.unwrap();
    assert_eq!(taken.len(), SHARE, "one is beyond the share");
    let leases = store.lease_domains(NOON, minutes(60), 500).await.unwrap();
    assert_eq!(leases.len(), SHARE);
    assert_eq!(since(store, 30).await, None);
}
