//! Counts of everything that is stored, which are kept for some seconds.

use manifest::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use store::Stats;
use tokio::sync::Mutex;
use tokio::task::JoinError;

/// Time for which counts are kept. Counting reads whole tables.
const KEPT: Duration = Duration::from_secs(5);

/// The last counts, with their time; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Census(Arc<Mutex<Option<Counted>>>);

#[derive(Debug)]
struct Counted {
    at: Timestamp,
    stats: Arc<Stats>,
}

impl Census {
    /// Returns the last counts if they are at most five seconds old, and otherwise runs `count`.
    ///
    /// Concurrent calls count once. A count goes on if its caller is gone, so that the next caller
    /// has its result. An error is not kept.
    pub(crate) async fn at<E: Send + 'static>(
        &self,
        now: Timestamp,
        count: impl Future<Output = Result<Stats, E>> + Send + 'static,
    ) -> Result<Result<Arc<Stats>, E>, JoinError> {
        let mut last = Arc::clone(&self.0).lock_owned().await;
        if let Some(counted) = last.as_ref().filter(|it| it.is_fresh(now)) {
            return Ok(Ok(Arc::clone(&counted.stats)));
        }
        let counting = async move {
            let stats = Arc::new(count.await?);
            *last = Some(Counted {
                at: now,
                stats: Arc::clone(&stats),
            });
            Ok(stats)
        };
        tokio::spawn(counting).await
    }
}

impl Counted {
    /// Reports whether these counts may still be shown. A clock that was set back makes them old.
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.at <= now && now.since(self.at) < KEPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicU64, Ordering};
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
    async fn concurrent_calls_count_once() {
        let (census, counter) = (Census::default(), Counter::default());
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
    async fn counts_are_kept_for_five_seconds() {
        let (census, counter) = (Census::default(), Counter::default());
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
        let census = Census::default();
        let failed = census.at(THEN, async { Err::<Stats, _>("away") }).await;
        assert_eq!(failed.unwrap().unwrap_err(), "away");
        let counted = census.at(THEN, Counter::default().count()).await;
        assert_eq!(counted.unwrap().unwrap().agents, 1);
    }
}
