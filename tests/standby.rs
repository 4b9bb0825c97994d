//! Tests of several indexers and web servers on one database, each with an index of its own.

use crate::metrics::sample;
use crate::outage::{get, text};
use crate::support::postgres::Database;
use crate::support::registry::{CARD, Registry, card};
use crate::support::running::Running;
use crate::support::server::Server;
use crate::support::wait::{until, within};
use crate::support::{self, binary};
use admin::Part as _;
use admin::prometheus::encoding::text::encode;
use admin::prometheus::registry::Registry as Metrics;
use indexer::pipeline::Pipeline;
use manifest::{AgentId, Timestamp};
use search::metrics::Index;
use search::{Searcher, embedding};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Longest time for a role to lapse and to be taken.
const TAKEN_OVER: Duration = Duration::from_mins(1);

/// Starts an indexer that keeps running.
fn start(folder: &Path, database: &str, index: &str, arguments: &[&str]) -> Running {
    let child = Command::new(binary("indexer"))
        .current_dir(folder)
        .args(["--watch", "--database", database, "--index", index])
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

/// Returns a registry in an empty database, without a role.
async fn registry(database: &Database) -> Registry {
    Registry {
        folder: tempfile::tempdir().unwrap(),
        store: store::open(&database.url(), &[]).await.unwrap(),
        now: 1_800_000_000_000,
    }
}

async fn visit(registry: &mut Registry, name: &str) {
    let body = card("Mesa", "book_table", "Books a table.");
    registry.visit(name, &[(CARD, &body)], &[]).await;
}

/// Returns the agents that an index finds, in order.
fn found(index: &Path) -> Vec<AgentId> {
    let Ok(searcher) = Searcher::open(index, embedding::shipped()) else {
        return Vec::new();
    };
    let results = searcher.search(&support::search("book a table"));
    let mut found = results.map_or(Vec::new(), |it| it.ids());
    found.sort();
    found
}

/// Waits until an index finds some number of agents.
async fn until_found(index: &Path, number: usize) {
    let what = format!("{} finds {number} agents", index.display());
    within(TAKEN_OVER, &what, async || found(index).len() == number).await;
}

/// Copies the files of an index.
fn copy(index: &Path, copy: &Path) {
    for entry in std::fs::read_dir(index).unwrap() {
        let entry = entry.unwrap();
        let to = copy.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            self::copy(&entry.path(), &to);
        } else {
            std::fs::create_dir_all(copy).unwrap();
            std::fs::copy(entry.path(), &to).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_over_from_an_indexer_that_was_killed() {
    let Some(database) = Database::create().await else {
        return;
    };
    let mut registry = registry(&database).await;
    let folder = registry.folder.path().to_owned();
    let (first, second) = (folder.join("first"), folder.join("second"));
    let mut reader = start(&folder, &database.url(), "first", &[]);
    visit(&mut registry, "a.example").await;
    until_found(&first, 1).await;
    let standby = start(&folder, &database.url(), "second", &[]);
    until_found(&second, 1).await;
    visit(&mut registry, "b.example").await;
    until_found(&first, 2).await;
    until_found(&second, 2).await;

    // As `kill -9` does.
    reader.0.kill().unwrap();
    reader.0.wait().unwrap();
    visit(&mut registry, "c.example").await;
    until_found(&second, 3).await;

    // It stands by now, and takes over from an indexer that ends cleanly.
    let next = start(&folder, &database.url(), "first", &[]);
    until_found(&first, 3).await;
    support::run_program("kill", &folder, &["-TERM", &standby.0.id().to_string()]);
    visit(&mut registry, "d.example").await;
    until_found(&first, 4).await;
    registry.store.close().await;
    drop((reader, standby, next));
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_finds_what_another_machine_has_read() {
    let Some(database) = Database::create().await else {
        return;
    };
    let mut registry = registry(&database).await;
    let folder = registry.folder.path().to_owned();
    let reader = start(&folder, &database.url(), "first", &[]);
    let follower = start(&folder, &database.url(), "second", &["--index-only"]);
    let mut command = Command::new(binary("web"));
    command.current_dir(&folder).args([
        "--database",
        &database.url(),
        "--index",
        "third",
        "--follow",
    ]);
    let server = Server::start(&mut command);
    visit(&mut registry, "a.example").await;
    visit(&mut registry, "b.example").await;
    let indexes = ["first", "second", "third"].map(|it| folder.join(it));
    for index in &indexes {
        until_found(index, 2).await;
    }
    assert_eq!(found(&indexes[0]), found(&indexes[1]));
    assert_eq!(found(&indexes[0]), found(&indexes[2]));
    until("the server finds an agent", async || {
        let answer = get(&server, "/api/v1/search?q=book+a+table").await;
        text(answer).await.contains("b.example")
    })
    .await;
    registry.store.close().await;
    drop((reader, follower, server));
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copied_index_is_followed_from_where_it_was_and_a_torn_one_is_rebuilt() {
    let Some(database) = Database::create().await else {
        return;
    };
    let mut registry = registry(&database).await;
    let folder = registry.folder.path().to_owned();
    visit(&mut registry, "a.example").await;
    let url = database.url();
    let run = |index: &str, arguments: &[&str]| {
        let given = ["--database", &url, "--index", index];
        let ran = support::run("indexer", &folder, &[&given[..], arguments].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.output);
        ran.output
    };
    run("first", &[]);
    let [first, second, torn] = ["first", "second", "torn"].map(|it| folder.join(it));
    copy(&first, &second);
    copy(&first, &torn);
    tear(&torn);
    visit(&mut registry, "b.example").await;
    run("first", &[]);
    for (index, is_rebuilt) in [("second", false), ("torn", true)] {
        let output = run(index, &["--index-only"]);
        let says = output.contains("The index was rebuilt.");
        assert_eq!(says, is_rebuilt, "{index}: {output}");
    }
    for index in [&second, &torn] {
        assert_eq!(found(index), found(&first));
    }
    registry.store.close().await;
    database.drop().await;
}

#[tokio::test]
async fn an_index_that_is_behind_reports_by_how_much() {
    let mut registry = Registry::new().await;
    let (index, copied) = (registry.index(), registry.folder.path().join("copied"));
    let hour_ago = Timestamp(admin::now().0 - 3_600_000);
    for name in ["a.example", "b.example"] {
        visit(&mut registry, name).await;
        let store = Arc::clone(&registry.store);
        let mut pipeline = Pipeline::open(store, &index, None).unwrap();
        let stop = CancellationToken::new();
        pipeline.step(hour_ago, &stop).await.unwrap();
        if !copied.exists() {
            copy(&index, &copied);
        }
    }
    for (index, is_behind) in [(&index, false), (&copied, true)] {
        let mut metrics = Metrics::default();
        let part = Index::written(index, Arc::clone(&registry.store));
        part.register(metrics.sub_registry_with_prefix("agentdex_index"))
            .await;
        let mut text = String::new();
        encode(&mut text, &metrics).unwrap();
        let changes = sample(&text, "index_lag_changes").unwrap();
        let seconds = sample(&text, "index_lag_seconds").unwrap();
        assert_eq!(changes, u64::from(is_behind), "{text}");
        assert_eq!(seconds >= 3_600, is_behind, "{text}");
    }
}

/// Cuts off the end of each file of segments.
fn tear(index: &Path) {
    let mut folders: Vec<PathBuf> = vec![index.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "store") {
                let length = path.metadata().unwrap().len();
                let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
                file.set_len(length / 2).unwrap();
            }
        }
    }
}
