//! Tests of an index whose files are damaged while programs use it.

use crate::serving::{registry, serve};
use crate::support;
use crate::support::http;
use crate::support::pipeline::Pipeline;
use crate::support::running::Running;
use crate::support::wait::until;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Damage to a file.
type Damage = fn(&Path);

const DAMAGES: [Damage; 4] = [
    |file| cut(file, 0),
    |file| cut(file, fs::metadata(file).unwrap().len() / 2),
    |file| {
        let garbage = vec![0xa5; fs::read(file).unwrap().len()];
        fs::write(file, garbage).unwrap();
    },
    |file| fs::remove_file(file).unwrap(),
];

fn cut(file: &Path, length: u64) {
    let file = File::options().write(true).open(file).unwrap();
    file.set_len(length).unwrap();
}

/// Returns the directory of the current build.
fn build(pipeline: &Pipeline) -> PathBuf {
    let index = pipeline.folder.path().join("index");
    let marker = fs::read_to_string(index.join("agentdex-index.json")).unwrap();
    let marker: Value = serde_json::from_str(&marker).unwrap();
    index.join(marker["build"].as_str().unwrap())
}

/// Returns the files of the current build, and its marker.
fn files(pipeline: &Pipeline) -> Vec<PathBuf> {
    let entries = fs::read_dir(build(pipeline)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|it| it.extension().is_none_or(|it| it != "lock"));
    files.push(pipeline.folder.path().join("index/agentdex-index.json"));
    files.sort();
    files
}

/// Searches, and reports whether the index is available; asserts the right result if it is.
async fn is_answered(url: &str) -> bool {
    let answer = http::get(&format!("{url}/api/v1/search?q=book+a+ferry")).await;
    let json: Value = serde_json::from_str(&answer.text).unwrap();
    if answer.status == 503 {
        let code = json["errorCode"].as_str().unwrap();
        assert!(code.starts_with("index_"), "{code}");
        return false;
    }
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(json["total"], 1, "{}", answer.text);
    assert_eq!(json["results"][0]["site"], "ferry.example");
    let suggested = http::get(&format!("{url}/api/v1/suggest?q=ferr")).await;
    if suggested.status != 503 {
        assert_eq!(suggested.status, 200, "{}", suggested.text);
        assert!(suggested.text.contains("Ferry desk"), "{}", suggested.text);
    }
    true
}

/// Waits until searches are answered.
async fn answered(url: &str) {
    until("searches are answered", async || is_answered(url).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_outlives_any_damage_to_any_file_while_it_answers_and_follows_the_next_build() {
    let pipeline = registry().await;
    let server = serve(&pipeline);
    assert!(is_answered(&server.url).await);
    let (is_over, asked) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let asking = tokio::spawn({
        let (url, is_over, asked) = (server.url.clone(), Arc::clone(&is_over), Arc::clone(&asked));
        async move {
            while !is_over.load(Ordering::Relaxed) {
                is_answered(&url).await;
                asked.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    for file in files(&pipeline) {
        let whole = fs::read(&file).unwrap();
        for damage in DAMAGES {
            damage(&file);
            is_answered(&server.url).await;
            fs::write(&file, &whole).unwrap();
        }
    }
    for file in files(&pipeline) {
        cut(&file, 0);
        is_answered(&server.url).await;
    }
    is_over.store(true, Ordering::Relaxed);
    asking.await.unwrap();
    assert!(asked.load(Ordering::Relaxed) > 0);

    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    assert!(is_answered(&server.url).await);
    fs::remove_dir_all(pipeline.folder.path().join("index")).unwrap();
    assert!(!is_answered(&server.url).await);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    assert!(is_answered(&server.url).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_indexer_that_watches_builds_a_damaged_index_anew_beside_a_server() {
    let pipeline = registry().await;
    let _watching = Running(
        Command::new(support::binary("indexer"))
            .args(["--watch", "--database", "sqlite:agentdex.db"])
            .args(["--index", "index"])
            .current_dir(pipeline.folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let server = serve(&pipeline);
    for damage in DAMAGES {
        for number in 0..files(&pipeline).len() {
            answered(&server.url).await;
            let before = build(&pipeline);
            let Some(file) = files(&pipeline).into_iter().nth(number) else {
                continue;
            };
            damage(&file);
            until("the index is rebuilt", async || {
                let pointer = pipeline.folder.path().join("index/agentdex-index.json");
                let pointer = fs::read(pointer).ok();
                let is_whole =
                    pointer.is_some_and(|it| serde_json::from_slice::<Value>(&it).is_ok());
                is_whole && build(&pipeline) != before
            })
            .await;
            answered(&server.url).await;
        }
    }
}
