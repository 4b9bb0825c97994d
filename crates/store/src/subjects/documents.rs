//! Documents as served, and domains whose documents the indexer has not read yet.

use super::{Backend, Row};
use crate::contract::Documents;
use crate::error::StoreError;
use crate::model::{DocumentVersion, StoredDocument, UnreadDomain};
use crate::row::{decompress, get};
use crate::sql::documents as sql;
use async_trait::async_trait;
use manifest::{Document, Domain};

#[async_trait]
impl Documents for Backend {
    async fn unread_domains(&self, limit: u32) -> Result<Vec<UnreadDomain>, StoreError> {
        let query = super::query_as(sql::UNREAD_DOMAINS).bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading().await?).await })
            .await
    }

    async fn mark_all_unread(&self) -> Result<u64, StoreError> {
        let query = super::query(sql::MARK_ALL_UNREAD);
        self.run(self.execute(query)).await
    }

    async fn documents(&self, domain: &Domain) -> Result<Vec<StoredDocument>, StoreError> {
        self.run(async {
            let rows = super::query(sql::DOCUMENTS)
                .bind(domain.as_str())
                .fetch_all(&mut *self.reading_replica().await?)
                .await?;
            rows.iter().map(|row| document(row, domain)).collect()
        })
        .await
    }

    async fn documents_of_format(
        &self,
        format: &str,
        limit: u32,
    ) -> Result<Vec<StoredDocument>, StoreError> {
        self.run(async {
            let rows = super::query(sql::OF_FORMAT)
                .bind(format)
                .bind(i64::from(limit))
                .fetch_all(&mut *self.reading_replica().await?)
                .await?;
            let of_row = |row| document(row, &get(row, "domain")?);
            rows.iter().map(of_row).collect()
        })
        .await
    }

    async fn versions(
        &self,
        domain: &Domain,
        url: &str,
        limit: u32,
    ) -> Result<Vec<DocumentVersion>, StoreError> {
        let query = super::query_as(sql::VERSIONS)
            .bind(domain.as_str())
            .bind(url)
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn blob(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.run(async {
            let row = super::query(sql::BLOB)
                .bind(hash)
                .fetch_optional(&mut *self.reading_replica().await?)
                .await?;
            row.as_ref().map(body).transpose()
        })
        .await
    }
}

fn document(row: &Row, domain: &Domain) -> sqlx::Result<StoredDocument> {
    Ok(StoredDocument {
        id: get(row, "id")?,
        hash: get(row, "hash")?,
        document: Document {
            domain: domain.clone(),
            requested: get(row, "requested")?,
            url: get(row, "url")?,
            status: get(row, "status")?,
            media_type: get(row, "media_type")?,
            etag: get(row, "etag")?,
            last_modified: get(row, "last_modified")?,
            served: get(row, "served")?,
            fetched: get(row, "fetched")?,
            body: body(row)?,
        },
    })
}

/// Returns the decompressed bytes of a row.
fn body(row: &Row) -> sqlx::Result<Vec<u8>> {
    decompress(&get::<_, Vec<u8>>(row, "bytes")?, get(row, "size")?)
}
