//! The time limits in each state of a connection.

use super::*;
use std::time::Duration;

fn limits() -> Limits {
    Limits {
        first_byte: Duration::from_secs(1),
        head: Duration::from_secs(2),
        idle: Duration::from_secs(4),
        stall: Duration::from_secs(8),
        ..Limits::within(None).unwrap()
    }
}

fn new(now: Instant) -> State {
    State::new(now, limits().stall)
}

/// Returns the client's deadline in seconds after `start`.
fn deadline(state: &State, start: Instant) -> Option<u64> {
    let deadline = state.deadline(&limits());
    deadline.map(|it| it.duration_since(start).as_secs())
}

fn after(start: Instant, seconds: u64) -> Instant {
    start + Duration::from_secs(seconds)
}

#[test]
fn a_client_has_time_for_its_first_byte_then_for_a_head_then_for_the_next_request() {
    let start = Instant::now();
    let mut state = new(start);
    assert_eq!(deadline(&state, start), Some(1));
    state.heard(after(start, 10));
    assert_eq!(deadline(&state, start), Some(12));
    // Sending single bytes gains no time.
    state.heard(after(start, 11));
    assert_eq!(deadline(&state, start), Some(12));
    let number = state.asked(false);
    assert_eq!(deadline(&state, start), None);
    assert_eq!(state.waits_since(), None);
    state.over(number, true, after(start, 20));
    assert_eq!(deadline(&state, start), Some(24));
    assert_eq!(state.waits_since(), Some(after(start, 20)));
    state.heard(after(start, 21));
    assert_eq!(deadline(&state, start), Some(23));
}

#[test]
fn bytes_of_no_request_gain_no_time_over_http2() {
    let start = Instant::now();
    let mut state = new(start);
    state.heard(start);
    assert_eq!(deadline(&state, start), Some(2));
    let first = state.asked(true);
    let second = state.asked(true);
    state.over(second, true, after(start, 10));
    assert_eq!(deadline(&state, start), None);
    state.over(first, true, after(start, 20));
    state.heard(after(start, 23));
    assert_eq!(deadline(&state, start), Some(24));
}

#[test]
fn the_stall_limit_applies_to_a_client_that_reads_nothing_but_not_to_a_quiet_event_stream() {
    let start = Instant::now();
    let mut state = new(start);
    let number = state.asked(false);
    let answer = Part::Answer(number);
    state.waits_for(answer, after(start, 1));
    assert_eq!(deadline(&state, start), Some(9));
    assert_eq!(state.waits_since(), Some(after(start, 1)));
    // It read everything, and waits for the next event.
    state.moved(answer, 0, after(start, 1));
    assert_eq!(deadline(&state, start), None);
    assert_eq!(state.waits_since(), None);
    state.wrote(None, after(start, 3));
    assert_eq!(deadline(&state, start), Some(11));
}

#[test]
fn an_unread_response_counts_even_if_others_are_read() {
    let start = Instant::now();
    let mut state = new(start);
    let (slow, quick) = (state.asked(true), state.asked(true));
    state.waits_for(Part::Answer(slow), start);
    state.waits_for(Part::Answer(quick), after(start, 7));
    state.over(quick, true, after(start, 7));
    assert_eq!(deadline(&state, start), Some(8));
    state.over(slow, true, after(start, 7));
    assert_eq!(deadline(&state, start), Some(11));
}

#[test]
fn canceled_requests_are_allowed_as_long_as_others_are_answered() {
    let start = Instant::now();
    let mut state = new(start);
    for _ in 0..10 * ABANDONED {
        for is_answered in [false, true] {
            let number = state.asked(true);
            state.over(number, is_answered, start);
        }
    }
    assert_eq!(deadline(&state, start), Some(4));
    let waiting = state.asked(true);
    for _ in 0..=ABANDONED {
        assert_eq!(deadline(&state, start), None);
        let number = state.asked(true);
        state.over(number, false, start);
    }
    assert_eq!(deadline(&state, start), Some(0));
    state.over(waiting, true, start);
}

#[test]
fn each_period_in_which_a_client_is_waited_for_needs_its_bytes() {
    let start = Instant::now();
    let mut state = new(start);
    state.asked(false);
    state.wrote(None, start);
    assert_eq!(deadline(&state, start), Some(8));
    // The seconds in which the server has to act do not count.
    state.wrote(Some(7_999), after(start, 5));
    assert_eq!(deadline(&state, start), None);
    state.wrote(None, after(start, 100));
    assert_eq!(deadline(&state, start), Some(103));
    // Nine kilobytes in nine seconds are enough, and the next period needs bytes of its own.
    state.wrote(Some(1_001), after(start, 102));
    state.wrote(None, after(start, 102));
    assert_eq!(deadline(&state, start), Some(110));
    state.wrote(Some(10), after(start, 104));
    state.wrote(None, after(start, 104));
    assert_eq!(deadline(&state, start), Some(112));
    // Bytes that come when the period is over do not count for it.
    state.wrote(Some(10_000), after(start, 112));
    assert_eq!(deadline(&state, start), Some(112));
}

#[test]
fn over_http2_each_response_is_read_at_its_own_pace() {
    let start = Instant::now();
    let mut state = new(start);
    let (slow, quick) = (state.asked(true), state.asked(true));
    for number in [slow, quick] {
        state.waits_for(Part::Answer(number), start);
    }
    for second in 1..8 {
        let at = after(start, second);
        state.wrote(Some(10_000), at);
        state.moved(Part::Answer(quick), 9_000, at);
        state.moved(Part::Answer(slow), 900, at);
        state.waits_for(Part::Answer(slow), at);
    }
    assert_eq!(deadline(&state, start), Some(8));
}
