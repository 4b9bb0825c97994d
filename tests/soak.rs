//! A registry in simulated time: what it keeps stays within the bounds that docs/operating.md states.
//!
//! Some hundred sites change, break, come and go; strangers submit, report and open sessions; owners
//! leave and return; the operator hides and excludes. Twenty days are part of every run of the tests.
//! Months are made by hand, and print the sizes of all tables, the database and the index:
//!
//! ```text
//! SOAK_DAYS=200 cargo test --workspace --test integration -- --ignored --nocapture soak
//! ```

mod bounds;
mod events;
mod world;

use crate::support::registry::Registry;
use crate::support::writer::Writer;
use events::Events;
use export::daily;
use indexer::housekeeping::Housekeeping;
use indexer::pipeline::Pipeline;
use manifest::Timestamp;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use search::embedding::{self, Models};
use sqlx::SqliteConnection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::{Seed, SeedSource};
use tokio_util::sync::CancellationToken;
use world::DAY;

/// Sites in the seed list.
const SITES: u64 = 200;
/// Rounds of a day.
const ROUNDS: u32 = 3;
/// Most bytes of an index for each byte of a new one with the same agents: files are replaced by others,
/// and the former ones are kept for searches that began before.
const INDEX_SLACK: u64 = 4;

/// Registry in simulated time.
struct Soak {
    registry: Registry,
    pipeline: Pipeline,
    housekeeping: Housekeeping,
    models: Option<Models>,
    events: Events,
    random: StdRng,
    database: SqliteConnection,
    /// Longest time for which another process waited to write during the chores.
    longest_wait: Duration,
}

/// Sizes at the end of a day.
struct Sizes {
    day: u32,
    rows: BTreeMap<&'static str, u64>,
    database: u64,
    index: u64,
}

impl Soak {
    async fn begin(models: Option<Models>) -> Self {
        let registry = Registry::new().await;
        let store = Arc::clone(&registry.store);
        let index = registry.index();
        Self {
            pipeline: Pipeline::open(Arc::clone(&store), &index, models).unwrap(),
            housekeeping: Housekeeping::new(Arc::clone(&store)),
            models,
            events: Events::new(store),
            random: StdRng::seed_from_u64(40),
            database: bounds::look(&registry.folder.path().join("registry.db")).await,
            registry,
            longest_wait: Duration::ZERO,
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp(self.registry.now)
    }

    /// Lets a day pass: what happens to a registry, and what it does. Indexing takes most of the time, and
    /// is done once.
    async fn day(&mut self) {
        self.add_seeds().await;
        for _ in 0..ROUNDS {
            self.events.happen(self.now(), &mut self.random).await;
            self.visit().await;
            self.registry.now += i64::try_from(DAY.as_millis()).unwrap() / i64::from(ROUNDS);
        }
        self.index().await;
        self.chores().await;
        let now = self.now();
        let folder = self.registry.folder.path().join("export");
        daily::keep(&*self.registry.store, &folder, now)
            .await
            .unwrap();
    }

    /// Does the chores of the day beside another process that writes.
    async fn chores(&mut self) {
        let now = self.now();
        let writer = Writer::begin(&self.database_file(), now).await;
        while self.housekeeping.step(now).await.unwrap() {}
        let waits = writer.end().await;
        self.longest_wait = self.longest_wait.max(waits.longest);
    }

    fn database_file(&self) -> PathBuf {
        self.registry.folder.path().join("registry.db")
    }

    /// Reads the seed list, which brings back what the operator has forgotten.
    async fn add_seeds(&self) {
        let seeds: Vec<_> = (0..SITES)
            .map(|number| Seed {
                domain: world::name(number),
                port: None,
                source: SeedSource::Seed,
            })
            .collect();
        let adding = self.registry.store.add_seeds(&seeds, false, self.now());
        adding.await.unwrap();
    }

    /// Visits what is due, as a watching crawler does.
    async fn visit(&mut self) {
        let (store, now) = (&*self.registry.store, self.now());
        store.take_submissions(500, true, now).await.unwrap();
        let until = now.after(Duration::from_mins(10));
        let leases = store.lease_domains(now, until, 1_000).await.unwrap();
        let mut visits = Vec::new();
        for lease in leases {
            visits.push(world::visit(store, lease, now, &mut self.random).await);
        }
        let recorded = store.record_visits(&visits).await.unwrap();
        assert_eq!(recorded.visits, visits.len() as u64);
        self.events.check_claims(now).await;
    }

    /// Reads what was found, until all of it can be searched.
    async fn index(&mut self) {
        let stop = CancellationToken::new();
        let now = self.now();
        while !self.pipeline.step(now, &stop).await.unwrap().is_nothing() {}
    }

    async fn sizes(&mut self, day: u32) -> Sizes {
        let database = self.database_file();
        Sizes {
            day,
            rows: bounds::rows(&mut self.database).await,
            database: database.metadata().unwrap().len(),
            index: bytes_below(&self.registry.index()),
        }
    }

    /// Asserts that nothing is kept for longer than it should be.
    async fn hold(&mut self) {
        bounds::hold(&mut self.database, self.registry.now).await;
        let fresh = tempfile::tempdir().unwrap();
        let store = Arc::clone(&self.registry.store);
        let stop = CancellationToken::new();
        let rebuilding = indexer::run::rebuild(store, fresh.path(), self.models, &stop);
        assert!(rebuilding.await.unwrap());
        let (grown, fresh) = (
            bytes_below(&self.registry.index()),
            bytes_below(fresh.path()),
        );
        assert!(
            grown <= INDEX_SLACK * fresh,
            "the index has {grown} bytes, a new one {fresh}"
        );
        let exports = std::fs::read_dir(self.registry.folder.path().join("export")).unwrap();
        assert!(exports.count() <= 2 * daily::KEPT + 1);
    }
}

/// Returns the bytes of all files below a folder.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap());
    let bytes = entries.map(|it| {
        if it.file_type().unwrap().is_dir() {
            bytes_below(&it.path())
        } else {
            it.metadata().unwrap().len()
        }
    });
    bytes.sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_days_around_a_pause_of_months_leave_nothing_beyond_its_time() {
    // Sentence vectors would take most of the time.
    let mut soak = Soak::begin(None).await;
    for _ in 0..10 {
        soak.day().await;
    }
    soak.hold().await;
    let before = soak.sizes(10).await;
    for table in bounds::TABLES_IN_USE {
        assert!(before.rows[table] > 0, "nothing happened to {table}");
    }
    // The machine is switched off until everything is older than it is kept for.
    soak.registry.now += i64::try_from((DAY * 100).as_millis()).unwrap();
    for _ in 0..10 {
        soak.day().await;
    }
    soak.hold().await;
}

/// Prints the sizes at the end of each month, rows by table, and asserts the bounds there.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
async fn months_by_hand() {
    let days = std::env::var("SOAK_DAYS").map_or(200, |it| it.parse().unwrap());
    let mut soak = Soak::begin(embedding::shipped()).await;
    let mut months = Vec::new();
    for day in 1..=days {
        soak.day().await;
        if day % 30 == 0 || day == days {
            soak.hold().await;
            let sizes = soak.sizes(day).await;
            println!(
                "day {day}: {} bytes of database, {} of index",
                sizes.database, sizes.index
            );
            months.push(sizes);
        }
    }
    println!("{}", table(&months));
    let wait = soak.longest_wait;
    println!("the longest write of another process during the chores took {wait:?}");
}

/// Returns the sizes as a table, a column a month.
fn table(months: &[Sizes]) -> String {
    let line = |name: &str, of: &dyn Fn(&Sizes) -> u64| {
        let numbers = months.iter().map(|it| of(it).to_string());
        format!("| {name} | {} |\n", numbers.collect::<Vec<_>>().join(" | "))
    };
    let mut text = line("day", &|it| u64::from(it.day));
    text += &format!("|---|{}\n", "---|".repeat(months.len()));
    text += &line("kB of database", &|it| it.database / 1_000);
    text += &line("kB of index", &|it| it.index / 1_000);
    for name in months.last().unwrap().rows.keys() {
        text += &line(name, &|it| it.rows[name]);
    }
    text
}
