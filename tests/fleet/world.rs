//! The web of a fleet: sites of twenty kinds, most of which are found at several networks.
//!
//! The kind of a site follows from its number, so that a small web has all of them, and its addresses from
//! the seed.

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use simweb::{Answer, Behaviour, Builder, Dns, Simweb};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

/// Path of a card.
const CARD: &str = "/.well-known/agent-card.json";
/// Path of a catalogue.
const CATALOGUE: &str = "/.well-known/ai-catalog.json";
/// Path of the card that a catalogue names.
const NAMED_CARD: &str = "/cards/clerk.json";
/// Most hosts of a site.
pub(crate) const HOSTS: u32 = 3;
/// Requests of a small web that are remembered, and those of each site of a large one: more than all visits
/// have.
const REMEMBERED: usize = 500_000;
const EACH: usize = 50;
/// A crawl delay, and rules that forbid most paths, so that a visit ends soon.
const SLOW_ROBOTS: &str = "User-agent: *\nCrawl-delay: 2\nDisallow: /a\n\
    Disallow: /.well-known/agents\nDisallow: /.well-known/agent-s\n\
    Disallow: /.well-known/ai\nDisallow: /.well-known/m\n";

/// Rules that leave time for a document of another host within a visit.
const SHORT_ROBOTS: &str = "User-agent: *\nDisallow: /a\n\
    Disallow: /.well-known/agents\nDisallow: /.well-known/agent-s\nDisallow: /.well-known/m\n";

/// Size of a web.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Registrable domains.
    pub(crate) sites: u32,
    /// Addresses that sites share, unless there is one for each host. Those that ask for pauses have others,
    /// each its own.
    pub(crate) addresses: u32,
    /// Networks of 256 addresses; at most 25,000.
    pub(crate) networks: u32,
}

impl Size {
    /// Reports whether each host can have an address of its own.
    fn has_room(self) -> bool {
        self.addresses >= HOSTS * self.sites
    }
}

/// Behaviour of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Redirects every path to its `www.` host at another network.
    Moved,
    /// Has a catalogue that names a card on another host at another network.
    Catalogue,
    /// Has three hosts at three networks.
    Siblings,
    /// Takes its time for every answer.
    Slow,
    /// Asks for two seconds between two requests.
    CrawlDelay,
    /// Has an address in each of two networks.
    TwoAddresses,
    /// Has an address in each of two networks, which DNS gives in turn.
    Rotating,
    /// Has the robots.txt of another site at another network.
    Borrower,
    /// Answers robots.txt with 429.
    ThrottlesRobots,
    /// Answers a path with 503.
    ThrottlesPaths,
    /// Has a name that does not exist.
    NoName,
    /// Opts out in its robots.txt.
    Closed,
    Listed,
    Empty,
}

fn kind(number: u32) -> Kind {
    match number % 20 {
        0 => Kind::Moved,
        1 => Kind::Catalogue,
        2 => Kind::Siblings,
        3 => Kind::Slow,
        4 => Kind::CrawlDelay,
        5 => Kind::TwoAddresses,
        6 => Kind::Rotating,
        7 => Kind::Borrower,
        9 if number % 40 < 20 => Kind::ThrottlesRobots,
        9 => Kind::ThrottlesPaths,
        10 => Kind::NoName,
        11 => Kind::Closed,
        8 | 12..=15 => Kind::Listed,
        _ => Kind::Empty,
    }
}

/// Reports whether a site answers 429 or 503.
fn is_throttling(number: u32) -> bool {
    matches!(kind(number), Kind::ThrottlesRobots | Kind::ThrottlesPaths)
}

/// A running web, and what is to be found there.
pub(crate) struct World {
    pub(crate) web: Simweb,
    /// Hosts of the seed list.
    pub(crate) seeds: Vec<String>,
    /// Documents by the host of the seed list that has them.
    pub(crate) documents: BTreeMap<String, BTreeSet<String>>,
    /// Names of agents by the host of the seed list that has them.
    pub(crate) agents: BTreeMap<String, String>,
    /// Host and path of each document.
    pub(crate) places: BTreeSet<(String, String)>,
    /// Hosts that only documents name, with the host of the seed list and the body of their card.
    pub(crate) named: BTreeMap<String, (String, String)>,
    /// Hosts that are visited again within the time of a test, since they ask for pauses.
    pub(crate) throttling: BTreeSet<String>,
}

impl World {
    /// Starts the web of a seed.
    pub(crate) async fn start(size: Size, seed: u64) -> Self {
        let plan = Plan::new(size, seed);
        let web = (0..size.sites).fold(Simweb::builder(), |web, number| plan.add(web, number));
        let web = web.listen(plan.addresses());
        let sites = usize::try_from(size.sites).unwrap();
        let web = web.remember(REMEMBERED.max(sites * EACH));
        let web = web.start().await.unwrap();
        let mut world = Self {
            web,
            seeds: Vec::new(),
            documents: BTreeMap::new(),
            agents: BTreeMap::new(),
            places: BTreeSet::new(),
            named: BTreeMap::new(),
            throttling: BTreeSet::new(),
        };
        for number in 0..size.sites {
            world.publish(number);
        }
        world
    }

    /// Publishes the documents of a site, and adds it to the seeds.
    fn publish(&mut self, number: u32) {
        let host = host(number);
        match kind(number) {
            Kind::Moved => self.put_card(&host, &format!("www.{host}"), CARD),
            Kind::Catalogue => {
                let named = format!("cards.{host}");
                // A site does not know its port.
                let url = format!("https://{named}{NAMED_CARD}");
                self.put(&host, &host, CATALOGUE, catalogue(&host, &url));
                self.put_card(&host, &named, NAMED_CARD);
                let body = card(&format!("Clerk of {host}"), &named);
                self.named.insert(named, (host.clone(), body));
            }
            Kind::Siblings => {
                for label in ["a", "b", "c"] {
                    let host = format!("{label}.{host}");
                    self.put_card(&host, &host, CARD);
                    self.seeds.push(host);
                }
                return;
            }
            Kind::Slow
            | Kind::CrawlDelay
            | Kind::TwoAddresses
            | Kind::Rotating
            | Kind::Borrower
            | Kind::Listed => self.put_card(&host, &host, CARD),
            Kind::ThrottlesRobots | Kind::ThrottlesPaths => {
                self.throttling.insert(host.clone());
            }
            Kind::NoName | Kind::Closed | Kind::Empty => {}
        }
        self.seeds.push(host);
    }

    fn put_card(&mut self, seed: &str, host: &str, path: &str) {
        let name = format!("Clerk of {seed}");
        self.put(seed, host, path, card(&name, host));
        self.agents.insert(seed.to_owned(), name);
    }

    fn put(&mut self, seed: &str, host: &str, path: &str, body: String) {
        self.web.put(host, path, body.clone()).unwrap();
        self.places.insert((host.to_owned(), path.to_owned()));
        let documents = self.documents.entry(seed.to_owned()).or_default();
        documents.insert(body);
    }

    /// Returns documents and agents that must have been found.
    ///
    /// A document that another one names waits for a later visit if it could not be requested in time (P9).
    pub(crate) fn findable(
        &self,
        asked: &BTreeSet<&str>,
    ) -> (BTreeMap<String, BTreeSet<String>>, BTreeMap<String, String>) {
        let (mut documents, mut agents) = (self.documents.clone(), self.agents.clone());
        let named = self.named.iter();
        for (_, (seed, body)) in named.filter(|(host, _)| !asked.contains(host.as_str())) {
            documents.entry(seed.clone()).or_default().remove(body);
            agents.remove(seed);
        }
        (documents, agents)
    }

    /// Returns the seed list.
    pub(crate) fn seed_list(&self) -> String {
        let port = self.web.https_port();
        let lines = self.seeds.iter().map(|host| format!("{host}:{port}\n"));
        lines.collect()
    }
}

/// Addresses and behaviour of each site.
struct Plan {
    size: Size,
    /// Place of the address of each site, and of the host beside it.
    places: Vec<[u32; 3]>,
    /// Time that a slow site takes, in milliseconds.
    slow: Vec<u64>,
}

impl Plan {
    fn new(size: Size, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut places = Vec::new();
        let mut slow = Vec::new();
        // The slowest sites would be the limit of a crawl in which no address is.
        let answers = if size.has_room() { 50..200 } else { 200..1_200 };
        let mut order: Vec<u32> = (0..size.sites).collect();
        order.shuffle(&mut random);
        for number in order {
            let first = if size.has_room() {
                HOSTS * number
            } else {
                random.random_range(0..size.addresses)
            };
            // Neighbouring places are in different networks.
            places.push([0, 1, 2].map(|step| (first + step) % size.addresses));
            slow.push(random.random_range(answers.clone()));
        }
        Self { size, places, slow }
    }

    /// Returns the address of a place: neighbouring ones are in different networks.
    fn address(&self, place: u32) -> IpAddr {
        let last = 1 + place / self.size.networks;
        address(place % self.size.networks, last)
    }

    /// Returns the address of a site that shares it with no other.
    fn own_address(&self, number: u32) -> IpAddr {
        let count = number / 20;
        let last = 128 + count / self.size.networks;
        address(count % self.size.networks, last)
    }

    /// Returns all addresses to listen on.
    fn addresses(&self) -> Vec<IpAddr> {
        let shared = (0..self.size.addresses).map(|place| self.address(place));
        let throttling = (0..self.size.sites).filter(|number| is_throttling(*number));
        let own = throttling.map(|number| self.own_address(number));
        shared.chain(own).collect()
    }

    /// Adds the hosts of a site.
    fn add(&self, web: Builder, number: u32) -> Builder {
        let name = host(number);
        let [first, second, third] =
            self.places[usize::try_from(number).unwrap()].map(|place| self.address(place));
        let at = |addresses: &[IpAddr]| Behaviour {
            addresses: addresses.to_vec(),
            ..Behaviour::default()
        };
        let usual = at(&[first]);
        let web = match kind(number) {
            Kind::Moved => web.site(&format!("www.{name}")).behaviour(at(&[second])),
            Kind::Catalogue => web.site(&format!("cards.{name}")).behaviour(at(&[second])),
            Kind::Siblings => {
                let siblings = [("b", second), ("c", third)].into_iter();
                return siblings
                    .fold(web, |web, (label, address)| {
                        web.site(&format!("{label}.{name}"))
                            .behaviour(at(&[address]))
                    })
                    .site(&format!("a.{name}"))
                    .behaviour(usual);
            }
            _ => web,
        };
        let web = web.site(&name);
        let throttled = |status: u16| Answer::status(status).header("retry-after", "60");
        match kind(number) {
            Kind::Moved => {
                let moved = Answer::redirect(&format!("https://www.{name}{{path}}"));
                web.behaviour(usual.path("/*", moved))
            }
            Kind::Slow => web.behaviour(Behaviour {
                all: Answer::default().delayed(self.slow[usize::try_from(number).unwrap()]),
                ..usual
            }),
            Kind::Catalogue => web.file("/robots.txt", SHORT_ROBOTS).behaviour(usual),
            Kind::CrawlDelay => web.file("/robots.txt", SLOW_ROBOTS).behaviour(usual),
            Kind::TwoAddresses => web.behaviour(at(&[first, second])),
            Kind::Rotating => web.behaviour(Behaviour {
                dns: Dns::Rotating,
                ttl: Some(0),
                ..at(&[first, second])
            }),
            Kind::Borrower => {
                let lender = host(number + 1);
                let lent = Answer::redirect(&format!("https://{lender}/robots.txt"));
                web.behaviour(usual.path("/robots.txt", lent))
            }
            Kind::ThrottlesRobots => {
                let own = at(&[self.own_address(number)]);
                web.behaviour(own.path("/robots.txt", throttled(429)))
            }
            Kind::ThrottlesPaths => {
                let own = at(&[self.own_address(number)]);
                web.behaviour(own.path("/agents.txt", throttled(503)))
            }
            Kind::NoName => web.behaviour(Behaviour {
                dns: Dns::Nxdomain,
                ..usual
            }),
            Kind::Closed => web
                .file("/robots.txt", "User-agent: *\nDisallow: /\n")
                .behaviour(usual),
            _ => web.behaviour(usual),
        }
    }
}

/// Returns the address with this last byte of a network.
fn address(network: u32, last: u32) -> IpAddr {
    let byte = |number: u32| u8::try_from(number).unwrap();
    let (high, low) = (100 + network / 250, network % 250);
    Ipv4Addr::new(127, byte(high), byte(low), byte(last)).into()
}

/// Returns the name of a site.
fn host(number: u32) -> String {
    format!("s{number}.example")
}

fn card(name: &str, host: &str) -> String {
    serde_json::json!({
        "protocolVersion": "0.3.0", "name": name, "description": "Answers letters.",
        "version": "1.0.0", "url": format!("https://{host}/a2a"), "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{
            "id": "answer", "name": "Answer", "description": "Answers a letter.", "tags": ["mail"],
        }],
    })
    .to_string()
}

fn catalogue(host: &str, url: &str) -> String {
    serde_json::json!({"specVersion": "1.0", "entries": [{
        "identifier": format!("urn:air:{host}:agent:clerk"),
        "displayName": format!("Clerk of {host}"),
        "type": "application/a2a-agent-card+json",
        "url": url,
    }]})
    .to_string()
}
