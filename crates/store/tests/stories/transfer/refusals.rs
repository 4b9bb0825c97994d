//! Tests of moves that are refused, and of data that are not the same.

use super::{Source, execute, fill_all, fill_large};
use crate::cast::{NOON, seeds};
use crate::opening::stranger;
use crate::postgres::Database;
use sqlx::Connection as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use store::transfer::{Stage, TransferError, transfer};
use store::{Role, StoreError};

/// Write of a program without a role.
const WRITE: &str = "DELETE FROM hidden";

#[tokio::test]
async fn a_source_that_a_program_uses_is_refused() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    for role in [Role::Crawler, Role::Indexer, Role::Web] {
        let user = store::open(&source.url(), &[role]).await.unwrap();
        let refusal = source.move_to(&target).await.unwrap_err();
        let name = format!("{role} process {}, ", std::process::id());
        assert!(refusal.to_string().starts_with(&name), "{refusal}");
        user.close().await;
        drop(user);
    }
    source.move_to(&target).await.unwrap();
    target.drop().await;
}

#[tokio::test]
async fn no_program_writes_into_a_source_that_is_being_moved() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    let mut refusals = Vec::new();
    source
        .transfer(&target, |progress| {
            if progress.stage == Stage::Verify {
                refusals.push(refused_write(source.path.clone()));
            }
            ControlFlow::Continue(())
        })
        .await
        .unwrap();
    // The only row is that of the feed.
    assert_eq!(refusals, ["database is locked"]);
    let mut file = stranger(&source.path).await;
    execute(&mut file, WRITE).await;
    file.close().await.unwrap();
    target.drop().await;
}

/// Returns the message for a program without a role that tries to write.
fn refused_write(path: PathBuf) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let attempt = async move {
        let mut file = stranger(&path).await;
        execute(&mut file, "PRAGMA busy_timeout = 0").await;
        let refusal = sqlx::query(WRITE).execute(&mut file).await.unwrap_err();
        refusal.as_database_error().unwrap().message().to_owned()
    };
    // The runtime of the test is busy.
    std::thread::spawn(move || runtime.block_on(attempt))
        .join()
        .unwrap()
}

#[tokio::test]
async fn a_target_that_has_data_or_is_used_is_refused() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    // A pooler would keep its connection.
    let server = store::open(&target.url(), &[]).await.unwrap();
    let refusal = source.move_to(&target).await.unwrap_err();
    assert!(matches!(refusal, TransferError::InUse { .. }), "{refusal}");
    let names = seeds(&["a.example"]);
    server.add_seeds(&names, false, NOON).await.unwrap();
    server.close().await;
    let refusal = source.move_to(&target).await.unwrap_err();
    assert!(
        refusal
            .to_string()
            .ends_with("is not empty (table domains has 1 rows): give an empty one"),
        "{refusal}"
    );
    // Nothing was changed.
    let server = target.open().await;
    assert_eq!(server.stats(NOON).await.unwrap().domains, 1);
    server.close().await;
    target.drop().await;
}

#[tokio::test]
async fn a_target_with_the_data_of_another_source_is_refused() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (one, store) = Source::create().await;
    store.close().await;
    let (other, store) = Source::create().await;
    store.close().await;
    one.move_to(&target).await.unwrap();
    let refusal = other.move_to(&target).await.unwrap_err();
    assert!(
        matches!(refusal, TransferError::OtherSource { .. }),
        "{refusal}"
    );
    target.drop().await;
}

#[tokio::test]
async fn a_source_that_was_written_between_two_attempts_is_refused() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    fill_all(&source.path).await;
    let stop = |_| ControlFlow::Break(());
    let stopped = source.transfer(&target, stop).await.unwrap_err();
    assert!(matches!(stopped, TransferError::Stopped), "{stopped}");
    let stopped = source.transfer(&target, stop).await.unwrap_err();
    assert!(matches!(stopped, TransferError::Stopped), "{stopped}");
    let store = store::open(&source.url(), &[]).await.unwrap();
    let names = seeds(&["late.example"]);
    store.add_seeds(&names, false, NOON).await.unwrap();
    store.close().await;
    let refusal = source.move_to(&target).await.unwrap_err();
    assert!(
        matches!(refusal, TransferError::Changed { .. }),
        "{refusal}"
    );
    target.drop().await;
}

#[tokio::test]
async fn a_changed_byte_and_a_lost_row_are_found() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    fill_all(&source.path).await;
    fill_large(&source.path).await;
    let stopped = source
        .transfer(&target, |progress| match progress.stage {
            Stage::Verify => ControlFlow::Break(()),
            Stage::Copy | Stage::Index => ControlFlow::Continue(()),
        })
        .await
        .unwrap_err();
    assert!(matches!(stopped, TransferError::Stopped), "{stopped}");
    let mut server = target.stranger().await;
    for damage in [
        "UPDATE vectors SET vector = set_byte(vector, 0, 1) WHERE hash LIKE '%1'",
        "DELETE FROM visits WHERE id = 3000",
    ] {
        let done = sqlx::query(damage).execute(&mut server).await.unwrap();
        assert_eq!(done.rows_affected(), 1, "{damage}");
    }
    server.close().await.unwrap();
    let refusal = source.move_to(&target).await.unwrap_err().to_string();
    let start = "table vectors has 3 rows in the source and 3 in the target, \
                 table visits has 25003 rows in the source and 25002 in the target: the data in ";
    assert!(refusal.starts_with(start), "{refusal}");
    // It is still no registry.
    let opened = store::open(&target.url(), &[]).await.unwrap_err();
    assert!(matches!(opened, StoreError::HalfFilled { .. }), "{opened}");
    target.drop().await;
}

#[tokio::test]
async fn a_text_that_the_server_cannot_store_is_replaced_and_named() {
    let Some(target) = Database::create().await else {
        return;
    };
    let (source, store) = Source::create().await;
    store.close().await;
    let mut file = stranger(&source.path).await;
    execute(
        &mut file,
        "INSERT INTO hidden (target, reason, since)
         VALUES ('a.example', 'one' || char(0) || 'two', 0),
                ('b.example', CAST(x'6fff' AS TEXT), 0), ('c.example', 'plain', 0)",
    )
    .await;
    file.close().await.unwrap();
    let moved = source.move_to(&target).await.unwrap();
    let replaced = moved.replaced.iter().map(|it| {
        let (table, column) = (it.table.as_str(), it.column.as_str());
        (table, column, it.key.as_str())
    });
    assert_eq!(
        replaced.collect::<Vec<_>>(),
        [
            ("hidden", "reason", "[\"a.example\"]"),
            ("hidden", "reason", "[\"b.example\"]")
        ]
    );
    assert_eq!(moved.replacements, 2);
    let mut server = target.stranger().await;
    let reasons: Vec<String> = sqlx::query_scalar("SELECT reason FROM hidden ORDER BY target")
        .fetch_all(&mut server)
        .await
        .unwrap();
    assert_eq!(reasons, ["one\u{fffd}two", "o\u{fffd}", "plain"]);
    server.close().await.unwrap();
    target.drop().await;
}

#[tokio::test]
async fn wrong_urls_are_refused_without_repeating_passwords() {
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("sqlite:{}", folder.path().join("none.db").display());
    let server = "postgres://me:secret@127.0.0.1:1/registry";
    for (from, to, answer) in [
        (server, missing.as_str(), "a registry moves from a file"),
        (&missing, &missing, "a registry moves from a file"),
        (server, server, "a registry moves from a file"),
        (&missing, server, "there is no database at "),
        (
            "mysql://me:secret@h/x",
            server,
            "this database is not supported",
        ),
    ] {
        let refusal = transfer(from, to, &mut |_| ControlFlow::Continue(())).await;
        let refusal = refusal.unwrap_err().to_string();
        assert!(refusal.starts_with(answer), "{refusal}");
        assert!(!refusal.contains("secret"), "{refusal}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let (source, store) = Source::create().await;
    store.close().await;
    let refusal = transfer(&source.url(), server, &mut |_| ControlFlow::Continue(())).await;
    let refusal = refusal.unwrap_err().to_string();
    let start = "database postgres://127.0.0.1:1/registry is away";
    assert!(refusal.starts_with(start), "{refusal}");
}
