//! The action for a site's own pipeline: manifests are linted, and what a deploy does to the listing is told.

use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::wait::until;
use crate::support::{Ran, binary, http, run_program, workspace};
use serde_json::{Value, json};
use simweb::Simweb;
use std::process::Command;

const CARD: &str = "/.well-known/agent-card.json";

/// Returns a card with skills at an endpoint.
fn card(endpoint: &str, skills: &[&str]) -> String {
    let skills = skills.iter().map(|id| {
        json!({"id": id, "name": id, "description": format!("Can {id} a chair."), "tags": ["chair"]})
    });
    json!({
        "protocolVersion": "0.3.0", "name": "Shop desk", "description": "Sells chairs.",
        "url": format!("https://shop.example/{endpoint}"), "preferredTransport": "JSONRPC",
        "version": "1.0.0", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "skills": skills.collect::<Vec<_>>(),
    })
    .to_string()
}

/// A registry that lists a shop, whose agent can order and return.
struct Listed {
    pipeline: Pipeline,
    server: Server,
}

impl Listed {
    async fn start() -> Self {
        let web = Simweb::builder()
            .site("shop.example")
            .file(CARD, card("a2a", &["order", "return"]));
        let pipeline = Pipeline::new(web.start().await.unwrap());
        let seed = format!("shop.example:{}\n", pipeline.web.https_port());
        std::fs::write(pipeline.folder.path().join("seeds.txt"), seed).unwrap();
        let mut command = Command::new(binary("agentdex"));
        command
            .args(pipeline.crawl_arguments())
            .args(["--delay", "0", "--index", "index"])
            .current_dir(pipeline.folder.path());
        let server = Server::start(&mut command);
        let agent = format!("{}/api/v1/agents/shop.example/shop-desk", server.url);
        until("the shop is listed", async || {
            http::get(&agent).await.status == 200
        })
        .await;
        Self { pipeline, server }
    }

    /// Publishes a card.
    fn deploy(&self, endpoint: &str, skills: &[&str]) {
        let web = &self.pipeline.web;
        web.put("shop.example", CARD, card(endpoint, skills))
            .unwrap();
    }

    /// Runs the script of the action in a workflow.
    fn recheck(&self, domain: &str, arguments: &[&str]) -> Ran {
        let script = workspace().join("action/recheck.py");
        let mut all = vec!["GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=summary.md"];
        all.extend(["python3", script.to_str().unwrap()]);
        all.extend(["--registry", &self.server.url, "--domain", domain]);
        all.extend(arguments);
        run_program("env", self.pipeline.folder.path(), &all)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deploy_that_adds_a_skill_passes_and_the_next_visit_has_a_time() {
    let listed = Listed::start().await;
    listed.deploy("a2a", &["order", "return", "repair"]);
    let ran = listed.recheck("shop.example", &["check"]);
    ran.fails_with(
        0,
        &[
            "shop.example: found, 0 lost, 1 added",
            "added: capability of shop.example/shop-desk: repair",
        ],
    );
    assert!(!ran.output.contains("::error"), "{}", ran.output);
    let summary = listed.pipeline.folder.path().join("summary.md");
    let summary = std::fs::read_to_string(summary).unwrap();
    assert!(summary.contains("- added: capability"), "{summary}");

    let early = listed.recheck("shop.example", &["check", "--wait", "0.01"]);
    early.fails_with(
        2,
        &["the next visit is allowed at", "later than --wait permits"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deploy_that_loses_a_skill_and_an_endpoint_fails_with_both() {
    let listed = Listed::start().await;
    let saved = listed.recheck("shop.example", &["save", "before.json"]);
    saved.fails_with(0, &["shop.example: 1 agents in before.json"]);
    let before = listed.pipeline.folder.path().join("before.json");
    let before: Value = serde_json::from_str(&std::fs::read_to_string(before).unwrap()).unwrap();
    assert_eq!(
        before["shop.example/shop-desk"]["capability"],
        json!({"order": "", "return": ""})
    );
    listed.deploy("v2", &["order"]);
    let ran = listed.recheck("shop.example", &["check", "--before", "before.json"]);
    ran.fails_with(
        1,
        &[
            "2 lost, 1 added",
            "- lost: capability of shop.example/shop-desk: return",
            "::error title=Lost from the listing::endpoint of shop.example/shop-desk: a2a https://shop.example/a2a",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_compared_is_told() {
    let listed = Listed::start().await;
    let unknown = listed.recheck("none.example", &["check"]);
    unknown.fails_with(2, &["none.example is not listed yet", "/submit"]);
    let folder = listed.pipeline.folder.path();
    std::fs::write(folder.join("broken.json"), "[]").unwrap();
    let broken = listed.recheck("shop.example", &["check", "--before", "broken.json"]);
    broken.fails_with(2, &["broken.json is no file that save has written"]);
    let missing = listed.recheck("shop.example", &["check", "--before", "none.json"]);
    missing.fails_with(2, &["none.json"]);
}

#[test]
fn manifests_are_linted_by_a_given_program() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("agent-card.json"), r#"{"name": "Shop"}"#).unwrap();
    let script = workspace().join("action/lint.sh");
    let indexer = binary("indexer");
    let lint = |settings: &[&str]| {
        let mut all = settings.to_vec();
        all.push(script.to_str().unwrap());
        run_program("env", folder.path(), &all)
    };
    let of = format!("BINARY={}", indexer.display());
    lint(&[&of, "SARIF=findings.sarif", "ORIGIN=https://shop.example"])
        .fails_with(1, &["::error file=agent-card.json,line=1"]);
    let sarif = std::fs::read_to_string(folder.path().join("findings.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());

    lint(&["BINARY=https://shop.example/indexer"]).fails_with(2, &["needs its SHA-256"]);
    lint(&["BINARY=http://shop.example/indexer"])
        .fails_with(2, &["neither a path nor an https URL"]);
    lint(&["BINARY=none/indexer"]).fails_with(2, &["is not a program"]);
}
