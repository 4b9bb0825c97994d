//! Crawlers that share a database, and the slots of networks among them.

mod sites;
mod turns;

use crate::cast::NOON;
use crate::postgres::Database;
use manifest::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use store::{FleetPlan, FleetView, Renewal, Role, Store};

const TERM: Duration = Duration::from_mins(1);
const AFTER_END: Duration = Duration::from_secs(26);
const AFTER_GIVING_UP: Duration = Duration::from_secs(1);

pub(crate) fn renewal(name: &str, round: u64, plan: FleetPlan) -> Renewal {
    Renewal {
        name: name.to_owned(),
        round,
        is_leaving: false,
        term: TERM,
        plan,
        after_end: AFTER_END,
        after_giving_up: AFTER_GIVING_UP,
    }
}

fn take(slots: impl IntoIterator<Item = u8>) -> FleetPlan {
    FleetPlan {
        take: slots.into_iter().collect(),
        ..FleetPlan::default()
    }
}

fn slots_of(view: &FleetView, name: &str) -> Vec<usize> {
    let slots = (0..).zip(&view.slots);
    let own = slots.filter(|(_, it)| it.holder.as_deref() == Some(name));
    own.map(|(slot, _)| slot).collect()
}

/// Adds a member.
async fn join(store: &dyn Store) -> String {
    let options = BTreeMap::new();
    store.join_fleet(TERM, &options).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_crawler_of_a_file_is_no_member_of_a_fleet() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("registry.db").display());
    let store = store::open(&url, &[Role::Crawler]).await.unwrap();
    let options = BTreeMap::new();
    assert_eq!(store.join_fleet(TERM, &options).await.unwrap(), None);
    assert_eq!(store.fleet().await.unwrap(), None);
    assert_eq!(store.time(NOON).await.unwrap(), NOON);
    store.close().await;
}

#[tokio::test]
async fn crawlers_visit_by_the_clock_of_their_server_whatever_that_of_a_machine_says() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = database.open().await;
    let [one, other] = [Timestamp(0), Timestamp(i64::MAX)].map(|clock| store.time(clock));
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    let view = store.fleet().await.unwrap().unwrap();
    assert!(
        one <= other && other <= Timestamp(view.now),
        "{one:?} {other:?}"
    );
    assert!(one > Timestamp(1_700_000_000_000), "{one:?}");
    store.close().await;
    database.drop().await;
}

/// Opens a database of a server with two members, of which the first has the slots from 0 to 9.
async fn two_members() -> Option<(Database, Arc<dyn Store>, [String; 2])> {
    let database = Database::create().await?;
    let store = database.open().await;
    let first = join(&*store).await;
    let second = join(&*store).await;
    let asked = renewal(&first, 1, take(0..10));
    let view = store.renew_member(&asked).await.unwrap().unwrap();
    assert_eq!(slots_of(&view, &first), (0..10).collect::<Vec<_>>());
    Some((database, store, [first, second]))
}

#[tokio::test]
async fn slots_are_taken_only_from_a_member_that_gives_them_up() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    let asked = renewal(&second, 1, take(5..15));
    let view = store.renew_member(&asked).await.unwrap().unwrap();
    assert_eq!(slots_of(&view, &second), (10..15).collect::<Vec<_>>());

    let plan = FleetPlan {
        give_up: vec![5, 12],
        ..FleetPlan::default()
    };
    let view = store.renew_member(&renewal(&first, 2, plan)).await;
    let view = view.unwrap().unwrap();
    assert_eq!(view.slots[5].holder, None);
    assert_eq!(view.slots[12].holder.as_ref(), Some(&second), "another's");
    let wait = view.slots[5].usable_from - view.now;
    assert!((500..=1_000).contains(&wait), "{wait}");

    let asked = renewal(&second, 2, take(5..6));
    let view = store.renew_member(&asked).await.unwrap().unwrap();
    assert_eq!(view.slots[5].holder.as_ref(), Some(&second));
    assert!(view.slots[5].usable_from > view.now - 1_000, "still kept");
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn an_earlier_renewal_that_comes_later_changes_nothing() {
    let Some((database, store, [first, _])) = two_members().await else {
        return;
    };
    let late = FleetPlan {
        give_up: (0..10).collect(),
        ..FleetPlan::default()
    };
    let asked = renewal(&first, 3, FleetPlan::default());
    let before = store.renew_member(&asked).await.unwrap().unwrap();
    for round in [2, 3] {
        let asked = renewal(&first, round, late.clone());
        assert_eq!(store.renew_member(&asked).await.unwrap(), None);
    }
    let asked = renewal(&first, 4, FleetPlan::default());
    let after = store.renew_member(&asked).await.unwrap().unwrap();
    assert_eq!(before.slots, after.slots);
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn a_membership_ends_only_after_its_term_and_with_all_its_slots() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    let end_first = || FleetPlan {
        expired: vec![first.clone()],
        ..take(0..10)
    };
    let asked = renewal(&second, 1, end_first());
    let view = store.renew_member(&asked).await.unwrap().unwrap();
    assert_eq!(slots_of(&view, &first).len(), 10, "its term runs");

    let last = Renewal {
        term: Duration::ZERO,
        ..renewal(&first, 2, FleetPlan::default())
    };
    let view = store.renew_member(&last).await.unwrap().unwrap();
    let until = view.members[&first].until;
    let asked = renewal(&second, 2, end_first());
    let view = store.renew_member(&asked).await.unwrap().unwrap();
    assert!(!view.members.contains_key(&first));
    assert_eq!(slots_of(&view, &second), (0..10).collect::<Vec<_>>());
    let waits = view.slots[..10].iter().map(|it| it.usable_from - until);
    assert!(waits.into_iter().all(|it| (25_999..=26_001).contains(&it)));

    let asked = renewal(&first, 3, FleetPlan::default());
    assert_eq!(store.renew_member(&asked).await.unwrap(), None);
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn a_member_that_leaves_has_no_row_and_no_slots() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    let plan = FleetPlan {
        give_up: (0..9).collect(),
        ..FleetPlan::default()
    };
    let leaving = Renewal {
        is_leaving: true,
        ..renewal(&first, 2, plan)
    };
    let view = store.renew_member(&leaving).await.unwrap().unwrap();
    assert!(view.members[&first].is_leaving);
    store
        .leave_fleet(&renewal(&first, 3, FleetPlan::default()))
        .await
        .unwrap();
    let asked = renewal(&second, 1, FleetPlan::default());
    let view = store.renew_member(&asked).await.unwrap().unwrap();
    assert_eq!(view.members.keys().collect::<Vec<_>>(), [&second]);
    assert!(view.slots.iter().all(|it| it.holder.is_none()));
    let [given_up, kept] = [0, 9].map(|slot| view.slots[slot].usable_from - view.now);
    assert!(given_up <= 1_000, "{given_up}");
    assert!((20_000..=26_000).contains(&kept), "{kept}");
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn members_that_renew_at_once_do_not_wait_for_each_other_in_a_circle() {
    let Some((database, store, _)) = two_members().await else {
        return;
    };
    let mut names = Vec::new();
    for _ in 0..8 {
        names.push(join(&*store).await);
    }
    let members = names.iter().map(|name| {
        let (store, names) = (Arc::clone(&store), names.clone());
        async move {
            for round in 1..=20 {
                let plan = FleetPlan {
                    expired: names.iter().filter(|it| *it != name).cloned().collect(),
                    take: (0..=255).rev().collect(),
                    give_up: (0..=255).collect(),
                };
                let asked = renewal(name, round, plan);
                let view = store.renew_member(&asked).await.unwrap().unwrap();
                assert_eq!(view.members.len(), 10, "no term has ended");
            }
        }
    });
    futures_util::future::join_all(members).await;
    store.close().await;
    database.drop().await;
}
