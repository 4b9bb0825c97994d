//! Tests of the secrets, in real files.

use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use tempfile::TempDir;

const START: Timestamp = Timestamp(1_795_176_000_000);

/// Returns keys of a new file.
pub(crate) fn some_keys() -> Keys {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Secrets::open(&folder.path().join("secrets"), START).unwrap();
    secrets.keys(START)
}

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/agentdex.secrets");
    (folder, path)
}

#[test]
fn the_file_is_made_once_and_private() {
    let (_folder, path) = file();
    let made = Secrets::open(&path, START).unwrap().keys(START);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    let again = Secrets::open(&path, START).unwrap().keys(START);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert!(again.accept(b"a", made.authenticate(b"a").as_ref()));
    assert!(!again.accept(b"b", made.authenticate(b"a").as_ref()));
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1);
}

#[test]
fn keys_are_rotated_and_one_older_key_is_accepted() {
    let (_folder, path) = file();
    let secrets = Secrets::open(&path, START).unwrap();
    let first = secrets.keys(START).authenticate(b"a");
    let month = |number: u32| START.after(ROTATION * number);
    secrets.renew(month(1)).unwrap();
    // Another process may not have read the new key yet.
    let unread = secrets.keys(month(1)).authenticate(b"a");
    assert_eq!(unread.as_ref(), first.as_ref());
    let later = month(1).after(NOTICE);
    let second = secrets.keys(later).authenticate(b"a");
    assert_ne!(second.as_ref(), first.as_ref());
    assert!(secrets.keys(later).accept(b"a", first.as_ref()));
    secrets.renew(month(2)).unwrap();
    assert!(!secrets.keys(month(2)).accept(b"a", first.as_ref()));
    assert!(secrets.keys(month(2)).accept(b"a", second.as_ref()));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_key_of_records_is_published_for_a_month_after_its_last_record() {
    let (_folder, path) = file();
    let secrets = Secrets::open(&path, START).unwrap();
    let public = |key: &SigningKey| key.public().to_vec();
    let month = |number: u32| START.after(ROTATION * number);
    secrets.renew(month(1)).unwrap();
    // The key signs until the next one is known.
    let last = month(1).after(RENEWAL);
    let used = public(secrets.audit_keys(last).signing());
    for number in 1..=2 {
        secrets.renew(month(number)).unwrap();
        let keys = secrets.audit_keys(month(number).after(NOTICE));
        assert_ne!(public(keys.signing()), used);
        assert!(keys.published().iter().any(|it| public(it) == used));
    }
    secrets.renew(month(3)).unwrap();
    let keys = secrets.audit_keys(month(3));
    assert_eq!(keys.published().len(), 3);
    assert!(!keys.published().iter().any(|it| public(it) == used));
}

#[test]
fn a_client_is_counted_under_a_code_of_this_registry() {
    let (_folder, path) = file();
    let secrets = Secrets::open(&path, START).unwrap();
    let code =
        |secrets: &Secrets, client: &[u8]| secrets.pseudonym(client, START).as_ref().to_vec();
    let (_other, path) = file();
    let other = Secrets::open(&path, START).unwrap();
    assert_eq!(code(&secrets, b"a"), code(&secrets, b"a"));
    assert_ne!(code(&secrets, b"a"), code(&secrets, b"b"));
    assert_ne!(code(&secrets, b"a"), code(&other, b"a"));
}

#[test]
fn a_running_process_learns_the_key_of_another_before_it_is_used() {
    let (_folder, path) = file();
    let one = Secrets::open(&path, START).unwrap();
    let other = Secrets::open(&path, START).unwrap();
    let due = START.after(ROTATION);
    one.renew(due).unwrap();
    assert!(
        other
            .keys(due)
            .accept(b"a", one.keys(due).authenticate(b"a").as_ref())
    );
    let renewed = due.after(RENEWAL);
    other.renew(renewed).unwrap();
    let used = due.after(NOTICE);
    assert!(
        other
            .keys(used)
            .accept(b"a", one.keys(used).authenticate(b"a").as_ref())
    );
    assert!(RENEWAL < NOTICE);
}

#[test]
fn secrets_of_other_purposes_are_kept() {
    let (_folder, path) = file();
    let secrets = Secrets::open(&path, START).unwrap();
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("mail 1 abcd\n");
    fs::write(&path, text).unwrap();
    secrets.renew(START.after(ROTATION)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("mail 1 abcd\n"), "{}", text.len());
    assert_eq!(text.matches("cursor ").count(), 2);
}

#[test]
fn a_file_that_cannot_be_trusted_is_refused_with_the_remedy() {
    let (_folder, path) = file();
    Secrets::open(&path, START).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let error = Secrets::open(&path, START).unwrap_err().to_string();
    assert!(
        error.contains("mode 640") && error.contains("chmod 600"),
        "{error}"
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    for wrong in [
        "cursor",
        "cursor 1 zz",
        "x",
        &format!("cursor x {}", "a".repeat(64)),
    ] {
        fs::write(&path, format!("# ours\n{wrong}\n")).unwrap();
        let error = Secrets::open(&path, START).unwrap_err().to_string();
        assert!(error.contains("line 2 of"), "{wrong}: {error}");
    }
    let error = Secrets::open(path.parent().unwrap(), START).unwrap_err();
    assert!(error.to_string().contains("--secrets") || error.to_string().contains("chmod"));
}

#[test]
fn debug_output_shows_no_key() {
    let (_folder, path) = file();
    let secrets = Secrets::open(&path, START).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let key = text.split_whitespace().last().unwrap();
    assert_eq!(key.len(), 64);
    let shown = format!("{secrets:?} {:?}", secrets.keys(START));
    assert!(!shown.contains(key), "{shown}");
}

#[test]
fn the_file_is_beside_the_database() {
    for (database, path) in [
        ("sqlite:data/agentdex.db", "data/agentdex.secrets"),
        ("sqlite:///var/lib/a.db?mode=rw", "/var/lib/a.secrets"),
        ("sqlite:a.db", "a.secrets"),
        ("postgres://db/agentdex", "data/agentdex.secrets"),
    ] {
        assert_eq!(beside(database), Path::new(path), "{database}");
    }
}
