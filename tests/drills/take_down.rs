//! The mass take-down: many sites below one name are excluded in one decision.

use crate::support::registry::{CARD, Registry, card, visit};
use crate::support::wait::until;
use crate::support::writer::Writer;
use indexer::housekeeping::Housekeeping;
use indexer::pipeline::Pipeline;
use manifest::{Domain, Timestamp};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Exclusion, ExclusionSource, Operation, Outcome, Scope, Seed, SeedSource, Store};
use tokio_util::sync::CancellationToken;

/// Name below which the sites are.
const FARM: &str = "farm.example";

/// Returns the number of sites: `DRILL_SITES`, or as many as several transactions delete.
fn sites() -> usize {
    std::env::var("DRILL_SITES").map_or(350, |it| it.parse().unwrap())
}

/// Returns a registry of sites with an agent each, all below one name, and of one other.
async fn farm() -> Registry {
    let registry = Registry::new().await;
    let store = Arc::clone(&registry.store);
    let now = Timestamp(registry.now);
    let farm = (0..sites()).map(|number| format!("s{number}.{FARM}"));
    let seeds: Vec<_> = farm
        .chain(["ferry.example".to_owned()])
        .map(|name| Seed {
            domain: Domain::parse(&name).unwrap(),
            port: None,
            source: SeedSource::Seed,
        })
        .collect();
    store.add_seeds(&seeds, false, now).await.unwrap();
    let until = now.after(Duration::from_mins(1));
    let most = u32::try_from(seeds.len()).unwrap();
    let leases = store.lease_domains(now, until, most).await.unwrap();
    let body = card("Farm hand", "main", "Answers whatever it is asked");
    let visits: Vec<_> = leases
        .into_iter()
        .map(|lease| visit(lease, now, Outcome::Found, &[(CARD, &body)], &[]))
        .collect();
    store.record_visits(&visits).await.unwrap();
    let stop = CancellationToken::new();
    let mut pipeline = Pipeline::open(store, &registry.index(), None).unwrap();
    while !pipeline.step(now, &stop).await.unwrap().is_nothing() {}
    registry
}

fn decision(now: Timestamp) -> Exclusion {
    Exclusion {
        scope: Scope::suffix(FARM).unwrap(),
        reason: "a farm of sites".to_owned(),
        source: ExclusionSource::Operator,
        since: now,
    }
}

/// Returns the number of agents.
async fn agents(store: &dyn Store) -> u64 {
    store.stats(Timestamp(0)).await.unwrap().agents
}

/// Asserts that all sites of the farm are gone, each with its entry in the change log, once.
async fn assert_taken_down(store: &dyn Store) {
    assert_eq!(agents(store).await, 1);
    let changes = store.changes(0, 1_000_000).await.unwrap();
    let removed = changes.iter().filter(|it| it.op == Operation::Remove);
    assert_eq!(removed.count(), sites());
    assert_eq!(store.moderation_log(None, 10).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the figures are the result of a drill")]
async fn others_write_while_many_sites_are_taken_down_in_one_decision() {
    let registry = farm().await;
    let now = Timestamp(registry.now);
    let database = registry.folder.path().join("registry.db");
    let writer = Writer::begin(&database, now).await;
    let started = Instant::now();
    let deleted = registry.store.exclude(&decision(now), now).await.unwrap();
    let took = started.elapsed();
    let waits = writer.end().await;
    let all = sites() as u64;
    assert_eq!((deleted.domains, deleted.agents), (all, all));
    assert!(waits.writes > 0);
    assert_taken_down(&*registry.store).await;
    println!(
        "{all} sites taken down in {took:?}; of {} writes of another connection meanwhile, one took {:?}",
        waits.writes, waits.longest
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_take_down_that_was_interrupted_is_finished_by_the_chores_of_the_day() {
    let registry = farm().await;
    let (store, now) = (&*registry.store, Timestamp(registry.now));
    let is_in_effect = async || !store.exclusions().await.unwrap().is_empty();
    let decision = decision(now);
    // Its work is dropped halfway, as a kill does it.
    tokio::select! {
        biased;
        () = until("the decision is in effect", is_in_effect) => {}
        done = store.exclude(&decision, now) => panic!("not interrupted: {done:?}"),
    }
    assert!(agents(store).await > 1, "some are left");
    let mut chores = Housekeeping::new(Arc::clone(&registry.store));
    while chores.step(now).await.unwrap() {}
    assert_taken_down(store).await;
}
