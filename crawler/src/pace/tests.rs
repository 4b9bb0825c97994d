//! Each rule on what hosts share, under a paused clock.

use super::*;
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(30);

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
    gate.enter(address(text), Instant::now())
}

#[tokio::test(start_paused = true)]
async fn p19_two_requests_to_one_address_are_a_second_apart() {
    let (mut gate, now) = (gate(), Instant::now());
    let mut turn = |text: &str| gate.turn(address(text), now, PATIENCE);
    assert_eq!(turn("8.8.8.8"), Ok(now));
    assert_eq!(turn("8.8.8.8"), Ok(now + SECOND));
    assert_eq!(turn("8.8.8.9"), Ok(now), "another machine");
    assert_eq!(turn("127.0.0.1"), Ok(now));
    assert_eq!(turn("127.0.0.1"), Ok(now + SECOND), "not lifted");
    assert_eq!(turn("2a00:1:2:3::1"), Ok(now));
    assert_eq!(turn("2a00:1:2:3::2"), Ok(now + SECOND), "one /64");
}

#[tokio::test(start_paused = true)]
async fn p19_an_address_has_two_visits_at_a_time() {
    let mut gate = gate();
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Full);
    gate.leave(address("8.8.8.8"), Ending::Answered(None), Instant::now());
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
}

#[tokio::test(start_paused = true)]
async fn p19_an_edge_is_asked_20_times_a_second_an_address_and_50_in_all() {
    let (mut gate, now) = (gate(), Instant::now());
    let mut turn = |text: &str| gate.turn(address(text), now, PATIENCE).unwrap() - now;
    assert_eq!(turn("104.16.0.1"), Duration::ZERO);
    assert_eq!(turn("104.16.0.1"), EDGE_ADDRESS_GAP);
    assert_eq!(turn("172.64.0.1"), EDGE_ADDRESS_GAP + EDGE_GAP);
    assert_eq!(turn("151.101.0.1"), Duration::ZERO, "another edge");
    let visits = (0..100).filter(|_| enter(&mut gate, "104.16.0.1") == Entry::Now(None));
    assert_eq!(visits.count(), 20);
}

#[tokio::test(start_paused = true)]
async fn p19a_zero_lifts_the_pace_of_own_addresses_only() {
    let now = Instant::now();
    let mut gate = Gate::new(Rules {
        gap: Duration::ZERO,
        ..gate().rules
    });
    for _ in 0..100 {
        assert_eq!(gate.turn(address("127.0.0.1"), now, PATIENCE), Ok(now));
        assert_eq!(gate.enter(address("127.0.0.1"), now), Entry::Now(None));
    }
    assert_eq!(gate.enter(address("8.8.8.8"), now), Entry::Now(None));
    assert_eq!(gate.enter(address("8.8.8.8"), now), Entry::Now(None));
    assert_eq!(gate.enter(address("8.8.8.8"), now), Entry::Full);
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

#[tokio::test(start_paused = true)]
async fn p35_a_plea_holds_for_every_host_of_the_address() {
    let (mut gate, now) = (gate(), Instant::now());
    let plea = 2 * 60 * SECOND;
    gate.block(address("8.8.8.8"), plea, now);
    gate.block(address("8.8.8.8"), SECOND, now);
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::NotBefore(now + plea));
    let turn = gate.turn(address("8.8.8.8"), now, PATIENCE);
    assert_eq!(turn, Err(now + plea));
    tokio::time::advance(plea).await;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    gate.block(address("8.8.8.9"), 1_000 * LONGEST_BLOCK, now);
    assert_eq!(
        enter(&mut gate, "8.8.8.9"),
        Entry::NotBefore(now + LONGEST_BLOCK)
    );
}

#[tokio::test(start_paused = true)]
async fn p38_a_machine_that_fails_is_left_alone_and_then_asked_less() {
    let mut gate = gate();
    for visit in 0..20 {
        assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
        let ending = if visit % 2 == 0 {
            Ending::Answered(None)
        } else {
            Ending::Failed
        };
        gate.leave(address("8.8.8.8"), ending, Instant::now());
    }
    let until = Instant::now() + PAUSE;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::NotBefore(until));
    assert_eq!(
        enter(&mut gate, "8.8.8.9"),
        Entry::NotBefore(until),
        "its network"
    );
    assert_eq!(enter(&mut gate, "8.8.9.9"), Entry::Now(None));
    tokio::time::advance(PAUSE).await;
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Full, "half as many");
    gate.leave(address("8.8.8.8"), Ending::Unasked, Instant::now());
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
}

#[tokio::test(start_paused = true)]
async fn p12_the_twenty_first_parked_domain_is_expected_to_look_alike() {
    let mut gate = gate();
    let parked = Fingerprint {
        robots: 7,
        outcome: store::Outcome::Empty,
        answer: 9,
    };
    for _ in 0..20 {
        assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(None));
        gate.leave(
            address("8.8.8.8"),
            Ending::Answered(Some(parked)),
            Instant::now(),
        );
    }
    assert_eq!(enter(&mut gate, "8.8.8.8"), Entry::Now(Some(parked)));
    assert_eq!(enter(&mut gate, "8.8.8.9"), Entry::Now(None));
}

#[tokio::test(start_paused = true)]
async fn what_binds_nobody_is_forgotten_and_nothing_else() {
    let mut gate = gate();
    gate.block(address("9.9.9.9"), LONGEST_BLOCK, Instant::now());
    for number in 0..50_000_u32 {
        let host = IpAddr::from((0x0B00_0000 + number * 7).to_be_bytes());
        gate.enter(host, Instant::now());
        let _ = gate.turn(host, Instant::now(), PATIENCE);
        gate.leave(host, Ending::Answered(None), Instant::now());
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    assert!(gate.len() <= TIDY_FIRST, "{}", gate.len());
    assert!(matches!(enter(&mut gate, "9.9.9.9"), Entry::NotBefore(_)));
}

proptest! {
    /// Whatever comes in whatever order, requests to one address keep their gap.
    #[test]
    fn turns_of_one_address_never_come_closer(waits in prop::collection::vec(0_u64..1_500, 1..60)) {
        let mut gate = gate();
        let mut now = Instant::now();
        let mut last: Option<Instant> = None;
        for wait in waits {
            now += Duration::from_millis(wait);
            if let Ok(at) = gate.turn(address("8.8.4.4"), now, PATIENCE) {
                prop_assert!(at >= now && at <= now + PATIENCE);
                prop_assert!(last.is_none_or(|last| at >= last + SECOND));
                last = Some(at);
            }
        }
    }
}
