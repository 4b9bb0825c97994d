//! Whether it is we who are offline, rather than everybody else (P38): pure in `now`.

use std::time::Duration;
use tokio::time::Instant;

/// How long a count runs.
const WINDOW: Duration = Duration::from_mins(1);
/// Fewest visits in a count that say anything.
const FEWEST: u32 = 50;
/// So many failures without one success between them are an outage.
const IN_A_ROW: u32 = 20;

/// What the last visits say of our line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Others answer.
    Up,
    /// This visit could not reach anybody, and nobody has answered since: it may be us.
    Doubtful,
    /// It is us.
    Down,
}

/// How a visit ended, as far as our line is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Somebody answered, be it that the name does not exist or that the connection is refused.
    Reached,
    /// Nobody answered: neither a name server nor the host.
    Silence,
    /// Somebody was not asked for want of files that this process may open; it says nothing of anybody.
    Unasked,
}

/// Counts of the running minute and of the one before.
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
    /// Nothing was tried yet.
    pub fn new(now: Instant) -> Self {
        Self {
            current: Count::new(now),
            previous: Count::new(now),
            in_a_row: 0,
        }
    }

    /// Notes how a visit ended, and says what follows.
    pub fn note(&mut self, reach: Reach, now: Instant) -> Line {
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
            Line::Down
        } else if reach == Reach::Silence {
            Line::Doubtful
        } else {
            Line::Up
        }
    }

    /// More than half of this minute's visits failed, and twice as many as in the minute before.
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

    /// Notes `visits`, of which every `nth` is silent; gives the last verdict.
    fn minute(uplink: &mut Uplink, start: Instant, visits: u32, nth: u32) -> Line {
        let mut line = Line::Up;
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
    async fn p38_twenty_silent_hosts_in_a_row_are_an_outage_of_ours() {
        let now = Instant::now();
        let mut uplink = Uplink::new(now);
        for _ in 0..19 {
            assert_eq!(uplink.note(Reach::Silence, now), Line::Doubtful);
        }
        assert_eq!(uplink.note(Reach::Silence, now), Line::Down);
        assert_eq!(uplink.note(Reach::Reached, now), Line::Up);
        assert_eq!(uplink.note(Reach::Silence, now), Line::Doubtful);
    }

    #[tokio::test(start_paused = true)]
    async fn p38_a_failure_rate_that_doubles_within_a_minute_is_one_too() {
        let now = Instant::now();
        let mut uplink = Uplink::new(now);
        assert_ne!(minute(&mut uplink, now, 100, 4), Line::Down);
        assert_ne!(minute(&mut uplink, now + WINDOW, 100, 4), Line::Down);
        let mut lines = Vec::new();
        for visit in 0..60 {
            let reach = match visit % 3 {
                0 => Reach::Reached,
                _ => Reach::Silence,
            };
            lines.push(uplink.note(reach, now + WINDOW * 2));
        }
        assert_eq!(lines.iter().position(|line| *line == Line::Down), Some(49));
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_of_mostly_dead_hosts_is_no_outage() {
        let now = Instant::now();
        let mut uplink = Uplink::new(now);
        for number in 0..10 {
            let line = minute(&mut uplink, now + WINDOW * number, 100, 2);
            assert_ne!(line, Line::Down);
        }
    }
}
