//! Checks which crate may depend on which library (ARCHITECTURE.md, "The crates").

use crate::support;
use std::collections::BTreeMap;

/// Library to the crates that may name it in their `Cargo.toml`, tests aside.
const RULES: &[(&str, &[&str])] = &[
    ("axum", &["web"]),
    ("askama", &["web"]),
    ("hickory-resolver", &["crawler"]),
    ("reqwest", &["crawler"]),
    ("sqlx", &["store"]),
    ("tantivy", &["indexer"]),
    ("texting_robots", &["crawler"]),
    // Our own crates: the picture in ARCHITECTURE.md, arrow by arrow.
    ("crawler", &["agentdex"]),
    ("indexer", &["agentdex", "web"]),
    ("simweb", &["agentdex"]),
    ("store", &["agentdex", "crawler", "indexer", "web"]),
    ("terminal", &["agentdex", "crawler", "indexer", "web"]),
    ("web", &["agentdex"]),
];

/// Allowed dependencies of the pure crate; none does I/O, reads a clock or is asynchronous.
const PURE: &[&str] = &[
    "base64",
    "encoding_rs",
    "idna",
    "jsonc-parser",
    "psl",
    "regex-syntax",
    "ring", // Only its verification of signatures, which computes and draws no random numbers.
    "semver",
    "serde",
    "serde-saphyr", // YAML in, values out; its bounds are set where it is called.
    "serde_json",
    "serde_json_canonicalizer", // RFC 8785: a value in, its canonical bytes out.
    "sha2",
    "slug",
    "thiserror",
    "unicode-width", // Tables: how many columns a character takes.
    "url",
];

/// Returns crate names with the names of their dependencies, development dependencies left out.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut crates = BTreeMap::new();
    let root: toml::Table = support::workspace_file("Cargo.toml").parse().unwrap();
    for member in root["workspace"]["members"].as_array().unwrap() {
        let folder = member.as_str().unwrap();
        let manifest: toml::Table = support::workspace_file(&format!("{folder}/Cargo.toml"))
            .parse()
            .unwrap();
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let named = manifest
            .get("dependencies")
            .and_then(toml::Value::as_table)
            .map(|table| table.keys().cloned().collect())
            .unwrap_or_default();
        crates.insert(name, named);
    }
    assert!(
        crates.len() >= 8,
        "the workspace has lost crates: {:?}",
        crates.keys()
    );
    crates
}

#[test]
fn only_its_own_layer_names_a_library() {
    let crates = dependencies();
    for (library, allowed) in RULES {
        for (name, named) in &crates {
            assert!(
                allowed.contains(&name.as_str()) || !named.iter().any(|it| it == library),
                "{name} names {library}; only {allowed:?} may"
            );
        }
    }
}

#[test]
fn the_manifest_crate_stays_pure() {
    for library in &dependencies()["manifest"] {
        assert!(
            PURE.contains(&library.as_str()),
            "manifest names {library}, which is not known to be pure"
        );
    }
}

#[test]
fn modules_are_files_with_their_own_name() {
    for path in support::rust_files() {
        assert_ne!(
            path.file_name().unwrap(),
            "mod.rs",
            "{} should be named for its module",
            path.display()
        );
    }
}

#[test]
fn every_file_begins_with_its_documentation() {
    for path in support::rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("//!"),
            "{} does not begin with `//!`",
            path.display()
        );
    }
}

#[test]
fn print_circles() {
    for source in [
        "indexer/manifest/src",
        "crawler/src",
        "indexer/src",
        "indexer/store/src",
        "web/src",
    ] {
        let imports = support::imports::Imports::of(&support::workspace().join(source));
        println!("== {source}");
        for circle in imports.circles(&[]) {
            println!("{}: {}", circle.len(), circle.join(" "));
        }
        for (from, to) in imports.files() {
            for to in to.into_iter().filter(|to| to.is_empty()) {
                println!("ROOT {from:?} -> {to:?}");
            }
        }
        for (from, to) in imports.top_level() {
            println!("  {from} -> {to:?}");
        }
    }
}
