//! The change feed: programs that follow it have the registry's own content in the end.

use crate::support::registry::Registry;
use export::{self, Format, Output, daily};
use manifest::{Domain, Timestamp};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use search::{Searcher, embedding};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::backup::{backup, restore};
use store::{Exclusion, ExclusionSource, Outcome, Scope, Target};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use web::crawler_identity::{CrawlerIdentity, DEFAULT_TOKEN};
use web::feed::Feed;
use web::rate::{Limiter, RateLimit};
use web::secrets::Secrets;
use web::server::Limits;

const CARD: &str = "/.well-known/agent-card.json";
const SITES: [&str; 5] = [
    "a.example",
    "b.example",
    "c.example",
    "d.example",
    "e.example",
];

/// A web server on the registry's data.
struct Server {
    url: String,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(registry: &Registry) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let secrets = registry.folder.path().join("secrets");
        let state = web::AppState {
            store: registry.store.clone(),
            searcher: Searcher::at(&registry.index(), embedding::shipped()),
            public_url: url.clone(),
            contact: None,
            crawler: CrawlerIdentity::new(DEFAULT_TOKEN, &[], None, admin::now()),
            secrets: Secrets::open(&secrets, Timestamp(registry.now)).unwrap(),
            limiter: Limiter::new(RateLimit::OFF, &[]),
            feed: Feed::new(exports(registry)),
            metrics: web::metrics::Metrics::default(),
            shared: web::state::Shared::default(),
            now: admin::now,
        };
        let limits = Limits::within(None).unwrap();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            web::run::serve_on(listener, state, limits, &stopped).await;
        });
        Self { url, stop, task }
    }

    async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

fn exports(registry: &Registry) -> PathBuf {
    registry.folder.path().join("export")
}

fn client() -> reqwest::Client {
    // A second installation of the same provider changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

async fn get(url: &str) -> (u16, Value) {
    let answer = crate::support::http::get(url).await;
    (answer.status, serde_json::from_str(&answer.text).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
async fn download(url: &str) -> Vec<u8> {
    let response = client().get(url).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200, "{url}");
    response.bytes().await.unwrap().to_vec()
}

fn agents(lines: &str) -> BTreeMap<String, Value> {
    lines
        .lines()
        .map(|line| {
            let agent: Value = serde_json::from_str(line).unwrap();
            (agent["id"].as_str().unwrap().to_owned(), agent)
        })
        .collect()
}

/// Returns the registry's own content.
async fn content(registry: &Registry) -> BTreeMap<String, Value> {
    let path = registry.folder.path().join("content.jsonl");
    export::write(&*registry.store, Format::Jsonl, Output::File(path.clone()))
        .await
        .unwrap();
    agents(&std::fs::read_to_string(path).unwrap())
}

/// A plain program that follows the feed.
#[derive(Clone, Default)]
struct Mirror {
    agents: BTreeMap<String, Value>,
    since: u64,
    /// Epoch of the log, once an answer has stated it.
    epoch: Option<String>,
}

impl Mirror {
    /// Starts from the newest export, which `description` is the address of.
    async fn from_export(url: &str, description: &str) -> Self {
        let (status, latest) = get(&format!("{url}{description}")).await;
        assert_eq!(status, 200, "{latest}");
        let file = &latest["files"][0];
        let name = file["name"].as_str().unwrap();
        let bytes = download(&format!("{url}/api/v1/export/{name}")).await;
        assert_eq!(file["bytes"], bytes.len());
        assert_eq!(file["sha256"], format!("{:x}", Sha256::digest(&bytes)));
        let lines = zstd::decode_all(&*bytes).unwrap();
        let agents = agents(std::str::from_utf8(&lines).unwrap());
        assert_eq!(latest["agents"], agents.len());
        Self {
            agents,
            since: latest["seq"].as_u64().unwrap(),
            epoch: Some(latest["epoch"].as_str().unwrap().to_owned()),
        }
    }

    /// Returns the address of the next page.
    fn next(&self, url: &str, limit: u32) -> String {
        let since = self.since;
        let epoch = self.epoch.as_ref().map(|it| format!("&epoch={it}"));
        let epoch = epoch.unwrap_or_default();
        format!("{url}/api/v1/changes?since={since}{epoch}&limit={limit}&include=agent")
    }

    /// Applies all changes until there are none.
    async fn follow(&mut self, url: &str, limit: u32) {
        loop {
            let since = self.since;
            let (status, page) = get(&self.next(url, limit)).await;
            assert_eq!(status, 200, "{page}");
            self.epoch = Some(page["epoch"].as_str().unwrap().to_owned());
            let changes = page["changes"].as_array().unwrap();
            if changes.is_empty() {
                assert_eq!(page["last"], since);
                return;
            }
            for change in changes {
                assert_eq!(change["seq"], self.since + 1, "no gap");
                self.since += 1;
                self.apply(change);
            }
            assert_eq!(page["next"], self.since);
        }
    }

    fn apply(&mut self, change: &Value) {
        let id = change["id"].as_str().unwrap();
        match change["op"].as_str().unwrap() {
            "remove" | "optout" => {
                self.agents.remove(id);
            }
            // If it is not listed any more, its removal follows.
            _ if change["agent"].is_null() => {}
            _ => {
                self.agents.insert(id.to_owned(), change["agent"].clone());
            }
        }
    }
}

fn card(name: &str, skill: &str) -> String {
    serde_json::json!({
        "protocolVersion": "0.3.0",
        "name": name,
        "description": format!("{name}: write to {skill}@mail.example or call +49 30 1234567."),
        "url": "https://service.example/a2a",
        "preferredTransport": "JSONRPC",
        "version": "1.0.0",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": skill, "name": skill, "description": skill, "tags": ["demo"]}],
    })
    .to_string()
}

/// Lets sites appear, change, rename their agents, go down and vanish.
async fn crawl(registry: &mut Registry, random: &mut StdRng, visits: u32) {
    for _ in 0..visits {
        let site = SITES[random.random_range(0..SITES.len())];
        let name = format!("Ferry {}", random.random_range(0..3));
        let skill = format!("sail{}", random.random_range(0..3));
        match random.random_range(0..10) {
            0 => registry.end(site, Outcome::Down, &[], &[]).await,
            1 => registry.visit(site, &[], &[CARD]).await,
            _ => {
                registry
                    .visit(site, &[(CARD, &card(&name, &skill))], &[])
                    .await;
            }
        }
        if random.random_bool(0.5) {
            registry.catch_up().await;
        }
    }
    registry.catch_up().await;
}

#[tokio::test]
async fn mirrors_equal_the_original_after_a_crawl_a_removal_a_restart_and_a_compaction() {
    let mut random = StdRng::seed_from_u64(19);
    let mut registry = Registry::new().await;
    let server = Server::start(&registry).await;
    let mut from_zero = Mirror::default();
    crawl(&mut registry, &mut random, 20).await;
    from_zero.follow(&server.url, 7).await;
    assert_eq!(from_zero.agents, content(&registry).await);
    assert!(!from_zero.agents.is_empty());

    let day = Timestamp(registry.now);
    daily::export(&*registry.store, &exports(&registry), day)
        .await
        .unwrap();
    let latest = "/api/v1/export/latest.json";
    let mut from_export = Mirror::from_export(&server.url, latest).await;
    assert_eq!(from_export.agents, from_zero.agents);
    let text = format!("{:?}", from_export.agents);
    assert!(text.contains("[removed]") && !text.contains("@mail") && !text.contains("1234567"));
    for (id, agent) in &from_export.agents {
        let connect = &agent["connect"];
        assert_eq!(connect["callable"], "call", "{id}: {connect}");
        assert_eq!(connect["endpoint"], "https://service.example/a2a", "{id}");
    }

    let exclusion = Exclusion {
        scope: Scope::domain(&Domain::parse("a.example").unwrap()),
        reason: "its owner asked".to_owned(),
        source: ExclusionSource::Owner,
        since: day,
    };
    registry
        .visit("a.example", &[(CARD, &card("Leaving", "x"))], &[])
        .await;
    registry.catch_up().await;
    registry.store.exclude(&exclusion, day).await.unwrap();
    let include = registry
        .store
        .include(&exclusion.scope, "its owner asked", day);
    include.await.unwrap();
    crawl(&mut registry, &mut random, 10).await;
    from_zero.follow(&server.url, 3).await;
    from_export.follow(&server.url, 100).await;

    server.stop().await;
    let url = format!(
        "sqlite:{}",
        registry.folder.path().join("registry.db").display()
    );
    registry.store = store::open(&url, &[]).await.unwrap();
    let server = Server::start(&registry).await;
    crawl(&mut registry, &mut random, 10).await;

    // The mirrors are behind the export, but not behind what is kept.
    let store = &*registry.store;
    let later = Timestamp(registry.now + 1);
    let newest = daily::export(store, &exports(&registry), later)
        .await
        .unwrap();
    let behind = export::Latest {
        seq: from_zero.since,
        ..newest.clone()
    };
    let dropped = daily::compact(store, Some(&behind), 0, later)
        .await
        .unwrap();
    assert_eq!(dropped, from_zero.since);
    crawl(&mut registry, &mut random, 10).await;
    from_zero.follow(&server.url, 11).await;
    from_export.follow(&server.url, 1_000).await;

    let (status, problem) = get(&format!("{}/api/v1/changes?since=0", server.url)).await;
    assert_eq!(
        (status, &problem["errorCode"]),
        (410, &"changes_gone".into())
    );
    let snapshot = problem["links"]["snapshot"].as_str().unwrap();
    let mut anew = Mirror::from_export(&server.url, snapshot).await;
    assert_eq!(anew.since, newest.seq);
    anew.follow(&server.url, 50).await;

    let original = content(&registry).await;
    for mirror in [from_zero, from_export, anew] {
        assert_eq!(mirror.since, registry.store.last_change().await.unwrap());
        assert_eq!(mirror.agents, original);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_mirror_that_is_ahead_of_a_restored_backup_is_told_to_start_again() {
    let mut random = StdRng::seed_from_u64(18);
    let mut registry = Registry::new().await;
    let folder = registry.folder.path().to_owned();
    let database = |name: &str| format!("sqlite:{}", folder.join(name).display());
    let file = folder.join("registry.tar.zst");
    crawl(&mut registry, &mut random, 5).await;
    let original = database("registry.db");
    let made = backup(&original, &file, Timestamp(registry.now)).await;
    made.unwrap();
    crawl(&mut registry, &mut random, 5).await;
    let day = Timestamp(registry.now);
    daily::export(&*registry.store, &exports(&registry), day)
        .await
        .unwrap();
    let server = Server::start(&registry).await;
    let mut ahead = Mirror::default();
    ahead.follow(&server.url, 100).await;
    server.stop().await;

    // The folder of exports is not in the backup, and has one of the lost log.
    restore(&file, &database("restored.db")).await.unwrap();
    registry.store = store::open(&database("restored.db"), &[]).await.unwrap();
    while registry.store.last_change().await.unwrap() <= ahead.since {
        crawl(&mut registry, &mut random, 5).await;
    }
    let server = Server::start(&registry).await;
    let (status, _) = get(&format!("{}/api/v1/export/latest.json", server.url)).await;
    assert_eq!(status, 404, "the export is of another log");
    let mut by_number = Mirror {
        epoch: None,
        ..ahead.clone()
    };
    by_number.follow(&server.url, 100).await;
    assert_ne!(
        by_number.agents,
        content(&registry).await,
        "a number alone misleads"
    );

    let (status, problem) = get(&ahead.next(&server.url, 100)).await;
    assert_eq!(
        (status, &problem["errorCode"]),
        (410, &"changes_gone".into())
    );
    let last = format!("{}-{}", ahead.epoch.unwrap(), ahead.since);
    let stream = client().get(format!("{}/api/v1/changes/stream?wait=0", server.url));
    let resumed = stream.header("Last-Event-ID", last).send().await.unwrap();
    assert_eq!(resumed.status().as_u16(), 410);

    // An indexer replaces the export at once, although there is one of the day.
    let snapshot = problem["links"]["snapshot"].as_str().unwrap();
    let kept = daily::keep(&*registry.store, &exports(&registry), day).await;
    assert!(kept.unwrap().is_some());
    let mut anew = Mirror::from_export(&server.url, snapshot).await;
    crawl(&mut registry, &mut random, 5).await;
    anew.follow(&server.url, 100).await;
    assert_eq!(anew.agents, content(&registry).await);
    server.stop().await;
}

/// Follows the event stream, and is killed and resumed at random, until it has seen `goal`.
async fn read_events(
    url: String,
    number: u64,
    mut goal: watch::Receiver<Option<u64>>,
) -> (Vec<u64>, u32) {
    let mut random = StdRng::seed_from_u64(number);
    let (mut seen, mut kills): (Vec<u64>, u32) = (Vec::new(), 0);
    let mut last_event = None;
    let is_done = |seen: &[u64], goal: Option<u64>| goal == Some(seen.last().copied().unwrap_or(0));
    let client = client();
    while !is_done(&seen, *goal.borrow()) {
        let mut request = client.get(format!("{url}/api/v1/changes/stream?since=0"));
        if let Some(last) = &last_event {
            request = request.header("Last-Event-ID", last);
        }
        let mut response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        let mut lives = random.random_range(1..6);
        let mut text = String::new();
        'connected: loop {
            let chunk = tokio::select! {
                chunk = response.chunk() => chunk.unwrap(),
                _ = goal.changed() => None,
            };
            let Some(chunk) = chunk else {
                break;
            };
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            while let Some((event, rest)) = text.split_once("\n\n") {
                if let Some(id) = event.lines().find_map(|line| line.strip_prefix("id: ")) {
                    let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                    let data: Value = serde_json::from_str(data.unwrap()).unwrap();
                    let seq = data["seq"].as_u64().unwrap();
                    assert!(id.ends_with(&format!("-{seq}")), "{id}");
                    seen.push(seq);
                    last_event = Some(id.to_owned());
                    lives -= 1;
                    if lives == 0 {
                        kills += 1;
                        break 'connected;
                    }
                }
                text = rest.to_owned();
            }
            if is_done(&seen, *goal.borrow()) {
                break;
            }
        }
    }
    (seen, kills)
}

#[tokio::test]
async fn readers_of_the_stream_that_are_killed_at_random_miss_and_double_nothing() {
    let mut random = StdRng::seed_from_u64(7);
    let mut registry = Registry::new().await;
    let server = Server::start(&registry).await;
    let (goal, seen) = watch::channel(None);
    let readers =
        [1, 2].map(|number| tokio::spawn(read_events(server.url.clone(), number, seen.clone())));
    crawl(&mut registry, &mut random, 40).await;
    let last = registry.store.last_change().await.unwrap();
    goal.send_replace(Some(last));
    assert!(last > 20);
    for reader in readers {
        let (seen, kills) = tokio::time::timeout(Duration::from_mins(2), reader)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(seen, (1..=last).collect::<Vec<_>>());
        assert!(kills > 3, "{kills}");
    }
    // An open stream ends when the server stops.
    let address = format!("{}/api/v1/changes/stream?since={last}", server.url);
    let mut open = client().get(address).send().await.unwrap();
    let begun = open.chunk().await.unwrap().unwrap();
    assert!(begun.starts_with(b": "), "{begun:?}");
    server.stop().await;
    assert_eq!(open.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn all_forms_of_an_export_hold_the_same_agents() {
    let mut random = StdRng::seed_from_u64(3);
    let mut registry = Registry::new().await;
    crawl(&mut registry, &mut random, 15).await;
    let content = content(&registry).await;
    let file = |name: &str| registry.folder.path().join(name);
    let store = &*registry.store;
    let counts = export::write(store, Format::Csv, Output::File(file("a.csv")))
        .await
        .unwrap();
    assert_eq!(counts.agents, content.len() as u64);
    assert_eq!(counts.seq, store.last_change().await.unwrap());
    let table = std::fs::read_to_string(file("a.csv")).unwrap();
    let ids: Vec<_> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap())
        .collect();
    assert_eq!(ids, content.keys().collect::<Vec<_>>());
    for _ in 0..2 {
        // The second replaces the first.
        export::write(store, Format::Sqlite, Output::File(file("a.sqlite")))
            .await
            .unwrap();
    }
    let packed = Output::File(file("b.sqlite.zst"));
    export::write(store, Format::Sqlite, packed).await.unwrap();
    let whole = std::fs::read(file("a.sqlite")).unwrap();
    let unpacked = zstd::decode_all(&*std::fs::read(file("b.sqlite.zst")).unwrap());
    assert!(unpacked.unwrap() == whole, "the same database, compressed");
    let files = std::fs::read_dir(registry.folder.path()).unwrap();
    let temporary = files.filter(|it| {
        it.as_ref()
            .unwrap()
            .file_name()
            .as_bytes()
            .starts_with(b".tmp")
    });
    assert_eq!(temporary.count(), 0, "the uncompressed one is deleted");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file("a.sqlite"));
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let rows: Vec<(String, String)> = sqlx::query_as("SELECT id, agent FROM agents ORDER BY id")
        .fetch_all(&pool)
        .await
        .unwrap();
    let rows: BTreeMap<_, Value> = rows
        .into_iter()
        .map(|(id, agent)| (id, serde_json::from_str(&agent).unwrap()))
        .collect();
    assert_eq!(rows, content);
    let skills: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM capabilities")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(skills.unsigned_abs(), counts.capabilities);
    let refused = export::write(store, Format::Sqlite, Output::Standard).await;
    assert!(matches!(refused, Err(export::ExportError::SqliteNeedsFile)));
}

#[tokio::test]
async fn a_folder_of_exports_holds_the_newest_ones_whole() {
    let mut registry = Registry::new().await;
    registry
        .visit("a.example", &[(CARD, &card("Ferry", "sail"))], &[])
        .await;
    registry.catch_up().await;
    let folder = exports(&registry);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".unfinished-x"), "left by a kill").unwrap();
    std::fs::write(folder.join("notes.txt"), "of the operator").unwrap();
    let day = 24 * 60 * 60 * 1_000;
    for number in 0..9 {
        let at = Timestamp(registry.now + number * day);
        let latest = daily::export(&*registry.store, &folder, at).await.unwrap();
        assert_eq!(export::latest(&folder).unwrap(), Some(latest));
    }
    let names = std::fs::read_dir(&folder).unwrap();
    let names: BTreeSet<String> = names
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 2 * daily::KEPT + 2, "{names:?}");
    assert!(names.contains("notes.txt") && !names.contains(".unfinished-x"));
    let latest = export::latest(&folder).unwrap().unwrap();
    assert!(latest.files.iter().all(|file| names.contains(&file.name)));
    // Nothing is dropped that the export does not contain, or without one.
    let far = Timestamp(registry.now + 1_000 * day);
    let store = &*registry.store;
    assert_eq!(daily::compact(store, None, 0, far).await.unwrap(), 0);
    let older = export::Latest { seq: 0, ..latest };
    assert_eq!(
        daily::compact(store, Some(&older), 0, far).await.unwrap(),
        0
    );
}

/// Reports whether a file of an export states a text.
fn is_in_exports(folder: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|it| it.unwrap().path());
    let mut packed = paths.filter(|it| it.extension().is_some_and(|it| it == "zst"));
    packed.any(|path| {
        let bytes = std::fs::read(path).unwrap();
        let content = zstd::decode_all(&*bytes).unwrap();
        content.windows(text.len()).any(|it| it == text.as_bytes())
    })
}

/// Takes a site out of the registry, each in another way.
async fn withdraw(registry: &mut Registry, site: &str) {
    let now = Timestamp(registry.now);
    let domain = Domain::parse(site).unwrap();
    let store = registry.store.clone();
    match site {
        "a.example" => {
            let target = Target::parse(site).unwrap();
            store.hide(&target, "spam", now).await.unwrap();
        }
        "b.example" => registry.end(site, Outcome::OptedOut, &[], &[]).await,
        "c.example" => {
            store.forget(&[domain], "asked for", now).await.unwrap();
        }
        _ => {
            let exclusion = Exclusion {
                scope: Scope::domain(&domain),
                reason: "its owner asked".to_owned(),
                source: ExclusionSource::Owner,
                since: now,
            };
            store.exclude(&exclusion, now).await.unwrap();
        }
    }
}

#[tokio::test]
async fn exports_of_the_past_lose_the_agents_that_are_withdrawn() {
    const MINUTE: i64 = 60_000;
    let mut registry = Registry::new().await;
    for site in SITES {
        let name = format!("Ferry of {site}");
        registry
            .visit(site, &[(CARD, &card(&name, "sail"))], &[])
            .await;
    }
    registry.catch_up().await;
    let folder = exports(&registry);
    let mut now = registry.now;
    for site in SITES {
        let store = registry.store.clone();
        let kept = async |now| daily::keep(&*store, &folder, Timestamp(now)).await.unwrap();
        for _ in 0..2 {
            now += 24 * 60 * MINUTE;
            assert!(kept(now).await.is_some());
        }
        if site == "e.example" {
            // An agent that its site no longer announces stays in the exports of the past.
            registry.visit(site, &[], &[CARD]).await;
            registry.catch_up().await;
            assert!(kept(now + 10 * MINUTE).await.is_none());
            now += 24 * 60 * MINUTE;
            assert!(kept(now).await.is_some());
        }
        assert!(is_in_exports(&folder, site), "{site}");
        withdraw(&mut registry, site).await;
        assert!(kept(now + 10 * MINUTE - 1).await.is_none(), "{site}");
        assert!(kept(now + 10 * MINUTE).await.is_some(), "{site}");
        assert!(!is_in_exports(&folder, site), "{site}");
        assert!(kept(now + 60 * MINUTE).await.is_none(), "{site}");
    }
}
