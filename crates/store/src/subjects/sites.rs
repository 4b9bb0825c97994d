//! Everything about a site, and counts.
//!
//! A query of several statements runs in one transaction, so that it sees a consistent state.

use super::{Backend, Connection, Row, edge_answers, visit_hours};
use crate::contract::{Agents as _, Overviews};
use crate::error::StoreError;
use crate::model::{
    FrontierLoad, FrontierStats, Site, SiteDocument, SiteMark, SiteVisit, Stats, requested,
};
use crate::row::{count, from_json, get, unpack};
use crate::sql::{agents::AGENTS_OF_DOMAIN, moderation::HIDDEN_OF, sites as sql};
use async_trait::async_trait;
use manifest::{Domain, Finding, Mention, Timestamp, rules};
use sqlx::FromRow as _;
use std::collections::{BTreeMap, HashMap};
use std::sync::PoisonError;

/// Agents that one check reads.
const CHECKED_AT_ONCE: u32 = 20;

#[async_trait]
impl Overviews for Backend {
    async fn site(&self, domain: &Domain) -> Result<Option<Site>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_reading_replica().await?;
            let Some(row) = site_row(&mut transaction, domain).await? else {
                return Ok(None);
            };
            let id: i64 = get(&row, "id")?;
            let agents = super::query_as(AGENTS_OF_DOMAIN)
                .bind(id)
                .fetch_all(&mut *transaction)
                .await?;
            let documents = site_documents(&mut transaction, id).await?;
            let visits = super::query(sql::SITE_VISITS)
                .bind(id)
                .fetch_all(&mut *transaction)
                .await?;
            let visits = visits.iter().map(visit).collect::<sqlx::Result<_>>()?;
            let hidden = super::query_as(HIDDEN_OF)
                .bind(domain.as_str())
                .fetch_all(&mut *transaction)
                .await?;
            let edge = edge_answers::of_domain(&mut transaction, domain).await?;
            transaction.commit().await?;
            Ok(Some(Site {
                domain: domain.clone(),
                port: get(&row, "port")?,
                source: get(&row, "source")?,
                first_seen: get(&row, "first_seen")?,
                last_visit: get(&row, "last_visit")?,
                last_outcome: get(&row, "last_outcome")?,
                due: get(&row, "due")?,
                robots: get(&row, "robots")?,
                agents,
                documents,
                visits,
                hidden,
                edge,
            }))
        })
        .await
    }

    async fn site_mark(&self, domain: &Domain) -> Result<Option<SiteMark>, StoreError> {
        let query = super::query_as(sql::SITE_MARK).bind(domain.as_str());
        self.run(async {
            query
                .fetch_optional(&mut *self.reading_replica().await?)
                .await
        })
        .await
    }

    async fn check(&self) -> Result<(), StoreError> {
        let after = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let last = after().clone();
        let read = self.agents(last.as_ref(), CHECKED_AT_ONCE).await?;
        // After the last agent, the first one is next.
        *after() = read.into_iter().last().map(|it| it.listing.id);
        self.check_damage()
    }

    async fn site_documents(&self, domain: &Domain) -> Result<Vec<SiteDocument>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_reading_replica().await?;
            let Some(row) = site_row(&mut transaction, domain).await? else {
                return Ok(Vec::new());
            };
            let documents = site_documents(&mut transaction, get(&row, "id")?).await?;
            transaction.commit().await?;
            Ok(documents)
        })
        .await
    }

    async fn frontier_load(&self, now: Timestamp) -> Result<FrontierLoad, StoreError> {
        let query = super::query_as(sql::FRONTIER_LOAD).bind(now.0);
        self.run(async { query.fetch_one(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn frontier_stats(&self, now: Timestamp) -> Result<FrontierStats, StoreError> {
        self.run(async {
            let mut transaction = self.begin_reading_replica().await?;
            let mut stats: FrontierStats = super::query_as(sql::FRONTIER)
                .bind(now.0)
                .fetch_one(&mut *transaction)
                .await?;
            stats.load = super::query_as(sql::FRONTIER_LOAD)
                .bind(now.0)
                .fetch_one(&mut *transaction)
                .await?;
            stats.outcomes = tally(&mut transaction, sql::OUTCOMES).await?;
            transaction.commit().await?;
            Ok(stats)
        })
        .await
    }

    async fn stats(&self, now: Timestamp) -> Result<Stats, StoreError> {
        self.run(async {
            let mut transaction = self.begin_reading_replica().await?;
            let mut stats: Stats = super::query_as(sql::COUNTS)
                .bind(now.0)
                .fetch_one(&mut *transaction)
                .await?;
            stats.outcomes = tally(&mut transaction, sql::OUTCOMES).await?;
            stats.formats = tally(&mut transaction, sql::FORMATS).await?;
            stats.levels = tally(&mut transaction, sql::LEVELS).await?;
            let graded: Vec<(String, String, i64)> = super::query_as(sql::GRADED)
                .fetch_all(&mut *transaction)
                .await?;
            for (format, level, number) in graded {
                let levels = stats.graded.entry(format).or_default();
                levels.insert(level, count(number));
            }
            stats.findings = tally(&mut transaction, sql::FINDINGS).await?;
            transaction.commit().await?;
            Ok(stats)
        })
        .await
    }

    async fn untaken_since(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.run(async {
            let mut transaction = self.begin_reading_replica().await?;
            let row = super::query(sql::UNTAKEN)
                .bind(now.0)
                .fetch_one(&mut *transaction)
                .await?;
            // Without allowance, submissions wait for it and not for a crawler (P47).
            let most = requested::MAX_WAITING as usize;
            let next = visit_hours::next(&mut transaction, most, now).await?;
            transaction.commit().await?;
            let waiting: [Option<Timestamp>; 3] = [
                get(&row, "domain")?,
                get(&row, "claim")?,
                next.iter().map(|it| it.since).min(),
            ];
            let ended: Option<Timestamp> = get(&row, "ended")?;
            let since = waiting.into_iter().flatten().min();
            Ok(since.map(|since| since.max(ended.unwrap_or(since))))
        })
        .await
    }
}

async fn site_row(connection: &mut Connection, domain: &Domain) -> sqlx::Result<Option<Row>> {
    let query = super::query(sql::SITE).bind(domain.as_str());
    query.fetch_optional(connection).await
}

async fn site_documents(
    connection: &mut Connection,
    domain_id: i64,
) -> sqlx::Result<Vec<SiteDocument>> {
    let rows = async |statement: &'static str, connection: &mut Connection| {
        super::query(statement)
            .bind(domain_id)
            .fetch_all(connection)
            .await
    };
    let documents = rows(sql::SITE_DOCUMENTS, connection).await?;
    let mut findings: HashMap<i64, Vec<Finding>> = HashMap::new();
    for row in rows(sql::SITE_FINDINGS, connection).await? {
        let of_document = findings.entry(get(&row, "document_id")?).or_default();
        of_document.extend(finding(&row)?);
    }
    let mut mentions: HashMap<i64, Vec<Mention>> = HashMap::new();
    for row in rows(sql::SITE_MENTIONS, connection).await? {
        let of_document = mentions.entry(get(&row, "document_id")?).or_default();
        of_document.push(mention(&row)?);
    }
    documents
        .iter()
        .map(|row| {
            let id = get(row, "id")?;
            let mut document = SiteDocument::from_row(row)?;
            document.findings = findings.remove(&id).unwrap_or_default();
            document.mentions = mentions.remove(&id).unwrap_or_default();
            Ok(document)
        })
        .collect()
}

/// Returns a finding; `None` if this version of the catalogue has no such rule, in which case the
/// document is due to be read again.
fn finding(row: &Row) -> sqlx::Result<Option<Finding>> {
    let Some(rule) = rules::find(&get::<_, String>(row, "rule")?) else {
        return Ok(None);
    };
    Ok(Some(Finding {
        rule,
        severity: get(row, "severity")?,
        pointer: get(row, "pointer")?,
        line: get(row, "line")?,
        column: get(row, "line_column")?,
        excerpt: get(row, "excerpt")?,
        message: get(row, "message")?,
        help: get(row, "help")?,
        correction: get(row, "correction")?,
        count: get(row, "places")?,
        also: from_json(&get::<_, String>(row, "also")?)?,
    }))
}

/// Returns a visit with its receipts, which housekeeping may not have compressed yet.
fn visit(row: &Row) -> sqlx::Result<SiteVisit> {
    let packed: Option<Vec<u8>> = get(row, "packed_receipts")?;
    let receipts = match packed {
        Some(packed) => unpack(&packed, get(row, "receipts_size")?)?,
        None => get(row, "receipts")?,
    };
    Ok(SiteVisit {
        receipts,
        ..SiteVisit::from_row(row)?
    })
}

fn mention(row: &Row) -> sqlx::Result<Mention> {
    Ok(Mention {
        name: get(row, "name")?,
        publisher: get(row, "publisher")?,
        url: get(row, "url")?,
        pointer: get(row, "pointer")?,
    })
}

async fn tally(
    connection: &mut Connection,
    statement: &'static str,
) -> sqlx::Result<BTreeMap<String, u64>> {
    let rows: Vec<(String, i64)> = super::query_as(statement).fetch_all(connection).await?;
    Ok(rows
        .into_iter()
        .map(|(word, number)| (word, count(number)))
        .collect())
}
