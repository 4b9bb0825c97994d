//! Submitted domains.

use manifest::{Domain, Timestamp};

/// State of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubmissionState {
    /// No crawler has processed it yet.
    Waiting,
    /// Its domain is in the frontier.
    Queued,
    /// Its domain has been visited since.
    Visited,
    /// Its domain is not visited.
    Refused,
}

words!(SubmissionState {
    Waiting = "waiting",
    Queued = "queued",
    Visited = "visited",
    Refused = "refused",
});

/// Submitted domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Row id.
    pub id: i64,
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin, unless 443.
    pub port: Option<u16>,
    /// Time of the submission.
    pub at: Timestamp,
    /// State.
    pub state: SubmissionState,
    /// Outcome of the visit as its word, or the reason of a refusal.
    pub result: Option<String>,
}
