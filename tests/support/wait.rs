//! Bounded waiting for a condition in another process or task: no test waits for a fixed time.

use super::USUAL_TIME;
use std::time::{Duration, Instant};

/// Time between two looks at a condition.
const LOOK: Duration = Duration::from_millis(10);

/// Waits until `condition` holds; `what` names it if it does not within [`USUAL_TIME`].
pub(crate) async fn until(what: &str, condition: impl AsyncFnMut() -> bool) {
    within(USUAL_TIME, what, condition).await;
}

/// Waits until `condition` holds, which it must within `time`; `what` names it if it does not.
pub(crate) async fn within(time: Duration, what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let found = async || condition().await.then_some(());
    value_within(time, what, found).await;
}

/// Waits until `look` returns a value, which it must within `time`.
pub(crate) async fn value_within<T>(
    time: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = look().await {
            return value;
        }
        assert!(started.elapsed() < time, "after {time:?}, not yet: {what}");
        tokio::time::sleep(LOOK).await;
    }
}
