//! A stranger's day: a client without a limit of its own submits 100,000 subdomains and rechecks
//! whatever it can, and causes no more visits than P47 allows.

use crate::cast::{MINUTE, domain, minutes, seed, visit};
use crate::submissions::ask;
use manifest::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::SubmissionKind::{New, Recheck};
use store::{Decision, Seed, Store};

/// Minutes of a day.
const DAY: i64 = 24 * 60;
/// Length of the simulated time, which ends in the middle of the second day.
const END: i64 = DAY + DAY / 2;
/// Minutes between two steps of the simulation; all waits are multiples of it.
const STEP: u16 = 10;
/// Most names of a registrable domain in 24 hours from one network.
const NAMES_A_DAY: usize = 10;
/// Minutes from the last visit of a domain to its next recheck.
const WAITS: [i64; 5] = [0, 10, 60, 360, DAY];
/// Requested visits of a day of one network that need no others: rechecks and new names, half of 100
/// each.
const FREE: u64 = 100;
/// Requests of a recheck of a site of which nothing is known.
const REQUESTS: u32 = 12;

on_every_database!(
    p47_a_stranger_gets_10_names_of_a_domain_and_100_visits_of_an_idle_registry,
    p47_a_stranger_gets_a_tenth_of_the_visits_of_a_busy_registry,
    p47_a_stranger_gets_five_visits_to_a_domain_on_its_first_day,
);

/// Requests of the stranger, and the visits that they caused.
#[derive(Default)]
struct Day {
    submitted: usize,
    accepted: usize,
    rechecks_asked: usize,
    rechecks_accepted: usize,
    /// Minutes of the visits to each domain, and true for each that was requested.
    visits: BTreeMap<String, Vec<(i64, bool)>>,
    /// Minutes at which names were accepted, by registrable domain.
    names: BTreeMap<String, Vec<i64>>,
    requests: Vec<u32>,
}

/// Lives the day of a stranger that submits `names` subdomains of `sites` registrable domains, beside a
/// registry that makes `scheduled` visits a minute.
async fn live(store: &dyn Store, names: usize, sites: usize, scheduled: usize) -> Day {
    let mut day = Day::default();
    let mut next_ask: HashMap<String, i64> = HashMap::new();
    let mut submitted = 0;
    let mut seeded = 0;
    // Most names are refused, and each costs a server more than a file: a twentieth has to do there.
    let names = if store.files().is_some() {
        names
    } else {
        names / 20
    };
    for minute in (0..END).step_by(usize::from(STEP)) {
        let now = minutes(minute);
        let seeds: Vec<Seed> = (seeded..seeded + scheduled * usize::from(STEP))
            .map(|number| seed(&format!("seed{number}.example")))
            .collect();
        seeded += scheduled * usize::from(STEP);
        store.add_seeds(&seeds, false, now).await.unwrap();
        // The submissions are spread over the whole time, since an early flood alone proves less.
        let until = names * usize::try_from(minute + i64::from(STEP)).unwrap()
            / usize::try_from(END).unwrap();
        while submitted < until {
            let registrable = format!("stranger{}.example", submitted % sites);
            let name = format!("h{submitted}.{registrable}");
            match ask(store, New, &name, &name, now).await {
                Decision::Accepted(_) => {
                    day.accepted += 1;
                    day.names.entry(registrable).or_default().push(minute);
                    next_ask.insert(name, 0);
                }
                Decision::Later(at) => assert!(at > now),
                other => panic!("{other:?}"),
            }
            submitted += 1;
        }
        for (name, at) in &mut next_ask {
            if minute < *at {
                continue;
            }
            day.rechecks_asked += 1;
            let id = format!("{name} {minute}");
            match ask(store, Recheck, name, &id, now).await {
                Decision::Accepted(submission) => {
                    let is_new = submission.id == id;
                    day.rechecks_accepted += usize::from(is_new);
                    // Another one that still waits leads to no further visit.
                    *at = minute + if is_new { i64::from(STEP) } else { 60 };
                }
                // Not yet in the frontier, since too many visits are requested.
                Decision::Unknown => *at = minute + 60,
                Decision::Later(later) => {
                    // One more attempt a step before, which must be refused.
                    let due = (later.0 - minutes(0).0) / MINUTE;
                    *at = (due - i64::from(STEP)).max(minute + i64::from(STEP));
                }
                other => panic!("{other:?}"),
            }
        }
        store.take_submissions(500, false, now).await.unwrap();
        visit_all(store, minute, &mut day).await;
    }
    day.submitted = submitted;
    day
}

/// Visits everything that is due.
async fn visit_all(store: &dyn Store, minute: i64, day: &mut Day) {
    let now = minutes(minute);
    let leases = store
        .lease_domains(now, minutes(minute + 1), 10_000)
        .await
        .unwrap();
    let mut done = Vec::with_capacity(leases.len());
    for lease in leases {
        let name = lease.domain.to_string();
        let is_requested = name.contains("stranger");
        day.requests.extend(lease.requests_left);
        let of_domain = day.visits.entry(name).or_default();
        of_domain.push((minute, is_requested));
        let mut visit = visit(lease, now);
        visit.ended = now;
        visit.next.due = minutes(100 * DAY);
        visit.next.not_before = now;
        done.push(visit);
    }
    store.record_visits(&done).await.unwrap();
}

impl Day {
    /// Checks everything that P47 limits, by its own arithmetic, and prints the counts.
    #[expect(clippy::print_stdout, reason = "the figures are part of the answer")]
    fn check(&self, sites: usize) {
        let all: Vec<(i64, bool)> = self.visits.values().flatten().copied().collect();
        let requested: Vec<i64> = all.iter().filter(|it| it.1).map(|it| it.0).collect();
        // Names.
        assert_eq!(
            self.names.len(),
            sites,
            "every domain of the stranger has its names"
        );
        for (site, accepted) in &self.names {
            let most = most_within_a_day(accepted);
            assert!(most <= NAMES_A_DAY, "{site}: {most} names in a day");
        }
        // Rechecks: the first visit of a domain is its submission, all later ones are rechecks.
        let mut most_of_domain = 0;
        for (name, visits) in &self.visits {
            let minutes: Vec<i64> = visits.iter().map(|it| it.0).collect();
            for (number, pair) in minutes.windows(2).enumerate() {
                let wait = WAITS[number.min(WAITS.len() - 1)];
                assert!(pair[1] - pair[0] >= wait, "{name}: {minutes:?}");
            }
            most_of_domain = most_of_domain.max(most_within_a_day(&minutes));
        }
        assert!(
            most_of_domain <= ladder(DAY),
            "{most_of_domain} visits to a domain in a day"
        );
        assert!(self.requests.iter().all(|requests| *requests == REQUESTS));
        // The whole of it.
        let mut busiest = 0;
        for end in requested.iter().copied().collect::<BTreeSet<_>>() {
            let is_within = |minute: &i64| *minute <= end && *minute > end - DAY;
            let visits = all.iter().filter(|it| is_within(&it.0)).count() as u64;
            let of_strangers = requested.iter().filter(|it| is_within(it)).count() as u64;
            let most = FREE.max(visits / 10);
            assert!(
                of_strangers <= most,
                "{of_strangers} requested visits of {visits}"
            );
            busiest = busiest.max(of_strangers);
        }
        println!(
            "{} subdomains of {sites} domains submitted, {} accepted (at most {} in 24 h); {} rechecks asked, {} \
             accepted; {} visits, {} of them requested, at most {busiest} in 24 h; at most {most_of_domain} visits \
             to a domain in 24 h (allowed: {})",
            self.submitted,
            self.accepted,
            sites * NAMES_A_DAY,
            self.rechecks_asked,
            self.rechecks_accepted,
            all.len(),
            requested.len(),
            ladder(DAY),
        );
    }
}

/// Returns the most of these minutes that lie within 24 hours.
fn most_within_a_day(minutes: &[i64]) -> usize {
    let ends = minutes.iter();
    let counts = ends.map(|end| {
        let within = minutes.iter().filter(|it| *it <= end && *it > &(end - DAY));
        within.count()
    });
    counts.max().unwrap_or(0)
}

/// Returns the most visits to a new domain within this many minutes: the first one, and the rechecks
/// after their waits.
fn ladder(minutes: i64) -> usize {
    let mut at = 0;
    let mut visits = 1;
    for wait in WAITS {
        at += wait.max(1);
        visits += usize::from(at < minutes);
    }
    visits
}

async fn p47_a_stranger_gets_10_names_of_a_domain_and_100_visits_of_an_idle_registry(
    store: &dyn Store,
) {
    let few = live(store, 100_000, 6, 0).await;
    few.check(6);
    // Nothing is withheld: six domains of 10 names on two days, and as many visits as are free.
    assert_eq!(few.accepted, 6 * NAMES_A_DAY * 2);
    let first_day = few.visits.values().flatten().filter(|it| it.0 < DAY);
    assert_eq!(first_day.count() as u64, FREE);
}

async fn p47_a_stranger_gets_a_tenth_of_the_visits_of_a_busy_registry(store: &dyn Store) {
    let many = live(store, 10_000, 20, 2).await;
    many.check(20);
    let requested = many.visits.values().flatten().filter(|it| it.1).count() as u64;
    assert!(requested > FREE, "a busy registry grants more: {requested}");
    let last = store.site(&domain("seed0.example")).await.unwrap().unwrap();
    assert_eq!(
        last.last_visit,
        Some(Timestamp(minutes(0).0)),
        "the seeds were visited too"
    );
}

async fn p47_a_stranger_gets_five_visits_to_a_domain_on_its_first_day(store: &dyn Store) {
    let one = live(store, 2_000, 1, 2).await;
    one.check(1);
    let of_first = one.visits.iter().find(|(name, _)| name.starts_with("h0."));
    let minutes: Vec<i64> = of_first.unwrap().1.iter().map(|it| it.0).collect();
    assert_eq!(minutes.iter().filter(|it| **it < DAY).count(), ladder(DAY));
}
