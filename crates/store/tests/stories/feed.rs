//! The change log as a feed: its compaction, and agents that are no longer listed under their id.

use crate::agents::read;
use crate::cast::{NOON, found, lease, minutes, reading, seeds, visit};
use manifest::agent::{Capability, Interface};
use manifest::{AgentId, ChangeClass, Domain};
use store::{Change, DomainReadings, Exclusion, ExclusionSource, Operation, Outcome, Scope, Store};

on_every_database!(
    an_update_tells_which_parts_changed,
    a_renamed_agent_keeps_its_time_and_its_old_id_leads_to_it,
    a_second_renaming_leads_all_the_way_and_a_removal_ends_there,
    an_agent_that_comes_back_has_no_tombstone,
    an_agent_that_joins_another_leads_to_it,
    the_agents_of_an_excluded_domain_leave_tombstones,
    the_log_is_dropped_from_its_oldest_entry_on_and_never_whole,
    a_reader_beside_eight_writers_misses_no_change,
);

fn id(slug: &str) -> AgentId {
    AgentId::new(&Domain::parse("a.example").unwrap(), slug)
}

/// Reads the domain again, with the agents that `edit` makes of the documents.
async fn reread(
    store: &dyn Store,
    minute: i64,
    edit: impl FnOnce(&mut Vec<manifest::Listing>),
) -> Vec<Change> {
    store.mark_all_unread().await.unwrap();
    let mut readings = reading(store).await;
    edit(&mut readings.listings);
    store
        .replace_agents(&readings, minutes(minute))
        .await
        .unwrap()
}

fn rename(listing: &mut manifest::Listing, slug: &str) {
    listing.id = id(slug);
    slug.clone_into(&mut listing.agent.name);
}

async fn an_update_tells_which_parts_changed(store: &dyn Store) {
    let added = read(store, "a.example", &[("/a", "alpha")], 0).await;
    assert_eq!(added[0].classes, []);
    let changes = reread(store, 5, |listings| {
        let agent = &mut listings[0].agent;
        agent.capabilities.push(Capability::default());
        agent.interfaces.push(Interface::default());
    })
    .await;
    let classes = [ChangeClass::Capabilities, ChangeClass::Endpoint];
    assert_eq!(changes[0].classes, classes);
    assert_eq!(store.changes(1, 10).await.unwrap(), changes);
}

async fn a_renamed_agent_keeps_its_time_and_its_old_id_leads_to_it(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let changes = reread(store, 5, |listings| rename(&mut listings[0], "omega")).await;
    let operations: Vec<_> = changes.iter().map(|it| (it.op, &*it.reason)).collect();
    assert_eq!(
        operations,
        [
            (Operation::Add, "renamed from a.example/alpha"),
            (Operation::Remove, "renamed to a.example/omega")
        ]
    );
    assert_eq!(changes[1].successor, Some(id("omega")));
    assert_eq!(store.changes(1, 10).await.unwrap(), changes);
    let agents = store.agents(None, 10).await.unwrap();
    assert_eq!(agents.len(), 1);
    assert_eq!(
        (agents[0].first_seen, agents[0].changed),
        (minutes(0), minutes(5))
    );
    let tombstone = store.tombstone(&id("alpha")).await.unwrap().unwrap();
    assert_eq!(tombstone.successor, Some(id("omega")));
    assert_eq!(
        (tombstone.at, tombstone.op),
        (minutes(5), Operation::Remove)
    );
    assert_eq!(store.tombstone(&id("omega")).await.unwrap(), None);
    assert_eq!(store.tombstone(&id("never")).await.unwrap(), None);
}

async fn a_second_renaming_leads_all_the_way_and_a_removal_ends_there(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    reread(store, 5, |listings| rename(&mut listings[0], "beta")).await;
    reread(store, 6, |listings| rename(&mut listings[0], "gamma")).await;
    for old in ["alpha", "beta"] {
        let tombstone = store.tombstone(&id(old)).await.unwrap().unwrap();
        assert_eq!(tombstone.successor, Some(id("gamma")), "{old}");
    }
    reread(store, 7, Vec::clear).await;
    for old in ["alpha", "beta", "gamma"] {
        let tombstone = store.tombstone(&id(old)).await.unwrap().unwrap();
        assert_eq!(tombstone.agent, id("gamma"), "{old}");
        assert_eq!(tombstone.successor, None);
        assert_eq!(&*tombstone.reason, "no longer published");
    }
}

async fn an_agent_that_comes_back_has_no_tombstone(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    reread(store, 5, |listings| rename(&mut listings[0], "beta")).await;
    reread(store, 6, |_| {}).await;
    assert_eq!(store.tombstone(&id("alpha")).await.unwrap(), None);
    let tombstone = store.tombstone(&id("beta")).await.unwrap().unwrap();
    assert_eq!(tombstone.successor, Some(id("alpha")));
}

async fn an_agent_that_joins_another_leads_to_it(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha"), ("/b", "beta")], 0).await;
    let changes = reread(store, 5, |listings| {
        let source = listings[1].sources[0].clone();
        listings[0].sources.push(source);
        listings.truncate(1);
    })
    .await;
    assert_eq!(changes[0].classes, [ChangeClass::Sources]);
    assert_eq!(&*changes[1].reason, "became part of a.example/alpha");
    let tombstone = store.tombstone(&id("beta")).await.unwrap().unwrap();
    assert_eq!(tombstone.successor, Some(id("alpha")));
}

async fn the_agents_of_an_excluded_domain_leave_tombstones(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha")], 0).await;
    let exclusion = Exclusion {
        scope: Scope::domain(&Domain::parse("a.example").unwrap()),
        reason: "its owner asked".to_owned(),
        source: ExclusionSource::Owner,
        since: minutes(5),
    };
    store.exclude(&exclusion, minutes(5)).await.unwrap();
    let tombstone = store.tombstone(&id("alpha")).await.unwrap().unwrap();
    assert_eq!(&*tombstone.reason, "its owner asked");
    assert_eq!(tombstone.successor, None);
}

async fn the_log_is_dropped_from_its_oldest_entry_on_and_never_whole(store: &dyn Store) {
    read(store, "a.example", &[("/a", "alpha"), ("/b", "beta")], 0).await;
    let lease = lease(store, "a.example", minutes(70)).await;
    let mut down = visit(lease, minutes(70));
    down.outcome = Outcome::Down;
    store.record_visits(&[down]).await.unwrap();
    assert_eq!(store.last_change().await.unwrap(), 4);
    // Neither what is younger nor what is beyond the number is dropped.
    assert_eq!(store.compact(minutes(0), 4, 10).await.unwrap(), 0);
    assert_eq!(store.compact(minutes(1), 1, 10).await.unwrap(), 1);
    assert_eq!(store.changes(0, 10).await.unwrap()[0].seq, 2);
    assert_eq!(store.compact(minutes(500), 4, 1).await.unwrap(), 1);
    assert_eq!(store.compact(minutes(500), 4, 10).await.unwrap(), 1);
    assert_eq!(store.compact(minutes(500), 4, 10).await.unwrap(), 0);
    let kept = store.changes(0, 10).await.unwrap();
    assert_eq!((kept.len(), kept[0].seq), (1, 4));
    // The numbers go on.
    found(store, "a.example", &[("/c", "gamma")], minutes(200)).await;
    let readings = reading(store).await;
    store.replace_agents(&readings, minutes(200)).await.unwrap();
    assert_eq!(store.changes(4, 10).await.unwrap()[0].seq, 5);
}

/// Writers at the same time, each of the agent of another domain.
const WRITERS: u64 = 8;
/// Changes of each writer.
const CHANGES: u64 = 40;

/// Finds an agent, and changes it again and again.
async fn write(store: &dyn Store, mut readings: DomainReadings) {
    for number in 0..CHANGES {
        readings.listings[0].agent.description = Some(format!("change {number}"));
        let changes = store.replace_agents(&readings, minutes(1)).await.unwrap();
        assert_eq!(changes.len(), 1);
    }
}

async fn a_reader_beside_eight_writers_misses_no_change(store: &dyn Store) {
    let mut readings = Vec::new();
    for writer in 0..WRITERS {
        let name = format!("w{writer}.example");
        store
            .add_seeds(&seeds(&[&name]), false, NOON)
            .await
            .unwrap();
        found(store, &name, &[("/a", "alpha")], NOON).await;
        readings.push(reading(store).await);
        store
            .replace_agents(&readings[readings.len() - 1], NOON)
            .await
            .unwrap();
    }
    let reader = async {
        let mut last = WRITERS;
        while last < WRITERS * (CHANGES + 1) {
            for change in store.changes(last, 5).await.unwrap() {
                assert_eq!(change.seq, last + 1, "a later change is visible first");
                last = change.seq;
            }
            tokio::task::yield_now().await;
        }
    };
    let mut writers = readings.into_iter().map(|it| write(store, it));
    let mut write = || writers.next().unwrap();
    tokio::join!(
        reader,
        write(),
        write(),
        write(),
        write(),
        write(),
        write(),
        write(),
        write(),
    );
    assert_eq!(store.last_change().await.unwrap(), WRITERS * (CHANGES + 1));
}
