//! Tests of an unavailable index, each with a real directory.

use super::*;
use crate::{Config, run};
use clap::Parser as _;
use search::SearchError;
use std::fs;
use std::path::{Path, PathBuf};

/// Addresses that need the index.
const SEARCHES: [&str; 3] = [
    "/search?q=book+a+table",
    "/api/v1/search?q=book+a+table",
    "/api/v1/suggest?q=me",
];

/// Addresses that need only the store.
const OTHERS: [&str; 6] = [
    "/",
    "/agent/mesa.example/reservations",
    "/site/mesa.example",
    "/api/v1/agents/mesa.example/reservations",
    "/api/v1/sites/mesa.example",
    "/docs/rules",
];

/// Asserts that searches give this explanation, and that everything else works.
async fn assert_outage(registry: &Registry, code: &str, why: &str, command: &str) {
    for address in SEARCHES {
        let answer = get(registry, address).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{address}");
        assert_eq!(answer.header(RETRY_AFTER), "30");
        assert_eq!(answer.header(CACHE_CONTROL), "no-store");
        let folder = registry.index();
        answer.says(&[why, command]);
        answer.never_says(&[folder.to_str().unwrap(), "antivy", "os error"]);
        if address.starts_with("/api") {
            assert_eq!(answer.header(CONTENT_TYPE), "application/problem+json");
            assert_eq!(answer.json()["errorCode"], code);
        } else {
            answer.says(&[
                "Search is temporarily unavailable",
                "pages of agents and sites still work",
            ]);
        }
    }
    for address in OTHERS {
        let page = get(registry, address).await;
        assert_eq!(page.status, StatusCode::OK, "{address}");
    }
    get(registry, "/")
        .await
        .says(&["Search is temporarily unavailable.", why]);
    let missing = get(registry, "/agent/mesa.example/reservation-desk").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}

async fn assert_answered(registry: &Registry) {
    for address in SEARCHES {
        let answer = get(registry, address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.body);
        answer.says(&["mesa.example"]);
    }
    get(registry, "/")
        .await
        .never_says(&["Search is temporarily unavailable"]);
}

/// Returns the build that the marker names.
fn build(index: &Path) -> PathBuf {
    let marker = fs::read_to_string(index.join("agentdex-index.json")).unwrap();
    let marker: Value = serde_json::from_str(&marker).unwrap();
    index.join(marker["build"].as_str().unwrap())
}

/// Returns the files of a build that hold agents, without those that list the files.
fn segments(index: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(build(index)).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let is_segment = |path: &PathBuf| {
        path.extension()
            .is_some_and(|it| it != "json" && it != "lock")
    };
    files.filter(is_segment).collect()
}

fn make_older(index: &Path) {
    let marker = index.join("agentdex-index.json");
    let text = fs::read_to_string(&marker).unwrap();
    let older = text.replace("\"version\":", "\"version\":9");
    assert_ne!(text, older);
    fs::write(&marker, older).unwrap();
}

/// Damage to an index: the function, then the expected code, reason and command.
type Spoiled = (fn(&Path), &'static str, &'static str, &'static str);

const SPOILED: [Spoiled; 7] = [
    (
        make_older,
        "index_of_other_version",
        "written by another version of the program: its format is version 9",
        "indexer",
    ),
    (
        |index| fs::remove_dir_all(index).unwrap(),
        "index_missing",
        "The index of agents does not exist yet.",
        "indexer",
    ),
    (
        |index| fs::write(index.join("agentdex-index.json"), "{").unwrap(),
        "index_missing",
        "The index of agents does not exist yet.",
        "indexer",
    ),
    (
        |index| fs::write(build(index).join("meta.json"), "{").unwrap(),
        "index_damaged",
        "The index is damaged.",
        "indexer rebuild",
    ),
    (
        |index| fs::remove_file(build(index).join("meta.json")).unwrap(),
        "index_unreadable",
        "The files of the index cannot be read.",
        "indexer rebuild",
    ),
    (
        |index| fs::remove_dir_all(build(index)).unwrap(),
        "index_unreadable",
        "The files of the index cannot be read.",
        "indexer rebuild",
    ),
    (
        |index| {
            let files = segments(index);
            assert!(!files.is_empty());
            for file in files {
                fs::write(file, "x").unwrap();
            }
        },
        "index_damaged",
        "The index is damaged.",
        "indexer rebuild",
    ),
];

#[tokio::test]
async fn the_program_starts_with_any_index_and_answers_once_it_is_repaired() {
    let mut registry = registry::full().await;
    for (spoil, code, why, command) in SPOILED {
        spoil(&registry.index());
        registry.restart();
        assert_outage(&registry, code, why, command).await;
        registry.reindex().await;
        assert_answered(&registry).await;
    }
}

#[tokio::test]
async fn an_index_damaged_at_run_time_is_reported_and_used_again_once_it_is_repaired() {
    let registry = registry::full().await;
    let [of_the_folder @ .., (spoil_segments, ..)] = &SPOILED;
    for (spoil, code, why, command) in of_the_folder {
        assert_answered(&registry).await;
        spoil(&registry.index());
        assert_outage(&registry, code, why, command).await;
        registry.reindex().await;
    }
    assert_answered(&registry).await;
    // Damage to files that are mapped into memory changes no response.
    spoil_segments(&registry.index());
    assert_answered(&registry).await;
    registry.reindex().await;
    assert_answered(&registry).await;
}

#[tokio::test]
async fn a_directory_of_other_files_is_refused_at_the_start_and_reported_later() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("holiday.jpg"), "not an index").unwrap();
    let config = Config::parse_from(["web", "--index", folder.path().to_str().unwrap()]);
    let refused = run::searcher(&config).unwrap_err();
    assert!(matches!(refused, SearchError::Foreign { .. }), "{refused}");

    let registry = registry::full().await;
    fs::remove_dir_all(registry.index()).unwrap();
    fs::create_dir(registry.index()).unwrap();
    fs::write(registry.index().join("holiday.jpg"), "not an index").unwrap();
    let command = "web --index DIR";
    assert_outage(&registry, "index_misplaced", "holds other files", command).await;
}

#[tokio::test]
async fn agents_without_an_index_give_an_error_not_an_empty_result() {
    let registry = registry::unindexed().await;
    let why = "The index of agents does not exist yet.";
    assert_outage(&registry, "index_missing", why, "indexer").await;
    registry.reindex().await;
    assert_answered(&registry).await;
}
