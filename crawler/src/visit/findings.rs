//! The findings of a visit so far, and their meaning for its address and for the next visit.

use crate::fetch::FetchError;
use crate::plan::Remainder;
use crate::rate_limit::uplink::Reach;
use crate::rate_limit::{Ending, Fingerprint};
use crate::schedule::{Contact, Doubt, VisitResult};
use manifest::document::Document;
use manifest::fault::Fault;
use manifest::{Reading, Timestamp};
use std::time::Duration;
use store::{EdgeAnswer, KnownDocument, Lease, NamedDocument, Outcome, RobotsState};
use url::Url;

/// The findings of a visit so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) documents: Vec<(Document, Reading)>,
    pub(super) gone: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) unchanged: Vec<String>,
    /// Paths of documents that their site keeps out of indexes, each with the header (P48).
    pub(super) withheld: Vec<(String, String)>,
    /// The last answer that may decide an outcome which is a refusal, with that outcome (P49).
    pub(super) edge: Option<(Outcome, EdgeAnswer)>,
    pub(super) is_inconclusive: bool,
    pub(super) is_erring: bool,
    pub(super) robots: Option<RobotsState>,
    pub(super) detail: Option<String>,
    pub(super) failure: Option<Contact>,
    pub(super) reach: Option<Reach>,
    pub(super) look: Option<Fingerprint>,
    pub(super) is_parked: bool,
    /// Number of requests other than those for robots.txt.
    pub(super) probes: u32,
    pub(super) retry_after: Option<Duration>,
    pub(super) busy: Option<Duration>,
    pub(super) resume_after: Option<Duration>,
    pub(super) max_age: Option<Duration>,
    pub(super) rotation: Option<u32>,
    /// Named documents left for later visits.
    pub(super) named: Vec<NamedDocument>,
    /// Named documents that were requested.
    pub(super) asked: Vec<NamedDocument>,
    /// From [`crate::plan::Plan::remainder`]; `None` if no path was to be requested.
    pub(super) remainder: Option<Remainder>,
}

impl Findings {
    pub(super) fn failed(&mut self, error: &FetchError) -> Outcome {
        let text = error
            .kind()
            .map_or_else(|| error.to_string(), str::to_owned);
        self.detail = Some(text);
        self.failure = Some(error.contact());
        self.reach = Some(error.reach());
        if let FetchError::Busy(pause) = error {
            self.retry_after = Some(*pause);
            self.busy = Some(*pause);
        }
        error.outcome()
    }

    /// Records that a panic in this program ended the visit: no failure of the site, yet the next
    /// visit does not follow at once (P29, P37).
    pub(super) fn broken(&mut self, origin: &Url, fault: &Fault) -> Outcome {
        let outcome = self.failed(&broken(origin, fault));
        self.detail = Some(fault.to_string());
        outcome
    }

    /// Returns the effect of the visit on the limits of its address (P12, P38). `is_at_home` says
    /// that a failure, if any, happened at the address at which the visit was admitted.
    ///
    /// Only a failed connection counts against the address. Later failures are those of the name,
    /// which can be pointed at any address, or of one site among many.
    pub(super) fn ending(&self, outcome: Outcome, requests: u32, is_at_home: bool) -> Ending {
        let has_failed = matches!(
            outcome,
            Outcome::Down | Outcome::Timeout | Outcome::TlsError | Outcome::DnsError
        );
        match self.failure {
            Some(Contact::NoConnection)
                if has_failed && outcome != Outcome::DnsError && is_at_home =>
            {
                Ending::Failed
            }
            Some(_) if has_failed => Ending::Unasked,
            _ if requests == 0 => Ending::Unasked,
            _ => Ending::Answered(self.look),
        }
    }

    /// Returns what is unknown, at the end of the visit, about documents that existed on the previous
    /// one (P40).
    fn doubt(&self, lease: &Lease, ended: Timestamp) -> Option<Doubt> {
        if self.is_inconclusive {
            return Some(Doubt::Inconclusive);
        }
        // A recheck on the day of the first miss proves nothing either.
        let is_missing = lease.known.iter().any(|known| {
            self.missing.contains(&known.requested) && !known.is_removed_by_miss(ended)
        });
        is_missing.then_some(Doubt::Missing)
    }

    /// Names the documents that their site keeps out of indexes; `None` without any (P48).
    pub(super) fn withheld(&self) -> Option<String> {
        let withheld = self.withheld.iter();
        let texts: Vec<_> = withheld
            .map(|(path, header)| format!("{path} has {header}, so it was not read"))
            .collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// Returns the answer that decided this outcome, if it is a refusal.
    pub(super) fn edge_of(&self, outcome: Outcome) -> Option<&EdgeAnswer> {
        let edge = self.edge.as_ref();
        edge.filter(|it| it.0 == outcome && outcome.is_refusal())
            .map(|it| &it.1)
    }

    pub(super) fn result(&self, outcome: Outcome, lease: &Lease, ended: Timestamp) -> VisitResult {
        let is_known = |document: &Document| {
            let (hash, content) = (document.hash(), document.content_hash());
            let is_same = |known: &KnownDocument| {
                known.hash == hash || known.content.as_ref() == Some(&content)
            };
            lease.known.iter().any(is_same)
        };
        let documents = self.documents.iter();
        let is_new = documents.clone().any(|(document, _)| !is_known(document));
        VisitResult {
            outcome,
            contact: self.failure.unwrap_or(Contact::Connected),
            changed: is_new || !self.gone.is_empty(),
            retry_after: self.retry_after,
            resume_after: self.resume_after,
            refused_with: self.edge_of(outcome).map(|answer| answer.status),
            max_age: self.max_age,
            rotation: self.rotation.unwrap_or(lease.rotation),
            is_parked: self.is_parked,
            doubt: self.doubt(lease, ended),
            is_erring: self.is_erring,
            remainder: self.remainder.clone().unwrap_or_else(|| Remainder {
                unanswered: lease.unanswered.clone(),
                ..Remainder::default()
            }),
        }
    }
}

/// Returns the failure of a request in which this program panicked, so that it has an outcome, a
/// receipt and a next time like any other.
pub(super) fn broken(url: &Url, fault: &Fault) -> FetchError {
    tracing::error!(%url, "a request panicked: {fault}");
    FetchError::Protocol("an internal error of the crawler")
}
