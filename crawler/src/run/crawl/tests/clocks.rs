//! A machine whose clock is set during a crawl, and between two runs (HS-100).

use super::quiet::{Quiet, add_sites, live};
use super::steady;
use super::*;
use crate::run::tests::set_clock;

const SITES: u32 = 300;
const CONCURRENCY: &[&str] = &["--concurrency", "60"];
/// Maximum duration of an undisturbed crawl.
const LONG: Duration = Duration::from_mins(20);
const HOUR_MS: i64 = 3_600_000;
const YEAR_MS: i64 = 365 * 24 * HOUR_MS;

/// Returns the number of robots.txt requests per site.
fn visits(web: &Quiet) -> Vec<usize> {
    let asked = web.asked().into_values();
    asked
        .map(|asked| asked.iter().filter(|it| it.path == "/robots.txt").count())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn hs_100_setting_the_clock_neither_stalls_a_run_nor_repeats_visits() {
    for step_ms in [-HOUR_MS, HOUR_MS, -YEAR_MS, YEAR_MS] {
        set_clock(0);
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let store = steady::open(&url).await;
        add_sites(SITES, &*store).await;
        let web = Quiet::default();
        let set_amid = async {
            tokio::time::sleep(Duration::from_secs(20)).await;
            set_clock(step_ms);
            std::future::pending::<()>().await;
        };
        let (summary, has_ended) = tokio::select! {
            ended = live(&web, &store, CONCURRENCY, LONG) => ended,
            () = set_amid => unreachable!(),
        };
        set_clock(0);
        assert!(has_ended, "{step_ms}: {summary}");
        assert_eq!(summary.visits, u64::from(SITES), "{step_ms}: {summary}");
        let visits = visits(&web);
        assert_eq!(visits, vec![1; SITES as usize], "{step_ms}");
    }
}
