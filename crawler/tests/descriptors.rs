//! Crawls with a small limit of open files: no site gets a wrong outcome, and the crawl ends
//! (HS-100).

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use manifest::Domain;
use simweb::{Derived, Simweb};
use std::path::Path;
use std::process::{Command, Output};

const HOSTS: u32 = 200;
const SEED: u64 = 9;

/// Runs a crawl from a shell with this limit of open files.
async fn crawl(web: &Simweb, directory: &Path, files: u32) -> Output {
    std::fs::write(directory.join("seeds.txt"), web.seeds().join("\n")).unwrap();
    std::fs::write(directory.join("ca.pem"), web.ca_pem()).unwrap();
    let mut command = Command::new("sh");
    command
        .current_dir(directory)
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
async fn hs_100_few_descriptors_permit_few_concurrent_visits() {
    let directory = tempfile::tempdir().unwrap();
    let web = Simweb::builder()
        .derived(HOSTS, SEED)
        .start()
        .await
        .unwrap();
    let result = crawl(&web, directory.path(), 64).await;
    let stderr_text = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{stderr_text}");
    let expected = "16 concurrent visits instead of 1024";
    assert!(stderr_text.contains(expected), "{stderr_text}");
    let url = format!("sqlite:{}", directory.path().join("agentdex.db").display());
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
async fn hs_100_without_room_for_one_visit_the_error_names_the_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let web = Simweb::builder().site("a.example").start().await.unwrap();
    let result = crawl(&web, directory.path(), 32).await;
    let stderr_text = String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status.code(), Some(1), "{stderr_text}");
    assert!(
        stderr_text.contains("only 32 files may be open"),
        "{stderr_text}"
    );
    assert!(stderr_text.contains("ulimit -n 1024"), "{stderr_text}");
}
