//! Tests of the paths that first and later visits request, by the log of a small web (P7 to P10,
//! P36).

use crate::crawl::{CARD, CARD_PATH, Stage};
use crate::derived::terms;
use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use crate::support::pipeline;
use crawler::check::{Palette, check};
use crawler::config::Check;
use crawler::probes::{self, Kind, Turn};
use crawler::run::{clock, random};
use simweb::{Answer, Behaviour, Simweb};
use std::time::Duration;
use store::Outcome;

/// An agents.txt.
const TEXT: &str =
    "Site: Mesa\nURL: https://mesa.example\nDescription: Books tables\nAllow: search\n";

/// Paths of the requests to a host since the web forgot the others.
fn paths(stage: &Stage, host: &str) -> Vec<String> {
    let requests = stage.web.requests_of(host).into_iter();
    requests.map(|request| request.path).collect()
}

/// Asserts that no rule was broken; visits that time was let pass between follow each other at
/// once.
fn has_nothing_to_complain_about(stage: &Stage) {
    let terms = Terms {
        contact: "https://agents.example.com/bot".to_owned(),
        ..terms(0, 0)
    };
    let violations = judge(&Log::of(&stage.web), &terms);
    assert!(violations.is_empty(), "{}", summary(&violations));
}

async fn outcome(stage: &Stage, host: &str) -> Option<Outcome> {
    let site = stage
        .store()
        .await
        .site(&pipeline::domain(host))
        .await
        .unwrap();
    site.unwrap().last_outcome
}

#[tokio::test]
async fn p08_a_site_with_nothing_gets_twelve_requests_then_six() {
    let stage = Stage::new(Simweb::builder().site("empty.example")).await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        stage.crawl().await;
        assert_eq!(outcome(&stage, "empty.example").await, Some(Outcome::Empty));
        asked.push(paths(&stage, "empty.example").len());
        stage.let_time_pass("empty.example").await;
    }
    has_nothing_to_complain_about(&stage);
    assert_eq!(asked, [12, 18, 24]);
}

/// A first visit finds the manifest of a catch-all site at any default path (P10).
#[tokio::test]
async fn p10_a_manifest_at_any_place_of_a_catch_all_site_is_found() {
    let mut web = Simweb::builder();
    let places = || probes::ALL.iter().filter(|it| it.turn != Turn::Rotation);
    for (number, place) in places().enumerate() {
        let body = if place.kind == Kind::AgentsTxt {
            TEXT
        } else {
            CARD
        };
        web = web
            .site(&format!("site{number}.example"))
            .file("/index.html", "<!doctype html><title>Welcome</title>")
            .file(place.path, body)
            .behaviour(Behaviour {
                catch_all: Some("/index.html".to_owned()),
                ..Behaviour::default()
            });
    }
    let stage = Stage::new(web).await;
    let summary = stage.crawl().await;
    let all = places().count() as u64;
    assert_eq!(summary.outcome(Outcome::Found), all);
    assert_eq!(summary.new_documents, all);
}

/// P9: a catalogue may name as many documents as it likes: five are asked for on a visit, the
/// others on the next.
#[tokio::test]
async fn p09_documents_of_a_catalogue_are_requested_over_several_visits() {
    const COUNT: usize = 12;
    let mut web = Simweb::builder().site("mesa.example");
    let entries: Vec<_> = (0..COUNT)
        .map(|number| {
            serde_json::json!({
                "identifier": format!("urn:air:mesa.example:agent:{number}"),
                "displayName": format!("Agent {number}"),
                "type": "application/a2a-agent-card+json",
                "url": format!("/cards/{number}.json"),
            })
        })
        .collect();
    let catalogue = serde_json::json!({"specVersion": "1.0", "entries": entries});
    web = web.file("/.well-known/ai-catalog.json", catalogue.to_string());
    for number in 0..COUNT {
        let card = CARD.replace("\"Mesa\"", &format!("\"Mesa {number}\""));
        web = web.file(&format!("/cards/{number}.json"), card);
    }
    let stage = Stage::new(web).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        stage.crawl().await;
        let asked = paths(&stage, "mesa.example");
        assert!(asked.len() <= 12, "{asked:?}");
        let cards = asked.into_iter().filter(|path| path.starts_with("/cards/"));
        seen.extend(
            cards
                .filter(|path| !seen.contains(path))
                .collect::<Vec<_>>(),
        );
        let site = stage
            .store()
            .await
            .site(&pipeline::domain("mesa.example"))
            .await;
        let site = site.unwrap().unwrap();
        let wait = site.due.since(site.last_visit.unwrap());
        if seen.len() < COUNT {
            assert!(wait < Duration::from_hours(27), "{wait:?}");
        }
        stage.web.forget();
        stage.let_time_pass("mesa.example").await;
    }
    assert_eq!(seen.len(), COUNT);
    let documents = stage
        .store()
        .await
        .documents(&pipeline::domain("mesa.example"))
        .await;
    assert_eq!(documents.unwrap().len(), COUNT + 1);
}

/// P9: a URL, or an `ajson://` URI, in a seed list is a document to ask that site for.
#[tokio::test]
async fn p09_a_url_in_a_seed_list_is_asked_for() {
    let manifest = r#"{"manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "ajson://bots.example/clerk", "name": "Clerk", "description": "Answers letters"},
        "capabilities": [{"id": "answer", "description": "Answers a letter"}]}"#;
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/bots/mesa.json", CARD)
        .site("bots.example")
        .file("/.well-known/agents/clerk.agents.json", manifest);
    let mut stage = Stage::new(web).await;
    let port = stage.web.https_port();
    let hosts = std::mem::replace(
        &mut stage.seeds,
        vec![format!("https://mesa.example:{port}/bots/mesa.json")],
    );
    stage.crawl().await;
    assert_eq!(outcome(&stage, "mesa.example").await, Some(Outcome::Found));
    assert_eq!(paths(&stage, "mesa.example")[1], "/bots/mesa.json");

    // The URI has no place for a port, so the list names the host as well.
    stage.seeds = hosts
        .into_iter()
        .filter(|it| it.starts_with("bots"))
        .collect();
    stage
        .seeds
        .insert(0, "ajson://bots.example/clerk".to_owned());
    stage.crawl().await;
    assert_eq!(outcome(&stage, "bots.example").await, Some(Outcome::Found));
    let asked = paths(&stage, "bots.example");
    assert_eq!(
        asked[1], "/.well-known/agents/clerk.agents.json",
        "{asked:?}"
    );
}

/// P9: `crawler check` understands what a seed list does.
#[tokio::test]
async fn p09_a_check_asks_for_the_url_that_it_is_given() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/bots/mesa.json", CARD);
    let stage = Stage::new(web).await;
    let arguments = Check {
        domain: format!(
            "https://mesa.example:{}/bots/mesa.json",
            stage.web.https_port()
        ),
        database: format!("sqlite:{}", stage.file("agentdex.db").display()),
        network: stage.network(),
    };
    let mut output = Vec::new();
    check(arguments, &mut output, Palette::PLAIN, clock(), random())
        .await
        .unwrap();
    let output = String::from_utf8(output).unwrap();
    assert_eq!(paths(&stage, "mesa.example")[1], "/bots/mesa.json");
    assert!(output.contains("1 agent would be listed"), "{output}");
}

/// P36: an error among refusals leaves the site unknown, and only that path is asked again.
#[tokio::test]
async fn p36_only_the_failed_path_is_requested_again() {
    let failing = Behaviour::default().path("/agents.json", Answer::status(500));
    let web = Simweb::builder().site("mesa.example").behaviour(failing);
    let stage = Stage::new(web).await;
    stage.crawl().await;
    assert_eq!(outcome(&stage, "mesa.example").await, Some(Outcome::Down));
    let site = stage
        .store()
        .await
        .site(&pipeline::domain("mesa.example"))
        .await;
    let site = site.unwrap().unwrap();
    assert!(site.due.since(site.last_visit.unwrap()) <= Duration::from_hours(24));
    stage.let_time_pass("mesa.example").await;
    stage
        .web
        .behave("mesa.example", Behaviour::default())
        .unwrap();
    stage.crawl().await;
    has_nothing_to_complain_about(&stage);
    assert_eq!(
        paths(&stage, "mesa.example")[12..],
        ["/robots.txt", "/agents.json"]
    );
    assert_eq!(outcome(&stage, "mesa.example").await, Some(Outcome::Empty));
}

/// P9: another host of the registrable domain is asked by its own robots.txt, and what is there is
/// the domain's.
#[tokio::test]
async fn p09_a_document_on_another_host_of_the_domain_is_kept_for_it() {
    let web = Simweb::builder()
        .site("mesa.example")
        .site("api.mesa.example")
        .file("/robots.txt", "User-agent: *\nDisallow: /private/\n")
        .file("/cards/a.json", CARD)
        .file("/private/b.json", CARD);
    let mut stage = Stage::new(web).await;
    let port = stage.web.https_port();
    let there = format!("https://api.mesa.example:{port}");
    let links =
        format!("<{there}/cards/a.json>; rel=agent-card, <{there}/private/b.json>; rel=agent");
    let linking = Answer::status(404).header("link", &links);
    let behaviour = Behaviour::default().path(CARD_PATH, linking);
    stage.web.behave("mesa.example", behaviour).unwrap();
    stage.seeds.retain(|seed| seed.starts_with("mesa."));
    stage.crawl().await;
    assert_eq!(
        paths(&stage, "api.mesa.example"),
        ["/robots.txt", "/cards/a.json"]
    );
    let documents = stage
        .store()
        .await
        .documents(&pipeline::domain("mesa.example"))
        .await;
    let document = &documents.unwrap()[0].document;
    assert_eq!(document.url.as_str(), format!("{there}/cards/a.json"));
    assert_eq!(document.domain.as_str(), "mesa.example");
}

/// AU-11: the agent of another site that a graph names is requested at exactly its address, and is
/// that site's own.
#[tokio::test]
async fn au_11_an_agent_of_another_site_is_fetched_at_its_address() {
    const PLACE: &str = "/.well-known/agents/berths.agents.json";
    let graph = r#"{"manifest_version": "1.0", "profiles": ["core", "graph"],
        "agent": {"id": "ajson://chain.example/agents/dispatcher", "name": "Dispatcher"},
        "graph": {"nodes": [{"id": "port", "ref": "ajson://docks.example/agents/berths"}], "edges": []}}"#;
    let planner = r#"{"manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "ajson://docks.example/agents/berths", "name": "Berths"},
        "capabilities": [{"id": "book", "description": "Books a berth"}]}"#;
    let web = Simweb::builder()
        .site("chain.example")
        .file("/.well-known/agents.json", graph)
        .site("docks.example")
        .file(PLACE, planner);
    let stage = Stage::new(web).await;
    // The other site may be visited before the graph is read.
    stage.crawl().await;
    stage.let_time_pass("docks.example").await;
    stage.crawl().await;
    let asked = paths(&stage, "docks.example");
    assert!(asked.iter().any(|path| path == PLACE), "{asked:?}");
    has_nothing_to_complain_about(&stage);
    let docks = pipeline::domain("docks.example");
    let documents = stage.store().await.documents(&docks).await.unwrap();
    let [stored] = &documents[..] else {
        panic!("{} documents", documents.len())
    };
    let readings = [(&stored.document, manifest::formats::read(&stored.document))];
    let listings = manifest::merge::merge(&docks, &readings).listings;
    assert_eq!(listings[0].id.as_str(), "docks.example/berths");
}
