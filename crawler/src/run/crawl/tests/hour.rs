//! An hour under attack: honest hosts are visited at the same time as without hostile ones.
//!
//! The same crawl runs twice, with and without the hosts of a hostile operator, and the time from
//! the due time of each honest host to its result is compared.

use super::steady;
use super::*;
use crate::config::CommandLine;
use crate::fetch::{FetchError, Request, Response, TlsFailure};
use crate::rate_limit::edges;
use crate::run::clock;
use crate::summary::Progress;
use clap::Parser as _;
use rand::SeedableRng as _;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use store::{Outcome, Seed, SeedSource};

const MINUTES: u64 = 60;
const MINUTE: Duration = Duration::from_mins(1);
/// Seeds arrive in the first fifty minutes.
const ARRIVING: u64 = 50;
/// Honest hosts that fall due per minute, hostile hosts, and names of a hostile wildcard.
const HONEST: u64 = 40;
const HOSTILE: u64 = 4;
const WILD: u64 = 6;

const ROBOTS: &str = "User-agent: *\nAllow: /\n";

/// Neighbours at the address of an honest host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// None; hostile names may point there.
    Single,
    /// Another honest host.
    Shared,
    /// Thousands, declared as a shared edge by the operator of the crawler.
    Edge,
    /// A hostile host.
    Attacked,
    /// A hostile wildcard.
    Wild,
}

fn place(number: u64) -> Place {
    match number % HONEST {
        0..=17 => Place::Single,
        18..=23 => Place::Shared,
        24..=34 => Place::Edge,
        35..=38 => Place::Attacked,
        _ => Place::Wild,
    }
}

fn honest_address(number: u64) -> IpAddr {
    let (minute, seat) = (number / HONEST, number % HONEST);
    let (network, last) = match place(number) {
        Place::Single => (number, 1),
        Place::Shared => (10_000 + minute * 4 + seat / 2 % 4, 1),
        Place::Edge => return Ipv4Addr::new(104, 16, 0, u8::try_from(seat % 5).unwrap()).into(),
        Place::Attacked => (20_000 + minute * HOSTILE + (seat - 35), 1),
        // Fewer than a fleet, and many more names of the wildcard.
        Place::Wild => (30_000 + minute / 10, 1),
    };
    // Each address is in a network of its own.
    let network = u32::try_from(network).unwrap() << 8;
    Ipv4Addr::from_bits(0x0B00_0000 + network + last).into()
}

/// Attack of a hostile host, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attack {
    /// Asks for a pause of a day at a shared address.
    Throttles,
    /// Asks for it at a shared edge.
    ThrottlesAtEdge,
    /// Redirects its robots.txt to an honest host that is due now, and its paths slowly to nothing.
    Reflects,
    /// Redirects its robots.txt to that of another hostile host.
    Circles,
    /// Points its name at the address of an honest host, whose certificate does not match.
    Borrows,
    /// The same, and the server there closes the connection.
    Resets,
    /// Answers like a parked domain.
    LooksAlike,
    /// Takes nine seconds per answer.
    Dawdles,
    /// Publishes a document that names ever new names of its own.
    Multiplies,
}

fn attack(number: u64) -> Attack {
    match (number / HOSTILE % 3, number % HOSTILE) {
        (0, 0) => Attack::Throttles,
        (0, 1) => Attack::ThrottlesAtEdge,
        (_, 2) | (0, _) => Attack::Reflects,
        (1, 0) => Attack::Borrows,
        (1, 1) => Attack::LooksAlike,
        (1, _) => Attack::Circles,
        (_, 0) => Attack::Dawdles,
        (_, 1) => Attack::Multiplies,
        (_, _) => Attack::Resets,
    }
}

/// Returns the honest host that a hostile one attacks: of the same minute, or of the next for a
/// slow attack.
fn victim(number: u64) -> u64 {
    let minute = number / HOSTILE + u64::from(attack(number) == Attack::Reflects);
    minute % ARRIVING * HONEST + minute % 16
}

fn hostile_address(number: u64) -> IpAddr {
    match attack(number) {
        Attack::Borrows | Attack::Resets => honest_address(victim(number)),
        Attack::ThrottlesAtEdge => Ipv4Addr::new(104, 16, 0, 1).into(),
        Attack::Reflects | Attack::Circles => {
            let network = u32::try_from(40_000 + number).unwrap() << 8;
            Ipv4Addr::from_bits(0x0B00_0001 + network).into()
        }
        _ => honest_address(number / HOSTILE * HONEST + 35 + number % HOSTILE),
    }
}

/// Host behind a name.
enum Host {
    Honest(u64),
    Hostile(u64),
    Wild(u64),
}

fn host(request: &Request) -> Host {
    let name = request.url.host_str().unwrap();
    let label = name.split('.').next().unwrap();
    let number = label[1..].parse().unwrap();
    match &label[..1] {
        "h" => Host::Honest(number),
        "x" => Host::Hostile(number),
        _ => Host::Wild(number),
    }
}

fn honest_name(number: u64) -> String {
    format!("h{number}.honest{number}.example")
}

fn hostile_name(number: u64) -> String {
    format!("x{number}.hostile{number}.example")
}

/// Simulated Internet, which counts the requests to honest hosts on behalf of hostile ones.
#[derive(Clone, Default)]
struct World {
    reflected: Arc<std::sync::Mutex<BTreeMap<u64, u32>>>,
}

fn answer(status: u16, body: &str) -> Response {
    Response {
        status,
        body: body.into(),
        ..Response::default()
    }
}

fn too_many_requests() -> Response {
    Response {
        retry_after: Some("86400".to_owned()),
        ..answer(429, "")
    }
}

fn lead(target: String) -> Response {
    Response {
        location: Some(target),
        ..answer(302, "")
    }
}

fn catalogue(number: u64) -> Response {
    let entries: Vec<_> = (0..8)
        .map(|entry| {
            serde_json::json!({
                "identifier": format!("urn:air:wild.example:agent:{entry}"),
                "displayName": "An agent",
                "type": "application/a2a-agent-card+json",
                "url": format!("https://w{}.wild.example/card.json", 100_000 + number * 8 + entry),
            })
        })
        .collect();
    let body = serde_json::json!({"specVersion": "1.0", "entries": entries});
    answer(200, &body.to_string())
}

impl World {
    async fn hostile(&self, number: u64, path: &str) -> Result<Response, FetchError> {
        let is_robots = path == "/robots.txt";
        Ok(match attack(number) {
            Attack::Throttles | Attack::ThrottlesAtEdge => too_many_requests(),
            Attack::Reflects if is_robots => {
                let victim = honest_name(victim(number));
                lead(format!("https://{victim}/robots.txt?{number}"))
            }
            Attack::Circles if is_robots => {
                let next = hostile_name(number / 12 * 12 + 7 + 12);
                lead(format!("https://{next}/robots.txt"))
            }
            Attack::Borrows => return Err(FetchError::Tls(TlsFailure::Name)),
            Attack::Resets => return Err(FetchError::Reset),
            Attack::Reflects | Attack::Dawdles => {
                tokio::time::sleep(Duration::from_secs(9)).await;
                answer(404, "")
            }
            _ if is_robots => answer(200, ROBOTS),
            Attack::Multiplies if path.ends_with("ai-catalog.json") => catalogue(number),
            _ => answer(404, "nothing"),
        })
    }
}

impl Fetch for World {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        Ok(match host(request) {
            Host::Honest(number) => honest_address(number),
            Host::Hostile(number) => hostile_address(number),
            Host::Wild(number) => honest_address(number / WILD % ARRIVING * HONEST + HONEST - 1),
        })
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let path = request.url.path();
        match host(request) {
            Host::Honest(number) => {
                if request.url.query().is_some() {
                    let mut reflected = self.reflected.lock().unwrap();
                    *reflected.entry(number).or_default() += 1;
                }
                Ok(match path {
                    "/robots.txt" => answer(200, ROBOTS),
                    _ => answer(404, "nothing"),
                })
            }
            Host::Hostile(number) => self.hostile(number, path).await,
            Host::Wild(number) if number % 3 == 0 => Ok(too_many_requests()),
            Host::Wild(_) if path == "/robots.txt" => Ok(answer(200, ROBOTS)),
            Host::Wild(_) => Ok(answer(404, "nothing")),
        }
    }
}

/// Returns the seeds of a minute.
fn seeds(minute: u64, is_attacked: bool) -> Vec<Seed> {
    let honest = (minute * HONEST..(minute + 1) * HONEST).map(honest_name);
    let mut names: Vec<String> = honest.collect();
    if is_attacked {
        names.extend((minute * HOSTILE..(minute + 1) * HOSTILE).map(hostile_name));
        let wild = minute * WILD..(minute + 1) * WILD;
        names.extend(wild.map(|number| format!("w{number}.wild.example")));
    }
    let seed = |name: String| Seed {
        domain: Domain::parse(&name).unwrap(),
        port: None,
        source: SeedSource::Seed,
    };
    names.into_iter().map(seed).collect()
}

/// Crawls for an hour; returns the waiting time of each honest host, and its number of requests on
/// behalf of others.
async fn crawl_for_an_hour(is_attacked: bool) -> (Vec<Option<Duration>>, BTreeMap<u64, u32>) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
    let line = [
        "crawler",
        "--watch",
        "--concurrency",
        "300",
        "--contact",
        "bot@agents.example.com",
    ];
    let mut config = Config::try_from(CommandLine::try_parse_from(line).unwrap().crawl).unwrap();
    config.network.pace.edges = edges("104.16.0.0/13 fast").unwrap();
    let progress = Arc::new(Progress::default());
    let control = Control::new(progress);
    let mut report = Report::open(None).unwrap();
    let begun = Instant::now();
    let world = World::default();
    let mut crawl = Crawl::new(
        &config,
        world.clone(),
        Common::alone(&config, &store),
        &control,
        &mut report,
        clock(),
        StdRng::seed_from_u64(7),
    )
    .await
    .unwrap();
    for minute in 0..MINUTES {
        if minute < ARRIVING {
            let seeds = seeds(minute, is_attacked);
            store.add_seeds(&seeds, false, clock().now()).await.unwrap();
        }
        let end = begun + Duration::from_mins(minute + 1);
        tokio::select! {
            ended = crawl.visit_due() => panic!("the crawl ended: {ended:?}"),
            () = sleep_until(end) => {}
        }
    }
    let mut waits = Vec::new();
    for number in 0..ARRIVING * HONEST {
        let domain = Domain::parse(&honest_name(number)).unwrap();
        let site = store.site(&domain).await.unwrap().unwrap();
        let is_whole = site.last_outcome == Some(Outcome::Empty);
        let visited = site.last_visit.filter(|_| is_whole);
        waits.push(visited.map(|visited| visited.since(site.first_seen)));
    }
    let reflected = world.reflected.lock().unwrap().clone();
    (waits, reflected)
}

#[tokio::test(start_paused = true)]
async fn p35_an_hour_under_attack_delays_no_honest_host() {
    let (peace, none) = crawl_for_an_hour(false).await;
    let (war, reflected) = crawl_for_an_hour(true).await;
    assert!(none.is_empty());
    let mut late: BTreeMap<Place, (u64, Duration, u64)> = BTreeMap::new();
    let mut failed = Vec::new();
    for (number, (before, after)) in (0_u64..).zip(peace.iter().zip(&war)) {
        let before = before.expect("every honest host is visited in peace");
        let Some(after) = *after else {
            failed.push(format!("h{number} at {:?} has no result", place(number)));
            continue;
        };
        let extra = after.saturating_sub(before.mul_f64(1.1));
        let (hosts, worst, which) = late.entry(place(number)).or_default();
        *hosts += 1;
        if extra > *worst {
            (*worst, *which) = (extra, number);
        }
        let slack = match place(number) {
            // One turn of a second at an address that a hostile name points at, and a reflected
            // request or two.
            Place::Single | Place::Shared | Place::Edge => Duration::from_secs(8),
            // A host shares the turns of its address (P19): one request for a pause stops it for a
            // minute, each of its requests may wait for one of the other host, and a slow host
            // delays it by ten seconds.
            Place::Attacked => MINUTE + before + Duration::from_secs(30),
            // After that minute several honest hosts wait for the address, and are postponed to
            // turns that are estimated from its slow rate.
            Place::Wild => MINUTE * 5,
        };
        if extra > slack {
            failed.push(format!(
                "h{number} at {:?}: {after:?}, not {before:?}",
                place(number)
            ));
        }
    }
    assert!(reflected.len() > 10, "few requests were reflected");
    assert!(reflected.values().all(|count| *count <= 4), "{reflected:?}");
    assert!(
        failed.is_empty(),
        "hosts, the most beyond a tenth more, and whose: {late:?}; {} of {}: {:#?}",
        failed.len(),
        war.len(),
        &failed[..failed.len().min(40)]
    );
}
