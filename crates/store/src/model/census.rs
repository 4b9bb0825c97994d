//! Daily counts of everything.

use manifest::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Counts of everything at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Census {
    /// Domains known.
    pub domains: u64,
    /// Visited domains by the outcome of their last visit.
    pub outcomes: BTreeMap<String, u64>,
    /// Agents listed.
    pub agents: u64,
    /// Their capabilities.
    pub capabilities: u64,
    /// Agents by format.
    pub formats: BTreeMap<String, u64>,
    /// Agents by protocol; an agent may have several.
    pub protocols: BTreeMap<String, u64>,
    /// Agents by level, manifest A to D.
    pub levels: BTreeMap<String, u64>,
    /// Agents by scheme of authentication; an agent may have several.
    pub auth: BTreeMap<String, u64>,
    /// Agents by top-level domain.
    pub tlds: BTreeMap<String, u64>,
    /// Findings by rule.
    pub findings: BTreeMap<String, u64>,
}

/// Counts of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CensusDay {
    /// The day.
    pub day: Day,
    /// Time of the count.
    pub at: Timestamp,
    /// The counts.
    pub counts: Census,
}

/// Day in UTC, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// Returns the day of a time.
    pub fn of(time: Timestamp) -> Self {
        Self(time.0.div_euclid(DAY_MS))
    }

    /// Returns the first moment of the day.
    pub fn start(self) -> Timestamp {
        Timestamp(self.0.saturating_mul(DAY_MS))
    }

    /// Returns the day `days` earlier.
    #[must_use]
    pub fn before(self, days: u32) -> Self {
        Self(self.0.saturating_sub(i64::from(days)))
    }
}
