//! A fleet of crawlers on one database of PostgreSQL, judged by the log of the simulated web.
//!
//! Crawlers are killed, stopped, replaced and join while they visit sites that lead from one network to
//! another. At the end every site was visited, no rule was broken, and nothing was lost or doubled. A
//! small fleet is part of every run of the tests. A whole one is made by hand:
//!
//! ```text
//! FLEET_SITES=20000 FLEET_EVENTS=50 cargo test --workspace --test integration -- --ignored --nocapture fleet_by_hand
//! ```
//!
//! It prints the sizes of tables, the number of dead rows and how far the indexes are behind every minute.
//! `FLEET_SITES=100000 FLEET_EVENTS=0 FLEET_CONCURRENCY=256` is a night without events, for which
//! `FLEET_NODES=1` leaves more of a small machine to the crawlers. The speed of four crawlers is compared with
//! that of one by `speed_by_hand`.

mod events;
mod members;
mod sizes;
mod verdict;
mod world;

use crate::support::kill_seed;
use crate::support::name_server::NameServer;
use crate::support::postgres::{Database, Gate};
use crate::support::wait;
use events::{Event, Step};
use members::{Members, Settings};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use world::{HOSTS, Size, World};

/// Web of the tests that are part of every run.
const SMALL: Size = Size {
    sites: 140,
    addresses: 40,
    networks: 10,
};
const SMALL_SETTINGS: Settings = Settings {
    concurrency: 64,
    delay_ms: 250,
    address_delay_ms: 100,
};

/// Events of the small fleet, which begins with three crawlers: all happen while sites are visited.
const SMALL_EVENTS: [Step; 4] = [
    (4, Event::Kill),
    (8, Event::StopForLong),
    (12, Event::Join),
    (25, Event::Replace),
];

/// Longest time for the small fleet.
const SMALL_LIMIT: Duration = Duration::from_mins(5);

/// Slots of one member that may use them.
const USABLE_SLOTS: &str = "
    SELECT COUNT(*) FROM network_slots JOIN crawlers ON holder = crawlers.name
    WHERE usable_from <= now() AND (SELECT COUNT(*) FROM crawlers) = 1";
const SLOTS: i64 = 256;
/// Slots that a second member has.
const SHARED_SLOTS: &str = "
    SELECT COUNT(DISTINCT holder) FROM network_slots JOIN crawlers ON holder = crawlers.name";
/// Members that have taken domains from the frontier.
const LEASING: &str = "SELECT COUNT(DISTINCT lease_owner) FROM queue WHERE lease_until > 0";
/// Slots of members that give none up, while one does.
const SLOTS_OF_OTHERS: &str = "
    SELECT COUNT(*) FROM network_slots JOIN crawlers ON holder = crawlers.name
    WHERE NOT is_leaving AND EXISTS (SELECT 1 FROM crawlers WHERE is_leaving)";
/// Members in the order of their names.
const MEMBERS: &str = "SELECT name FROM crawlers ORDER BY name";
/// Members that were renewed within the last three seconds.
const RENEWED: &str =
    "SELECT COUNT(*) FROM crawlers WHERE until > clock_timestamp() + INTERVAL '7 seconds'";
/// Time for which the database is away: shorter than a term, longer than between two renewals.
const OUTAGE: Duration = Duration::from_secs(3);

/// Creates a database with the schema: a start that makes it does not go through a pooler.
async fn database() -> Option<Database> {
    let database = Database::create().await?;
    let store = store::open(&database.url(), &[]).await.unwrap();
    store.close().await;
    Some(database)
}

/// Lets a small fleet and an indexer finish their work, and judges it.
async fn finish(mut members: Members<'_>, place: (&World, &Database), seed: u64) {
    members.index();
    let mut random = StdRng::seed_from_u64(seed);
    let steps = (Vec::new(), &mut random);
    events::play(&mut members, place, steps, SMALL_LIMIT, async |_| {}).await;
    verdict::hold(members, (place.0, place.1, SMALL_SETTINGS)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_that_is_killed_stopped_and_replaced_visits_every_site_once_and_breaks_no_rule() {
    let Some(database) = database().await else {
        return;
    };
    let seed = kill_seed();
    let world = World::start(SMALL, seed).await;
    let mut members = Members::new(&world, database.pooled_url(), SMALL_SETTINGS);
    members.index();
    members.serve();
    for _ in 0..3 {
        members.join();
    }
    let mut random = StdRng::seed_from_u64(seed);
    let steps = (SMALL_EVENTS.to_vec(), &mut random);
    let place = (&world, &database);
    events::play(&mut members, place, steps, SMALL_LIMIT, async |_| {}).await;
    verdict::hold(members, (&world, &database, SMALL_SETTINGS)).await;
    database.drop().await;
}

/// The drill "one crawler dies at night".
#[tokio::test(flavor = "multi_thread")]
async fn when_one_crawler_dies_at_night_the_other_one_has_all_networks_within_a_minute() {
    let Some(database) = database().await else {
        return;
    };
    let seed = kill_seed();
    let size = Size { sites: 60, ..SMALL };
    let world = World::start(size, seed).await;
    let mut members = Members::new(&world, database.pooled_url(), SMALL_SETTINGS);
    members.join();
    members.join();
    wait::until("both crawlers have networks", async || {
        database.number(SHARED_SLOTS).await == 2
    })
    .await;
    let died = Instant::now();
    members.kill(0);
    wait::within(
        Duration::from_mins(1),
        "the other has all networks",
        async || database.number(USABLE_SLOTS).await == SLOTS,
    )
    .await;
    print(&format!(
        "the other one had all networks after {:?}",
        died.elapsed()
    ));
    finish(members, (&world, &database), seed).await;
    database.drop().await;
}

/// Neither a short outage nor a stop in the middle of one is a fault: what was visited is recorded when the
/// database is back.
#[tokio::test(flavor = "multi_thread")]
async fn a_short_outage_ends_no_membership_and_a_crawler_stops_during_one() {
    let Some(database) = database().await else {
        return;
    };
    let seed = kill_seed();
    // Each crawler has some of the networks.
    let size = Size {
        sites: 60,
        networks: 40,
        ..SMALL
    };
    let world = World::start(size, seed).await;
    let mut gate = Gate::open();
    let mut members = Members::new(&world, gate.url(&database), SMALL_SETTINGS);
    for _ in 0..3 {
        members.join();
    }
    let have_begun =
        async || database.number(SHARED_SLOTS).await == 3 && database.number(LEASING).await == 3;
    wait::until("all crawlers have networks and visits", have_begun).await;
    let names = database.texts(MEMBERS).await;
    gate.cut().await;
    sleep(OUTAGE).await;
    gate.restore();
    wait::until("all crawlers are renewed", async || {
        database.number(RENEWED).await == 3
    })
    .await;
    assert_eq!(database.texts(MEMBERS).await, names);
    gate.cut().await;
    let ending = members.begin_to_end(0);
    sleep(OUTAGE).await;
    gate.restore();
    members.await_end(ending).await;
    finish(members, (&world, &database), seed).await;
    database.drop().await;
}

/// A crawler whose own name server is down leaves its networks to the other one, and takes its share again
/// afterwards. Nothing is noted against the sites.
#[tokio::test(flavor = "multi_thread")]
async fn while_one_name_server_is_down_the_other_crawler_has_the_networks() {
    let Some(database) = database().await else {
        return;
    };
    let seed = kill_seed();
    let world = World::start(SMALL, seed).await;
    let name_server = NameServer::before(world.web.dns_address()).await;
    let mut members = Members::new(&world, database.pooled_url(), SMALL_SETTINGS);
    members.expected = Some("this machine seems to be offline");
    name_server.cut();
    members.join_with(name_server.address());
    members.join();
    let minute = Duration::from_mins(1);
    wait::within(minute, "the other one has all networks", async || {
        database.number(SLOTS_OF_OTHERS).await == SLOTS
    })
    .await;
    name_server.restore();
    wait::within(minute, "both crawlers have networks", async || {
        database.number(SHARED_SLOTS).await == 2
    })
    .await;
    finish(members, (&world, &database), seed).await;
    database.drop().await;
}

#[expect(clippy::print_stdout, reason = "the figures are part of the answer")]
fn print(line: &str) {
    println!("{line}");
}

/// Returns the number in a variable, or the usual one.
fn variable(name: &str, usual: u32) -> u32 {
    std::env::var(name).map_or(usual, |it| it.parse().unwrap())
}

/// By hand: four crawlers, two indexers and two web nodes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes half an hour"]
async fn a_whole_fleet_by_hand() {
    let database = database().await.unwrap();
    let seed = kill_seed();
    let sites = variable("FLEET_SITES", 20_000);
    let size = Size {
        sites,
        addresses: (sites * 3 / 20).clamp(40, 3_000),
        networks: (sites * 3 / 200).clamp(10, 300),
    };
    let settings = Settings {
        concurrency: variable("FLEET_CONCURRENCY", 64),
        delay_ms: 1_000,
        address_delay_ms: 1_000,
    };
    let world = World::start(size, seed).await;
    let mut members = Members::new(&world, database.pooled_url(), settings);
    for _ in 0..variable("FLEET_NODES", 2) {
        members.index();
        members.serve();
    }
    for _ in 0..4 {
        members.join();
    }
    let mut random = StdRng::seed_from_u64(seed);
    let count = usize::try_from(variable("FLEET_EVENTS", 50)).unwrap();
    let steps = events::at_random(count, &mut random);
    let mut minutes = sizes::Sizes::new(&database);
    let place = (&world, &database);
    let limit = Duration::from_hours(12);
    let watch = async |members: &Members<'_>| minutes.watch(members).await;
    events::play(&mut members, place, (steps, &mut random), limit, watch).await;
    verdict::hold(members, (&world, &database, settings)).await;
    database.drop().await;
}

/// By hand: the time of one crawler and of four for the same web, in which each host has an address of its
/// own, so that the number of visits at a time is the limit.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes ten minutes"]
async fn the_speed_by_hand() {
    let seed = kill_seed();
    let sites = variable("FLEET_SITES", 2_000);
    let size = Size {
        sites,
        addresses: HOSTS * sites,
        // Neither addresses nor networks are the limit.
        networks: sites.clamp(10, 25_000),
    };
    let settings = Settings {
        concurrency: variable("FLEET_CONCURRENCY", 32),
        delay_ms: 1_000,
        address_delay_ms: 1_000,
    };
    for crawlers in [1, 4] {
        let database = database().await.unwrap();
        let world = World::start(size, seed).await;
        let mut members = Members::new(&world, database.pooled_url(), settings);
        let started = Instant::now();
        for _ in 0..crawlers {
            members.join();
        }
        let mut random = StdRng::seed_from_u64(seed);
        let (place, steps) = ((&world, &database), (Vec::new(), &mut random));
        let limit = Duration::from_hours(2);
        events::play(&mut members, place, steps, limit, async |_| {}).await;
        let took = started.elapsed().as_secs_f64();
        print(&format!(
            "{crawlers} crawlers visited {sites} sites in {took:.1} s"
        ));
        members.index();
        verdict::hold(members, (&world, &database, settings)).await;
        database.drop().await;
    }
}
