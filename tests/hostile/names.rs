//! HS-56 to HS-63, HS-109 to HS-111: answers of DNS, and unusual names.

use super::{CARD, CARD_PATH, Row, Stage};
use simweb::{Answer, Behaviour, Dns, Simweb};
use std::net::IpAddr;
use store::Outcome::{BlockedAddress, DnsError, Found};

pub(super) fn rows() -> Vec<Row> {
    let host = |number, name, behaviour| Row::host(number, name, behaviour);
    let at = |addresses: &[&str]| Behaviour {
        addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
        ..Behaviour::default()
    };
    let private = |name, addresses: &[&str]| {
        host(56, name, at(addresses))
            .ends(BlockedAddress, "")
            .most(0)
    };
    let by = |dns| Behaviour {
        dns,
        ..Behaviour::default()
    };
    let dns =
        |number, name, dns, detail| host(number, name, by(dns)).ends(DnsError, detail).most(0);
    let aliases = |aliases| Behaviour {
        aliases,
        ..Behaviour::default()
    };
    let ttl = |ttl| Behaviour {
        ttl: Some(ttl),
        ..Behaviour::default()
    };
    let thousands: Vec<IpAddr> = std::iter::once(IpAddr::from([127, 0, 0, 1]))
        .chain((0..3_999_u16).map(|n| {
            let [high, low] = n.to_be_bytes();
            IpAddr::from([127, 1, high, low])
        }))
        .collect();
    let mut rows = vec![
        private("ten", &["10.0.0.1"]),
        private("loopback", &["127.66.6.6"]),
        private("metadata", &["169.254.169.254"]),
        private("carrier", &["100.64.0.1"]),
        private("mapped", &["::ffff:127.66.6.6"]),
        private("nat64", &["64:ff9b::7f42:606"]),
        private("six-to-four", &["2002:7f42:606::1"]),
        private("good-and-bad", &["127.0.0.1", "10.0.0.1"]),
        host(
            57,
            "rebinding",
            Behaviour {
                ttl: Some(0),
                later_addresses: vec!["127.66.6.6".parse().unwrap()],
                ..Behaviour::default()
            },
        )
        .ends(Found, ""),
        host(58, "aliases", aliases(3)).ends(Found, ""),
        host(58, "many-aliases", aliases(25))
            .ends(DnsError, "failed")
            .most(0),
        host(
            58,
            "alias-loop",
            Behaviour {
                dns: Dns::AliasLoop,
                ..Behaviour::default()
            },
        )
        .ends(DnsError, "")
        .most(0),
        host(
            59,
            "thousands",
            Behaviour {
                addresses: thousands,
                ..Behaviour::default()
            },
        )
        .ends(Found, ""),
        host(60, "no-ttl", ttl(0)).ends(Found, ""),
        host(60, "endless-ttl", ttl(1 << 31)).ends(Found, ""),
        dns(61, "nxdomain", Dns::Nxdomain, "nxdomain"),
        dns(61, "servfail", Dns::Servfail, "servfail"),
        dns(61, "refused", Dns::Refused, "refused"),
        dns(61, "silent", Dns::Silent, "timeout"),
        // All that a name server says of a signature that is wrong.
        dns(62, "bogus", Dns::Servfail, "servfail"),
        host(109, "slow", by(Dns::Slow)).ends(Found, ""),
        host(110, "no-edns", by(Dns::NoEdns)).ends(Found, ""),
        host(63, "both-families", at(&["::1", "127.0.0.1"])).ends(Found, ""),
        host(63, "broken-six", at(&["fd00::9", "127.0.0.1"])).ends(Found, ""),
        host(63, "private-six", at(&["fd00::9"]))
            .ends(BlockedAddress, "")
            .most(0),
    ];
    if has_six() {
        rows.push(host(63, "only-six", at(&["::1"])).ends(Found, ""));
    }
    rows
}

/// Reports whether this machine has an IPv6 loopback address.
pub(super) fn has_six() -> bool {
    std::net::TcpListener::bind("[::1]:0").is_ok()
}

/// Checks that a name is resolved once a visit, whatever its time to live (HS-57, HS-60), and that
/// IPv6 addresses are queried only where there is none of IPv4 (HS-63).
pub(super) fn check(web: &Simweb, rows: &[Row]) {
    for row in rows.iter().filter(|row| row.number == 63) {
        let (name, is_only_six) = (row.host_name(), row.name == "only-six");
        let requests = web.requests_of(&name);
        assert!(
            requests.iter().all(|it| it.local.is_ipv6() == is_only_six),
            "{name}"
        );
        let is_for_six = |it: &&simweb::DnsQuery| it.name == name && it.kind == "AAAA";
        let asked = web.dns_queries().iter().filter(is_for_six).count();
        let has_four = matches!(row.name, "both-families" | "broken-six");
        assert_eq!(asked, usize::from(!has_four), "{name}");
    }
    for row in rows.iter().filter(|row| matches!(row.number, 57 | 60)) {
        let (name, queries) = (row.host_name(), web.dns_queries());
        let asked = queries.iter().filter(|it| it.name == name).count();
        assert_eq!(asked, 1, "{name}");
    }
}

/// HS-111: such names are valid wherever a name is read: as a seed, as the target of a redirect, and
/// in a check.
#[tokio::test]
async fn hs_111_names_with_unusual_hyphens_and_underscores_are_visited() {
    let hosts = ["v2--otter.example", "my_desk.otter.example"];
    let moved = "old.otter.example";
    let mut web = Simweb::builder();
    for host in hosts {
        web = web
            .site(host)
            .file(CARD_PATH, CARD.replace("mesa.example", host));
    }
    let target = Answer::redirect("https://my_desk.otter.example{path}");
    let web = web
        .site(moved)
        .behaviour(Behaviour::default().path(CARD_PATH, target));
    let stage = Stage::new(web).await;
    assert_eq!(stage.crawl().await.visits, 3);
    let report = stage.report();
    for host in hosts {
        assert_eq!(report[host]["outcome"], "found", "{host}");
        let checked = stage.try_check(host).await.unwrap();
        assert!(checked.contains("found"), "{host}: {checked}");
    }
    assert_eq!(report[moved]["outcome"], "found");
}
