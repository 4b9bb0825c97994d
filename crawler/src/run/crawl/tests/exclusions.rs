//! Tests of exclusions that are added while a crawl runs (P4), in simulated time.

use super::quiet::{Quiet, live};
use super::steady;
use super::*;
use crate::run::clock;
use store::{Exclusion, ExclusionSource, Scope, Seed, SeedSource};
use tokio::time::sleep;

/// Time from the start of the crawl to the exclusion: amid the first visit.
const EXCLUDED_AFTER: Duration = Duration::from_secs(15);
/// Time until the running crawl must have obeyed (P4): one reload and a second.
const OBEYED_WITHIN: Duration = Duration::from_secs(11);

#[tokio::test(start_paused = true)]
async fn p04_a_running_crawl_obeys_a_new_exclusion_within_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
    // The hosts of one site take turns: one is visited, the other waits under its lease.
    let hosts = ["site-1.shop.example", "site-2.shop.example"];
    let seeds = hosts.map(|host| Seed {
        domain: Domain::parse(host).unwrap(),
        port: None,
        source: SeedSource::Seed,
    });
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
    let web = Quiet::default();
    let excluded = async {
        sleep(EXCLUDED_AFTER).await;
        let exclusion = Exclusion {
            scope: Scope::suffix("shop.example").unwrap(),
            reason: "requested".to_owned(),
            source: ExclusionSource::Owner,
            since: clock().now(),
        };
        store.exclude(&exclusion, clock().now()).await.unwrap();
        Instant::now()
    };
    let life = 4 * (EXCLUDED_AFTER + OBEYED_WITHIN);
    let arguments = ["--watch", "--delay", "3000"];
    let (_, excluded) = tokio::join!(live(&web, &store, &arguments, life), excluded);

    let asked = web.asked();
    assert_eq!(asked.len(), 1, "only one host is visited: {asked:?}");
    let requests: Vec<_> = asked.into_values().flatten().collect();
    assert!(requests[0].begun < excluded, "{requests:?}");
    let last = requests.last().unwrap().begun;
    assert!(last < excluded + OBEYED_WITHIN, "{requests:?}");
    assert_eq!(web.lookups().len(), 1, "the other host is not looked up");
    assert_eq!(store.stats(clock().now()).await.unwrap().domains, 0);
}
