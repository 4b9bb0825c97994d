//! Contained panics, and their findings.

use super::*;
use std::process::Command;

#[test]
fn a_panic_becomes_a_fault_and_later_work_is_done() {
    let broken = contained(|| [1, 2].iter().position(|it| *it == 3).unwrap());
    assert_eq!(broken.unwrap_err().to_string(), "an internal error");
    assert_eq!(contained(|| 7), Ok(7));
    let nested = contained(|| contained(|| panic!("inner")).is_err());
    assert_eq!(nested, Ok(true));
}

#[test]
fn the_location_of_a_fault_has_no_directory_of_the_build_machine() {
    for (file, expected) in [
        ("crates/manifest/src/json.rs", "crates/manifest/src/json.rs"),
        (
            "/home/ann/.cargo/registry/src/index-1949/serde_json-1.0.1/src/de.rs",
            "serde_json-1.0.1/src/de.rs",
        ),
        (
            "/rustc/59807616e1/library/core/src/fmt/mod.rs",
            "core/src/fmt/mod.rs",
        ),
        ("/build/main.rs", "main.rs"),
    ] {
        assert_eq!(short(file), expected);
    }
}

#[test]
fn the_message_of_a_panic_is_not_repeated() {
    let secret = "sk_live_é";
    let broken = contained(|| secret[..9].len());
    let message = broken.unwrap_err().finding("reading it").message;
    assert_eq!(
        message,
        "reading it failed: an internal error; this document is not at fault"
    );
}

/// Runs in a separate process, because the panic hook applies to the whole process.
#[test]
fn a_contained_panic_prints_nothing_and_records_its_location() {
    if std::env::var_os("IN_A_PROCESS_OF_ITS_OWN").is_some() {
        quiet();
        let fault = contained::<()>(|| panic!("kept in")).unwrap_err();
        let place = fault.place.unwrap();
        assert!(place.contains("manifest/src/fault/tests.rs:"), "{place}");
        panic!("let out");
    }
    let name = "fault::tests::a_contained_panic_prints_nothing_and_records_its_location";
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("IN_A_PROCESS_OF_ITS_OWN", "1")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    assert!(
        output.contains("let out") && !output.contains("kept in"),
        "{output}"
    );
}
