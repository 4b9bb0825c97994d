//! What makes two answers the same page, although they were given for different paths (P10).

use sha2::{Digest, Sha256};

/// An answer without what changes from request to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// The status.
    pub(super) status: u16,
    essence: [u8; 32],
}

impl Signature {
    /// Of an answer. Words with digits, dots or slashes do not count: they are times, tokens and paths.
    /// Nor does the media type, which servers take from the name that was asked for.
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

    /// All of it as one number.
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
