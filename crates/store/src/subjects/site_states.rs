//! States of a site before and after a requested visit.

use super::Connection;
use crate::model::{SNAPSHOT_CAP, SiteSnapshot, SnapshotAgent, SnapshotFinding};
use crate::row::{count, from_json, get, json};
use crate::sql::{frontier::DOMAIN_ID, submissions as sql};
use manifest::{Domain, Listing};

/// The first agents of a domain.
const SNAPSHOT_AGENTS: &str = "
    SELECT id, listing, capabilities FROM agents
    WHERE domain_id = $1
    ORDER BY id
    LIMIT CAST($2 AS BIGINT)";

/// Returns the agents and findings of a domain, by its row.
pub(super) async fn snapshot(connection: &mut Connection, row: i64) -> sqlx::Result<SiteSnapshot> {
    let most = i64::try_from(SNAPSHOT_CAP).unwrap_or(i64::MAX);
    let (outcome, agents_total, findings_total): (Option<String>, i64, i64) =
        super::query_as(sql::SNAPSHOT)
            .bind(row)
            .fetch_one(&mut *connection)
            .await?;
    let agents = super::query(SNAPSHOT_AGENTS)
        .bind(row)
        .bind(most)
        .fetch_all(&mut *connection)
        .await?;
    let agents = agents.iter().map(|row| {
        Ok(SnapshotAgent {
            id: get(row, "id")?,
            name: name(&get::<_, String>(row, "listing")?),
            capabilities: get(row, "capabilities")?,
        })
    });
    let findings = super::query(sql::SNAPSHOT_FINDINGS)
        .bind(row)
        .bind(most)
        .fetch_all(connection)
        .await?;
    let findings = findings.iter().map(|row| {
        Ok(SnapshotFinding {
            url: get(row, "url")?,
            rule: get(row, "rule")?,
            severity: get(row, "severity")?,
            pointer: get(row, "pointer")?,
            message: get(row, "message")?,
        })
    });
    Ok(SiteSnapshot {
        outcome,
        agents_total: count(agents_total),
        findings_total: count(findings_total),
        agents: agents.collect::<sqlx::Result<_>>()?,
        findings: findings.collect::<sqlx::Result<_>>()?,
    })
}

/// Stores the state of a domain with its visited submissions, once its documents have been read.
pub(super) async fn keep_after(connection: &mut Connection, domain: &Domain) -> sqlx::Result<()> {
    let is_lacking: bool = super::query_scalar(sql::IS_AFTER_LACKING)
        .bind(domain.as_str())
        .fetch_one(&mut *connection)
        .await?;
    if !is_lacking {
        return Ok(());
    }
    let row: Option<i64> = super::query_scalar(DOMAIN_ID)
        .bind(domain.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    let Some(row) = row else {
        return Ok(());
    };
    let after = json(&snapshot(connection, row).await?)?;
    super::query(sql::KEEP_AFTER)
        .bind(domain.as_str())
        .bind(after)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the name of a stored agent; none if an earlier version of the program wrote it in another
/// form.
fn name(listing: &str) -> String {
    let listing: Option<Listing> = from_json(listing).ok();
    listing.map(|it| it.agent.name).unwrap_or_default()
}
