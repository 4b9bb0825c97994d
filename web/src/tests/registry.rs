//! A small registry with a site of every kind, in a real database with a real index.

mod sites;

use crate::crawler_identity::{CrawlerIdentity, DEFAULT_TOKEN};
use crate::feed::Feed;
use crate::rate::{Limiter, RateLimit};
use crate::secrets::Secrets;
use crate::state::Shared;
use crate::{AppState, Config, run};
use admin::prometheus::encoding::text::encode;
use admin::prometheus::registry::Registry as Metrics;
use clap::Parser as _;
use manifest::agent::Agent;
use manifest::listing::{Listing, Source};
use manifest::{AgentId, Document, Domain, Level, Timestamp};
use search::{IndexWriter, Position, Searcher, embedding};
pub(super) use sites::mesa;
use sites::{
    Page, books, broken, chain, claims, clocks, hostile, huge, imitation, spa, unreadable,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::{
    DocumentReading, DomainReadings, ForbiddenPath, Lease, NextVisit, Outcome, Receipt,
    RobotsState, Role, Seed, SeedSource, Store, Visit,
};
use tempfile::TempDir;
use url::Url;

/// 2026-11-20T12:00:00Z, the time of all visits.
pub(super) const THEN: Timestamp = Timestamp(1_795_176_000_000);

/// Returns the time of requests, some hours later.
pub(super) fn now() -> Timestamp {
    THEN.after(Duration::from_secs(10_000))
}

/// Registry in a temporary directory.
#[derive(Debug)]
pub(super) struct Registry {
    pub(super) state: AppState,
    folder: TempDir,
}

impl Registry {
    /// Returns the directory of the index.
    pub(super) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// Builds the index as an indexer without a usable one does.
    pub(super) async fn reindex(&self) {
        index(&*self.state.store, &self.index()).await;
    }

    /// Returns the metrics of the web server as text.
    pub(super) async fn metrics(&self) -> String {
        let parts = run::parts(&self.state);
        let server = parts.iter().find(|it| it.name() == "web").unwrap();
        let mut metrics = Metrics::default();
        server.register(&mut metrics).await;
        let mut text = String::new();
        encode(&mut text, &metrics).unwrap();
        text
    }

    /// Restarts the server on the same data.
    pub(super) fn restart(&mut self) {
        self.state.searcher = searcher(&self.index());
    }
}

impl Registry {
    /// Visits a site with one document a day later and finds these bytes there.
    pub(super) async fn revise(&self, page: Page, body: &str) {
        let later = THEN.after(Duration::from_hours(24));
        let store = &*self.state.store;
        let until = later.after(Duration::from_mins(1));
        let leases = store.lease_domains(later, until, 100).await.unwrap();
        let (mut revised, others): (Vec<_>, Vec<_>) = leases
            .into_iter()
            .partition(|it| it.known.iter().any(|it| it.url.ends_with(page.path)));
        store.return_leases(&others).await.unwrap();
        let lease = revised.remove(0);
        store.return_leases(&revised).await.unwrap();
        let document = Document {
            body: body.as_bytes().to_vec(),
            fetched: later,
            ..document(&lease.domain, page.path)
        };
        let visit = visit(lease, Outcome::Found, Some(document.clone()));
        store.record_visits(&[visit]).await.unwrap();
        read(store, page, &document, later).await;
    }
}

/// Creates a registry without seeds.
pub(super) async fn empty() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[]).await;
    Registry {
        state: state(store, folder.path()),
        folder,
    }
}

/// Creates a registry whose agents are not indexed yet.
pub(super) async fn unindexed() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[Role::Indexer]).await;
    add(&*store, "mesa.example", Outcome::Found, Some(mesa())).await;
    Registry {
        state: state(store, folder.path()),
        folder,
    }
}

/// Creates a registry with an agent that speaks MCP, and one that does not.
pub(super) async fn servers() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[Role::Indexer]).await;
    add(&*store, "mesa.example", Outcome::Found, Some(mesa())).await;
    add(&*store, "clocks.example", Outcome::Found, Some(clocks())).await;
    index(&*store, &folder.path().join("index")).await;
    Registry {
        state: state(store, folder.path()),
        folder,
    }
}

/// Creates a registry with the same agent on two sites, and another one.
pub(super) async fn branches() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[Role::Indexer]).await;
    for domain in ["mesa.example", "sopa.example"] {
        add(&*store, domain, Outcome::Found, Some(mesa())).await;
    }
    add(&*store, "clocks.example", Outcome::Found, Some(clocks())).await;
    index(&*store, &folder.path().join("index")).await;
    Registry {
        state: state(store, folder.path()),
        folder,
    }
}

/// Creates a registry with an agent and its imitation.
pub(super) async fn imitated() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[Role::Indexer]).await;
    add(&*store, "mesa.example", Outcome::Found, Some(mesa())).await;
    let imitation = Some(imitation());
    add(&*store, "imitation.example", Outcome::Found, imitation).await;
    index(&*store, &folder.path().join("index")).await;
    Registry {
        state: state(store, folder.path()),
        folder,
    }
}

/// Creates a registry with a site of every kind.
pub(super) async fn full() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[Role::Indexer]).await;
    add(&*store, "mesa.example", Outcome::Found, Some(mesa())).await;
    add(&*store, "bücher.example", Outcome::Found, Some(books())).await;
    add(&*store, "hostile.example", Outcome::Found, Some(hostile())).await;
    add(&*store, "chain.example", Outcome::Found, Some(chain())).await;
    add(&*store, "spa.chain.example", Outcome::Found, Some(spa())).await;
    add(&*store, "broken.example", Outcome::Found, Some(broken())).await;
    add(&*store, "claims.test", Outcome::Found, Some(claims())).await;
    add(&*store, "huge.test", Outcome::Found, Some(huge())).await;
    add(&*store, "empty.example", Outcome::Empty, None).await;
    add(
        &*store,
        "unreadable.example",
        Outcome::Empty,
        Some(unreadable()),
    )
    .await;
    add(&*store, "closed.example", Outcome::RobotsDisallow, None).await;
    seed(&*store, "waiting.example").await;
    index(&*store, &folder.path().join("index")).await;
    Registry {
        state: state(store, folder.path()),
        folder,
    }
}

async fn open(folder: &Path, roles: &[Role]) -> Arc<dyn Store> {
    let url = format!("sqlite:{}", folder.join("agentdex.db").display());
    store::open(&url, roles).await.unwrap()
}

fn state(store: Arc<dyn Store>, folder: &Path) -> AppState {
    AppState {
        store,
        searcher: searcher(&folder.join("index")),
        public_url: "https://agentdex.example".to_owned(),
        contact: Some("registry@agentdex.example".to_owned()),
        crawler: CrawlerIdentity::new(DEFAULT_TOKEN, &[], None, THEN),
        secrets: Secrets::open(&folder.join("agentdex.secrets"), THEN).unwrap(),
        limiter: Limiter::new(RateLimit::OFF, &[]),
        metrics: crate::metrics::Metrics::default(),
        feed: Feed::new(folder.join("export")),
        shared: Shared::default(),
        now,
    }
}

/// Opens the index as `web` does.
fn searcher(folder: &Path) -> Searcher {
    let folder = folder.to_str().unwrap();
    run::searcher(&Config::parse_from(["web", "--index", folder])).unwrap()
}

/// Adds a domain to visit.
pub(super) async fn seed(store: &dyn Store, domain: &str) {
    let seed = Seed {
        domain: Domain::parse(domain).unwrap(),
        port: None,
        source: SeedSource::Seed,
    };
    store.add_seeds(&[seed], false, THEN).await.unwrap();
}

async fn add(store: &dyn Store, domain: &str, outcome: Outcome, page: Option<Page>) {
    seed(store, domain).await;
    let until = THEN.after(Duration::from_mins(1));
    let leases = store.lease_domains(THEN, until, 1).await.unwrap();
    let lease = leases.into_iter().next().unwrap();
    let domain = lease.domain.clone();
    let document = page.as_ref().map(|page| document(&domain, page.path));
    let visit = visit(lease, outcome, document.clone());
    store.record_visits(&[visit]).await.unwrap();
    if let (Some(page), Some(document)) = (page, document) {
        read(store, page, &document, THEN).await;
    }
}

/// Stores a reading of the only unread document.
async fn read(store: &dyn Store, page: Page, document: &Document, now: Timestamp) {
    let domain = &document.domain;
    let unread = store.unread_domains(1).await.unwrap().remove(0);
    let stored = store.documents(domain).await.unwrap().remove(0);
    let format = match page.level {
        Level::D => "unrecognised",
        Level::A | Level::B | Level::C if page.path.contains("card") => "a2a-agent-card",
        Level::A | Level::B | Level::C => "agents-json/agents-protocol",
    };
    let source = Source {
        url: document.url.to_string(),
        hash: stored.hash.clone(),
        format: manifest::formats::find(format).unwrap(),
        generation: page.path.contains("card").then(|| "0.3".to_owned()),
        level: page.level,
    };
    let listings = page.agents.iter().map(|agent| {
        let agent: Agent = serde_json::from_value(agent.clone()).unwrap();
        Listing {
            id: AgentId::new(domain, &agent.key),
            format: manifest::formats::find(format).unwrap(),
            level: page.level,
            agent,
            sources: vec![source.clone()],
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        }
    });
    let readings = DomainReadings {
        unread,
        listings: listings.collect(),
        documents: vec![DocumentReading {
            id: stored.id,
            format: manifest::formats::find(format).unwrap(),
            generation: source.generation.clone(),
            level: page.level,
            findings: page.findings,
            mentions: Vec::new(),
        }],
        reason: String::new(),
    };
    store.replace_agents(&readings, now).await.unwrap();
}

fn document(domain: &Domain, path: &str) -> Document {
    let url = Url::parse(&format!("https://{domain}{path}")).unwrap();
    Document {
        domain: domain.clone(),
        requested: url.clone(),
        url,
        status: 200,
        media_type: Some("application/json; charset=utf-8".to_owned()),
        etag: None,
        last_modified: None,
        served: None,
        fetched: THEN,
        body: format!("{{\"of\": \"{domain}\"}}").into_bytes(),
    }
}

pub(super) fn visit(lease: Lease, outcome: Outcome, document: Option<Document>) -> Visit {
    let receipt = |path: &str, status: u16, verdict: &str, why: &str| Receipt {
        at: THEN,
        method: "GET".to_owned(),
        url: format!("https://{}{path}", lease.domain),
        status: Some(status),
        bytes: 24,
        ms: 31,
        verdict: verdict.to_owned(),
        why: why.to_owned(),
    };
    let is_closed = outcome == Outcome::RobotsDisallow;
    let forbidden = ["/.well-known/agent-card.json", "/agents.txt"];
    let forbidden = forbidden.iter().filter(|_| is_closed);
    let forbidden = forbidden.map(|path| ForbiddenPath {
        path: (*path).to_owned(),
        line: 7,
        rule: "Disallow: /".to_owned(),
    });
    let mut receipts = vec![receipt("/robots.txt", 200, "robots", "")];
    if let Some(document) = &document {
        receipts.push(receipt(document.path(), 200, "manifest", ""));
    }
    if !is_closed {
        receipts.push(receipt(
            "/agents.txt",
            404,
            "absent",
            "the server says \u{202e}<gone>",
        ));
    }
    Visit {
        started: THEN,
        ended: THEN.after(Duration::from_secs(3)),
        outcome,
        detail: None,
        requests: u32::try_from(receipts.len()).unwrap(),
        bytes: 24,
        receipts,
        documents: document.into_iter().collect(),
        gone: Vec::new(),
        missing: Vec::new(),
        unchanged: Vec::new(),
        named: Vec::new(),
        asked: Vec::new(),
        edge: None,
        robots: Some(RobotsState {
            verdict: if is_closed { "disallow" } else { "allow" }.to_owned(),
            status: Some(200),
            forbidden: forbidden.collect(),
            ..RobotsState::default()
        }),
        next: NextVisit {
            due: THEN.after(Duration::from_hours(24)),
            not_before: THEN.after(Duration::from_mins(10)),
            fails: 0,
            interval_ms: Some(86_400_000),
            rotation: 0,
            unanswered: Vec::new(),
            requests_left: None,
            is_again: false,
        },
        lease,
    }
}

async fn index(store: &dyn Store, folder: &Path) {
    let mut writer = IndexWriter::open(folder, embedding::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    let agents = store.agents(None, 100).await.unwrap();
    let encoder = embedding::shipped().and_then(|it| it.encoder).unwrap();
    let vectors = search::of_agents(&agents, encoder);
    build.add_all(&agents, &vectors).unwrap();
    let last = store.changes(0, 100).await.unwrap().pop().unwrap();
    writer.switch(build, Position::of(&last)).unwrap();
}
