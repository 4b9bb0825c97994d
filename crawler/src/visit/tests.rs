//! Visits to a map of answers, under a paused clock.

use super::judge::document;
use super::*;
use crate::fetch::{DnsFailure, Request, Response, Stage, TlsFailure};
use crate::membership::Membership;
use crate::plan::REQUEST_CAP;
use crate::probes;
use crate::rate_limit::Rules;
use manifest::{Document, Domain};
use rand::SeedableRng as _;
use std::collections::HashMap;
use std::sync::Mutex;
use store::KnownDocument;
use store::{DocumentKind, NamedDocument};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

mod catch_all;
mod edge;
mod faults;
mod neighbours;
mod robots_cache;
mod shared;

const START: Timestamp = Timestamp(1_800_000_000_000);
const CARD: &str = r#"{"name": "Mesa", "description": "Books tables", "version": "1.0.0",
    "protocolVersion": "0.3.0", "url": "https://mesa.example.com/a2a", "capabilities": {},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "book", "name": "Book", "description": "Books a table", "tags": ["table"]}]}"#;
const CARD_PATH: &str = "/.well-known/agent-card.json";

/// A stand-in for the Internet: maps URLs to answers; any other URL is a 404.
#[derive(Default)]
struct Map {
    answers: HashMap<String, Result<Response, FetchError>>,
    lookup: Option<FetchError>,
    log: Mutex<Vec<(Instant, Request)>>,
}

impl Map {
    fn with(mut self, path: &str, answer: impl Into<Result<Response, FetchError>>) -> Self {
        let url = if path.starts_with('/') {
            format!("https://mesa.example.com{path}")
        } else {
            path.to_owned()
        };
        self.answers.insert(url, answer.into());
        self
    }

    fn asked(&self) -> Vec<String> {
        let log = self.log.lock().unwrap();
        log.iter()
            .map(|(_, request)| request.url.to_string())
            .collect()
    }

    fn paths(&self) -> Vec<String> {
        let urls = self.asked().into_iter();
        urls.map(|url| url.replace("https://mesa.example.com", ""))
            .collect()
    }

    async fn visit(&self, lease: Lease) -> FinishedVisit {
        self.visit_expecting(None, lease).await
    }

    async fn visit_with(&self, settings: &Settings, lease: Lease) -> FinishedVisit {
        let mut random = StdRng::seed_from_u64(7);
        let entrance = Admission::Open(IpAddr::from([8, 8, 8, 8]), None);
        visit(self, &(), settings, lease, entrance, START, &mut random).await
    }

    async fn visit_expecting(&self, look: Option<Fingerprint>, lease: Lease) -> FinishedVisit {
        visit_at(self, START, look, lease).await
    }
}

/// Runs a visit that begins at this time, to a site expected to have this fingerprint.
async fn visit_at<F: Fetch>(
    fetch: &F,
    started: Timestamp,
    look: Option<Fingerprint>,
    lease: Lease,
) -> FinishedVisit {
    let mut random = StdRng::seed_from_u64(7);
    let settings = settings();
    let entrance = match look_up(fetch, &lease).await {
        Ok(address) => Admission::Open(address, look),
        Err(error) => Admission::Closed(error),
    };
    visit(fetch, &(), &settings, lease, entrance, started, &mut random).await
}

/// Returns the time after which a visit is repeated because an address was busy, if it is.
fn postponement(visited: &FinishedVisit) -> Option<Duration> {
    match visited.interruption? {
        Interruption::Busy(pause) => Some(pause),
        Interruption::Stop => None,
    }
}

impl Fetch for Map {
    async fn resolve(&self, _: &Request) -> Result<IpAddr, FetchError> {
        let address = IpAddr::from([8, 8, 8, 8]);
        self.lookup.clone().map_or(Ok(address), Err)
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        self.log
            .lock()
            .unwrap()
            .push((Instant::now(), request.clone()));
        tokio::time::sleep(Duration::from_millis(20)).await;
        let not_found = Ok(status(404));
        let answer = self.answers.get(request.url.as_str()).cloned();
        answer.unwrap_or(not_found)
    }
}

impl From<Response> for Result<Response, FetchError> {
    fn from(response: Response) -> Self {
        Ok(response)
    }
}

fn settings() -> Settings {
    Settings {
        token: "AgentdexBot".to_owned(),
        sender: Sender::default(),
        delay: Duration::from_secs(1),
        extra: Vec::new(),
        http_fallback: false,
        gate: SharedGate::new(Rules::default()),
        membership: Membership::none(),
        robots_cache: RobotsCache::default(),
        stopping: CancellationToken::new(),
        late: CancellationToken::new(),
        exclusions: SharedExclusions::default(),
    }
}

fn status(status: u16) -> Response {
    Response {
        status,
        ..Response::default()
    }
}

fn ok(body: &str) -> Response {
    Response {
        body: body.into(),
        ..status(200)
    }
}

fn to(target: &str) -> Response {
    Response {
        location: Some(target.to_owned()),
        ..status(302)
    }
}

fn lease() -> Lease {
    Lease::first(1, Domain::parse("mesa.example.com").unwrap(), 1)
}

fn known(path: &str, body: &str) -> Lease {
    let document = document(
        &lease(),
        &Url::parse("https://mesa.example.com")
            .unwrap()
            .join(path)
            .unwrap(),
        &Url::parse("https://mesa.example.com").unwrap(),
        &ok(body),
        START,
    );
    Lease {
        last_outcome: Some(Outcome::Found),
        known: vec![KnownDocument {
            requested: document.requested.to_string(),
            url: document.requested.to_string(),
            etag: Some("\"one\"".to_owned()),
            last_modified: None,
            hash: document.hash(),
            content: Some(document.content_hash()),
            missing_since: None,
            format: None,
        }],
        ..lease()
    }
}

#[tokio::test(start_paused = true)]
async fn p08_a_name_that_does_not_resolve_costs_no_request() {
    let map = Map {
        lookup: Some(FetchError::Dns(DnsFailure::NxDomain)),
        ..Map::default()
    };
    let before = Instant::now();
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::DnsError);
    assert_eq!(visited.visit.detail.as_deref(), Some("nxdomain"));
    assert_eq!(visited.visit.requests, 0);
    assert!(map.asked().is_empty());
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_requested_first_and_nothing_twice() {
    let map = Map::default();
    let visited = map.visit(lease()).await;
    let paths = map.paths();
    assert_eq!(paths[0], "/robots.txt");
    let mut distinct = paths.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), paths.len());
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    assert_eq!(visited.visit.requests as usize, paths.len());
    assert_eq!(visited.visit.receipts.len(), paths.len());
    assert!(visited.visit.requests <= REQUEST_CAP);
}

#[tokio::test(start_paused = true)]
async fn p16_requests_are_a_second_apart_from_the_end_of_the_answer() {
    let map = Map::default();
    map.visit(lease()).await;
    let log = map.log.lock().unwrap();
    for pair in log.windows(2) {
        let gap = pair[1].0.duration_since(pair[0].0);
        assert!(gap >= Duration::from_millis(1020), "{gap:?}");
        assert!(gap <= Duration::from_millis(1230), "{gap:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn p24_a_crawl_delay_is_waited_for_in_place() {
    let map = Map::default().with("/robots.txt", ok("User-agent: *\nCrawl-delay: 20\n"));
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    let log = map.log.lock().unwrap();
    assert!(log.len() > 5);
    for pair in log.windows(2) {
        assert!(pair[1].0.duration_since(pair[0].0) >= Duration::from_secs(20));
    }
}

#[tokio::test(start_paused = true)]
async fn a_manifest_is_kept_as_served_with_its_reading() {
    let card = Response {
        media_type: Some("application/json".to_owned()),
        etag: Some("\"one\"".to_owned()),
        ..ok(CARD)
    };
    let map = Map::default().with(CARD_PATH, card);
    let FinishedVisit {
        visit, readings, ..
    } = map.visit(lease()).await;
    assert_eq!(visit.outcome, Outcome::Found);
    assert_eq!(visit.documents.len(), 1);
    assert_eq!(readings.len(), 1);
    let document = &visit.documents[0];
    assert_eq!(document.body, CARD.as_bytes());
    assert_eq!(document.path(), CARD_PATH);
    assert_eq!(document.etag.as_deref(), Some("\"one\""));
    assert_eq!(readings[0].agents.len(), 1);
    let verdicts: Vec<_> = visit
        .receipts
        .iter()
        .map(|it| it.verdict.as_str())
        .collect();
    assert_eq!(verdicts[..2], ["robots", "manifest"]);
}

#[tokio::test(start_paused = true)]
async fn paths_that_robots_txt_forbids_are_not_requested() {
    let rules = "User-agent: AgentdexBot\nDisallow: /.well-known/\n";
    let map = Map::default()
        .with("/robots.txt", ok(rules))
        .with(CARD_PATH, ok(CARD));
    map.visit(lease()).await;
    let paths = map.paths();
    assert!(paths.len() > 1);
    assert!(
        !paths.iter().any(|path| path.starts_with("/.well-known/")),
        "{paths:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_fails_ends_the_visit() {
    let cases: [(Result<Response, FetchError>, Outcome); 8] = [
        (Ok(status(500)), Outcome::Down),
        (Ok(status(503)), Outcome::Throttled),
        (Ok(status(429)), Outcome::Throttled),
        (Ok(status(403)), Outcome::Blocked),
        (Ok(status(304)), Outcome::ProtocolError),
        (Err(FetchError::Timeout(Stage::Headers)), Outcome::Timeout),
        (Err(FetchError::Tls(TlsFailure::Expired)), Outcome::TlsError),
        (
            Ok(ok("User-agent: *\nDisallow: /\n")),
            Outcome::RobotsDisallow,
        ),
    ];
    for (answer, outcome) in cases {
        let map = Map::default().with("/robots.txt", answer.clone());
        let visited = map.visit(lease()).await;
        assert_eq!(visited.visit.outcome, outcome, "{answer:?}");
        assert_eq!(map.paths(), ["/robots.txt"], "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_is_no_http_request() {
    let map = Map::default().with("/robots.txt", Err(FetchError::Refused));
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Down);
    assert_eq!(visited.visit.detail.as_deref(), Some("refused"));
    assert_eq!(visited.visit.requests, 0);
    assert_eq!(visited.visit.receipts[0].verdict, "refused");
}

#[tokio::test(start_paused = true)]
async fn robots_txt_may_redirect_to_another_host() {
    let map = Map::default()
        .with("/robots.txt", to("https://example.net/robots.txt"))
        .with(
            "https://example.net/robots.txt",
            ok("User-agent: *\nDisallow: /\n"),
        );
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::RobotsDisallow);
    assert_eq!(visited.visit.requests, 2);
}

#[tokio::test(start_paused = true)]
async fn p26_a_redirect_loop_of_robots_txt_forbids_everything() {
    let map = Map::default()
        .with("/robots.txt", to("/a"))
        .with("/a", to("/robots.txt"));
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::RedirectRefused);
    assert_eq!(visited.visit.detail.as_deref(), Some("loop"));
    assert_eq!(map.paths(), ["/robots.txt", "/a"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_redirect_within_the_site_the_new_hosts_robots_txt_is_requested_first() {
    let www = format!("https://www.example.com{CARD_PATH}");
    let map = Map::default()
        .with(CARD_PATH, to(&www))
        .with(&www, ok(CARD));
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Found);
    let asked = map.asked();
    let robots = asked
        .iter()
        .position(|url| url == "https://www.example.com/robots.txt");
    let card = asked.iter().position(|url| *url == www);
    assert!(robots.unwrap() < card.unwrap());
    let document = &visited.visit.documents[0];
    assert_eq!(document.url.as_str(), www);
    assert_eq!(document.path(), CARD_PATH);
    assert_eq!(document.domain.as_str(), "mesa.example.com");
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_not_followed_where_the_new_hosts_robots_txt_forbids() {
    let www = format!("https://www.example.com{CARD_PATH}");
    let map = Map::default()
        .with(CARD_PATH, to(&www))
        .with(&www, ok(CARD))
        .with(
            "https://www.example.com/robots.txt",
            ok("User-agent: *\nDisallow: /"),
        );
    let visited = map.visit(lease()).await;
    assert_ne!(visited.visit.outcome, Outcome::Found);
    assert!(!map.asked().contains(&www));
}

const WWW: &str = "https://www.mesa.example.com";

/// Returns a host that redirects every path to its twin, permanently unless `status` says
/// otherwise.
fn moved(status: u16) -> Map {
    let mut map = Map::default();
    for path in probes::ALL.iter().map(|probe| probe.path) {
        let there = Response {
            status,
            ..to(&format!("{WWW}{path}"))
        };
        map = map.with(path, there);
    }
    map
}

#[tokio::test(start_paused = true)]
async fn p15_a_host_that_has_moved_is_visited_at_its_new_home() {
    let rules = "User-agent: *
Disallow: /.well-known/agent.json
";
    let map = moved(301)
        .with(&format!("{WWW}/robots.txt"), ok(rules))
        .with(&format!("{WWW}{CARD_PATH}"), ok(CARD));
    let visited = map.visit(lease()).await.visit;
    assert_eq!(visited.outcome, Outcome::Found);
    let asked = map.asked();
    let first = [
        "https://mesa.example.com/robots.txt".to_owned(),
        format!("https://mesa.example.com{CARD_PATH}"),
        format!("{WWW}/robots.txt"),
        format!("{WWW}{CARD_PATH}"),
        format!("{WWW}/agents.txt"),
    ];
    assert_eq!(asked[..5], first);
    assert!(
        asked[5..].iter().all(|url| url.starts_with(WWW)),
        "{asked:?}"
    );
    assert!(!asked.contains(&format!("{WWW}/.well-known/agent.json")));
    assert!(asked.len() <= REQUEST_CAP as usize, "{asked:?}");
    assert_eq!(visited.requests as usize, asked.len());
    let document = &visited.documents[0];
    assert_eq!(document.domain.as_str(), "mesa.example.com");
    assert_eq!(document.requested.as_str(), first[1]);
    assert_eq!(document.url.as_str(), first[3]);
}

#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_has_moved_is_read_once() {
    let there = Response {
        status: 308,
        ..to(&format!("{WWW}/robots.txt"))
    };
    let map = moved(308).with("/robots.txt", there);
    let visited = map.visit(lease()).await.visit;
    let asked = map.asked();
    assert_eq!(asked[0], "https://mesa.example.com/robots.txt");
    assert_eq!(asked[1], format!("{WWW}/robots.txt"));
    let rest = &asked[2..];
    assert!(rest.len() > 5);
    assert!(rest.iter().all(|url| url.starts_with(WWW)), "{asked:?}");
    assert!(!rest.contains(&asked[1]), "{asked:?}");
    // Two requests for robots.txt leave ten for the eleven paths.
    assert_eq!(visited.outcome, Outcome::Budget);
    assert_eq!(asked.len(), REQUEST_CAP as usize, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_single_file_on_another_host_of_the_site_moves_nothing() {
    let there = "https://agents.mesa.example.com";
    let target = Response {
        status: 301,
        ..to(&format!("{there}{CARD_PATH}"))
    };
    let map = Map::default()
        .with(CARD_PATH, target)
        .with(&format!("{there}{CARD_PATH}"), ok(CARD));
    let visited = map.visit(lease()).await.visit;
    assert_eq!(visited.outcome, Outcome::Found);
    assert!(map.paths().contains(&"/agents.txt".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_temporary_redirect_moves_nothing() {
    let map = moved(307);
    map.visit(lease()).await;
    let asked = map.asked();
    let second = format!("https://mesa.example.com{}", probes::ALL[1].path);
    assert!(asked.contains(&second), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_new_home_that_forbids_everything_ends_the_visit() {
    let delay = "User-agent: *
Crawl-delay: 60
";
    for (robots, outcome) in [
        (
            ok("User-agent: *
Disallow: /
"),
            Outcome::RobotsDisallow,
        ),
        (
            ok("User-agent: *
Content-Signal: search=no
"),
            Outcome::OptedOut,
        ),
        (ok(delay), Outcome::RobotsDisallow),
        (status(503), Outcome::Throttled),
        (status(500), Outcome::Down),
    ] {
        let map = moved(301)
            .with(&format!("{WWW}/robots.txt"), robots.clone())
            .with(&format!("{WWW}{CARD_PATH}"), ok(CARD));
        let visited = map.visit(lease()).await.visit;
        assert_eq!(visited.outcome, outcome, "{robots:?}");
        assert_eq!(map.asked().len(), 3, "{:?}", map.asked());
    }
}

#[tokio::test(start_paused = true)]
async fn two_hosts_that_redirect_to_each_other_stay_within_the_budget() {
    let mut map = moved(301);
    for path in probes::ALL.iter().map(|probe| probe.path) {
        let back = Response {
            status: 301,
            ..to(&format!("https://mesa.example.com{path}"))
        };
        map = map.with(&format!("{WWW}{path}"), back);
    }
    let visited = map.visit(lease()).await.visit;
    assert_eq!(visited.outcome, Outcome::RedirectRefused);
    assert!(map.asked().len() <= REQUEST_CAP as usize);
}

#[tokio::test(start_paused = true)]
async fn redirects_to_other_sites_are_recorded_and_not_followed() {
    for target in [
        "https://example.org/card.json",
        "http://mesa.example.com/card.json",
    ] {
        let map = Map::default().with(CARD_PATH, to(target));
        let visited = map.visit(lease()).await;
        assert!(!map.asked().iter().any(|url| url == target));
        let receipts = &visited.visit.receipts;
        let receipt = receipts
            .iter()
            .find(|it| it.url.ends_with(CARD_PATH))
            .unwrap();
        assert_eq!(receipt.verdict, "redirect_refused", "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn redirects_of_all_kinds_stay_within_the_budget() {
    let mut map = Map::default();
    for probe in probes::ALL {
        for hop in 0..5 {
            let from = format!("https://h{hop}.example.com{}", probe.path);
            let target = format!("https://h{}.example.com{}", hop + 1, probe.path);
            map = map.with(&from, to(&target));
        }
        let target = format!("https://h0.example.com{}", probe.path);
        map = map.with(probe.path, to(&target));
    }
    let visited = map.visit(lease()).await;
    assert!(
        map.asked().len() <= REQUEST_CAP as usize,
        "{:?}",
        map.asked()
    );
    assert_eq!(visited.visit.requests as usize, map.asked().len());
}

#[tokio::test(start_paused = true)]
async fn a_site_with_the_same_answer_for_every_path_has_no_documents() {
    let mut map = Map::default();
    for probe in probes::ALL {
        map = map.with(probe.path, ok("<!doctype html><title>Welcome</title>"));
    }
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Soft404);
    assert_eq!(visited.visit.requests, REQUEST_CAP, "{:?}", map.paths());
    assert!(visited.visit.documents.is_empty());
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_stops_the_visit() {
    let throttled = Response {
        retry_after: Some("7200".to_owned()),
        ..status(429)
    };
    let map = Map::default().with("/.well-known/agent.json", throttled);
    let visited = map.visit(lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::RateLimited);
    assert_eq!(map.paths().last().unwrap(), "/.well-known/agent.json");
    let receipt = visited.visit.receipts.last().unwrap();
    assert_eq!(receipt.why, "asks for a pause of 7200 s");
    let until = visited.visit.ended.after(Duration::from_mins(119));
    assert!(visited.visit.next.not_before >= until);
}

/// A host that answers 421 to every request over HTTP/2.
struct Misdirecting(Map);

impl Fetch for Misdirecting {
    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        self.0.resolve(request).await
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        let answer = self.0.get(request).await?;
        Ok(if request.only_http1 {
            answer
        } else {
            status(421)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn after_421_the_request_is_repeated_over_http_1_1_and_so_is_the_rest() {
    let fetch = Misdirecting(Map::default().with(CARD_PATH, ok(CARD)));
    let visited = visit_at(&fetch, START, None, lease()).await;
    assert_eq!(visited.visit.outcome, Outcome::Found);
    let paths = fetch.0.paths();
    assert_eq!(paths[..2], ["/robots.txt", "/robots.txt"]);
    assert_eq!(paths.iter().filter(|path| *path == CARD_PATH).count(), 1);
    assert!(paths.len() <= REQUEST_CAP as usize, "{paths:?}");
    assert_eq!(visited.visit.requests as usize, paths.len());
    assert_eq!(visited.visit.receipts[0].verdict, "misdirected");
    let log = fetch.0.log.lock().unwrap();
    let gap = log[1].0.duration_since(log[0].0);
    assert!(gap >= Duration::from_secs(1), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn a_second_421_is_not_retried() {
    let map = Map::default()
        .with(CARD_PATH, status(421))
        .with("/.well-known/agent.json", status(421));
    map.visit(lease()).await;
    let paths = map.paths();
    let asked = |path: &str| paths.iter().filter(|asked| *asked == path).count();
    assert_eq!(asked(CARD_PATH), 2, "{paths:?}");
    assert_eq!(asked("/.well-known/agent.json"), 1, "{paths:?}");
    assert!(paths.len() <= REQUEST_CAP as usize, "{paths:?}");
}

#[tokio::test(start_paused = true)]
async fn a_known_document_is_requested_conditionally() {
    let map = Map::default().with(CARD_PATH, status(304));
    let visited = map.visit(known(CARD_PATH, CARD)).await;
    assert_eq!(visited.visit.outcome, Outcome::Found);
    let url = format!("https://mesa.example.com{CARD_PATH}");
    assert_eq!(
        visited.visit.unchanged.as_slice(),
        std::slice::from_ref(&url)
    );
    let log = map.log.lock().unwrap();
    let (_, request) = log.iter().find(|(_, it)| it.url.as_str() == url).unwrap();
    assert_eq!(request.etag.as_deref(), Some("\"one\""));
}

#[tokio::test(start_paused = true)]
async fn p40_another_layout_does_not_shorten_the_interval() {
    let week = Some(7 * 86_400_000);
    let interval = async |body: &str| {
        let mut lease = known(CARD_PATH, CARD);
        lease.interval_ms = week;
        let map = Map::default().with(CARD_PATH, ok(body));
        map.visit(lease).await.visit.next.interval_ms
    };
    let laid_out = CARD.replace(',', " ,\n");
    assert_ne!(laid_out, CARD);
    assert!(interval(&laid_out).await > week);
    let renamed = CARD.replacen("\"name\"", "\"title\"", 1);
    assert_ne!(renamed, CARD);
    assert!(interval(&renamed).await < week);
}

#[tokio::test(start_paused = true)]
async fn a_known_document_that_is_gone_is_reported_gone() {
    let map = Map::default().with(CARD_PATH, status(410));
    let visited = map.visit(known(CARD_PATH, CARD)).await;
    assert_eq!(visited.visit.outcome, Outcome::Empty);
    let url = format!("https://mesa.example.com{CARD_PATH}");
    assert_eq!(visited.visit.gone, [url]);
}

#[tokio::test(start_paused = true)]
async fn p40_a_known_document_that_is_not_found_is_requested_again() {
    let map = Map::default();
    let visit = map.visit(known(CARD_PATH, CARD)).await.visit;
    assert_eq!(visit.outcome, Outcome::Empty);
    assert!(visit.gone.is_empty());
    assert_eq!(visit.missing.len(), 1);
    let wait = visit.next.due.since(visit.ended);
    assert!(wait >= Duration::from_hours(24) && wait < Duration::from_hours(30));
    // The second request decides; nothing remains to be requested.
    let mut lease = known(CARD_PATH, CARD);
    lease.known[0].missing_since = Some(START);
    lease.last_outcome = Some(Outcome::Empty);
    let visit = visit_at(&map, visit.next.due, None, lease).await.visit;
    assert!(visit.next.due.since(visit.ended) > Duration::from_hours(24 * 20));
}

/// P40, P47: a recheck on the day of the first miss decides nothing, and the second look follows.
#[tokio::test(start_paused = true)]
async fn p40_a_recheck_on_the_day_of_a_miss_does_not_cost_the_second_look() {
    let map = Map::default();
    let hours = |count: u64| Duration::from_hours(count);
    for (since_miss, is_decided) in [(hours(1), false), (hours(23), false), (hours(25), true)] {
        let mut lease = known(CARD_PATH, CARD);
        lease.known[0].missing_since = Some(START);
        lease.last_outcome = Some(Outcome::Empty);
        lease.requests_left = Some(8);
        let visit = visit_at(&map, START.after(since_miss), None, lease).await;
        let visit = visit.visit;
        assert_eq!(visit.missing.len(), 1);
        let wait = visit.next.due.since(visit.ended);
        assert_eq!(
            wait > hours(24 * 20),
            is_decided,
            "{since_miss:?}: {wait:?}"
        );
        assert!(wait >= hours(24), "{since_miss:?}: {wait:?}");
    }
}

/// P36, P40: an answer that does not prove whether a known document still exists does not postpone
/// the next visit by a month.
#[tokio::test(start_paused = true)]
async fn p40_a_known_document_with_an_inconclusive_answer_is_requested_again() {
    for answer in [ok("<!doctype html><p>Soon back"), status(418)] {
        let map = Map::default().with(CARD_PATH, answer.clone());
        let visit = map.visit(known(CARD_PATH, CARD)).await.visit;
        assert_eq!(visit.outcome, Outcome::Empty, "{answer:?}");
        assert!(visit.gone.is_empty() && visit.missing.is_empty());
        assert_eq!(visit.next.fails, 1, "{answer:?}");
        let wait = visit.next.due.since(visit.ended);
        assert!(
            wait >= Duration::from_hours(24) && wait < Duration::from_hours(30),
            "{wait:?}"
        );
    }
}

/// P49: a refusal of the only known document decides, and removes nothing.
#[tokio::test(start_paused = true)]
async fn p49_a_refused_document_stays_and_the_visit_is_refused() {
    let map = Map::default().with(CARD_PATH, status(403));
    let visit = map.visit(known(CARD_PATH, CARD)).await.visit;
    assert_eq!(visit.outcome, Outcome::Refused);
    assert!(visit.gone.is_empty() && visit.missing.is_empty());
    let answer = visit.edge.unwrap();
    assert!(answer.url.ends_with(CARD_PATH), "{}", answer.url);
    let wait = visit.next.due.since(visit.ended);
    assert!(wait >= Duration::from_hours(24 * 6), "{wait:?}");
}

/// P36: an error does not prove that nothing is there, at a known path or at another.
#[tokio::test(start_paused = true)]
async fn p36_after_an_error_only_the_failed_path_is_requested_within_a_day() {
    for lease in [lease(), known(CARD_PATH, CARD)] {
        let map = Map::default().with(CARD_PATH, status(500));
        let first = map.visit(lease.clone()).await.visit;
        assert_eq!((first.outcome, first.next.fails), (Outcome::Down, 1));
        assert!(first.gone.is_empty() && first.missing.is_empty());
        assert!(first.next.due.since(first.ended) <= Duration::from_hours(24));
        let again = Lease {
            last_outcome: Some(first.outcome),
            fails: first.next.fails,
            unanswered: first.next.unanswered.clone(),
            ..lease
        };
        let map = Map::default().with(CARD_PATH, ok(CARD));
        let second = map.visit(again).await.visit;
        assert_eq!(map.paths(), ["/robots.txt", CARD_PATH]);
        assert_eq!(second.outcome, Outcome::Found);
        assert!(second.next.unanswered.is_empty());
    }
}

/// P9, DS-10: a document named by a `Link` header is requested next, whatever the answer.
#[tokio::test(start_paused = true)]
async fn p09_a_link_header_moves_a_document_to_the_front() {
    let linking = Response {
        links: vec![
            "../cards/a.json#top".to_owned(),
            "https://x.example/b".to_owned(),
        ],
        ..status(404)
    };
    let map = Map::default()
        .with(CARD_PATH, linking)
        .with("/cards/a.json", ok(CARD));
    let visit = map.visit(lease()).await.visit;
    assert_eq!(
        map.paths()[..3],
        ["/robots.txt", CARD_PATH, "/cards/a.json"]
    );
    assert_eq!(visit.outcome, Outcome::Found);
    let named_by = &visit.asked[0].named_by;
    assert_eq!(named_by, &format!("https://mesa.example.com{CARD_PATH}"));
}

/// P9: a document on another host of the registrable domain is requested under that host's own
/// robots.txt, and credited to the domain that names it.
#[tokio::test(start_paused = true)]
async fn p09_a_document_on_another_host_of_the_domain_is_credited_to_it() {
    const THERE: &str = "https://api.example.com/cards/a.json";
    let named = NamedDocument {
        url: THERE.to_owned(),
        named_by: "https://mesa.example.com/catalog.json".to_owned(),
        is_own: true,
        kind: DocumentKind::Manifest,
        is_absent: false,
    };
    let lease = Lease {
        named: vec![named.clone()],
        ..lease()
    };
    let map = Map::default().with(THERE, ok(CARD));
    let visit = map.visit(lease.clone()).await.visit;
    assert_eq!(visit.outcome, Outcome::Found);
    let document = &visit.documents[0];
    assert_eq!(document.requested.as_str(), THERE);
    assert_eq!(document.domain.as_str(), "mesa.example.com");
    let asked = map.asked();
    assert_eq!(asked[1], "https://api.example.com/robots.txt");
    assert_eq!(asked[2], THERE);
    assert!(asked.len() <= REQUEST_CAP as usize);
    assert_eq!(visit.asked, [named]);

    let closed = ok("User-agent: *\nDisallow: /cards/");
    let map = Map::default()
        .with(THERE, ok(CARD))
        .with("https://api.example.com/robots.txt", closed);
    let visit = map.visit(lease).await.visit;
    assert!(!map.asked().contains(&THERE.to_owned()));
    assert_eq!(
        visit.outcome,
        Outcome::Budget,
        "the failure is not that of its own host"
    );
}

/// P40: the validators of a document are sent to the URL that gave it, behind any redirect.
#[tokio::test(start_paused = true)]
async fn p40_validators_are_sent_only_to_the_url_that_gave_them() {
    let there = "https://mesa.example.com/card.json";
    let map = Map::default()
        .with(CARD_PATH, to("/card.json"))
        .with(there, status(304));
    let mut lease = known(CARD_PATH, CARD);
    there.clone_into(&mut lease.known[0].url);
    let visit = map.visit(lease).await.visit;
    assert_eq!(
        visit.unchanged,
        [format!("https://mesa.example.com{CARD_PATH}")]
    );
    let log = map.log.lock().unwrap();
    let sent = |url: &str| {
        let (_, request) = log.iter().find(|(_, it)| it.url.as_str() == url).unwrap();
        request.etag.clone()
    };
    assert_eq!(sent(&format!("https://mesa.example.com{CARD_PATH}")), None);
    assert_eq!(sent(there).as_deref(), Some("\"one\""));
}

#[tokio::test(start_paused = true)]
async fn a_304_to_an_unconditional_request_is_an_error() {
    let map = Map::default().with(CARD_PATH, status(304));
    let visited = map.visit(lease()).await;
    assert!(visited.visit.unchanged.is_empty());
    let receipts = &visited.visit.receipts;
    let receipt = receipts
        .iter()
        .find(|it| it.url.ends_with(CARD_PATH))
        .unwrap();
    assert_eq!(receipt.verdict, "protocol_error");
}

#[tokio::test(start_paused = true)]
async fn json_of_no_known_format_is_kept_and_a_page_is_not() {
    let map = Map::default()
        .with(CARD_PATH, ok(r#"{"colour": "blue"}"#))
        .with("/agents.txt", ok("<p>Hello"))
        .with("/agents.json", ok("Not here"));
    let visited = map.visit(lease()).await;
    let paths: Vec<_> = visited.visit.documents.iter().map(Document::path).collect();
    assert_eq!(paths, [CARD_PATH]);
    assert_eq!(visited.readings[0].level(), manifest::Level::D);
}

#[tokio::test(start_paused = true)]
async fn a_long_crawl_delay_spreads_the_paths_over_leases() {
    let map = Map::default().with("/robots.txt", ok("User-agent: *\nCrawl-delay: 120\n"));
    let first = map.visit(lease()).await.visit;
    assert_eq!(map.asked().len(), 1);
    let again = first.next.not_before.since(first.ended);
    assert!(again >= Duration::from_mins(2), "{again:?}");
    let next = Lease {
        robots: first.robots,
        last_outcome: Some(first.outcome),
        rotation: first.next.rotation,
        fails: first.next.fails,
        interval_ms: first.next.interval_ms,
        ..lease()
    };
    let second = visit_at(&map, first.next.due, None, next).await;
    assert_eq!(map.asked().len(), 2, "{:?}", map.asked());
    assert_ne!(map.paths()[1], "/robots.txt");
    assert_eq!(second.visit.requests, 1);
}

#[tokio::test(start_paused = true)]
async fn slow_answers_are_cut_off_at_the_deadline_of_the_visit() {
    struct Slow;
    impl Fetch for Slow {
        async fn resolve(&self, _: &Request) -> Result<IpAddr, FetchError> {
            Ok(IpAddr::from([8, 8, 8, 8]))
        }

        async fn get(&self, request: &Request) -> Result<Response, FetchError> {
            let wanted = Duration::from_secs(14);
            tokio::time::sleep(wanted.min(request.limits.total)).await;
            if wanted > request.limits.total {
                return Err(FetchError::Timeout(Stage::Total));
            }
            Ok(status(404))
        }
    }
    let visited = visit_at(&Slow, START, None, lease()).await;
    let active: u32 = visited.visit.receipts.iter().map(|it| it.ms).sum();
    assert!(active <= 60_000, "{active}");
    assert!(visited.visit.requests <= 5);
}
