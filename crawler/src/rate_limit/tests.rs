//! Each rule on what hosts share, under a paused clock.

use super::*;
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn gate() -> Gate {
    Gate::new(Rules {
        gap: SECOND,
        own: vec!["127.0.0.0/8".parse().unwrap()],
        edges: edges("104.16.0.0/13 fast\n172.64.0.0/13 fast\n151.101.0.0/16 other").unwrap(),
    })
}

fn enter(gate: &mut Gate, text: &str) -> Entry {
    gate.enter("site.example", address(text), Instant::now())
}

/// Waits for a turn as a visit does, and says how long it took.
async fn wait(gate: &mut Gate, text: &str) -> Duration {
    let start = Instant::now();
    loop {
        match gate.turn(address(text), Instant::now()) {
            Turn::Now => return start.elapsed(),
            Turn::At(at) | Turn::After(_, at) => tokio::time::sleep_until(at).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn p19_a_request_follows_a_second_after_the_last_answer_of_its_address() {
    let mut gate = gate();
    for (first, second, gap) in [
        ("8.8.8.8", "8.8.8.8", SECOND),
        ("8.8.4.4", "8.8.4.5", Duration::ZERO),
        ("127.0.0.1", "127.0.0.1", SECOND),
        ("2a00:1:2:3::1", "2a00:1:2:3::2", SECOND),
    ] {
        assert_eq!(wait(&mut gate, first).await, Duration::ZERO, "{first}");
        tokio::time::advance(SECOND / 2).await;
        gate.answered(address(first), Instant::now());
        assert_eq!(wait(&mut gate, second).await, gap, "{first}, {second}");
    }
}

#[tokio::test(start_paused = true)]
async fn p19_a_slow_host_keeps_its_neighbours_waiting_for_ten_seconds() {
    let mut gate = gate();
    wait(&mut gate, "8.8.8.8").await;
    let turn = gate.turn(address("8.8.8.8"), Instant::now());
    let Turn::After(answered, latest) = turn else {
        panic!("{turn:?}");
    };
    assert_eq!(latest, Instant::now() + SECOND + SLOW);
    gate.answered(address("8.8.8.8"), Instant::now());
    answered.await;
    assert_eq!(wait(&mut gate, "8.8.8.8").await, SECOND);
    assert_eq!(wait(&mut gate, "8.8.8.8").await, SECOND + SLOW);
    // Two requests are in flight now: the answer to the first does not free a turn.
    gate.answered(address("8.8.8.8"), Instant::now());
    assert_eq!(wait(&mut gate, "8.8.8.8").await, SECOND + SLOW);
}

#[tokio::test(start_paused = true)]
async fn p19_an_address_has_two_visits_at_a_time() {
    let mut gate = gate();
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Full);
    gate.leave(
        "site.example",
        address("8.8.8.8"),
        Ending::Answered(None),
        Instant::now(),
    );
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
}

#[tokio::test(start_paused = true)]
async fn p19_an_edge_gets_20_requests_a_second_per_address_and_50_in_all() {
    let mut gate = gate();
    assert_eq!(wait(&mut gate, "104.16.0.1").await, Duration::ZERO);
    assert_eq!(wait(&mut gate, "104.16.0.1").await, EDGE_ADDRESS_GAP);
    assert_eq!(wait(&mut gate, "172.64.0.1").await, EDGE_GAP);
    assert_eq!(
        wait(&mut gate, "151.101.0.1").await,
        Duration::ZERO,
        "another edge"
    );
    let visits = (0..100).filter(|_| enter(&mut gate, "104.16.0.1") == Entry::Now(None));
    assert_eq!(visits.count(), 20);
}

#[tokio::test(start_paused = true)]
async fn p19_p51_the_crawlers_of_a_fleet_share_the_requests_to_an_edge() {
    let mut gate = gate();
    gate.restrict(Share::new(Slots::all(), 4));
    assert_eq!(wait(&mut gate, "104.16.0.1").await, Duration::ZERO);
    assert_eq!(wait(&mut gate, "172.64.0.1").await, 4 * EDGE_GAP);
}

#[tokio::test(start_paused = true)]
async fn p19a_zero_lifts_the_pace_of_own_addresses_only() {
    let now = Instant::now();
    let mut gate = Gate::new(Rules {
        gap: Duration::ZERO,
        ..gate().rules
    });
    for _ in 0..100 {
        assert_eq!(wait(&mut gate, "127.0.0.1").await, Duration::ZERO);
        assert_eq!(
            gate.enter("site.example", address("127.0.0.1"), now),
            Entry::Now(None)
        );
    }
    assert_eq!(
        gate.enter("site.example", address("8.8.8.8"), now),
        Entry::Now(None)
    );
    assert_eq!(
        gate.enter("site.example", address("8.8.8.8"), now),
        Entry::Now(None)
    );
    assert_eq!(
        gate.enter("site.example", address("8.8.8.8"), now),
        Entry::Full
    );
}

#[tokio::test(start_paused = true)]
async fn p20_a_network_has_four_visits_at_a_time() {
    let mut gate = gate();
    for last in 1..=4 {
        assert_eq!(enter(&mut gate, &format!("8.8.8.{last}")), Entry::Now(None));
    }
    assert_eq!(enter(&mut gate, "8.8.8.5"), Entry::Full);
    assert_eq!(enter(&mut gate, "8.8.9.5"), Entry::Now(None));
    for host in 0..4 {
        enter(&mut gate, &format!("2a00:1:2:{host}::1"));
    }
    assert_eq!(enter(&mut gate, "2a00:1:2:9::1"), Entry::Full);
    assert_eq!(enter(&mut gate, "2a00:1:3:9::1"), Entry::Now(None));
}

/// P20: a redirect to a neighbour in the network needs no second admission there.
#[tokio::test(start_paused = true)]
async fn p20_a_visit_counts_once_in_its_network() {
    let (mut gate, now) = (gate(), Instant::now());
    for last in 1..=4 {
        enter(&mut gate, &format!("8.8.8.{last}"));
    }
    let hop = address("8.8.8.9");
    assert_eq!(gate.enter_redirected(true, hop, now), Entry::Now(None));
    assert_eq!(gate.enter_redirected(true, hop, now), Entry::Now(None));
    assert_eq!(
        gate.enter_redirected(true, hop, now),
        Entry::Full,
        "two at an address"
    );
    gate.leave_redirected(true, hop);
    assert_eq!(gate.enter_redirected(true, hop, now), Entry::Now(None));
    gate.leave("site.example", address("8.8.8.1"), Ending::Unasked, now);
    assert_eq!(
        enter(&mut gate, "8.8.8.7"),
        Entry::Now(None),
        "one has left"
    );
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Full);
}

/// P16: the gap of a host holds however many sites redirect to it.
#[tokio::test(start_paused = true)]
async fn p16_a_host_that_others_lead_to_keeps_its_gap() {
    let (mut gate, now) = (gate(), Instant::now());
    let at = |gate: &mut Gate, host: &str, now| {
        // Each has an address of its own, so that only the host's limit applies.
        let last = if host == "hub.example" { 4 } else { 5 };
        match gate.host_turn(host, IpAddr::from([8, 8, 4, last]), now) {
            Turn::Now => None,
            Turn::At(at) | Turn::After(_, at) => Some(at),
        }
    };
    assert_eq!(at(&mut gate, "hub.example", now), None);
    assert_eq!(at(&mut gate, "hub.example", now), Some(now + SECOND));
    let late = now + 19 * SECOND;
    assert!(
        at(&mut gate, "hub.example", late).is_some(),
        "still unanswered"
    );
    assert_eq!(at(&mut gate, "other.example", now), None);
    gate.answered(address("8.8.4.4"), now);
    gate.host_answered("hub.example", now + SECOND, now);
    assert_eq!(at(&mut gate, "hub.example", now), Some(now + SECOND));
    assert_eq!(at(&mut gate, "hub.example", now + SECOND), None);
    for number in 0..50_000 {
        let now = now + SECOND * number / 100;
        gate.host_answered(&format!("h{number}.example"), now + SECOND, now);
    }
    assert!(gate.hosts.len() <= TIDY_FIRST, "{}", gate.hosts.len());
}

/// P24: the crawl delay that one visit reads applies to the next one, which does not know it; the
/// later of two times counts, up to one day.
#[tokio::test(start_paused = true)]
async fn p24_a_crawl_delay_applies_to_the_next_visit() {
    let (mut gate, now) = (gate(), Instant::now());
    let address = address("8.8.4.4");
    assert!(matches!(
        gate.host_turn("hub.example", address, now),
        Turn::Now
    ));
    gate.answered(address, now);
    gate.host_answered("hub.example", now + SECOND, now);
    gate.host_slowed("hub.example", 20 * SECOND, now);
    let next = now + 20 * SECOND;
    assert!(matches!(gate.host_turn("hub.example", address, now), Turn::At(at) if at == next));
    assert!(matches!(
        gate.host_turn("hub.example", address, next),
        Turn::Now
    ));
    // This visit failed to read robots.txt and would return in a second.
    gate.answered(address, next);
    gate.host_answered("hub.example", next + SECOND, next);
    let last = next + 20 * SECOND;
    assert!(matches!(gate.host_turn("hub.example", address, next), Turn::At(at) if at == last));
    gate.host_answered("hub.example", last + 60 * SECOND, last);
    gate.host_answered("hub.example", last + SECOND, last);
    let later = last + 60 * SECOND;
    assert!(matches!(gate.host_turn("hub.example", address, last), Turn::At(at) if at == later));
    gate.host_slowed("hub.example", Duration::MAX, last);
    let day = last + LONGEST_DELAY;
    assert!(matches!(gate.host_turn("hub.example", address, last), Turn::At(at) if at == day));
}

const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

#[tokio::test(start_paused = true)]
async fn p35_a_pause_blocks_its_host_for_a_day_and_its_neighbours_for_a_minute() {
    let (mut gate, now) = (gate(), Instant::now());
    let shared = address("8.8.8.8");
    gate.pause_host("tired.example", 9 * DAY, now);
    assert_eq!(
        gate.pause_address("tired.example", shared, DAY, now),
        Some(MINUTE)
    );
    let until = now + MINUTE;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::NotBefore(until));
    let turn = gate.turn(shared, now);
    assert!(matches!(turn, Turn::At(at) if at == until), "{turn:?}");
    tokio::time::advance(MINUTE).await;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    let now = Instant::now();
    assert!(matches!(
        gate.host_turn("other.example", shared, now),
        Turn::Now
    ));
    let day = until - MINUTE + DAY;
    assert!(matches!(gate.host_turn("tired.example", shared, now), Turn::At(at) if at == day));
    assert_eq!(gate.host_paused_until("tired.example", now), Some(day));
    assert_eq!(gate.host_paused_until("tired.example", day), None);
}

/// P35: only requests for a pause by three sites stop an address for longer, and only while no
/// other site there is answered.
#[tokio::test(start_paused = true)]
async fn p35_one_tenant_cannot_stop_its_address_for_long() {
    let (mut gate, now) = (gate(), Instant::now());
    let shared = address("8.8.8.8");
    for _ in 0..500 {
        gate.pause_address("farm.example", shared, DAY, now);
    }
    gate.pause_address("other.example", shared, DAY, now);
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::NotBefore(now + MINUTE));
    let third = gate.pause_address("third.example", shared, DAY, now);
    assert_eq!(third, Some(2 * MINUTE));
    gate.answered_well("honest.example", shared);
    let next = gate.pause_address("fourth.example", shared, DAY, now);
    assert_eq!(next, Some(MINUTE));
}

/// P35, P19: thousands of sites share the address of an edge, which never pauses for one of them.
#[tokio::test(start_paused = true)]
async fn p35_a_shared_edge_never_pauses() {
    let (mut gate, now) = (gate(), Instant::now());
    let edge = address("104.16.0.1");
    for number in 0..10 {
        let site = format!("site{number}.example");
        assert_eq!(gate.pause_address(&site, edge, DAY, now), None);
    }
    gate.block(edge, DAY, now);
    assert_eq!(enter(&mut gate, "104.16.0.1"), Entry::Now(None));
    // A stored block of any other address is limited to an hour.
    gate.block(address("8.8.8.8"), DAY, now);
    let until = now + 60 * MINUTE;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::NotBefore(until));
}

#[tokio::test(start_paused = true)]
async fn p38_a_failing_machine_is_paused_and_then_visited_less() {
    let mut gate = gate();
    for visit in 0..20 {
        assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
        let ending = if visit % 2 == 0 {
            Ending::Answered(None)
        } else {
            Ending::Failed
        };
        gate.leave("site.example", address("8.8.8.8"), ending, Instant::now());
    }
    let until = Instant::now() + PAUSE;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::NotBefore(until));
    assert_eq!(
        enter(&mut gate, "8.8.8.9"),
        Entry::Now(None),
        "one machine is not its network"
    );
    tokio::time::advance(PAUSE).await;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Full, "half as many");
    let now = Instant::now();
    gate.leave("site.example", address("8.8.8.8"), Ending::Unasked, now);
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
}

/// P38: a network is unhealthy if machines of it fail that answered before; names can point at
/// empty addresses.
#[tokio::test(start_paused = true)]
async fn p38_a_network_is_paused_when_its_machines_fail() {
    for is_known in [true, false] {
        let (mut gate, now) = (gate(), Instant::now());
        let mut leave = |last: u8, ending| {
            let there = address(&format!("8.8.8.{last}"));
            gate.leave("site.example", there, ending, now);
        };
        for last in (1..=5).filter(|_| is_known) {
            leave(last, Ending::Answered(None));
        }
        for turn in 0..20 {
            leave(1 + turn % 5, Ending::Failed);
        }
        let neighbour = if is_known {
            Entry::NotBefore(now + PAUSE)
        } else {
            Entry::Now(None)
        };
        assert_eq!(enter(&mut gate, "8.8.8.99"), neighbour);
        assert_eq!(enter(&mut gate, "8.8.9.9"), Entry::Now(None));
    }
}

/// P38: failures that are specific to the name do not count.
#[tokio::test(start_paused = true)]
async fn p38_unknown_names_at_a_server_stop_no_other_site() {
    let (mut gate, now) = (gate(), Instant::now());
    for _ in 0..100 {
        gate.enter("hostile.example", address("8.8.8.8"), now);
        gate.leave("hostile.example", address("8.8.8.8"), Ending::Unasked, now);
    }
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
}

#[tokio::test(start_paused = true)]
async fn p12_the_twenty_first_parked_domain_has_an_expected_fingerprint() {
    let mut gate = gate();
    let parked = Fingerprint {
        robots: 7,
        outcome: store::Outcome::Empty,
        answer: 9,
    };
    for there in ["8.8.8.8", "104.16.0.1"] {
        for number in 0..20 {
            let site = format!("parked{number}.example");
            let now = Instant::now();
            assert_eq!(gate.enter(&site, address(there), now), Entry::Now(None));
            let ending = Ending::Answered(Some(parked));
            gate.leave(&site, address(there), ending, now);
        }
    }
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(Some(parked)));
    assert_eq!(enter(&mut gate, "8.8.8.9"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "104.16.0.1"), Entry::Now(None), "an edge");
}

/// P12: a stranger's wildcard at a shared address parks nothing for the other sites there.
#[tokio::test(start_paused = true)]
async fn p12_many_names_of_one_site_make_no_other_site_parked() {
    let (mut gate, now) = (gate(), Instant::now());
    let look = Fingerprint {
        robots: 7,
        outcome: store::Outcome::Empty,
        answer: 9,
    };
    for _ in 0..200 {
        let ending = Ending::Answered(Some(look));
        gate.leave("hostile.example", address("8.8.8.8"), ending, now);
    }
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    let own = gate.enter("hostile.example", address("8.8.8.8"), now);
    assert_eq!(own, Entry::Now(Some(look)));
}

#[tokio::test(start_paused = true)]
async fn only_expired_limits_are_evicted() {
    let mut gate = gate();
    gate.block(address("9.9.9.9"), DAY, Instant::now());
    for number in 0..50_000_u32 {
        let host = IpAddr::from((0x0B00_0000 + number * 7).to_be_bytes());
        gate.enter("site.example", host, Instant::now());
        gate.turn(host, Instant::now());
        gate.answered(host, Instant::now());
        gate.leave("site.example", host, Ending::Answered(None), Instant::now());
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    assert!(gate.len() <= TIDY_FIRST, "{}", gate.len());
    assert!(matches!(enter(&mut gate, "9.9.9.9"), Entry::NotBefore(_)));
}

#[tokio::test(start_paused = true)]
async fn histories_are_kept_up_to_their_number() {
    let mut gate = gate();
    for number in 0..150_000_u32 {
        let host = IpAddr::from((0x0B00_0000 + (number << 8)).to_be_bytes());
        gate.enter("site.example", host, Instant::now());
        gate.leave("site.example", host, Ending::Failed, Instant::now());
    }
    // Their addresses and networks together, until the next eviction.
    assert!(gate.len() <= 2 * MAX_HISTORIES, "{}", gate.len());
    assert!(gate.len() > MAX_HISTORIES / 2, "{}", gate.len());
}

proptest! {
    /// In any order of events, requests to one address keep their gap to the last answer.
    #[test]
    fn requests_to_one_address_keep_their_gap(steps in prop::collection::vec((0_u64..1_500, any::<bool>()), 1..60)) {
        let mut gate = gate();
        let mut now = Instant::now();
        let (mut asked, mut answered) = (None::<Instant>, None::<Instant>);
        for (wait, is_answer) in steps {
            now += Duration::from_millis(wait);
            if is_answer && asked.is_some() {
                gate.answered(address("8.8.4.4"), now);
                (asked, answered) = (None, Some(now));
            } else if let Turn::Now = gate.turn(address("8.8.4.4"), now) {
                prop_assert!(answered.is_none_or(|answered| now >= answered + SECOND));
                prop_assert!(asked.is_none_or(|asked| now >= asked + SECOND + SLOW));
                asked = Some(now);
            }
        }
    }
}
