//! Registrable domains that one crawler visits at a time, and domains that are handed on.

use super::{AFTER_END, join, renewal, take, two_members};
use crate::cast::{NOON, minutes, seeds};
use crate::postgres::Database;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{Blocked, FleetPlan, Lease, Renewal, SiteExchange, Store};

const SITE: &str = "a.example";
const MINUTE: Duration = Duration::from_mins(1);

/// Reserves sites.
async fn reserve(store: &dyn Store, name: &str, sites: &[&str]) -> BTreeMap<String, Duration> {
    let exchange = SiteExchange {
        name: name.to_owned(),
        wanted: sites.iter().map(|it| (*it).to_owned()).collect(),
        ..SiteExchange::default()
    };
    store.exchange_sites(&exchange).await.unwrap().reserved
}

async fn release(store: &dyn Store, name: &str, rest: Duration) {
    let exchange = SiteExchange {
        name: name.to_owned(),
        released: vec![(SITE.to_owned(), rest)],
        ..SiteExchange::default()
    };
    store.exchange_sites(&exchange).await.unwrap();
}

#[tokio::test]
async fn p18_a_site_is_reserved_by_one_member_and_rests_after_its_release() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    let reserved = reserve(&*store, &first, &["b.example", SITE]).await;
    let none: BTreeMap<_, _> = ["a.example", "b.example"]
        .map(|it| (it.to_owned(), Duration::ZERO))
        .into();
    assert_eq!(reserved, none);
    let both = ["b.example", "c.example"];
    let others = reserve(&*store, &second, &both).await;
    assert_eq!(others.keys().collect::<Vec<_>>(), ["c.example"]);

    release(&*store, &second, Duration::ZERO).await;
    assert!(
        reserve(&*store, &second, &[SITE]).await.is_empty(),
        "not its own"
    );
    release(&*store, &first, MINUTE).await;
    let reserved = reserve(&*store, &second, &[SITE]).await;
    let rest = reserved[SITE];
    assert!(rest > MINUTE * 2 / 3 && rest <= MINUTE, "{rest:?}");
    release(&*store, &second, Duration::ZERO).await;
    let rest = reserve(&*store, &first, &[SITE]).await[SITE];
    assert!(rest > MINUTE / 2, "the longer rest counts: {rest:?}");
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn p16_the_sites_of_a_member_that_died_rest_until_its_requests_were_answered() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    reserve(&*store, &first, &[SITE]).await;
    let last = Renewal {
        term: Duration::ZERO,
        ..renewal(&first, 2, FleetPlan::default())
    };
    store.renew_member(&last).await.unwrap().unwrap();
    let plan = FleetPlan {
        expired: vec![first.clone()],
        ..FleetPlan::default()
    };
    store
        .renew_member(&renewal(&second, 1, plan))
        .await
        .unwrap()
        .unwrap();
    let rest = reserve(&*store, &second, &[SITE]).await[SITE];
    assert!(rest > AFTER_END * 2 / 3 && rest <= AFTER_END, "{rest:?}");
    let exchange = SiteExchange {
        name: first,
        wanted: vec!["b.example".to_owned()],
        ..SiteExchange::default()
    };
    store.exchange_sites(&exchange).await.unwrap_err();
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn members_that_exchange_sites_at_once_do_not_wait_for_each_other_in_a_circle() {
    let Some((database, store, [first, second])) = two_members().await else {
        return;
    };
    let sites: Vec<String> = (0..40).map(|number| format!("s{number}.example")).collect();
    let members = [(&first, false), (&second, true)].map(|(name, is_reversed)| {
        let (store, sites) = (&store, &sites);
        async move {
            for round in 0..40 {
                let mut wanted = sites[round..].to_vec();
                if is_reversed {
                    wanted.reverse();
                }
                let rest = Duration::ZERO;
                let released = wanted.iter().rev().map(|site| (site.clone(), rest));
                let exchange = SiteExchange {
                    name: name.clone(),
                    released: released.collect(),
                    wanted,
                    known_blocks: 0,
                };
                store.exchange_sites(&exchange).await.unwrap();
            }
        }
    });
    futures_util::future::join_all(members).await;
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn p38a_redirects_lead_to_a_site_a_few_times_an_hour_whichever_member_follows_them() {
    let Some((database, store, names)) = two_members().await else {
        return;
    };
    for turn in 0..4 {
        let name = &names[turn % 2];
        let rest = store.reserve_site(name, SITE, Some(4)).await.unwrap();
        assert_eq!(rest, Some(Duration::ZERO));
        let again = store.reserve_site(name, SITE, Some(9)).await.unwrap();
        assert_eq!(again, None, "a request is under way");
        release(&*store, name, Duration::ZERO).await;
    }
    let fifth = store.reserve_site(&names[0], SITE, Some(4)).await.unwrap();
    assert_eq!(fifth, None);
    assert_eq!(
        reserve(&*store, &names[0], &[SITE]).await.len(),
        1,
        "a visit"
    );
    let beside = store.reserve_site(&names[1], SITE, None).await.unwrap();
    assert_eq!(beside, None, "a visit is under way");
    release(&*store, &names[0], Duration::ZERO).await;
    let uncounted = store.reserve_site(&names[1], SITE, None).await.unwrap();
    assert_eq!(uncounted, Some(Duration::ZERO));
    store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn a_domain_is_handed_on_to_the_holder_of_its_slot_and_not_for_ever() {
    let Some(database) = Database::create().await else {
        return;
    };
    let [first, second] = [database.open().await, database.open().await];
    let names = [join(&*first).await, join(&*second).await];
    for (store, (name, slots)) in [&first, &second]
        .into_iter()
        .zip(names.iter().zip([0..5, 5..9]))
    {
        let asked = renewal(name, 1, take(slots));
        store.renew_member(&asked).await.unwrap().unwrap();
    }
    let seeds = seeds(&["a.example", "b.example"]);
    first.add_seeds(&seeds, false, NOON).await.unwrap();
    let leases = first.lease_domains(NOON, minutes(30), 1).await.unwrap();
    let domain = leases[0].domain.clone();
    let row = leases[0].row;
    let hand_on = |store: &Arc<dyn Store>, leases: Vec<Lease>, slot| {
        let store = Arc::clone(store);
        async move {
            let handed: Vec<_> = leases.into_iter().map(|lease| (lease, slot)).collect();
            store.hand_on(&handed).await.unwrap()
        }
    };
    assert_eq!(hand_on(&first, leases, 7).await, [row]);
    let leases = first.lease_domains(NOON, minutes(30), 9).await.unwrap();
    assert_eq!(leases.len(), 1, "only the other domain");
    assert_ne!(leases[0].domain, domain);

    for (store, slot) in [(&second, 2), (&first, 7), (&second, 2)] {
        let leases = store.lease_domains(NOON, minutes(30), 9).await.unwrap();
        assert_eq!(leases[0].domain, domain);
        assert_eq!(hand_on(store, leases, slot).await, [row]);
    }
    for _ in 0..5 {
        let leases = first.lease_domains(NOON, minutes(30), 9).await.unwrap();
        assert_eq!(hand_on(&first, leases, 2).await, [row], "the same slot");
    }
    let leases = first.lease_domains(NOON, minutes(30), 9).await.unwrap();
    assert_eq!(leases[0].row, row);
    assert_eq!(hand_on(&first, leases, 7).await, [0; 0], "the fifth slot");
    for store in [first, second] {
        store.close().await;
    }
    database.drop().await;
}

#[tokio::test]
async fn p35_a_block_is_read_once_by_each_member_that_asks_for_those_after_its_last_one() {
    let Some((database, store, [first, _])) = two_members().await else {
        return;
    };
    let address: IpAddr = "192.0.2.1".parse().unwrap();
    let host = seeds(&["a.example"])[0].domain.clone();
    store.block_address(address, minutes(5)).await.unwrap();
    store.block_host(&host, minutes(6), NOON).await.unwrap();
    let look = |known_blocks| {
        let exchange = SiteExchange {
            name: first.clone(),
            known_blocks,
            ..SiteExchange::default()
        };
        let store = &store;
        async move { store.exchange_sites(&exchange).await.unwrap().blocks }
    };
    let blocks = look(0).await;
    let known: Vec<_> = blocks.iter().map(|it| (it.of.clone(), it.until)).collect();
    let expected = [
        (Blocked::Address(address), minutes(5)),
        (Blocked::Host(host.clone()), minutes(6)),
    ];
    assert_eq!(known, expected);
    let last = blocks[1].number;
    assert_eq!(look(last).await, []);
    store.block_host(&host, minutes(5), NOON).await.unwrap();
    assert_eq!(look(last).await, [], "a shorter one changes nothing");
    store.block_address(address, minutes(9)).await.unwrap();
    let blocks = look(last).await;
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].until, minutes(9));
    store.close().await;
    database.drop().await;
}
