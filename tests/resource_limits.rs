//! HS-100: limits of the crawler's own process, such as a full disk or a locked database.
//!
//! SIGKILL is in [`crate::kill`]; clocks that jump are in the unit tests of what takes a clock.

use crate::support::pipeline::{self, Pipeline};
use crate::support::running::Running;
use crate::support::wait::{until, value_within};
use crate::support::{self, Ran, http};
use simweb::Simweb;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use store::Outcome;

const SITES: usize = 40;

/// Starts a web of agents whose manifests compress badly, some hundred kilobytes each.
async fn web(bytes: usize) -> Simweb {
    let mut web = Simweb::builder();
    for number in 0..SITES {
        let noise = (0..bytes / 8).fold(String::new(), |mut noise, word| {
            let mixed = (number * bytes + word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let _ = write!(noise, "{:08x}", mixed >> 32);
            noise
        });
        let card = serde_json::json!({
            "protocolVersion": "0.3.0", "name": format!("Clerk {number}"),
            "description": "Answers letters", "version": "1.0.0",
            "url": format!("https://site-{number}.example/a2a"),
            "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "answer", "name": "Answer", "description": "Answers a letter", "tags": ["mail"]}],
            "x-noise": noise,
        });
        web = web
            .site(&format!("site-{number}.example"))
            .file("/.well-known/agent-card.json", card.to_string());
    }
    web.start().await.unwrap()
}

/// Asserts that every site has one result, which is that its manifest was found, and that it was
/// visited no more often than twice, and once if a run before the last had `recorded` it.
async fn assert_all_found(pipeline: &Pipeline, recorded: &[String]) {
    let store = pipeline.store().await;
    for host in pipeline.web.hosts() {
        let domain = pipeline::domain(&host);
        let site = store.site(&domain).await.unwrap().unwrap();
        assert_eq!(site.visits.len(), 1, "{host}");
        assert_eq!(site.last_outcome, Some(Outcome::Found), "{host}");
        assert_eq!(store.documents(&domain).await.unwrap().len(), 1, "{host}");
        let requests = pipeline.web.requests_of(&host);
        let robots = requests.iter().filter(|it| it.path == "/robots.txt");
        let most = if recorded.contains(&host) { 1 } else { 2 };
        assert!((1..=most).contains(&robots.count()), "{host}: {requests:?}");
    }
}

/// Returns the sites with a recorded visit in the database in `folder`.
async fn recorded(pipeline: &Pipeline, folder: &Path) -> Vec<String> {
    let store = pipeline::open(folder).await;
    let mut recorded = Vec::new();
    for host in pipeline.web.hosts() {
        let site = store.site(&pipeline::domain(&host)).await.unwrap();
        if site.is_some_and(|site| !site.visits.is_empty()) {
            recorded.push(host);
        }
    }
    recorded
}

#[tokio::test(flavor = "multi_thread")]
async fn hs_100_a_disk_that_fills_up_loses_and_doubles_nothing() {
    let pipeline = Pipeline::new(web(200_000).await);
    let folder = pipeline.folder.path().to_owned();
    for name in ["small", "between"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    let mount = ["-rm", "mount", "-t", "tmpfs", "small", "./small"];
    let allowed = support::run_program("unshare", &folder, &mount);
    if allowed.code != Some(0) {
        support::skip("mounting a file system is not permitted here, so no disk can be filled");
        return;
    }
    // Few visits at once, so that some are recorded before the disk is full.
    let crawl = std::iter::once(support::binary("crawler").display().to_string())
        .chain(pipeline.crawl_arguments())
        .chain(["--delay", "20", "--concurrency", "4"].map(str::to_owned))
        .map(|word| word.replace("sqlite:agentdex.db", "sqlite:small/agentdex.db"));
    let crawl = crawl.collect::<Vec<_>>().join(" ");
    // A file system of two megabytes in a mount namespace of its own, which grows when it is full.
    let script = format!(
        "mount -t tmpfs -o size=2m small ./small || exit 9
         {crawl}; echo \"first: $?\"
         cp small/agentdex.db* between; rm -f between/agentdex.db-shm
         mount -o remount,size=100m ./small || exit 10
         {crawl}; echo \"second: $?\"
         cp small/agentdex.db* ."
    );
    let between = folder.join("between");
    let ran = tokio::task::spawn_blocking(move || {
        support::run_program("unshare", &folder, &["-rm", "sh", "-c", &script])
    });
    let ran: Ran = ran.await.unwrap();
    ran.fails_with(0, &["first: 1", "is full", "second: 0"]);
    let recorded = recorded(&pipeline, &between).await;
    assert!((1..SITES).contains(&recorded.len()), "{recorded:?}");
    assert_all_found(&pipeline, &recorded).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hs_100_a_database_locked_for_good_ends_the_crawl_and_loses_nothing() {
    let pipeline = Pipeline::new(web(100).await);
    let log = std::fs::File::create(pipeline.folder.path().join("locked.log")).unwrap();
    let mut crawler = Command::new(support::binary("crawler"))
        .args(pipeline.crawl_arguments())
        .args(["--delay", "300"])
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    let is_under_way = async || pipeline.web.requests().len() >= SITES;
    until("the crawl is under way", is_under_way).await;
    let mut other = foreign_connection(&pipeline.folder.path().join("agentdex.db")).await;
    let writing = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let ended = async || crawler.try_wait().unwrap();
    let what = "a crawl with a locked database ends";
    let status = value_within(support::USUAL_TIME, what, ended).await;
    writing.rollback().await.unwrap();
    other.close().await.unwrap();
    let output = std::fs::read_to_string(pipeline.folder.path().join("locked.log")).unwrap();
    assert_eq!(status.code(), Some(1), "{output}");
    assert!(output.contains("locked"), "{output}");

    let again = pipeline.crawl(&["--delay", "20"]);
    assert_eq!(again.code, Some(0), "{}", again.output);
    assert_all_found(&pipeline, &[]).await;
}

/// Opens a connection as a foreign program does.
async fn foreign_connection(path: &Path) -> sqlx::SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path);
    options.connect().await.unwrap()
}

/// P19: the gap of an address holds from run to run, although the hosts are not the same.
#[tokio::test(flavor = "multi_thread")]
async fn p19_two_runs_keep_the_gap_of_an_address() {
    const GAP: Duration = Duration::from_millis(700);
    let web = Simweb::builder().site("one.example").site("two.example");
    let mut pipeline = Pipeline::new(web.start().await.unwrap());
    pipeline.address_delay_ms = 700;
    let asked = |pipeline: &Pipeline| {
        pipeline
            .web
            .requests()
            .iter()
            .map(|it| it.at)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        pipeline.crawl(&["--delay", "20", "--limit", "1"]).code,
        Some(0)
    );
    let first = asked(&pipeline);
    assert_eq!(
        pipeline.crawl(&["--delay", "20", "--limit", "1"]).code,
        Some(0)
    );
    let both = asked(&pipeline);
    let (last, next) = (both[first.len() - 1], both[first.len()]);
    assert!(next - last >= GAP, "{:?}", next - last);
}

/// Shell in a mount namespace of its own, which takes commands on its standard input.
struct Shell {
    running: Running,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Shell {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new("unshare")
            .args(["-rm", "sh"])
            .current_dir(folder)
            .env("AGENTDEX_RATE_LIMIT", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            running: Running(child),
            input,
            output,
        }
    }

    /// Runs a command, and waits for its end.
    fn run(&mut self, command: &str) {
        io::Write::write_all(&mut self.input, format!("{command}; echo $?\n").as_bytes()).unwrap();
        let code = self.output.next().unwrap().unwrap();
        assert_eq!(code, "0", "{command}");
    }
}

/// HS-100: writes are refused with 503 while the disk is full, pages are answered, and both the
/// registry and its crawler recover by themselves.
#[tokio::test(flavor = "multi_thread")]
async fn hs_100_a_registry_on_a_full_disk_answers_and_recovers() {
    let pipeline = Pipeline::new(web(1_000).await);
    let folder = pipeline.folder.path().to_owned();
    std::fs::create_dir(folder.join("small")).unwrap();
    let mount = ["-rm", "mount", "-t", "tmpfs", "small", "./small"];
    if support::run_program("unshare", &folder, &mount).code != Some(0) {
        support::skip("mounting a file system is not permitted here, so no disk can be filled");
        return;
    }
    let mut shell = Shell::start(&folder);
    shell.run("mount -t tmpfs -o size=8m small ./small");
    let registry = std::iter::once(support::binary("agentdex").display().to_string())
        .chain(pipeline.crawl_arguments())
        .chain(
            [
                "--delay",
                "20",
                "--index",
                "index",
                "--listen",
                "127.0.0.1:0",
            ]
            .map(str::to_owned),
        )
        .chain(["--admin-listen", "127.0.0.1:0"].map(str::to_owned))
        .map(|word| word.replace("sqlite:agentdex.db", "sqlite:small/agentdex.db"));
    let registry = registry.collect::<Vec<_>>().join(" ");
    // The shell and its children end with their input.
    shell.run(&format!(
        "{registry} >registry.log 2>&1 & echo $! >registry.pid"
    ));
    let address = async |before: &str| {
        value_within(support::USUAL_TIME, "the registry listens", async || {
            let log = std::fs::read_to_string(folder.join("registry.log")).ok()?;
            let rest = log.split_once(before)?.1;
            let end = rest.find(|it: char| !(it.is_ascii_digit() || matches!(it, '.' | ':')))?;
            Some(format!("http://{}", &rest[..end]))
        })
        .await
    };
    let url = address("registry: http://").await;
    let admin = address("metrics are served at ").await;
    let submit = async |number: usize| {
        let body = serde_json::json!({ "domain": format!("new-{number}.example.org") });
        http::post_json(&format!("{url}/api/v1/submit"), &body)
            .await
            .status
    };
    let is_ready = async || http::get(&format!("{admin}/readyz")).await.status == 200;
    until("the registry is ready", async || is_ready().await).await;

    shell.run("dd if=/dev/zero of=small/fill bs=1k 2>/dev/null; true");
    let mut number = SITES;
    until("a write is refused", async || {
        number += 1;
        submit(number).await == 503
    })
    .await;
    assert!(!is_ready().await, "a database without space is not ready");
    assert_eq!(http::get(&url).await.status, 200, "pages are answered");

    shell.run("rm small/fill");
    until("a write is accepted", async || {
        number += 1;
        submit(number).await == 202
    })
    .await;
    until("the registry is ready again", async || is_ready().await).await;
    shell.run("kill $(cat registry.pid); wait $(cat registry.pid); true");
    let log = std::fs::read_to_string(folder.join("registry.log")).unwrap();
    assert!(log.contains("is full"), "{log}");
    drop(shell.running);
}
