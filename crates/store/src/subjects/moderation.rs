//! Hidden agents, the public log of moderation, and reports of problems.

use super::changes::{append, removal, withdraw, withdraw_removed};
use super::{Backend, Connection};
use crate::contract::Moderation;
use crate::error::StoreError;
use crate::model::{
    Change, ExclusionSource, HiddenTarget, ModerationAction, ModerationCounts, ModerationEntry,
    Operation, ProblemReport, ReportAnswer, ReportSelection, ReportState, Target,
};
use crate::row::{Column as _, count, stored};
use crate::sql::moderation as sql;
use async_trait::async_trait;
use manifest::{AgentId, Domain, Timestamp};
use std::collections::BTreeSet;

/// Time for which reports count against their network.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[async_trait]
impl Moderation for Backend {
    async fn hide(
        &self,
        target: &Target,
        reason: &str,
        now: Timestamp,
    ) -> Result<ModerationCounts, StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let before = hidden_reason(&mut transaction, target).await?;
            let mut agents = 0;
            if before.is_none() {
                let shown = shown_agents(&mut transaction, target).await?;
                agents = shown.len() as u64;
                let reason = format!("hidden: {reason}");
                let mut changes = shown
                    .into_iter()
                    .map(|(id, hash)| removal(id, hash, &reason, now))
                    .collect::<sqlx::Result<Vec<_>>>()?;
                withdraw(&mut transaction, &mut changes).await?;
                withdraw_removed(&mut transaction, target.as_str(), None).await?;
            }
            if before.as_deref() != Some(reason) {
                super::query(sql::HIDE)
                    .bind(target.as_str())
                    .bind(reason)
                    .bind(now.0)
                    .execute(&mut *transaction)
                    .await?;
                restate(&mut transaction, target).await?;
                let entry = (ModerationAction::Hide, target.as_str(), reason);
                log(&mut transaction, entry, ExclusionSource::Operator, now).await?;
            }
            transaction.commit().await?;
            Ok(ModerationCounts {
                is_new: before.is_none(),
                agents,
            })
        })
        .await
    }

    async fn show(
        &self,
        target: &Target,
        reason: &str,
        now: Timestamp,
    ) -> Result<ModerationCounts, StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let result = super::query(sql::SHOW)
                .bind(target.as_str())
                .execute(&mut *transaction)
                .await?;
            let is_new = result.rows_affected() > 0;
            let mut agents = 0;
            if is_new {
                // Those that another target still hides are not among them.
                let shown = shown_agents(&mut transaction, target).await?;
                agents = shown.len() as u64;
                let mut changes = shown
                    .into_iter()
                    .map(|(id, hash)| restored(id, hash, reason, now))
                    .collect::<sqlx::Result<Vec<_>>>()?;
                append(&mut transaction, &mut changes).await?;
                restate(&mut transaction, target).await?;
                let entry = (ModerationAction::Show, target.as_str(), reason);
                log(&mut transaction, entry, ExclusionSource::Operator, now).await?;
            }
            transaction.commit().await?;
            Ok(ModerationCounts { is_new, agents })
        })
        .await
    }

    async fn hidden(&self, domain: &Domain) -> Result<Vec<HiddenTarget>, StoreError> {
        let query = super::query_as(sql::HIDDEN_OF).bind(domain.as_str());
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn moderation_log(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ModerationEntry>, StoreError> {
        let query = super::query_as(sql::MODERATION_LOG)
            .bind(before.map_or(i64::MAX, stored))
            .bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading_replica().await?).await })
            .await
    }

    async fn report(&self, report: &ProblemReport) -> Result<ReportAnswer, StoreError> {
        self.run(async {
            let mut transaction = self.begin_durable().await?;
            let all: i64 = super::query_scalar(sql::ALL_OPEN_REPORTS)
                .fetch_one(&mut *transaction)
                .await?;
            let of_target: i64 = super::query_scalar(sql::OPEN_REPORTS)
                .bind(&report.target)
                .fetch_one(&mut *transaction)
                .await?;
            let since = report.at.0.saturating_sub(DAY_MS);
            let open: Option<i64> = super::query_scalar(sql::OPEN_REPORT_OF_NETWORK)
                .bind(&report.target)
                .bind(&report.network)
                .bind(since)
                .fetch_one(&mut *transaction)
                .await?;
            let (sent, first): (i64, Option<i64>) = super::query_as(sql::REPORTS_OF_NETWORK)
                .bind(&report.network)
                .bind(since)
                .fetch_one(&mut *transaction)
                .await?;
            let day_after = |at: i64| Timestamp(at.saturating_add(DAY_MS));
            if let Some(open) = open {
                return Ok(ReportAnswer::Again(day_after(open)));
            }
            if count(sent) >= u64::from(ProblemReport::MAX_OF_NETWORK) {
                let first = first.unwrap_or(report.at.0);
                return Ok(ReportAnswer::TooManyOfNetwork(day_after(first)));
            }
            if count(all) >= u64::from(ProblemReport::MAX_OPEN)
                || count(of_target) >= u64::from(ProblemReport::MAX_OF_TARGET)
            {
                return Ok(ReportAnswer::TooMany);
            }
            super::query(sql::REPORT)
                .bind(&report.id)
                .bind(report.at.0)
                .bind(&report.target)
                .bind(report.kind.as_str())
                .bind(&report.text)
                .bind(&report.network)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(ReportAnswer::Stored)
        })
        .await
    }

    async fn report_state(&self, id: &str) -> Result<Option<ReportState>, StoreError> {
        let query = super::query_as(sql::REPORT_STATE).bind(id);
        self.run(async { query.fetch_optional(&mut *self.reading().await?).await })
            .await
    }

    async fn reports(&self, limit: u32) -> Result<Vec<ProblemReport>, StoreError> {
        let query = super::query_as(sql::REPORTS).bind(i64::from(limit));
        self.run(async { query.fetch_all(&mut *self.reading().await?).await })
            .await
    }

    async fn close_reports(
        &self,
        selection: &ReportSelection,
        reason: &str,
        now: Timestamp,
    ) -> Result<Vec<String>, StoreError> {
        self.run(async {
            let (statement, values) = match selection {
                ReportSelection::Ids(ids) => (sql::CLOSE_REPORT, ids.as_slice()),
                ReportSelection::Target(target) => {
                    (sql::CLOSE_REPORTS_ON, &[target.as_str().to_owned()][..])
                }
                ReportSelection::Network(hash) => {
                    (sql::CLOSE_REPORTS_FROM, std::slice::from_ref(hash))
                }
            };
            let mut transaction = self.begin_durable().await?;
            let mut closed: Vec<String> = Vec::new();
            for value in values {
                let targets: Vec<String> = super::query_scalar(statement)
                    .bind(value)
                    .bind(now.0)
                    .fetch_all(&mut *transaction)
                    .await?;
                closed.extend(targets);
            }
            for target in closed.iter().collect::<BTreeSet<_>>() {
                let entry = (ModerationAction::ReportClosed, target.as_str(), reason);
                log(&mut transaction, entry, ExclusionSource::Operator, now).await?;
            }
            transaction.commit().await?;
            Ok(closed)
        })
        .await
    }
}

/// Appends an action, its target and its reason to the public log.
pub(super) async fn log(
    connection: &mut Connection,
    (action, target, reason): (ModerationAction, &str, &str),
    source: ExclusionSource,
    now: Timestamp,
) -> sqlx::Result<()> {
    super::query(sql::LOG)
        .bind(now.0)
        .bind(action.as_str())
        .bind(target)
        .bind(reason)
        .bind(source.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

/// Hidden agents of one domain.
#[derive(Debug, Default)]
pub(super) struct HiddenAgents {
    is_whole: bool,
    ids: BTreeSet<String>,
}

impl HiddenAgents {
    /// Loads what is hidden of a domain.
    pub(super) async fn of(connection: &mut Connection, domain: &str) -> sqlx::Result<Self> {
        // There is mostly nothing hidden.
        let is_any: bool = super::query_scalar(sql::ANY_HIDDEN)
            .fetch_one(&mut *connection)
            .await?;
        if !is_any {
            return Ok(Self::default());
        }
        let hidden: Vec<HiddenTarget> = super::query_as(sql::HIDDEN_OF)
            .bind(domain)
            .fetch_all(connection)
            .await?;
        let targets = hidden.into_iter().map(|hidden| hidden.target);
        let (whole, ids): (Vec<_>, _) = targets.partition(|target| target == domain);
        Ok(Self {
            is_whole: !whole.is_empty(),
            ids: BTreeSet::from_iter::<Vec<_>>(ids),
        })
    }

    /// Reports whether an agent is hidden, so that its changes are not public.
    pub(super) fn covers(&self, id: &str) -> bool {
        self.is_whole || self.ids.contains(id)
    }
}

async fn hidden_reason(
    connection: &mut Connection,
    target: &Target,
) -> sqlx::Result<Option<String>> {
    super::query_scalar(sql::HIDDEN_REASON)
        .bind(target.as_str())
        .fetch_optional(connection)
        .await
}

/// Gives the tombstones of a target's hidden agents their present reason.
async fn restate(connection: &mut Connection, target: &Target) -> sqlx::Result<()> {
    super::query(sql::RESTATE)
        .bind(target.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns ids and hashes of the agents of a target that nothing hides.
async fn shown_agents(
    connection: &mut Connection,
    target: &Target,
) -> sqlx::Result<Vec<(String, String)>> {
    super::query_as(sql::SHOWN_AGENTS)
        .bind(target.as_str())
        .fetch_all(connection)
        .await
}

/// Returns the change that lists an agent again, without its sequence number.
fn restored(id: String, hash: String, reason: &str, now: Timestamp) -> sqlx::Result<Change> {
    let change = Change::new(Operation::Restore, AgentId::read(id)?, reason, now);
    Ok(Change {
        hash: Some(hash),
        ..change
    })
}
