//! A crawler that is killed over and over: each of its lives brings the crawl on, and no site pays for it.

use super::quiet::{Quiet, SLOW, add_sites, is_slow, live};
use super::soak::steady::Steady;
use super::*;

/// How long each life is: a visit to a site without manifests takes 13 seconds.
const LIFE: Duration = Duration::from_secs(15);
const LIVES: u32 = 10;
/// More than ten lives can visit.
const SITES: u32 = 1_000;

#[tokio::test(start_paused = true)]
async fn killed_ten_times_in_a_row_every_life_records_visits_and_every_gap_holds() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = Steady::open(&url).await;
    add_sites(SITES, &*store).await;
    let web = Quiet::default();
    let mut recorded = Vec::new();
    for _ in 0..LIVES {
        let (summary, _) = live(&web, &store, &[], LIFE).await;
        recorded.push(summary.visits);
    }
    assert!(recorded.iter().all(|visits| *visits >= 20), "{recorded:?}");

    gaps_hold(&web);
}

/// P17: what a slow host is owed is known to the next crawler.
#[tokio::test(start_paused = true)]
async fn p17_a_slow_host_is_owed_its_pause_across_every_kill() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = Steady::open(&url).await;
    add_sites(11, &*store).await;
    let web = Quiet::default();
    for _ in 0..8 {
        live(&web, &store, &[], 2 * SLOW).await;
    }
    let asked = web.asked();
    assert!(asked["site-0.example"].len() > 1, "{asked:?}");
    gaps_hold(&web);
}

/// Every site was left alone as long as it is owed between two requests.
fn gaps_hold(web: &Quiet) {
    for (host, asked) in web.asked() {
        let gap = if is_slow(&host) {
            5 * SLOW
        } else {
            Duration::from_secs(1)
        };
        for pair in asked.windows(2) {
            // A request that nobody waited for shows when it was made alone.
            let (since, gap) = match pair[0].ended {
                Some(ended) => (ended, gap),
                None => (pair[0].begun, Duration::from_secs(1)),
            };
            let waited = pair[1].begun - since;
            assert!(waited >= gap, "{host}: {waited:?} instead of {gap:?}");
        }
    }
}
