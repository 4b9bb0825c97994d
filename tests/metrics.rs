//! Tests of the Prometheus metrics of a running crawl.

use crate::crawl::{CARD, CARD_PATH};
use crate::support::http::get;
use crate::support::pipeline::Pipeline;
use crate::support::running::Running;
use crate::support::server::Server;
use crate::support::wait::value_within;
use crate::support::{self, USUAL_TIME};
use simweb::{Answer, Behaviour, Simweb};
use sqlx::Connection as _;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

/// Starts a program; returns it with its address for the operator.
fn start(pipeline: &Pipeline, program: &str, arguments: &[String]) -> (Running, String) {
    let mut child = Command::new(support::binary(program))
        .args(arguments)
        .args(["--admin-listen", "127.0.0.1:0"])
        .env("RUST_LOG", "info")
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    let watching = Running(child);
    let mut lines = log.lines().map(Result::unwrap);
    let address = lines
        .find_map(|line| {
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            let fields = &line["fields"];
            let is_admin = fields["message"]
                .as_str()?
                .starts_with("health and metrics");
            is_admin.then(|| fields["address"].as_str().unwrap().to_owned())
        })
        .unwrap();
    // A full pipe would stop the program.
    std::thread::spawn(move || lines.for_each(drop));
    (watching, address)
}

/// Starts a watching crawler; returns it with its address for the operator.
fn watch(pipeline: &Pipeline) -> (Running, String) {
    let mut arguments = pipeline.crawl_arguments();
    arguments.extend(["--watch", "--delay", "0"].map(str::to_owned));
    start(pipeline, "crawler", &arguments)
}

/// Returns the value of a sample, or `None` if there is no such sample.
pub(crate) fn sample(text: &str, name: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("agentdex_")?.strip_prefix(name));
    line?.strip_prefix(' ')?.parse().ok()
}

/// Asserts that the operator's page describes each metric.
fn assert_described(text: &str) {
    let page = support::workspace_file("docs/operating.md");
    for line in text.lines().filter_map(|it| it.strip_prefix("# TYPE ")) {
        let name = line.split(' ').next().unwrap();
        assert!(
            page.contains(&format!("`{name}")),
            "{name} is not described"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_agree_with_the_requests_that_the_web_received() {
    let mut web = Simweb::builder().addresses(2);
    for number in 0..6 {
        web = web
            .site(&format!("site{number}.example"))
            .behaviour(Behaviour {
                addresses: vec!["127.0.0.1".parse().unwrap()],
                ..Behaviour::default()
            });
        if number < 2 {
            web = web.file(CARD_PATH, CARD);
        }
    }
    // At one address: after the first `Retry-After` the others are postponed.
    for number in 0..4 {
        let throttled = Answer::status(429).header("retry-after", "3600");
        web = web
            .site(&format!("tired{number}.farm.example"))
            .behaviour(Behaviour {
                addresses: vec!["127.0.0.2".parse().unwrap()],
                ..Behaviour::default().path("/robots.txt", throttled)
            });
    }
    let mut pipeline = Pipeline::new(web.start().await.unwrap());
    pipeline.address_delay_ms = 20;
    let (_watching, address) = watch(&pipeline);
    let url = format!("http://{address}/metrics");
    let text = value_within(USUAL_TIME, "each visit is over", async || {
        let text = get(&url).await.text;
        let visits = |outcome: &str| {
            let name = format!("crawler_visits_total{{outcome=\"{outcome}\"}}");
            sample(&text, &name).unwrap_or(0)
        };
        let put_offs = sample(&text, "crawler_put_offs_total").unwrap();
        let is_over = sample(&text, "crawler_in_flight") == Some(0)
            && visits("found") + visits("empty") == 6
            && visits("throttled") + put_offs >= 4;
        if is_over {
            assert_eq!((visits("found"), visits("empty")), (2, 4));
            assert!(visits("throttled") >= 1 && put_offs >= 1, "{text}");
        }
        is_over.then_some(text)
    })
    .await;
    let asked = pipeline.web.requests();
    let robots = asked.iter().filter(|it| it.path == "/robots.txt").count();
    assert_eq!(
        sample(&text, "crawler_requests_total"),
        Some(asked.len() as u64)
    );
    assert_eq!(
        sample(&text, "crawler_robots_fetches_total"),
        Some(robots as u64)
    );
    assert!(sample(&text, "crawler_bytes_total").unwrap() >= 2 * CARD.len() as u64);
    assert_eq!(sample(&text, "crawler_documents_total"), Some(2));
    assert_eq!(sample(&text, "crawler_outages_total"), Some(0));
    assert_eq!(sample(&text, "crawler_frontier_due"), Some(0));
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert_eq!(sample(&text, "crawler_submissions_waiting"), Some(0));
    assert_eq!(
        sample(&text, "crawler_frontier_oldest_due_seconds"),
        Some(0)
    );
    assert_described(&text);
    assert_eq!(get(&format!("http://{address}/")).await.status, 404);
    assert_eq!(
        get(&format!("http://{address}/readyz")).await.text,
        "ready\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_program_reports_whether_it_is_ready_and_what_it_did() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    let data = ["--database", "sqlite:agentdex.db", "--index", "index"];
    let arguments = |more: &[&str]| -> Vec<String> {
        [&data[..], more]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect()
    };

    let (_web, address) = start(&pipeline, "web", &arguments(&["--listen", "127.0.0.1:0"]));
    let at = |path: &str| format!("http://{address}{path}");
    assert_eq!(
        get(&at("/readyz")).await.status,
        200,
        "nothing is listed yet"
    );
    let (indexer, indexing) = start(&pipeline, "indexer", &arguments(&["--watch"]));
    let text = value_within(USUAL_TIME, "the agent is indexed", async || {
        let text = get(&format!("http://{indexing}/metrics")).await.text;
        (sample(&text, "index_generation") == Some(1)).then_some(text)
    })
    .await;
    assert_eq!(sample(&text, "index_lag_changes"), Some(0));
    assert_eq!(sample(&text, "index_lag_seconds"), Some(0));
    assert_eq!(sample(&text, "database_last_change"), Some(1));
    assert_eq!(
        get(&format!("http://{indexing}/readyz")).await.text,
        "ready\n"
    );
    assert_eq!(get(&at("/readyz")).await.text, "ready\n");

    // Damage that a running program meets.
    let index = pipeline.folder.path().join("index");
    drop(indexer);
    std::fs::rename(&index, pipeline.folder.path().join("elsewhere")).unwrap();
    let unready = get(&at("/readyz")).await;
    assert_eq!(unready.status, 503);
    assert!(
        unready.text.starts_with("index: no index at"),
        "{}",
        unready.text
    );
    assert_eq!(get(&at("/healthz")).await.status, 200);
    let text = get(&at("/metrics")).await.text;
    assert_eq!(sample(&text, "index_generation"), None);
    assert_eq!(sample(&text, "database_last_change"), Some(1));
}

/// Starts `web` with a page for the operator; returns its address too.
fn web_with_admin(pipeline: &Pipeline) -> (Server, String) {
    let server = Server::start(
        Command::new(support::binary("web"))
            .args(["--database", "sqlite:agentdex.db", "--index", "index"])
            .args(["--admin-listen", "127.0.0.1:0"])
            .current_dir(pipeline.folder.path()),
    );
    let address = server.began.iter().find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let fields = &line["fields"];
        let is_admin = fields["message"]
            .as_str()?
            .starts_with("health and metrics");
        is_admin.then(|| fields["address"].as_str().unwrap().to_owned())
    });
    let address = address.unwrap();
    (server, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_server_whose_searches_fail_because_pages_are_damaged_is_not_ready() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(pipeline.index().code, Some(0));
    let path = pipeline.folder.path().join("agentdex.db");
    damage(&path, "agents").await;
    let (server, address) = web_with_admin(&pipeline);
    let search = format!("{}/api/v1/search?q=site:mesa.example", server.url);
    assert_eq!(get(&search).await.status, 500);
    let readiness = get(&format!("http://{address}/readyz")).await;
    assert_eq!(readiness.status, 503, "{}", readiness.text);
    assert!(readiness.text.contains("is damaged"), "{}", readiness.text);
    assert!(readiness.text.contains("restore it from a backup"));
}

/// Overwrites the first page of a table, in a database that no program uses.
async fn damage(path: &std::path::Path, table: &str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut database = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut database)
        .await
        .unwrap();
    let page: i64 = sqlx::query_scalar("SELECT rootpage FROM sqlite_schema WHERE name = $1")
        .bind(table)
        .fetch_one(&mut database)
        .await
        .unwrap();
    let size: i64 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut database)
        .await
        .unwrap();
    database.close().await.unwrap();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let garbage = vec![0xa5; usize::try_from(size).unwrap()];
    let place = u64::try_from((page - 1) * size).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &garbage, place).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_web_server_counts_answers_and_searches_for_the_operator_only() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(pipeline.index().code, Some(0));
    let (server, address) = web_with_admin(&pipeline);
    for (path, status) in [
        ("/api/v1/search?q=site:mesa.example", 200),
        ("/api/v1/search?q=site:nothing.example", 200),
        ("/api/v1/search?wrong=1", 400),
        ("/metrics", 404),
        ("/readyz", 404),
        ("/healthz", 404),
    ] {
        let answer = get(&format!("{}{path}", server.url)).await;
        assert_eq!(answer.status, status, "{path}");
    }
    let text = get(&format!("http://{address}/metrics")).await.text;
    for (name, count) in [
        ("web_responses_total{status=\"200\"}", 2),
        ("web_responses_total{status=\"400\"}", 1),
        ("web_responses_total{status=\"404\"}", 3),
        ("web_response_seconds_count", 6),
        ("web_searches_total{result=\"some\"}", 1),
        ("web_searches_total{result=\"none\"}", 1),
        ("web_search_seconds_count", 2),
        ("index_generation", 1),
    ] {
        assert_eq!(sample(&text, name), Some(count), "{name} in {text}");
    }
    assert_described(&text);
}

#[test]
fn an_unusable_admin_address_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let arguments = [
        "--database",
        "sqlite:agentdex.db",
        "--admin-listen",
        &address,
    ];
    let ran = support::run("crawler", folder.path(), &arguments);
    ran.fails_with(2, &["--admin-listen", &address, "in use"]);
    assert!(!folder.path().join("agentdex.db").exists());
    support::run("crawler", folder.path(), &["--admin-listen", "everywhere"])
        .fails_with(2, &["--admin-listen", "127.0.0.1:9091"]);
}

/// A rule on a metric that comes later cannot fire until then.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_registry_has_each_metric_of_alerts_and_dashboard_at_once() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let mut arguments = pipeline.crawl_arguments();
    arguments.extend(["--index", "index", "--listen", "127.0.0.1:0"].map(str::to_owned));
    let (_registry, address) = start(&pipeline, "agentdex", &arguments);
    let text = get(&format!("http://{address}/metrics")).await.text;
    let is_apart = |it: char| !it.is_ascii_alphanumeric() && it != '_';
    let is_metric = |it: &&str| it.starts_with("agentdex_") || it.starts_with("process_");
    let mut used = BTreeSet::new();
    for file in ["prometheus/alerts.yml", "grafana/agentdex.json"] {
        let file = support::workspace_file(&format!("deploy/{file}"));
        let names = file.split(is_apart).filter(is_metric);
        used.extend(names.map(str::to_owned));
    }
    assert!(used.len() >= 40, "{used:?}");
    for name in used {
        let is_sample = |line: &str| {
            let rest = line.strip_prefix(&*name);
            rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
        };
        assert!(text.lines().any(is_sample), "{name} is not in {text}");
    }
    assert_described(&text);
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_and_the_last_backup_are_those_of_the_files() {
    let web = Simweb::builder().site("mesa.example").file(CARD_PATH, CARD);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    assert_eq!(pipeline.crawl(&["--delay", "0"]).code, Some(0));
    assert_eq!(pipeline.index().code, Some(0));
    let (_server, address) = web_with_admin(&pipeline);
    let metrics = async || get(&format!("http://{address}/metrics")).await.text;
    let text = metrics().await;
    assert_eq!(
        sample(&text, "database_last_backup_timestamp_seconds"),
        Some(0)
    );
    let folder = pipeline.folder.path();
    let database = folder.join("agentdex.db").metadata().unwrap();
    assert_eq!(sample(&text, "database_size_bytes"), Some(database.len()));
    let index = sample(&text, "index_size_bytes").unwrap();
    assert!(index > 0 && index < sample(&text, "index_disk_free_bytes").unwrap());
    let free = sample(&text, "database_disk_free_bytes").unwrap();
    assert!(free < sample(&text, "database_disk_size_bytes").unwrap());
    let backup = ["backup", "a.tar.zst", "--database", "sqlite:agentdex.db"];
    assert_eq!(support::run("agentdex", folder, &backup).code, Some(0));
    let text = metrics().await;
    let at = sample(&text, "database_last_backup_timestamp_seconds").unwrap();
    let written = folder
        .join("a.tar.zst")
        .metadata()
        .unwrap()
        .modified()
        .unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!(at <= written && written < at + 600, "{at} and {written}");
}
