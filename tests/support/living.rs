//! A registry that runs over a simulated web while a test acts on it: `agentdex` as a process.

use super::pipeline::Pipeline;
use super::server::Server;
use super::{Ran, http, run, wait};
use serde_json::Value;
use simweb::Simweb;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use store::{Operation, Store};

/// A running registry.
pub(crate) struct Living {
    pub(crate) pipeline: Pipeline,
    pub(crate) server: Server,
    /// Its database, read by the test.
    pub(crate) store: Arc<dyn Store>,
}

/// Returns an A2A card of a site with one agent that does `what`.
pub(crate) fn card(host: &str, name: &str, what: &str) -> String {
    format!(
        r#"{{"protocolVersion": "0.3.0", "name": "{name}", "description": "{what}.",
        "url": "https://{host}/a2a", "version": "1.0.0", "capabilities": {{}},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{{"id": "main", "name": "{what}", "description": "{what}.", "tags": ["x"]}}]}}"#
    )
}

impl Living {
    /// Starts a registry of these sites, each with the name and the purpose of its agent, and waits
    /// until all agents can be found.
    pub(crate) async fn start(sites: &[(&str, &str, &str)], arguments: &[&str]) -> Self {
        let web = sites
            .iter()
            .fold(Simweb::builder(), |web, (host, name, what)| {
                web.site(host)
                    .file("/.well-known/agent-card.json", card(host, name, what))
            });
        let living = Self::of(web, None, arguments).await;
        for (host, _, what) in sites {
            let found = async || living.finds(what, host).await;
            wait::until(&format!("{host} is found"), found).await;
        }
        living
    }

    /// Starts a registry over a web, of which it knows the sites in `seeds`; `None` for all of them.
    pub(crate) async fn of(
        web: simweb::Builder,
        seeds: Option<&[&str]>,
        arguments: &[&str],
    ) -> Self {
        let pipeline = Pipeline::new(web.start().await.unwrap());
        if let Some(seeds) = seeds {
            let port = pipeline.web.https_port();
            let seeds: Vec<_> = seeds.iter().map(|it| format!("{it}:{port}")).collect();
            std::fs::write(pipeline.folder.path().join("seeds.txt"), seeds.join("\n")).unwrap();
        }
        std::fs::write(pipeline.folder.path().join("blocklist.txt"), "# none yet\n").unwrap();
        let mut command = Command::new(super::binary("agentdex"));
        command
            .args(pipeline.crawl_arguments())
            .args(["--index", "index", "--delay", "0"])
            .args(arguments)
            .current_dir(pipeline.folder.path());
        let server = Server::start(&mut command);
        let path = pipeline.folder.path().join("agentdex.db");
        let store = store::open(&format!("sqlite:{}", path.display()), &[]).await;
        Self {
            pipeline,
            server,
            store: store.unwrap(),
        }
    }

    /// Returns the JSON answer at an address of the API, and its status.
    pub(crate) async fn api(&self, path: &str) -> (u16, Value) {
        let answer = http::get(&format!("{}/api/v1{path}", self.server.url)).await;
        (answer.status, answer.json())
    }

    /// Posts a JSON object to an address of the API.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}/api/v1{path}", self.server.url);
        let answer = http::post_json(&url, body).await;
        (answer.status, answer.json())
    }

    /// Reports whether a search for `words` finds an agent of the site.
    pub(crate) async fn finds(&self, words: &str, host: &str) -> bool {
        let words = words.replace(' ', "+");
        let (status, found) = self.api(&format!("/search?q={words}")).await;
        if status != 200 {
            return false;
        }
        let results = found["results"].as_array().unwrap();
        results.iter().any(|it| it["site"] == host)
    }

    /// Waits until a search for `words` finds the site, or does not find it any more; it must within
    /// ten seconds.
    pub(crate) async fn soon(&self, words: &str, host: &str, is_found: bool) {
        let what = format!("{host} is found: {is_found}");
        let as_wanted = async || self.finds(words, host).await == is_found;
        wait::within(Duration::from_secs(10), &what, as_wanted).await;
    }

    /// Returns the public log, oldest first: action, target, reason and source.
    pub(crate) async fn log(&self) -> Vec<[String; 4]> {
        let (status, log) = self.api("/moderation").await;
        assert_eq!(status, 200, "{log}");
        let entries = log["entries"].as_array().unwrap().iter().rev();
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        entries
            .map(|it| ["action", "target", "reason", "source"].map(|name| text(it, name)))
            .collect()
    }

    /// Returns the newest change of an agent of the site.
    pub(crate) async fn last_change(&self, host: &str) -> (Operation, String) {
        let changes = self.store.changes(0, 1_000).await.unwrap();
        let last = changes.into_iter().rev();
        let last = last
            .filter(|it| it.op != Operation::Status)
            .find(|it| it.agent.parts().0 == host)
            .unwrap();
        (last.op, last.reason)
    }

    /// Runs a program on the database of the registry.
    pub(crate) fn command(&self, name: &str, arguments: &[&str]) -> Ran {
        let database = ["--database", "sqlite:agentdex.db"];
        let arguments = [arguments, &database].concat();
        run(name, self.pipeline.folder.path(), &arguments)
    }
}
