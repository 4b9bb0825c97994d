//! Tests of the derived hosts: names, shares, addresses, expected results, and responses.

use super::*;
use std::collections::{BTreeMap, HashSet};

const DERIVED: Derived = Derived {
    count: 20_000,
    seed: 7,
};

#[test]
fn only_names_of_derived_hosts_have_a_number() {
    for number in [0, 1, 49, 50, 19_999] {
        let host = DERIVED.host(number);
        assert_eq!(DERIVED.number(&host), Some(number), "{host}");
        assert_eq!(DERIVED.number(&format!("www.{host}")), None);
    }
    let beyond = Derived::new(20_001, 7).host(20_000);
    for host in ["", "h", "h1", "h1.example", "mesa.example", &beyond] {
        assert_eq!(DERIVED.number(host), None, "{host}");
    }
}

#[test]
fn another_seed_generates_other_hosts() {
    let other = Derived::new(20_000, 8);
    let numbers = 0..20_000;
    let same = numbers.filter(|number| DERIVED.kind(*number) == other.kind(*number));
    // The squares of the shares of all kinds add up to about 39 % that agree by chance.
    assert!((7_000..9_000).contains(&same.count()));
}

#[test]
fn each_kind_has_its_share() {
    assert_eq!(SHARES.iter().map(|(_, share)| share).sum::<u64>(), 1000);
    let mut counted: BTreeMap<Kind, u64> = BTreeMap::new();
    for number in 0..20_000 {
        *counted.entry(DERIVED.kind(number)).or_default() += 1;
    }
    for (kind, share) in SHARES {
        let count = counted[&kind];
        let expected = share * 20;
        let spread = expected / 5 + 30;
        assert!(
            (expected - spread.min(expected)..=expected + spread).contains(&count),
            "{kind:?}: {count} instead of about {expected}"
        );
    }
}

#[test]
fn fifty_hosts_share_an_address_and_all_are_on_loopback() {
    let mut hosts_at: BTreeMap<IpAddr, u32> = BTreeMap::new();
    for number in 0..20_000 {
        let address = DERIVED.address(number);
        assert!(address.is_loopback());
        *hosts_at.entry(address).or_default() += 1;
    }
    assert!(hosts_at.values().all(|count| *count <= PER_ADDRESS));
    let listening = DERIVED.addresses();
    assert!((400..900).contains(&listening.len()), "{}", listening.len());
    let pools = [(MAX_DERIVED - 1, 16), (MAX_DERIVED - 1, 128), (0, 192)];
    let distinct: HashSet<IpAddr> = pools.map(|(number, pool)| own(pool, number)).into();
    assert_eq!(distinct.len(), 3);
    assert!(own(16, MAX_DERIVED - 1) < own(128, 0));
    assert!(own(192, MAX_DERIVED - 1) < IpAddr::from([127, 255, 0, 0]));
}

#[test]
fn every_expected_manifest_is_served_and_allowed() {
    for number in 0..2_000 {
        let truth = DERIVED.truth(number);
        let site = DERIVED.site(&DERIVED.host(number)).unwrap();
        site.behaviour.check().unwrap();
        assert_eq!(truth.outcome == "found", !truth.manifests.is_empty());
        for path in truth.manifests {
            assert!(site.file(path).is_some(), "{number}: {path}");
        }
    }
}

#[tokio::test]
async fn derived_and_configured_hosts_are_served_together() {
    let web = crate::Simweb::builder()
        .site("mesa.example")
        .derived(200, 7)
        .start()
        .await
        .unwrap();
    let derived = Derived::new(200, 7);
    assert_eq!(web.hosts().len(), 201);
    assert_eq!(web.hosts()[0], "mesa.example");
    for number in 0..200 {
        let host = derived.host(number);
        let address = derived.address(number);
        assert_eq!(web.addresses_of(&host), [address]);
        let is_heard = std::net::TcpStream::connect((address, web.https_port())).is_ok();
        let refuses = derived.kind(number) == Kind::Refuses;
        assert_eq!(is_heard, !refuses, "{host}");
    }
    assert!(web.addresses_of("h200.solo200.example").is_empty());
}
