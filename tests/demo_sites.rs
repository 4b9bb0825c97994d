//! The sites of the demo are what their table says.

use crate::support;
use manifest::{Document, Domain, Timestamp};
use std::collections::BTreeSet;
use url::Url;

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

#[test]
fn every_document_is_recognised_as_its_table_says() {
    let table = support::workspace_file("seeds/demo/formats.tsv");
    let expected: BTreeSet<String> = table.lines().skip(1).map(str::to_owned).collect();
    let recognised: BTreeSet<String> = documents()
        .iter()
        .map(|document| {
            let (host, path) = (&document.domain, document.path());
            format!("{host}{path}\t{}", manifest::formats::detect(document))
        })
        .collect();
    assert_eq!(recognised, expected);
}

/// Every file of the demo that lies where a crawler asks.
fn documents() -> Vec<Document> {
    let root = support::workspace().join("seeds/demo");
    let probed = |site: &Expected| {
        let files = crawler::probes::ALL.iter().map(|probe| {
            let file = root.join(&site.host).join(&probe.path[1..]);
            let url = Url::parse(&format!("https://{}{}", site.host, probe.path)).unwrap();
            Some(Document {
                domain: Domain::parse(&site.host).unwrap(),
                requested: url.clone(),
                url,
                status: 200,
                media_type: None,
                etag: None,
                last_modified: None,
                fetched: Timestamp(0),
                body: std::fs::read(file).ok()?,
            })
        });
        files.flatten().collect::<Vec<_>>()
    };
    expected().iter().flat_map(probed).collect()
}
