//! A small registry with a site of every kind, in a real database with a real index.

use crate::AppState;
use indexer::search::writer::Position;
use indexer::search::{IndexWriter, Searcher, semantic};
use manifest::agent::Agent;
use manifest::listing::{Listing, Source};
use manifest::{AgentId, Document, Domain, Finding, Level, Severity, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{
    DocumentReading, DomainReadings, Lease, NextVisit, Outcome, Receipt, RobotsState, Role, Seed,
    SeedSource, Store, Visit,
};
use tempfile::TempDir;
use url::Url;

/// 2026-11-20T12:00:00Z, when all of it happened.
pub(super) const THEN: Timestamp = Timestamp(1_795_176_000_000);

/// Some hours later, when visitors come.
pub(super) fn now() -> Timestamp {
    THEN.after(Duration::from_secs(10_000))
}

/// A registry, which goes when it is dropped.
#[derive(Debug)]
pub(super) struct Registry {
    pub(super) state: AppState,
    _folder: TempDir,
}

/// What a site has: path, level, findings, agents as JSON.
struct Page {
    path: &'static str,
    level: Level,
    findings: Vec<Finding>,
    agents: Vec<Value>,
}

/// A registry to which nobody has given a seed.
pub(super) async fn empty() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[]).await;
    Registry {
        state: state(store, folder.path()),
        _folder: folder,
    }
}

/// A registry whose agents nobody has indexed yet.
pub(super) async fn unindexed() -> Registry {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &[Role::Indexer]).await;
    add(&*store, "mesa.example", Outcome::Found, Some(mesa())).await;
    Registry {
        state: state(store, folder.path()),
        _folder: folder,
    }
}

/// A registry with a site of every kind.
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
        _folder: folder,
    }
}

async fn open(folder: &Path, roles: &[Role]) -> Arc<dyn Store> {
    let url = format!("sqlite:{}", folder.join("agentdex.db").display());
    store::open(&url, roles).await.unwrap()
}

fn state(store: Arc<dyn Store>, folder: &Path) -> AppState {
    AppState {
        store,
        searcher: Searcher::open(&folder.join("index"), semantic::shipped()).unwrap(),
        public_url: "https://agentdex.example".to_owned(),
        now,
    }
}

async fn seed(store: &dyn Store, domain: &str) {
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
    let (Some(page), Some(document)) = (page, document) else {
        return;
    };
    let unread = store.unread_domains(1).await.unwrap().remove(0);
    let stored = store.documents(&domain).await.unwrap().remove(0);
    let format = match page.level {
        Level::D => "unrecognised",
        Level::A | Level::B | Level::C if page.path.contains("card") => "a2a-agent-card",
        Level::A | Level::B | Level::C => "agents-json/agents-protocol",
    };
    let source = Source {
        url: document.url.to_string(),
        hash: stored.hash.clone(),
        format: format.to_owned(),
        generation: page.path.contains("card").then(|| "0.3".to_owned()),
        level: page.level,
    };
    let listings = page.agents.iter().map(|agent| {
        let agent: Agent = serde_json::from_value(agent.clone()).unwrap();
        Listing {
            id: AgentId::new(&domain, &agent.key),
            format: format.to_owned(),
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
            format: format.to_owned(),
            generation: source.generation.clone(),
            level: page.level,
            findings: page.findings,
            mentions: Vec::new(),
        }],
        reason: String::new(),
    };
    store.replace_agents(&readings, THEN).await.unwrap();
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

fn visit(lease: Lease, outcome: Outcome, document: Option<Document>) -> Visit {
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
        robots: Some(RobotsState {
            verdict: if is_closed { "disallow" } else { "allow" }.to_owned(),
            status: Some(200),
            ..RobotsState::default()
        }),
        next: NextVisit {
            due: THEN.after(Duration::from_hours(24)),
            not_before: THEN.after(Duration::from_mins(10)),
            fails: 0,
            interval_ms: Some(86_400_000),
            rotation: 0,
            is_again: false,
        },
        lease,
    }
}

async fn index(store: &dyn Store, folder: &Path) {
    let mut writer = IndexWriter::open(folder, semantic::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    for agent in store.agents(None, 100).await.unwrap() {
        build.add(&agent).unwrap();
    }
    let last = store.changes(0, 100).await.unwrap().pop().unwrap();
    writer.switch(build, Position::of(&last)).unwrap();
}

fn mesa() -> Page {
    let book = json!({
        "id": "book_table", "name": "Book a table",
        "description": "Finds a free table and holds it for ten minutes.",
        "tags": ["restaurant", "reservation"],
        "examples": ["Book a table for four in Lisbon tonight"],
        "pointer": "/skills/0",
    });
    let menu = json!({"id": "menu", "name": "Menu of the day", "pointer": "/skills/1"});
    Page {
        path: "/.well-known/agent-card.json",
        level: Level::A,
        findings: Vec::new(),
        agents: vec![json!({
            "key": "reservations", "name": "Mesa reservations", "version": "2.1.0",
            "description": "Reserves tables in restaurants and answers questions about their menus.",
            "url": "https://mesa.example/a2a",
            "provider": {"name": "Mesa Lda", "url": "https://mesa.example/"},
            "tags": ["restaurant", "reservation"],
            "capabilities": [book, menu],
            "auth": [{"scheme": "oauth2", "flows": ["clientCredentials"], "token_url": "https://mesa.example/token"}],
            "interfaces": [{"protocol": "a2a", "version": "0.3", "url": "https://mesa.example/a2a", "transport": "JSONRPC", "preferred": true}],
        })],
    }
}

fn books() -> Page {
    let search = json!({
        "id": "books.search", "name": "books.search", "description": "Searches the shelves.",
        "method": "GET", "endpoint": "/api/books", "url": "https://xn--bcher-kva.example/api/books",
        "params": [
            {"name": "title", "in": "query", "type": "string", "required": true, "description": "Words of the title"},
            {"name": "limit", "type": "integer", "default": 10},
        ],
        "requires_session": false, "pointer": "/capabilities/0",
    });
    let buy = json!({
        "id": "books.buy", "name": "books.buy", "method": "POST", "endpoint": "/api/cart",
        "url": "https://xn--bcher-kva.example/api/cart", "requires_session": true, "human_handoff": true,
        "params": [{"name": "isbn", "type": "string", "required": true}],
        "output_schema": {"type": "object", "properties": {"handoff_url": {"type": "string"}}},
        "pointer": "/capabilities/1",
    });
    Page {
        path: "/.well-known/agents.json",
        level: Level::B,
        findings: vec![Finding::new(
            "AJ-18",
            Severity::Warning,
            "/rate_limit",
            "the limit is a text; write the number 30",
        )],
        agents: vec![json!({
            "key": "buecher", "name": "Bücher am Markt", "description": "Eine Buchhandlung, die auch Agenten bedient.",
            "url": "https://xn--bcher-kva.example", "languages": ["de"], "capabilities": [search, buy],
            "interfaces": [{"protocol": "interaction-api", "url": "https://xn--bcher-kva.example/.well-known/agents/api"}],
            "rate_limits": [{"scope": "default", "limit": 30, "window_s": 60}],
            "sessions": {"create": "https://xn--bcher-kva.example/session", "delete": "https://xn--bcher-kva.example/session", "ttl_s": 3600},
            "flows": [{"name": "Buy a book", "steps": ["books.search", "books.buy"]}],
        })],
    }
}

fn hostile() -> Page {
    Page {
        path: "/agent-card.json",
        level: Level::C,
        findings: vec![Finding {
            excerpt: Some("<script>alert(4)</script>".to_owned()),
            ..Finding::new(
                "A2-06",
                Severity::Error,
                "/url\"><script>",
                "the address is no web address: <script>alert(2)</script>",
            )
        }],
        agents: vec![json!({
            "key": "x", "name": "<script>alert(1)</script> \"quoted\"",
            "description": "</p><img src=x onerror=alert(1)>", "homepage": "javascript:alert(3)",
            "docs": "https://hostile.example/?a=\"><script>", "tags": ["<b>"],
            "capabilities": [{"id": "<i>", "name": "<i>x</i>", "examples": ["{{ 7 * 7 }}"], "pointer": "/skills/0"}],
            "interfaces": [{"protocol": "a2a", "version": "0.3", "url": "data:text/html,<script>", "transport": "JSONRPC"}],
        })],
    }
}

fn chain() -> Page {
    let city = |key: &str, name: &str| {
        json!({
            "key": key, "name": format!("Chain hotel {name}"), "description": "Rooms by the night.",
            "url": "https://chain.example/agent",
            "capabilities": [{"id": "rooms", "name": "rooms", "description": "Finds free rooms.", "pointer": "/skills/0"}],
        })
    };
    Page {
        path: "/.well-known/agents.json",
        level: Level::A,
        findings: Vec::new(),
        agents: vec![
            city("graz", "Graz"),
            city("linz", "Linz"),
            city("wien", "Wien"),
            city("wels", "Wels"),
        ],
    }
}

fn spa() -> Page {
    Page {
        path: "/.well-known/agents.json",
        level: Level::A,
        findings: Vec::new(),
        agents: vec![json!({
            "key": "spa", "name": "Chain hotel spa", "description": "Rooms with a bath.",
            "capabilities": [{"id": "rooms", "name": "rooms", "description": "Finds free rooms.", "pointer": "/skills/0"}],
        })],
    }
}

/// Somebody who lists the agent of somebody else.
fn claims() -> Page {
    Page {
        path: "/.well-known/agent-card.json",
        level: Level::A,
        findings: Vec::new(),
        agents: vec![json!({
            "key": "claim", "name": "Tide tables", "description": "Says when the water comes.",
            "interfaces": [{"protocol": "a2a", "version": "0.3", "url": "https://mesa.example/a2a", "transport": "JSONRPC"}],
        })],
    }
}

/// More of everything than anybody reads.
fn huge() -> Page {
    let capabilities: Vec<Value> = (0..1_200)
        .map(|index| json!({"id": format!("op{index}"), "name": format!("Operation {index}."), "pointer": "/x"}))
        .collect();
    let finding = |index: usize| {
        let message = format!("remark {}", index.min(120));
        Finding::new("AJ-18", Severity::Warning, format!("/{index}"), message)
    };
    Page {
        path: "/.well-known/agents.json",
        level: Level::B,
        findings: (0..200).map(finding).collect(),
        agents: vec![
            json!({"key": "all", "name": "long ".repeat(100), "capabilities": capabilities}),
            json!({"key": "one", "name": "Small one", "capabilities": [{"id": "op", "name": "op", "pointer": "/y"}]}),
        ],
    }
}

fn unreadable() -> Page {
    Page {
        path: "/.well-known/agents.json",
        level: Level::D,
        findings: vec![Finding::new(
            "DI-03",
            Severity::Error,
            "",
            "not UTF-8; save the file as UTF-8",
        )],
        agents: Vec::new(),
    }
}

fn broken() -> Page {
    Page {
        path: "/.well-known/agents.json",
        level: Level::D,
        findings: vec![Finding::new(
            "DI-30",
            Severity::Error,
            "",
            "this is in no format that we know; see the specification of agents.json",
        )],
        agents: Vec::new(),
    }
}
