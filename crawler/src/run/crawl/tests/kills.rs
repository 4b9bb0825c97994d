//! A crawler that is killed repeatedly: each process makes progress, and the pauses of all sites
//! hold.

use super::quiet::{Quiet, SLOW, add_sites, is_slow, live};
use super::steady;
use super::*;

/// Lifetime of each process: a visit to a site without manifests takes 13 seconds.
const LIFE: Duration = Duration::from_secs(15);
const LIVES: u32 = 10;
/// Number of sites, more than ten lifetimes can visit.
const SITES: u32 = 1_000;

#[tokio::test(start_paused = true)]
async fn a_crawler_killed_ten_times_records_visits_each_time_and_keeps_every_gap() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
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

/// P17: the pause that a slow host needs is known to the next crawler.
#[tokio::test(start_paused = true)]
async fn p17_the_pause_of_a_slow_host_holds_across_kills() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = steady::open(&url).await;
    add_sites(11, &*store).await;
    let web = Quiet::default();
    for _ in 0..24 {
        live(&web, &store, &[], 2 * SLOW).await;
    }
    let asked = web.asked();
    assert!(asked["site-0.example"].len() > 1, "{asked:?}");
    gaps_hold(&web);
}

/// Checks that the gap between two requests to a site always held.
fn gaps_hold(web: &Quiet) {
    for (host, asked) in web.asked() {
        let gap = if is_slow(&host) {
            5 * SLOW
        } else {
            Duration::from_secs(1)
        };
        for pair in asked.windows(2) {
            // A request that was aborted may be answered as long as a request lasts.
            let (since, gap) = match pair[0].ended {
                Some(ended) => (ended, gap),
                None => (pair[0].begun, LONGEST_ANSWER),
            };
            let waited = pair[1].begun - since;
            assert!(waited >= gap, "{host}: {waited:?} instead of {gap:?}");
        }
    }
}
