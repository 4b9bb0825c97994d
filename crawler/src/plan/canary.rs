//! The request that unmasks a server which gives everybody a manifest (P11).

use sha2::{Digest, Sha256};
use store::Lease;

/// Where that request stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Canary {
    /// Not called for, under this path.
    Ready(String),
    /// To be sent next.
    Due(String),
    /// Sent, or impossible.
    Done,
    /// The server answered it with the manifest too.
    Unmasked,
}

impl Canary {
    /// A path that nobody can have foreseen: the lease's token is new for every visit.
    pub(super) fn new(lease: &Lease) -> Self {
        let digest = Sha256::digest(format!("{} {}", lease.domain, lease.token));
        let mut number = [0; 8];
        number.copy_from_slice(&digest[..8]);
        Self::Ready(format!(
            "/.well-known/{:016x}.json",
            u64::from_be_bytes(number)
        ))
    }

    /// Has it sent next, unless it was sent already.
    pub(super) fn call(&mut self) {
        if let Self::Ready(path) = self {
            *self = Self::Due(std::mem::take(path));
        }
    }

    /// The path to send it to, if it is to be sent now.
    pub(super) fn take_due(&mut self) -> Option<String> {
        match self {
            Self::Due(path) => {
                let path = std::mem::take(path);
                *self = Self::Done;
                Some(path)
            }
            Self::Ready(_) | Self::Done | Self::Unmasked => None,
        }
    }
}
