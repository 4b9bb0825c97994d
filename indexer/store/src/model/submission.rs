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

impl SubmissionState {
    /// Returns the word used in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Queued => "queued",
            Self::Visited => "visited",
            Self::Refused => "refused",
        }
    }

    /// Returns the state with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Queued, Self::Visited, Self::Refused]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

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
