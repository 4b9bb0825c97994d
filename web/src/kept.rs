//! Values that are kept in memory for a few seconds, because they cost much.

use manifest::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::JoinError;

/// Time for which a value is kept.
const FRESH: Duration = Duration::from_secs(5);

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
}
