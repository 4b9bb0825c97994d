//! Random texts: ids and tokens that cannot be guessed.

use crate::error::AppError;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use data_encoding::HEXLOWER;
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};

/// Returns a random id.
pub(crate) fn id() -> Result<String, AppError> {
    text::<15>()
}

/// Returns a random token.
pub(crate) fn token() -> Result<String, AppError> {
    text::<24>()
}

/// Returns the hash by which a token is stored.
pub(crate) fn token_hash(token: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(token))
}

/// Returns a random id of 32 hexadecimal digits.
pub(crate) fn hex_id() -> String {
    // An id of zeros is no reason to refuse a request.
    HEXLOWER.encode(&bytes::<16>().unwrap_or_default())
}

fn text<const N: usize>() -> Result<String, AppError> {
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes::<N>()?))
}

fn bytes<const N: usize>() -> Result<[u8; N], AppError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| AppError::NoRandomness)?;
    Ok(bytes)
}
