//! Fingerprints by which answers to different paths count as the same page (P10).

use sha2::{Digest, Sha256};

/// Answer without the parts that change from request to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageFingerprint {
    /// The status.
    pub(super) status: u16,
    essence: [u8; 32],
}

impl PageFingerprint {
    /// Returns the fingerprint of an answer. Words with digits, dots or slashes are ignored,
    /// because they are times, tokens and paths; so is the media type, which servers derive from
    /// the requested name.
    pub(super) fn new(status: u16, body: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        for word in body.split(|octet| is_break(*octet)) {
            let is_volatile = |octet: &u8| octet.is_ascii_digit() || matches!(octet, b'/' | b'.');
            if !word.is_empty() && !word.iter().any(is_volatile) {
                hasher.update(b" ");
                hasher.update(word);
            }
        }
        Self {
            status,
            essence: hasher.finalize().into(),
        }
    }

    /// Returns the fingerprint as a number.
    pub(super) fn hash(&self) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.essence[..8]);
        u64::from_be_bytes(bytes) ^ u64::from(self.status)
    }
}

fn is_break(octet: u8) -> bool {
    octet.is_ascii_whitespace()
        || matches!(
            octet,
            b'<' | b'>'
                | b'"'
                | b'\''
                | b'='
                | b'&'
                | b';'
                | b','
                | b':'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'|'
        )
}
