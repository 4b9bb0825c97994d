//! Tests of what only SQLite tells.

use super::SqliteStore;
use crate::sql::sites::FRONTIER_LOAD;
use sqlx::Row as _;

/// A scrape must not read a table of millions of rows.
#[tokio::test]
async fn the_load_of_the_frontier_is_counted_by_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("registry.db");
    let store = SqliteStore::open(file.to_str().unwrap(), &[]).await;
    let store = store.unwrap();
    let explained = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {FRONTIER_LOAD}"));
    let plan = sqlx::query(explained).bind(0).fetch_all(&store.reader);
    let steps = plan.await.unwrap();
    let steps = steps.iter().map(|step| step.get::<&str, _>("detail"));
    let reads: Vec<&str> = steps.filter(|step| step.contains(" domains")).collect();
    assert_eq!(reads.len(), 5, "{reads:?}");
    for read in reads {
        let is_all = read.starts_with("SCAN ") && !read.contains(" COVERING INDEX ");
        assert!(!is_all && read.contains(" INDEX domains_"), "{read}");
    }
}
