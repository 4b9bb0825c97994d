//! Outages of a server, during which few wait for it.

use std::time::Duration;
use tokio::time::Instant;

/// Time to wait for a transaction to begin.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The same while the server is away, so that the one that tries again knows soon.
const TRIAL: Duration = Duration::from_secs(2);

/// Time between the end of a trial and the next one.
const PAUSE: Duration = Duration::from_secs(1);

/// State of a server that may be away. While it is, one caller a second tries again, and all others fail
/// at once: they would fail as well, only later, and everything behind them would wait too.
#[derive(Debug, Default)]
pub(super) struct Outage {
    /// Time of the next trial; `None` while the server answers.
    next_trial: Option<Instant>,
}

impl Outage {
    /// Returns the time for which a caller may wait for the server; `None` if it must not.
    pub(super) fn admit(&mut self, now: Instant) -> Option<Duration> {
        match &mut self.next_trial {
            None => Some(PATIENCE),
            Some(next) if *next <= now => {
                // A caller that gives up before it knows leaves the trial to the next one.
                *next = now + TRIAL + PAUSE;
                Some(TRIAL)
            }
            Some(_) => None,
        }
    }

    /// Notes that the server did not answer in time.
    pub(super) fn began(&mut self, now: Instant) {
        self.next_trial = Some(now + PAUSE);
    }

    /// Notes that the server answered.
    pub(super) fn ended(&mut self) {
        self.next_trial = None;
    }

    /// Reports whether the server is away.
    pub(super) fn is_under_way(&self) -> bool {
        self.next_trial.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_a_second_tries_a_server_that_is_away() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut outage = Outage::default();
        assert_eq!(outage.admit(at(0)), Some(PATIENCE));
        assert_eq!(outage.admit(at(0)), Some(PATIENCE));
        outage.began(at(5_000));
        assert!(outage.is_under_way());
        assert_eq!(outage.admit(at(5_999)), None);
        assert_eq!(outage.admit(at(6_000)), Some(TRIAL));
        assert_eq!(outage.admit(at(6_000)), None);
        outage.began(at(8_000));
        assert_eq!(outage.admit(at(9_000)), Some(TRIAL));
        // Its caller gave up.
        assert_eq!(outage.admit(at(11_999)), None);
        assert_eq!(outage.admit(at(12_000)), Some(TRIAL));
        outage.ended();
        assert!(!outage.is_under_way());
        assert_eq!(outage.admit(at(12_001)), Some(PATIENCE));
    }
}
