//! The sites of the demo are what their table says.

use crate::support;
use crawler::robots::{Answer, Policy};
use manifest::Listing;
use manifest::{Document, Domain};
use std::collections::BTreeSet;
use std::path::Path;
use url::Url;

/// One line of `seeds/demo/expected.tsv`.
pub(crate) struct Expected {
    /// The site.
    pub(crate) host: String,
    /// Outcome of its visit.
    pub(crate) outcome: String,
    /// Ids of the agents, `host/slug`.
    pub(crate) agents: Vec<String>,
    /// Query that must find one of them first; empty if there is none.
    pub(crate) query: String,
}

/// Returns the whole table.
pub(crate) fn expected() -> Vec<Expected> {
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
fn every_document_has_the_format_of_its_table() {
    let table = support::workspace_file("seeds/demo/formats.tsv");
    let expected: BTreeSet<String> = table.lines().skip(1).map(str::to_owned).collect();
    let recognised: BTreeSet<String> = documents()
        .iter()
        .map(|document| {
            let (host, path) = (document.url.host_str().unwrap(), document.path());
            format!("{host}{path}\t{}", manifest::formats::detect(document))
        })
        .collect();
    assert_eq!(recognised, expected);
}

#[test]
fn the_documents_of_each_site_become_its_agents() {
    let documents = documents();
    for site in expected()
        .iter()
        .filter(|site| reads_from_its_own_files(site))
    {
        let ids: Vec<String> = listings(site, &documents)
            .iter()
            .map(|listing| listing.id.to_string())
            .collect();
        assert_eq!(ids, site.agents, "{}", site.host);
    }
}

#[test]
fn a_search_for_what_an_agent_can_do_finds_it_first() {
    let sites = expected();
    let (_folder, searcher) = index();
    let asked = sites.iter().filter(|site| !site.query.is_empty());
    let mut wrong = Vec::new();
    for site in asked {
        let results = searcher.search(&support::search(&site.query)).unwrap();
        let first = results.hits.first().map(|hit| hit.id.to_string());
        if !first.as_ref().is_some_and(|id| site.agents.contains(id)) {
            wrong.push(format!("{} found {first:?}", site.query));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns an index of the agents of the sites, with its directory.
pub(crate) fn index() -> (tempfile::TempDir, search::Searcher) {
    let folder = tempfile::tempdir().unwrap();
    let searcher = support::indexed::index(folder.path(), all_listings());
    (folder, searcher)
}

/// Returns the listings of all sites.
pub(crate) fn all_listings() -> Vec<Listing> {
    let documents = documents();
    let sites = expected();
    let sites = sites.iter().filter(|site| reads_from_its_own_files(site));
    sites.flat_map(|site| listings(site, &documents)).collect()
}

/// Returns true except for sites that keep nothing, or that serve another host's files.
fn reads_from_its_own_files(site: &Expected) -> bool {
    let folder = support::workspace().join("seeds/demo").join(&site.host);
    site.outcome == "found" && folder.join("index.html").exists()
}

/// Returns the listings that a visit to the site would produce.
fn listings(site: &Expected, documents: &[Document]) -> Vec<Listing> {
    let domain = Domain::parse(&site.host).unwrap();
    let robots = support::workspace()
        .join("seeds/demo")
        .join(&site.host)
        .join("robots.txt");
    let body = std::fs::read(robots);
    let answer = Answer::Response {
        status: if body.is_ok() { 200 } else { 404 },
        body: body.unwrap_or_default(),
        max_age: None,
        retry_after: None,
    };
    let policy = Policy::from_answer("AgentdexBot", &answer);
    let readings: Vec<_> = documents
        .iter()
        .filter(|document| document.domain == domain && policy.allows(document.path()))
        .map(|document| (document, manifest::formats::read(document)))
        .collect();
    manifest::merge::merge(&domain, &readings).listings
}

/// Returns every file of the demo that a crawler requests: those at the paths of its table, and
/// those that they name, which belong to the site of the host's registrable domain.
fn documents() -> Vec<Document> {
    let root = support::workspace().join("seeds/demo");
    let is_probed = |path: &str| crawler::probes::ALL.iter().any(|probe| probe.path == path);
    let mut documents = Vec::new();
    for site in expected() {
        let folder = root.join(&site.host);
        let host = Domain::parse(&site.host).unwrap();
        for path in files(&folder) {
            let body = std::fs::read(folder.join(&path[1..])).unwrap();
            let domain = if is_probed(&path) {
                host.clone()
            } else {
                Domain::parse(host.registrable()).unwrap()
            };
            let url = Url::parse(&format!("https://{host}{path}")).unwrap();
            documents.push(Document::new(domain, url, body));
        }
    }
    documents
}

/// Returns the paths of a site's files that are no page, no robots.txt and no text of a skill.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    const OTHERS: [&str; 4] = ["index.html", "robots.txt", ".simweb.toml", "SKILL.md"];
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !OTHERS.iter().any(|other| path.ends_with(other)) {
                let path = path.strip_prefix(folder).unwrap();
                files.push(format!("/{}", path.display()));
            }
        }
    }
    files.sort();
    files
}
