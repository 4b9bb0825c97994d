//! Random texts: ids and tokens that cannot be guessed.

use crate::error::AppError;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

/// Returns a random id.
pub(crate) fn id() -> Result<String, AppError> {
    text::<15>()
}

/// Returns a random token.
pub(crate) fn token() -> Result<String, AppError> {
    text::<24>()
}

fn text<const N: usize>() -> Result<String, AppError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| AppError::NoRandomness)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}
