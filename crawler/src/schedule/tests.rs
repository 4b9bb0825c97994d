//! Tests of the next visit, by outcome.

use super::*;
use manifest::Domain;
use proptest::prelude::*;

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

fn lease(last_outcome: Option<Outcome>, interval_ms: Option<u64>, fails: u32) -> Lease {
    Lease {
        fails,
        interval_ms,
        last_outcome,
        ..Lease::first(1, Domain::parse("shop.example").unwrap(), 1)
    }
}

fn finished(outcome: Outcome) -> VisitResult {
    VisitResult {
        outcome,
        contact: Contact::Connected,
        changed: false,
        retry_after: None,
        resume_after: None,
        refused_with: None,
        max_age: None,
        rotation: 3,
        is_parked: false,
        doubt: None,
        is_erring: false,
        remainder: Remainder::default(),
    }
}

/// Returns the interval in milliseconds with medium jitter.
fn wait(finished: &VisitResult, lease: &Lease) -> u64 {
    let next = next(finished, lease, Timestamp(0), 0.5);
    assert_eq!(next.rotation, 3);
    assert!(next.not_before <= next.due);
    u64::try_from(next.due.0).unwrap()
}

/// Any number of rechecks leaves the scheduled visits of a site as frequent as they were.
#[test]
fn p47_rechecks_do_not_lengthen_the_interval() {
    for outcome in Outcome::ALL {
        let interval = match outcome {
            Outcome::Found => 7 * DAY,
            _ => 30 * DAY,
        };
        let mut site = Lease {
            requests_left: Some(6),
            ..lease(Some(outcome), Some(interval), 1)
        };
        let first = wait(&finished(outcome), &site);
        for _ in 0..20 {
            let next = next(&finished(outcome), &site, Timestamp(0), 0.5);
            site.fails = next.fails;
            site.interval_ms = next.interval_ms;
        }
        let last = wait(&finished(outcome), &site);
        match outcome {
            // The host asks for pauses, and gets longer ones.
            Outcome::Throttled => assert!(last > first && site.fails > 1),
            _ => assert!(
                last <= first.max(interval),
                "{outcome:?}: {first} to {last}"
            ),
        }
    }
}

/// P35: `Retry-After` is obeyed under a long crawl delay as well, which would permit an earlier
/// visit.
#[test]
fn p35_a_crawl_delay_does_not_shorten_a_pause() {
    let finished = VisitResult {
        retry_after: Some(Duration::from_hours(2)),
        resume_after: Some(Duration::from_secs(40)),
        ..finished(Outcome::Throttled)
    };
    let next = next(&finished, &lease(None, None, 0), Timestamp(0), 0.5);
    assert_eq!(next.not_before, Timestamp(0).after(Duration::from_hours(2)));
    assert_eq!(next.due, next.not_before);
}

#[test]
fn each_outcome_has_its_first_interval() {
    for (outcome, expected) in [
        (Outcome::Found, 7 * DAY),
        (Outcome::Empty, 30 * DAY),
        (Outcome::Budget, 30 * DAY),
        (Outcome::Soft404, 60 * DAY),
        (Outcome::RobotsDisallow, 30 * DAY),
        (Outcome::OptedOut, 30 * DAY),
        (Outcome::Blocked, 7 * DAY),
        (Outcome::LoginRequired, 7 * DAY),
        (Outcome::PaymentRequired, 7 * DAY),
        (Outcome::Refused, 7 * DAY),
        (Outcome::Challenged, 60 * DAY),
        (Outcome::RateLimited, HOUR),
        (Outcome::Throttled, HOUR),
        (Outcome::Down, HOUR),
        (Outcome::DnsError, HOUR),
        (Outcome::TlsError, HOUR),
        (Outcome::Timeout, HOUR),
        (Outcome::TooLarge, HOUR),
        (Outcome::ProtocolError, HOUR),
        (Outcome::BlockedAddress, 30 * DAY),
        (Outcome::RedirectRefused, 30 * DAY),
    ] {
        let waited = wait(&finished(outcome), &lease(None, None, 0));
        assert_eq!(waited, expected, "{outcome:?}");
    }
}

/// P49: refusals of paths have names of their own, but the schedule of their statuses.
#[test]
fn p49_a_refusal_of_a_path_is_scheduled_by_its_status() {
    let rows = [
        (Outcome::LoginRequired, 401, Outcome::Blocked),
        (Outcome::PaymentRequired, 402, Outcome::Blocked),
        (Outcome::Refused, 403, Outcome::Blocked),
        (Outcome::RateLimited, 429, Outcome::Throttled),
        (Outcome::Challenged, 403, Outcome::Blocked),
        (Outcome::Challenged, 429, Outcome::Throttled),
        (Outcome::Challenged, 503, Outcome::Throttled),
        (Outcome::Challenged, 202, Outcome::Soft404),
        (Outcome::Challenged, 405, Outcome::Soft404),
    ];
    for (outcome, status, like) in rows {
        for fails in 0..5 {
            let refused = VisitResult {
                refused_with: Some(status),
                ..finished(outcome)
            };
            let lease = lease(None, None, fails);
            let due = |result| next(result, &lease, Timestamp(0), 0.5);
            assert_eq!(due(&refused), due(&finished(like)), "{outcome:?} {status}");
        }
    }
}

#[test]
fn p30_failures_increase_the_interval() {
    let ladders: [(Contact, &[u64]); 3] = [
        (
            Contact::NoName,
            &[7 * DAY, 30 * DAY, 90 * DAY, 180 * DAY, 180 * DAY],
        ),
        (
            Contact::NoConnection,
            &[DAY, 2 * DAY, 4 * DAY, 8 * DAY, 16 * DAY, 30 * DAY, 30 * DAY],
        ),
        (Contact::Connected, &[HOUR, 6 * HOUR, DAY, DAY]),
    ];
    for (contact, waits) in ladders {
        for (fails, expected) in (0..).zip(waits) {
            let finished = VisitResult {
                contact,
                ..finished(Outcome::Down)
            };
            let waited = wait(&finished, &lease(Some(Outcome::Down), None, fails));
            assert_eq!(waited, *expected, "{contact:?} {fails}");
        }
    }
    assert_eq!(
        wait(&finished(Outcome::Down), &lease(None, None, 11)),
        7 * DAY
    );
    assert_eq!(
        wait(&finished(Outcome::Down), &lease(None, None, 500)),
        30 * DAY
    );
    assert_eq!(
        wait(&finished(Outcome::Blocked), &lease(None, None, 1)),
        30 * DAY
    );
}

#[test]
fn p39_an_empty_site_is_visited_ever_less_often() {
    let mut interval = None;
    let mut waits = Vec::new();
    for _ in 0..5 {
        let last = interval.map(|_| Outcome::Empty);
        let next = next(
            &finished(Outcome::Empty),
            &lease(last, interval, 0),
            Timestamp(0),
            0.5,
        );
        interval = next.interval_ms;
        waits.push(interval.unwrap() / DAY);
    }
    assert_eq!(waits, [30, 45, 67, 90, 90]);
}

#[test]
fn p40_manifests_are_visited_as_often_as_they_change() {
    let known = |days: u64| lease(Some(Outcome::Found), Some(days * DAY), 0);
    let changed = VisitResult {
        changed: true,
        ..finished(Outcome::Found)
    };
    assert_eq!(wait(&finished(Outcome::Found), &known(10)), 14 * DAY);
    assert_eq!(wait(&finished(Outcome::Found), &known(29)), 30 * DAY);
    assert_eq!(wait(&changed, &known(10)), 8 * DAY);
    assert_eq!(wait(&changed, &known(1)), DAY);
    let cached = VisitResult {
        max_age: Some(days(400)),
        ..changed
    };
    assert_eq!(wait(&cached, &known(10)), 30 * DAY);
}

#[test]
fn p40_a_missing_document_is_requested_again_a_day_later() {
    let before = lease(Some(Outcome::Found), Some(9 * DAY), 0);
    let doubtful = VisitResult {
        doubt: Some(Doubt::Missing),
        ..finished(Outcome::Empty)
    };
    // Whatever the jitter, at least a day lies between the two.
    for jitter in [0.0, 1.0] {
        let due = next(&doubtful, &before, Timestamp(0), jitter).due;
        assert!((24..=30).contains(&(due.0 / 3_600_000)), "{due:?}");
    }
    assert_eq!(wait(&finished(Outcome::Empty), &before), 30 * DAY);
}

/// P40: an inconclusive answer proves nothing, and no site is visited daily for ever.
#[test]
fn p40_an_inconclusive_document_is_requested_again_and_ever_less_often() {
    for outcome in [Outcome::Empty, Outcome::Found, Outcome::Soft404] {
        let dark = VisitResult {
            doubt: Some(Doubt::Inconclusive),
            ..finished(outcome)
        };
        for (fails, expected) in [(0, 27 * HOUR), (8, 27 * HOUR), (9, 7 * DAY), (13, 30 * DAY)] {
            let before = lease(Some(Outcome::Empty), Some(27 * HOUR), fails);
            assert_eq!(wait(&dark, &before), expected, "{outcome:?} {fails}");
            let next = next(&dark, &before, Timestamp(0), 0.5);
            assert_eq!(next.fails, fails + 1);
        }
    }
}

#[test]
fn p36_a_server_error_counts_as_a_failure_unless_a_manifest_was_found() {
    for (outcome, fails) in [
        (Outcome::Empty, 3),
        (Outcome::Soft404, 3),
        (Outcome::Found, 0),
    ] {
        let erring = VisitResult {
            is_erring: true,
            ..finished(outcome)
        };
        let before = lease(None, None, 2);
        assert_eq!(next(&erring, &before, Timestamp(0), 0.5).fails, fails);
        assert_eq!(wait(&erring, &before), wait(&finished(outcome), &before));
    }
}

#[test]
fn p35_retry_after_is_obeyed_up_to_a_day() {
    for (seconds, expected) in [(0, 60), (90, 90), (7200, 7200), (u64::MAX, 86_400)] {
        let finished = VisitResult {
            retry_after: Some(Duration::from_secs(seconds)),
            ..finished(Outcome::Throttled)
        };
        let next = next(&finished, &lease(None, None, 0), Timestamp(0), 0.0);
        assert_eq!(next.not_before, Timestamp(expected * 1000), "{seconds}");
        assert_eq!(next.due, next.not_before);
    }
    let next = next(
        &finished(Outcome::Throttled),
        &lease(None, None, 2),
        Timestamp(0),
        0.5,
    );
    assert_eq!(next.not_before, Timestamp(240_000));
}

#[test]
fn a_long_crawl_delay_sets_the_time() {
    let finished = VisitResult {
        resume_after: Some(Duration::from_mins(10)),
        ..finished(Outcome::Budget)
    };
    let next = next(&finished, &lease(None, Some(DAY), 0), Timestamp(5), 0.0);
    assert_eq!(next.due, Timestamp(600_005));
    assert_eq!(next.not_before, next.due);
    assert_eq!(next.interval_ms, Some(DAY));
}

#[test]
fn hs_100_due_times_follow_a_clock_that_jumps_and_stay_within_the_calendar() {
    const NOON: i64 = 1_800_000_000_000;
    let throttled = VisitResult {
        retry_after: Some(Duration::from_hours(2)),
        ..finished(Outcome::Throttled)
    };
    for finished in [finished(Outcome::Found), finished(Outcome::Down), throttled] {
        let at = |now| next(&finished, &lease(None, None, 0), Timestamp(now), 0.5);
        let wait = at(NOON).due.0 - NOON;
        for jump in [-3_600_000, 3_600_000] {
            let after = at(NOON + jump);
            assert_eq!(after.due.0 - (NOON + jump), wait, "{finished:?}");
            assert!(after.not_before <= after.due);
        }
        assert_eq!(at(i64::MAX).due, Timestamp(i64::MAX), "the end of time");
        assert_eq!(at(i64::MIN).due.0, i64::MIN + wait);
    }
}

/// P37, P41: a postponed visit costs its site ever fewer requests, and finally counts as a failure.
#[test]
fn p37_postponements_double_and_then_count_as_a_failure() {
    let pause = Duration::from_secs(30);
    for (asked, first) in [
        (VisitStage::Robots, ROBOTS_AGAIN),
        (VisitStage::Paths, PATHS_AGAIN),
    ] {
        for fails in 0..MAX_POSTPONEMENTS {
            let least = first * (1 << fails);
            assert_eq!(postponement(pause, asked, fails, 0.0), Some(least));
            assert_eq!(postponement(pause, asked, fails, 1.0), Some(least * 3 / 2));
        }
        assert_eq!(postponement(pause, asked, MAX_POSTPONEMENTS, 0.5), None);
        assert_eq!(postponement(pause, asked, u32::MAX, 0.5), None);
        let long = Duration::from_hours(30);
        assert_eq!(postponement(long, asked, 0, 0.0), Some(LONGEST_PAUSE));
    }
    assert_eq!(
        postponement(pause, VisitStage::Nothing, 9, 0.0),
        Some(pause)
    );
}

proptest! {
    #[test]
    fn waits_never_shrink_while_a_host_fails(
        position in 0_usize..Outcome::ALL.len(),
        fails in 0_u32..40,
        contact in prop::sample::select(vec![
            Contact::NoName, Contact::NoAnswer, Contact::NoConnection, Contact::Connected,
        ]),
    ) {
        let outcome = Outcome::ALL[position];
        prop_assume!(outcome.is_failure());
        let finished = VisitResult { contact, ..finished(outcome) };
        let earlier = wait(&finished, &lease(Some(outcome), None, fails));
        let later = wait(&finished, &lease(Some(outcome), None, fails + 1));
        prop_assert!(earlier <= later);
    }

    #[test]
    fn p41_jitter_moves_a_visit_by_at_most_a_tenth(
        position in 0_usize..Outcome::ALL.len(),
        last in prop::option::of(0_usize..Outcome::ALL.len()),
        fails: u32,
        interval: Option<u64>,
        retry_after in prop::option::of(any::<u64>()),
        max_age in prop::option::of(any::<u64>()),
        jitter: f64,
    ) {
        let lease = lease(last.map(|last| Outcome::ALL[last]), interval, fails);
        let finished = VisitResult {
            retry_after: retry_after.map(Duration::from_secs),
            max_age: max_age.map(Duration::from_secs),
            ..finished(Outcome::ALL[position])
        };
        let middle = next(&finished, &lease, Timestamp(0), 0.5).due.0;
        let moved = next(&finished, &lease, Timestamp(0), jitter).due.0;
        prop_assert!(moved * 10 >= middle * 9 - 10 && moved * 10 <= middle * 11 + 10);
        prop_assert!((60_000..=200 * 86_400_000).contains(&moved));
    }
}

/// P36: unanswered paths are requested within a day, then at the intervals of a host that is down
/// (P30).
#[test]
fn p36_unanswered_paths_are_requested_within_a_day() {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let failed = VisitResult {
        is_erring: true,
        remainder: Remainder {
            unanswered: vec!["/agents.json".to_owned()],
            ..Remainder::default()
        },
        ..finished(Outcome::Down)
    };
    for jitter in [0.0, 0.5, 1.0] {
        let next = next(&failed, &lease(None, None, 0), Timestamp(0), jitter);
        assert!(next.due.0 <= i64::try_from(DAY).unwrap(), "{jitter}");
        assert_eq!(next.unanswered, failed.remainder.unanswered);
        assert_eq!(next.fails, 1);
    }
    let waits = [1, 2, 3, 4, 9].map(|fails| wait(&failed, &lease(None, None, fails)) / DAY);
    assert_eq!(waits, [2, 4, 8, 16, 30]);
    let progress = VisitResult {
        remainder: Remainder {
            has_progress: true,
            ..failed.remainder.clone()
        },
        ..failed
    };
    assert!(wait(&progress, &lease(None, None, 4)) < DAY);
    let budget = VisitResult {
        remainder: Remainder {
            unanswered: vec!["/agents.json".to_owned()],
            ..Remainder::default()
        },
        ..finished(Outcome::Budget)
    };
    assert!(wait(&budget, &lease(None, None, 0)) < DAY);
}

/// P9, P40: named documents are requested a few per day, and then the site as rarely as before.
#[test]
fn p09_a_site_that_names_more_documents_is_visited_after_a_day() {
    let lease = lease(Some(Outcome::Found), Some(10 * 24 * 60 * 60 * 1000), 0);
    let more = VisitResult {
        remainder: Remainder {
            has_more: true,
            ..Remainder::default()
        },
        ..finished(Outcome::Found)
    };
    let next = next(&more, &lease, Timestamp(0), 0.5);
    assert_eq!(next.due, Timestamp(0).after(Duration::from_hours(24)));
    assert_eq!(next.interval_ms, Some(14 * 24 * 60 * 60 * 1000));
}
