//! Events in the life of a fleet: crawlers that are killed, stopped, replaced, or join.
//!
//! An event happens when some part of the sites was visited, so that a slow machine changes nothing.

use super::members::Members;
use super::world::World;
use crate::support::postgres::Database;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, rngs::StdRng};
use std::time::{Duration, Instant};

/// Time between two looks at the fleet.
const LOOK: Duration = Duration::from_millis(100);

/// Domains with a result.
const VISITED: &str = "SELECT COUNT(*) FROM domains WHERE last_outcome IS NOT NULL";

/// Domains that are visited or to be visited now. Those that ask for pauses are, again and again.
const UNFINISHED: &str = "
    SELECT COUNT(*) FROM queue JOIN domains ON domains.id = domain_id
    WHERE last_outcome IS NULL
       OR last_outcome NOT IN ('throttled', 'rate_limited')
          AND (lease_until IS NOT NULL OR due < extract(epoch FROM now()) * 1000 + 30000)";

/// Event in the life of a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A crawler is killed.
    Kill,
    /// A crawler is stopped until the others have ended its membership.
    StopForLong,
    /// A crawler is stopped for less than its term.
    StopShortly,
    /// A crawler joins.
    Join,
    /// A crawler ends by SIGTERM, and another one joins.
    Replace,
}

/// Event, and the percentage of visited sites at which it happens.
pub(crate) type Step = (i64, Event);

/// Returns as many events as wanted, in the order of their times. After each end of a crawler another one
/// joins.
pub(crate) fn at_random(count: usize, random: &mut StdRng) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..count {
        let percentage = random.random_range(2..85);
        let choices = [
            Event::Kill,
            Event::Kill,
            Event::StopForLong,
            Event::StopShortly,
            Event::Replace,
        ];
        let event = *choices.choose(random).unwrap();
        steps.push((percentage, event));
        if event == Event::Kill {
            steps.push((percentage + random.random_range(0..4), Event::Join));
        }
    }
    steps.sort_by_key(|(percentage, _)| *percentage);
    steps
}

/// A crawler that is stopped.
struct Stopped {
    process: u32,
    /// Time at which it goes on; `None`: when the others have ended its membership.
    until: Option<Instant>,
}

/// Lets the events happen, and waits until every site was visited and every stopped crawler went on.
pub(crate) async fn play(
    members: &mut Members<'_>,
    (world, database): (&World, &Database),
    (steps, random): (Vec<Step>, &mut StdRng),
    limit: Duration,
    mut watch: impl AsyncFnMut(&Members<'_>),
) {
    let started = Instant::now();
    let mut steps = steps.into_iter().peekable();
    let mut stopped: Vec<Stopped> = Vec::new();
    let seeds = i64::try_from(world.seeds.len()).unwrap();
    loop {
        members.check_alive();
        watch(members).await;
        continue_stopped(members, &mut stopped, database).await;
        let visited = database.number(VISITED).await;
        if let Some((_, event)) =
            steps.next_if(|(percentage, _)| visited * 100 >= percentage * seeds)
        {
            say(started, visited, &format!("{event:?}"));
            stopped.extend(happen(members, event, random).await);
        } else if visited >= seeds
            && stopped.is_empty()
            && steps.peek().is_none()
            && database.number(UNFINISHED).await == 0
        {
            say(started, visited, "finished");
            return;
        }
        if started.elapsed() > limit {
            let unfinished = database.number(UNFINISHED).await;
            members.faults.push(format!(
                "after {limit:?} only {visited} of {seeds} sites are visited, and {unfinished} are unfinished"
            ));
            return;
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[expect(clippy::print_stdout, reason = "a failed run must be understood")]
fn say(started: Instant, visited: i64, what: &str) {
    println!(
        "{:>7.1} s, {visited} visited: {what}",
        started.elapsed().as_secs_f64()
    );
}

/// Lets an event happen to a random crawler; returns it if it is stopped.
async fn happen(members: &mut Members<'_>, event: Event, random: &mut StdRng) -> Option<Stopped> {
    let running = |members: &Members<'_>| {
        let all = members.crawlers.iter().enumerate();
        let running = all.filter(|(_, it)| !it.is_stopped);
        running.map(|(place, _)| place).collect::<Vec<_>>()
    };
    // The fleet never ends as a whole.
    if running(members).len() < 2 {
        members.join();
    }
    let place = *running(members).choose(random).unwrap();
    let until = match event {
        Event::Join => {
            members.join();
            return None;
        }
        Event::Kill => {
            members.kill(place);
            return None;
        }
        Event::Replace => {
            members.join();
            members.terminate(place).await;
            return None;
        }
        Event::StopForLong => None,
        Event::StopShortly => {
            Some(Instant::now() + Duration::from_millis(random.random_range(500..9_000)))
        }
    };
    members.stop(place);
    let process = members.crawlers[place].process();
    Some(Stopped { process, until })
}

/// Continues stopped crawlers whose time has come.
async fn continue_stopped(
    members: &mut Members<'_>,
    stopped: &mut Vec<Stopped>,
    database: &Database,
) {
    if stopped.is_empty() {
        return;
    }
    let rows = database.texts("SELECT description FROM crawlers").await;
    stopped.retain(|it| {
        let is_member = || {
            let start = format!("process {} on ", it.process);
            rows.iter().any(|row| row.starts_with(&start))
        };
        let is_over = it
            .until
            .map_or_else(|| !is_member(), |until| Instant::now() >= until);
        if is_over {
            let mut crawlers = members.crawlers.iter();
            let place = crawlers.position(|crawler| crawler.process() == it.process);
            members.go_on(place.unwrap());
        }
        !is_over
    });
}
