//! Rows of submissions and of the frontier overview.

use super::{domain, port, word};
use crate::{Submission, SubmissionState};
use manifest::Timestamp;
use sqlx::FromRow;

/// Submitted domain.
#[derive(Debug, FromRow)]
pub(crate) struct SubmissionRow {
    pub(crate) id: i64,
    domain: String,
    port: Option<i64>,
    at: i64,
    state: String,
    result: Option<String>,
}

impl SubmissionRow {
    pub(crate) fn submission(self) -> sqlx::Result<Submission> {
        Ok(Submission {
            id: self.id,
            domain: domain(&self.domain)?,
            port: port(self.port)?,
            at: Timestamp(self.at),
            state: word(&self.state, SubmissionState::parse)?,
            result: self.result,
        })
    }
}

/// Counts of the frontier.
#[derive(Debug, FromRow)]
pub(crate) struct FrontierRow {
    pub(crate) domains: i64,
    pub(crate) due: i64,
    pub(crate) oldest_due: Option<i64>,
    pub(crate) next_due: Option<i64>,
    pub(crate) leased: i64,
    pub(crate) back_off: i64,
    pub(crate) unvisited: i64,
    pub(crate) discovered: i64,
    pub(crate) exclusions: i64,
    pub(crate) submissions: i64,
}
