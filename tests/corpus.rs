//! Tests of crawler and indexer over the real manifests of the shared collection, if that is there.

#![expect(clippy::print_stdout, reason = "the table is the answer")]

use crate::serving::serve;
use crate::support::pipeline::{self, Pipeline};
use crate::support::{self, http};
use manifest::text::{MAX_CHARS, clean};
use manifest::{Document, formats};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use store::StoredAgent;

/// Names that the collection gives to files that describe no agent, site or service.
const NOT_READABLE: [&str; 9] = [
    "robots.txt",
    "agent-skills index",
    "invalid JSON",
    "mcp/client-config (mcpServers)",
    "other: text (mcp-registry-auth)",
    "other: text (ai.txt)",
    "other: array of people (human agents / mailing list), not AI agents",
    "other: unrelated data dump (game API)",
    "other: x402 manifest",
];

/// A file of the collection that some site serves.
struct Delivery {
    host: String,
    path: String,
    guess: String,
    bytes: Vec<u8>,
}

fn served(corpus: &std::path::Path) -> Vec<Delivery> {
    let index = std::fs::read_to_string(corpus.join("index.jsonl")).unwrap();
    index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|row| {
            let (host, path) = row["site"].as_str()?.split_once('/')?;
            Some(Delivery {
                host: host.to_owned(),
                path: format!("/{path}"),
                guess: row["guess"].as_str().unwrap_or_default().to_owned(),
                bytes: std::fs::read(corpus.join("sites").join(host).join(path)).unwrap(),
            })
        })
        .collect()
}

/// Asks the bare matcher, without our front-end, for a second opinion on robots.txt.
fn is_allowed(robots: Option<&Delivery>, url: &str) -> bool {
    robots.is_none_or(|file| {
        texting_robots::Robot::new("AgentdexBot", &file.bytes)
            .unwrap()
            .allowed(url)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn real_sites_are_crawled_read_and_listed() {
    let Some(corpus) = support::shared("corpus") else {
        return;
    };
    let web = simweb::Simweb::builder()
        .folder(corpus.join("sites"))
        .start()
        .await
        .unwrap();
    let pipeline = Pipeline::new(web);

    let started = Instant::now();
    let crawled = pipeline.crawl(&["--delay", "100", "--report", "report.jsonl"]);
    let crawl_time = started.elapsed();
    assert_eq!(crawled.code, Some(0), "{}", crawled.output);
    let indexed = pipeline.index();
    assert_eq!(indexed.code, Some(0), "{}", indexed.output);

    let store = pipeline.store().await;
    let corpus = Corpus {
        files: served(&corpus),
        agents: pipeline::agents(&*store).await,
        pipeline,
    };
    println!("{}", corpus.table().await);
    println!(
        "{} sites, {} agents; crawl {:.1} s, peak {} MiB",
        corpus.pipeline.web.hosts().len(),
        corpus.agents.len(),
        crawl_time.as_secs_f64(),
        crawled.peak_kib / 1024
    );
    println!("{}", corpus.first_calls().await);
    corpus.every_site_ends_in_one_outcome();
    corpus.robots_txt_comes_first_and_is_obeyed();
    corpus.every_card_gives_its_agent_with_every_skill();
    corpus.most_readable_sites_are_listed();
}

/// The crawled collection.
struct Corpus {
    files: Vec<Delivery>,
    agents: Vec<StoredAgent>,
    pipeline: Pipeline,
}

impl Corpus {
    fn robots_of(&self, host: &str) -> Option<&Delivery> {
        self.files
            .iter()
            .find(|file| file.host == host && file.path == "/robots.txt")
    }

    fn may_be_asked(&self, file: &Delivery) -> bool {
        is_allowed(
            self.robots_of(&file.host),
            &format!("https://{}{}", file.host, file.path),
        )
    }

    fn every_site_ends_in_one_outcome(&self) {
        let report =
            std::fs::read_to_string(self.pipeline.folder.path().join("report.jsonl")).unwrap();
        let hosts: BTreeSet<String> = self.pipeline.web.hosts().into_iter().collect();
        let domains = report
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|visit| visit["domain"].as_str().unwrap().to_owned());
        // Documents also lead to sites that are not in this web.
        let visited: Vec<String> = domains.filter(|domain| hosts.contains(domain)).collect();
        assert_eq!(
            visited.len(),
            hosts.len(),
            "a site was visited twice or not at all"
        );
        assert_eq!(visited.into_iter().collect::<BTreeSet<_>>(), hosts);
    }

    fn robots_txt_comes_first_and_is_obeyed(&self) {
        for host in self.pipeline.web.hosts() {
            let requests = self.pipeline.web.requests_of(&host);
            assert!(!requests.is_empty(), "{host} was never asked");
            assert!(
                requests.len() <= 12,
                "{host} got {} requests",
                requests.len()
            );
            assert_eq!(requests[0].path, "/robots.txt", "{host}");
            for request in &requests {
                let url = format!("https://{host}{}", request.path);
                assert!(
                    is_allowed(self.robots_of(&host), &url),
                    "{url} is disallowed"
                );
            }
        }
    }

    fn every_card_gives_its_agent_with_every_skill(&self) {
        let cards = self.files.iter().filter(|file| {
            file.guess == "a2a-agent-card" && formats_look_at(&file.path) && self.may_be_asked(file)
        });
        let mut count = 0;
        for file in cards {
            count += 1;
            let url = self.pipeline.web.url(&file.host, &file.path);
            let card: Value = serde_json::from_slice(&file.bytes).unwrap();
            let name = clean(card["name"].as_str().unwrap(), MAX_CHARS);
            let agent = self
                .agents
                .iter()
                .find(|agent| {
                    let agent_names = &agent.listing.agent;
                    agent.domain.as_str() == file.host
                        && (agent_names.name == name || agent_names.other_names.contains(&name))
                })
                .unwrap_or_else(|| panic!("{url} gave no agent '{name}'"));
            // Another document of the site may give the same name in another spelling.
            let spelling = |name: &str| name.to_lowercase().replace('-', "_");
            let capabilities = agent.listing.agent.capabilities.iter();
            let known: BTreeSet<String> = capabilities
                .flat_map(|it| [spelling(&it.id), spelling(&it.name)])
                .collect();
            for skill in card["skills"].as_array().into_iter().flatten() {
                let id = skill["id"]
                    .as_str()
                    .or_else(|| skill["name"].as_str())
                    .unwrap();
                let is_known = known.contains(&spelling(id));
                assert!(is_known, "{url} lost the skill {id}: {known:?}");
            }
        }
        println!("{count} A2A cards that we may read, each with its agent and every skill");
        assert!(count >= 15, "only {count} cards were read");
    }

    fn most_readable_sites_are_listed(&self) {
        let listed: BTreeSet<&str> = self
            .agents
            .iter()
            .map(|agent| agent.domain.as_str())
            .collect();
        let readable: BTreeSet<&str> = self
            .files
            .iter()
            .filter(|file| !NOT_READABLE.contains(&file.guess.as_str()))
            .filter(|file| formats_look_at(&file.path) && self.may_be_asked(file))
            .map(|file| file.host.as_str())
            .collect();
        let missing: Vec<&&str> = readable.difference(&listed).collect();
        println!(
            "{} sites publish something readable where we look, {} of them are listed; missing: {missing:?}",
            readable.len(),
            readable.len() - missing.len()
        );
        assert!(
            missing.len() * 5 <= readable.len(),
            "fewer than 80 % are listed"
        );
    }

    /// Checks that every agent with an endpoint has an example call or says what is missing, and
    /// counts both by protocol.
    async fn first_calls(&self) -> String {
        use std::fmt::Write as _;
        let server = serve(&self.pipeline);
        let mut rows: BTreeMap<String, [usize; 5]> = BTreeMap::new();
        let mut facts: BTreeMap<String, usize> = BTreeMap::new();
        for agent in &self.agents {
            let url = format!("{}/api/v1/agents/{}", server.url, agent.listing.id);
            let answer = http::get(&url).await;
            assert_eq!(answer.status, 200, "{url}: {}", answer.text);
            let agent: Value = serde_json::from_str(&answer.text).unwrap();
            let connect = &agent["connect"];
            let protocol = match connect["protocol"].as_str() {
                _ if connect.is_null() => "no endpoint",
                Some(protocol) => protocol,
                None => "not stated",
            };
            let row = rows.entry(protocol.to_owned()).or_default();
            row[0] += 1;
            if connect.is_null() {
                continue;
            }
            let missing = connect["missing"].as_array().unwrap();
            let has_example = connect.get("example").is_some();
            assert!(has_example || !missing.is_empty(), "{url}: {connect}");
            row[1] += usize::from(has_example);
            row[2] += usize::from(has_example && missing.is_empty());
            row[3] += usize::from(!has_example);
            row[4] += usize::from(!connect["defaulted"].as_array().unwrap().is_empty());
            if !has_example {
                for fact in missing {
                    *facts.entry(fact.as_str().unwrap().to_owned()).or_default() += 1;
                }
            }
        }
        let mut text = format!(
            "{:<20} {:>6} {:>8} {:>12} {:>10} {:>9}\n",
            "protocol", "agents", "example", "none missing", "no example", "defaulted"
        );
        for (protocol, [agents, example, whole, without, defaulted]) in rows {
            let _ = writeln!(
                text,
                "{protocol:<20} {agents:>6} {example:>8} {whole:>12} {without:>10} {defaulted:>9}"
            );
        }
        let _ = writeln!(text, "missing where there is no example: {facts:?}");
        text
    }

    /// Returns format, documents, agents and findings of everything that the crawl stored.
    async fn table(&self) -> String {
        use std::fmt::Write as _;
        let store = self.pipeline.store().await;
        let mut rows: BTreeMap<String, [usize; 5]> = BTreeMap::new();
        for host in self.pipeline.web.hosts() {
            let Some(site) = store.site(&pipeline::domain(&host)).await.unwrap() else {
                continue;
            };
            for document in &site.documents {
                let body = store.blob(&document.hash).await.unwrap().unwrap();
                let url: url::Url = document.url.parse().unwrap();
                let reading = formats::read(&Document {
                    media_type: document.media_type.clone(),
                    ..Document::new(site.domain.clone(), url, body)
                });
                assert_eq!(
                    document.format.as_deref(),
                    Some(reading.format.as_str()),
                    "{}",
                    document.url
                );
                let row = rows.entry(reading.format.as_str().to_owned()).or_default();
                row[0] += 1;
                row[1] += reading.agents.len();
                row[2] += reading
                    .agents
                    .iter()
                    .map(|agent| agent.capabilities.len())
                    .sum::<usize>();
                row[3] += reading
                    .findings
                    .iter()
                    .filter(|it| it.severity == manifest::Severity::Error)
                    .count();
                row[4] += reading.findings.len();
            }
        }
        let mut text = format!(
            "{:<28} {:>9} {:>7} {:>12} {:>7} {:>9}\n",
            "format", "documents", "agents", "capabilities", "errors", "findings"
        );
        for (format, [documents, agents, capabilities, errors, findings]) in rows {
            let _ = writeln!(
                text,
                "{format:<28} {documents:>9} {agents:>7} {capabilities:>12} {errors:>7} {findings:>9}"
            );
        }
        text
    }
}

/// Returns true for the default paths of any format.
fn formats_look_at(path: &str) -> bool {
    formats::ALL
        .iter()
        .any(|entry| entry.places.contains(&path))
}
