//! Rows of exclusions.

use super::word;
use crate::{Exclusion, ExclusionSource, Scope};
use manifest::Timestamp;
use sqlx::FromRow;

/// An exclusion.
#[derive(Debug, FromRow)]
pub(crate) struct ExclusionRow {
    name: String,
    is_suffix: bool,
    reason: String,
    source: String,
    since: i64,
}

impl ExclusionRow {
    pub(crate) fn exclusion(self) -> sqlx::Result<Exclusion> {
        Ok(Exclusion {
            scope: Scope::stored(self.name, self.is_suffix),
            reason: self.reason,
            source: word(&self.source, ExclusionSource::parse)?,
            since: Timestamp(self.since),
        })
    }
}
