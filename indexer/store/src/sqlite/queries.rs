//! Read-only queries.
//!
//! A query of several statements runs in one transaction, so that it sees a consistent state.

use super::BATCH;
use crate::row::site::{FindingRow, MentionRow, SiteDocumentRow, SiteRow, VisitRow};
use crate::row::{
    AgentRow, BlobRow, ChangeRow, CountsRow, DocumentRow, StandingRow, UnreadRow, count, stored,
};
use crate::{
    Change, DomainState, Site, SiteDocument, Stats, StoredAgent, StoredDocument, Unread, sql,
};
use manifest::{AgentId, Domain, Finding, Mention, Timestamp};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use std::collections::{BTreeMap, HashMap};

pub(super) async fn unread_domains(reader: &SqlitePool, limit: u32) -> sqlx::Result<Vec<Unread>> {
    let rows: Vec<UnreadRow> = sqlx::query_as(sql::UNREAD_DOMAINS)
        .bind(i64::from(limit))
        .fetch_all(reader)
        .await?;
    rows.into_iter().map(UnreadRow::unread).collect()
}

pub(super) async fn documents(
    reader: &SqlitePool,
    domain: &Domain,
) -> sqlx::Result<Vec<StoredDocument>> {
    let rows: Vec<DocumentRow> = sqlx::query_as(sql::DOCUMENTS)
        .bind(domain.as_str())
        .fetch_all(reader)
        .await?;
    rows.into_iter().map(|row| row.document(domain)).collect()
}

pub(super) async fn changes(
    reader: &SqlitePool,
    since: u64,
    limit: u32,
) -> sqlx::Result<Vec<Change>> {
    let rows: Vec<ChangeRow> = sqlx::query_as(sql::CHANGES)
        .bind(stored(since))
        .bind(i64::from(limit))
        .fetch_all(reader)
        .await?;
    rows.into_iter().map(ChangeRow::change).collect()
}

pub(super) async fn last_change(reader: &SqlitePool) -> sqlx::Result<u64> {
    let last: i64 = sqlx::query_scalar(sql::LAST_CHANGE)
        .fetch_one(reader)
        .await?;
    Ok(count(last))
}

pub(super) async fn agents(
    reader: &SqlitePool,
    after: Option<&AgentId>,
    limit: u32,
) -> sqlx::Result<Vec<StoredAgent>> {
    let rows: Vec<AgentRow> = sqlx::query_as(sql::AGENTS)
        .bind(after.map_or("", AgentId::as_str))
        .bind(i64::from(limit))
        .fetch_all(reader)
        .await?;
    rows.into_iter().map(AgentRow::agent).collect()
}

pub(super) async fn agents_by_id(
    reader: &SqlitePool,
    ids: &[AgentId],
) -> sqlx::Result<Vec<StoredAgent>> {
    let mut found = HashMap::with_capacity(ids.len());
    for batch in ids.chunks(BATCH) {
        let mut query = QueryBuilder::<Sqlite>::new(sql::AGENTS_WITH_ID);
        let mut list = query.separated(", ");
        for id in batch {
            list.push_bind(id.as_str());
        }
        query.push(")");
        let rows: Vec<AgentRow> = query
            .build_query_as()
            .persistent(false)
            .fetch_all(reader)
            .await?;
        for row in rows {
            let agent = row.agent()?;
            found.insert(agent.listing.id.clone(), agent);
        }
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

pub(super) async fn site(reader: &SqlitePool, domain: &Domain) -> sqlx::Result<Option<Site>> {
    let mut transaction = reader.begin().await?;
    let row: Option<SiteRow> = sqlx::query_as(sql::SITE)
        .bind(domain.as_str())
        .fetch_optional(&mut *transaction)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let agents: Vec<AgentRow> = sqlx::query_as(sql::AGENTS_OF_DOMAIN)
        .bind(row.id)
        .fetch_all(&mut *transaction)
        .await?;
    let documents = site_documents(&mut transaction, row.id).await?;
    let visits: Vec<VisitRow> = sqlx::query_as(sql::SITE_VISITS)
        .bind(row.id)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.commit().await?;
    let agents = agents
        .into_iter()
        .map(AgentRow::agent)
        .collect::<Result<_, _>>()?;
    let visits = visits
        .into_iter()
        .map(VisitRow::visit)
        .collect::<Result<_, _>>()?;
    row.site(domain.clone(), agents, documents, visits)
        .map(Some)
}

async fn site_documents(
    connection: &mut SqliteConnection,
    domain_id: i64,
) -> sqlx::Result<Vec<SiteDocument>> {
    let rows: Vec<SiteDocumentRow> = sqlx::query_as(sql::SITE_DOCUMENTS)
        .bind(domain_id)
        .fetch_all(&mut *connection)
        .await?;
    let remarks: Vec<FindingRow> = sqlx::query_as(sql::SITE_FINDINGS)
        .bind(domain_id)
        .fetch_all(&mut *connection)
        .await?;
    let spoken_of: Vec<MentionRow> = sqlx::query_as(sql::SITE_MENTIONS)
        .bind(domain_id)
        .fetch_all(connection)
        .await?;
    let mut findings: HashMap<i64, Vec<Finding>> = HashMap::new();
    for row in remarks {
        let of_document = findings.entry(row.document_id).or_default();
        of_document.extend(row.finding()?);
    }
    let mut mentions: HashMap<i64, Vec<Mention>> = HashMap::new();
    for row in spoken_of {
        mentions
            .entry(row.document_id)
            .or_default()
            .push(row.mention());
    }
    rows.into_iter()
        .map(|row| {
            let findings = findings.remove(&row.id).unwrap_or_default();
            let mentions = mentions.remove(&row.id).unwrap_or_default();
            row.document(findings, mentions)
        })
        .collect()
}

/// Returns everything stored about a domain.
pub(super) async fn domain_state(
    reader: &SqlitePool,
    domain: &Domain,
) -> sqlx::Result<Option<DomainState>> {
    let row: Option<StandingRow> = sqlx::query_as(sql::DOMAIN_STATE)
        .bind(domain.as_str())
        .fetch_optional(reader)
        .await?;
    row.map(StandingRow::domain_state).transpose()
}

pub(super) async fn blob(reader: &SqlitePool, hash: &str) -> sqlx::Result<Option<Vec<u8>>> {
    let row: Option<BlobRow> = sqlx::query_as(sql::BLOB)
        .bind(hash)
        .fetch_optional(reader)
        .await?;
    row.map(BlobRow::open).transpose()
}

pub(super) async fn stats(reader: &SqlitePool, now: Timestamp) -> sqlx::Result<Stats> {
    let mut transaction = reader.begin().await?;
    let counts: CountsRow = sqlx::query_as(sql::COUNTS)
        .bind(now.0)
        .fetch_one(&mut *transaction)
        .await?;
    let stats = Stats {
        domains: count(counts.domains),
        due: count(counts.due),
        leased: count(counts.leased),
        outcomes: tally(&mut transaction, sql::OUTCOMES).await?,
        formats: tally(&mut transaction, sql::FORMATS).await?,
        levels: tally(&mut transaction, sql::LEVELS).await?,
        agents: count(counts.agents),
        capabilities: count(counts.capabilities),
        findings: tally(&mut transaction, sql::FINDINGS).await?,
        last_change: count(counts.last_change),
    };
    transaction.commit().await?;
    Ok(stats)
}

pub(super) async fn tally(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> sqlx::Result<BTreeMap<String, u64>> {
    let rows: Vec<(String, i64)> = sqlx::query_as(statement).fetch_all(connection).await?;
    Ok(rows
        .into_iter()
        .map(|(word, number)| (word, count(number)))
        .collect())
}
