//! The pipeline as processes: a simulated web, the crawler, the indexer, and one data directory.

use super::server::Server;
use super::{Ran, USUAL_TIME, binary, run, run_within};
use manifest::{AgentId, Domain};
use simweb::Simweb;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoredAgent};

/// A simulated web, and a data directory for its crawl.
pub(crate) struct Pipeline {
    /// The web.
    pub(crate) web: Simweb,
    /// Holds seeds.txt, ca.pem, report.jsonl, agentdex.db and index.
    pub(crate) folder: tempfile::TempDir,
    /// Milliseconds between two requests to one address; zero lifts the rate limit of addresses (P19a).
    pub(crate) address_delay_ms: u64,
}

impl Pipeline {
    /// Prepares the files that the programs need, with every host of `web` as a seed.
    pub(crate) fn new(web: Simweb) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), web.ca_pem()).unwrap();
        std::fs::write(
            folder.path().join("seeds.txt"),
            web.seeds().join("\n") + "\n",
        )
        .unwrap();
        Self {
            web,
            folder,
            address_delay_ms: 0,
        }
    }

    /// Returns the command line of a crawl of every seed.
    pub(crate) fn crawl_arguments(&self) -> Vec<String> {
        let nameserver = self.web.dns_address().to_string();
        [
            "--seeds",
            "seeds.txt",
            "--database",
            "sqlite:agentdex.db",
            "--nameserver",
            &nameserver,
        ]
        .into_iter()
        .chain(["--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"])
        .chain(["--address-delay", &self.address_delay_ms.to_string()])
        .chain([
            "--contact",
            "https://registry.example/bot",
            "--progress",
            "none",
        ])
        .map(str::to_owned)
        .collect()
    }

    /// Starts a registry that crawls every seed, with 50 ms between two requests to one host.
    pub(crate) fn registry(&self) -> Server {
        let mut command = Command::new(binary("agentdex"));
        command
            .args(self.crawl_arguments())
            .args(["--delay", "50", "--index", "index"])
            .current_dir(self.folder.path());
        Server::start(&mut command)
    }

    /// Crawls every seed to the end.
    pub(crate) fn crawl(&self, more: &[&str]) -> Ran {
        self.crawl_within(USUAL_TIME, more)
    }

    /// Crawls every seed to the end, which must come within `time`.
    pub(crate) fn crawl_within(&self, time: Duration, more: &[&str]) -> Ran {
        let mut arguments = self.crawl_arguments();
        arguments.extend(more.iter().map(|&argument| argument.to_owned()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let program = binary("crawler");
        let program = program.to_str().unwrap();
        run_within(time, program, self.folder.path(), &arguments)
    }

    /// Runs the indexer until the index is up to date.
    pub(crate) fn index(&self) -> Ran {
        run(
            "indexer",
            self.folder.path(),
            &["--database", "sqlite:agentdex.db", "--index", "index"],
        )
    }

    /// Opens the store of the data directory.
    pub(crate) async fn store(&self) -> Arc<dyn Store> {
        open(self.folder.path()).await
    }
}

/// Opens the store of a data directory for reading.
pub(crate) async fn open(folder: &Path) -> Arc<dyn Store> {
    let url = format!("sqlite:{}", folder.join("agentdex.db").display());
    store::open(&url, &[]).await.unwrap()
}

/// Returns every agent of a store.
pub(crate) async fn agents(store: &dyn Store) -> Vec<StoredAgent> {
    let mut all: Vec<StoredAgent> = Vec::new();
    loop {
        let last: Option<AgentId> = all.last().map(|agent| agent.listing.id.clone());
        let page = store.agents(last.as_ref(), 100).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Parses a host name as a domain.
pub(crate) fn domain(host: &str) -> Domain {
    Domain::parse(host).unwrap()
}
