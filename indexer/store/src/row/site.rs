//! Rows of a site: its domain, documents, findings, mentions and visits.

use super::{count, damaged, from_json, outcome, port, robots, small, word};
use crate::{Outcome, Receipt, SeedSource, Site, SiteDocument, SiteVisit, StoredAgent};
use manifest::{Domain, Finding, Level, Mention, Severity, Timestamp, rules};
use sqlx::FromRow;

/// A domain.
#[derive(Debug, FromRow)]
pub(crate) struct SiteRow {
    pub(crate) id: i64,
    port: Option<i64>,
    source: String,
    first_seen: i64,
    last_visit: Option<i64>,
    last_outcome: Option<String>,
    due: i64,
    robots: Option<String>,
}

impl SiteRow {
    pub(crate) fn site(
        self,
        domain: Domain,
        agents: Vec<StoredAgent>,
        documents: Vec<SiteDocument>,
        visits: Vec<SiteVisit>,
    ) -> sqlx::Result<Site> {
        Ok(Site {
            domain,
            port: port(self.port)?,
            source: word(&self.source, SeedSource::parse)?,
            first_seen: Timestamp(self.first_seen),
            last_visit: self.last_visit.map(Timestamp),
            last_outcome: outcome(self.last_outcome.as_deref())?,
            due: Timestamp(self.due),
            robots: robots(self.robots.as_deref())?,
            agents,
            documents,
            visits,
        })
    }
}

/// A document of a site, without its bytes.
#[derive(Debug, FromRow)]
pub(crate) struct SiteDocumentRow {
    pub(crate) id: i64,
    url: String,
    requested: String,
    status: i64,
    media_type: Option<String>,
    served: Option<String>,
    hash: String,
    size: i64,
    format: Option<String>,
    generation: Option<String>,
    level: Option<String>,
    first_seen: i64,
    fetched: i64,
    changed: i64,
}

impl SiteDocumentRow {
    pub(crate) fn document(
        self,
        findings: Vec<Finding>,
        mentions: Vec<Mention>,
    ) -> sqlx::Result<SiteDocument> {
        Ok(SiteDocument {
            url: self.url,
            requested: self.requested,
            status: small(self.status)?,
            media_type: self.media_type,
            served: self.served.as_deref().map(from_json).transpose()?,
            hash: self.hash,
            bytes: count(self.size),
            format: self.format,
            generation: self.generation,
            level: self
                .level
                .map(|level| word(&level, Level::parse))
                .transpose()?,
            first_seen: Timestamp(self.first_seen),
            fetched: Timestamp(self.fetched),
            changed: Timestamp(self.changed),
            findings,
            mentions,
        })
    }
}

/// A finding.
#[derive(Debug, FromRow)]
pub(crate) struct FindingRow {
    pub(crate) document_id: i64,
    rule: String,
    severity: String,
    pointer: String,
    line: Option<i64>,
    line_column: Option<i64>,
    excerpt: Option<String>,
    message: String,
}

impl FindingRow {
    /// Converts the row; `None` if this version of the catalogue has no such rule, in which case the
    /// document is due to be read again.
    pub(crate) fn finding(self) -> sqlx::Result<Option<Finding>> {
        let Some(rule) = rules::find(&self.rule) else {
            return Ok(None);
        };
        let severity = [Severity::Info, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|severity| severity.as_str() == self.severity)
            .ok_or_else(|| damaged(format!("unknown severity '{}'", self.severity)))?;
        Ok(Some(Finding {
            rule,
            severity,
            pointer: self.pointer,
            line: self.line.map(small).transpose()?,
            column: self.line_column.map(small).transpose()?,
            excerpt: self.excerpt,
            message: self.message,
        }))
    }
}

/// Mention of another site.
#[derive(Debug, FromRow)]
pub(crate) struct MentionRow {
    pub(crate) document_id: i64,
    name: String,
    publisher: Option<String>,
    url: Option<String>,
    pointer: String,
}

impl MentionRow {
    pub(crate) fn mention(self) -> Mention {
        Mention {
            name: self.name,
            publisher: self.publisher,
            url: self.url,
            pointer: self.pointer,
        }
    }
}

/// A past visit.
#[derive(Debug, FromRow)]
pub(crate) struct VisitRow {
    started: i64,
    ended: i64,
    outcome: String,
    detail: Option<String>,
    requests: i64,
    bytes: i64,
    receipts: String,
}

impl VisitRow {
    pub(crate) fn visit(self) -> sqlx::Result<SiteVisit> {
        let receipts: Vec<Receipt> = from_json(&self.receipts)?;
        Ok(SiteVisit {
            started: Timestamp(self.started),
            ended: Timestamp(self.ended),
            outcome: word(&self.outcome, Outcome::parse)?,
            detail: self.detail,
            requests: small(self.requests)?,
            bytes: count(self.bytes),
            receipts,
        })
    }
}
