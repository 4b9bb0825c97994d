//! Tests of the write-ahead log: it grows while a long read needs it, and does not stay as it was.

use crate::cast::{minutes, sqlite};
use crate::opening::stranger;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Bytes of the log that stay for the next writes.
const KEPT: u64 = 32 << 20;

/// Bytes that are written beside a reader.
const WRITTEN: i64 = 48 << 20;

/// Longest time until a reader that was dropped is gone.
const PATIENCE: Duration = Duration::from_secs(30);

fn length(folder: &Path) -> u64 {
    let log = folder.join("registry.db-wal");
    log.metadata().map_or(0, |it| it.len())
}

/// Writes a large row as another program does.
async fn fill(folder: &Path) {
    sqlx::query("INSERT INTO blobs (hash, size, bytes) VALUES ('a', $1, zeroblob($1))")
        .bind(WRITTEN)
        .execute(&mut stranger(&folder.join("registry.db")).await)
        .await
        .unwrap();
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
    fill(folder.path()).await;
    assert!(length(folder.path()) > KEPT);
    drop(reader);
    let time = AtomicI64::new(0);
    let write = async || {
        let address = "192.0.2.1".parse().unwrap();
        let later = minutes(time.fetch_add(1, Ordering::Relaxed));
        store.block_address(address, later).await.unwrap();
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
    fill(folder.path()).await;
    let before = length(folder.path());
    store.shorten_log().await.unwrap();
    assert_eq!(length(folder.path()), before, "the reader needs it");
    drop(reader);
    let shorten = async || store.shorten_log().await.unwrap();
    until(folder.path(), |bytes| bytes == 0, shorten).await;
    let written: i64 = sqlx::query_scalar("SELECT length(bytes) FROM blobs")
        .fetch_one(&mut stranger(&folder.path().join("registry.db")).await)
        .await
        .unwrap();
    assert_eq!(written, WRITTEN);
}

#[tokio::test]
async fn a_watched_database_keeps_its_log_short() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let reader = store.snapshot().await.unwrap();
    fill(folder.path()).await;
    drop(reader);
    tokio::time::pause();
    tokio::select! {
        error = store.watch() => panic!("{error}"),
        () = until(folder.path(), |bytes| bytes == 0, async || {}) => {}
    }
}
