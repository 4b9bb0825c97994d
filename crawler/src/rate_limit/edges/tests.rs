//! Rules on learned edges, one by one and in any order of events (P50).

use super::super::{Cause, Ending, Entry, Rules};
use super::*;
use hyper::header::{HeaderMap, HeaderValue, SERVER};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const SECOND: Duration = Duration::from_secs(1);
const FIFTH: Duration = Duration::from_millis(200);
const DAY: Duration = Duration::from_hours(24);
const EDGE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(8, 8, 8, 8));

fn gate() -> Gate {
    gate_with_gap(SECOND)
}

fn gate_with_gap(gap: Duration) -> Gate {
    Gate::new(Rules {
        gap,
        own: vec!["127.0.0.0/8".parse().unwrap()],
        edges: super::super::edges("104.16.0.0/13 declared").unwrap(),
    })
}

fn marks(server: &'static str) -> Marks {
    let mut headers = HeaderMap::new();
    headers.insert(SERVER, HeaderValue::from_static(server));
    Marks::of(&headers)
}

fn site(number: usize) -> String {
    format!("site{number}.example")
}

/// Lets sites answer with the header of an edge; returns the last change.
fn teach(
    gate: &mut Gate,
    address: IpAddr,
    sites: std::ops::Range<usize>,
    server: &'static str,
) -> Option<EdgeChange> {
    let now = Instant::now();
    let changes = sites.map(|number| gate.learn(&site(number), address, marks(server), now));
    changes.fold(None, |last, change| change.or(last))
}

/// Returns the time until the next request to a host of a site, without a limit of the host.
fn wait(gate: &mut Gate, number: usize, address: IpAddr, now: Instant) -> Duration {
    let host = format!("h{}.{}", gate.len(), site(number));
    match gate.site_turn(&site(number), &host, address, now) {
        Turn::Now => Duration::ZERO,
        Turn::At(at) | Turn::After(_, at) => at - now,
    }
}

#[tokio::test(start_paused = true)]
async fn p50_fifty_sites_with_the_header_of_one_edge_make_an_edge() {
    let mut gate = gate();
    assert_eq!(teach(&mut gate, EDGE, 0..49, "cloudflare"), None);
    // Neither further answers of these sites nor names of theirs count.
    assert_eq!(teach(&mut gate, EDGE, 0..49, "cloudflare"), None);
    assert_eq!(gate.learned_edges(), 0);
    let change = teach(&mut gate, EDGE, 49..50, "cloudflare").unwrap();
    let expected = EdgeChange {
        edge: "cloudflare",
        sites: 50,
        cause: Cause::Header,
    };
    assert_eq!(change, expected);
    assert_eq!(gate.learned_edges(), 1);
    // Of up to 55 sites, five may answer otherwise.
    assert_eq!(teach(&mut gate, EDGE, 50..55, "nginx"), None);
    let change = teach(&mut gate, EDGE, 55..56, "nginx").unwrap();
    assert_eq!((change.cause, change.sites), (Cause::Mixed, 56));
    assert_eq!(gate.learned_edges(), 0);
    // The last answer of a site counts.
    let change = teach(&mut gate, EDGE, 55..56, "cloudflare").unwrap();
    assert_eq!(change.cause, Cause::Header);
}

#[tokio::test(start_paused = true)]
async fn p50_two_edges_at_one_address_are_none() {
    let mut gate = gate();
    for number in 0..400 {
        let server = ["cloudflare", "GitHub.com"][number % 2];
        let change = gate.learn(&site(number), EDGE, marks(server), Instant::now());
        assert_eq!(change, None);
    }
}

/// Of a host where one site in five answers otherwise, some dozens in succession may be alike.
#[tokio::test(start_paused = true)]
async fn p50_a_run_of_sites_with_a_header_does_not_outweigh_all_others() {
    let mut gate = gate();
    for round in 0..8 {
        let first = round * 80;
        teach(&mut gate, EDGE, first..first + 16, "nginx");
        teach(&mut gate, EDGE, first + 16..first + 80, "cloudflare");
        assert_eq!(gate.learned_edges(), 0, "{round}");
    }
}

#[tokio::test(start_paused = true)]
async fn p50_a_learned_edge_gets_five_requests_a_second_and_each_of_its_sites_one() {
    let (mut gate, now) = (gate(), Instant::now());
    teach(&mut gate, EDGE, 0..50, "cloudflare");
    let now = now + SECOND;
    assert_eq!(wait(&mut gate, 1, EDGE, now), Duration::ZERO);
    assert_eq!(wait(&mut gate, 2, EDGE, now), FIFTH);
    let next = now + FIFTH;
    assert_eq!(wait(&mut gate, 1, EDGE, next), 4 * FIFTH, "the same site");
    assert_eq!(
        wait(&mut gate, 2, EDGE, next),
        Duration::ZERO,
        "none has answered"
    );
    gate.site_answered(&site(1), EDGE, next);
    let later = next + FIFTH;
    assert_eq!(wait(&mut gate, 1, EDGE, later), 4 * FIFTH);
    assert_eq!(wait(&mut gate, 3, EDGE, later), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn p50_a_slower_pace_of_the_operator_is_kept_in_proportion() {
    let mut gate = gate_with_gap(10 * SECOND);
    teach(&mut gate, EDGE, 0..50, "cloudflare");
    let now = Instant::now() + 10 * SECOND;
    assert_eq!(wait(&mut gate, 1, EDGE, now), Duration::ZERO);
    assert_eq!(wait(&mut gate, 2, EDGE, now), 2 * SECOND);
    assert_eq!(wait(&mut gate, 1, EDGE, now + 2 * SECOND), 8 * SECOND);
    // Lifted addresses and declared edges learn nothing.
    let mut gate = gate_with_gap(Duration::ZERO);
    for text in ["127.0.0.1", "104.16.0.1"] {
        teach(&mut gate, text.parse().unwrap(), 0..60, "cloudflare");
    }
    assert_eq!(gate.learned_edges(), 0);
}

#[tokio::test(start_paused = true)]
async fn p50_a_learned_edge_has_ten_visits_and_its_network_four_others() {
    let (mut gate, now) = (gate(), Instant::now());
    let beside: IpAddr = [8, 8, 8, 9].into();
    let second: IpAddr = [8, 8, 8, 10].into();
    let admit = |gate: &mut Gate, address: IpAddr, most: usize| {
        (0..most)
            .filter(|number| gate.enter(&site(*number), address, now) == Entry::Now(None))
            .count()
    };
    assert_eq!(admit(&mut gate, EDGE, 20), 2);
    assert_eq!(admit(&mut gate, beside, 20), 2);
    assert_eq!(admit(&mut gate, second, 20), 0, "four in a network");
    teach(&mut gate, EDGE, 0..50, "cloudflare");
    assert_eq!(admit(&mut gate, EDGE, 20), 8);
    assert_eq!(
        admit(&mut gate, second, 20),
        2,
        "those at the edge do not count"
    );
    teach(&mut gate, second, 0..50, "cloudflare");
    assert_eq!(
        admit(&mut gate, second, 20),
        0,
        "a network has ten at its edges"
    );
    // Back to the usual pace, the network is full until enough visits have ended.
    teach(&mut gate, EDGE, 0..50, "nginx");
    teach(&mut gate, second, 0..50, "nginx");
    let leave = |gate: &mut Gate, address: IpAddr, visits: usize| {
        (0..visits).for_each(|_| gate.leave("any.example", address, Ending::Unasked, now));
    };
    leave(&mut gate, EDGE, 8);
    assert_eq!(admit(&mut gate, beside, 1), 0);
    leave(&mut gate, EDGE, 2);
    leave(&mut gate, second, 2);
    leave(&mut gate, beside, 2);
    assert_eq!(
        admit(&mut gate, second, 20) + admit(&mut gate, beside, 20),
        4
    );
}

#[tokio::test(start_paused = true)]
async fn p50_three_sites_that_ask_for_a_pause_end_an_edge_for_a_day() {
    let (mut gate, now) = (gate(), Instant::now());
    teach(&mut gate, EDGE, 0..50, "cloudflare");
    let hour = 60 * 60 * SECOND;
    for (number, after) in [(1, Duration::ZERO), (1, SECOND), (2, SECOND), (3, hour)] {
        assert_eq!(gate.throttled(&site(number), EDGE, now + after), None);
    }
    // The first two are an hour ago when the fourth site asks.
    assert_eq!(
        gate.throttled(&site(4), EDGE, now + hour + 2 * SECOND),
        None
    );
    let then = now + hour + 3 * SECOND;
    let change = gate.throttled(&site(5), EDGE, then).unwrap();
    assert_eq!(
        (change.edge, change.cause),
        ("cloudflare", Cause::Throttled)
    );
    let at = |gate: &mut Gate, at| gate.learn(&site(9), EDGE, marks("cloudflare"), at);
    assert_eq!(at(&mut gate, then + DAY - SECOND), None);
    let change = at(&mut gate, then + DAY).unwrap();
    assert_eq!(change.cause, Cause::Header);
    // Requests before it was an edge count as well.
    let early: IpAddr = [9, 9, 9, 9].into();
    for number in 0..3 {
        gate.throttled(&site(number), early, now);
    }
    assert_eq!(teach(&mut gate, early, 0..60, "cloudflare"), None);
}

/// P35: one of its sites pauses a learned edge for a minute, as any address that is not declared.
#[tokio::test(start_paused = true)]
async fn p35_p50_a_learned_edge_pauses_like_any_address() {
    let (mut gate, now) = (gate(), Instant::now());
    teach(&mut gate, EDGE, 0..50, "cloudflare");
    let pause = gate.pause_address(&site(1), EDGE, DAY, now);
    assert_eq!(pause, Some(60 * SECOND));
    assert_eq!(wait(&mut gate, 2, EDGE, now), 60 * SECOND);
    let entry = gate.enter(&site(2), EDGE, now);
    assert_eq!(entry, Entry::NotBefore(now + 60 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn p50_edges_are_evicted_with_other_histories_and_counted() {
    let mut gate = gate();
    for network in 0..3_000_u32 {
        let address = IpAddr::from((0x0B00_0000 + (network << 8)).to_be_bytes());
        let server = ["cloudflare", "nginx"][usize::from(network % 10 != 0)];
        teach(&mut gate, address, 0..50, server);
    }
    assert_eq!(gate.learned_edges(), 300);
    for number in 0..50_000_u32 {
        let address = IpAddr::from((0x2000_0000 + (number << 8)).to_be_bytes());
        gate.enter("other.example", address, Instant::now());
        gate.leave("other.example", address, Ending::Unasked, Instant::now());
    }
    assert!(gate.len() < 20_000, "{}", gate.len());
    assert_eq!(
        gate.learned_edges(),
        300,
        "unmarked histories alone are evicted"
    );
    let known = gate.addresses.values();
    assert_eq!(known.filter(|it| it.learned.is_edge()).count(), 300);
}

/// Site of a step, milliseconds before it, and what happens.
type Step = (usize, u64, Event);

#[derive(Clone, Copy, Debug)]
enum Event {
    Ask,
    Answer,
    Throttle,
}

fn steps(sites: usize) -> impl Strategy<Value = Vec<Step>> {
    let event = prop_oneof![
        100 => Just(Event::Ask),
        100 => Just(Event::Answer),
        1 => Just(Event::Throttle),
    ];
    prop::collection::vec((0..sites, 0_u64..600, event), 1..1_500)
}

/// Requests of a sequence of steps, judged while they are granted.
#[derive(Default)]
struct Judge {
    last: Option<Instant>,
    answered: Option<Instant>,
    sites: HashMap<usize, Instant>,
    in_flight: Vec<usize>,
    seen: HashSet<usize>,
    /// Number of requests before the gap of an address was over.
    fast: u32,
}

impl Judge {
    /// Runs the steps at one address, whose sites answer with a mark or without one.
    fn run(&mut self, steps: &[Step], is_marked: impl Fn(usize) -> bool) {
        let (mut gate, mut now) = (gate(), Instant::now());
        for (number, wait, event) in steps.iter().copied() {
            now += Duration::from_millis(wait);
            match event {
                Event::Ask => self.ask(&mut gate, number, now),
                Event::Throttle => {
                    gate.throttled(&site(number), EDGE, now);
                }
                Event::Answer => {
                    let Some(number) = self.in_flight.pop() else {
                        continue;
                    };
                    let server = ["nginx", "cloudflare"][usize::from(is_marked(number))];
                    gate.site_answered(&site(number), EDGE, now);
                    gate.learn(&site(number), EDGE, marks(server), now);
                    self.answered = Some(now);
                    self.sites.insert(number, now);
                    self.seen.insert(number);
                }
            }
        }
    }

    fn ask(&mut self, gate: &mut Gate, number: usize, now: Instant) {
        let host = site(number);
        if self.in_flight.contains(&number)
            || !matches!(gate.site_turn(&host, &host, EDGE, now), Turn::Now)
        {
            return;
        }
        gate.host_answered(&host, now, now);
        assert!(
            self.last.is_none_or(|last| now >= last + FIFTH),
            "the address"
        );
        let of_site = self.sites.get(&number);
        assert!(of_site.is_none_or(|at| now >= *at + SECOND), "a site");
        let is_fast = self.answered.is_some_and(|at| now < at + SECOND)
            || self.in_flight.len() > 1 && self.last.is_some_and(|at| now < at + SECOND + SLOW);
        if is_fast {
            assert!(self.seen.len() >= 50, "{} sites", self.seen.len());
            self.fast += 1;
        }
        self.last = Some(now);
        self.sites.insert(number, now);
        self.in_flight.push(number);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In any order of requests, answers and pauses: never more than five requests a second, nor
    /// more than one of a site, and the usual pace before fifty sites have answered.
    #[test]
    fn p50_no_order_of_events_exceeds_the_pace_of_edge_and_site(steps in steps(70)) {
        Judge::default().run(&steps, |_| true);
    }

    /// Of sixty sites, however they follow each other, sixteen without a mark keep the usual pace.
    #[test]
    fn p50_mixed_answers_never_make_an_edge(steps in steps(60)) {
        let mut judge = Judge::default();
        judge.run(&steps, |number| number % 15 >= 4);
        prop_assert_eq!(judge.fast, 0);
    }

    #[test]
    fn p50_fewer_than_fifty_sites_never_make_an_edge(steps in steps(49)) {
        let mut judge = Judge::default();
        judge.run(&steps, |_| true);
        prop_assert_eq!(judge.fast, 0);
    }
}

/// The steps above do reach the pace of an edge.
#[tokio::test(start_paused = true)]
async fn p50_the_judge_of_the_steps_sees_an_edge() {
    let of = |number: usize| [(number, 600, Event::Ask), (number, 10, Event::Answer)];
    let slow =
        (0..60).flat_map(|number| [of(number)[0], of(number)[1], (number, 999, Event::Answer)]);
    let fast = (0..60).map(|number| (number, 250, Event::Ask));
    let mut judge = Judge::default();
    judge.run(&slow.chain(fast).collect::<Vec<_>>(), |_| true);
    assert!(judge.fast >= 50, "{}", judge.fast);
}
