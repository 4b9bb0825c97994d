//! Crawlers that share a database, each a row that it renews.
//!
//! A crawler whose term has ended sends nothing until it is renewed. Another one may end its membership
//! meanwhile: then its row is gone, and it is a new member or none. Each statement locks the rows that it
//! changes, skips those of others, and looks again once it has them.

mod sites;
mod turns;

use super::persistence::PERSISTENT;
use super::{PostgresStore, clock, members};
use crate::contract::Fleet;
use crate::error::StoreError;
use crate::model::{FleetView, Lease, Renewal, SiteAnswer, SiteExchange, TurnAnswer, TurnExchange};
use async_trait::async_trait;
use manifest::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

#[async_trait]
impl Fleet for PostgresStore {
    async fn join_fleet(
        &self,
        term: Duration,
        options: &BTreeMap<String, String>,
    ) -> Result<Option<String>, StoreError> {
        let name: Option<String> = self
            .run(async {
                let mut transaction = self.begin_beside_others().await?;
                let name = members::join(&mut transaction, term, options).await?;
                transaction.commit().await?;
                Ok(name)
            })
            .await?;
        if name.is_none() {
            return Err(StoreError::RoleLost {
                path: self.location(),
            });
        }
        self.member().clone_from(&name);
        Ok(name)
    }

    async fn renew_member(&self, renewal: &Renewal) -> Result<Option<FleetView>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            if !members::renew(&mut transaction, renewal).await? {
                return Ok(None);
            }
            let view = members::view(&mut transaction).await?;
            sites::forget(&mut transaction).await?;
            transaction.commit().await?;
            Ok(Some(view))
        })
        .await
    }

    async fn leave_fleet(&self, renewal: &Renewal) -> Result<(), StoreError> {
        self.member().take();
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            if members::renew(&mut transaction, renewal).await? {
                members::leave(&mut transaction, renewal).await?;
            }
            transaction.commit().await
        })
        .await
    }

    async fn time(&self, _now: Timestamp) -> Result<Timestamp, StoreError> {
        self.run(async {
            let mut transaction = self.begin_beside_others().await?;
            clock::now(&mut transaction).await.map(Timestamp)
        })
        .await
    }

    async fn fleet(&self) -> Result<Option<FleetView>, StoreError> {
        self.run(async { members::view(&mut *self.reading().await?).await.map(Some) })
            .await
    }

    async fn hand_on(&self, leases: &[(Lease, u8)]) -> Result<Vec<i64>, StoreError> {
        self.run(sites::hand_on(self, leases)).await
    }

    async fn exchange_sites(&self, exchange: &SiteExchange) -> Result<SiteAnswer, StoreError> {
        self.run(sites::exchange(self, exchange)).await
    }

    async fn reserve_site(
        &self,
        name: &str,
        site: &str,
        most: Option<u32>,
    ) -> Result<Option<Duration>, StoreError> {
        self.run(sites::reserve_site(self, name, site, most)).await
    }

    async fn exchange_turns(&self, exchange: &TurnExchange) -> Result<TurnAnswer, StoreError> {
        self.run(turns::exchange(self, exchange)).await
    }
}
