//! Earlier generations of the index, kept so that the pages of one answer come from one state.
//!
//! A generation has several states while sentence vectors are added to it. States of a build share the files that they have in common, so keeping one costs the
//! segments that were merged since.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Most generations at the same time. The indexer commits at most four times a second, and most
/// generations are not asked for a second page.
const MOST: usize = 32;

/// Time since the last page for which a generation is kept: longer than a person reads a page, or a
/// program works on one.
const TIME: Duration = Duration::from_mins(10);

/// Generations, the least recently used first.
#[derive(Debug)]
pub(super) struct Generations<T>(VecDeque<Generation<T>>);

#[derive(Debug)]
struct Generation<T> {
    version: (u64, u64),
    state: T,
    used: Instant,
}

impl<T> Default for Generations<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Clone> Generations<T> {
    /// Returns a generation, if it is still kept at time `now`.
    pub(super) fn get(&mut self, version: (u64, u64), now: Instant) -> Option<T> {
        self.expire(now);
        let found = self.0.iter().find(|it| it.version == version);
        found.map(|it| it.state.clone())
    }

    /// Keeps a generation from `now` on.
    pub(super) fn put(&mut self, version: (u64, u64), state: T, now: Instant) {
        self.0.retain(|it| it.version != version);
        self.0.push_back(Generation {
            version,
            state,
            used: now,
        });
        self.expire(now);
    }

    /// Drops all generations.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn expire(&mut self, now: Instant) {
        while let Some(oldest) = self.0.front()
            && (self.0.len() > MOST || now.saturating_duration_since(oldest.used) > TIME)
        {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_kept_for_ten_minutes_after_its_last_use() {
        let start = Instant::now();
        let mut kept = Generations::default();
        kept.put((1, 0), "one", start);
        kept.put((2, 0), "two", start);
        kept.put((1, 0), "one", start + TIME / 2);
        assert_eq!(kept.get((2, 0), start + TIME), Some("two"));
        assert_eq!(kept.get((2, 0), start + TIME + TIME / 4), None);
        assert_eq!(kept.get((1, 0), start + TIME + TIME / 4), Some("one"));
    }

    #[test]
    fn the_number_of_generations_is_bounded() {
        let now = Instant::now();
        let mut kept = Generations::default();
        for number in 0..100 {
            kept.put((1, number), number, now);
        }
        assert_eq!(kept.0.len(), MOST);
        assert_eq!(kept.get((1, 99), now), Some(99));
        assert_eq!(
            kept.get((1, 100 - MOST as u64), now),
            Some(100 - MOST as u64)
        );
        assert_eq!(kept.get((1, 99 - MOST as u64), now), None);
    }
}
