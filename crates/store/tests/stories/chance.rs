//! Invariants under any order of events.

use crate::cast::{MINUTE, NOON, document, seed, visit};
use manifest::{Domain, Timestamp};
use proptest::prelude::*;
use std::collections::BTreeMap;
use store::{Lease, Store};

/// Action of a crawler after a number of minutes.
#[derive(Clone, Debug)]
enum Event {
    Add(u8),
    Lease(u32),
    /// Ends one of the leases issued so far, current or not.
    Record(usize),
    Return(usize),
    Release,
}

fn event() -> impl Strategy<Value = (i64, Event)> {
    let event = prop_oneof![
        2 => (0_u8..6).prop_map(Event::Add),
        4 => (1_u32..4).prop_map(Event::Lease),
        4 => any::<usize>().prop_map(Event::Record),
        1 => any::<usize>().prop_map(Event::Return),
        1 => Just(Event::Release),
    ];
    (0_i64..30, event)
}

/// Expected state of a domain.
#[derive(Clone, Debug, Default)]
struct Expected {
    /// Token and end of the lease.
    leased: Option<(i64, Timestamp)>,
    ready: Timestamp,
    due: Timestamp,
    /// Body found by the last recorded visit.
    body: Option<String>,
    visits: usize,
    fails: u32,
}

async fn happen(store: &dyn Store, events: &[(i64, Event)]) {
    let mut expected: BTreeMap<Domain, Expected> = BTreeMap::new();
    let mut leases: Vec<Lease> = Vec::new();
    let mut now = NOON;
    for (number, (minutes, event)) in events.iter().enumerate() {
        now = Timestamp(now.0 + minutes * MINUTE);
        match event {
            Event::Add(number) => {
                let seed = seed(&format!("h{number}.example"));
                store
                    .add_seeds(std::slice::from_ref(&seed), false, now)
                    .await
                    .unwrap();
                expected.entry(seed.domain).or_insert(Expected {
                    ready: now,
                    due: now,
                    ..Expected::default()
                });
            }
            Event::Lease(limit) => {
                let until = Timestamp(now.0 + 20 * MINUTE);
                let given = store.lease_domains(now, until, *limit).await.unwrap();
                let ready = expected.values().filter(|it| it.ready <= now).count();
                assert_eq!(given.len(), ready.min(*limit as usize));
                for lease in &given {
                    let domain = expected.get_mut(&lease.domain).unwrap();
                    assert!(domain.leased.is_none_or(|(_, until)| until <= now));
                    domain.leased = Some((lease.token, until));
                    domain.ready = until;
                }
                leases.extend(given);
            }
            Event::Record(choice) => {
                let Some(lease) = pick(&leases, *choice) else {
                    continue;
                };
                let domain = expected.get_mut(&lease.domain).unwrap();
                let body = format!("body {number}");
                let mut visit = visit(lease, now);
                let name = visit.lease.domain.as_str();
                visit.documents = vec![document(name, "/a", &body, now)];
                let is_current = domain
                    .leased
                    .is_some_and(|(token, _)| token == visit.lease.token);
                let recorded = store
                    .record_visits(std::slice::from_ref(&visit))
                    .await
                    .unwrap();
                assert_eq!(recorded.visits, u64::from(is_current));
                assert_eq!(recorded.fenced, u64::from(!is_current));
                if is_current {
                    domain.leased = None;
                    domain.due = visit.next.due;
                    domain.ready = visit.next.due;
                    domain.body = Some(body);
                    domain.visits += 1;
                    domain.fails = 0;
                }
            }
            Event::Return(choice) => {
                let Some(lease) = pick(&leases, *choice) else {
                    continue;
                };
                let domain = expected.get_mut(&lease.domain).unwrap();
                store
                    .return_leases(std::slice::from_ref(&lease))
                    .await
                    .unwrap();
                if domain.leased.is_some_and(|(token, _)| token == lease.token) {
                    domain.leased = None;
                    domain.ready = domain.due;
                }
            }
            Event::Release => {
                store.release_leases(now, 1000, 0).await.unwrap();
                for domain in expected.values_mut().filter(|it| it.leased.is_some()) {
                    domain.leased = None;
                    domain.due =
                        Timestamp(now.0 + (1000 << (2 * domain.fails.saturating_sub(9).min(5))));
                    domain.fails += 1;
                    domain.ready = domain.due;
                }
            }
        }
    }
    for (name, expected) in expected {
        let site = store.site(&name).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), expected.visits.min(3), "{name}");
        let documents = store.documents(&name).await.unwrap();
        let body = documents
            .first()
            .map(|stored| String::from_utf8(stored.document.body.clone()).unwrap());
        assert_eq!(body, expected.body, "{name}");
    }
}

fn pick(leases: &[Lease], choice: usize) -> Option<Lease> {
    leases.get(choice.checked_rem(leases.len())?).cloned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_events_leases_twice_or_loses_a_visit(events in prop::collection::vec(event(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let place = tempfile::tempdir().unwrap();
            let store = crate::cast::sqlite(place.path()).await;
            happen(&*store, &events).await;
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nor_does_any_on_postgresql(events in prop::collection::vec(event(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let Some(database) = crate::postgres::Database::create().await else {
                return;
            };
            happen(&*database.open().await, &events).await;
            database.drop().await;
        });
    }
}
