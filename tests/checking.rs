//! `crawler check` beside a database: the pace and the pauses that sites ask for hold for it as for
//! a crawl.

use crate::crawl::{CARD, CARD_PATH, Stage};
use crawler::check::CheckError;
use simweb::{Answer, Behaviour, Simweb};
use std::time::Duration;

const GAP: Duration = Duration::from_secs(1);

/// Starts a web of one host, whose robots.txt alone is requested, at the usual rate limit.
async fn stage(robots: Answer) -> Stage {
    let behaviour = Behaviour::default().path("/robots.txt", robots);
    let web = Simweb::builder()
        .site("mesa.example")
        .behaviour(behaviour)
        .file(CARD_PATH, CARD);
    let mut stage = Stage::new(web).await;
    (stage.delay, stage.address_delay) = (1_000, 1_000);
    stage
}

fn closed() -> Answer {
    Answer {
        body: Some("User-agent: *\nDisallow: /\n".to_owned()),
        ..Answer::default()
    }
}

/// P16, P19: the gap to the last request holds, whether a crawl sent it or a check.
#[tokio::test]
async fn p16_a_check_keeps_the_delay_after_earlier_requests() {
    let stage = stage(closed()).await;
    assert_eq!(stage.crawl().await.visits, 1);
    let output = stage.try_check("mesa.example").await.unwrap();
    assert!(
        output.contains("because the site received a request a moment ago"),
        "{output}"
    );
    stage.try_check("mesa.example").await.unwrap();
    let requests = stage.web.requests();
    assert_eq!(requests.len(), 3);
    for pair in requests.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap >= GAP, "{gap:?}");
    }
}

/// P24: a crawl delay longer than a visit waits holds whole, also for a domain that no table knows.
#[tokio::test]
async fn p24_a_long_crawl_delay_in_a_check_holds_for_the_next() {
    let stage = stage(Answer {
        body: Some("User-agent: *\nCrawl-delay: 100\n".to_owned()),
        ..Answer::default()
    })
    .await;
    drop(stage.store().await);
    stage.try_check("mesa.example").await.unwrap();
    let asked = stage.web.requests().len();
    let refused = stage.try_check("mesa.example").await.unwrap_err();
    assert!(
        matches!(&refused, CheckError::Paused { wait, .. } if *wait > Duration::from_mins(1)),
        "{refused}"
    );
    assert_eq!(stage.web.requests().len(), asked);
}

/// P35: a `Retry-After` received in one check also holds for the next check.
#[tokio::test]
async fn p35_retry_after_in_a_check_binds_the_next_check() {
    let throttled = Answer::status(429).header("retry-after", "7200");
    let stage = stage(throttled).await;
    drop(stage.store().await);
    let output = stage.try_check("mesa.example").await.unwrap();
    let is_explained = output.contains("see P35 in docs/politeness.md");
    assert!(
        output.contains("outcome: throttled") && is_explained,
        "{output}"
    );
    let asked = stage.web.requests().len();
    let refused = stage.try_check("mesa.example").await.unwrap_err();
    assert!(
        matches!(&refused, CheckError::Paused { wait, .. } if *wait > Duration::from_mins(110)),
        "{refused}"
    );
    let text = refused.to_string();
    assert!(
        text.contains("until 20") && text.contains("1 h 59 min"),
        "{text}"
    );
    assert_eq!(stage.web.requests().len(), asked);
}

/// P35: a `Retry-After` received in a crawl also holds for a later check, even if the address is
/// no longer blocked.
#[tokio::test]
async fn p35_retry_after_in_a_crawl_binds_a_check() {
    let throttled = Answer::status(503).header("retry-after", "7200");
    let stage = stage(throttled).await;
    assert_eq!(stage.crawl().await.visits, 1);
    let asked = stage.web.requests().len();
    let refused = stage.try_check("mesa.example").await.unwrap_err();
    assert!(matches!(refused, CheckError::Paused { .. }), "{refused}");
    assert_eq!(stage.web.requests().len(), asked);
}
