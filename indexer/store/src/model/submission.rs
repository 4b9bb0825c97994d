//! Domains that somebody sent in.

use manifest::{Domain, Timestamp};

/// What became of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubmissionState {
    /// No crawler has looked at it.
    Waiting,
    /// Its domain is in the frontier.
    Queued,
    /// Its domain was visited since.
    Visited,
    /// Its domain is not visited.
    Refused,
}

impl SubmissionState {
    /// The word used in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Queued => "queued",
            Self::Visited => "visited",
            Self::Refused => "refused",
        }
    }

    /// The state with this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Queued, Self::Visited, Self::Refused]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// A domain that somebody sent in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Row id.
    pub id: i64,
    /// The domain.
    pub domain: Domain,
    /// Port of its https origin when it is not 443.
    pub port: Option<u16>,
    /// When it was sent in.
    pub at: Timestamp,
    /// What became of it.
    pub state: SubmissionState,
    /// How the visit ended, as the word of its outcome, or why there is none.
    pub result: Option<String>,
}
