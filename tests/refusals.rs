//! Tests of sites whose robots.txt permits our crawler and whose edge refuses it (P49): what the
//! owner is told, on the page of the site and in the API, against the log of requests.

use crate::crawl::{CARD, CARD_PATH, Stage};
use crate::places::{has_nothing_to_complain_about, site};
use crate::support::http;
use crate::support::{self, server::Server};
use crawler::probes;
use serde_json::Value;
use simweb::{Answer, Behaviour, Fault, Simweb};
use std::collections::BTreeSet;
use std::process::Command;
use store::Outcome;

const OPEN: &str = "User-agent: *\nAllow: /\n";

/// HTML, a NUL, a terminal escape and a direction override.
const HOSTILE: &str = "<script>alert(1)</script>\u{0}\u{1b}[31m\u{202e}";

/// Returns a site whose edge gives this answer to every path but robots.txt.
fn behind(edge: Answer) -> Behaviour {
    let robots = Answer {
        body: Some(OPEN.to_owned()),
        ..Answer::default()
    };
    Behaviour::default()
        .path("/*", edge)
        .path("/robots.txt", robots)
}

fn refusing(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let answer = Answer {
        body: Some(body.to_owned()),
        ..Answer::status(status)
    };
    let headers = headers.iter();
    headers.fold(answer, |answer, (name, value)| answer.header(name, value))
}

/// Host, answer, and the expected outcome, product and number of requests.
type Row = (&'static str, Answer, Outcome, Option<&'static str>, usize);

fn rows() -> Vec<Row> {
    let challenge = [("cf-mitigated", "challenge"), ("server", "cloudflare")];
    let waf = [("x-amzn-waf-action", "challenge"), ("server", "awselb/2.0")];
    vec![
        (
            "login.example",
            refusing(401, &[("www-authenticate", "Basic realm=\"x\"")], "Log in."),
            Outcome::LoginRequired,
            None,
            3,
        ),
        (
            "price.example",
            refusing(402, &[("crawler-price", "USD 0.01")], "Pay."),
            Outcome::PaymentRequired,
            None,
            3,
        ),
        (
            "gate.example",
            refusing(403, &[("server", "AkamaiGHost")], HOSTILE),
            Outcome::Refused,
            Some("Akamai"),
            3,
        ),
        (
            "rate.example",
            refusing(429, &[("retry-after", "60")], "Slow down."),
            Outcome::RateLimited,
            None,
            2,
        ),
        (
            "challenge.example",
            refusing(403, &challenge, "Just a moment"),
            Outcome::Challenged,
            Some("Cloudflare"),
            3,
        ),
        (
            "waf.example",
            refusing(202, &waf, ""),
            Outcome::Challenged,
            Some("AWS WAF"),
            3,
        ),
    ]
}

/// Serves the database of a stage.
fn serve(stage: &Stage) -> Server {
    let mut command = Command::new(support::binary("web"));
    command
        .args(["--database", "sqlite:agentdex.db", "--index", "index"])
        .args(["--crawler-addresses", "198.41.0.0/24,2001:500:200::/48"])
        .current_dir(stage.file("agentdex.db").parent().unwrap());
    Server::start(&mut command)
}

async fn page(server: &Server, host: &str) -> String {
    let page = http::get(&format!("{}/site/{host}", server.url)).await;
    assert_eq!(page.status, 200);
    page.text
}

async fn answer(server: &Server, path: &str) -> Value {
    let url = format!("{}/api/v1/sites/{path}", server.url);
    http::get(&url).await.json()
}

/// Crawls sites of which each refuses, and serves the registry.
async fn refused(rows: &[Row]) -> (Stage, Server) {
    let web = rows.iter().fold(Simweb::builder(), |web, row| {
        let site = web.site(row.0).file(CARD_PATH, CARD);
        site.behaviour(behind(row.1.clone()))
    });
    let stage = Stage::new(web).await;
    stage.crawl().await;
    let server = serve(&stage);
    (stage, server)
}

/// Asserts that the owner of a site is told what the log of requests says.
async fn is_told(stage: &Stage, server: &Server, row: &Row) {
    let (host, edge, outcome, product, requests) = row;
    let asked = stage.web.requests_of(host);
    assert_eq!(asked.len(), *requests, "{host}");
    let last = asked.last().unwrap();
    let record = site(stage, host).await;
    assert_eq!(record.last_outcome, Some(*outcome), "{host}");

    let body = answer(server, host).await;
    let refusal = &body["refusal"];
    assert_eq!(refusal["http_status"], edge.status.unwrap(), "{host}");
    assert_eq!(
        refusal["url"],
        record.visits[0].receipts.last().unwrap().url
    );
    assert!(refusal["url"].as_str().unwrap().ends_with(&last.path));
    let sent = |name: &str| {
        let found = last.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.clone())
    };
    assert_eq!(refusal["user_agent"], sent("user-agent").unwrap());
    assert_eq!(refusal["signature_agent"], Value::Null);
    assert_eq!(sent("signature-agent"), None);
    let named = refusal["products"][0]["name"].as_str();
    assert_eq!(named, *product, "{host}");
    let report = answer(server, &format!("{host}/report")).await;
    assert_eq!(&report["refusal"], refusal);

    let page = page(server, host).await;
    let status = format!("was answered with status {}", edge.status.unwrap());
    for expected in [
        &status,
        "Admit requests whose <code>User-Agent</code> begins with <code>AgentdexBot/</code>",
        "<a href=\"/bot/addresses.json\">The addresses</a>",
        "The request was not signed",
        "href=\"/bot\"",
    ] {
        assert!(page.contains(expected), "{host}: {expected}\n{page}");
    }
    assert!(!page.contains("realm="), "{host}");
    assert!(!page.contains("<script>alert"), "{host}");
    assert!(!page.contains(['\0', '\u{1b}', '\u{202e}']), "{host}");
    let sends = product.map(|name| format!("which {name} sends"));
    assert!(sends.is_none_or(|it| page.contains(&it)), "{host}");
}

#[tokio::test(flavor = "multi_thread")]
async fn p49_an_owner_sees_what_the_edge_answered_until_it_lets_us_in() {
    // A host that asks for a pause gets it.
    let rows: Vec<Row> = rows()
        .into_iter()
        .filter(|row| row.2 != Outcome::RateLimited)
        .collect();
    let (stage, server) = refused(&rows).await;
    for row in &rows {
        is_told(&stage, &server, row).await;
    }
    has_nothing_to_complain_about(&stage, BTreeSet::new());

    for (host, ..) in &rows {
        stage.web.behave(host, Behaviour::default()).unwrap();
    }
    stage.let_time_pass(rows[0].0).await;
    stage.crawl().await;
    for (host, ..) in &rows {
        assert_eq!(site(&stage, host).await.edge, None, "{host}");
        assert_eq!(answer(&server, host).await.get("refusal"), None, "{host}");
        let page = page(&server, host).await;
        assert!(!page.contains("What was answered to us"), "{host}");
        assert!(page.contains("document found"), "{host}");
    }
}

#[tokio::test]
async fn p49_a_check_shows_the_answer_that_refused_it() {
    let gate = refusing(403, &[("server", "AkamaiGHost")], HOSTILE);
    let web = Simweb::builder()
        .site("gate.example")
        .behaviour(behind(gate));
    let stage = Stage::new(web).await;
    let output = stage.try_check("gate.example").await.unwrap();
    for expected in [
        "outcome: refused, see P49 in docs/politeness.md",
        "was answered with 403",
        "  server: AkamaiGHost",
        "the request was not signed",
    ] {
        assert!(output.contains(expected), "{expected}\n{output}");
    }
    assert!(!output.contains(['\0', '\u{1b}', '\u{202e}']), "{output}");
}

/// The card of the crawler names every path that it asks for unasked.
#[tokio::test(flavor = "multi_thread")]
async fn the_card_of_the_crawler_names_the_paths_that_it_requests() {
    let stage = Stage::new(Simweb::builder().site("a.example")).await;
    stage.crawl().await;
    let server = serve(&stage);
    let card = http::get(&format!("{}/bot/signature-agent-card.json", server.url)).await;
    let card = card.json();
    let known = card["web_bot_auth"]["known-urls"].as_array().unwrap();
    let known: Vec<&str> = known.iter().map(|it| it.as_str().unwrap()).collect();
    let is_known = |path: &str| {
        known.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == *pattern,
        })
    };
    let usual = probes::ALL.iter().map(|probe| probe.path);
    for path in usual.chain(["/robots.txt", "/api/agent.json"]) {
        assert!(is_known(path), "{path}");
    }
    for pattern in &known {
        let may_match = |path: &str| path.starts_with(pattern.trim_end_matches('*'));
        let mut usual = probes::ALL.iter().map(|probe| probe.path);
        let is_other = ["/robots.txt", "/api/agent.json"].contains(pattern);
        assert!(is_other || usual.any(may_match), "{pattern}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn p49_an_owner_sees_that_too_many_requests_were_answered() {
    let rows: Vec<Row> = rows()
        .into_iter()
        .filter(|row| row.2 == Outcome::RateLimited)
        .collect();
    let (stage, server) = refused(&rows).await;
    is_told(&stage, &server, &rows[0]).await;
    let page = page(&server, rows[0].0).await;
    assert!(page.contains("This visit sent 2 requests in all"), "{page}");
    has_nothing_to_complain_about(&stage, BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn hs_115_hostile_refusals_stay_small_and_are_shown_escaped() {
    let bomb = Answer {
        fault: Some(Fault::GzipBomb),
        ..Answer::status(403)
    };
    let long = refusing(
        403,
        &[("server", &"x".repeat(5_000))],
        &HOSTILE.repeat(1_000),
    );
    let web = Simweb::builder()
        .site("bomb.example")
        .behaviour(behind(bomb))
        .site("long.example")
        .behaviour(behind(long));
    let stage = Stage::new(web).await;
    stage.crawl().await;
    let server = serve(&stage);
    for host in ["bomb.example", "long.example"] {
        let record = site(&stage, host).await;
        assert_eq!(record.last_outcome, Some(Outcome::Refused), "{host}");
        let edge = record.edge.unwrap();
        assert!(edge.is_cut && edge.body.len() <= store::EdgeAnswer::BODY_CAP);
        let longest = edge.headers.iter().map(|(_, it)| it.len()).max();
        assert!(longest <= Some(200), "{longest:?}");
        let page = page(&server, host).await;
        assert!(!page.contains("<script>alert"), "{host}");
        assert!(!page.contains(['\0', '\u{1b}', '\u{202e}']), "{host}");
        let markdown = http::get(&format!("{}/site/{host}/index.md", server.url)).await;
        assert!(!markdown.text.contains("<script>"), "{host}");
    }
    has_nothing_to_complain_about(&stage, BTreeSet::new());
}
