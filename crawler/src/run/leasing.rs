//! The schedule of leasing: many domains at once, because each query costs a transaction.

use crate::crawl_delay;
use std::time::Duration;
use tokio::time::Instant;

/// Number of leases taken at once.
const LEASE_BATCH: usize = 512;

/// Share of all visits that must be free for an immediate query.
const SHARE: usize = 8;

/// Time to wait for more free visits if fewer are free.
const GATHER: Duration = Duration::from_millis(200);

/// Time without new visits after file descriptors ran out (HS-100).
pub(super) const EXHAUSTED: Duration = Duration::from_secs(10);

/// Time and size of the next query of the frontier.
#[derive(Debug)]
pub(super) struct Leasing {
    /// Concurrent visits.
    most: usize,
    /// Number of visits that this run may begin, if it is limited.
    limit: Option<u64>,
    /// Number of visits begun.
    begun: u64,
    /// Time when the number of visits begins to grow (P21).
    ramp_from: Instant,
    /// Time before which no visit begins: the start of the first one, or the end of a pause because
    /// file descriptors ran out.
    not_before: Instant,
    /// Time from which the frontier may have due domains.
    poll_at: Instant,
    /// Time until which a few free visits are accumulated.
    gather_until: Instant,
}

impl Leasing {
    /// Returns a schedule for this number of concurrent visits, the first of which begin at
    /// `first`, whatever makes a query due before.
    pub(super) fn new(most: usize, limit: Option<u64>, now: Instant, first: Instant) -> Self {
        Self {
            most,
            limit,
            begun: 0,
            ramp_from: now,
            not_before: first,
            poll_at: first,
            gather_until: first,
        }
    }

    /// Returns the time when more visits may begin beside those `in_flight`, if any.
    pub(super) fn lease_at(&self, in_flight: usize) -> Option<Instant> {
        if self.is_limit_reached() {
            return None;
        }
        let allowed = self.allowed();
        self.due(allowed.saturating_sub(in_flight), allowed)
    }

    /// Records that the frontier is queried now; returns the number of domains to lease.
    pub(super) fn query(&mut self, in_flight: usize) -> u32 {
        self.gather_until = Instant::now() + GATHER;
        let remaining = self.limit.map_or(u64::MAX, |limit| limit - self.begun);
        let room = self.allowed().saturating_sub(in_flight);
        let batch = room.min(LEASE_BATCH) as u64;
        u32::try_from(batch.min(remaining)).unwrap_or(u32::MAX)
    }

    /// Reports whether this run may begin no more visits.
    pub(super) fn is_limit_reached(&self) -> bool {
        self.limit.is_some_and(|limit| self.begun >= limit)
    }

    /// Counts a visit as begun.
    pub(super) fn begin(&mut self) {
        self.begun += 1;
    }

    /// Counts visits as not begun after all.
    pub(super) fn give_back(&mut self, leases: usize) {
        self.begun -= leases as u64;
    }

    /// Lets the number of visits grow from the start, `delay` after now (P21).
    pub(super) fn ramp_after(&mut self, delay: Duration) {
        self.ramp_from = Instant::now() + delay;
    }

    /// Returns the number of concurrent visits permitted at this time after the start (P21).
    fn allowed(&self) -> usize {
        crawl_delay::ramp(self.most, self.ramp_from.elapsed())
    }

    /// Returns the time to query for `room` of the `allowed` visits; `None` without room.
    fn due(&self, room: usize, allowed: usize) -> Option<Instant> {
        let poll_at = self.poll_at.max(self.not_before);
        match room {
            0 => None,
            _ if room.saturating_mul(SHARE) >= allowed => Some(poll_at),
            _ => Some(poll_at.max(self.gather_until)),
        }
    }

    /// Records that file descriptors ran out with this many visits in flight: none begins for a
    /// while, and then half as many. Returns the new number unless it was reduced already.
    pub(super) fn shrink(&mut self, in_flight: usize, now: Instant) -> Option<usize> {
        if now < self.not_before {
            return None;
        }
        self.not_before = now + EXHAUSTED;
        self.most = (in_flight / 2).clamp(1, self.most.max(1));
        Some(self.most)
    }

    /// Makes the next query due by this time. One that is due before stays: a loop that wakes often would put
    /// it off for ever.
    pub(super) fn poll_by(&mut self, at: Instant) {
        self.poll_at = self.poll_at.min(at);
    }

    /// Sets the time from which the frontier may have due domains.
    pub(super) fn poll_at(&mut self, at: Instant) {
        self.poll_at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn much_room_is_filled_immediately_and_little_after_a_delay() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, None, start, start);
        assert_eq!(leasing.due(0, 80), None);
        assert_eq!(leasing.due(1, 80), Some(start));
        leasing.query(80);
        assert_eq!(leasing.due(9, 80), Some(start + GATHER));
        assert_eq!(leasing.due(10, 80), Some(start));
        assert_eq!(leasing.due(1, 1), Some(start));
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_frontier_is_polled_later_whatever_the_room() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, None, start, start);
        leasing.query(80);
        let later = start + Duration::from_secs(1);
        leasing.poll_at(later);
        assert_eq!(leasing.due(80, 80), Some(later));
        assert_eq!(leasing.due(1, 80), Some(later));
    }

    #[tokio::test(start_paused = true)]
    async fn a_query_is_not_put_off_by_a_loop_that_wakes_often() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, None, start, start);
        let wait = Duration::from_millis(200);
        leasing.poll_at(start + wait);
        for _ in 0..10 {
            tokio::time::advance(wait / 10).await;
            leasing.poll_by(Instant::now() + wait);
        }
        assert!(leasing.due(80, 80).is_some_and(|at| at <= Instant::now()));
    }

    #[test]
    fn no_visit_begins_before_the_first_may() {
        let start = Instant::now();
        let first = start + Duration::from_secs(1);
        let mut leasing = Leasing::new(80, None, start, first);
        leasing.poll_at(start);
        assert_eq!(leasing.due(80, 80), Some(first));
    }

    /// HS-100: running out of file descriptors reduces the number of visits.
    #[test]
    fn too_many_files_halve_the_visits_once_per_pause() {
        let start = Instant::now();
        let mut leasing = Leasing::new(80, None, start, start);
        assert_eq!(leasing.shrink(60, start), Some(30));
        assert_eq!(leasing.shrink(58, start), None, "of the same burst");
        assert_eq!(leasing.due(30, 30), Some(start + EXHAUSTED));
        let later = start + EXHAUSTED;
        assert_eq!(leasing.shrink(1, later), Some(1));
        assert_eq!(leasing.most, 1);
    }
}
