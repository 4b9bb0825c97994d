//! Tests of opening a database: location, locks, and messages of failures.

use crate::cast::{NOON, document, found, lease, minutes, read, seed, seeds, visit};
use crate::submissions;
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use store::{Role, StoreError, SubmissionKind};

pub(crate) fn url(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Opens a plain connection to the file.
pub(crate) async fn stranger(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn refusal(url: &str, roles: &[Role]) -> StoreError {
    store::open(url, roles).await.map(|_| ()).unwrap_err()
}

#[tokio::test]
async fn a_missing_file_and_its_directory_are_created() {
    let folder = tempfile::tempdir().unwrap();
    let casts: [&[Role]; 3] = [&[Role::Crawler], &[Role::Indexer], &[]];
    for (number, roles) in casts.into_iter().enumerate() {
        let path = folder.path().join(format!("new/{number}/registry.db"));
        let store = store::open(&url(&path), roles).await.unwrap();
        assert_eq!(store.stats(NOON).await.unwrap().domains, 0);
        assert!(path.is_file());
    }
}

#[tokio::test]
async fn data_is_kept_between_two_openings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let store = store::open(&url(&path), &[Role::Crawler]).await.unwrap();
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    drop(store);
    let slashes = format!("sqlite://{}", path.display());
    let store = store::open(&slashes, &[Role::Crawler]).await.unwrap();
    assert_eq!(store.stats(NOON).await.unwrap().domains, 1);
}

#[tokio::test]
async fn other_databases_are_refused_without_repeating_passwords() {
    for (url, answer) in [
        (
            "mysql://me:secret@db.example/registry",
            "this database is not supported",
        ),
        ("data/agentdex.db", "this database is not supported"),
        ("sqlite:", "this database is not supported"),
        (
            "sqlite:data/agentdex.db?mode=rwc",
            "this database is not supported",
        ),
        ("", "this database is not supported"),
        ("sqlite::memory:", "a database in memory cannot be shared"),
        ("sqlite://:memory:", "a database in memory cannot be shared"),
        (
            "postgres:/me:secret@db.example/registry",
            "the URL of the database cannot be read (no host after two slashes)",
        ),
        (
            "postgres://me:secret/1@db.example/registry",
            "the URL of the database cannot be read (invalid port number)",
        ),
        (
            "postgres://me:secret@db.example:99999/registry",
            "the URL of the database cannot be read (invalid port number)",
        ),
        (
            "postgres://me:secret@db.example",
            "the URL of the database cannot be read (no name of a database)",
        ),
        (
            "postgres://me:secret@db.example/registry?sslmode=always",
            "the URL of the database cannot be read (an unknown or wrong option)",
        ),
        (
            "sqlite:x.db?mode=memory",
            "a database in memory cannot be shared",
        ),
    ] {
        let error = refusal(url, &[]).await;
        let text = error.to_string();
        assert!(text.starts_with(answer), "{url}: {text}");
        let advice = ["sqlite:PATH", "postgres://USER:PASSWORD@HOST:PORT/NAME"];
        assert!(advice.iter().any(|it| text.contains(it)), "{text}");
        assert!(!format!("{text} {error:?}").contains("secret"));
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_named_without_its_password() {
    for scheme in ["postgres", "postgresql"] {
        let url = format!("{scheme}://me:secret@127.0.0.1:1/registry");
        let error = refusal(&url, &[]).await;
        let text = error.to_string();
        assert!(
            text.starts_with("database postgres://127.0.0.1:1/registry is away"),
            "{text}"
        );
        assert!(!format!("{text} {error:?}").contains("secret"));
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let notes = "Not a database, but plain notes. ".repeat(100);
    std::fs::write(&path, &notes).unwrap();
    let error = refusal(&url(&path), &[Role::Crawler]).await;
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), notes);
}

#[tokio::test]
async fn a_database_of_another_program_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bookmarks.db");
    let mut other = stranger(&path).await;
    sqlx::query("CREATE TABLE bookmarks (url TEXT)")
        .execute(&mut other)
        .await
        .unwrap();
    let error = refusal(&url(&path), &[Role::Crawler]).await;
    assert!(
        error.to_string().contains("tables of another program"),
        "{error}"
    );
    let tables: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_schema")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(tables, 1);
}

#[tokio::test]
async fn a_directory_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(&url(folder.path()), &[]).await;
    assert!(
        error
            .to_string()
            .ends_with("it is a directory; name a file in it"),
        "{error}"
    );
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = refusal(&url(&file.join("registry.db")), &[]).await;
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    drop(store::open(&url(&path), &[]).await.unwrap());
    let mut future = stranger(&path).await;
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'the future', TRUE, x'00', 0)",
    )
    .execute(&mut future)
    .await
    .unwrap();
    let text = refusal(&url(&path), &[]).await.to_string();
    assert!(
        text.ends_with("is newer than this program (schema 9999): update the program"),
        "{text}"
    );
}

#[tokio::test]
async fn a_database_of_another_build_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    drop(store::open(&url(&path), &[]).await.unwrap());
    let mut other = stranger(&path).await;
    sqlx::query("UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1")
        .execute(&mut other)
        .await
        .unwrap();
    let error = refusal(&url(&path), &[]).await;
    assert!(
        matches!(error, StoreError::OtherSchema { version: 1, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_damaged_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    drop(store::open(&url(&path), &[]).await.unwrap());
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut stranger(&path).await)
        .await
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096..].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let error = refusal(&url(&path), &[]).await;
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_check_reads_agent_after_agent_and_remembers_damaged_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let store = store::open(&url(&path), &[]).await.unwrap();
    store.check().await.unwrap();
    let mut vandal = stranger(&path).await;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut vandal)
        .await
        .unwrap();
    let index = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_blobs_1'";
    let page: i64 = sqlx::query_scalar(index)
        .fetch_one(&mut vandal)
        .await
        .unwrap();
    let size: i64 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut vandal)
        .await
        .unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    let place = u64::try_from((page - 1) * size).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[0xa5; 512], place).unwrap();
    // Agents are whole, and nothing else was read yet.
    store.check().await.unwrap();
    store.blob("none").await.unwrap_err();
    let error = store.check().await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_damaged_row_is_named_and_does_not_stop_the_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let store = store::open(&url(&path), &[Role::Crawler]).await.unwrap();
    store
        .add_seeds(&seeds(&["a.example", "b.example"]), false, NOON)
        .await
        .unwrap();
    let mut vandal = stranger(&path).await;
    sqlx::query("UPDATE domains SET port = 70000 WHERE name = 'a.example'")
        .execute(&mut vandal)
        .await
        .unwrap();
    let error = store.site(&seed("a.example").domain).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    lease(&*store, "b.example", NOON).await;
}

#[tokio::test]
async fn a_damaged_submission_is_refused_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let store = store::open(&url(&path), &[Role::Crawler]).await.unwrap();
    let mut vandal = stranger(&path).await;
    sqlx::query(
        "INSERT INTO submissions (token, domain, port, at, state)
         VALUES ('1', 'localhost', NULL, 0, 'waiting'), ('2', 'a.example', 70000, 0, 'waiting')",
    )
    .execute(&mut vandal)
    .await
    .unwrap();
    let good = seed("b.example").domain;
    submissions::ask(&*store, SubmissionKind::New, "b.example", "3", NOON).await;
    let taken = store.take_submissions(10, true, NOON).await.unwrap();
    let taken: Vec<_> = taken.into_iter().map(|it| it.domain).collect();
    assert_eq!(taken, [good]);
    let refused: Vec<(String, String)> = sqlx::query_as(
        "SELECT domain, detail FROM submissions WHERE state = 'refused' ORDER BY id",
    )
    .fetch_all(&mut vandal)
    .await
    .unwrap();
    let reason = "not a domain with a port";
    assert_eq!(
        refused,
        ["localhost", "a.example"].map(|name| (name.to_owned(), reason.to_owned()))
    );
    assert_eq!(store.take_submissions(10, true, NOON).await.unwrap(), []);
}

#[tokio::test]
async fn a_database_locked_by_another_program_is_refused_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let store = store::open(&url(&path), &[Role::Crawler]).await.unwrap();
    store
        .add_seeds(&seeds(&["a.example"]), false, NOON)
        .await
        .unwrap();
    let mut other = stranger(&path).await;
    let writing = other.begin_with("BEGIN IMMEDIATE").await.unwrap();

    assert_eq!(store.stats(NOON).await.unwrap().domains, 1);
    let error = store.lease_domains(NOON, minutes(5), 1).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    writing.rollback().await.unwrap();
    lease(&*store, "a.example", NOON).await;
}

#[tokio::test]
async fn a_second_crawler_or_indexer_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    for role in [Role::Crawler, Role::Indexer] {
        let first = store::open(&url(&path), &[role]).await.unwrap();
        let text = refusal(&url(&path), &[role]).await.to_string();
        let start = format!("{role} process {}, since 2", std::process::id());
        assert!(text.starts_with(&start), "{text}");
        assert!(text.contains("registry.db: stop it first"), "{text}");
        drop(first);
        store::open(&url(&path), &[role]).await.unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_second_name_of_the_file_shares_its_locks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let _first = store::open(&url(&path), &[Role::Crawler]).await.unwrap();
    let other = folder.path().join("link.db");
    std::os::unix::fs::symlink(&path, &other).unwrap();
    let error = refusal(&url(&other), &[Role::Crawler]).await;
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_database_of_two_names_is_refused_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    drop(store::open(&url(&path), &[]).await.unwrap());
    let other = folder.path().join("backup.db");
    std::fs::hard_link(&path, &other).unwrap();
    for name in [&path, &other] {
        for roles in [&[][..], &[Role::Crawler], &[Role::Indexer]] {
            let error = refusal(&url(name), roles).await;
            assert!(error.is_wrong_name(), "{error}");
            let text = error.to_string();
            assert!(text.contains("has 2 names (hard links)"), "{text}");
            assert!(text.contains("remove the other names"), "{text}");
        }
    }
    // A symbolic link leads to the same file.
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    let error = refusal(&url(&link), &[]).await;
    assert!(matches!(error, StoreError::Linked { .. }), "{error}");
    std::fs::remove_file(&other).unwrap();
    store::open(&url(&path), &[Role::Crawler]).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_another_database_shares_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    drop(store::open(&url(&path), &[]).await.unwrap());
    let log = folder.path().join("registry.db-wal");
    let _ = std::fs::remove_file(&log);
    let other = folder.path().join("other.db-wal");
    std::fs::write(&other, "").unwrap();
    std::fs::hard_link(&other, &log).unwrap();
    let error = refusal(&url(&path), &[]).await;
    assert!(matches!(error, StoreError::LinkedLog { .. }), "{error}");
    std::fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink(&other, &log).unwrap();
    let error = refusal(&url(&path), &[]).await.to_string();
    assert!(error.contains("registry.db-wal"), "{error}");
}

#[tokio::test]
async fn one_process_may_have_every_role() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(&folder.path().join("registry.db"));
    let both = store::open(&url, &[Role::Crawler, Role::Indexer])
        .await
        .unwrap();
    for role in [Role::Crawler, Role::Indexer] {
        let error = refusal(&url, &[role]).await;
        assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    }
    drop(both);
    store::open(&url, &[Role::Crawler, Role::Indexer])
        .await
        .unwrap();
}

#[tokio::test]
async fn crawler_indexer_and_readers_share_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(&folder.path().join("registry.db"));
    let (crawler, indexer, web, second_web) = tokio::join!(
        store::open(&url, &[Role::Crawler]),
        store::open(&url, &[Role::Indexer]),
        store::open(&url, &[]),
        store::open(&url, &[]),
    );
    let names = seeds(&["a.example"]);
    crawler
        .unwrap()
        .add_seeds(&names, false, NOON)
        .await
        .unwrap();
    for store in [indexer, web, second_web] {
        assert_eq!(store.unwrap().stats(NOON).await.unwrap().domains, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn crawler_and_indexer_write_while_the_web_reads() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(&folder.path().join("registry.db"));
    let crawler = store::open(&url, &[Role::Crawler]).await.unwrap();
    let names: Vec<_> = (0..200).map(|it| seed(&format!("h{it}.example"))).collect();
    crawler.add_seeds(&names, false, NOON).await.unwrap();
    let crawl = tokio::spawn(async move {
        loop {
            let leases = crawler.lease_domains(NOON, minutes(5), 7).await.unwrap();
            if leases.is_empty() {
                break;
            }
            for lease in leases {
                let name = lease.domain.to_string();
                let mut visit = visit(lease, NOON);
                visit.documents = vec![document(&name, "/a", "alpha", NOON)];
                crawler.record_visits(&[visit]).await.unwrap();
            }
        }
    });
    let indexer = store::open(&url, &[Role::Indexer]).await.unwrap();
    let web = store::open(&url, &[]).await.unwrap();
    let mut listed = 0;
    loop {
        let is_over = crawl.is_finished();
        let unread = indexer.unread_domains(5).await.unwrap();
        if is_over && unread.is_empty() {
            break;
        }
        for unread in unread {
            let readings = read(&*indexer, unread).await;
            let changes = indexer.replace_agents(&readings, NOON).await.unwrap();
            assert_eq!(changes.len(), 1);
        }
        let stats = web.stats(NOON).await.unwrap();
        assert!(stats.agents >= listed && stats.agents == stats.last_change);
        listed = stats.agents;
    }
    crawl.await.unwrap();
    assert_eq!(listed, 200);
}

#[tokio::test]
async fn every_version_of_a_document_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let store = store::open(&url(&path), &[Role::Crawler]).await.unwrap();
    let names = seeds(&["a.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    for (round, body) in (0..).zip(["alpha", "alpha", "beta", "alpha"]) {
        found(&*store, "a.example", &[("/a", body)], minutes(90 * round)).await;
    }
    let versions: Vec<(i64, Option<i64>, i64)> = sqlx::query_as(
        "SELECT first_seen, last_seen, size FROM versions
         JOIN blobs ON blobs.hash = versions.hash
         ORDER BY id",
    )
    .fetch_all(&mut stranger(&path).await)
    .await
    .unwrap();
    let at = |round: i64| minutes(90 * round).0;
    let expected = [
        (at(0), Some(at(1)), 5),
        (at(2), Some(at(2)), 4),
        (at(3), None, 5),
    ];
    assert_eq!(versions, expected);
}

#[tokio::test]
async fn debug_shows_the_path_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("registry.db");
    let store = store::open(&url(&path), &[]).await.unwrap();
    let text = format!("{store:?}");
    assert_eq!(text, format!("SqliteStore {{ path: {path:?}, .. }}"));
}

/// Environment variable with the database that the test crawls as a child process of itself until
/// it is killed.
const CHILD: &str = "AGENTDEX_STORE_STORY_DATABASE";

/// Visits one domain after another and prints a line for each recorded visit.
#[expect(clippy::print_stdout, reason = "the parent process reads it")]
async fn crawl(url: &str) {
    let store = store::open(url, &[Role::Crawler]).await.unwrap();
    loop {
        let leases = store.lease_domains(NOON, minutes(5), 3).await.unwrap();
        for lease in leases.into_iter().take(2) {
            let name = lease.domain.to_string();
            store.record_visits(&[visit(lease, NOON)]).await.unwrap();
            println!("recorded {name}");
        }
    }
}

#[tokio::test]
async fn a_killed_crawler_loses_nothing_recorded_and_frees_its_lock() {
    if let Ok(url) = std::env::var(CHILD) {
        crawl(&url).await;
    }
    for moment in [1, 7, 40] {
        let folder = tempfile::tempdir().unwrap();
        let url = url(&folder.path().join("registry.db"));
        let names: Vec<_> = (0..1000)
            .map(|it| seed(&format!("h{it}.example")))
            .collect();
        let store = store::open(&url, &[]).await.unwrap();
        store.add_seeds(&names, false, NOON).await.unwrap();

        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture"])
            .arg("opening::a_killed_crawler_loses_nothing_recorded_and_frees_its_lock")
            .env(CHILD, &url)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let recorded: Vec<String> = output
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| Some(line.split_once("recorded ")?.1.to_owned()))
            .take(moment)
            .collect();
        assert_eq!(recorded.len(), moment);
        let error = refusal(&url, &[Role::Crawler]).await.to_string();
        assert!(
            error.contains(&format!("process {}", child.id())),
            "{error}"
        );
        child.kill().unwrap();
        child.wait().unwrap();

        let store = store::open(&url, &[Role::Crawler]).await.unwrap();
        for name in &recorded {
            let site = store.site(&seed(name).domain).await.unwrap().unwrap();
            assert_eq!(site.visits.len(), 1, "{name}");
        }
        let lost = store.release_leases(minutes(1), 1000, 0).await.unwrap();
        assert!(!lost.is_empty());
        let rest = store
            .lease_domains(minutes(2), minutes(7), 1000)
            .await
            .unwrap();
        assert!(rest.iter().all(|lease| lease.last_outcome.is_none()));
        let stats = store.stats(minutes(2)).await.unwrap();
        assert_eq!(rest.len() as u64 + stats.outcomes["empty"], 1000);
    }
}
