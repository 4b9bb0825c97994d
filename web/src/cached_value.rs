//! Values that are kept in memory for a few seconds, because they cost much.

use manifest::Timestamp;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::{JoinError, JoinHandle};

/// Time for which a value is kept.
const FRESH: Duration = Duration::from_secs(5);
/// Time for which it is still shown while the next one is made, so that requests for a page that is
/// asked for often do not wait for it.
const STALE: Duration = Duration::from_secs(15);

/// The last value of its kind, with its time; cheap to clone.
#[derive(Debug)]
pub(crate) struct CachedValue<T> {
    last: Arc<RwLock<Option<Version<T>>>>,
    /// Turn of the one that makes the next value.
    turn: Arc<Mutex<()>>,
}

/// A value, and the time at which it was made.
type Version<T> = (Timestamp, Arc<T>);

impl<T: Send + Sync + 'static> CachedValue<T> {
    /// Returns the last value if it is at most five seconds old, and otherwise that of `make`. Up to
    /// fifteen seconds, it returns the last value and lets `make` run behind it.
    ///
    /// Concurrent calls make one value. Making it goes on if its caller is gone, so that the next
    /// caller has the result. An error is not kept.
    pub(crate) async fn at<E: Send + 'static>(
        &self,
        now: Timestamp,
        make: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Result<Arc<T>, E>, JoinError> {
        if let Some(value) = self.younger(FRESH, now) {
            return Ok(Ok(value));
        }
        if let Some(value) = self.younger(STALE, now) {
            if let Ok(turn) = Arc::clone(&self.turn).try_lock_owned() {
                self.make(turn, now, make);
            }
            return Ok(Ok(value));
        }
        self.younger_or(STALE, now, Box::pin(make)).await
    }

    /// Returns the last value if it is younger than `age`, and otherwise that of `make`, of which
    /// the same holds as in [`Self::at`].
    pub(crate) async fn younger_or<E: Send + 'static>(
        &self,
        age: Duration,
        now: Timestamp,
        make: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Result<Arc<T>, E>, JoinError> {
        if let Some(value) = self.younger(age, now) {
            return Ok(Ok(value));
        }
        let turn = Arc::clone(&self.turn).lock_owned().await;
        match self.younger(age, now) {
            Some(value) => Ok(Ok(value)),
            None => self.make(turn, now, make).await,
        }
    }

    fn make<E: Send + 'static>(
        &self,
        turn: OwnedMutexGuard<()>,
        now: Timestamp,
        make: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> JoinHandle<Result<Arc<T>, E>> {
        let kept = self.clone();
        tokio::spawn(async move {
            let _turn = turn;
            let value = Arc::new(make.await?);
            let mut last = kept.last.write().unwrap_or_else(PoisonError::into_inner);
            *last = Some((now, Arc::clone(&value)));
            Ok(value)
        })
    }

    /// Returns the last value if it is younger than this. A clock that was set back makes it old.
    fn younger(&self, age: Duration, now: Timestamp) -> Option<Arc<T>> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        let (at, value) = last.as_ref()?;
        (*at <= now && now.since(*at) < age).then(|| Arc::clone(value))
    }
}

impl<T> Clone for CachedValue<T> {
    fn clone(&self) -> Self {
        Self {
            last: Arc::clone(&self.last),
            turn: Arc::clone(&self.turn),
        }
    }
}

impl<T> Default for CachedValue<T> {
    fn default() -> Self {
        Self {
            last: Arc::default(),
            turn: Arc::default(),
        }
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
        let (census, counter) = (CachedValue::default(), Counter::default());
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
        let (census, counter) = (CachedValue::default(), Counter::default());
        let at = async |milliseconds| {
            let now = Timestamp(THEN.0 + milliseconds);
            let stats = census.at(now, counter.clone().count()).await;
            stats.unwrap().unwrap().agents
        };
        assert_eq!(at(0).await, 1);
        assert_eq!(at(4_999).await, 1);
        assert_eq!(at(20_000).await, 2);
        assert_eq!(at(19_000).await, 3, "the clock was set back");
    }

    #[tokio::test]
    async fn a_value_is_shown_while_the_next_one_is_made() {
        let (census, counter) = (CachedValue::default(), Counter::default());
        let at = async |milliseconds| {
            let now = Timestamp(THEN.0 + milliseconds);
            let stats = census.at(now, counter.clone().count()).await;
            stats.unwrap().unwrap().agents
        };
        assert_eq!(at(0).await, 1);
        assert_eq!(at(14_999).await, 1);
        // Its turn ends when the next value is there.
        drop(census.turn.lock().await);
        assert_eq!(at(15_000).await, 2);
    }

    #[tokio::test]
    async fn an_error_is_not_kept() {
        let census = CachedValue::default();
        let failed = census.at(THEN, async { Err::<Stats, _>("away") }).await;
        assert_eq!(failed.unwrap().unwrap_err(), "away");
        let counted = census.at(THEN, Counter::default().count()).await;
        assert_eq!(counted.unwrap().unwrap().agents, 1);
    }
}
