//! Blocked addresses and hosts (P35).

use super::Backend;
use crate::contract::Blocks;
use crate::error::StoreError;
use crate::sql::blocks as sql;
use async_trait::async_trait;
use manifest::{Domain, Timestamp};
use std::net::IpAddr;

/// Maximum number of hosts that are read: those with the latest ends.
const MOST: i64 = 50_000;

#[async_trait]
impl Blocks for Backend {
    async fn block_address(&self, address: IpAddr, until: Timestamp) -> Result<(), StoreError> {
        self.run(async {
            self.execute(
                super::query(sql::BLOCK_ADDRESS)
                    .bind(address.to_string())
                    .bind(until.0),
            )
            .await?;
            Ok(())
        })
        .await
    }

    async fn address_blocks(&self, now: Timestamp) -> Result<Vec<(IpAddr, Timestamp)>, StoreError> {
        self.run(async {
            self.execute(super::query(sql::FORGET_ADDRESS_BLOCKS).bind(now.0))
                .await?;
            let rows: Vec<(String, i64)> = super::query_as(sql::ADDRESS_BLOCKS)
                .fetch_all(&mut *self.reading().await?)
                .await?;
            Ok(rows
                .into_iter()
                .filter_map(|(address, until)| Some((address.parse().ok()?, Timestamp(until))))
                .collect())
        })
        .await
    }

    async fn block_host(
        &self,
        host: &Domain,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(async {
            let mut transaction = self.begin_bulk().await?;
            super::query(sql::FORGET_HOST_BLOCKS)
                .bind(now.0)
                .execute(&mut *transaction)
                .await?;
            super::query(sql::BLOCK_HOST)
                .bind(host.as_str())
                .bind(until.0)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await
        })
        .await
    }

    async fn host_blocks(&self, now: Timestamp) -> Result<Vec<(Domain, Timestamp)>, StoreError> {
        self.run(async {
            self.execute(super::query(sql::FORGET_HOST_BLOCKS).bind(now.0))
                .await?;
            let rows: Vec<(String, i64)> = super::query_as(sql::HOST_BLOCKS)
                .bind(MOST)
                .fetch_all(&mut *self.reading().await?)
                .await?;
            Ok(rows
                .into_iter()
                .filter_map(|(host, until)| Some((Domain::parse(&host).ok()?, Timestamp(until))))
                .collect())
        })
        .await
    }
}
