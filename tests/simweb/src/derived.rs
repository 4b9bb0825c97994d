//! Generated hosts: the kind of each follows from a seed and its number.
//!
//! Hundreds of thousands of them cost no memory, because a site is generated for each request and
//! then dropped. The expected result of a visit to a host is a function of the same two numbers
//! ([`Derived::truth`]), so that a test can compare.
//!
//! Fifty hosts share an address, as on the Internet; two such addresses are in each network of 256.
//! A host that throttles has an address of its own, because its back-off would otherwise delay its
//! neighbours as well.

mod manifests;

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;

use crate::behaviour::{Answer, Behaviour, Certificate, Dns};
use crate::site::Site;

/// Number of hosts that share one address.
const PER_ADDRESS: u32 = 50;

/// Most derived hosts, the capacity of their address pools.
pub const MAX_DERIVED: u32 = 1_000_000;

/// Page that single-page sites serve for every path.
const PAGE: &str =
    "<!doctype html>\n<html lang=\"en\"><title>Welcome</title><div id=\"app\"></div></html>\n";

/// A crawl delay, and rules that disallow all but two probed paths, so that a visit ends soon.
const SLOW_ROBOTS: &str = "User-agent: *\nCrawl-delay: 2\nDisallow: /a\nDisallow: /.well-known/agents\nDisallow: /.well-known/agent-s\nDisallow: /.well-known/ai\nDisallow: /.well-known/m\n";

/// Hosts generated from a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    count: u32,
    seed: u64,
}

/// Kind of a derived host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Answers 404 to every path.
    Nothing,
    /// Serves one page for every path.
    CatchAll,
    /// Serves one page for every path without a file, and a manifest at one path.
    CatchAllWithManifest,
    /// Serves the same JSON object, of no known format, for every path.
    CatchAllJson,
    /// Serves the same valid manifest for every path, undefined ones included.
    Honeypot,
    /// Serves manifests at one to three paths.
    Manifests,
    /// The name does not exist.
    NoName,
    /// The name server fails.
    NameServerFails,
    /// No server listens at its address.
    Refuses,
    /// Its certificate has expired.
    Expired,
    /// Its robots.txt and two other paths take 100 ms to 2 s.
    Slow,
    /// robots.txt is answered 429 or 503 with `Retry-After`.
    ThrottlesRobots,
    /// One path is answered 429 or 503 with `Retry-After`.
    ThrottlesProbes,
    /// Its robots.txt disallows all paths.
    Closed,
    /// Its robots.txt disallows some paths, one with a manifest among them.
    PartlyClosed,
    /// robots.txt is answered 401 or 403.
    Gated,
    /// robots.txt is answered 500 or 502.
    Failing,
    /// robots.txt is fine, every other path is answered 500.
    FailingProbes,
    /// Its robots.txt has a crawl delay of two seconds.
    CrawlDelay,
}

/// Kinds of hosts, with their shares in thousandths.
const SHARES: [(Kind, u64); 19] = [
    (Kind::Nothing, 600),
    (Kind::CatchAll, 110),
    (Kind::CatchAllWithManifest, 25),
    (Kind::CatchAllJson, 10),
    (Kind::Honeypot, 5),
    (Kind::Manifests, 100),
    (Kind::NoName, 30),
    (Kind::NameServerFails, 10),
    (Kind::Refuses, 15),
    (Kind::Expired, 5),
    (Kind::Slow, 25),
    (Kind::ThrottlesRobots, 5),
    (Kind::ThrottlesProbes, 5),
    (Kind::Closed, 10),
    (Kind::PartlyClosed, 10),
    (Kind::Gated, 10),
    (Kind::Failing, 10),
    (Kind::FailingProbes, 5),
    (Kind::CrawlDelay, 10),
];

/// Expected result of a visit to a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// Kind of the host.
    pub kind: Kind,
    /// The outcome, in the words of the crawler's report.
    pub outcome: &'static str,
    /// The paths at which a manifest exists and may be fetched, in alphabetical order.
    pub manifests: Vec<&'static str>,
}

impl Derived {
    /// Returns the first `count` hosts of `seed`, at most [`MAX_DERIVED`].
    pub fn new(count: u32, seed: u64) -> Self {
        Self {
            count: count.min(MAX_DERIVED),
            seed,
        }
    }

    /// Returns the number of hosts.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns every host, in the order of their numbers.
    pub fn hosts(&self) -> impl Iterator<Item = String> + use<> {
        let derived = *self;
        (0..self.count).map(move |number| derived.host(number))
    }

    /// Returns the name of a host. Most hosts have a registrable domain of their own, some share
    /// one with up to seven others, and two of a hundred belong to a farm of about ten.
    pub fn host(&self, number: u32) -> String {
        match self.draw(number, "site") % 100 {
            0..70 => format!("h{number}.solo{number}.example"),
            70..98 => format!("h{number}.shared{}.example", number / 8),
            _ => format!("h{number}.farm{}.example", number / 500),
        }
    }

    /// Returns the number of a host; `None` if the name is not one of these hosts.
    pub fn number(&self, host: &str) -> Option<u32> {
        let (first, _) = host.strip_prefix('h')?.split_once('.')?;
        let number = first.parse().ok()?;
        (number < self.count && self.host(number) == host).then_some(number)
    }

    /// Returns the kind of a host.
    pub fn kind(&self, number: u32) -> Kind {
        let mut rest = self.draw(number, "kind") % 1000;
        for (kind, share) in SHARES {
            if rest < share {
                return kind;
            }
            rest -= share;
        }
        Kind::Nothing
    }

    /// Returns the expected result of a visit to a host.
    pub fn truth(&self, number: u32) -> Truth {
        let kind = self.kind(number);
        let mut manifests = match kind {
            Kind::Manifests
            | Kind::CatchAllWithManifest
            | Kind::Slow
            | Kind::CrawlDelay
            | Kind::PartlyClosed => self.open_places(number),
            _ => Vec::new(),
        };
        manifests.sort_unstable();
        let outcome = match kind {
            _ if !manifests.is_empty() => "found",
            Kind::Nothing
            | Kind::Manifests
            | Kind::CatchAllWithManifest
            | Kind::Slow
            | Kind::CrawlDelay
            | Kind::PartlyClosed => "empty",
            Kind::CatchAll | Kind::CatchAllJson | Kind::Honeypot => "soft404",
            Kind::NoName | Kind::NameServerFails => "dns_error",
            Kind::Refuses | Kind::Failing | Kind::FailingProbes => "down",
            Kind::Expired => "tls_error",
            Kind::ThrottlesProbes if self.throttling_status(number) == 429 => "rate_limited",
            Kind::ThrottlesRobots | Kind::ThrottlesProbes => "throttled",
            Kind::Closed => "robots_disallow",
            Kind::Gated => "blocked",
        };
        Truth {
            kind,
            outcome,
            manifests,
        }
    }

    /// Returns the address of a host, even if no server listens there.
    pub fn address(&self, number: u32) -> IpAddr {
        match self.kind(number) {
            Kind::Refuses => own(192, number),
            Kind::ThrottlesRobots | Kind::ThrottlesProbes => own(128, number),
            _ => shared(number),
        }
    }

    /// Returns the addresses to listen on, each once.
    pub(crate) fn addresses(&self) -> Vec<IpAddr> {
        let numbers = 0..self.count;
        let heard = numbers.filter(|number| self.kind(*number) != Kind::Refuses);
        let mut addresses: Vec<IpAddr> = heard.map(|number| self.address(number)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// Generates a host's site.
    pub(crate) fn site(&self, host: &str) -> Option<Site> {
        let number = self.number(host)?;
        let mut site = Site::default();
        for path in self.places(number) {
            site.add_file(path, manifests::at(path, host));
        }
        site.behaviour = self.behaviour(number, host, &mut site);
        site.behaviour.addresses = vec![self.address(number)];
        Some(site)
    }

    /// Returns the status with which a host throttles.
    fn throttling_status(&self, number: u32) -> u16 {
        if self.draw(number, "detail").is_multiple_of(2) {
            429
        } else {
            503
        }
    }

    fn behaviour(&self, number: u32, host: &str, site: &mut Site) -> Behaviour {
        let draw = self.draw(number, "detail");
        let either = |one: u16, other: u16| if draw.is_multiple_of(2) { one } else { other };
        // Longer than a test lasts, since a retry in time would be correct and a second visit.
        let retry_after = (7_200 + draw % 3_600).to_string();
        let throttled = || {
            let status = self.throttling_status(number);
            Answer::status(status).header("retry-after", &retry_after)
        };
        let robots = |answer: Answer| Behaviour::default().path("/robots.txt", answer);
        let mut catch_all = |path: &str, body: Bytes| {
            site.add_file(path, body);
            Behaviour {
                catch_all: Some(path.to_owned()),
                ..Behaviour::default()
            }
        };
        match self.kind(number) {
            Kind::Nothing if draw.is_multiple_of(3) => {
                site.add_file("/robots.txt", "User-agent: *\nDisallow: /admin/\n".into());
                Behaviour::default()
            }
            Kind::Nothing | Kind::Manifests | Kind::Refuses => Behaviour::default(),
            Kind::CatchAll | Kind::CatchAllWithManifest => catch_all("/index.html", PAGE.into()),
            Kind::CatchAllJson => catch_all("/index.json", "{}\n".into()),
            Kind::Honeypot => catch_all("/index.json", manifests::at(manifests::CARD, host)),
            Kind::NoName => Behaviour {
                dns: Dns::Nxdomain,
                ..Behaviour::default()
            },
            Kind::NameServerFails => Behaviour {
                dns: Dns::Servfail,
                ..Behaviour::default()
            },
            Kind::Expired => Behaviour {
                certificate: Certificate::Expired,
                ..Behaviour::default()
            },
            Kind::Slow => {
                let slow = Answer::default().delayed(100 + draw % 1_900);
                robots(slow.clone())
                    .path(manifests::CARD, slow.clone())
                    .path("/agents.txt", slow)
            }
            Kind::ThrottlesRobots => robots(throttled()),
            Kind::ThrottlesProbes => {
                let places = [
                    manifests::CARD,
                    "/agents.txt",
                    "/.well-known/ai-catalog.json",
                ];
                let chosen = usize::try_from(draw / 2 % 3).unwrap_or(0);
                Behaviour::default().path(places[chosen], throttled())
            }
            Kind::Closed => {
                site.add_file("/robots.txt", "User-agent: *\nDisallow: /\n".into());
                Behaviour::default()
            }
            Kind::PartlyClosed => {
                let rules = "User-agent: *\nDisallow: /.well-known/\n";
                site.add_file("/robots.txt", rules.into());
                Behaviour::default()
            }
            Kind::Gated => robots(Answer::status(either(401, 403))),
            Kind::Failing => robots(Answer::status(either(500, 502))),
            Kind::FailingProbes => robots(Answer::status(404)).path("/*", Answer::status(500)),
            Kind::CrawlDelay => {
                site.add_file("/robots.txt", SLOW_ROBOTS.into());
                Behaviour::default()
            }
        }
    }

    /// Returns the paths of a host's manifests, disallowed ones included.
    fn places(&self, number: u32) -> Vec<&'static str> {
        let draw = self.draw(number, "places");
        let index = |draw: u64, length: usize| usize::try_from(draw).unwrap_or(0) % length;
        match self.kind(number) {
            Kind::Manifests => {
                let sets = manifests::SETS;
                let set = sets[index(draw, sets.len())];
                set.iter()
                    .map(|places| places[index(draw / 64, places.len())])
                    .collect()
            }
            Kind::CatchAllWithManifest => {
                let places = manifests::PLACES;
                vec![places[index(draw, places.len())]]
            }
            Kind::Slow if draw.is_multiple_of(4) => vec![manifests::CARD],
            Kind::CrawlDelay if draw.is_multiple_of(2) => vec![manifests::CARD],
            Kind::PartlyClosed if draw.is_multiple_of(2) => vec![manifests::CARD, "/agents.txt"],
            Kind::PartlyClosed => vec![manifests::CARD],
            // Disallowed paths have manifests, so that a crawler that ignores robots.txt would find
            // them.
            Kind::Closed | Kind::Gated | Kind::Failing | Kind::ThrottlesRobots => {
                vec![manifests::CARD]
            }
            _ => Vec::new(),
        }
    }

    fn open_places(&self, number: u32) -> Vec<&'static str> {
        let is_closed = self.kind(number) == Kind::PartlyClosed;
        let mut places = self.places(number);
        places.retain(|path| !is_closed || !path.starts_with("/.well-known/"));
        places
    }

    /// Returns a pseudo-random number that depends only on the seed, `number` and `purpose`.
    fn draw(&self, number: u32, purpose: &str) -> u64 {
        let start = self.seed ^ 0xcbf2_9ce4_8422_2325;
        let bytes = number.to_le_bytes().into_iter().chain(purpose.bytes());
        let hash = bytes.fold(start, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // The low bits of such a product depend on few of the bytes; mix them (splitmix64).
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }
}

/// Returns the address that a block of consecutive hosts shares.
fn shared(number: u32) -> IpAddr {
    let index = number / PER_ADDRESS;
    address(16, index / 2, 1 + index % 2)
}

/// Returns an address for one host alone, in the pool that begins at 127.`pool`.0.0.
fn own(pool: u32, number: u32) -> IpAddr {
    address(pool, number / 200, 1 + number % 200)
}

/// Returns address `last` of a network of 256, counted from 127.`pool`.0.0.
///
/// `MAX_DERIVED` keeps the pools disjoint: each needs at most 40 times 256 networks.
fn address(pool: u32, network: u32, last: u32) -> IpAddr {
    let network = u64::from(pool) * 256 + u64::from(network);
    let [.., second, third] = network.to_be_bytes();
    let [.., last] = last.to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(127, second, third, last))
}

#[cfg(test)]
mod tests;
