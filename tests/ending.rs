//! Tests of the ends of all programs: a signal, and a database that is replaced under them.

use crate::support::pipeline::{self, Pipeline};
use crate::support::running::Running;
use crate::support::server::Server;
use crate::support::wait::{until, value_within};
use crate::support::{USUAL_TIME, binary, run};
use manifest::Timestamp;
use serde_json::Value;
use simweb::{Answer, Behaviour, Simweb};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::Role;

/// Programs that run until they are stopped, with the option that makes them do so.
const PROGRAMS: [(&str, Option<&str>); 4] = [
    ("crawler", Some("--watch")),
    ("indexer", Some("--watch")),
    ("web", None),
    ("agentdex", None),
];

/// Starts a program on the database of a pipeline.
fn start(pipeline: &Pipeline, (program, watch): (&str, Option<&str>)) -> Running {
    let log = File::create(log_of(pipeline, program)).unwrap();
    let mut command = Command::new(binary(program));
    match program {
        "crawler" | "agentdex" => command.args(pipeline.crawl_arguments()),
        _ => command.args(["--database", "sqlite:agentdex.db"]),
    };
    if program != "crawler" {
        command.args(["--index", "index"]);
    }
    if let "web" | "agentdex" = program {
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "off"]);
    }
    let child = command
        .args(watch)
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    Running(child.unwrap())
}

fn log_of(pipeline: &Pipeline, program: &str) -> std::path::PathBuf {
    pipeline.folder.path().join(format!("{program}.log"))
}

fn terminate(running: &Running) {
    let id = running.0.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(killed.success());
}

async fn end(running: &mut Running) -> ExitStatus {
    value_within(USUAL_TIME, "the program ends", async || {
        running.0.try_wait().unwrap()
    })
    .await
}

/// Waits until a program has opened the database: there is a write-ahead log, and the lock that is
/// held meanwhile is free.
async fn is_open(folder: &Path, running: &mut Running) {
    until("the database is open", async || {
        assert_eq!(running.0.try_wait().unwrap(), None, "the program ended");
        let is_opening = || {
            let lock = File::open(folder.join("agentdex.db.schema.lock")).unwrap();
            lock.try_lock().is_err()
        };
        folder.join("agentdex.db-wal").exists() && !is_opening()
    })
    .await;
}

/// Returns the number of a file, if there is one.
fn inode(path: &Path) -> Option<u64> {
    Some(path.metadata().ok()?.ino())
}

/// Crawls one site.
async fn crawled() -> Pipeline {
    let web = Simweb::builder().site("mesa.example").start();
    let pipeline = Pipeline::new(web.await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    pipeline
}

#[tokio::test(flavor = "multi_thread")]
async fn every_program_ends_with_code_0_on_sigterm_and_leaves_one_file() {
    let pipeline = crawled().await;
    let folder = pipeline.folder.path();
    assert!(!folder.join("agentdex.db-wal").exists(), "after a crawl");
    for program in PROGRAMS {
        let mut running = start(&pipeline, program);
        is_open(folder, &mut running).await;
        terminate(&running);
        let ended = end(&mut running).await;
        let log = std::fs::read_to_string(log_of(&pipeline, program.0)).unwrap();
        assert_eq!(ended.code(), Some(0), "{}: {log}", program.0);
        for line in log.lines() {
            let event: Result<Value, _> = serde_json::from_str(line);
            assert!(event.is_ok_and(|it| it["level"].is_string()), "{line}");
        }
        let is_crawling = matches!(program.0, "crawler" | "agentdex");
        let word = "a second signal stops immediately";
        assert_eq!(log.contains(word), is_crawling, "{}: {log}", program.0);
        assert!(!folder.join("agentdex.db-wal").exists(), "{}", program.0);
    }
    for command in [&["stats"][..], &["search", "table"], &["export"]] {
        let arguments = [command, &["--database", "sqlite:agentdex.db"]].concat();
        run("indexer", folder, &arguments);
        assert!(!folder.join("agentdex.db-wal").exists(), "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_program_ends_with_code_1_when_its_database_is_replaced() {
    let pipeline = crawled().await;
    let folder = pipeline.folder.path();
    for program in PROGRAMS {
        std::fs::copy(folder.join("agentdex.db"), folder.join("other.db")).unwrap();
        let mut running = start(&pipeline, program);
        is_open(folder, &mut running).await;
        let beside = ["-wal", "-shm"].map(|end| {
            let inode = inode(&folder.join(format!("agentdex.db{end}")));
            (end, inode.unwrap())
        });
        std::fs::rename(folder.join("other.db"), folder.join("agentdex.db")).unwrap();
        let ended = end(&mut running).await;
        let log = std::fs::read_to_string(log_of(&pipeline, program.0)).unwrap();
        assert_eq!(ended.code(), Some(1), "{}: {log}", program.0);
        let reason = "was moved, deleted or replaced while this program used it";
        assert!(log.contains(reason), "{}: {log}", program.0);
        // The log of the former database must not be played into the new one.
        for (end, former) in &beside {
            let found = inode(&folder.join(format!("agentdex.db{end}")));
            assert_ne!(found.as_ref(), Some(former), "{}: {end}: {log}", program.0);
            let kept = inode(&folder.join(format!("agentdex.db{end}.replaced")));
            assert_eq!(kept.as_ref(), Some(former), "{}: {end}: {log}", program.0);
        }
        let stats = run(
            "indexer",
            folder,
            &["stats", "--database", "sqlite:agentdex.db"],
        );
        assert_eq!(stats.code, Some(0), "{}: {}", program.0, stats.output);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_acknowledged_into_a_database_that_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agentdex.db");
    let url = format!("sqlite:{}", path.display());
    let store = store::open(&url, &[Role::Web]).await.unwrap();
    let write = || store.block_address(std::net::Ipv4Addr::LOCALHOST.into(), Timestamp(1));
    write().await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let error = write().await.unwrap_err();
    assert!(
        matches!(error, store::StoreError::Replaced { .. }),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_not_restored_beside_a_web_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agentdex.db");
    let url = format!("sqlite:{}", path.display());
    let store = store::open(&url, &[Role::Web]).await.unwrap();
    // Several servers may use one database.
    let second = store::open(&url, &[Role::Web]).await.unwrap();
    second.close().await;
    let database = ["--database", "sqlite:agentdex.db"];
    let backup = |word| [&[word, "backup.tar.zst"], &database[..]].concat();
    let made = run("agentdex", folder.path(), &backup("backup"));
    assert_eq!(made.code, Some(0), "{}", made.output);
    // The database first: the files beside it are left by the program that has it open.
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.path().join(format!("agentdex.db{suffix}")));
        let refused = run("agentdex", folder.path(), &backup("restore"));
        refused.fails_with(1, &["web process", "already uses"]);
    }
    drop((store, second));
    let restored = run("agentdex", folder.path(), &backup("restore"));
    assert_eq!(restored.code, Some(0), "{}", restored.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_verified_beside_a_web_server_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agentdex.db");
    let url = format!("sqlite:{}", path.display());
    let _store = store::open(&url, &[Role::Web]).await.unwrap();
    let command = |word, file| {
        let database = ["--verify", "--database", "sqlite:agentdex.db"];
        run(
            "agentdex",
            folder.path(),
            &[&[word, file], &database[..]].concat(),
        )
    };
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries
            .map(|it| it.unwrap().file_name())
            .collect::<BTreeSet<_>>()
    };
    let made = command("backup", "a.tar.zst");
    assert_eq!(made.code, Some(0), "{}", made.output);
    assert!(
        made.output.contains("restored for a test"),
        "{}",
        made.output
    );
    let before = names();
    let verified = command("restore", "a.tar.zst");
    assert_eq!(verified.code, Some(0), "{}", verified.output);
    assert!(verified.output.contains("change 0"), "{}", verified.output);
    let backup = folder.path().join("a.tar.zst");
    let bytes = std::fs::read(&backup).unwrap();
    std::fs::write(&backup, &bytes[..bytes.len() / 2]).unwrap();
    command("restore", "a.tar.zst").fails_with(1, &["cut off"]);
    command("restore", "agentdex.db").fails_with(2, &["is not a backup"]);
    assert_eq!(names(), before);
}

/// Visits in flight when the registry is stopped.
const IN_FLIGHT: usize = 120;
/// Host whose answer does not come within `--stop-within`.
const SILENT: &str = "silent.example";
/// Time of each answer: shorter than `--stop-within`, but not a dozen of them.
const ANSWER_MS: u64 = 1_500;
/// Longest time of a stop: containers are killed soon after.
const LONGEST_STOP: Duration = Duration::from_secs(12);
/// Time before the end in which the listener may be closed already.
const CLOSING: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_with_120_visits_in_flight_stops_in_time_and_answers_until_then() {
    let mut web = Simweb::builder();
    let slow = Behaviour {
        all: Answer {
            delay_ms: Some(ANSWER_MS),
            ..Answer::default()
        },
        ..Behaviour::default()
    };
    for number in 0..IN_FLIGHT {
        web = web
            .site(&format!("site-{number}.example"))
            .behaviour(slow.clone());
    }
    let silent = Behaviour {
        all: Answer {
            delay_ms: Some(60_000),
            ..Answer::default()
        },
        ..Behaviour::default()
    };
    web = web.site(SILENT).behaviour(silent);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let started = || {
        let mut command = Command::new(binary("agentdex"));
        command
            .args(pipeline.crawl_arguments())
            .args(["--delay", "50", "--concurrency", "200", "--index", "index"])
            .current_dir(pipeline.folder.path());
        Server::start(&mut command)
    };
    let mut server = started();
    until("every visit has sent its second request", async || {
        let requests = pipeline.web.requests();
        let paths = requests.iter().filter(|it| it.path != "/robots.txt");
        let hosts: BTreeSet<&str> = paths.map(|it| it.host.as_str()).collect();
        hosts.len() == IN_FLIGHT
    })
    .await;

    let is_over = Arc::new(AtomicBool::new(false));
    let asking = {
        let (url, is_over) = (server.url.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let _ = rustls::crypto::ring::default_provider().install_default();
            let client = reqwest::Client::builder().no_proxy().build().unwrap();
            let mut refused = None;
            while !is_over.load(Ordering::Relaxed) {
                let answer = client.get(&url).send().await;
                if !answer.is_ok_and(|answer| answer.status().is_success()) {
                    refused.get_or_insert_with(Instant::now);
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            refused
        })
    };
    let asked = Instant::now();
    terminate(server.running());
    let ended = end(server.running()).await;
    let took = asked.elapsed();
    is_over.store(true, Ordering::Relaxed);
    assert_eq!(ended.code(), Some(0));
    assert!(took < LONGEST_STOP, "the stop took {took:?}");
    if let Some(refused) = asking.await.unwrap() {
        let answered = refused - asked;
        assert!(
            answered + CLOSING >= took,
            "refused after {answered:?} of {took:?}"
        );
    }

    // An answer that did not come is recorded as such.
    let store = pipeline.store().await;
    let silent = store.site(&pipeline::domain(SILENT)).await.unwrap();
    let visits = silent.unwrap().visits;
    assert_eq!(visits.len(), 1);
    assert_eq!(visits[0].requests, 1);

    // The next run continues the visits: no path is requested twice.
    let mut server = started();
    until("every site was visited to its end", async || {
        store.due(admin::now(), 1).await.unwrap() == 0
            && pipeline.web.requests().len() >= IN_FLIGHT * 12
    })
    .await;
    terminate(server.running());
    assert_eq!(end(server.running()).await.code(), Some(0));
    for host in pipeline.web.hosts() {
        if host == SILENT {
            continue;
        }
        let mut requests = pipeline.web.requests_of(&host);
        requests.retain(|it| it.path != "/robots.txt");
        let paths: BTreeSet<&str> = requests.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths.len(), requests.len(), "{host}: {requests:#?}");
        let site = store.site(&pipeline::domain(&host)).await.unwrap().unwrap();
        let recorded: usize = site.visits.iter().map(|it| it.receipts.len()).sum();
        assert_eq!(recorded, pipeline.web.requests_of(&host).len(), "{host}");
    }
}
