//! Tests of the places of manifests: a file at any of them is found within two requested visits (P9,
//! P47), and the requests of scheduled visits do not grow.

use crate::crawl::Stage;
use crate::derived::terms;
use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use crate::support::{pipeline, workspace};
use crawler::probes::{self, Kind, Turn};
use crawler::run::clock;
use manifest::formats;
use simweb::Simweb;
use std::collections::BTreeSet;
use store::{Outcome, Site, SubmissionKind, VisitRequest};

/// An agents.txt, which the first recorded exchange of that format is not.
const TEXT: &str =
    "Site: Mesa\nURL: https://mesa.example\nDescription: Books tables\nAllow: search\n";

/// Returns the body of a recorded exchange of a format; `None` without any.
fn recorded(format: &str) -> Option<String> {
    let folder = workspace().join("tests/fixtures").join(format);
    let cases = ["minimal.http", "tools.http"].into_iter();
    let mut text = cases.filter_map(|case| std::fs::read_to_string(folder.join(case)).ok());
    let body = |text: String| Some(text.split_once("\n\n")?.1.to_owned());
    text.find_map(body)
}

/// Returns a file of this kind.
fn file(kind: Kind) -> String {
    let format = match kind {
        Kind::AgentsTxt => return TEXT.to_owned(),
        Kind::AgentCard => "a2a-agent-card",
        Kind::AgentJson => "intentql",
        Kind::AgentsJson => "agents-protocol",
        Kind::Catalog => "ai-catalog",
        Kind::McpCard => "mcp-server-card",
        Kind::McpCatalog => "mcp-catalog",
        Kind::SkillIndex => "agent-skills-index",
        Kind::AuthMd => "auth-md",
        Kind::ApiCatalog => "rfc9727-linkset",
        Kind::AiPlugin => "ai-plugin",
        Kind::X402 => "x402",
        Kind::Ucp => "ucp",
        Kind::ProtectedResource => "oauth-protected-resource",
        Kind::AgentDescriptions => "anp-collection",
    };
    recorded(format).unwrap()
}

/// Returns a file of each kind at each of its places, and of each other format at each place that it
/// shares.
fn files() -> Vec<(&'static str, String)> {
    let mut files: Vec<_> = probes::ALL
        .iter()
        .map(|it| (it.path, file(it.kind)))
        .collect();
    for entry in formats::ALL {
        let usual = entry.places.iter().copied();
        let usual = usual.filter(|place| probes::ALL.iter().any(|it| it.path == *place));
        let body = recorded(entry.id.as_str());
        files.extend(
            usual
                .zip(std::iter::repeat(body))
                .filter_map(|(place, body)| {
                    let body = body?;
                    Some((place, body))
                }),
        );
    }
    files
}

pub(crate) async fn site(stage: &Stage, host: &str) -> Site {
    let site = stage.store().await.site(&pipeline::domain(host)).await;
    site.unwrap().unwrap()
}

/// Asks for another visit to these hosts, each for a network of its own half of them.
async fn recheck(stage: &Stage, hosts: &[String]) {
    let store = stage.store().await;
    let now = clock().now();
    for (number, host) in hosts.iter().enumerate() {
        let request = VisitRequest {
            kind: SubmissionKind::Recheck,
            id: format!("{host} {}", now.0),
            domain: pipeline::domain(host),
            port: None,
            network: (number % 2).to_string(),
            token_hash: None,
        };
        let decided = store.submit(&request, now).await.unwrap();
        assert!(
            matches!(decided, store::Decision::Accepted(_)),
            "{decided:?}"
        );
    }
    let taken = store.take_submissions(500, false, now).await.unwrap();
    assert_eq!(taken.len(), hosts.len());
}

/// Asserts that no rule was broken, given the hosts and times of requested visits.
pub(crate) fn has_nothing_to_complain_about(stage: &Stage, requested: BTreeSet<(String, u64)>) {
    let terms = Terms {
        contact: "https://agents.example.com/bot".to_owned(),
        requested,
        ..terms(0, 0)
    };
    let violations = judge(&Log::of(&stage.web), &terms);
    assert!(violations.is_empty(), "{}", summary(&violations));
}

#[tokio::test]
async fn p47_a_file_at_any_place_is_found_within_two_requested_visits() {
    let files = files();
    let mut web = Simweb::builder();
    for (number, (place, body)) in files.iter().enumerate() {
        web = web
            .site(&format!("site{number}.example"))
            .file(place, body.clone());
    }
    let stage = Stage::new(web).await;
    // A requested visit to an unknown site is a first visit.
    stage.crawl().await;
    let mut unfound = Vec::new();
    for (number, (place, _)) in files.iter().enumerate() {
        let host = format!("site{number}.example");
        let site = site(&stage, &host).await;
        if site.documents.is_empty() {
            assert_eq!(site.last_outcome, Some(Outcome::Empty), "{place}");
            unfound.push(host);
        }
    }
    assert!(unfound.len() >= 10, "{unfound:?}");
    let asked_at = u64::try_from(clock().now().0).unwrap();
    recheck(&stage, &unfound).await;
    stage.crawl().await;
    for (number, (place, _)) in files.iter().enumerate() {
        let host = format!("site{number}.example");
        let site = site(&stage, &host).await;
        let requested: Vec<_> = site.documents.iter().map(|it| &it.requested).collect();
        assert!(
            requested.iter().any(|it| it.ends_with(place)),
            "{place} of {host}: {requested:?}"
        );
        // Metadata of OAuth alone is no manifest.
        let outcome = if place.ends_with("/oauth-protected-resource") {
            Outcome::Empty
        } else {
            Outcome::Found
        };
        assert_eq!(site.last_outcome, Some(outcome), "{place} of {host}");
        assert!(site.visits.iter().all(|it| it.receipts.len() <= 12));
    }
    let requested = unfound.into_iter().map(|host| (host, asked_at));
    has_nothing_to_complain_about(&stage, requested.collect());
}

/// A requested visit may send twelve requests; those of the schedule send six, before and after.
#[tokio::test]
async fn p08_requested_visits_make_no_scheduled_visit_larger() {
    let host = "empty.example".to_owned();
    let stage = Stage::new(Simweb::builder().site(&host)).await;
    let visit = async |expected: usize| {
        stage.crawl().await;
        let asked = stage.web.requests_of(&host).len();
        assert_eq!(asked, expected);
    };
    visit(12).await;
    stage.let_time_pass(&host).await;
    visit(18).await;
    let asked_at = u64::try_from(clock().now().0).unwrap();
    recheck(&stage, std::slice::from_ref(&host)).await;
    visit(30).await;
    let site = site(&stage, &host).await;
    let detail = site.visits[0].detail.clone().unwrap();
    assert!(
        detail.starts_with("11 of 21 usual places were asked"),
        "{detail}"
    );
    // The text is true: what it names was not asked for, and is asked for next.
    let (_, named) = detail.split_once("asked for: ").unwrap();
    let paths: Vec<String> = stage
        .web
        .requests_of(&host)
        .into_iter()
        .map(|it| it.path)
        .collect();
    assert!(
        named
            .split(", ")
            .all(|path| !paths[18..].contains(&path.to_owned())),
        "{detail}"
    );
    for count in [36, 42, 48] {
        stage.let_time_pass(&host).await;
        visit(count).await;
    }
    let paths: Vec<String> = stage
        .web
        .requests_of(&host)
        .into_iter()
        .map(|it| it.path)
        .collect();
    let is_in_turn = |path: &&str| {
        let mut always = probes::ALL.iter().filter(|it| it.turn == Turn::Always);
        always.all(|it| it.path != *path)
    };
    let next: Vec<&str> = named.split(", ").filter(is_in_turn).take(3).collect();
    assert_eq!(paths[33..36], next, "{detail}");
    has_nothing_to_complain_about(&stage, [(host, asked_at)].into());
}
