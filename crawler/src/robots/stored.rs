//! The stored state of a robots.txt, and the policy restored from it (P31, P34).

use super::{Hint, Policy, Rules, Validators, Verdict};
use crate::crawl_delay::{
    LONGEST_DELAY, LONGEST_LIFE, LONGEST_WAIT, SHORTEST_LIFE, UNREACHABLE_LIFE, stored_delay,
};
use crate::probes;
use manifest::Timestamp;
use std::time::Duration;
use store::{Outcome, RobotsState};

impl Policy {
    /// Returns the policy of an earlier answer, if a visit to a host with a long crawl delay
    /// continues without requesting robots.txt again (P24, P31).
    pub fn resumed(state: &RobotsState, now: Timestamp) -> Option<Self> {
        let delay = Duration::from_millis(u64::from(state.delay_ms?));
        let is_slow = delay > LONGEST_WAIT && delay <= LONGEST_DELAY;
        let policy = Self::kept(state)?;
        (is_slow && is_valid(state, now) && !policy.is_closed()).then_some(policy)
    }

    /// Returns the policy of an earlier answer after a 304 (P31); `None` if the stored state is not
    /// sufficient.
    pub fn kept(state: &RobotsState) -> Option<Self> {
        (state.status == Some(200)).then(|| Self::of_state(state))?
    }

    /// Returns the policy of an earlier answer that is still valid, so that no request is needed
    /// (P31); `None` if it has expired or the stored state is not sufficient.
    pub fn fresh(state: &RobotsState, now: Timestamp) -> Option<Self> {
        is_valid(state, now).then(|| Self::of_state(state))?
    }

    fn of_state(state: &RobotsState) -> Option<Self> {
        let verdict = match state.verdict.as_str() {
            "allow" => Verdict::Allow,
            "partial" => Verdict::Partial,
            "disallow" => Verdict::Disallow,
            "unreachable" => Verdict::Unreachable,
            _ => return None,
        };
        let outcome = match (verdict, state.status) {
            (Verdict::Unreachable, Some(429 | 503)) => Outcome::Throttled,
            (Verdict::Unreachable, Some(200..=299)) => Outcome::ProtocolError,
            (Verdict::Unreachable, _) => Outcome::Down,
            (Verdict::Disallow, Some(401 | 403 | 407 | 451)) => Outcome::Blocked,
            _ => Outcome::RobotsDisallow,
        };
        let rules = match verdict {
            _ if state.is_open => Rules::Everything,
            Verdict::Disallow | Verdict::Unreachable => Rules::Nothing,
            _ => Rules::Mask(state.mask),
        };
        let hints = state.hints.iter().cloned();
        (state.table == probes::version()).then(|| Self {
            rules,
            mask: state.mask,
            status: state.status,
            crawl_delay: stored_delay(state),
            signals: state.signals.clone(),
            is_token_refused: state.is_token_refused,
            hints: hints
                .map(|(field, target)| Hint { field, target })
                .collect(),
            hash: state.hash,
            forbidden: state.forbidden.clone(),
            ..Self::closed(verdict, &state.why, outcome)
        })
    }

    /// Returns the state to store (P34); `now` is the time at which the answer was complete.
    ///
    /// It is valid for `max-age`, at least 10 minutes and at most 24 hours (P31), and after a
    /// failure for an hour (P29). Under a long crawl delay it is valid a little longer than the
    /// delay; otherwise each visit would request only robots.txt.
    pub fn state(&self, validators: &Validators, now: Timestamp) -> RobotsState {
        let life = match self.verdict {
            Verdict::Unreachable => self.retry_after.unwrap_or(UNREACHABLE_LIFE),
            _ => self.max_age.unwrap_or(LONGEST_LIFE),
        };
        let life = life.clamp(SHORTEST_LIFE, LONGEST_LIFE);
        // What could not be read is requested in full again.
        let none = Validators::default();
        let validators = match self.verdict {
            Verdict::Unreachable => &none,
            Verdict::Allow | Verdict::Partial | Verdict::Disallow => validators,
        };
        let life = life.max(life_under(self.crawl_delay));
        RobotsState {
            verdict: self.verdict.as_str().to_owned(),
            mask: self.mask,
            forbidden: self.forbidden.clone(),
            delay_ms: self
                .crawl_delay
                .map(|delay| u32::try_from(delay.as_millis()).unwrap_or(u32::MAX)),
            status: self.status,
            etag: validators.etag.clone(),
            last_modified: validators.last_modified.clone(),
            validated_url: validators.url.clone(),
            hash: self.hash,
            table: probes::version(),
            is_open: matches!(self.rules, Rules::Everything),
            signals: self.signals.clone(),
            is_token_refused: self.is_token_refused,
            hints: self
                .hints
                .iter()
                .map(|hint| (hint.field.clone(), hint.target.clone()))
                .collect(),
            expires: now.after(life),
            why: self.why.clone(),
        }
    }
}

/// Reports whether a stored state is still valid. An expiry beyond the longest validity was written
/// by a clock that was ahead, and counts as expired.
fn is_valid(state: &RobotsState, now: Timestamp) -> bool {
    let longest = LONGEST_LIFE.max(life_under(stored_delay(state)));
    state.expires > now && state.expires <= now.after(longest)
}

/// Returns the minimum validity of a robots.txt with this crawl delay.
fn life_under(crawl_delay: Option<Duration>) -> Duration {
    crawl_delay
        .filter(|delay| *delay <= LONGEST_DELAY)
        .map_or(Duration::ZERO, |delay| delay + Duration::from_hours(1))
}
