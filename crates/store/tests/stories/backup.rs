//! Tests of backups: a whole database comes back, and nothing else is taken for one.

use crate::cast::{NOON, domain, found, leased, minutes, reading, seeds, sqlite, visit};
use crate::migrations::older;
use crate::opening::{stranger, url};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::backup::{BackupError, backup, record, restore, verify};
use store::{Backup, Role, StoreError};
use tempfile::TempDir;

/// Creates a registry with one agent, and its backup.
async fn registry() -> (TempDir, PathBuf, Backup) {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let seeds = seeds(&["a.example"]);
    store.add_seeds(&seeds, false, NOON).await.unwrap();
    found(&*store, "a.example", &[("/a", "alpha")], NOON).await;
    let readings = reading(&*store).await;
    store.replace_agents(&readings, NOON).await.unwrap();
    let file = folder.path().join("registry.tar.zst");
    let made = backup(&database(folder.path()), &file, NOON).await.unwrap();
    // The files beside the database go with its last connection.
    store.close().await;
    (folder, file, made)
}

fn database(folder: &Path) -> String {
    url(&folder.join("registry.db"))
}

/// Restores a backup in a new folder, which must fail and leave nothing.
async fn refused(file: &Path) -> BackupError {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("new/folder");
    let error = restore(file, &database(&place)).await.unwrap_err();
    let remaining: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert!(remaining.is_empty(), "{remaining:?} after {error}");
    error
}

#[tokio::test]
async fn a_restored_database_has_everything() {
    let (folder, file, made) = registry().await;
    assert_eq!((made.last_change, made.tables["agents"]), (1, 1));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let place = tempfile::tempdir().unwrap();
    let empty = database(&place.path().join("new/folder"));
    assert_eq!(restore(&file, &empty).await.unwrap(), made);
    let before = sqlite(folder.path()).await;
    let after = store::open(&empty, &[Role::Crawler, Role::Indexer])
        .await
        .unwrap();
    let (mut old, mut new) = (
        before.feed_state().await.unwrap(),
        after.feed_state().await.unwrap(),
    );
    assert_eq!(old.epoch.len(), 16);
    assert_ne!(
        old.epoch, new.epoch,
        "its numbers may have been given before"
    );
    (old.epoch, new.epoch) = Default::default();
    assert_eq!(old, new);
    let name = domain("a.example");
    assert_eq!(
        after.site(&name).await.unwrap(),
        before.site(&name).await.unwrap()
    );
    assert_eq!(
        after.changes(0, 10).await.unwrap(),
        before.changes(0, 10).await.unwrap()
    );
    assert_eq!(
        after.documents(&name).await.unwrap(),
        before.documents(&name).await.unwrap()
    );
}

#[tokio::test]
async fn a_complete_backup_is_recorded_as_the_last_one() {
    let (folder, _, made) = registry().await;
    let store = sqlite(folder.path()).await;
    assert_eq!(store.last_backup().await.unwrap(), None);
    let url = database(folder.path());
    record(&url, &made).await.unwrap();
    assert_eq!(store.last_backup().await.unwrap(), Some(NOON));
    let file = folder.path().join("next.tar.zst");
    let next = backup(&url, &file, minutes(60)).await.unwrap();
    record(&url, &next).await.unwrap();
    assert_eq!(store.last_backup().await.unwrap(), Some(minutes(60)));
}

#[tokio::test]
async fn a_backup_is_verified_as_it_is_restored_and_leaves_nothing() {
    let (folder, file, made) = registry().await;
    let before = names(folder.path());
    assert_eq!(verify(&file).await.unwrap(), made);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let error = verify(&file).await.unwrap_err();
    assert!(matches!(error, BackupError::Truncated { .. }), "{error}");
    assert_eq!(names(folder.path()), before);
}

#[tokio::test]
async fn a_backup_replaces_an_earlier_one_and_no_other_file() {
    let (folder, file, _) = registry().await;
    let url = database(folder.path());
    let notes = folder.path().join("notes.txt");
    fs::write(&notes, "notes").unwrap();
    let opened = folder.path().join("registry.db");
    for other in [&*notes, &*opened, folder.path(), Path::new("/dev/null")] {
        let error = backup(&url, other, NOON).await.unwrap_err();
        assert!(
            matches!(error, BackupError::NoBackup(_)),
            "{}: {error}",
            other.display()
        );
    }
    assert_eq!(fs::read_to_string(&notes).unwrap(), "notes");
    fs::write(&file, &fs::read(&file).unwrap()[..100]).unwrap();
    let again = backup(&url, &file, minutes(1)).await.unwrap();
    assert_eq!(verify(&file).await.unwrap(), again);
}

/// Returns the names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn nothing_is_overwritten_and_nothing_is_made_of_nothing() {
    let (folder, file, _) = registry().await;
    let error = restore(&file, &database(folder.path())).await.unwrap_err();
    assert!(matches!(error, BackupError::Exists(_)), "{error}");
    // A write-ahead log of another database would be applied to the new one.
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("registry.db-wal"), "").unwrap();
    let error = restore(&file, &database(place.path())).await.unwrap_err();
    assert!(error.to_string().contains("registry.db-wal"), "{error}");

    let missing = place.path().join("none");
    let error = backup(&database(&missing), &file, NOON).await.unwrap_err();
    assert!(matches!(error, BackupError::NoDatabase(_)), "{error}");
    assert!(!missing.exists());
    let sites = place.path().join("sites.db");
    let mut other = stranger(&sites).await;
    sqlx::query("CREATE TABLE sites (name TEXT)")
        .execute(&mut other)
        .await
        .unwrap();
    let error = backup(&url(&sites), &file, NOON).await.unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
}

#[tokio::test]
async fn a_backup_that_is_cut_off_anywhere_is_refused() {
    let (folder, file, _) = registry().await;
    let whole = fs::read(&file).unwrap();
    let cut = folder.path().join("cut");
    for bytes in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
        fs::write(&cut, &whole[..bytes]).unwrap();
        let error = refused(&cut).await;
        match bytes {
            0..4 => assert!(matches!(error, BackupError::Foreign { .. }), "{error}"),
            _ => assert!(
                error
                    .to_string()
                    .contains(&format!("cut off after {bytes} bytes")),
                "{error}"
            ),
        }
    }
}

#[tokio::test]
async fn a_backup_with_a_changed_byte_is_refused_or_has_the_same_content() {
    let (folder, file, made) = registry().await;
    let whole = fs::read(&file).unwrap();
    let changed = folder.path().join("changed");
    let (mut tried, mut same) = (0, 0);
    for at in (6..whole.len()).step_by(89) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&changed, &bytes).unwrap();
        tried += 1;
        let place = tempfile::tempdir().unwrap();
        match restore(&changed, &database(place.path())).await {
            // A few bits of a frame are unused, or state the same in another way (RFC 8878).
            Ok(restored) => {
                assert_eq!(restored, made, "byte {at}");
                same += 1;
            }
            Err(
                BackupError::Foreign { .. }
                | BackupError::Damaged { .. }
                | BackupError::Truncated { .. },
            ) => assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0),
            Err(error) => panic!("byte {at}: {error:?}"),
        }
    }
    assert!(same * 10 < tried, "{same} of {tried}");
}

/// Writes an archive of two files.
fn archive(path: &Path, manifest: &str, database: &[u8]) {
    let encoder = zstd::Encoder::new(fs::File::create(path).unwrap(), 1).unwrap();
    let mut archive = tar::Builder::new(encoder);
    for (name, bytes) in [
        ("manifest.json", manifest.as_bytes()),
        ("agentdex.sqlite", database),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

/// Returns the manifest and the database in an archive.
fn parts(path: &Path) -> (String, Vec<u8>) {
    let decoder = zstd::Decoder::new(fs::File::open(path).unwrap()).unwrap();
    let mut whole = tar::Archive::new(decoder);
    let mut files = whole.entries().unwrap().map(|entry| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry.unwrap(), &mut bytes).unwrap();
        bytes
    });
    let manifest = String::from_utf8(files.next().unwrap()).unwrap();
    (manifest, files.next().unwrap())
}

#[tokio::test]
async fn an_index_that_misses_a_row_is_damage() {
    let (folder, file, made) = registry().await;
    let (text, database) = parts(&file);
    let copy = folder.path().join("copy.sqlite");
    fs::write(&copy, &database).unwrap();
    let mut other = stranger(&copy).await;
    // The index keeps its rows, and now has to have others.
    for statement in [
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(sql, 'IS NOT NULL', 'IS NULL')
         WHERE name = 'queue_leased'",
    ] {
        sqlx::query(statement).execute(&mut other).await.unwrap();
    }
    drop(other);
    let database = fs::read(&copy).unwrap();
    let sha256 = HEXLOWER.encode(&Sha256::digest(&database));
    let path = folder.path().join("other");
    archive(&path, &text.replace(&made.sha256, &sha256), &database);
    let error = refused(&path).await.to_string();
    assert!(error.contains("index queue_leased"), "{error}");
}

#[tokio::test]
async fn other_files_and_other_versions_are_refused_by_name() {
    let (folder, file, _) = registry().await;
    let path = folder.path().join("other");
    let (text, _) = parts(&file);

    for (bytes, reason) in [
        (&b""[..], "it is empty"),
        (b"SQLite format 3\0", "not compressed"),
        (
            &zstd::encode_all(&b"hello"[..], 1).unwrap(),
            "is not a backup",
        ),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = refused(&path).await.to_string();
        assert!(
            error.contains(reason) || error.contains("cut off"),
            "{error}"
        );
    }
    for (change, to, reason) in [
        ("agentdex-backup", "tarball", "another program"),
        (
            "\"version\": 1",
            "\"version\": 2",
            "newer than this program (format 2)",
        ),
        (
            "\"schema\": ",
            "\"schema\": 9",
            "newer than this program (schema 9",
        ),
        (
            "\"database_bytes\": ",
            "\"database_bytes\": 9",
            "instead of 9",
        ),
        ("\"tables\"", "\"tafeln\"", "incomplete"),
    ] {
        archive(&path, &text.replacen(change, to, 1), b"");
        let error = refused(&path).await.to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[tokio::test]
async fn counts_that_differ_from_the_manifest_are_refused() {
    let (folder, file, _) = registry().await;
    let (text, database) = parts(&file);
    let path = folder.path().join("other");
    for (change, to, reason) in [
        (
            "\"agents\": 1",
            "\"agents\": 2",
            "states 2 rows for table agents",
        ),
        ("\"agents\": 1", "\"agenda\": 1", "no such table"),
        ("\"last_change\": 1", "\"last_change\": 5", "change 5"),
    ] {
        archive(&path, &text.replacen(change, to, 1), &database);
        let error = refused(&path).await.to_string();
        assert!(
            error.contains("is damaged") && error.contains(reason),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_backup_of_an_older_schema_is_migrated_when_it_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let mut old = older(&folder.path().join("registry.db"), "0009").await;
    sqlx::query(
        "INSERT INTO domains (id, name, registrable, source, first_seen, due, ready)
         VALUES (1, 'a.example', 'a.example', 'seed', 0, 0, 0)",
    )
    .execute(&mut old)
    .await
    .unwrap();
    let file = folder.path().join("old.tar.zst");
    let made = backup(&database(folder.path()), &file, NOON).await.unwrap();
    assert_eq!(made.schema, 8, "the copy is not migrated");
    let error = record(&database(folder.path()), &made).await.unwrap_err();
    assert!(matches!(error, StoreError::Older { .. }), "{error}");
    let place = tempfile::tempdir().unwrap();
    let restored = restore(&file, &database(place.path())).await.unwrap();
    assert_eq!(restored, made);
    let store = sqlite(place.path()).await;
    assert_eq!(store.stats(NOON).await.unwrap().domains, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_of_one_moment_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = sqlite(folder.path()).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let (written, ending) = (Arc::clone(&store), Arc::clone(&is_over));
    let (started, begun) = tokio::sync::oneshot::channel();
    let writing = tokio::spawn(async move {
        let mut started = Some(started);
        let mut number = 0;
        while !ending.load(Ordering::Relaxed) {
            let name = format!("a{number}.example");
            let now = minutes(number);
            let lease = leased(&*written, &name).await;
            written.record_visits(&[visit(lease, now)]).await.unwrap();
            number += 1;
            if number == 10
                && let Some(started) = started.take()
            {
                started.send(()).unwrap();
            }
        }
        number
    });
    begun.await.unwrap();
    for number in 0..5 {
        let file = folder.path().join(format!("{number}.tar.zst"));
        let made = backup(&database(folder.path()), &file, NOON).await.unwrap();
        // A domain is added and then visited, so at most one is without a visit.
        let (domains, visits) = (made.tables["domains"], made.tables["visits"]);
        assert!(domains == visits || domains == visits + 1, "{made:?}");
        assert!(visits >= 10);
        let place = tempfile::tempdir().unwrap();
        restore(&file, &database(place.path())).await.unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    assert!(writing.await.unwrap() >= 10);
}
