//! Tests of what only SQLite tells.

use super::SqliteStore;
use crate::sql::sites::FRONTIER_LOAD;
use sqlx::{QueryBuilder, Row as _, Sqlite};

/// A scrape must not read a table of millions of rows.
#[tokio::test]
async fn the_load_of_the_frontier_is_counted_by_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("registry.db");
    let store = SqliteStore::open(file.to_str().unwrap(), &[]).await;
    let store = store.unwrap();
    let mut explained = QueryBuilder::<Sqlite>::new("EXPLAIN QUERY PLAN ");
    explained.push(FRONTIER_LOAD);
    // Not zero, which alone would let the planner use an index of what is above zero.
    let plan = explained.build().bind(1_800_000_000_000_i64);
    let plan = plan.fetch_all(&store.reader);
    let steps = plan.await.unwrap();
    let steps = steps.iter().map(|step| step.get::<&str, _>("detail"));
    let is_read = |step: &&str| step.contains(" domains") || step.contains(" queue");
    let reads: Vec<&str> = steps.filter(is_read).collect();
    assert_eq!(reads.len(), 6, "{reads:?}");
    for read in reads {
        // The rows of the domains that are due first are found one by one.
        let is_one = read.contains(" domains USING INTEGER PRIMARY KEY (rowid=?)");
        let is_counted = read.contains(" COVERING INDEX sqlite_autoindex_domains_1");
        let is_searched = read.starts_with("SEARCH ") && read.contains(" INDEX queue_");
        assert!(is_one || is_counted || is_searched, "{read}");
    }
}
