//! Tests of crawls of a small simulated web, by the requests that its servers received.

use crate::support;
use crate::support::USUAL_TIME;
use crate::support::wait::{until, value_within};
use crawler::check::{CheckError, Palette, check};
use crawler::config::{Check, Config, Network, RawNetwork};
use crawler::run::{Control, clock, random, run};
use crawler::summary::{Progress, Summary};
use ipnet::IpNet;
use manifest::Domain;
use simweb::{Answer, Behaviour, Certificate, Dns, Fault, Request, Simweb};
use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Outcome, Role, Store, StoreError};
use tempfile::TempDir;
use tokio::net::TcpListener;

pub(crate) const CARD: &str = r#"{"name": "Mesa", "description": "Books tables", "version": "1.0.0",
    "protocolVersion": "0.3.0", "url": "https://mesa.example/a2a", "capabilities": {},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "book", "name": "Book", "description": "Books a table", "tags": ["table"]}]}"#;
pub(crate) const CARD_PATH: &str = "/.well-known/agent-card.json";

/// A web, a database, and the files that a crawl needs.
pub(crate) struct Stage {
    pub(crate) web: Simweb,
    folder: TempDir,
    pub(crate) seeds: Vec<String>,
    pub(crate) delay: u32,
    /// Between two requests to one address; zero lifts the pace of addresses (P19a).
    pub(crate) address_delay: u32,
    /// Addresses that may be touched besides those of the web.
    pub(crate) also_own: Vec<IpNet>,
    /// Signs every request.
    pub(crate) sign_key: Option<PathBuf>,
}

impl Stage {
    pub(crate) async fn new(web: simweb::Builder) -> Self {
        let web = web.start().await.unwrap();
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("ca.pem"), web.ca_pem()).unwrap();
        Self {
            seeds: web.seeds(),
            web,
            folder,
            delay: 0,
            address_delay: 0,
            also_own: Vec::new(),
            sign_key: None,
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn network(&self) -> RawNetwork {
        // Exactly the web's own addresses: the rest of loopback is as forbidden as ever.
        let own = self.web.addresses().iter().copied();
        RawNetwork {
            delay: self.delay,
            contact: Some("https://agents.example.com/bot".to_owned()),
            user_agent_token: "AgentdexBot".to_owned(),
            nameserver: vec![self.web.dns_address()],
            root_ca: vec![self.file("ca.pem")],
            probe_extra: Vec::new(),
            http_fallback: false,
            allow_address: own
                .map(IpAddr::into)
                .chain(self.also_own.iter().copied())
                .collect(),
            address_delay: self.address_delay,
            shared_addresses: None,
            sign_key: self.sign_key.clone(),
            sign_agent: None,
        }
    }

    /// Returns the output of `crawler check` of a host.
    async fn check(&self, host: &str) -> String {
        self.try_check(host).await.unwrap()
    }

    /// Returns the output of `crawler check` of a host, or the error if it is not checked.
    pub(crate) async fn try_check(&self, host: &str) -> Result<String, CheckError> {
        let seeds = self.web.seeds();
        let seed = seeds.iter().find(|seed| seed.starts_with(host)).unwrap();
        let arguments = Check {
            domain: seed.clone(),
            database: format!("sqlite:{}", self.file("agentdex.db").display()),
            network: self.network(),
        };
        let mut output = Vec::new();
        check(arguments, &mut output, Palette::PLAIN, clock(), random()).await?;
        Ok(String::from_utf8(output).unwrap())
    }

    pub(crate) fn config(&self) -> Config {
        std::fs::write(self.file("seeds.txt"), self.seeds.join("\n")).unwrap();
        // Each run begins a report of its own.
        let _ = std::fs::remove_file(self.file("report.jsonl"));
        Config {
            blocklist: None,
            seeds: vec![self.file("seeds.txt")],
            watch: false,
            revisit: false,
            limit: None,
            concurrency: 64,
            report: Some(self.file("report.jsonl")),
            stop_within: Duration::from_secs(8),
            network: Network::try_from(self.network()).unwrap(),
        }
    }

    pub(crate) async fn store(&self) -> Arc<dyn Store> {
        let url = format!("sqlite:{}", self.file("agentdex.db").display());
        // A process that another test starts shares every open file of this one until it runs its own
        // program, the lock of a store that was closed meanwhile included.
        value_within(
            USUAL_TIME,
            "the lock of the store",
            async || match store::open(&url, &[Role::Crawler]).await {
                Err(StoreError::InUse { .. }) => None,
                opened => Some(opened.unwrap()),
            },
        )
        .await
    }

    pub(crate) async fn crawl(&self) -> Summary {
        let (_progress, control) = control();
        run(&self.config(), self.store().await, control)
            .await
            .unwrap()
    }

    /// Returns the lines of the last report, by domain.
    pub(crate) fn report(&self) -> BTreeMap<String, serde_json::Value> {
        let text = std::fs::read_to_string(self.file("report.jsonl")).unwrap();
        text.lines()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                (value["domain"].as_str().unwrap().to_owned(), value)
            })
            .collect()
    }

    /// Makes every host due that will ever be; `host` was visited last.
    pub(crate) async fn let_time_pass(&self, host: &str) {
        let store = self.store().await;
        let site = store.site(&domain(host)).await.unwrap().unwrap();
        let now = site.last_visit.unwrap();
        let later = now.after(Duration::from_hours(24 * 365));
        let leases = store.lease_domains(later, later, 100).await.unwrap();
        let due: Vec<_> = leases.into_iter().map(|lease| (lease, now)).collect();
        store.postpone_leases(&due).await.unwrap();
    }

    fn outcome(&self, host: &str) -> String {
        self.report()[host]["outcome"].as_str().unwrap().to_owned()
    }

    fn paths(&self, host: &str) -> Vec<String> {
        let requests = self.web.requests_of(host).into_iter();
        requests.map(|request| request.path).collect()
    }
}

/// Returns the progress of a crawl, and its connections to its caller.
pub(crate) fn control() -> (Arc<Progress>, Control) {
    let progress = Arc::new(Progress::default());
    (Arc::clone(&progress), Control::new(progress))
}

fn domain(name: &str) -> Domain {
    Domain::parse(name).unwrap()
}

#[tokio::test]
async fn p06_p07_robots_txt_is_the_first_request_to_every_host_and_twelve_is_the_most() {
    let mut web = Simweb::builder();
    for number in 0..20 {
        web = web.site(&format!("site{number}.example"));
        if number % 2 == 0 {
            web = web.file(CARD_PATH, CARD);
        }
    }
    let stage = Stage::new(web).await;
    let summary = stage.crawl().await;
    assert_eq!(summary.visits, 20);
    assert_eq!(summary.outcome(Outcome::Found), 10);
    assert_eq!(summary.outcome(Outcome::Empty), 10);
    for host in stage.web.hosts() {
        let paths = stage.paths(&host);
        assert_eq!(paths[0], "/robots.txt", "{host}");
        assert!(paths.len() <= 12, "{host}: {paths:?}");
        let distinct: HashSet<_> = paths.iter().collect();
        assert_eq!(distinct.len(), paths.len(), "{host}: {paths:?}");
    }
    let requests = stage.web.requests().len() as u64;
    assert_eq!(summary.requests, requests);
}

#[tokio::test]
async fn p02_requests_identify_the_crawler_and_nothing_else() {
    let stage = Stage::new(Simweb::builder().site("mesa.example")).await;
    stage.crawl().await;
    let requests = stage.web.requests();
    assert!(!requests.is_empty());
    for request in requests {
        let agent = request.header("user-agent").unwrap();
        assert!(agent.starts_with("AgentdexBot/"), "{agent}");
        assert!(
            agent.ends_with("(+https://agents.example.com/bot)"),
            "{agent}"
        );
        assert_eq!(request.method, "GET");
        let coding = request.header("accept-encoding").unwrap();
        assert_eq!(coding.replace(' ', ""), "gzip,br");
        for name in ["cookie", "referer", "authorization", "from"] {
            assert_eq!(request.header(name), None, "{name}");
        }
    }
}

#[tokio::test]
async fn p13_p16_a_host_is_asked_over_one_connection_with_the_gap_between_requests() {
    let mut stage = Stage::new(Simweb::builder().site("mesa.example")).await;
    stage.delay = 150;
    stage.crawl().await;
    let requests = stage.web.requests_of("mesa.example");
    assert!(requests.len() > 5);
    for pair in requests.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap >= Duration::from_millis(150), "{gap:?}");
    }
    let connections: HashSet<u64> = requests.iter().map(|it: &Request| it.connection).collect();
    assert_eq!(connections.len(), 1);
}

#[tokio::test]
async fn disallowed_paths_are_never_requested() {
    let web = Simweb::builder()
        .site("partly.example")
        .file("/robots.txt", "User-agent: *\nDisallow: /.well-known/\n")
        .file(CARD_PATH, CARD)
        .site("closed.example")
        .file("/robots.txt", "User-agent: agentdexbot\nDisallow: /\n")
        .file(CARD_PATH, CARD)
        .site("shut.example")
        .file("/robots.txt", "User-agent: *\nDisallow: /\n")
        .file(CARD_PATH, CARD)
        .site("failing.example")
        .file(CARD_PATH, CARD)
        .behaviour(Behaviour::default().path("/robots.txt", Answer::status(500)));
    let stage = Stage::new(web).await;
    stage.crawl().await;
    let partly = stage.paths("partly.example");
    assert!(partly.len() > 1);
    assert!(!partly.iter().any(|path| path.starts_with("/.well-known/")));
    assert_eq!(stage.paths("closed.example"), ["/robots.txt"]);
    assert_eq!(stage.outcome("closed.example"), "opted_out");
    assert_eq!(stage.paths("shut.example"), ["/robots.txt"]);
    assert_eq!(stage.outcome("shut.example"), "robots_disallow");
    assert_eq!(stage.paths("failing.example"), ["/robots.txt"]);
    assert_eq!(stage.outcome("failing.example"), "down");
}

#[tokio::test]
async fn found_documents_are_stored_as_served() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file(CARD_PATH, CARD)
        .site("empty.example");
    let stage = Stage::new(web).await;
    let summary = stage.crawl().await;
    assert_eq!((summary.documents, summary.agents), (1, 1));
    let line = &stage.report()["mesa.example"];
    assert_eq!(line["outcome"], "found");
    assert_eq!(line["agents"][0]["name"], "Mesa");
    assert_eq!(line["agents"][0]["capabilities"], 1);
    assert_eq!(line["documents"][0]["format"], "a2a-agent-card");
    let store = stage.store().await;
    let documents = store.documents(&domain("mesa.example")).await.unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0].document.body, CARD.as_bytes());
    let site = store.site(&domain("mesa.example")).await.unwrap().unwrap();
    let receipts = &site.visits[0].receipts;
    assert_eq!(receipts.len(), stage.paths("mesa.example").len());
}

#[tokio::test]
async fn redirects_within_the_site_are_followed_and_others_are_not() {
    let web = Simweb::builder()
        .site("www.mesa.example")
        .site("other.example");
    let mut stage = Stage::new(web.site("mesa.example").site("away.example")).await;
    let www = stage.web.url("www.mesa.example", CARD_PATH);
    let away = stage.web.url("other.example", CARD_PATH);
    let web = &stage.web;
    web.put("www.mesa.example", CARD_PATH, CARD).unwrap();
    web.put("other.example", CARD_PATH, CARD).unwrap();
    for (host, target) in [("mesa.example", www), ("away.example", away)] {
        let answer = Answer {
            status: Some(302),
            ..Answer::redirect(&target)
        };
        let behaviour = Behaviour::default().path(CARD_PATH, answer);
        web.behave(host, behaviour).unwrap();
    }
    stage
        .seeds
        .retain(|seed| seed.starts_with("mesa.") || seed.starts_with("away."));
    stage.crawl().await;
    assert_eq!(stage.outcome("mesa.example"), "found");
    assert_eq!(stage.paths("www.mesa.example"), ["/robots.txt", CARD_PATH]);
    assert_eq!(stage.outcome("away.example"), "redirect_refused");
    assert!(stage.paths("other.example").is_empty());
}

#[tokio::test]
async fn an_apex_that_has_moved_to_www_is_asked_there() {
    const TEXT: &str =
        "Site: Mesa\nURL: https://mesa.example\nDescription: Books tables\nAllow: search\n";
    let everywhere = Answer::redirect("https://www.mesa.example{path}");
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/robots.txt", "User-agent: *\nAllow: /\n")
        .behaviour(
            crawler::probes::ALL
                .iter()
                .fold(Behaviour::default(), |behaviour, probe| {
                    behaviour.path(probe.path, everywhere.clone())
                }),
        )
        .site("all.example")
        .behaviour(
            Behaviour::default().path("/*", Answer::redirect("https://www.all.example{path}")),
        )
        .site("www.mesa.example")
        .file(
            "/robots.txt",
            "User-agent: *\nDisallow: /.well-known/agent.json\n",
        )
        .file("/agents.txt", TEXT)
        .site("www.all.example")
        .file(
            "/robots.txt",
            "User-agent: *\nDisallow: /.well-known/agent.json\n",
        )
        .file("/agents.txt", TEXT);
    let mut stage = Stage::new(web).await;
    stage.seeds.retain(|seed| !seed.starts_with("www."));
    stage.crawl().await;
    for (apex, asked) in [
        ("mesa.example", ["/robots.txt", CARD_PATH].as_slice()),
        ("all.example", &["/robots.txt"]),
    ] {
        let www = format!("www.{apex}");
        let there = stage.paths(&www);
        assert_eq!(stage.paths(apex), asked);
        assert_eq!(there[..3], ["/robots.txt", CARD_PATH, "/agents.txt"]);
        let distinct: HashSet<_> = there.iter().collect();
        assert_eq!(distinct.len(), there.len(), "{there:?}");
        assert!(!there.iter().any(|path| path == "/.well-known/agent.json"));
        assert!(asked.len() + there.len() <= 12, "{there:?}");
        assert_eq!(stage.outcome(apex), "found");
        let store = stage.store().await;
        let document = &store.documents(&domain(apex)).await.unwrap()[0].document;
        assert_eq!(document.domain.as_str(), apex);
        assert_eq!(document.requested.host_str(), Some(apex));
        assert_eq!(document.url.host_str(), Some(www.as_str()));
        let site = store.site(&domain(apex)).await.unwrap().unwrap();
        let receipts = &site.visits[0].receipts;
        assert_eq!(receipts.len(), asked.len() + there.len());
    }
}

#[tokio::test]
async fn a_redirect_to_a_private_address_sends_it_no_packet() {
    let trap = TcpListener::bind("127.66.6.6:0").await.unwrap();
    let port = trap.local_addr().unwrap().port();
    let private = Behaviour {
        addresses: vec!["127.66.6.6".parse().unwrap()],
        ..Behaviour::default()
    };
    let web = Simweb::builder()
        .https_port(port)
        .site("mesa.example")
        .site("inside.mesa.example")
        .behaviour(private.clone())
        .site("seeded.example")
        .behaviour(private);
    let mut stage = Stage::new(web).await;
    let targets = [
        format!("https://127.66.6.6:{port}/a"),
        format!("https://2134968838:{port}/b"),
        format!("https://0x7f.0x42.0x606:{port}/c"),
        format!("https://[::ffff:127.66.6.6]:{port}/d"),
        format!("https://inside.mesa.example:{port}/e"),
    ];
    let mut behaviour = Behaviour::default();
    for (probe, target) in crawler::probes::ALL.iter().zip(&targets) {
        behaviour = behaviour.path(probe.path, Answer::redirect(target));
    }
    stage.web.behave("mesa.example", behaviour).unwrap();
    stage.seeds.retain(|seed| !seed.starts_with("inside"));
    stage.crawl().await;
    assert!(stage.paths("mesa.example").len() > 1);
    assert_eq!(stage.outcome("seeded.example"), "blocked_address");
    let accepted = tokio::time::timeout(Duration::from_millis(50), trap.accept()).await;
    assert!(
        accepted.is_err(),
        "something connected to the private address"
    );
}

#[tokio::test]
async fn p08_a_catch_all_site_is_asked_twelve_times_at_most() {
    let web = Simweb::builder()
        .site("single-page.example")
        .file("/index.html", "<!doctype html><title>Welcome</title>")
        .behaviour(Behaviour {
            catch_all: Some("/index.html".to_owned()),
            ..Behaviour::default()
        });
    let stage = Stage::new(web).await;
    stage.crawl().await;
    assert_eq!(stage.outcome("single-page.example"), "soft404");
    let paths = stage.paths("single-page.example");
    assert!(paths.len() <= 12, "{paths:?}");
}

#[tokio::test]
async fn too_many_requests_stops_the_visit() {
    let behaviour = Behaviour::default().path(
        "/.well-known/agent.json",
        Answer::status(429).header("retry-after", "3600"),
    );
    let web = Simweb::builder().site("busy.example").behaviour(behaviour);
    let stage = Stage::new(web).await;
    stage.crawl().await;
    assert_eq!(stage.outcome("busy.example"), "rate_limited");
    let paths = stage.paths("busy.example");
    assert_eq!(paths.last().unwrap(), "/.well-known/agent.json");
}

#[tokio::test]
async fn a_misdirected_host_is_asked_over_http_1_1_from_then_on() {
    let behaviour = Behaviour::default().path(CARD_PATH, Answer::status(421));
    let web = Simweb::builder().site("mesa.example").behaviour(behaviour);
    let stage = Stage::new(web).await;
    stage.crawl().await;
    let requests = stage.web.requests_of("mesa.example");
    let asked: Vec<_> = requests
        .iter()
        .map(|it| (it.path.as_str(), it.version.as_str()))
        .collect();
    let first = [
        ("/robots.txt", "HTTP/2.0"),
        (CARD_PATH, "HTTP/2.0"),
        (CARD_PATH, "HTTP/1.1"),
    ];
    assert_eq!(asked[..3], first);
    assert!(asked[3..].iter().all(|(_, version)| *version == "HTTP/1.1"));
    assert!(asked.len() > 5 && asked.len() <= 12, "{asked:?}");
    let connections: HashSet<u64> = requests.iter().map(|it| it.connection).collect();
    assert_eq!(connections.len(), 2);
}

#[tokio::test]
async fn p08_p46_each_way_to_fail_has_its_outcome() {
    let failing = |fault| Behaviour::default().path(CARD_PATH, Answer::fault(fault));
    let named = |dns| Behaviour {
        dns,
        ..Behaviour::default()
    };
    let certified = |certificate| Behaviour {
        certificate,
        ..Behaviour::default()
    };
    let cases = [
        (
            "nxdomain.example",
            named(Dns::Nxdomain),
            "dns_error",
            "nxdomain",
        ),
        (
            "servfail.example",
            named(Dns::Servfail),
            "dns_error",
            "servfail",
        ),
        (
            "refused.example",
            named(Dns::Refused),
            "dns_error",
            "refused",
        ),
        ("silent.example", named(Dns::Silent), "dns_error", "timeout"),
        (
            "expired.example",
            certified(Certificate::Expired),
            "tls_error",
            "expired",
        ),
        (
            "name.example",
            certified(Certificate::OtherName),
            "tls_error",
            "name",
        ),
        (
            "self-signed.example",
            certified(Certificate::SelfSigned),
            "tls_error",
            "unknown_issuer",
        ),
    ];
    let mut web = Simweb::builder();
    for (host, behaviour, _, _) in &cases {
        web = web.site(host).behaviour(behaviour.clone());
    }
    let faults = [
        ("endless.example", Fault::Endless, "too_large"),
        ("bomb.example", Fault::GzipBomb, "too_large"),
        ("cut.example", Fault::Truncate, "protocol_error"),
        ("closing.example", Fault::Close, "protocol_error"),
    ];
    for (host, fault, _) in faults {
        web = web
            .site(host)
            .file(CARD_PATH, CARD)
            .behaviour(failing(fault));
    }
    let stage = Stage::new(web).await;
    let summary = stage.crawl().await;
    assert_eq!(summary.visits, (cases.len() + faults.len()) as u64);
    let report = stage.report();
    for (host, _, outcome, detail) in cases {
        assert_eq!(report[host]["outcome"], outcome, "{host}");
        assert_eq!(report[host]["detail"], detail, "{host}");
        assert_eq!(report[host]["requests"], 0, "{host}");
        assert!(stage.paths(host).is_empty(), "{host}");
    }
    let store = stage.store().await;
    for (host, _, verdict) in faults {
        let site = store.site(&domain(host)).await.unwrap().unwrap();
        let receipts = &site.visits[0].receipts;
        let receipt = receipts
            .iter()
            .find(|it| it.url.ends_with(CARD_PATH))
            .unwrap();
        assert_eq!(receipt.verdict, verdict, "{host}: {}", receipt.why);
    }
}

#[tokio::test]
async fn a_stop_ends_visits_in_flight_and_the_next_run_requests_the_rest() {
    let mut web = Simweb::builder();
    for number in 0..30 {
        web = web
            .site(&format!("site{number}.example"))
            .file(CARD_PATH, CARD);
    }
    let mut stage = Stage::new(web).await;
    stage.delay = 50;
    let mut config = stage.config();
    config.concurrency = 4;
    let (progress, control) = control();
    let stopper = control.clone();
    let stopping = async {
        until("a visit is done", async || progress.snapshot().visits > 0).await;
        stopper.stop.cancel();
        std::future::pending::<()>().await;
    };
    let summary = tokio::select! {
        summary = run(&config, stage.store().await, control) => summary.unwrap(),
        () = stopping => unreachable!("the run ends first"),
    };
    assert!(summary.interrupted);
    assert!(summary.visits < 30);
    let before: HashSet<String> = stage.report().into_keys().collect();
    assert_eq!(before.len() as u64, summary.visits);
    let rest = stage.crawl().await;
    // Up to four visits were ended early, and continued.
    assert!(
        (30..=34).contains(&(summary.visits + rest.visits)),
        "{summary}{rest}"
    );
    for host in stage.web.hosts() {
        let mut paths = stage.paths(&host);
        paths.retain(|path| path != "/robots.txt");
        let distinct: HashSet<&String> = paths.iter().collect();
        assert_eq!(distinct.len(), paths.len(), "{host}: {paths:?}");
    }
}

#[tokio::test]
async fn a_farm_of_hosts_does_not_hold_up_other_sites() {
    let mut web = Simweb::builder();
    for number in 0..500 {
        // Each visit takes the five seconds that a name server may take.
        web = web
            .site(&format!("host{number}.farm.example"))
            .behaviour(Behaviour {
                dns: Dns::Silent,
                ..Behaviour::default()
            });
    }
    let mut stage = Stage::new(web).await;
    let others = (0..20).map(|number| format!("site{number}.example"));
    stage.seeds.extend(others);
    let config = Config {
        concurrency: 4,
        ..stage.config()
    };
    let (progress, control) = control();
    let stopper = control.clone();
    let stopping = async {
        until("20 visits are done", async || {
            progress.snapshot().visits >= 20
        })
        .await;
        stopper.stop.cancel();
        stopper.abort.cancel();
        std::future::pending::<()>().await;
    };
    let summary = tokio::select! {
        summary = run(&config, stage.store().await, control) => summary.unwrap(),
        () = stopping => unreachable!("the run ends first"),
    };
    let visited = stage.report();
    let farmed = visited.keys().filter(|name| name.contains("farm")).count();
    assert!(summary.visits >= 20);
    assert!(farmed <= 2, "{visited:?}");
}

#[tokio::test]
async fn a_check_lists_its_requests_and_the_faults_to_repair() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/robots.txt", "User-agent: *\nDisallow: /agents.txt\n")
        .file(CARD_PATH, CARD.replace("\"1.0.0\"", "1"))
        .site("private.example")
        .file(
            "/robots.txt",
            "User-agent: *\nContent-Signal: search=no\nAllow: /\n",
        );
    let stage = Stage::new(web).await;
    let output = stage.check("mesa.example").await;
    for part in [
        "not requested, because robots.txt forbids it\n  /agents.txt\n",
        "outcome: found\n",
        "a2a-agent-card 0.3, level C: ",
        "  error[A2-04]: ",
        "agent-card.json:1:",
        "  = ",
        "agent mesa.example/mesa: Mesa [a2a-agent-card]\n",
        "  interface a2a 0.3 JSONRPC at https://mesa.example/a2a, preferred\n",
        "  can Book: Books a table\n",
        "name /name,",
        "1 agent would be listed; a crawl would visit it again on 20",
    ] {
        assert!(output.contains(part), "{part:?} is missing in:\n{output}");
    }
    let output = stage.check("private.example").await;
    assert!(
        output.contains("outcome: opted_out (robots.txt has Content-Signal: search=no"),
        "{output}"
    );
    assert!(output.contains("\n1 request, "), "{output}");
}

#[tokio::test]
async fn a_limit_is_kept_and_nothing_is_visited_before_it_is_due() {
    let mut web = Simweb::builder();
    for number in 0..5 {
        web = web.site(&format!("site{number}.example"));
    }
    let stage = Stage::new(web).await;
    let limited = Config {
        limit: Some(2),
        ..stage.config()
    };
    let (_progress, control) = control();
    let summary = run(&limited, stage.store().await, control).await.unwrap();
    assert_eq!(summary.visits, 2);
    assert_eq!(stage.crawl().await.visits, 3);
    let asked = stage.web.requests().len();
    assert_eq!(stage.crawl().await.visits, 0);
    assert_eq!(stage.web.requests().len(), asked);
}

#[tokio::test]
async fn names_that_do_not_resolve_are_counted_and_cost_nothing() {
    let mut stage = Stage::new(Simweb::builder().site("mesa.example")).await;
    let missing = (0..2_000).map(|number| format!("missing{number}.example"));
    stage.seeds.extend(missing);
    let summary = stage.crawl().await;
    assert_eq!(summary.seeds.new, 2_001);
    assert_eq!(summary.visits, 2_001);
    assert_eq!(summary.outcome(Outcome::DnsError), 2_000);
    assert_eq!(summary.failures["dns_error: nxdomain"], 2_000);
}

#[tokio::test]
async fn the_real_sites_each_end_in_one_outcome_and_robots_txt_is_obeyed() {
    let Some(folder) = support::shared("corpus/sites") else {
        return;
    };
    let stage = Stage::new(Simweb::builder().folder(&folder)).await;
    let summary = stage.crawl().await;
    let hosts = stage.web.hosts();
    let report = stage.report();
    assert_eq!(summary.visits, report.len() as u64);
    // Their documents lead to sites that are not in this web.
    for (name, line) in &report {
        let is_elsewhere = !hosts.contains(name);
        assert_eq!(line["outcome"] == "dns_error", is_elsewhere, "{line}");
    }
    for host in &hosts {
        assert!(report.contains_key(host), "{host}");
        let paths = stage.paths(host);
        assert_eq!(paths[0], "/robots.txt", "{host}");
        assert!(paths.len() <= 12, "{host}: {paths:?}");
    }
}
