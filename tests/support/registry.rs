//! A store with an index, filled by invented visits.

use indexer::pipeline::WorkCounts;
use indexer::run::{self, Until};
use manifest::{Document, Domain, Timestamp};
use search::{Results, Searcher, embedding};
use std::path::PathBuf;
use std::sync::Arc;
use store::{Lease, NextVisit, Outcome, Role, Seed, SeedSource, Store, Visit};
use tokio_util::sync::CancellationToken;

/// Path of a card.
pub(crate) const CARD: &str = "/.well-known/agent-card.json";

/// Returns an agent card of one skill.
pub(crate) fn card(name: &str, skill: &str, description: &str) -> String {
    serde_json::json!({
        "protocolVersion": "0.3.0",
        "name": name,
        "description": format!("{name}, at your service."),
        "url": "https://service.example/a2a",
        "preferredTransport": "JSONRPC",
        "version": "1.0.0",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": skill, "name": skill, "description": description, "tags": ["demo"]}],
    })
    .to_string()
}

const MINUTE: i64 = 60_000;

/// A store, an index and a clock in a directory of their own.
pub(crate) struct Registry {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) now: i64,
}

impl Registry {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("registry.db").display());
        Self {
            store: store::open(&url, &[Role::Indexer]).await.unwrap(),
            now: 1_800_000_000_000,
            folder,
        }
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// Records a visit that finds these documents, as path and body, and these paths gone.
    pub(crate) async fn visit(&mut self, name: &str, documents: &[(&str, &str)], gone: &[&str]) {
        self.end(name, Outcome::Found, documents, gone).await;
    }

    /// Records a visit with this outcome.
    pub(crate) async fn end(
        &mut self,
        name: &str,
        outcome: Outcome,
        documents: &[(&str, &str)],
        gone: &[&str],
    ) {
        self.now += 60 * MINUTE;
        let now = Timestamp(self.now);
        let domain = Domain::parse(name).unwrap();
        let seed = Seed {
            domain: domain.clone(),
            port: None,
            source: SeedSource::Seed,
        };
        self.store.add_seeds(&[seed], false, now).await.unwrap();
        let until = Timestamp(self.now + MINUTE);
        let leases = self.store.lease_domains(now, until, 100).await.unwrap();
        let (mine, others): (Vec<_>, Vec<_>) =
            leases.into_iter().partition(|lease| lease.domain == domain);
        self.store.return_leases(&others).await.unwrap();
        let lease = mine.into_iter().next().unwrap();
        let visit = visit(lease, now, outcome, documents, gone);
        let recorded = self.store.record_visits(&[visit]).await.unwrap();
        assert_eq!(recorded.visits, 1);
    }

    /// Runs the indexer until it is up to date.
    pub(crate) async fn catch_up(&self) -> WorkCounts {
        run::run(
            Arc::clone(&self.store),
            &self.index(),
            embedding::shipped(),
            Until::CaughtUp,
            &CancellationToken::new(),
        )
        .await
        .unwrap()
    }

    pub(crate) fn search(&self, text: &str) -> Results {
        let searcher = Searcher::open(&self.index(), embedding::shipped()).unwrap();
        searcher.search(&super::search(text)).unwrap()
    }
}

/// Returns a visit that finds these documents, as path and body, and these paths gone; the next one is
/// due at once.
pub(crate) fn visit(
    lease: Lease,
    now: Timestamp,
    outcome: Outcome,
    documents: &[(&str, &str)],
    gone: &[&str],
) -> Visit {
    let domain = lease.domain.clone();
    let url = |path: &str| -> url::Url { format!("https://{domain}{path}").parse().unwrap() };
    Visit {
        lease,
        started: now,
        ended: now,
        outcome,
        detail: None,
        requests: 2,
        bytes: 100,
        receipts: Vec::new(),
        documents: documents
            .iter()
            .map(|(path, body)| Document {
                domain: domain.clone(),
                requested: url(path),
                url: url(path),
                status: 200,
                media_type: Some("application/json".to_owned()),
                etag: None,
                last_modified: None,
                served: None,
                fetched: now,
                body: body.as_bytes().to_vec(),
            })
            .collect(),
        gone: gone.iter().map(|path| url(path).to_string()).collect(),
        missing: Vec::new(),
        unchanged: Vec::new(),
        named: Vec::new(),
        asked: Vec::new(),
        edge: None,
        robots: None,
        next: NextVisit {
            due: now,
            not_before: now,
            fails: 0,
            interval_ms: None,
            rotation: 0,
            unanswered: Vec::new(),
            requests_left: None,
            is_again: false,
        },
    }
}
