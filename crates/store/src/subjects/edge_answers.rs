//! Answers by which sites refused their last visit (P49).

use super::{Backend, Connection};
use crate::contract::EdgeAnswers;
use crate::error::StoreError;
use crate::model::{EdgeAnswer, Outcome, Visit};
use crate::row::{Column as _, pack, unpack};
use crate::sql::edge_answers as sql;
use async_trait::async_trait;
use manifest::Domain;

#[async_trait]
impl EdgeAnswers for Backend {
    async fn edge_answer(&self, domain: &Domain) -> Result<Option<EdgeAnswer>, StoreError> {
        self.run(async { of_domain(&mut *self.reading_replica().await?, domain).await })
            .await
    }
}

/// Returns the answer by which a domain refused its last visit.
pub(super) async fn of_domain(
    connection: &mut Connection,
    domain: &Domain,
) -> sqlx::Result<Option<EdgeAnswer>> {
    let row: Option<(i64, Vec<u8>)> = super::query_as(sql::OF_DOMAIN)
        .bind(domain.as_str())
        .fetch_optional(connection)
        .await?;
    let Some((size, bytes)) = row else {
        return Ok(None);
    };
    unpack(&bytes, usize::read(size)?).map(Some)
}

/// Replaces the answers of domains by those of their visits, by row id of the domain. A visit that
/// is to be repeated says nothing new.
pub(super) async fn keep(
    connection: &mut Connection,
    visits: &[(i64, &Visit)],
) -> sqlx::Result<()> {
    let finished = visits.iter().filter(|(_, visit)| !visit.next.is_again);
    for (domain_id, visit) in finished {
        match &visit.edge {
            Some(answer) => {
                let (size, bytes) = pack(answer)?;
                super::query(sql::KEEP)
                    .bind(domain_id)
                    .bind(size)
                    .bind(bytes)
                    .execute(&mut *connection)
                    .await?;
            }
            // Only a visit that was refused left an answer.
            None if visit.lease.last_outcome.is_some_and(Outcome::is_refusal) => {
                super::query(sql::FORGET)
                    .bind(domain_id)
                    .execute(&mut *connection)
                    .await?;
            }
            None => {}
        }
    }
    Ok(())
}
