//! A registry full of generated agents, for a server under load (`tests/load.py`).

use crate::generator::Generator;
use manifest::{Document, Domain, Timestamp};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;
use store::{
    DocumentReading, DomainReadings, Lease, NextVisit, Outcome, Receipt, RobotsState, Role, Seed,
    SeedSource, Store, StoredAgent, Visit,
};
use url::Url;

/// Domains that are visited and read at once.
const BATCH: usize = 1_000;
/// Agents whose ids are written down.
const SAMPLE: u64 = 1_000;
/// Time of all visits.
const NOON: Timestamp = Timestamp(1_795_176_000_000);
/// Time until the next visit.
const INTERVAL: Duration = Duration::from_hours(24 * 30);

/// Fills the database `agentdex.db` of this folder, and writes the ids of some agents, an id a line,
/// to `agents.txt` beside it. The indexer makes the index.
pub(crate) fn fill(folder: &Path, generator: &Generator, agents: u64) {
    let mut sites: BTreeMap<Domain, Vec<u64>> = BTreeMap::new();
    let mut sample = String::new();
    for number in 0..agents {
        let agent = generator.agent(number);
        if number.is_multiple_of(agents.div_ceil(SAMPLE)) {
            sample.push_str(agent.listing.id.as_str());
            sample.push('\n');
        }
        sites.entry(agent.domain).or_default().push(number);
    }
    fs::write(folder.join("agents.txt"), sample).expect("a written file");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite:{}", folder.join("agentdex.db").display());
        let roles = [Role::Crawler, Role::Indexer];
        let store = store::open(&url, &roles).await.expect("a database");
        let domains: Vec<Domain> = sites.keys().cloned().collect();
        for batch in domains.chunks(BATCH) {
            visit(&*store, batch).await;
            read(&*store, generator, &sites).await;
        }
    });
}

/// Visits domains, each of which has one document.
async fn visit(store: &dyn Store, domains: &[Domain]) {
    let seeds = domains.iter().map(|domain| Seed {
        domain: domain.clone(),
        port: None,
        source: SeedSource::Seed,
    });
    let seeds: Vec<_> = seeds.collect();
    store.add_seeds(&seeds, false, NOON).await.expect("seeds");
    let until = NOON.after(Duration::from_mins(1));
    let limit = u32::try_from(domains.len()).expect("a batch");
    let leases = store.lease_domains(NOON, until, limit).await;
    let visits: Vec<_> = leases.expect("leases").into_iter().map(visited).collect();
    store.record_visits(&visits).await.expect("visits");
}

/// Stores the agents of the domains that are not read yet.
async fn read(store: &dyn Store, generator: &Generator, sites: &BTreeMap<Domain, Vec<u64>>) {
    let limit = u32::try_from(BATCH).expect("a batch");
    for unread in store.unread_domains(limit).await.expect("domains") {
        let documents = store.documents(&unread.domain).await.expect("documents");
        let numbers = sites[&unread.domain].iter();
        let agents: Vec<StoredAgent> = numbers.map(|it| generator.agent(*it)).collect();
        let (format, level) = (agents[0].listing.format, agents[0].listing.level);
        let documents = documents.iter().map(|document| DocumentReading {
            id: document.id,
            format,
            generation: None,
            level,
            findings: Vec::new(),
            mentions: Vec::new(),
        });
        let readings = DomainReadings {
            documents: documents.collect(),
            listings: agents.into_iter().map(|it| it.listing).collect(),
            reason: String::new(),
            unread,
        };
        let changes = store.replace_agents(&readings, NOON).await;
        changes.expect("agents");
    }
}

fn visited(lease: Lease) -> Visit {
    let url = format!("https://{}/.well-known/agents.json", lease.domain);
    let body = format!("{{\"site\": \"{}\"}}", lease.domain).into_bytes();
    let receipt = Receipt {
        at: NOON,
        method: "GET".to_owned(),
        url: url.clone(),
        status: Some(200),
        bytes: body.len() as u64,
        ms: 35,
        verdict: "manifest".to_owned(),
        why: String::new(),
    };
    let url: Url = url.parse().expect("a URL");
    let document = Document {
        domain: lease.domain.clone(),
        requested: url.clone(),
        url,
        status: 200,
        media_type: Some("application/json".to_owned()),
        etag: None,
        last_modified: None,
        served: None,
        fetched: NOON,
        body,
    };
    Visit {
        started: NOON,
        ended: NOON,
        outcome: Outcome::Found,
        detail: None,
        requests: 1,
        bytes: receipt.bytes,
        receipts: vec![receipt],
        documents: vec![document],
        gone: Vec::new(),
        missing: Vec::new(),
        unchanged: Vec::new(),
        named: Vec::new(),
        asked: Vec::new(),
        edge: None,
        robots: Some(RobotsState {
            verdict: "allow".to_owned(),
            status: Some(404),
            ..RobotsState::default()
        }),
        next: NextVisit {
            requests_left: None,
            due: NOON.after(INTERVAL),
            not_before: NOON.after(INTERVAL),
            fails: 0,
            interval_ms: u64::try_from(INTERVAL.as_millis()).ok(),
            rotation: 0,
            unanswered: Vec::new(),
            is_again: false,
        },
        lease,
    }
}
