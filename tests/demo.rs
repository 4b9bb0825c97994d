//! Tests of the demo as a new user starts it: each expected agent is found first, and no other is
//! listed.

use crate::demo_sites::expected;
use crate::support::postgres::Database;
use crate::support::server::Server;
use crate::support::wait::until;
use crate::support::{self, http};
use serde_json::Value;
use simweb::endpoints::{KEY, TOKEN};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;
use store::Role;

/// Placeholders for which any caller of the demo has a value.
const AT_HAND: [(&str, &str); 3] = [
    ("{uuid}", "0190c6a2-8f7e-4d1a-9a55-2f3b1c0d9e8f"),
    ("{api_key}", KEY),
    ("{access_token}", TOKEN),
];

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

    /// Returns an agent with everything that is known of it.
    async fn agent(&self, id: &str) -> Value {
        let url = format!("{}/api/v1/agents/{id}", self.server.url);
        let answer = http::get(&url).await;
        assert_eq!(answer.status, 200, "{url}: {}", answer.text);
        serde_json::from_str(&answer.text).unwrap()
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

/// Its crawler would visit the sites of others, and theirs its invented ones.
#[tokio::test(flavor = "multi_thread")]
async fn the_demo_refuses_the_database_of_a_fleet() {
    let Some(database) = Database::create().await else {
        return;
    };
    let crawler = store::open(&database.url(), &[Role::Crawler])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let demo = |store: &str| {
        let options = ["--demo", "--progress", "none", "--database", store];
        support::run("agentdex", folder.path(), &options)
    };
    let (term, options) = (Duration::from_mins(1), BTreeMap::new());
    crawler.join_fleet(term, &options).await.unwrap();
    let words = ["crawler process", "the demo needs one of its own"];
    demo(&database.url()).fails_with(1, &words);
    assert_eq!(database.count("domains").await, 0);
    crawler.close().await;
    database.drop().await;
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

    check_named_documents(&demo).await;
    check_first_calls(&demo, &agents).await;

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

/// Checks that the curl commands of agents, as their pages show them, are answered: those of one step
/// that need no values of the caller but credentials and an id.
async fn check_first_calls(demo: &Running, agents: &BTreeSet<String>) {
    let began = demo.server.began.join("\n");
    let folder = began.split("export CURL_HOME='").nth(1).unwrap();
    let folder = folder.split('\'').next().unwrap();
    let mut called = 0;
    for id in agents {
        let connect = demo.agent(id).await["connect"].take();
        let Some(source) = connect["snippets"]["curl"].as_str() else {
            continue;
        };
        let placeholders = connect["placeholders"].as_array().into_iter().flatten();
        let mut names = placeholders.map(|it| it["placeholder"].as_str().unwrap());
        let is_at_hand = names.all(|name| AT_HAND.iter().any(|it| it.0 == name));
        if !is_at_hand || connect.get("steps").is_some() || connect["human_handoff"] == true {
            continue;
        }
        let source = AT_HAND
            .iter()
            .fold(source.to_owned(), |source, (name, value)| {
                source.replace(name, value)
            });
        let script = format!(
            "curl() {{ command curl --silent --show-error --fail-with-body \"$@\"; }}\n{source}"
        );
        let ran = Command::new("sh")
            .args(["-c", &script])
            .env("CURL_HOME", folder)
            .output()
            .unwrap();
        let answer = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{id}: {answer} {ran:?}\n{source}");
        assert!(
            serde_json::from_str::<Value>(&answer).is_ok(),
            "{id}: {answer}"
        );
        called += 1;
    }
    assert!(called >= 10, "only {called} agents were called");
}

/// Checks the facts that come from documents that others name, and from beside them.
async fn check_named_documents(demo: &Running) {
    // An AI catalogue that names an MCP server card, and a site with nothing but such a card.
    for (id, url, tools, header) in [
        (
            "data-riverton.example/riverton-dataset-search",
            "https://data-riverton.example/mcp",
            ["find_datasets", "preview_rows"],
            "X-Riverton-Key",
        ),
        (
            "tide-house.example/tide-house-predictions",
            "https://tide-house.example/mcp",
            ["predict_tides", "depth_over_sill"],
            "Authorization",
        ),
    ] {
        let agent = demo.agent(id).await;
        let door = &agent["interfaces"][0];
        assert_eq!(door["protocol"], "mcp", "{id}");
        assert_eq!(door["transport"], "streamable-http", "{id}");
        assert_eq!(door["url"], url, "{id}");
        assert_eq!(door["params"][0]["name"], header, "{id}");
        assert_eq!(names(&agent["capabilities"]), tools, "{id}");
        let client = &agent["connect"]["client_config"];
        assert!(client.to_string().contains(url), "{id}: {client}");
    }

    // A card of A2A, and a profile with an MCP endpoint: one agent.
    let knots = demo.agent("rope-and-knot.example/rope-and-knot").await;
    let doors = knots["interfaces"].as_array().unwrap();
    let protocols: BTreeSet<_> = doors.iter().map(|it| it["protocol"].as_str()).collect();
    assert_eq!(protocols, BTreeSet::from([Some("a2a"), Some("mcp")]));
    let tools = names(&knots["capabilities"]);
    assert!(tools.contains(&"explain_knot"), "{tools:?}");

    // Skills of the site, without the page that the index lists as well.
    let sky = demo
        .agent("heron-observatory.example/heron-observatory-example")
        .await;
    let skills = names(&sky["capabilities"]);
    assert_eq!(skills, ["book-telescope", "meteor-calendar"]);

    // x402: a price for each call.
    let snow = demo.agent("snow-oracle.example/snow-oracle").await;
    let prices: Vec<_> = snow["payments"].as_array().unwrap().iter().collect();
    let depth = prices
        .iter()
        .find(|it| it["resource"] == "https://snow-oracle.example/api/depth")
        .unwrap();
    assert_eq!(depth["protocol"], "x402");
    assert_eq!(depth["network"], "base");
    assert_eq!(depth["price"], "2000");
    assert_eq!(snow["capabilities"][0]["method"], "GET");

    // OpenAPI on another host of the domain.
    let trams = demo.agent("tram-times.example/tram-times").await;
    let doors = trams["interfaces"].as_array().unwrap();
    let base = "https://api.tram-times.example/v3";
    assert!(doors.iter().any(|it| it["url"] == base), "{doors:?}");
    let calls = trams["capabilities"].as_array().unwrap();
    let report = calls
        .iter()
        .find(|it| it["id"] == "reportLostItem")
        .unwrap();
    assert_eq!(report["method"], "POST");
    assert_eq!(report["url"], format!("{base}/lost-property"));
    assert_eq!(names(&report["params"]), ["item", "line", "date"]);

    // A graph that names an agent of another site.
    let chain = demo.agent("cold-chain.example/cold-chain-dispatcher").await;
    let member = &chain["graph"]["nodes"][2];
    assert_eq!(member["agent"], "dock-cranes.example/berth-planner");
    let page = format!(
        "{}/agent/cold-chain.example/cold-chain-dispatcher",
        demo.server.url
    );
    let page = http::get(&page).await;
    let link = r#"<a href="/agent/dock-cranes.example/berth-planner">"#;
    assert!(page.text.contains(link), "{}", page.text);

    // IntentQL: where the documents differ, the one at the root counts.
    let wines = demo.agent("slate-cellar.example/slate-cellar").await;
    assert_eq!(wines["version"], "2.0.0");
    let endpoints: Vec<_> = wines["capabilities"].as_array().unwrap().iter().collect();
    assert_eq!(endpoints[0]["endpoint"], "/api/recommend");
    assert_eq!(endpoints.len(), 2);
}

/// Returns the names of the elements of a list.
fn names(list: &Value) -> Vec<&str> {
    let items = list.as_array().unwrap().iter();
    items.map(|it| it["name"].as_str().unwrap()).collect()
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
