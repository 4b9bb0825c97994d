//! An index whose files are damaged while programs work on it.

use crate::serving::{registry, serve};
use crate::support;
use crate::support::http;
use crate::support::line::Line;
use crate::support::running::Running;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What happens to a file.
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

/// The build that counts.
fn build(line: &Line) -> PathBuf {
    let index = line.folder.path().join("index");
    let marker = fs::read_to_string(index.join("agentdex-index.json")).unwrap();
    let marker: Value = serde_json::from_str(&marker).unwrap();
    index.join(marker["build"].as_str().unwrap())
}

/// The files of the build that counts, and its marker.
fn files(line: &Line) -> Vec<PathBuf> {
    let entries = fs::read_dir(build(line)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|it| it.extension().is_none_or(|it| it != "lock"));
    files.push(line.folder.path().join("index/agentdex-index.json"));
    files.sort();
    files
}

/// Searches; true for the right answer, false for an outage of the index, and nothing else is answered.
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
    while !is_answered(url).await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_outlives_any_damage_to_any_file_while_it_answers_and_follows_the_next_build() {
    let line = registry().await;
    let server = serve(&line);
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
    for file in files(&line) {
        let whole = fs::read(&file).unwrap();
        for damage in DAMAGES {
            damage(&file);
            is_answered(&server.url).await;
            fs::write(&file, &whole).unwrap();
        }
    }
    for file in files(&line) {
        cut(&file, 0);
        is_answered(&server.url).await;
    }
    is_over.store(true, Ordering::Relaxed);
    asking.await.unwrap();
    assert!(asked.load(Ordering::Relaxed) > 0);

    let indexed = line.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    assert!(is_answered(&server.url).await);
    fs::remove_dir_all(line.folder.path().join("index")).unwrap();
    assert!(!is_answered(&server.url).await);
    let indexed = line.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    assert!(is_answered(&server.url).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_indexer_that_watches_builds_a_damaged_index_anew_beside_a_server() {
    let line = registry().await;
    let _watching = Running(
        Command::new(support::binary("indexer"))
            .args(["--watch", "--database", "sqlite:agentdex.db"])
            .args(["--index", "index"])
            .current_dir(line.folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let server = serve(&line);
    for damage in DAMAGES {
        for number in 0..files(&line).len() {
            answered(&server.url).await;
            let before = build(&line);
            let Some(file) = files(&line).into_iter().nth(number) else {
                continue;
            };
            damage(&file);
            while !fs::read(line.folder.path().join("index/agentdex-index.json"))
                .is_ok_and(|it| serde_json::from_slice::<Value>(&it).is_ok())
                || build(&line) == before
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            answered(&server.url).await;
        }
    }
}
