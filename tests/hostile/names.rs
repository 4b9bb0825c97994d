//! Rows 56 to 63: what DNS says.

use super::Row;
use simweb::{Behaviour, Dns, Simweb};
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
    let dns = |name, dns, detail| {
        let behaviour = Behaviour {
            dns,
            ..Behaviour::default()
        };
        host(61, name, behaviour).ends(DnsError, detail).most(0)
    };
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
    vec![
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
        dns("nxdomain", Dns::Nxdomain, "nxdomain"),
        dns("servfail", Dns::Servfail, "servfail"),
        dns("refused", Dns::Refused, "refused"),
        dns("silent", Dns::Silent, "timeout"),
        host(63, "both-families", at(&["::1", "127.0.0.1"])).ends(Found, ""),
        host(63, "only-six", at(&["::1"]))
            .ends(BlockedAddress, "")
            .most(0),
    ]
}

/// Rows 57 and 60: a name is looked up once a visit, whatever its time to live.
pub(super) fn check(web: &Simweb, rows: &[Row]) {
    for row in rows.iter().filter(|row| matches!(row.number, 57 | 60)) {
        let (name, queries) = (row.host_name(), web.dns_queries());
        let asked = queries.iter().filter(|it| it.name == name).count();
        assert_eq!(asked, 1, "{name}");
    }
}
