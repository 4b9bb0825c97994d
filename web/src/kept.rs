//! Values and answers that are kept in memory for a while, because they cost much.

use crate::cache::Tag;
use axum::body::Bytes;
use manifest::Timestamp;
use moka::sync::Cache;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinError;

/// Time for which a value is kept.
const FRESH: Duration = Duration::from_secs(5);
/// Bytes of all answers that are kept.
const CAPACITY: u64 = 32 << 20;

/// The last value of its kind, with its time; cheap to clone.
#[derive(Debug)]
pub(crate) struct Kept<T>(Arc<Mutex<Option<Made<T>>>>);

/// A value, and the time at which it was made.
type Made<T> = (Timestamp, Arc<T>);

impl<T: Send + Sync + 'static> Kept<T> {
    /// Returns the last value if it is at most five seconds old, and otherwise that of `make`.
    ///
    /// Concurrent calls make one value. Making it goes on if its caller is gone, so that the next
    /// caller has the result. An error is not kept.
    pub(crate) async fn at<E: Send + 'static>(
        &self,
        now: Timestamp,
        make: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Result<Arc<T>, E>, JoinError> {
        let mut last = Arc::clone(&self.0).lock_owned().await;
        if let Some((_, value)) = last.as_ref().filter(|(at, _)| is_fresh(*at, now)) {
            return Ok(Ok(Arc::clone(value)));
        }
        let making = async move {
            let value = Arc::new(make.await?);
            *last = Some((now, Arc::clone(&value)));
            Ok(value)
        };
        tokio::spawn(making).await
    }
}

/// Reports whether a value may still be shown. A clock that was set back makes it old.
fn is_fresh(at: Timestamp, now: Timestamp) -> bool {
    at <= now && now.since(at) < FRESH
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// Bodies of the answers that were given last and most often, by their entity tags; cheap to clone.
///
/// A tag names the generation of the index, so answers of an older one are never found again and
/// make room for others.
#[derive(Clone)]
pub(crate) struct Answers(Cache<Tag, Bytes>);

impl Answers {
    /// Returns the body of the answer with this tag.
    pub(crate) fn get(&self, tag: &Tag) -> Option<Bytes> {
        self.0.get(tag)
    }

    /// Keeps a body.
    pub(crate) fn insert(&self, tag: &Tag, body: Bytes) {
        self.0.insert(tag.clone(), body);
    }
}

impl Default for Answers {
    fn default() -> Self {
        let weight = |_: &Tag, body: &Bytes| u32::try_from(body.len()).unwrap_or(u32::MAX);
        Self(
            Cache::builder()
                .max_capacity(CAPACITY)
                .weigher(weight)
                .build(),
        )
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Answers").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicU64, Ordering};
    use store::Stats;
    use tokio::task::JoinSet;

    const THEN: Timestamp = Timestamp(1_795_176_000_000);

    /// Counts its calls, each of which lasts until others had their turn.
    #[derive(Clone, Debug, Default)]
    struct Counter(Arc<AtomicU64>);

    impl Counter {
        async fn count(self) -> Result<Stats, Infallible> {
            tokio::task::yield_now().await;
            Ok(Stats {
                agents: self.0.fetch_add(1, Ordering::Relaxed) + 1,
                ..Stats::default()
            })
        }
    }

    #[tokio::test]
    async fn concurrent_calls_make_one_value() {
        let (census, counter) = (Kept::default(), Counter::default());
        let mut calls = JoinSet::new();
        for _ in 0..64 {
            let (census, counter) = (census.clone(), counter.clone());
            calls.spawn(async move { census.at(THEN, counter.count()).await });
        }
        while let Some(stats) = calls.join_next().await {
            assert_eq!(stats.unwrap().unwrap().unwrap().agents, 1);
        }
    }

    #[tokio::test]
    async fn a_value_is_kept_for_five_seconds() {
        let (census, counter) = (Kept::default(), Counter::default());
        let at = async |milliseconds| {
            let now = Timestamp(THEN.0 + milliseconds);
            let stats = census.at(now, counter.clone().count()).await;
            stats.unwrap().unwrap().agents
        };
        assert_eq!(at(0).await, 1);
        assert_eq!(at(4_999).await, 1);
        assert_eq!(at(5_000).await, 2);
        assert_eq!(at(4_000).await, 3, "the clock was set back");
    }

    #[tokio::test]
    async fn an_error_is_not_kept() {
        let census = Kept::default();
        let failed = census.at(THEN, async { Err::<Stats, _>("away") }).await;
        assert_eq!(failed.unwrap().unwrap_err(), "away");
        let counted = census.at(THEN, Counter::default().count()).await;
        assert_eq!(counted.unwrap().unwrap().agents, 1);
    }

    #[test]
    fn answers_are_bounded_by_their_bytes() {
        let answers = Answers::default();
        let body = Bytes::from(vec![b'a'; 1 << 20]);
        let tag = |number: u64| Tag::of(&["search", &number.to_string()]);
        for number in 0..CAPACITY >> 19 {
            answers.insert(&tag(number), body.clone());
        }
        answers.0.run_pending_tasks();
        let kept = (0..CAPACITY >> 19).filter(|it| answers.get(&tag(*it)).is_some());
        assert!((1..=CAPACITY >> 20).contains(&(kept.count() as u64)));
    }
}
