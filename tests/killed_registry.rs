//! A whole registry that is killed at random while programs follow it and an operator backs it up:
//! they miss nothing, and end with its content.

use crate::backup::{back_up_until, exported, restored};
use crate::kill::{SITES, recorded, web};
use crate::support::http;
use crate::support::pipeline::Pipeline;
use crate::support::server::Server;
use crate::support::wait::until;
use crate::support::{kill_seed, run};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const CARD: &str = "/.well-known/agent-card.json";
const KILLS: usize = 6;

/// Reader of the event stream that outlives the registry.
#[derive(Default)]
struct Reader {
    /// Numbers of the changes, in the order in which they came.
    numbers: Vec<u64>,
    /// A copy of the registry.
    agents: BTreeMap<String, Value>,
    last_event: Option<String>,
}

impl Reader {
    /// Follows the stream until it ends: after `wait` seconds, or with the registry.
    async fn follow(mut self, url: String, wait: u32) -> Self {
        let address = format!("{url}/api/v1/changes/stream?include=agent&wait={wait}");
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut request = client.get(address);
        if let Some(id) = &self.last_event {
            request = request.header("Last-Event-ID", id);
        }
        let Ok(mut response) = request.send().await else {
            return self;
        };
        assert_eq!(response.status().as_u16(), 200);
        let mut bytes = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            bytes.extend_from_slice(&chunk);
            while let Some(end) = bytes.windows(2).position(|it| it == b"\n\n") {
                let event: Vec<u8> = bytes.drain(..end + 2).collect();
                self.receive(std::str::from_utf8(&event).unwrap());
            }
        }
        self
    }

    fn receive(&mut self, event: &str) {
        let line = |start: &str| event.lines().find_map(|line| line.strip_prefix(start));
        let (Some(id), Some(data)) = (line("id: "), line("data: ")) else {
            return;
        };
        let change: Value = serde_json::from_str(data).unwrap();
        self.numbers.push(change["seq"].as_u64().unwrap());
        self.last_event = Some(id.to_owned());
        let agent = change["id"].as_str().unwrap();
        match change["op"].as_str().unwrap() {
            "remove" | "optout" => {
                self.agents.remove(agent);
            }
            // If it is not listed any more, its removal follows.
            _ if change["agent"].is_null() => {}
            _ => {
                self.agents
                    .insert(agent.to_owned(), change["agent"].clone());
            }
        }
    }
}

/// Changes the manifest of a site with an agent, or removes it, and asks for a recheck.
async fn change(pipeline: &Pipeline, server: &Server, random: &mut StdRng) {
    let host = format!("site-{}.example", 3 * random.random_range(0..SITES / 3));
    let name = format!("Clerk of {}", random.random_range(0..1_000));
    let card = format!(
        r#"{{"protocolVersion": "0.3.0", "name": "{name}", "url": "https://{host}/a2a",
             "skills": [{{"id": "answer", "name": "Answer"}}]}}"#
    );
    pipeline.web.put(&host, CARD, card).unwrap();
    let path = format!("{}/api/v1/sites/{host}/recheck", server.url);
    let answer = http::post(&path, "").await;
    // It may be unknown yet, or have been rechecked.
    assert!([202, 404, 429].contains(&answer.status), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_and_backups_of_a_registry_that_is_killed_at_random_have_its_content() {
    let seed = kill_seed();
    let mut random = StdRng::seed_from_u64(seed);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let pipeline = Pipeline::new(web().await);
    let mut readers = [Reader::default(), Reader::default()];
    let mut lengths = Vec::new();
    for _ in 0..KILLS {
        let server = pipeline.registry();
        let life = Duration::from_millis(random.random_range(500..=3_500));
        let end = Instant::now() + life;
        let url = &server.url;
        let following = readers.map(|reader| tokio::spawn(reader.follow(url.clone(), 3_600)));
        change(&pipeline, &server, &mut random).await;
        back_up_until(&pipeline, end).await;
        // SIGKILL, which ends the streams.
        drop(server);
        let [one, two] = following;
        readers = [one.await.unwrap(), two.await.unwrap()];
        lengths.push(readers[0].numbers.len());
    }
    let server = pipeline.registry();
    let store = pipeline.store().await;
    until("the crawl is over", async || {
        recorded(&pipeline).await.len() == SITES
            && store.unread_domains(1).await.unwrap().is_empty()
            && store.due(admin::now(), 1).await.unwrap() == 0
    })
    .await;
    let database = ["--database", "sqlite:agentdex.db"];
    let backup = [&["backup", crate::backup::FILE], &database[..]].concat();
    let made = run("agentdex", pipeline.folder.path(), &backup);
    assert_eq!(made.code, Some(0), "{}", made.output);
    let last = store.last_change().await.unwrap();
    assert!(last >= (SITES / 3) as u64);
    let content = exported(pipeline.folder.path());
    for reader in readers {
        let reader = reader.follow(server.url.clone(), 0).await;
        assert_eq!(reader.numbers, (1..=last).collect::<Vec<_>>());
        assert_eq!(reader.agents, content);
    }
    assert_eq!(exported(restored(&pipeline).path()), content);
    println!("{last} changes; a reader had {lengths:?} of them at the {KILLS} kills");
}
