//! Detection of an outage of this machine's own connection (P38): pure in `now`.

use std::time::Duration;
use tokio::time::Instant;

/// Length of a counting period.
const WINDOW: Duration = Duration::from_mins(1);
/// Minimum number of visits in a significant count.
const FEWEST: u32 = 50;
/// Number of consecutive failures that count as an outage.
const IN_A_ROW: u32 = 20;

/// State of the own connection according to the last visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Hosts answer.
    Up,
    /// This visit got no answer, and no other visit has got one since: the connection may be down.
    Doubtful,
    /// The connection is down.
    Down,
}

/// Result of a visit with regard to the own connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// There was an answer, even if the name does not exist or the connection was refused.
    Reached,
    /// There was no answer, neither from a name server nor from the host.
    Silence,
    /// No request was sent, because file descriptors ran out or a rule permitted none; this says nothing
    /// about the connection.
    Unasked,
}

/// Counts of the current minute and of the previous one.
#[derive(Debug)]
pub struct Uplink {
    current: Count,
    previous: Count,
    in_a_row: u32,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    since: Instant,
    visits: u32,
    silent: u32,
}

impl Count {
    fn new(since: Instant) -> Self {
        Self {
            since,
            visits: 0,
            silent: 0,
        }
    }
}

impl Uplink {
    /// Returns a state without visits.
    pub fn new(now: Instant) -> Self {
        Self {
            current: Count::new(now),
            previous: Count::new(now),
            in_a_row: 0,
        }
    }

    /// Records the result of a visit and returns the state.
    pub fn note(&mut self, reach: Reach, now: Instant) -> ConnectionState {
        if now - self.current.since >= WINDOW {
            self.previous = self.current;
            self.current = Count::new(now);
        }
        self.current.visits = self.current.visits.saturating_add(1);
        match reach {
            Reach::Reached => self.in_a_row = 0,
            Reach::Unasked => {}
            Reach::Silence => {
                self.current.silent = self.current.silent.saturating_add(1);
                self.in_a_row = self.in_a_row.saturating_add(1);
            }
        }
        if self.in_a_row >= IN_A_ROW || self.has_doubled() {
            ConnectionState::Down
        } else if reach == Reach::Silence {
            ConnectionState::Doubtful
        } else {
            ConnectionState::Up
        }
    }

    /// Reports whether more than half of this minute's visits failed, twice as many as in the
    /// minute before.
    fn has_doubled(&self) -> bool {
        let (now, before) = (self.current, self.previous);
        now.visits >= FEWEST
            && before.visits >= FEWEST
            && now.silent * 2 >= now.visits
            && u64::from(now.silent) * u64::from(before.visits)
                >= 2 * u64::from(before.silent) * u64::from(now.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records `visits`, of which every `nth` is silent; returns the last state.
    fn minute(uplink: &mut Uplink, start: Instant, visits: u32, nth: u32) -> ConnectionState {
        let mut line = ConnectionState::Up;
        for visit in 0..visits {
            let reach = match visit % nth {
                0 => Reach::Silence,
                _ => Reach::Reached,
            };
            line = uplink.note(reach, start + WINDOW * visit / visits);
        }
        line
    }

    #[tokio::test(start_paused = true)]
    async fn p38_twenty_silent_hosts_in_succession_are_an_own_outage() {
        let now = Instant::now();
        let mut uplink = Uplink::new(now);
        for _ in 0..19 {
            assert_eq!(uplink.note(Reach::Silence, now), ConnectionState::Doubtful);
        }
        assert_eq!(uplink.note(Reach::Silence, now), ConnectionState::Down);
        assert_eq!(uplink.note(Reach::Reached, now), ConnectionState::Up);
        assert_eq!(uplink.note(Reach::Silence, now), ConnectionState::Doubtful);
    }

    #[tokio::test(start_paused = true)]
    async fn p38_a_failure_rate_that_doubles_within_a_minute_is_an_own_outage() {
        let now = Instant::now();
        let mut uplink = Uplink::new(now);
        assert_ne!(minute(&mut uplink, now, 100, 4), ConnectionState::Down);
        assert_ne!(
            minute(&mut uplink, now + WINDOW, 100, 4),
            ConnectionState::Down
        );
        let mut lines = Vec::new();
        for visit in 0..60 {
            let reach = match visit % 3 {
                0 => Reach::Reached,
                _ => Reach::Silence,
            };
            lines.push(uplink.note(reach, now + WINDOW * 2));
        }
        assert_eq!(
            lines.iter().position(|line| *line == ConnectionState::Down),
            Some(49)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_of_mostly_dead_hosts_is_no_outage() {
        let now = Instant::now();
        let mut uplink = Uplink::new(now);
        for number in 0..10 {
            let line = minute(&mut uplink, now + WINDOW * number, 100, 2);
            assert_ne!(line, ConnectionState::Down);
        }
    }
}
