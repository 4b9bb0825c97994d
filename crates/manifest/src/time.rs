//! Points in time as plain data.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Adds `duration`; saturates at the maximum.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let milliseconds = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(milliseconds))
    }

    /// Returns the time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        let milliseconds = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0))
    }
}
