//! Receipts: the record of each request and its answer, for the owner of the site.

use crate::fetch::FetchError;
use manifest::Timestamp;
use std::time::Duration;
use store::{Outcome, Receipt};
use url::Url;

/// Maximum length of a stored URL or reason, in characters.
const MAX_CHARS: usize = 500;

/// A completed request without a verdict yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Time at which it was sent.
    pub at: Timestamp,
    /// Time until the last byte or the failure.
    pub took: Duration,
    /// The requested URL.
    pub url: Url,
    /// The status, if there was an answer.
    pub status: Option<u16>,
    /// Size of the decoded body in bytes.
    pub bytes: u64,
}

impl Exchange {
    /// Returns the receipt, with the verdict on the answer.
    pub fn judged(self, verdict: &str, why: &str) -> Receipt {
        Receipt {
            at: self.at,
            method: "GET".to_owned(),
            url: manifest::text::clean(self.url.as_str(), MAX_CHARS),
            status: self.status,
            bytes: self.bytes,
            ms: u32::try_from(self.took.as_millis()).unwrap_or(u32::MAX),
            verdict: verdict.to_owned(),
            why: manifest::text::clean(why, MAX_CHARS),
        }
    }
}

/// Returns the verdict of a failed request.
pub(crate) fn failure_word(error: &FetchError) -> &'static str {
    match error.outcome() {
        Outcome::Down => error.kind().unwrap_or("down"),
        outcome => outcome.as_str(),
    }
}
