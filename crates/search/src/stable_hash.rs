//! A hash that never changes, for values that are stored.

/// Returns a hash that is the same on every machine and in every version (FNV-1a, 64 bits).
pub(crate) fn stable_hash(text: &str) -> u64 {
    hash_on(0xcbf2_9ce4_8422_2325, text)
}

/// Continues a hash of [`stable_hash`] with further text.
pub(crate) fn hash_on(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
