//! What a visit has found so far, and what that means for its address and for the next visit.

use super::broken;
use crate::fetch::FetchError;
use crate::pace::uplink::Reach;
use crate::pace::{Ending, Fingerprint};
use crate::plan::Remainder;
use crate::schedule::{Contact, Doubt, Finished};
use manifest::Reading;
use manifest::document::Document;
use manifest::fault::Fault;
use std::time::Duration;
use store::{Lease, NamedDocument, Outcome, RobotsState};
use url::Url;

/// What a visit has found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) documents: Vec<(Document, Reading)>,
    pub(super) gone: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) unchanged: Vec<String>,
    pub(super) is_untold: bool,
    pub(super) is_erring: bool,
    pub(super) robots: Option<RobotsState>,
    pub(super) detail: Option<String>,
    pub(super) failure: Option<Contact>,
    pub(super) reach: Option<Reach>,
    pub(super) look: Option<Fingerprint>,
    pub(super) is_parked: bool,
    /// Requests for paths, those besides robots.txt.
    pub(super) probes: u32,
    pub(super) retry_after: Option<Duration>,
    pub(super) busy: Option<Duration>,
    pub(super) resume_after: Option<Duration>,
    pub(super) max_age: Option<Duration>,
    pub(super) rotation: Option<u32>,
    /// Documents that were named and are left to later visits.
    pub(super) named: Vec<NamedDocument>,
    /// Named documents that were asked for.
    pub(super) asked: Vec<NamedDocument>,
    /// From [`crate::plan::Plan::remainder`]; `None` when no path was to be asked.
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

    /// A fault of ours ended the visit: the site failed in nothing, yet it is not asked again at once (P29, P37).
    pub(super) fn broken(&mut self, origin: &Url, fault: &Fault) -> Outcome {
        let outcome = self.failed(&broken(origin, fault));
        self.detail = Some(fault.to_string());
        outcome
    }

    /// What the visit means for its address (P12, P38); `is_at_home` when it failed there, if it did.
    ///
    /// That nobody can be connected to is the address's doing. What follows is that of the name, which anybody may
    /// have pointed there, or of one site among many.
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

    /// What is not known of documents that were there on the visit before (P40).
    fn doubt(&self, lease: &Lease) -> Option<Doubt> {
        if self.is_untold {
            return Some(Doubt::Untold);
        }
        let mut known = lease.known.iter();
        let is_missing = known
            .any(|known| known.missing_since.is_none() && self.missing.contains(&known.requested));
        is_missing.then_some(Doubt::Missing)
    }

    pub(super) fn finished(&self, outcome: Outcome, lease: &Lease) -> Finished {
        let is_known = |document: &Document| {
            let hash = document.hash();
            lease.known.iter().any(|known| known.hash == hash)
        };
        let documents = self.documents.iter();
        let is_new = documents.clone().any(|(document, _)| !is_known(document));
        Finished {
            outcome,
            contact: self.failure.unwrap_or(Contact::Connected),
            changed: is_new || !self.gone.is_empty(),
            retry_after: self.retry_after,
            resume_after: self.resume_after,
            max_age: self.max_age,
            rotation: self.rotation.unwrap_or(lease.rotation),
            is_parked: self.is_parked,
            doubt: self.doubt(lease),
            is_erring: self.is_erring,
            remainder: self.remainder.clone().unwrap_or_else(|| Remainder {
                unanswered: lease.unanswered.clone(),
                ..Remainder::default()
            }),
        }
    }
}
