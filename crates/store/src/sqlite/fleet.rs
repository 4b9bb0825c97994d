//! The only crawler of a file.

use super::SqliteStore;
use crate::contract::Fleet;
use crate::error::StoreError;
use crate::model::{FleetView, Holding, Member, Renewal};
use async_trait::async_trait;
use std::time::Duration;

/// Name of the only member.
const NAME: &str = "crawler";

/// Number of slots.
const SLOTS: usize = 256;

#[async_trait]
impl Fleet for SqliteStore {
    async fn join_fleet(&self, _term: Duration) -> Result<String, StoreError> {
        Ok(NAME.to_owned())
    }

    /// Returns a fleet of one: the role of the process is a lock, and lasts as long as the process.
    async fn renew_member(&self, renewal: &Renewal) -> Result<Option<FleetView>, StoreError> {
        let member = Member {
            until: i64::MAX,
            is_leaving: renewal.is_leaving,
        };
        let holding = Holding {
            holder: (!renewal.is_leaving).then(|| renewal.name.clone()),
            usable_from: 0,
        };
        Ok(Some(FleetView {
            now: 0,
            members: [(renewal.name.clone(), member)].into(),
            slots: vec![holding; SLOTS],
        }))
    }

    async fn leave_fleet(&self, _renewal: &Renewal) -> Result<(), StoreError> {
        Ok(())
    }
}
