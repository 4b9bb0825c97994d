//! Verification of the signatures of A2A agent cards.
//!
//! A signature is a JWS (RFC 7515) whose payload is the card itself, detached and made canonical by
//! RFC 8785. The specification and its official SDK disagree on the signed bytes, so a signature is
//! tried on each [`Payload`] in turn, and the verdict names the one that matches.
//!
//! The caller supplies the keys: nothing is fetched here. Without keys, a verdict still has the
//! facts that the signature states, and whether its key may be fetched at all (A2S-04):
//!
//! ```
//! use manifest::{Domain, signature};
//! use serde_json::json;
//!
//! let card = json!({
//!     "name": "Ferry",
//!     "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0", "signature": "AAAA"}],
//! });
//! let verdicts = signature::verify(&card, &Domain::parse("ferry.example")?, &[]);
//! assert_eq!(verdicts[0].kid.as_deref(), Some("k1"));
//! assert_eq!(verdicts[0].state, signature::State::Unverified);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{Domain, text};
use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use std::cell::OnceCell;
use url::Url;

mod card;
mod key;
mod payload;
mod python;
#[cfg(test)]
mod tests;

pub use key::{Key, keys};
pub use payload::Payload;

/// Maximum number of signatures of one card that are checked.
pub const MAX_SIGNATURES: usize = 16;
/// Maximum length of a protected header, in bytes of base64url.
const MAX_HEADER: usize = 4_096;
/// Maximum length of a signature, in bytes of base64url: RSA with 8,192 bits needs 1,366.
const MAX_SIGNATURE: usize = 2_048;
/// Maximum number of keys that are tried on one signature.
const MAX_TRIED: usize = 8;

/// Base64url with or without padding: JWS forbids it, but some signers write it.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Verdict on one signature, with the facts that it states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Id of the key.
    pub kid: Option<String>,
    /// Algorithm as named by RFC 7518: `ES256`, `EdDSA`, …
    pub alg: Option<String>,
    /// URL of the key set; fetch it only in the state [`State::Unverified`].
    pub jku: Option<String>,
    /// Result of the verification.
    pub state: State,
}

/// Result of verifying a signature (A2S-06); a card without signatures has no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can be verified, but no key for it was supplied.
    Unverified,
    /// Its key set is at a site that is neither the card's nor the provider's (A2S-04).
    UnverifiedForeignKey,
    /// It cannot be verified with any key.
    Unverifiable(Obstacle),
    /// The key does not verify it for any payload. The card is kept, because canonical forms are
    /// unsettled.
    Invalid,
    /// The key verifies it for this payload.
    Valid(Payload),
}

impl State {
    /// Returns the word used in readings, pages and interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::UnverifiedForeignKey => "unverified-foreign-key",
            Self::Unverifiable(_) => "unverifiable",
            Self::Invalid => "invalid",
            Self::Valid(_) => "valid",
        }
    }
}

/// Reason why a signature cannot be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// `protected` is missing, too long, or not a base64url-encoded JSON object.
    #[error("its protected header is not a base64url-encoded JSON object")]
    Header,
    /// `signature` is missing, too long, or not base64url.
    #[error("its signature is not base64url")]
    Signature,
    /// The header has no algorithm.
    #[error("its header has no alg")]
    NoAlgorithm,
    /// `none` or an HMAC, which every verifier could have made itself (A2S-05).
    #[error("its algorithm is symmetric or none, which is not accepted")]
    Refused,
    /// An unknown algorithm.
    #[error("its algorithm is not one of ES256, ES384, RS256, PS256 and EdDSA")]
    UnknownAlgorithm,
    /// The header has `crit`: extensions that a verifier must support (RFC 7515 §4.1.11).
    #[error("its header requires extensions (crit)")]
    Critical,
    /// `jku` is not an https URL with a host name (A2S-04).
    #[error("its jku is not an https URL")]
    KeyUrl,
}

/// The protected header of a signature (A2S-01).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The algorithm.
    pub alg: Option<String>,
    /// `JOSE`, as recommended.
    pub typ: Option<String>,
    /// Id of the key.
    pub kid: Option<String>,
    /// URL of the key set.
    pub jku: Option<String>,
    /// True if it requires extensions.
    is_critical: bool,
}

impl Header {
    /// Decodes a `protected` member; `None` unless it is a JSON object in base64url.
    pub fn decode(protected: &str) -> Option<Self> {
        if protected.len() > MAX_HEADER {
            return None;
        }
        let bytes = BASE64URL.decode(protected).ok()?;
        let header: Value = serde_json::from_slice(&bytes).ok()?;
        let members = header.as_object()?;
        let word = |name| members.get(name)?.as_str().and_then(text::some);
        Some(Self {
            alg: word("alg"),
            typ: word("typ"),
            kid: word("kid"),
            jku: word("jku"),
            is_critical: members.contains_key("crit"),
        })
    }
}

/// Verifies each signature of `card`, at most [`MAX_SIGNATURES`], and returns the verdicts in the
/// same order.
///
/// `card` is the document as served, `domain` the site that serves it, and `keys` the keys that
/// [`keys`] read from the set at [`Verdict::jku`], or keys that are trusted for another reason.
pub fn verify(card: &Value, domain: &Domain, keys: &[Key]) -> Vec<Verdict> {
    let signatures = card["signatures"].as_array().map_or(&[][..], Vec::as_slice);
    let verifier = Verifier {
        card,
        domain,
        keys,
        payloads: [const { OnceCell::new() }; Payload::ALL.len()],
    };
    let looked_at = signatures.iter().take(MAX_SIGNATURES);
    looked_at
        .map(|signature| verifier.verdict(signature))
        .collect()
}

/// State that the signatures of one card share.
struct Verifier<'a> {
    card: &'a Value,
    domain: &'a Domain,
    keys: &'a [Key],
    /// The possible payloads in base64url, each computed on first use.
    payloads: [OnceCell<Option<String>>; Payload::ALL.len()],
}

impl Verifier<'_> {
    fn verdict(&self, signature: &Value) -> Verdict {
        let protected = signature["protected"].as_str().unwrap_or_default();
        let header = Header::decode(protected);
        let state = match &header {
            Some(header) => self.state(signature, protected, header),
            None => State::Unverifiable(Obstacle::Header),
        };
        let header = header.unwrap_or_default();
        Verdict {
            kid: header.kid,
            alg: header.alg,
            jku: header.jku,
            state,
        }
    }

    fn state(&self, signature: &Value, protected: &str, header: &Header) -> State {
        let bytes = match check(signature, header) {
            Ok(bytes) => bytes,
            Err(obstacle) => return State::Unverifiable(obstacle),
        };
        match header.jku.as_deref().map(key_host) {
            None => {}
            Some(None) => return State::Unverifiable(Obstacle::KeyUrl),
            Some(Some(host)) if self.is_home(&host) => {}
            Some(Some(_)) => return State::UnverifiedForeignKey,
        }
        let alg = header.alg.as_deref().unwrap_or_default();
        let keys = self.keys.iter();
        let fitting = keys.filter(|key| key.fits(alg, header.kid.as_deref()));
        let fitting: Vec<&Key> = fitting.take(MAX_TRIED).collect();
        if fitting.is_empty() {
            return State::Unverified;
        }
        let is_confirmed = |payload: &Payload| {
            let Some(payload) = self.payload(*payload) else {
                return false;
            };
            let message = format!("{protected}.{payload}");
            let mut keys = fitting.iter();
            keys.any(|key| key.confirms(alg, message.as_bytes(), &bytes))
        };
        let confirmed = Payload::ALL.into_iter().find(is_confirmed);
        confirmed.map_or(State::Invalid, State::Valid)
    }

    fn payload(&self, payload: Payload) -> Option<&str> {
        let encode = || Some(BASE64URL.encode(payload.of(self.card)?));
        self.payloads[payload as usize]
            .get_or_init(encode)
            .as_deref()
    }

    /// Reports whether `host` shares its registrable domain with the site or with the provider's
    /// page.
    fn is_home(&self, host: &Domain) -> bool {
        let provider = self.card["provider"]["url"].as_str().and_then(host_of);
        let is_same = |known: &Domain| known.registrable() == host.registrable();
        is_same(self.domain) || provider.as_ref().is_some_and(is_same)
    }
}

/// Returns the signature's bytes, if it can be verified.
fn check(signature: &Value, header: &Header) -> Result<Vec<u8>, Obstacle> {
    let alg = header.alg.as_deref().ok_or(Obstacle::NoAlgorithm)?;
    if alg.eq_ignore_ascii_case("none") || alg.starts_with("HS") {
        return Err(Obstacle::Refused);
    }
    if !key::is_known(alg) {
        return Err(Obstacle::UnknownAlgorithm);
    }
    if header.is_critical {
        return Err(Obstacle::Critical);
    }
    let encoded = signature["signature"].as_str().unwrap_or_default();
    if encoded.is_empty() || encoded.len() > MAX_SIGNATURE {
        return Err(Obstacle::Signature);
    }
    BASE64URL.decode(encoded).map_err(|_| Obstacle::Signature)
}

/// Returns the host of the key set; `None` if the key set must not be fetched.
fn key_host(jku: &str) -> Option<Domain> {
    host_of(jku).filter(|_| jku.starts_with("https://"))
}

fn host_of(url: &str) -> Option<Domain> {
    Domain::parse(Url::parse(url).ok()?.host_str()?).ok()
}
