//! Tests of places that take no files: what cannot be written, why, and what would be right.
//!
//! Mounts are made in a mount namespace of its own; permissions are met without the privileges of root.

use crate::support::{self, Ran, binary, run};
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

const DATABASE: [&str; 2] = ["--database", "sqlite:data/agentdex.db"];

/// Creates a database in the folder `data`.
async fn create(folder: &Path) {
    let url = format!("sqlite:{}", folder.join("data/agentdex.db").display());
    store::open(&url, &[]).await.unwrap().close().await;
}

/// Runs a program where the folder `data` is mounted read-only; `None` if this machine does not allow that.
fn run_on_read_only_data(program: &str, folder: &Path, arguments: &[&str]) -> Option<Ran> {
    if support::run_program("unshare", folder, &["-rm", "true"]).code != Some(0) {
        support::skip("this machine allows no mount namespaces, so nothing is mounted read-only");
        return None;
    }
    let script = "mount --bind data data && mount -o remount,bind,ro data && exec \"$@\"";
    let program = binary(program);
    let mut all = vec!["-rm", "sh", "-c", script, "sh", program.to_str().unwrap()];
    all.extend(arguments);
    Some(support::run_program("unshare", folder, &all))
}

/// Returns the arguments with those of the database.
fn on_database<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &DATABASE].concat()
}

#[tokio::test]
async fn a_database_on_a_read_only_mount_is_named_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).await;
    let backup = on_database(&["backup", "agentdex.backup.tar.zst"]);
    let Some(ran) = run_on_read_only_data("agentdex", folder.path(), &backup) else {
        return;
    };
    let reason = ["is read-only", "mounted read-only", "mount it writable"];
    ran.fails_with(2, &reason);
    assert!(!folder.path().join("agentdex.backup.tar.zst").exists());
    let registry = on_database(&["--listen", "127.0.0.1:0", "--admin-listen", "off"]);
    let ran = run_on_read_only_data("agentdex", folder.path(), &registry).unwrap();
    ran.fails_with(1, &reason);
    // A supervisor does not start a service again that ended with 2.
    let crawler = on_database(&["--watch", "--admin-listen", "off"]);
    let ran = run_on_read_only_data("crawler", folder.path(), &crawler).unwrap();
    ran.fails_with(1, &reason);
}

#[tokio::test]
async fn a_read_only_mount_for_the_backup_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    store::open(&url, &[]).await.unwrap().close().await;
    let backup = [
        "backup",
        "data/a.tar.zst",
        "--database",
        "sqlite:agentdex.db",
    ];
    if let Some(ran) = run_on_read_only_data("agentdex", folder.path(), &backup) {
        ran.fails_with(
            1,
            &["no file can be written in data", "Read-only file system"],
        );
    }
}

#[tokio::test]
async fn a_missing_folder_for_the_backup_is_named() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).await;
    let backup = on_database(&["backup", "missing/a.tar.zst"]);
    let ran = run("agentdex", folder.path(), &backup);
    ran.fails_with(
        1,
        &["no file can be written in missing", "a folder that exists"],
    );
}

/// Runs `agentdex` without the privileges of root, whom permissions do not stop; `None` if this machine
/// does not allow that.
fn run_without_privileges(folder: &Path, arguments: &[&str]) -> Option<Ran> {
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return Some(run("agentdex", folder, arguments));
    }
    let program = binary("agentdex");
    let identity = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let program = [&identity[..], &[program.to_str().unwrap()]].concat();
    let try_out = [&program[..], &["--version"]].concat();
    if support::run_program("setpriv", folder, &try_out).code != Some(0) {
        support::skip(
            "this machine runs no programs without privileges, whom permissions would stop",
        );
        return None;
    }
    let all = [&program[..], arguments].concat();
    Some(support::run_program("setpriv", folder, &all))
}

#[tokio::test]
async fn a_folder_without_permission_is_named() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).await;
    let permit = |name: &str, mode| {
        set_permissions(folder.path().join(name), Permissions::from_mode(mode)).unwrap();
    };
    std::fs::create_dir(folder.path().join("backups")).unwrap();
    permit("", 0o755);
    permit("backups", 0o777);
    permit("data", 0o555);
    let backup = on_database(&["backup", "backups/a.tar.zst"]);
    let ran = run_without_privileges(folder.path(), &backup);
    let elsewhere = on_database(&["backup", "data/a.tar.zst"]);
    let refused = run_without_privileges(folder.path(), &elsewhere);
    permit("data", 0o755);
    let (Some(ran), Some(refused)) = (ran, refused) else {
        return;
    };
    ran.fails_with(2, &["is read-only", "this user may not write to", "data"]);
    refused.fails_with(1, &["no file can be written in data", "Permission denied"]);
}

/// As root restores it, who is not the user of the service.
#[tokio::test]
async fn a_database_of_another_user_is_named_at_the_start_and_before() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).await;
    let permit = |name: &str, mode| {
        set_permissions(folder.path().join(name), Permissions::from_mode(mode)).unwrap();
    };
    permit("", 0o755);
    permit("data", 0o777);
    permit("data/agentdex.db", 0o000);
    let Some(started) = run_without_privileges(folder.path(), &on_database(&[])) else {
        return;
    };
    let reason = ["is not readable for this user", "chown"];
    started.fails_with(1, &reason);
    let check = || run_without_privileges(folder.path(), &on_database(&["check-config"])).unwrap();
    check().fails_with(2, &reason);
    permit("data/agentdex.db", 0o444);
    check().fails_with(2, &["may not write to the database", "Permission denied"]);
}

/// The backup is complete, so the command succeeds, and it says what is missing.
#[tokio::test]
async fn a_backup_that_cannot_be_recorded_says_so() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).await;
    let data = folder.path().join("data");
    let backup = on_database(&["backup", "a.tar.zst"]);
    let ran = run("agentdex", folder.path(), &backup);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(!ran.output.contains("warning"), "{}", ran.output);
    // Another program holds the only right to write.
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(data.join("agentdex.db"));
    let mut other = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    let ran = run("agentdex", folder.path(), &backup);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    for words in [
        "backed up",
        "cannot be recorded",
        "locked by another program",
    ] {
        assert!(ran.output.contains(words), "{words} in {}", ran.output);
    }
}
