//! The canary request, which detects a server that returns a manifest for every path (P11).

use sha2::{Digest, Sha256};
use store::Lease;

/// State of the canary request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Canary {
    /// Not necessary yet; the path to use.
    Ready(String),
    /// To be sent next.
    Due(String),
    /// Sent, or impossible.
    Done,
    /// The server returned the manifest for this path too.
    Unmasked,
    /// The crawler stopped before the answer.
    Unanswered,
}

impl Canary {
    /// Returns the state with an unpredictable path: the token of the lease is new for every visit.
    pub(super) fn new(lease: &Lease) -> Self {
        let digest = Sha256::digest(format!("{} {}", lease.domain, lease.token));
        let mut number = [0; 8];
        number.copy_from_slice(&digest[..8]);
        Self::Ready(format!(
            "/.well-known/{:016x}.json",
            u64::from_be_bytes(number)
        ))
    }

    /// Schedules the request, unless it was sent already.
    pub(super) fn call(&mut self) {
        if let Self::Ready(path) = self {
            *self = Self::Due(std::mem::take(path));
        }
    }

    /// Returns the path if the request is to be sent now.
    pub(super) fn take_due(&mut self) -> Option<String> {
        match self {
            Self::Due(path) => {
                let path = std::mem::take(path);
                *self = Self::Done;
                Some(path)
            }
            Self::Ready(_) | Self::Done | Self::Unmasked | Self::Unanswered => None,
        }
    }
}
