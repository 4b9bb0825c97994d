//! Checks that a fleet did everything once, did no harm, and kept no rows.

use super::members::{CONTACT, Members, Settings};
use super::world::World;
use crate::derived;
use crate::support::http;
use crate::support::judge::log::{Exchange, Log};
use crate::support::judge::{Signal, Terms, judge, summary};
use crate::support::pipeline::{self, domain};
use crate::support::postgres::Database;
use crate::support::wait;
use search::query;
use search::{Request, Searcher};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use store::Store;

/// Longest time for the indexers to read the documents of the last visits.
const READ: Duration = Duration::from_mins(10);
/// Domains whose documents an indexer has still to read.
pub(super) const UNREAD: &str = "SELECT COUNT(*) FROM domains WHERE unread_since IS NOT NULL";
/// Longest time for an index to have all agents.
const INDEXED: Duration = Duration::from_mins(1);
/// Time between two looks at an index.
const LOOK: Duration = Duration::from_millis(100);
/// Longest time from a request until the visit is recorded, in milliseconds: slow sites take a hundred
/// seconds.
const VISIT_MS: u64 = 180_000;
/// Most faults of a kind that a message shows.
const SHOWN: usize = 10;

/// Queries for rows that no crawler may leave behind when it ends.
const REMAINS: [(&str, &str); 4] = [
    ("members", "SELECT COUNT(*) FROM crawlers"),
    (
        "leases",
        "SELECT COUNT(*) FROM queue WHERE lease_until IS NOT NULL OR lease_owner IS NOT NULL",
    ),
    (
        "reserved sites",
        "SELECT COUNT(*) FROM site_reservations WHERE holder IS NOT NULL",
    ),
    ("permits of guests", "SELECT COUNT(*) FROM guest_permits"),
];

/// Queries for faults of the change log: an agent that was added twice, and numbers that are missing.
const CHANGES: [(&str, &str); 2] = [
    (
        "agents added twice",
        "SELECT COUNT(*) - COUNT(DISTINCT agent_id) FROM changes WHERE op = 'add'",
    ),
    (
        "missing numbers of changes",
        "SELECT COALESCE(MAX(seq) - COUNT(*), 0) FROM changes",
    ),
];

/// Ends all crawlers, and asserts that the fleet has done everything once, and no harm.
pub(crate) async fn hold(
    mut members: Members<'_>,
    (world, database, settings): (&World, &Database, Settings),
) {
    while !members.crawlers.is_empty() {
        members.terminate(0).await;
    }
    let mut faults = members.faults.clone();
    add(
        &mut faults,
        "rows that were left behind",
        &rows(database, &REMAINS).await,
    );
    wait::within(READ, "all documents are read", async || {
        database.number(UNREAD).await == 0
    })
    .await;
    let store = store::open(&database.url(), &[]).await.unwrap();
    add(&mut faults, "results", &missing(world, &*store).await);
    let log = Log::of(&world.web);
    let paths = log.exchanges.iter().filter(|it| !it.is_robots());
    let (wanted, named) = world.findable(&paths.map(|it| it.host.as_str()).collect());
    let found = documents((world, &wanted), &*store).await;
    add(&mut faults, "documents", &found);
    add(&mut faults, "agents", &agents(&named, &*store).await);
    if faults.is_empty() {
        add(
            &mut faults,
            "indexes",
            &indexes(&members, named.len()).await,
        );
    }
    add(
        &mut faults,
        "the change log",
        &rows(database, &CHANGES).await,
    );
    store.close().await;
    let terms = Terms {
        kept: world.places.clone(),
        named: world.named.keys().cloned().collect(),
        signals: members.signals.clone(),
        contact: CONTACT.to_owned(),
        ..derived::terms(settings.delay_ms, settings.address_delay_ms)
    };
    add(&mut faults, "requests", &repeated(&log, world, &terms));
    let violations = judge(&log, &terms);
    if !violations.is_empty() {
        faults.push(summary(&violations));
    }
    if !faults.is_empty() {
        keep(&members, &log);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn add(faults: &mut Vec<String>, of: &str, more: &[String]) {
    if !more.is_empty() {
        let shown = more[..more.len().min(SHOWN)].join("\n  ");
        faults.push(format!("{} faults of {of}:\n  {shown}", more.len()));
    }
}

/// Returns the queries that count rows, with the numbers.
async fn rows(database: &Database, queries: &[(&str, &'static str)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, query) in queries {
        let number = database.number(query).await;
        if number != 0 {
            found.push(format!("{number} {name}"));
        }
    }
    found
}

/// Returns the indexes that do not find as many agents as the sites have within some time.
async fn indexes(members: &Members<'_>, agents: usize) -> Vec<String> {
    let wanted = Some(u64::try_from(agents).unwrap());
    let started = Instant::now();
    let mut wrong = Vec::new();
    for (_, index) in &members.indexers {
        let found = soon(started, wanted, async || found(index)).await;
        if found != wanted {
            wrong.push(format!(
                "{} finds {found:?}, not {wanted:?}",
                index.display()
            ));
        }
    }
    for server in &members.servers {
        let found = soon(started, wanted, async || {
            let answer = http::get(&format!("{}/api/v1/search?q=", server.url)).await;
            answer.json()["total"].as_u64()
        })
        .await;
        if found != wanted {
            wrong.push(format!("{} finds {found:?}, not {wanted:?}", server.url));
        }
    }
    wrong
}

/// Returns the number of agents that an index finds: as many as wanted, or those that it finds at the end
/// of the time.
async fn soon(
    started: Instant,
    wanted: Option<u64>,
    mut look: impl AsyncFnMut() -> Option<u64>,
) -> Option<u64> {
    loop {
        let found = look().await;
        if found == wanted || started.elapsed() > INDEXED {
            return found;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the number of agents in an index.
pub(crate) fn found(index: &Path) -> Option<u64> {
    let searcher = Searcher::open(index, None).ok()?;
    let all = Request::new(query::parse(""), 1);
    Some(searcher.search(&all).ok()?.total)
}

/// Returns the sites without a result.
async fn missing(world: &World, store: &dyn Store) -> Vec<String> {
    let mut missing = Vec::new();
    for host in &world.seeds {
        let site = store.site(&domain(host)).await.unwrap();
        if site.is_none_or(|site| site.last_outcome.is_none()) {
            missing.push(format!("{host} has no result"));
        }
    }
    missing
}

/// Compares the documents of each site with those that it serves.
async fn documents(
    (world, documents): (&World, &BTreeMap<String, BTreeSet<String>>),
    store: &dyn Store,
) -> Vec<String> {
    let mut differences = Vec::new();
    let none = BTreeSet::new();
    for host in &world.seeds {
        let stored = store.documents(&domain(host)).await.unwrap();
        let found: Vec<_> = stored
            .iter()
            .map(|it| String::from_utf8_lossy(&it.document.body))
            .collect();
        let wanted = documents.get(host).unwrap_or(&none);
        let is_same = found.len() == wanted.len() && found.iter().all(|it| wanted.contains(&**it));
        if !is_same {
            let (found, wanted) = (found.len(), wanted.len());
            differences.push(format!(
                "{host} has {found} documents that are not the {wanted} that it serves"
            ));
        }
    }
    differences
}

/// Compares all agents with those of the sites.
async fn agents(wanted: &BTreeMap<String, String>, store: &dyn Store) -> Vec<String> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for agent in pipeline::agents(store).await {
        let names = found.entry(agent.domain.to_string()).or_default();
        names.push(agent.listing.agent.name);
    }
    let mut differences = Vec::new();
    for (host, name) in wanted {
        let names = found.remove(host).unwrap_or_default();
        if names != [name.as_str()] {
            differences.push(format!("{host} has {names:?} instead of {name}"));
        }
    }
    differences.extend(found.into_iter().map(|it| format!("{it:?} is at no site")));
    differences
}

/// Returns requests that repeat one whose visit was recorded.
///
/// A visit is made again if its crawler was killed or stopped before it could be recorded. What a crawler
/// requested before SIGTERM is recorded. A robots.txt is requested by other sites too, and what a crawler
/// sends as it wakes belongs to no visit.
fn repeated(log: &Log, world: &World, terms: &Terms) -> Vec<String> {
    let mut last: HashMap<(&str, &str), &Exchange> = HashMap::new();
    let mut repeated = Vec::new();
    for exchange in &log.exchanges {
        let is_excepted = exchange.is_robots() || world.throttling.contains(&exchange.host);
        if is_excepted || terms.awakening(exchange, log).is_some() {
            continue;
        }
        let key = (exchange.host.as_str(), exchange.path.as_str());
        let Some(before) = last.insert(key, exchange) else {
            continue;
        };
        let time = before.at..=before.ended + VISIT_MS;
        let is_excused = terms
            .signals_to(before)
            .any(|it| it.signal != Signal::Terminate && time.contains(&it.at));
        if !is_excused {
            repeated.push(format!(
                "{}{} at {} by {} and again at {} by {}",
                before.host,
                before.path,
                before.at,
                before.agent(),
                exchange.at,
                exchange.agent()
            ));
        }
    }
    repeated
}

/// Keeps the log of the web and those of the processes for a person, and prints where.
#[expect(clippy::print_stdout, reason = "a failed run must be understood")]
fn keep(members: &Members<'_>, log: &Log) {
    let folder = tempfile::tempdir().unwrap().keep();
    for entry in std::fs::read_dir(members.folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "log") {
            std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
    }
    let lines = log.exchanges.iter().map(|it| {
        format!(
            "{} {} {} {} {} {}{} {}\n",
            it.at,
            it.ended,
            it.agent(),
            it.address,
            it.connection,
            it.host,
            it.path,
            it.status
        )
    });
    let mut text: String = lines.collect();
    for it in &log.connections {
        let _ = writeln!(
            text,
            "{} {:?} connection {} {}",
            it.opened, it.closed, it.number, it.address
        );
    }
    for it in &members.signals {
        let _ = writeln!(text, "{} {:?} {}", it.at, it.signal, it.contact);
    }
    std::fs::write(folder.join("web.txt"), text).unwrap();
    println!("logs are in {}", folder.display());
}
