//! Tests of what surrounds the loop of a crawl.

mod soak;

use super::*;
use std::cell::Cell;
use store::{Seed, SeedSource};

thread_local! {
    /// Offset of this thread's wall clock in milliseconds.
    pub(super) static STEP_MS: Cell<i64> = const { Cell::new(0) };
}

/// Sets this thread's wall clock forward or back.
pub(super) fn set_clock(step_ms: i64) {
    // The time before the change.
    clock();
    STEP_MS.set(step_ms);
}

#[tokio::test]
async fn p03_more_than_a_thousand_sites_require_a_contact() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = store::open(&url, &[]).await.unwrap();
    let seeds: Vec<Seed> = (0..1_001)
        .map(|number| Seed {
            domain: format!("h{number}.example").parse().unwrap(),
            port: None,
            source: SeedSource::Seed,
        })
        .collect();
    store
        .add_seeds(&seeds[..1_000], false, clock().now())
        .await
        .unwrap();
    assert!(check_contact(false, &*store, clock().now()).await.is_ok());
    store.add_seeds(&seeds, false, clock().now()).await.unwrap();
    assert!(check_contact(true, &*store, clock().now()).await.is_ok());
    let refused = check_contact(false, &*store, clock().now())
        .await
        .unwrap_err();
    assert!(refused.is_usage());
    assert!(refused.to_string().contains("--contact"), "{refused}");
}
