//! Fixtures of the tests: domains, visits, documents, agents.

use manifest::document::Delivery;
use manifest::listing::{Listing, Source};
use manifest::{
    Agent, AgentId, Capability, Document, Domain, Finding, Level, Mention, Severity, Timestamp,
    rules,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use store::{
    DocumentReading, DomainReadings, Lease, NextVisit, Outcome, Receipt, RobotsState, Seed,
    SeedSource, Store, UnreadDomain, Visit,
};

/// Reference time.
pub(crate) const NOON: Timestamp = Timestamp(1_800_000_000_000);

/// Milliseconds in a minute.
pub(crate) const MINUTE: i64 = 60_000;

/// Creates a database in a temporary directory.
pub(crate) async fn sqlite(folder: &Path) -> Arc<dyn Store> {
    let url = format!("sqlite:{}", folder.join("registry.db").display());
    store::open(&url, &[]).await.unwrap()
}

pub(crate) fn domain(name: &str) -> Domain {
    Domain::parse(name).unwrap()
}

/// Returns the time this many minutes after the reference time.
pub(crate) fn minutes(number: i64) -> Timestamp {
    Timestamp(NOON.0 + number * MINUTE)
}

pub(crate) fn seed(name: &str) -> Seed {
    Seed {
        domain: domain(name),
        port: None,
        source: SeedSource::Seed,
    }
}

pub(crate) fn seeds(names: &[&str]) -> Vec<Seed> {
    names.iter().map(|name| seed(name)).collect()
}

/// Adds a domain and leases it.
pub(crate) async fn leased(store: &dyn Store, name: &str) -> Lease {
    store.add_seeds(&[seed(name)], false, NOON).await.unwrap();
    lease(store, name, NOON).await
}

/// Leases the due domains, of which this must be the only one.
pub(crate) async fn lease(store: &dyn Store, name: &str, now: Timestamp) -> Lease {
    let until = Timestamp(now.0 + 5 * MINUTE);
    let mut leases = store.lease_domains(now, until, 10).await.unwrap();
    assert_eq!(leases.len(), 1);
    let lease = leases.remove(0);
    assert_eq!(lease.domain, domain(name));
    lease
}

/// Returns a visit that takes a second and finds nothing; the next one is due in an hour.
pub(crate) fn visit(lease: Lease, started: Timestamp) -> Visit {
    let ended = Timestamp(started.0 + 1000);
    Visit {
        lease,
        started,
        ended,
        outcome: Outcome::Empty,
        detail: None,
        requests: 4,
        bytes: 2048,
        receipts: vec![Receipt {
            at: started,
            method: "GET".to_owned(),
            url: "https://a.example/robots.txt".to_owned(),
            status: Some(200),
            bytes: 2048,
            ms: 12,
            verdict: "robots".to_owned(),
            why: "2 rules".to_owned(),
        }],
        documents: Vec::new(),
        gone: Vec::new(),
        missing: Vec::new(),
        unchanged: Vec::new(),
        named: Vec::new(),
        asked: Vec::new(),
        edge: None,
        robots: Some(RobotsState {
            verdict: "allow".to_owned(),
            mask: 7,
            ..RobotsState::default()
        }),
        next: NextVisit {
            due: Timestamp(ended.0 + 60 * MINUTE),
            not_before: Timestamp(ended.0 + 10 * MINUTE),
            fails: 0,
            interval_ms: Some(3_600_000),
            rotation: 2,
            unanswered: Vec::new(),
            requests_left: None,
            is_again: false,
        },
    }
}

/// Returns a document at a path of a domain.
pub(crate) fn document(name: &str, path: &str, body: &str, fetched: Timestamp) -> Document {
    let url: url::Url = format!("https://{name}{path}").parse().unwrap();
    Document {
        domain: domain(name),
        requested: url.clone(),
        url,
        status: 200,
        media_type: Some("application/json".to_owned()),
        etag: Some("\"1\"".to_owned()),
        last_modified: None,
        served: Some(Delivery {
            cache_control: Some("max-age=60".to_owned()),
            allow_origin: None,
        }),
        fetched,
        body: body.as_bytes().to_vec(),
    }
}

/// Visits a due domain and finds these documents, given as path and body.
pub(crate) async fn found(
    store: &dyn Store,
    name: &str,
    documents: &[(&str, &str)],
    now: Timestamp,
) -> Visit {
    let lease = lease(store, name, now).await;
    let mut visit = visit(lease, now);
    visit.outcome = Outcome::Found;
    visit.documents = documents
        .iter()
        .map(|(path, body)| document(name, path, body, now))
        .collect();
    let recorded = store
        .record_visits(std::slice::from_ref(&visit))
        .await
        .unwrap();
    assert_eq!(recorded.visits, 1);
    visit
}

/// Returns a new reading of the only unread domain.
pub(crate) async fn reading(store: &dyn Store) -> DomainReadings {
    let mut unread = store.unread_domains(10).await.unwrap();
    assert_eq!(unread.len(), 1);
    read(store, unread.remove(0)).await
}

/// Returns a new reading of a domain in which each document gives one agent, whose slug is the
/// first word of the document's body.
pub(crate) async fn read(store: &dyn Store, unread: UnreadDomain) -> DomainReadings {
    let documents = store.documents(&unread.domain).await.unwrap();
    DomainReadings {
        listings: documents
            .iter()
            .map(|stored| {
                let name = String::from_utf8(stored.document.body.clone()).unwrap();
                let slug = name.split_whitespace().next().unwrap_or("none").to_owned();
                Listing {
                    id: AgentId::new(&unread.domain, &slug),
                    format: manifest::formats::find("profile").unwrap(),
                    level: Level::C,
                    agent: Agent {
                        name: slug,
                        capabilities: vec![Capability {
                            id: "greet".to_owned(),
                            name: "greet".to_owned(),
                            ..Capability::default()
                        }],
                        ..Agent::default()
                    },
                    sources: vec![Source {
                        url: stored.document.url.to_string(),
                        hash: stored.hash.clone(),
                        format: manifest::formats::find("profile").unwrap(),
                        generation: None,
                        level: Level::C,
                    }],
                    provenance: BTreeMap::new(),
                    conflicts: Vec::new(),
                }
            })
            .collect(),
        documents: documents
            .iter()
            .map(|stored| DocumentReading {
                id: stored.id,
                format: manifest::formats::find("profile").unwrap(),
                generation: Some("1".to_owned()),
                level: Level::C,
                findings: vec![Finding {
                    line: Some(2),
                    column: Some(3),
                    excerpt: Some("\"<odd>\"".to_owned()),
                    ..Finding::new(
                        rules::find("GP-03").unwrap().at_most(Severity::Warning),
                        "/name",
                        "odd name",
                    )
                }],
                mentions: vec![Mention {
                    name: "Another agent".to_owned(),
                    publisher: Some("b.example".to_owned()),
                    url: None,
                    pointer: "/entries/0".to_owned(),
                }],
            })
            .collect(),
        unread,
        reason: "no longer published".to_owned(),
    }
}
