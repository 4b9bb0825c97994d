//! A crawl that may have few files open (row 100): it loses nothing, blames nobody and ends.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use manifest::Domain;
use simweb::{Derived, Simweb};
use std::path::Path;
use std::process::{Command, Output};

const HOSTS: u32 = 200;
const SEED: u64 = 9;

/// Crawls a web from a shell that allows so many open files.
async fn crawl(web: &Simweb, folder: &Path, files: u32) -> Output {
    std::fs::write(folder.join("seeds.txt"), web.seeds().join("\n")).unwrap();
    std::fs::write(folder.join("ca.pem"), web.ca_pem()).unwrap();
    let mut command = Command::new("sh");
    command
        .current_dir(folder)
        .args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh"])
        .arg(env!("CARGO_BIN_EXE_crawler"))
        .args(["--seeds", "seeds.txt", "--database", "sqlite:agentdex.db"])
        .args(["--nameserver", &web.dns_address().to_string()])
        .args(["--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"])
        .args(["--address-delay", "0", "--delay", "50"])
        .args(["--contact", "https://registry.example/bot"])
        .args(["--progress", "none"]);
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn row_100_few_descriptors_mean_few_visits_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let web = Simweb::builder()
        .derived(HOSTS, SEED)
        .start()
        .await
        .unwrap();
    let ran = crawl(&web, folder.path(), 64).await;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let expected = "16 visits at the same time instead of 1024";
    assert!(said.contains(expected), "{said}");
    let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
    let store = store::open(&url, &[]).await.unwrap();
    let derived = Derived::new(HOSTS, SEED);
    for number in 0..HOSTS {
        let (host, truth) = (derived.host(number), derived.truth(number));
        let site = store.site(&Domain::parse(&host).unwrap()).await.unwrap();
        let outcome = site.and_then(|site| site.last_outcome);
        let outcome = outcome.map(store::Outcome::as_str);
        assert_eq!(outcome, Some(truth.outcome), "{host} is {:?}", truth.kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn row_100_without_room_for_one_visit_the_crawl_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let web = Simweb::builder().site("a.example").start().await.unwrap();
    let ran = crawl(&web, folder.path(), 32).await;
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("only 32 files may be open"), "{said}");
    assert!(said.contains("ulimit -n 1024"), "{said}");
}
