//! Tests of backups as an operator makes them: beside a running crawl, and between kills.

use crate::kill::{SITES, recorded, start_crawl, web};
use crate::support::http::get;
use crate::support::pipeline::{self, Pipeline};
use crate::support::running::Running;
use crate::support::server::Server;
use crate::support::wait::until;
use crate::support::{binary, kill_seed, run};
use rand::{Rng as _, SeedableRng as _};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use store::{Change, Operation, Store};

pub(crate) const FILE: &str = "agentdex.backup.tar.zst";
const DATABASE: [&str; 2] = ["--database", "sqlite:agentdex.db"];

fn start(pipeline: &Pipeline, program: &str, arguments: &[&str]) -> Child {
    Command::new(binary(program))
        .args(arguments)
        .args(DATABASE)
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn start_indexer(pipeline: &Pipeline) -> Child {
    start(pipeline, "indexer", &["--watch", "--index", "index"])
}

/// Restores the backup of a pipeline in an empty folder.
pub(crate) fn restored(pipeline: &Pipeline) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let file = pipeline.folder.path().join(FILE);
    let arguments = [&["restore", file.to_str().unwrap()], &DATABASE[..]].concat();
    let ran = run("agentdex", place.path(), &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    place
}

/// Returns the agents of a folder's database, as an export has them.
pub(crate) fn exported(folder: &Path) -> BTreeMap<String, Value> {
    let arguments = [&["export", "--out", "content.jsonl"], &DATABASE[..]].concat();
    let ran = run("indexer", folder, &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let lines = std::fs::read_to_string(folder.join("content.jsonl")).unwrap();
    let agents = lines.lines().map(|line| {
        let agent: Value = serde_json::from_str(line).unwrap();
        (agent["id"].as_str().unwrap().to_owned(), agent)
    });
    agents.collect()
}

/// Serves the database and the index of a folder.
fn serve(folder: &Path) -> Server {
    let arguments = [&["--index", "index"], &DATABASE[..]].concat();
    Server::start(
        Command::new(binary("web"))
            .args(arguments)
            .current_dir(folder),
    )
}

async fn all_changes(store: &dyn Store) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    loop {
        let last = all.last().map_or(0, |change| change.seq);
        let page = store.changes(last, 100).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_running_registry_gives_the_same_answers_elsewhere() {
    let pipeline = Pipeline::new(web().await);
    let _crawler = Running(start_crawl(&pipeline, "100"));
    let indexer = Running(start_indexer(&pipeline));
    let folder = pipeline.folder.path();
    until("the first agents are listed", async || {
        folder.join("agentdex.db").exists()
            && pipeline.store().await.last_change().await.unwrap() >= 2
    })
    .await;

    let ran = run(
        "agentdex",
        folder,
        &[&["backup", FILE], &DATABASE[..]].concat(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(ran.output.contains("file of secrets"), "{}", ran.output);
    let again = run(
        "agentdex",
        folder,
        &[&["restore", FILE], &DATABASE[..]].concat(),
    );
    again.fails_with(2, &["exists already", "never overwrites"]);

    // The registry goes on until every site is visited and read.
    let store = pipeline.store().await;
    until("the crawl is over", async || {
        recorded(&pipeline).await.len() == SITES
            && store.unread_domains(1).await.unwrap().is_empty()
    })
    .await;
    drop(indexer);
    assert_eq!(pipeline.index().code, Some(0));

    let place = restored(&pipeline);
    let arguments = [&["rebuild", "--index", "index"], &DATABASE[..]].concat();
    let rebuilt = run("indexer", place.path(), &arguments);
    assert_eq!(rebuilt.code, Some(0), "{}", rebuilt.output);
    let copy = pipeline::open(place.path()).await;
    let (then, now) = (all_changes(&*copy).await, all_changes(&*store).await);
    assert!(then.len() >= 2);
    assert_eq!(then[..], now[..then.len()]);
    assert_eq!(now.len(), SITES / 3);

    // The same agents, compared by export; the later ones are missing.
    let mut content = exported(folder);
    content.retain(|id, _| then.iter().any(|change| change.agent.as_str() == id));
    assert_eq!(exported(place.path()), content);
    let (original, other) = (serve(folder), serve(place.path()));
    let answer = async |server: &Server, path: &str| {
        let answer = get(&format!("{}{path}", server.url)).await;
        // Links are the only difference between two servers.
        (answer.status, answer.text.replace(&server.url, ""))
    };
    for (number, change) in now.iter().enumerate() {
        let path = format!("/api/v1/agents/{}", change.agent);
        let found = answer(&other, &path).await;
        if number < then.len() {
            assert_eq!(found.0, 200, "{path}");
            for path in [
                path.clone(),
                format!("{path}/evidence"),
                format!("{path}/raw"),
            ] {
                assert_eq!(answer(&other, &path).await, answer(&original, &path).await);
            }
        } else {
            assert_eq!(found.0, 404, "{path}");
        }
    }
    let found = answer(&other, "/api/v1/search?q=format:a2a-agent-card")
        .await
        .1;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["total"], then.len());
}

/// Makes one backup after another until `deadline`, and then kills the one that is not complete.
pub(crate) async fn back_up_until(pipeline: &Pipeline, deadline: Instant) {
    loop {
        let mut backup = Running(start(pipeline, "agentdex", &["backup", FILE]));
        while backup.0.try_wait().unwrap().is_none() {
            if Instant::now() >= deadline {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        if Instant::now() >= deadline {
            return;
        }
    }
}

/// Reads everything, as an export does, until it is dropped.
async fn read_forever(folder: &Path) -> Infallible {
    loop {
        if folder.join("agentdex.db").exists() {
            let store = pipeline::open(folder).await;
            pipeline::agents(&*store).await;
            all_changes(&*store).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Asserts that the change log has no gap, and that it leads to the agents that are listed.
async fn check(store: &dyn Store, before: &[Change]) -> Vec<Change> {
    let changes = all_changes(store).await;
    assert!(changes.starts_with(before), "a change is lost");
    let mut listed = BTreeSet::new();
    for (seq, change) in (1..).zip(&changes) {
        assert_eq!(change.seq, seq);
        match change.op {
            Operation::Remove => listed.remove(&change.agent),
            _ => listed.insert(change.agent.clone()),
        };
    }
    let agents = pipeline::agents(store).await;
    let agents: BTreeSet<_> = agents.into_iter().map(|it| it.listing.id).collect();
    assert_eq!(agents, listed);
    changes
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_of_every_process_lose_nothing_and_leave_whole_backups() {
    let seed = kill_seed();
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let pipeline = Pipeline::new(web().await);
    let folder = pipeline.folder.path();
    let (mut known, mut changes, mut backups) = (Vec::new(), Vec::new(), 0);
    for _ in 0..6 {
        let mut processes = [start_crawl(&pipeline, "20"), start_indexer(&pipeline)];
        let time = Duration::from_millis(random.random_range(100..=1_500));
        tokio::select! {
            () = back_up_until(&pipeline, Instant::now() + time) => {}
            never = read_forever(folder) => match never {},
        }
        if random.random() {
            processes.reverse();
        }
        for process in &mut processes {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        let hosts = recorded(&pipeline).await;
        for host in &known {
            assert!(hosts.contains(host), "the result of {host} is lost");
        }
        known = hosts;
        if folder.join("agentdex.db").exists() {
            changes = check(&*pipeline.store().await, &changes).await;
        }
        if folder.join(FILE).exists() {
            let place = restored(&pipeline);
            let copy = check(&*pipeline::open(place.path()).await, &[]).await;
            assert!(changes.starts_with(&copy));
            std::fs::remove_file(folder.join(FILE)).unwrap();
            backups += 1;
        }
    }
    println!(
        "{} results and {} changes after six kills, {backups} backups",
        known.len(),
        changes.len()
    );
    assert!(backups > 0);
    assert_eq!(pipeline.crawl(&["--delay", "20"]).code, Some(0));
    assert_eq!(pipeline.index().code, Some(0));
    let store = pipeline.store().await;
    assert_eq!(check(&*store, &changes).await.len(), SITES / 3);
    assert_eq!(recorded(&pipeline).await.len(), SITES);
}
