//! Tests of databases of earlier versions, which are migrated when they are opened.

use crate::cast::{NOON, domain};
use crate::opening::{stranger, url};
use sqlx::migrate::Migrator;
use sqlx::{Connection as _, SqliteConnection};
use std::path::Path;
use store::requested;

/// Creates a database with the migrations before the one of this number.
pub(crate) async fn older(path: &Path, number: &str) -> SqliteConnection {
    let folder = tempfile::tempdir().unwrap();
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/sqlite");
    for entry in std::fs::read_dir(migrations).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_str().unwrap() < number {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let mut old = stranger(path).await;
    let migrator = Migrator::new(folder.path()).await.unwrap();
    migrator.run(&mut old).await.unwrap();
    old
}

#[tokio::test]
async fn an_older_database_keeps_its_agents_and_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let mut old = older(&path, "0002").await;
    sqlx::raw_sql(
        r#"INSERT INTO domains (id, name, registrable, source, first_seen, due, ready)
           VALUES (1, 'a.example', 'a.example', 'seed', 0, 0, 0);
           INSERT INTO blobs VALUES ('00', 0, x'');
           INSERT INTO documents (domain_id, requested, url, status, hash, first_seen, fetched, changed)
           VALUES (1, 'https://a.example/a', 'https://a.example/a', 200, '00', 0, 0, 0);
           INSERT INTO agents (id, domain_id, name, format, level, listing, hash, first_seen,
                               last_seen, changed)
           VALUES ('a.example/alpha', 1, 'alpha', 'profile', 'C',
                   '{"id": "a.example/alpha", "format": "profile", "level": "C",
                     "agent": {"name": "alpha"}, "sources": [], "provenance": {"contact": 1}}',
                   '00', 0, 0, 0)"#,
    )
    .execute(&mut old)
    .await
    .unwrap();
    drop(old);
    let store = store::open(&url(&path), &[]).await.unwrap();
    let agents = store.agents(None, 10).await.unwrap();
    assert_eq!(agents[0].listing.agent.name, "alpha");
    assert_eq!(store.unread_domains(10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn documents_with_numbered_dialects_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let mut old = older(&path, "0008").await;
    sqlx::raw_sql(
        "INSERT INTO domains (id, name, registrable, source, first_seen, due, ready)
         VALUES (1, 'a.example', 'a.example', 'seed', 0, 0, 0),
                (2, 'b.example', 'b.example', 'seed', 0, 0, 0);
         INSERT INTO blobs VALUES ('00', 0, x'');
         INSERT INTO documents (domain_id, requested, url, status, hash, first_seen, fetched,
                                changed, format)
         VALUES (1, 'https://a.example/a', 'https://a.example/a', 200, '00', 0, 0, 0,
                 'agents-txt/d11'),
                (2, 'https://b.example/a', 'https://b.example/a', 200, '00', 0, 0, 0,
                 'zervice')",
    )
    .execute(&mut old)
    .await
    .unwrap();
    drop(old);
    let store = store::open(&url(&path), &[]).await.unwrap();
    let unread = store.unread_domains(10).await.unwrap();
    assert_eq!(unread.len(), 1);
    assert_eq!(unread[0].domain.as_str(), "a.example");
}

#[tokio::test]
async fn agents_lose_only_what_their_listing_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let mut old = older(&path, "0009").await;
    sqlx::raw_sql(
        r#"INSERT INTO domains (id, name, registrable, source, first_seen, due, ready)
           VALUES (1, 'a.example', 'a.example', 'seed', 0, 0, 0);
           INSERT INTO blobs VALUES ('00', 0, x'');
           INSERT INTO documents (id, domain_id, requested, url, status, hash, first_seen, fetched,
                                  changed)
           VALUES (7, 1, 'https://a.example/a', 'https://a.example/a', 200, '00', 0, 0, 0);
           INSERT INTO agents (id, domain_id, name, version, format, level, listing, hash,
                               first_seen, last_seen, changed)
           VALUES ('a.example/alpha', 1, 'alpha', '1.2', 'profile', 'C',
                   '{"id": "a.example/alpha", "format": "profile", "level": "C", "sources": [],
                     "agent": {"name": "alpha", "version": "1.2",
                               "capabilities": [{"name": "greet"}, {"name": "part"}]}}',
                   '01', 1, 2, 3),
                  ('a.example/beta', 1, 'beta', NULL, 'profile', 'D',
                   '{"id": "a.example/beta", "format": "profile", "level": "D", "sources": [],
                     "agent": {"name": "beta"}}',
                   '02', 4, 5, 6);
           INSERT INTO capabilities (agent_id, position, name)
           VALUES ('a.example/alpha', 0, 'greet'), ('a.example/alpha', 1, 'part');
           INSERT INTO sources VALUES ('a.example/alpha', 7), ('a.example/beta', 7)"#,
    )
    .execute(&mut old)
    .await
    .unwrap();
    drop(old);
    let store = store::open(&url(&path), &[]).await.unwrap();
    let agents = store.agents(None, 10).await.unwrap();
    let kept: Vec<_> = agents
        .iter()
        .map(|it| (it.listing.id.as_str(), it.hash.as_str(), it.first_seen.0))
        .collect();
    assert_eq!(
        kept,
        [("a.example/alpha", "01", 1), ("a.example/beta", "02", 4)]
    );
    assert_eq!((agents[0].last_seen.0, agents[0].changed.0), (2, 3));
    assert_eq!(agents[0].listing.agent.version.as_deref(), Some("1.2"));
    assert_eq!(agents[0].listing.agent.capabilities[1].name, "part");
    let stats = store.stats(NOON).await.unwrap();
    assert_eq!((stats.domains, stats.agents, stats.capabilities), (1, 2, 2));
    let mut after = stranger(&path).await;
    let sources: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sources WHERE document_id = 7")
        .fetch_one(&mut after)
        .await
        .unwrap();
    assert_eq!(sources, 2);
    // Rows that belong to others still go with them.
    sqlx::query("DELETE FROM domains")
        .execute(&mut after)
        .await
        .unwrap();
    assert_eq!(store.stats(NOON).await.unwrap().agents, 0);
    let broken = sqlx::query("PRAGMA foreign_key_check")
        .fetch_all(&mut after)
        .await
        .unwrap();
    assert!(broken.is_empty());
}

#[tokio::test]
async fn requested_visits_from_before_networks_were_stored_still_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let mut old = older(&path, "0019").await;
    sqlx::query("INSERT INTO visit_hours (hour, visits, requested) VALUES ($1, 99, 99)")
        .bind(requested::hour(NOON))
        .execute(&mut old)
        .await
        .unwrap();
    sqlx::raw_sql(
        "INSERT INTO submissions (token, kind, domain, at, state)
         VALUES ('one', 'new', 'a.example', 0, 'waiting'), ('two', 'new', 'b.example', 0, 'waiting');
         INSERT INTO reports (id, at, target, kind, text) VALUES ('r', 0, 'a.example', 'spam', 'x')",
    )
    .execute(&mut old)
    .await
    .unwrap();
    drop(old);
    let store = store::open(&url(&path), &[]).await.unwrap();
    let taken = store.take_submissions(10, false, NOON).await.unwrap();
    let ids: Vec<_> = taken.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["one"], "there is room for one");
    assert_eq!(store.reports(10).await.unwrap()[0].network, None);
}

#[tokio::test]
async fn receipts_of_earlier_versions_are_compressed_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let mut old = older(&path, "0025").await;
    let domains = "INSERT INTO domains (id, name, source, first_seen, due, ready)
                   VALUES (1, 'a.example', 'seed', 0, 0, 0)";
    sqlx::query(domains).execute(&mut old).await.unwrap();
    for number in 0..5_i64 {
        let receipts = format!(
            r#"[{{"at":{number},"method":"GET","url":"https://a.example/robots.txt","status":404,
                 "bytes":112,"ms":3,"verdict":"robots","why":"there is no robots.txt"}}]"#
        );
        sqlx::query(
            "INSERT INTO visits (domain_id, started, ended, outcome, requests, bytes, receipts)
             VALUES (1, $1, $1, 'empty', 1, 112, $2)",
        )
        .bind(number)
        .bind(receipts)
        .execute(&mut old)
        .await
        .unwrap();
    }
    old.close().await.unwrap();
    let store = store::open(&url(&path), &[]).await.unwrap();
    let visits = async || {
        store
            .site(&domain("a.example"))
            .await
            .unwrap()
            .unwrap()
            .visits
    };
    let before = visits().await;
    let times: Vec<i64> = before.iter().map(|it| it.receipts[0].at.0).collect();
    assert_eq!(times, [4, 3, 2, 1, 0]);
    for expected in [3, 2, 0] {
        assert_eq!(store.pack_receipts(3).await.unwrap(), expected);
        assert_eq!(visits().await, before);
    }
    let unpacked = "SELECT COUNT(*) FROM visits WHERE packed_receipts IS NULL OR receipts <> ''";
    let mut file = SqliteConnection::connect(&url(&path)).await.unwrap();
    let unpacked: i64 = sqlx::query_scalar(unpacked)
        .fetch_one(&mut file)
        .await
        .unwrap();
    assert_eq!(unpacked, 0);
}
