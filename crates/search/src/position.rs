//! Position of an index in the store's change log.

use serde::{Deserialize, Serialize};
use store::Change;
use tantivy::Index;

/// A position in the store's change log, recorded in each commit.
///
/// The fingerprint is that of the change at this position. It detects an index of another database
/// whose log has the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Sequence number of the last change that is included; zero for none.
    pub seq: u64,
    /// Time, agent and hash of that change; empty for none.
    pub fingerprint: String,
}

impl Position {
    /// Returns the position of a change.
    pub fn of(change: &Change) -> Self {
        let hash = change.hash.as_deref().unwrap_or("-");
        Self {
            seq: change.seq,
            fingerprint: format!("{} {} {hash}", change.at.0, change.agent),
        }
    }

    /// Parses the payload of a commit.
    pub(crate) fn parse(payload: Option<&str>) -> Option<Self> {
        serde_json::from_str(payload?).ok()
    }

    /// Returns the sequence number of the newest change that the last commit of an index contains.
    pub(crate) fn generation(index: &Index) -> tantivy::Result<u64> {
        let payload = index.load_metas()?.payload;
        Ok(Self::parse(payload.as_deref()).map_or(0, |position| position.seq))
    }

    /// Returns the payload of a commit.
    pub(crate) fn to_payload(&self) -> String {
        serde_json::to_string(self).expect("a number and a string always become JSON")
    }
}
