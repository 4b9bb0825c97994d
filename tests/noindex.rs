//! Tests of documents that their site keeps out of indexes by headers (P48).

use crate::crawl::{CARD, CARD_PATH, Stage};
use crate::derived::terms;
use crate::places::site;
use crate::support::judge::log::Log;
use crate::support::judge::{Terms, judge, summary};
use simweb::{Answer, Behaviour, Simweb};
use store::{Outcome, Site};

/// An agents.txt.
const TEXT: &str =
    "Site: Mesa\nURL: https://mesa.example\nDescription: Books tables\nAllow: search\n";

fn requested(site: &Site) -> Vec<String> {
    let documents = site.documents.iter();
    documents.map(|it| it.requested.clone()).collect()
}

/// Asserts that no rule was broken, given what is stored of a host.
async fn has_nothing_to_complain_about(stage: &Stage, host: &str) {
    let kept = site(stage, host).await;
    let paths = kept.documents.iter().map(|it| {
        let url = url::Url::parse(&it.requested).unwrap();
        (host.to_owned(), url.path().to_owned())
    });
    let terms = Terms {
        contact: "https://agents.example.com/bot".to_owned(),
        kept: paths.collect(),
        ..terms(0, 0)
    };
    let violations = judge(&Log::of(&stage.web), &terms);
    assert!(violations.is_empty(), "{}", summary(&violations));
}

fn with_header(name: &str, value: &str) -> Behaviour {
    Behaviour::default().path(CARD_PATH, Answer::default().header(name, value))
}

#[tokio::test]
async fn p48_a_document_that_is_kept_out_of_indexes_is_neither_read_nor_kept() {
    let headers = [
        ("x-robots-tag", "noindex"),
        ("x-robots-tag", "otherbot: nofollow, AgentdexBot: none"),
        ("content-signal", "ai-train=no, search=no"),
        ("content-usage", "search=n"),
    ];
    let mut web = Simweb::builder();
    for (number, (name, value)) in headers.into_iter().enumerate() {
        web = web
            .site(&format!("site{number}.example"))
            .file(CARD_PATH, CARD)
            .file("/agents.txt", TEXT)
            .behaviour(with_header(name, value));
    }
    web = web
        .site("others.example")
        .file(CARD_PATH, CARD)
        .behaviour(with_header("x-robots-tag", "otherbot: noindex"));
    let stage = Stage::new(web).await;
    stage.crawl().await;
    for number in 0..headers.len() {
        let host = format!("site{number}.example");
        let site = site(&stage, &host).await;
        let requested = requested(&site);
        assert_eq!(requested.len(), 1, "{requested:?}");
        assert!(requested[0].ends_with("/agents.txt"), "{requested:?}");
        assert_eq!(site.last_outcome, Some(Outcome::Found));
        let visit = &site.visits[0];
        let mut receipts = visit.receipts.iter();
        let receipt = receipts.find(|it| it.url.ends_with(CARD_PATH)).unwrap();
        assert_eq!(receipt.verdict, "noindex", "{}", receipt.why);
        let detail = visit.detail.as_deref().unwrap();
        assert!(detail.starts_with(&format!("{CARD_PATH} has ")), "{detail}");
        assert!(detail.contains(&receipt.why), "{detail}");
        has_nothing_to_complain_about(&stage, &host).await;
    }
    let others = site(&stage, "others.example").await;
    assert_eq!(requested(&others).len(), 1);
}

/// A stored document goes with the header, also if it has not changed itself, and comes back
/// at the first visit after it is gone.
#[tokio::test]
async fn p48_a_stored_document_is_deleted_when_the_header_appears_and_returns_without_it() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let stage = Stage::new(web).await;
    let visit = async |behaviour: Behaviour| {
        stage.web.behave("mesa.example", behaviour).unwrap();
        stage.crawl().await;
        let site = site(&stage, "mesa.example").await;
        stage.let_time_pass("mesa.example").await;
        (site.last_outcome, requested(&site).len())
    };
    assert_eq!(visit(Behaviour::default()).await, (Some(Outcome::Found), 1));
    let closed = with_header("x-robots-tag", "noindex");
    assert_eq!(visit(closed.clone()).await, (Some(Outcome::Empty), 0));
    let answered = stage.web.requests_of("mesa.example");
    let mut conditional = answered.iter().rev();
    let last = conditional.find(|it| it.path == CARD_PATH).unwrap();
    assert_eq!(last.status, 304, "it was asked for conditionally");
    has_nothing_to_complain_about(&stage, "mesa.example").await;
    assert_eq!(visit(closed).await, (Some(Outcome::Empty), 0));
    assert_eq!(visit(Behaviour::default()).await, (Some(Outcome::Found), 1));
    has_nothing_to_complain_about(&stage, "mesa.example").await;
}
