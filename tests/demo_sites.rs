//! The sites of the demo are what their table says.

use crate::support;
use std::collections::BTreeSet;

/// One line of `seeds/demo/expected.tsv`.
struct Expected {
    host: String,
    outcome: String,
    /// Ids of the agents, `host/slug`.
    agents: Vec<String>,
    /// What must find one of them first; empty when nothing does.
    query: String,
}

fn expected() -> Vec<Expected> {
    let table = support::workspace_file("seeds/demo/expected.tsv");
    let lines = table.lines().skip(1);
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [host, outcome, agents, query] = cells[..] else {
                panic!("not four cells: {line}");
            };
            Expected {
                host: host.to_owned(),
                outcome: outcome.to_owned(),
                agents: agents.split_whitespace().map(str::to_owned).collect(),
                query: query.to_owned(),
            }
        })
        .collect()
}

#[tokio::test]
async fn every_site_stands_in_the_table_once_and_is_served() {
    let expected = expected();
    let named: BTreeSet<&str> = expected.iter().map(|site| site.host.as_str()).collect();
    assert_eq!(named.len(), expected.len(), "a host stands twice");
    let folder = support::workspace().join("seeds/demo");
    let web = simweb::Simweb::builder().folder(folder).start().await;
    let served = web.unwrap().hosts();
    assert_eq!(
        served.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        named
    );

    let readme = support::workspace_file("seeds/demo/README.md");
    for Expected { host, outcome, .. } in &expected {
        let line = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{host}` |")));
        let line = line.unwrap_or_else(|| panic!("{host} is not in the README"));
        assert_eq!(line.ends_with("| yes |"), outcome == "found", "{host}");
        assert!(host.ends_with(".example"), "{host} could belong to someone");
    }
}

#[test]
fn only_found_sites_have_agents_and_queries() {
    for Expected {
        host,
        outcome,
        agents,
        query,
    } in expected()
    {
        let word = store::Outcome::parse(&outcome);
        assert!(word.is_some(), "{host}: {outcome} is not an outcome");
        if outcome != "found" {
            assert!(agents.is_empty() && query.is_empty(), "{host}");
        }
        for agent in agents {
            assert!(agent.starts_with(&format!("{host}/")), "{agent}");
        }
    }
}
