//! The only crawler of a file, which is no fleet.

use super::SqliteStore;
use crate::contract::Fleet;
use crate::error::StoreError;
use crate::model::{FleetView, Lease, Renewal, SiteAnswer, SiteExchange, TurnAnswer, TurnExchange};
use async_trait::async_trait;
use manifest::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

#[async_trait]
impl Fleet for SqliteStore {
    async fn join_fleet(
        &self,
        _term: Duration,
        _options: &BTreeMap<String, String>,
    ) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    async fn renew_member(&self, _renewal: &Renewal) -> Result<Option<FleetView>, StoreError> {
        Ok(None)
    }

    async fn leave_fleet(&self, _renewal: &Renewal) -> Result<(), StoreError> {
        Ok(())
    }

    async fn time(&self, now: Timestamp) -> Result<Timestamp, StoreError> {
        Ok(now)
    }

    async fn fleet(&self) -> Result<Option<FleetView>, StoreError> {
        Ok(None)
    }

    async fn hand_on(&self, _leases: &[(Lease, u8)]) -> Result<Vec<i64>, StoreError> {
        Ok(Vec::new())
    }

    async fn exchange_sites(&self, _exchange: &SiteExchange) -> Result<SiteAnswer, StoreError> {
        Ok(SiteAnswer::default())
    }

    async fn reserve_site(
        &self,
        _name: &str,
        _site: &str,
        _most: Option<u32>,
    ) -> Result<Option<Duration>, StoreError> {
        Ok(None)
    }

    async fn exchange_turns(&self, _exchange: &TurnExchange) -> Result<TurnAnswer, StoreError> {
        Ok(TurnAnswer::default())
    }
}
