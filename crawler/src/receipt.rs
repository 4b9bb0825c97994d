//! What we asked and what we got, for the site's owner: one receipt per request.

use crate::fetch::FetchError;
use manifest::Timestamp;
use std::time::Duration;
use store::{Outcome, Receipt};
use url::Url;

/// The longest URL and reason that are kept, in characters.
const MAX_CHARS: usize = 500;

/// A request that was made and is not judged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// When it was sent.
    pub at: Timestamp,
    /// Until the last byte, or until it failed.
    pub took: Duration,
    /// What was asked for.
    pub url: Url,
    /// The status, when there was an answer.
    pub status: Option<u16>,
    /// Bytes of body, decoded.
    pub bytes: u64,
}

impl Exchange {
    /// The receipt, once it is known what the answer came to.
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

/// The word for a failure in receipts.
pub(crate) fn failure_word(error: &FetchError) -> &'static str {
    match error.outcome() {
        Outcome::Down => error.kind().unwrap_or("down"),
        outcome => outcome.as_str(),
    }
}
