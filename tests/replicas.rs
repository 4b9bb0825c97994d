//! Tests of programs that read from a replica. A second database stands for it, whose content differs, so
//! that an answer shows where it was read.

use crate::outage::{filled, filled_with, get, readiness, start};
use crate::support::http;
use crate::support::postgres::{Database, Gate};
use crate::support::registry::{CARD, Registry, card};
use crate::support::server::Server;
use crate::support::wait::{until, within};
use crate::support::{self, Ran};
use serde_json::json;
use std::time::Duration;
use store::Role;

/// Longest time for a replica to count as behind, or to have caught up.
const NOTICED: Duration = Duration::from_secs(30);

/// Site that only the replica has.
const COPIED: &str = "/site/mesa.example";
/// Site that only the primary has.
const WRITTEN: &str = "/site/loja.example";

/// Returns a database with the schema, and a copy of it.
async fn pair() -> Option<(Database, Database)> {
    let primary = Database::create().await?;
    store::open(&primary.url(), &[])
        .await
        .unwrap()
        .close()
        .await;
    let replica = primary.copy().await;
    // As many changes as the replica gets, which otherwise had some that its primary lacks.
    filled_with(&primary.url(), "padaria.example")
        .await
        .store
        .close()
        .await;
    Some((primary, replica))
}

/// Waits until a server answers at a path with a status.
async fn until_status(server: &Server, path: &str, status: u16) {
    let what = format!("{path} is answered with {status}");
    within(NOTICED, &what, async || {
        get(server, path).await.status().as_u16() == status
    })
    .await;
}

async fn submit(server: &Server) -> u16 {
    let url = format!("{}/api/v1/submit", server.url);
    http::post_json(&url, &json!({"domain": "new.example"}))
        .await
        .status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_reads_from_the_replica_and_writes_to_the_primary() {
    let Some((primary, replica)) = pair().await else {
        return;
    };
    let registry = filled(&replica.url()).await;
    let (mut to_primary, mut to_replica) = (Gate::open(), Gate::open());
    let (database, read) = (to_primary.url(&primary), to_replica.url(&replica));
    let server = start(
        &registry,
        &["--database", &database, "--read-database", &read],
    );
    let readyz = readiness(&server);
    assert_eq!(get(&server, COPIED).await.status(), 200);
    assert_eq!(submit(&server).await, 202);
    assert_eq!(primary.count("submissions").await, 1);
    assert_eq!(replica.count("submissions").await, 0);

    to_primary.cut().await;
    until("it is said that the primary is away", async || {
        http::get(&readyz).await.text.contains("is away")
    })
    .await;
    assert_eq!(get(&server, COPIED).await.status(), 200);
    assert_eq!(submit(&server).await, 503);
    to_primary.restore();
    until("writes go on", async || submit(&server).await == 202).await;

    to_replica.cut().await;
    until_status(&server, COPIED, 404).await;
    to_replica.restore();
    until_status(&server, COPIED, 200).await;
    drop(server);
    registry.store.close().await;
    primary.drop().await;
    replica.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_stays_behind_is_not_read() {
    let Some((primary, replica)) = pair().await else {
        return;
    };
    let copied = filled(&replica.url()).await;
    let (database, read) = (primary.url(), replica.url());
    let server = start(
        &copied,
        &["--database", &database, "--read-database", &read],
    );
    assert_eq!(get(&server, COPIED).await.status(), 200);
    let mut written = Registry {
        folder: tempfile::tempdir().unwrap(),
        store: store::open(&database, &[Role::Indexer]).await.unwrap(),
        now: copied.now,
    };
    for name in ["loja.example", "mercado.example"] {
        let body = card("Loja", "sell", "Sells.");
        written.visit(name, &[(CARD, &body)], &[]).await;
        written.catch_up().await;
    }
    until_status(&server, COPIED, 404).await;
    assert_eq!(get(&server, WRITTEN).await.status(), 200);
    for registry in [&copied, &written] {
        registry.store.close().await;
    }
    drop(server);
    primary.drop().await;
    replica.drop().await;
}

#[tokio::test]
async fn an_export_reads_the_replica_and_warns_without_one() {
    let Some((primary, replica)) = pair().await else {
        return;
    };
    let registry = filled(&replica.url()).await;
    let folder = registry.folder.path();
    let (database, read) = (primary.url(), replica.url());
    let export = ["export", "--database", &database];
    let warned = support::run("indexer", folder, &export);
    assert_eq!(warned.code, Some(0), "{}", warned.output);
    assert!(
        warned.output.contains("--read-database"),
        "{}",
        warned.output
    );
    assert!(!warned.output.contains("mesa.example"), "{}", warned.output);
    let copied = [&export[..], &["--read-database", &read]].concat();
    let copied = support::run("indexer", folder, &copied);
    assert_eq!(copied.code, Some(0), "{}", copied.output);
    assert!(copied.output.contains("mesa.example"), "{}", copied.output);
    let other = Database::create().await.unwrap();
    filled(&other.url()).await.store.close().await;
    let other_url = other.url();
    let foreign = [&export[..], &["--read-database", &other_url]].concat();
    support::run("indexer", folder, &foreign)
        .fails_with(1, &["is not read: its change log is not"]);
    other.drop().await;
    assert!(
        !copied.output.contains("--read-database"),
        "{}",
        copied.output
    );
    registry.store.close().await;
    primary.drop().await;
    replica.drop().await;
}

#[tokio::test]
async fn what_is_no_replica_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let run = |database: &str, replica: &str| -> Ran {
        let arguments = ["--listen", "127.0.0.1:0", "--admin-listen", "off"];
        let given = ["--database", database, "--read-database", replica];
        support::run("web", folder.path(), &[&arguments[..], &given[..]].concat())
    };
    let (file, server) = ("sqlite:a.db", "postgres://me:open-sesame@db.example/x");
    for (database, replica) in [(file, server), (server, file), (file, file)] {
        let ran = run(database, replica);
        ran.fails_with(1, &["a replica is a database of PostgreSQL"]);
        assert!(!ran.output.contains("sesame"), "{}", ran.output);
    }
    let Some(primary) = Database::create().await else {
        return;
    };
    let empty = Database::create().await.unwrap();
    run(&primary.url(), &empty.url()).fails_with(1, &["is at version 0 of the schema"]);
    primary.drop().await;
    empty.drop().await;
}
