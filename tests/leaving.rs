//! Leaving, arriving and looking at the frontier, as processes beside a running crawler.

use crate::support::line::{Line, domain};
use crate::support::running::Running;
use crate::support::{Ran, binary, run};
use simweb::Simweb;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DATABASE: [&str; 2] = ["--database", "sqlite:agentdex.db"];

fn command(line: &Line, arguments: &[&str]) -> Ran {
    run(
        "crawler",
        line.folder.path(),
        &[arguments, &DATABASE].concat(),
    )
}

/// Starts a crawler that keeps running.
fn start(line: &Line, more: &[&str]) -> Running {
    let child = Command::new(binary("crawler"))
        .args(line.crawl_arguments())
        .args(more)
        .arg("--watch")
        .current_dir(line.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

/// Waits until it is so, half a minute at most.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !is_so().await {
        assert!(started.elapsed() < Duration::from_secs(30), "never {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn lookups(line: &Line, host: &str) -> usize {
    let queries = line.web.dns_queries();
    queries.iter().filter(|query| query.name == host).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_an_excluded_domain_causes_no_packet() {
    let web = Simweb::builder().site("stay.example").site("leave.example");
    let line = Line::new(web.start().await.unwrap());
    assert_eq!(line.crawl(&["--delay", "0"]).code, Some(0));
    line.web.forget();

    let told = command(&line, &["exclude", "leave.example", "--reason", "asked"]);
    assert_eq!(told.code, Some(0), "{}", told.output);
    assert!(told.output.contains("deleted 1 domain"), "{}", told.output);
    let store = line.store().await;
    let site = store.site(&domain("leave.example")).await.unwrap();
    assert_eq!(site, None);

    let added = line.crawl(&["--delay", "0"]);
    assert_eq!(added.code, Some(0), "{}", added.output);
    assert_eq!(lookups(&line, "leave.example"), 0);
    assert!(line.web.requests_of("leave.example").is_empty());

    let back = command(&line, &["exclude", "leave.example", "--remove"]);
    assert_eq!(back.code, Some(0), "{}", back.output);
    assert_eq!(line.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(line.web.requests_of("leave.example")[0].path, "/robots.txt");
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
    let line = Line::new(web.start().await.unwrap());
    assert_eq!(line.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(line.index().code, Some(0));
    let told = command(&line, &["exclude", "leave.example", "--reason", "asked"]);
    assert_eq!(told.code, Some(0), "{}", told.output);
    let indexed = line.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let index = line.folder.path().join("index/build-1");
    let files = std::fs::read_dir(index).unwrap();
    let files: Vec<_> = files.map(|it| it.unwrap().path()).collect();
    let has = |kind: &str| {
        let mut kinds = files.iter().filter_map(|it| it.extension());
        kinds.any(|it| it == kind)
    };
    // Where deleted agents are still in a segment, a file beside it says which.
    assert!(has("store") && !has("del"), "{files:?}");
    let arguments = [&["search", "--index", "index", ""], &DATABASE[..]].concat();
    let left = run("indexer", line.folder.path(), &arguments);
    assert_eq!(left.code, Some(0), "{}", left.output);
    assert!(!left.output.contains("leave.example"), "{}", left.output);
    assert!(left.output.contains("four.example"), "{}", left.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_a_check_leaves_an_excluded_domain_alone() {
    let web = Simweb::builder().site("leave.example");
    let line = Line::new(web.start().await.unwrap());
    let excluded = ["exclude", "leave.example", "--reason", "asked"];
    assert_eq!(command(&line, &excluded).code, Some(0));
    let target = format!("leave.example:{}", line.web.https_port());
    let nameserver = line.web.dns_address().to_string();
    let check = [
        &[
            "check",
            &target,
            "--nameserver",
            &nameserver,
            "--delay",
            "0",
        ][..],
        &["--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"],
    ]
    .concat();
    let refused = command(&line, &check);
    refused.fails_with(1, &["leave.example is excluded (asked)"]);
    assert_eq!(lookups(&line, "leave.example"), 0);

    let elsewhere = ["--database", "sqlite:nowhere/agentdex.db"];
    let checked = run(
        "crawler",
        line.folder.path(),
        &[&check[..], &elsewhere].concat(),
    );
    assert_eq!(checked.code, Some(0), "{}", checked.output);
    assert!(!line.folder.path().join("nowhere").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_a_running_crawler_takes_notice_within_a_minute() {
    let web = Simweb::builder()
        .site("a.shop.example")
        .site("b.shop.example");
    let line = Line::new(web.start().await.unwrap());
    let _crawler = start(&line, &["--delay", "3000"]);
    // The hosts of a site take turns: one is being visited now, the other waits under its lease.
    until("visited", async || !line.web.requests().is_empty()).await;
    let waiting = if line.web.requests_of("a.shop.example").is_empty() {
        "a.shop.example"
    } else {
        "b.shop.example"
    };
    let told = command(
        &line,
        &["exclude", "shop.example", "--suffix", "--reason", "asked"],
    );
    assert_eq!(told.code, Some(0), "{}", told.output);
    tokio::time::sleep(Duration::from_secs(12)).await;
    let before = line.web.requests().len();
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(line.web.requests().len(), before);
    assert_eq!(lookups(&line, waiting), 0);
    let stats = line.store().await.stats(manifest::Timestamp(0)).await;
    assert_eq!(stats.unwrap().domains, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn p04_commands_say_what_is_wrong() {
    let line = Line::new(Simweb::builder().start().await.unwrap());
    let says = |arguments: &[&str], code: i32, words: &[&str]| {
        command(&line, arguments).fails_with(code, words);
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
    says(&whole, 0, &["b.example and everything below it"]);
    for name in ["b.example", "www.b.example"] {
        let covered = "crawler exclude b.example --suffix --remove";
        says(&["exclude", name, "--remove"], 1, &[name, covered]);
    }
    for target in ["c.example:8443", "https://c.example/agents?x#y"] {
        let excluded = ["exclude", target, "--reason", "asked"];
        says(&excluded, 0, &["c.example: not visited"]);
    }
    let below = ["exclude", "c.example", "--suffix", "--remove"];
    says(&below, 1, &["crawler exclude c.example --remove"]);
    let mailbox = ["exclude", "ann@d.example", "--reason", "asked"];
    says(&mailbox, 2, &["'ann@d.example'"]);
    says(&["forget", "127.0.0.1"], 2, &["IP address"]);
    says(&["forget", "a.example"], 0, &["nothing is stored"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn p39_a_watching_crawler_takes_a_submission_up_within_seconds() {
    let web = Simweb::builder().site("mesa.example");
    let line = Line::new(web.start().await.unwrap());
    let port = line.web.https_port();
    std::fs::write(
        line.folder.path().join("seeds.txt"),
        "# none yet\nother.example\n",
    )
    .unwrap();
    let store = line.store().await;
    let _crawler = start(&line, &["--delay", "0"]);
    until("begun", async || {
        let site = store.site(&domain("other.example")).await.unwrap();
        site.is_some_and(|site| site.last_visit.is_some())
    })
    .await;
    let now = manifest::Timestamp(0);
    let mesa = domain("mesa.example");
    let id = store.submit(&mesa, Some(port), now).await.unwrap();
    let started = Instant::now();
    until("visited", async || {
        let requests = line.web.requests_of("mesa.example");
        requests.first().is_some_and(|it| it.path == "/robots.txt")
    })
    .await;
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    until("answered", async || {
        let submission = store.submission(id).await.unwrap().unwrap();
        submission.state == store::SubmissionState::Visited
            && submission.result.as_deref() == Some("empty")
    })
    .await;
    let shown = command(&line, &["status", "--json"]);
    assert_eq!(shown.code, Some(0), "{}", shown.output);
    let status: serde_json::Value = serde_json::from_str(&shown.output).unwrap();
    assert_eq!(
        (&status["domains"], &status["submissions"]),
        (&2.into(), &0.into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_a_document_leads_to_is_visited_on_its_own_terms() {
    let catalogue = serde_json::json!({"specVersion": "1.0", "entries": [{
        "identifier": "urn:air:mesa.example:agent:other", "displayName": "Other",
        "type": "application/a2a-agent-card+json",
        "url": "https://other.example/card.json",
    }]});
    let web = Simweb::builder()
        .site("mesa.example")
        .file("/.well-known/ai-catalog.json", catalogue.to_string());
    let line = Line::new(web.start().await.unwrap());
    assert_eq!(line.crawl(&["--delay", "0"]).code, Some(0));
    let store = line.store().await;
    let site = store.site(&domain("other.example")).await.unwrap().unwrap();
    assert_eq!(site.source, store::SeedSource::Discovered);
    assert!(site.last_visit.is_some());
}
