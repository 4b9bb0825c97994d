//! Tests of the demo as a new user starts it: each expected agent is found first, and no other is
//! listed.

use crate::demo_sites::expected;
use crate::support::server::Server;
use crate::support::wait::until;
use crate::support::{self, http};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The running demo.
struct Running {
    server: Server,
    /// Directory of its data; a killed demo does not remove them.
    _folder: tempfile::TempDir,
}

impl Running {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(support::binary("agentdex"));
        command
            .args(["--demo", "--progress", "none"])
            .env("TMPDIR", folder.path())
            // The demo ignores the environment variables of a real registry.
            .env("AGENTDEX_DATABASE", "sqlite:/nowhere/real.db")
            .env("AGENTDEX_SEEDS", "/nowhere/real.txt");
        Self {
            server: Server::start(&mut command),
            _folder: folder,
        }
    }

    async fn search(&self, parameters: &[(&str, &str)]) -> Value {
        let mut url: url::Url = format!("{}/api/v1/search", self.server.url)
            .parse()
            .unwrap();
        url.query_pairs_mut().extend_pairs(parameters);
        let answer = http::get(url.as_str()).await;
        assert_eq!(answer.status, 200, "{url}: {}", answer.text);
        serde_json::from_str(&answer.text).unwrap()
    }
}

fn ids(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_lists_each_expected_agent_and_no_other() {
    let demo = Running::start();
    // The registry answers while the crawl goes on.
    assert_eq!(http::get(&demo.server.url).await.status, 200);
    demo.server.wait_for("the first crawl is done");

    let expected = expected();
    assert!(expected.len() >= 30, "only {} demo sites", expected.len());
    let mut agents: BTreeSet<String> = BTreeSet::new();
    for row in &expected {
        let site = http::get(&format!("{}/api/v1/sites/{}", demo.server.url, row.host)).await;
        assert_eq!(site.status, 200, "{}", row.host);
        let page = http::get(&format!("{}/site/{}", demo.server.url, row.host)).await;
        assert_eq!(page.status, 200, "{}", row.host);
        agents.extend(row.agents.iter().cloned());
    }

    // The last documents become searchable shortly after the crawl.
    let is_searchable = async || all(&demo).await.len() >= agents.len();
    until("each agent is searchable", is_searchable).await;
    assert_eq!(all(&demo).await, agents);

    let mut outcomes = BTreeMap::new();
    for row in &expected {
        let site = http::get(&format!("{}/api/v1/sites/{}", demo.server.url, row.host)).await;
        let site: Value = serde_json::from_str(&site.text).unwrap();
        outcomes.insert(
            row.host.as_str(),
            site["last_outcome"].as_str().unwrap_or("none").to_owned(),
        );
    }
    for row in &expected {
        assert_eq!(outcomes[row.host.as_str()], row.outcome, "{}", row.host);
    }

    let mut misses = Vec::new();
    for row in expected.iter().filter(|row| !row.query.is_empty()) {
        let answer = demo.search(&[("q", &row.query), ("limit", "5")]).await;
        let hits = ids(&answer);
        if !hits.first().is_some_and(|first| row.agents.contains(first)) {
            misses.push(format!(
                "{:?} should find {:?} first, found {hits:?}",
                row.query, row.agents
            ));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// Returns the id of each listed agent, over all pages.
async fn all(demo: &Running) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut parameters = vec![
            ("limit", "20"),
            ("per_site", "100"),
            ("unfold", "true"),
            ("sort", "name"),
        ];
        if let Some(cursor) = &cursor {
            parameters.push(("cursor", cursor));
        }
        let answer = demo.search(&parameters).await;
        for id in ids(&answer) {
            assert!(found.insert(id.clone()), "{id} is on two pages");
        }
        match answer["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return found,
        }
    }
}

#[test]
fn the_demo_logs_which_data_it_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let began = |more: &[&str]| {
        let mut command = Command::new(support::binary("agentdex"));
        command
            .args(["--demo", "--progress", "none"])
            .args(more)
            .current_dir(folder.path())
            .env("TMPDIR", folder.path());
        Server::start(&mut command).began
    };
    let all = began(&[]);
    let removed = all
        .iter()
        .filter(|it| it.ends_with(" (removed at the end)"));
    assert_eq!(removed.count(), 2, "{all:?}");
    let own = began(&["--database", "sqlite:own.db"]);
    let says = |line: &str| own.iter().any(|it| it == line);
    assert!(says("database: sqlite:own.db (kept)"), "{own:?}");
    let index = own.iter().find(|it| it.starts_with("index: ")).unwrap();
    assert!(index.ends_with(" (removed at the end)"), "{own:?}");
    assert!(folder.path().join("own.db").exists());
}
