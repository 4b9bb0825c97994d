//! Visits that visitors of a registry ask for (P47), over HTTP alone: an owner submits a site, follows
//! it to its result, mends its manifest and has it rechecked.

use crate::support::pipeline::Pipeline;
use crate::support::running::Running;
use crate::support::server::Server;
use crate::support::wait::{until, value_within};
use crate::support::{USUAL_TIME, binary, http, run};
use serde_json::{Value, json};
use simweb::Simweb;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const CARD: &str = "/.well-known/agent-card.json";

/// A card that lacks members which its format requires.
const FAULTY: &str = r#"{"protocolVersion": "0.3.0", "name": "Shop desk", "url": "https://shop.example/a2a",
    "skills": [{"id": "order", "name": "Order a chair"}]}"#;

/// The same card without these faults, and with another skill.
const MENDED: &str = r#"{"protocolVersion": "0.3.0", "name": "Shop desk", "description": "Sells chairs.",
    "url": "https://shop.example/a2a", "version": "1.0.0", "capabilities": {},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "order", "name": "Order a chair", "description": "Orders a chair.", "tags": ["chair"]},
               {"id": "return", "name": "Return a chair", "description": "Takes a chair back.", "tags": ["chair"]}]}"#;

/// Prepares a registry that knows another site, and not the shop.
async fn pipeline() -> Pipeline {
    let web = Simweb::builder()
        .site("other.example")
        .site("shop.example")
        .file(CARD, FAULTY);
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let seed = format!("other.example:{}\n", pipeline.web.https_port());
    std::fs::write(pipeline.folder.path().join("seeds.txt"), seed).unwrap();
    pipeline
}

fn agentdex(pipeline: &Pipeline) -> Server {
    let mut command = Command::new(binary("agentdex"));
    command
        .args(pipeline.crawl_arguments())
        .args(["--delay", "0", "--index", "index"])
        .current_dir(pipeline.folder.path());
    Server::start(&mut command)
}

/// Posts to an address of the registry; returns the status and the body.
/// Posts a body, again while the registry is busy: on a slow machine, another process may write for
/// longer than a request waits.
async fn post(server: &Server, path: &str, body: &Value) -> (u16, Value) {
    let answer = value_within(USUAL_TIME, "the registry is not busy", async || {
        let answer = http::post_json(&format!("{}{path}", server.url), body).await;
        (answer.status != 503).then_some(answer)
    })
    .await;
    let body = serde_json::from_str(&answer.text);
    (
        answer.status,
        body.unwrap_or_else(|_| panic!("{path}: {}", answer.text)),
    )
}

async fn get(server: &Server, path: &str) -> (u16, Value) {
    let answer = http::get(&format!("{}{path}", server.url)).await;
    let body = serde_json::from_str(&answer.text);
    (
        answer.status,
        body.unwrap_or_else(|_| panic!("{path}: {}", answer.text)),
    )
}

/// Follows an accepted request to its result, with the documents read.
async fn follow(server: &Server, accepted: &Value) -> Value {
    let path = accepted["links"]["submission"].as_str().unwrap();
    value_within(USUAL_TIME, "the result of the submission", async || {
        let (status, body) = get(server, path).await;
        assert_eq!(status, 200, "{body}");
        assert_ne!(body["state"], "refused", "{body}");
        (body["state"] == "visited" && !body["after"].is_null()).then_some(body)
    })
    .await
}

#[expect(
    clippy::disallowed_methods,
    reason = "the wall clock is compared with the log of the simulated web"
)]
fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(since.unwrap().as_millis()).unwrap()
}

/// Asserts that a visit which was asked for at `asked` has begun soon after, and prints when.
#[expect(clippy::print_stdout, reason = "the time is part of the answer")]
fn began_soon(pipeline: &Pipeline, what: &str, asked: u64) {
    let requests = pipeline.web.requests_of("shop.example");
    let first = requests.first().unwrap();
    assert_eq!(first.path, "/robots.txt");
    let wait = Duration::from_millis(first.unix_ms.saturating_sub(asked));
    println!("{what}: the first request came {wait:?} after the answer was asked for");
    // A second on an idle machine; this one may be busy.
    assert!(wait < Duration::from_secs(5), "{wait:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn p47_an_owner_submits_mends_and_rechecks_a_site_over_http_alone() {
    let pipeline = pipeline().await;
    let server = agentdex(&pipeline);
    let (status, unknown) = get(&server, "/api/v1/sites/shop.example").await;
    assert_eq!(status, 404);
    let advice = unknown["detail"].as_str().unwrap();
    assert!(advice.contains("/api/v1/submit"), "{advice}");

    // Submit.
    let url = pipeline.web.url("shop.example", "/about");
    let asked = unix_ms();
    let (status, waiting) = post(&server, "/api/v1/submit", &json!({ "domain": url })).await;
    assert_eq!(status, 202, "{waiting}");
    assert_eq!(
        (&waiting["kind"], &waiting["domain"]),
        (&json!("new"), &json!("shop.example"))
    );
    let listed = follow(&server, &waiting).await;
    began_soon(&pipeline, "submission", asked);
    assert_eq!(listed["outcome"], "found", "{listed}");
    assert_eq!(listed["after"]["agents"][0]["name"], "Shop desk");
    assert_eq!(listed["after"]["capabilities_total"], 1);
    let faults = listed["after"]["findings_total"].as_u64().unwrap();
    assert!(faults > 0, "{listed}");

    // Mend, submit again, compare.
    pipeline.web.put("shop.example", CARD, MENDED).unwrap();
    pipeline.web.forget();
    let again = json!({ "domain": "shop.example" });
    let asked = unix_ms();
    let (status, waiting) = post(&server, "/api/v1/submit", &again).await;
    assert_eq!(
        (status, &waiting["kind"]),
        (202, &json!("recheck")),
        "{waiting}"
    );
    let mended = follow(&server, &waiting).await;
    began_soon(&pipeline, "recheck", asked);
    let asked_paths: Vec<_> = pipeline
        .web
        .requests_of("shop.example")
        .into_iter()
        .map(|it| it.path)
        .collect();
    assert_eq!(
        asked_paths,
        ["/robots.txt", CARD],
        "the known locations only"
    );
    assert_eq!(mended["before"], listed["after"], "{mended}");
    assert_eq!(mended["after"]["capabilities_total"], 2);
    assert!(
        mended["after"]["findings_total"].as_u64().unwrap() < faults,
        "{mended}"
    );
    let changes = &mended["changes"];
    assert!(
        !changes["findings_mended"].as_array().unwrap().is_empty(),
        "{changes}"
    );
    assert_eq!(
        (&changes["agents_added"], &changes["is_complete"]),
        (&json!([]), &json!(true))
    );

    // The next one has a time.
    let (status, known) = post(&server, "/api/v1/submit", &again).await;
    assert_eq!(
        (status, &known["state"], &known["agents"]),
        (200, &json!("listed"), &json!(1))
    );
    assert!(known["next_allowed"].is_string(), "{known}");
    let recheck = known["links"]["recheck"].as_str().unwrap();
    let (status, early) = post(&server, recheck, &Value::Null).await;
    assert_eq!(
        (status, &early["errorCode"]),
        (429, &json!("too_early")),
        "{early}"
    );
    assert!(early["next_allowed"].is_string(), "{early}");

    // Unknown and excluded domains.
    let (status, _) = post(&server, "/api/v1/sites/none.example/recheck", &Value::Null).await;
    assert_eq!(status, 404);
    let exclude = [
        "exclude",
        "shop.example",
        "--reason",
        "its owner left",
        "--database",
        "sqlite:agentdex.db",
    ];
    let excluded = run("crawler", pipeline.folder.path(), &exclude);
    assert_eq!(excluded.code, Some(0), "{}", excluded.output);
    for (path, body) in [("/api/v1/submit", &again), (recheck, &Value::Null)] {
        let (status, problem) = post(&server, path, body).await;
        assert_eq!(
            (status, &problem["errorCode"]),
            (409, &json!("excluded")),
            "{problem}"
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("its owner left"), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn p47_a_recheck_starts_beside_a_watching_crawler() {
    let pipeline = pipeline().await;
    let seeds = pipeline.web.seeds().join("\n");
    std::fs::write(pipeline.folder.path().join("seeds.txt"), seeds).unwrap();
    let store = pipeline.store().await;
    let crawler = Command::new(binary("crawler"))
        .args(pipeline.crawl_arguments())
        .args(["--watch", "--delay", "0"])
        .current_dir(pipeline.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _crawler = Running(crawler.unwrap());
    let shop = "shop.example".parse().unwrap();
    until("the shop is visited", async || {
        let site = store.site(&shop).await.unwrap();
        site.is_some_and(|site| site.last_visit.is_some())
    })
    .await;
    let server = crate::serving::serve(&pipeline);
    pipeline.web.forget();
    let asked = unix_ms();
    let (status, waiting) = post(&server, "/api/v1/sites/shop.example/recheck", &Value::Null).await;
    assert_eq!(status, 202, "{waiting}");
    let path = waiting["links"]["submission"].as_str().unwrap();
    until("the recheck is visited", async || {
        get(&server, path).await.1["state"] == "visited"
    })
    .await;
    began_soon(&pipeline, "recheck beside a crawler", asked);
    let (_, before_reading) = get(&server, path).await;
    assert!(before_reading["after"].is_null(), "{before_reading}");
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    assert_eq!(follow(&server, &waiting).await["after"]["agents_total"], 1);
}
