//! Back-off of addresses (P35): a 429 or 503 blocks its host for the time that it states, but the
//! shared address only for a minute, because one tenant must not shut out the others.

use std::time::Duration;
use tokio::time::Instant;

/// Maximum pause of an address because of one of its sites.
pub const PAUSE: Duration = Duration::from_mins(1);
/// Maximum pause because of several sites.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_hours(1);
/// Number of registrable domains asking for a pause from which on the address itself counts as
/// overloaded.
const SITES: u32 = 3;
/// Time after which a request for a pause no longer counts.
const MEMORY: Duration = Duration::from_hours(1);
/// Maximum number of sites remembered: at that number the pause is at its maximum.
const MOST: usize = 16;

/// Sites of an address that recently asked for a pause, each once.
#[derive(Debug, Default)]
pub(super) struct BackOff(Vec<(u64, Instant)>);

impl BackOff {
    /// Records that a site asked for a pause; returns the pause of the address.
    ///
    /// Repetitions by the same site count once an hour. From the third site within the hour on, the
    /// pause doubles with each.
    pub(super) fn note(&mut self, site: u64, now: Instant) -> Option<Duration> {
        self.0.retain(|(_, at)| now - *at < MEMORY);
        if self.0.iter().any(|(known, _)| *known == site) {
            return None;
        }
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push((site, now));
        let sites = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let doublings = (sites + 1).saturating_sub(SITES);
        Some((PAUSE * (1 << doublings)).min(LONGEST_PAUSE))
    }

    /// Records that a site was answered as usual: unless the site itself asked for a pause, the
    /// address is not overloaded.
    pub(super) fn acquit(&mut self, site: u64) {
        if self.0.iter().all(|(known, _)| *known != site) {
            self.0.clear();
        }
    }

    /// Reports whether any request for a pause is remembered.
    pub(super) fn has_any(&self, now: Instant) -> bool {
        self.0.iter().any(|(_, at)| now - *at < MEMORY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn p35_two_sites_stop_their_address_for_a_minute_each_and_the_third_for_longer() {
        let (mut back_off, now) = (BackOff::default(), Instant::now());
        let pauses: Vec<_> = (0..10)
            .filter_map(|site| back_off.note(site, now))
            .map(|pause| pause.as_secs() / 60)
            .collect();
        assert_eq!(pauses, [1, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        for site in 10..100 {
            assert_eq!(back_off.note(site, now), Some(LONGEST_PAUSE));
        }
        assert_eq!(back_off.0.len(), MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn p35_a_repeated_request_of_one_site_stops_its_address_once_an_hour() {
        let (mut back_off, now) = (BackOff::default(), Instant::now());
        assert_eq!(back_off.note(1, now), Some(MINUTE));
        assert_eq!(back_off.note(1, now + 59 * MINUTE), None);
        assert_eq!(back_off.note(2, now + 59 * MINUTE), Some(MINUTE));
        assert_eq!(back_off.note(1, now + 60 * MINUTE), Some(MINUTE));
        assert_eq!(back_off.note(3, now + 60 * MINUTE), Some(2 * MINUTE));
        assert!(!back_off.has_any(now + 120 * MINUTE));
    }

    #[tokio::test(start_paused = true)]
    async fn p35_an_answer_to_another_site_clears_the_address() {
        let (mut back_off, now) = (BackOff::default(), Instant::now());
        for site in [1, 2] {
            back_off.note(site, now);
        }
        back_off.acquit(2);
        assert!(back_off.has_any(now), "it says nothing of the others");
        back_off.acquit(9);
        assert!(!back_off.has_any(now));
        assert_eq!(back_off.note(3, now), Some(MINUTE));
    }
}
