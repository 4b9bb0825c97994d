//! The first call to every agent of the demo, by a client that knows nothing but `connect`.

mod answers;
pub(crate) mod client;
mod refusals;
mod values;

use crate::demo_sites::expected;
use crate::serving::serve;
use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::{self, http};
use client::{Client, Outcome};
use serde_json::Value;
use simweb::Simweb;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Queries that find a capability that needs a session, with its name.
const WITH_SESSION: [(&str, &str); 3] = [
    (
        "site:skerry-ferries.example+puts+tickets+for+one+sailing+into+the+basket",
        "cart.add",
    ),
    (
        "site:weterynarz-lapka.example+um%C3%B3w+szczepienie+psa",
        "wizyta.umow",
    ),
    (
        "site:trattoria-da-lina.example+tavolo.prenota",
        "tavolo.prenota",
    ),
];

/// Starts the sites of the demo together with the endpoints that they announce.
async fn demo() -> Simweb {
    let folder = support::workspace().join("seeds/demo");
    let builder = Simweb::builder().folder(folder).endpoints();
    builder.start().await.unwrap()
}

/// Returns what the API says of an agent.
async fn agent(server: &Server, id: &str) -> Value {
    let answer = http::get(&format!("{}/api/v1/agents/{id}", server.url)).await;
    assert_eq!(answer.status, 200, "{id}: {}", answer.text);
    serde_json::from_str(&answer.text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_agent_of_the_demo_is_called_or_says_what_is_missing() {
    let pipeline = Pipeline::new(demo().await);
    let crawled = pipeline.crawl(&["--delay", "0"]);
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);
    let server = serve(&pipeline);
    let client = Client::new(&pipeline.web);

    let mut table = String::new();
    let mut failed = Vec::new();
    let mut called: BTreeMap<String, usize> = BTreeMap::new();
    let sites = expected();
    for id in sites.iter().flat_map(|site| &site.agents) {
        let agent = agent(&server, id).await;
        let connect = &agent["connect"];
        let protocol = connect["protocol"].as_str().unwrap_or("-").to_owned();
        let outcome = client.call(connect).await;
        let _ = writeln!(table, "{id:<76} {protocol:<18} {outcome}");
        match outcome {
            Outcome::Answered => *called.entry(protocol).or_default() += 1,
            Outcome::NoEndpoint | Outcome::NeedsPerson => {}
            Outcome::Missing(facts) if facts.iter().any(|it| it != "auth") => {}
            Outcome::Missing(_) | Outcome::Failed(_) => failed.push(id),
        }
    }
    for (query, capability) in WITH_SESSION {
        let url = format!("{}/api/v1/search?include=connect&q={query}", server.url);
        let found = http::get(&url).await.text;
        let found: Value = serde_json::from_str(&found).unwrap();
        let connect = &found["results"][0]["connect"];
        assert_eq!(connect["capability"], capability, "{found}");
        let steps = connect["steps"].as_array().unwrap();
        let names: Vec<_> = steps
            .iter()
            .map(|step| step["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["create_session", "call", "delete_session"]);
        let outcome = client.call(connect).await;
        assert!(
            matches!(outcome, Outcome::Answered),
            "{capability}: {outcome}"
        );
    }
    println!("{table}");
    assert!(failed.is_empty(), "{failed:#?}\n{table}");
    for protocol in [
        "a2a/0.1",
        "a2a/0.2",
        "a2a/0.3",
        "a2a/1.0",
        "interaction-api",
        "mcp",
        "rest",
        "-",
    ] {
        assert!(
            called.contains_key(protocol),
            "no agent with {protocol}:\n{table}"
        );
    }
}
