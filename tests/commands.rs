//! Tests of exclusions, submissions and `status`, as processes beside a crawl.

use crate::support::pipeline::{Pipeline, domain};
use crate::support::postgres::Database;
use crate::support::running::Running;
use crate::support::wait::until;
use crate::support::{Ran, binary, run};
use simweb::Simweb;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DATABASE: [&str; 2] = ["--database", "sqlite:agentdex.db"];

fn command(pipeline: &Pipeline, arguments: &[&str]) -> Ran {
    run(
        "crawler",
        pipeline.folder.path(),
        &[arguments, &DATABASE].concat(),
    )
}

/// Starts a crawler that keeps running.
fn start(pipeline: &Pipeline, more: &[&str]) -> Running {
    let child = Command::new(binary("crawler"))
        .args(pipeline.crawl_arguments())
        .args(more)
        .arg("--watch")
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

fn lookups(pipeline: &Pipeline, host: &str) -> usize {
    let queries = pipeline.web.dns_queries();
    queries.iter().filter(|query| query.name == host).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_an_excluded_domain_causes_no_packet() {
    let web = Simweb::builder().site("stay.example").site("leave.example");
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    pipeline.web.forget();

    let ran = command(
        &pipeline,
        &["exclude", "leave.example", "--reason", "asked"],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(ran.output.contains("deleted 1 domain"), "{}", ran.output);
    let store = pipeline.store().await;
    let site = store.site(&domain("leave.example")).await.unwrap();
    assert_eq!(site, None);

    let added = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(added.code, Some(0), "{}", added.output);
    assert_eq!(lookups(&pipeline, "leave.example"), 0);
    assert!(pipeline.web.requests_of("leave.example").is_empty());

    let back = command(&pipeline, &["exclude", "leave.example", "--remove"]);
    assert_eq!(back.code, Some(0), "{}", back.output);
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(
        pipeline.web.requests_of("leave.example")[0].path,
        "/robots.txt"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_nothing_of_an_excluded_site_stays_in_the_files_of_the_index() {
    let mut web = Simweb::builder();
    for name in ["leave", "one", "two", "three", "four"] {
        let card = serde_json::json!({
            "protocolVersion": "0.3.0", "name": name, "description": format!("What {name} can do."),
            "url": format!("https://{name}.example/a2a"), "version": "1.0.0", "capabilities": {},
            "skills": [], "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        });
        let site = web.site(format!("{name}.example").as_str());
        web = site.file("/.well-known/agent-card.json", card.to_string());
    }
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(pipeline.index().code, Some(0));
    let ran = command(
        &pipeline,
        &["exclude", "leave.example", "--reason", "asked"],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let index = pipeline.folder.path().join("index/build-1");
    let files = std::fs::read_dir(index).unwrap();
    let files: Vec<_> = files.map(|it| it.unwrap().path()).collect();
    let has = |kind: &str| {
        let mut kinds = files.iter().filter_map(|it| it.extension());
        kinds.any(|it| it == kind)
    };
    // A segment that still has deleted agents has a `.del` file beside it.
    assert!(has("store") && !has("del"), "{files:?}");
    let arguments = [&["search", "--index", "index", ""], &DATABASE[..]].concat();
    let ran = run("indexer", pipeline.folder.path(), &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(!ran.output.contains("leave.example"), "{}", ran.output);
    assert!(ran.output.contains("four.example"), "{}", ran.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_a_check_does_not_contact_an_excluded_domain() {
    let web = Simweb::builder().site("leave.example");
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let excluded = ["exclude", "leave.example", "--reason", "asked"];
    assert_eq!(command(&pipeline, &excluded).code, Some(0));
    let target = format!("leave.example:{}", pipeline.web.https_port());
    let nameserver = pipeline.web.dns_address().to_string();
    let check = check(&target, &nameserver);
    let refused = command(&pipeline, &check);
    refused.fails_with(1, &["leave.example is excluded (asked)"]);
    assert_eq!(lookups(&pipeline, "leave.example"), 0);

    let elsewhere = ["--database", "sqlite:nowhere/agentdex.db"];
    let checked = run(
        "crawler",
        pipeline.folder.path(),
        &[&check[..], &elsewhere].concat(),
    );
    assert_eq!(checked.code, Some(0), "{}", checked.output);
    assert!(!pipeline.folder.path().join("nowhere").exists());
}

/// Returns the arguments of a check within a simulated web.
fn check<'a>(target: &'a str, nameserver: &'a str) -> Vec<&'a str> {
    let of_site = ["check", target, "--nameserver", nameserver, "--delay", "0"];
    let of_web = ["--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"];
    [&of_site[..], &of_web].concat()
}

/// The next command would wait for the end of the role's term.
#[tokio::test(flavor = "multi_thread")]
async fn a_check_gives_its_role_at_a_server_back() {
    let Some(database) = Database::create().await else {
        return;
    };
    let empty = store::open(&database.url(), &[]).await.unwrap();
    empty.close().await;
    let web = Simweb::builder().site("mesa.example");
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let target = format!("mesa.example:{}", pipeline.web.https_port());
    let nameserver = pipeline.web.dns_address().to_string();
    let (check, url) = (check(&target, &nameserver), database.url());
    let arguments = [&check[..], &["--database", &url]].concat();
    let ran = run("crawler", pipeline.folder.path(), &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let roles = "SELECT COUNT(*) FROM roles WHERE until >= now()";
    assert_eq!(database.number(roles).await, 0);
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_messages_of_commands_name_the_fault() {
    let pipeline = Pipeline::new(Simweb::builder().start().await.unwrap());
    let says = |arguments: &[&str], code: i32, words: &[&str]| {
        command(&pipeline, arguments).fails_with(code, words);
    };
    says(
        &["exclude", "com", "--reason", "x"],
        2,
        &["'com'", "domain"],
    );
    says(&["exclude", "a.example", "--reason", " "], 2, &["--reason"]);
    says(&["exclude", "a.example"], 2, &["--reason"]);
    says(&["exclude", "a.example", "--remove"], 1, &["not excluded"]);
    let whole = ["exclude", "b.example", "--suffix", "--reason", "asked"];
    says(&whole, 0, &["b.example and all its subdomains"]);
    for name in ["b.example", "www.b.example"] {
        let covered = "crawler exclude b.example --suffix --remove";
        says(&["exclude", name, "--remove"], 1, &[name, covered]);
    }
    for target in ["c.example:8443", "https://c.example/agents?x#y"] {
        let excluded = ["exclude", target, "--reason", "asked"];
        says(&excluded, 0, &["c.example: no longer visited"]);
    }
    let below = ["exclude", "c.example", "--suffix", "--remove"];
    says(&below, 1, &["crawler exclude c.example --remove"]);
    let mailbox = ["exclude", "ann@d.example", "--reason", "asked"];
    says(&mailbox, 2, &["'ann@d.example'"]);
    says(&["forget", "127.0.0.1"], 2, &["IP address"]);
    says(
        &["forget", "a.example"],
        0,
        &["no data of a.example is stored"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn p39_a_watching_crawler_visits_a_submission_within_seconds() {
    let web = Simweb::builder().site("mesa.example");
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let port = pipeline.web.https_port();
    std::fs::write(
        pipeline.folder.path().join("seeds.txt"),
        "# none yet\nother.example\n",
    )
    .unwrap();
    let store = pipeline.store().await;
    let _crawler = start(&pipeline, &["--delay", "0"]);
    until("the first site is visited", async || {
        let site = store.site(&domain("other.example")).await.unwrap();
        site.is_some_and(|site| site.last_visit.is_some())
    })
    .await;
    let now = manifest::Timestamp(0);
    let request = store::VisitRequest {
        kind: store::SubmissionKind::New,
        id: "one".to_owned(),
        domain: domain("mesa.example"),
        port: Some(port),
        network: String::new(),
        token_hash: None,
    };
    store.submit(&request, now).await.unwrap();
    let started = Instant::now();
    until(
        "the submitted site is asked for its robots.txt",
        async || {
            let requests = pipeline.web.requests_of("mesa.example");
            requests.first().is_some_and(|it| it.path == "/robots.txt")
        },
    )
    .await;
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    until("the submission has its result", async || {
        let submission = store.submission("one").await.unwrap().unwrap();
        submission.state == store::SubmissionState::Visited
            && submission.outcome == Some(store::Outcome::Empty)
    })
    .await;
    let shown = command(&pipeline, &["status", "--json"]);
    assert_eq!(shown.code, Some(0), "{}", shown.output);
    let status: serde_json::Value = serde_json::from_str(&shown.output).unwrap();
    assert_eq!(
        (&status["domains"], &status["submissions"]),
        (&2.into(), &0.into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_a_document_references_is_visited_as_discovered() {
    let catalogue = serde_json::json!({"specVersion": "1.0", "entries": [{
        "identifier": "urn:air:mesa.example:agent:other", "displayName": "Other",
        "type": "application/a2a-agent-card+json",
        "url": "https://other.example/card.json",
    }]});
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/.well-known/ai-catalog.json", catalogue.to_string());
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    let store = pipeline.store().await;
    let site = store.site(&domain("other.example")).await.unwrap().unwrap();
    assert_eq!(site.source, store::SeedSource::Discovered);
    assert!(site.last_visit.is_some());
}
