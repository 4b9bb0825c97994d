//! Tests of the write-ahead log: it grows while a long read needs it, and does not stay as it was.

use crate::cast::{NOON, document, domain, leased, minutes, sqlite, visit};
use crate::opening::stranger;
use std::path::Path;
use std::time::{Duration, Instant};
use store::{Outcome, Store};

/// Bytes of the log that stay for the next writes.
const KEPT: u64 = 32 << 20;

/// Bytes that are written beside a reader.
const WRITTEN: usize = 48 << 20;

/// Longest time until a reader that was dropped is gone.
const PATIENCE: Duration = Duration::from_secs(30);

fn length(folder: &Path) -> u64 {
    let log = folder.join("registry.db-wal");
    log.metadata().map_or(0, |it| it.len())
}

/// Returns bytes that cannot be compressed.
fn noise() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(WRITTEN);
    while bytes.len() < WRITTEN {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes
}

/// Stores a document that fills the log.
async fn fill(store: &dyn Store) {
    let mut visit = visit(leased(store, "a.example").await, NOON);
    visit.outcome = Outcome::Found;
    visit.documents = vec![document("a.example", "/a", "", NOON)];
    visit.documents[0].body = noise();
    store.record_visits(&[visit]).await.unwrap();
}

/// Waits until the log is as long as it should be, after one more `step` each time.
async fn until(folder: &Path, is_right: impl Fn(u64) -> bool, step: impl AsyncFn()) {
    let started = Instant::now();
    while !is_right(length(folder)) {
        assert!(started.elapsed() < PATIENCE, "{} bytes", length(folder));
        step().await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn the_log_is_cut_by_the_next_writes_after_a_long_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let reader = store.snapshot().await.unwrap();
    fill(&*store).await;
    assert!(length(folder.path()) > KEPT);
    drop(reader);
    let write = async || {
        let address = "192.0.2.1".parse().unwrap();
        store.block_address(address, minutes(5)).await.unwrap();
    };
    until(folder.path(), |bytes| bytes <= KEPT, write).await;
}

#[tokio::test]
async fn the_log_is_emptied_after_a_long_read_without_another_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    store.shorten_log().await.unwrap();
    assert!(length(folder.path()) > 0, "a short log stays");
    let reader = store.snapshot().await.unwrap();
    fill(&*store).await;
    let before = length(folder.path());
    store.shorten_log().await.unwrap();
    assert_eq!(length(folder.path()), before, "the reader needs it");
    drop(reader);
    let shorten = async || store.shorten_log().await.unwrap();
    until(folder.path(), |bytes| bytes == 0, shorten).await;
    let documents = store.documents(&domain("a.example")).await;
    assert_eq!(documents.unwrap()[0].document.body.len(), WRITTEN);
}

#[tokio::test]
async fn a_log_that_is_needed_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let _reader = store.snapshot().await.unwrap();
    fill(&*store).await;
    // Another program is about to write.
    let mut other = stranger(&folder.path().join("registry.db")).await;
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    store.shorten_log().await.unwrap();
    sqlx::query("UPDATE domains SET port = 8443")
        .execute(&mut other)
        .await
        .unwrap();
    sqlx::query("COMMIT").execute(&mut other).await.unwrap();
}
