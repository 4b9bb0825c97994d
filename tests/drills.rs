//! Drills of an operator, as docs/operating.md describes them: what a registry does when something goes
//! badly wrong, and what is lost.
//!
//! Others are where their subject is: a full disk in [`crate::resource_limits`] and
//! [`crate::bad_input`], a database that is gone in [`crate::ending`], a damaged index in
//! [`crate::damage`], kills at random in [`crate::kill`] and [`crate::killed_registry`].

mod take_down;

use crate::support::living::{Living, card};
use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::{binary, http, run};
use crate::{serving, support};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use simweb::Simweb;
use std::collections::BTreeSet;
use std::process::Command;
use store::ClaimState;

const FERRY: (&str, &str, &str) = ("ferry.example", "Ferry desk", "Books a ferry crossing");
const HOTEL: (&str, &str, &str) = ("hotel.example", "Night desk", "Reserves hotel rooms");

/// A kill is the part of a power loss that a test can make; that commits are flushed as well is tested
/// in the store (`sqlite/durability.rs`).
#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_or_decided_is_there_after_a_kill_at_once() {
    let living = Living::start(&[FERRY, HOTEL], &[]).await;
    let hide = ["hide", HOTEL.0, "--reason", "looks wrong"];
    let hidden = living.command("indexer", &hide);
    assert_eq!(hidden.code, Some(0), "{}", hidden.output);
    let site = json!({ "domain": "new.example.org" });
    let report = json!({ "target": FERRY.0, "kind": "wrong", "text": "The price is off." });
    let leave = json!({ "domain": FERRY.0 });
    let mut ids = Vec::new();
    for (path, body) in [
        ("/submit", &site),
        ("/reports", &report),
        ("/leave", &leave),
    ] {
        let (status, accepted) = living.post(path, body).await;
        assert_eq!(status, 202, "{accepted}");
        ids.push(accepted["id"].as_str().unwrap().to_owned());
    }
    let [submission, report, claim] = &ids[..] else {
        panic!("{ids:?}");
    };
    living.server.killed();

    let again = living.pipeline.registry();
    let state = |path: String| {
        let url = format!("{}{path}", again.url);
        async move { http::get(&url).await }
    };
    for path in [
        format!("/api/v1/submissions/{submission}"),
        format!("/reports/{report}"),
        format!("/api/v1/leave/{claim}"),
    ] {
        let answer = state(path).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let claim = living.store.claim_by_id(claim).await.unwrap().unwrap();
    assert_ne!(claim.state, ClaimState::Verified);
    let site = state(format!("/api/v1/sites/{}", HOTEL.0)).await.json();
    assert_eq!(site["agents"], json!([]), "it stays hidden");
}

/// Returns the ids of the keys that a server publishes for its card and its records.
async fn key_ids(server: &Server) -> BTreeSet<String> {
    let answer = http::get(&format!("{}/.well-known/jwks.json", server.url)).await;
    let published = answer.json();
    let keys = published["keys"].as_array().unwrap();
    let ids = keys.iter().map(|it| it["kid"].as_str().unwrap().to_owned());
    ids.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_leaked_are_worth_nothing_after_their_file_is_deleted() {
    let web = [FERRY, HOTEL]
        .iter()
        .fold(Simweb::builder(), |web, (host, name, what)| {
            web.site(host)
                .file("/.well-known/agent-card.json", card(host, name, what))
        });
    let pipeline = Pipeline::new(web.start().await.unwrap());
    for ran in [pipeline.crawl(&["--delay", "0"]), pipeline.index()] {
        assert_eq!(ran.code, Some(0), "{}", ran.output);
    }
    let server = serving::serve(&pipeline);
    let leaked = key_ids(&server).await;
    let search = "/api/v1/search?sort=name&limit=1";
    let first = http::get(&format!("{}{search}", server.url)).await.json();
    let next = format!("{search}&cursor={}", first["next_cursor"].as_str().unwrap());
    let followed = http::get(&format!("{}{next}", server.url)).await;
    assert_eq!(followed.status, 200, "{}", followed.text);
    drop(server);

    std::fs::remove_file(pipeline.folder.path().join("agentdex.secrets")).unwrap();
    let server = serving::serve(&pipeline);
    let keys = key_ids(&server).await;
    assert!(!keys.is_empty() && keys.is_disjoint(&leaked), "{keys:?}");
    let refused = http::get(&format!("{}{next}", server.url)).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let anew = http::get(&format!("{}{search}", server.url)).await.json();
    assert_eq!(anew["total"], 2);
}

/// Returns a private key for `--sign-key`, as in RFC 8410.
fn private_key(seed: u8) -> String {
    let mut bytes = vec![
        0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
    ];
    bytes.extend([seed; 32]);
    let text = STANDARD.encode(bytes);
    format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signing_key_that_leaked_is_neither_used_nor_published_after_it_is_replaced() {
    let web = Simweb::builder().site("mesa.example");
    let pipeline = Pipeline::new(web.start().await.unwrap());
    let folder = pipeline.folder.path();
    let mut before: Option<Value> = None;
    for seed in [1, 2] {
        std::fs::write(folder.join("key.pem"), private_key(seed)).unwrap();
        let printed = run(
            "crawler",
            folder,
            &["key-directory", "--sign-key", "key.pem"],
        );
        let printed: Value = serde_json::from_str(&printed.output).unwrap();
        let mut command = Command::new(binary("agentdex"));
        command
            .args(pipeline.crawl_arguments())
            .args(["--delay", "0", "--index", "index", "--sign-key", "key.pem"])
            .current_dir(folder);
        let server = Server::start(&mut command);
        let path = "/.well-known/http-message-signatures-directory";
        let directory = http::get(&format!("{}{path}", server.url)).await.json();
        assert_eq!(directory["keys"], printed["keys"]);
        assert_ne!(Some(&directory["keys"]), before.as_ref());
        before = Some(directory["keys"].clone());
        let kid = directory["keys"][0]["kid"].as_str().unwrap().to_owned();
        // The second run has something to visit as well.
        let site = json!({ "domain": format!("mesa.example:{}", pipeline.web.https_port()) });
        if seed == 2 {
            pipeline.web.forget();
            let path = "/api/v1/sites/mesa.example/recheck";
            http::post_json(&format!("{}{path}", server.url), &site).await;
        }
        // After a kill in the middle of a visit, the site would be left alone for a while.
        support::wait::until("the site is visited", async || {
            let visits = crate::kill::recorded(&pipeline).await;
            !visits.is_empty() && !pipeline.web.requests_of("mesa.example").is_empty()
        })
        .await;
        for request in pipeline.web.requests_of("mesa.example") {
            let input = request.header("signature-input").unwrap();
            assert!(input.contains(&format!("keyid=\"{kid}\"")), "{input}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_who_floods_is_limited_and_excluded_while_others_are_served() {
    let living = Living::start(&[FERRY], &[]).await;
    let mut accepted = Vec::new();
    let mut refused = 0;
    for number in 0..30 {
        let site = json!({ "domain": format!("n{number}.farm.example.org") });
        let (status, answer) = living.post("/submit", &site).await;
        match status {
            202 => accepted.push(answer["id"].as_str().unwrap().to_owned()),
            _ => {
                assert_eq!((status, &answer["errorCode"]), (429, &json!("too_early")));
                refused += 1;
            }
        }
    }
    assert_eq!(
        (accepted.len(), refused),
        (10, 20),
        "names of a domain a day"
    );

    let reason = "floods the registry";
    let exclude = ["exclude", "example.org", "--suffix", "--reason", reason];
    let excluded = living.command("crawler", &exclude);
    assert_eq!(excluded.code, Some(0), "{}", excluded.output);
    for id in accepted {
        let (status, _) = living.api(&format!("/submissions/{id}")).await;
        assert_eq!(status, 404);
    }
    let again = json!({ "domain": "n99.farm.example.org" });
    let (status, problem) = living.post("/submit", &again).await;
    assert_eq!((status, &problem["errorCode"]), (409, &json!("excluded")));
    let other = json!({ "domain": "honest.example.net" });
    let (status, answer) = living.post("/submit", &other).await;
    assert_eq!(status, 202, "{answer}");
    assert!(living.finds(FERRY.2, FERRY.0).await);
}
