//! Tests of the daily chores of a watching indexer: the census, and what is kept for a time only.

use crate::crawl::{CARD, CARD_PATH};
use crate::support::registry::Registry;
use crate::support::run;
use crate::support::wait::until;
use admin::now;
use indexer::run::Until;
use manifest::{Domain, Timestamp};
use std::sync::Arc;
use store::{Day, SubmissionKind, VisitRequest};
use tokio_util::sync::CancellationToken;

const LONG_AGO: i64 = 1_500_000_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_watching_indexer_counts_once_a_day_and_deletes_what_is_old() {
    let mut registry = Registry::new().await;
    registry.now = LONG_AGO;
    registry
        .visit("old.example", &[(CARD_PATH, "an earlier version")], &[])
        .await;
    registry
        .visit("old.example", &[(CARD_PATH, CARD)], &[])
        .await;
    registry.visit("bare.example", &[], &[]).await;
    let store = Arc::clone(&registry.store);
    let domain: Domain = "old.example".parse().unwrap();
    let url = format!("https://old.example{CARD_PATH}");
    let before = store.versions(&domain, &url, 10).await.unwrap();
    assert_eq!(before.len(), 2);
    let submit = async |name: &str| {
        let request = VisitRequest {
            kind: SubmissionKind::New,
            id: name.to_owned(),
            domain: name.parse().unwrap(),
            port: None,
            network: String::new(),
            token_hash: None,
        };
        store.submit(&request, Timestamp(LONG_AGO)).await.unwrap();
    };
    submit("taken.example").await;
    let taken = store.take_submissions(10, true, Timestamp(LONG_AGO)).await;
    assert_eq!(taken.unwrap().len(), 1);
    submit("waiting.example").await;

    let done = until("the old bytes are deleted", async || {
        store.blob(&before[1].hash).await.unwrap().is_none()
    });
    let index = registry.index();
    let stop = CancellationToken::new();
    let indexing = indexer::run::run(Arc::clone(&store), &index, None, Until::Stopped, &stop);
    tokio::select! {
        () = done => {}
        ended = indexing => panic!("the indexer stopped: {ended:?}"),
    }

    let after = store.versions(&domain, &url, 10).await.unwrap();
    assert_eq!(after, before[..1]);
    assert!(store.blob(&after[0].hash).await.unwrap().is_some());
    assert_eq!(store.submission("taken.example").await.unwrap(), None);
    assert!(store.submission("waiting.example").await.unwrap().is_some());

    let days = store.census_since(Day(0)).await.unwrap();
    let [today] = &days[..] else {
        panic!("{days:?}");
    };
    assert!(now().since(today.at) < std::time::Duration::from_hours(24));
    assert_eq!(today.day, Day::of(today.at));
    let counts = &today.counts;
    // The domain that was submitted is known, and not visited.
    assert_eq!((counts.domains, counts.agents), (3, 1));
    assert_eq!(counts.outcomes["found"], 2);
    for (tally, value) in [
        (&counts.formats, "a2a-agent-card"),
        (&counts.tlds, "example"),
        (&counts.auth, "unknown"),
        (&counts.protocols, "a2a"),
    ] {
        assert_eq!(tally.get(value), Some(&1), "{value} in {counts:?}");
    }
    assert_eq!(counts.levels.values().sum::<u64>(), 1);
    let again = store
        .record_census(&store::Census::default(), today.at)
        .await;
    assert!(!again.unwrap(), "a day is counted once");

    let arguments = ["stats", "--database", "sqlite:registry.db"];
    let shown = run("indexer", registry.folder.path(), &arguments).output;
    let date = today.day.start().date();
    let row = shown.lines().find(|line| line.contains(&date)).unwrap();
    let row: Vec<_> = row.split_whitespace().collect();
    assert_eq!(row[1..3], ["3", "1"], "{shown}");
}
