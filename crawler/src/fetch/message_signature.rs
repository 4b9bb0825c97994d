//! Message signatures of requests, which let a site distinguish this crawler from others that use
//! its name (P5).
//!
//! HTTP message signatures (RFC 9421) as the Web Bot Auth drafts use them: Ed25519 over the
//! authority and the `Signature-Agent` header, which gives the location of the public key. A
//! signature is a pure function of key, authority, time and nonce; this module reads no clock and
//! draws no random numbers.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use manifest::Timestamp;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use url::{Position, Url};

#[cfg(test)]
mod tests;

/// Validity of a signature; the rule permits five minutes (P5).
const LIFE: Duration = Duration::from_mins(4);
/// Label of the signature in its headers, and of the agent in `Signature-Agent`.
const LABEL: &str = "sig1";

/// Random value for each request, which makes every signature unique.
pub type Nonce = [u8; 32];

/// An Ed25519 key and its name.
#[derive(Clone, Debug)]
pub struct Key {
    pair: Arc<Ed25519KeyPair>,
    id: String,
}

/// Errors from reading a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is missing or not PEM.
    #[error("it contains no PKCS#8 private key in PEM: {0}")]
    Pem(rustls::pki_types::pem::Error),
    /// The key is not an Ed25519 key.
    #[error("it is not an Ed25519 key; create one with openssl genpkey -algorithm ed25519")]
    Kind,
}

impl Key {
    /// Reads a PKCS#8 key in PEM from a file.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let der = PrivatePkcs8KeyDer::from_pem_file(path).map_err(KeyError::Pem)?;
        Self::from_pkcs8(der.secret_pkcs8_der())
    }

    fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        // Keys written by OpenSSL do not repeat the public key.
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| KeyError::Kind)?;
        Ok(Self {
            id: thumbprint(&encoded_x(&pair)),
            pair: Arc::new(pair),
        })
    }

    /// Returns the document to be served at `/.well-known/http-message-signatures-directory`.
    pub fn directory(&self) -> Value {
        json!({"keys": [{
            "kty": "OKP",
            "crv": "Ed25519",
            "kid": self.id,
            "x": encoded_x(&self.pair),
            "use": "sig",
        }]})
    }
}

/// Signs requests in the name of one agent.
#[derive(Clone, Debug)]
pub struct Signer {
    key: Key,
    /// The origin that serves the key directory.
    agent: String,
}

/// Values of the three headers that sign a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    /// `Signature-Agent`.
    pub agent: String,
    /// `Signature-Input`.
    pub input: String,
    /// `Signature`.
    pub signature: String,
}

impl Signer {
    /// Creates a signer with `key`, whose directory is served by `origin`.
    pub fn new(key: Key, origin: &Url) -> Self {
        Self {
            key,
            agent: origin[..Position::BeforePath].to_owned(),
        }
    }

    /// Returns the name of the key.
    pub fn key_id(&self) -> &str {
        &self.key.id
    }

    /// Returns the origin that serves the key directory.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Signs a request to `authority` ([`authority`]) at `now`.
    pub fn signature_headers(&self, authority: &str, now: Timestamp, nonce: &Nonce) -> Headers {
        let created = now.0.max(0).unsigned_abs() / 1_000;
        self.sign_until(&Parameters {
            label: LABEL,
            authority,
            created,
            expires: created + LIFE.as_secs(),
            nonce: &STANDARD.encode(nonce),
        })
    }

    fn sign_until(&self, parameters: &Parameters<'_>) -> Headers {
        let Parameters {
            label,
            authority,
            created,
            expires,
            nonce,
        } = parameters;
        let (id, agent) = (&self.key.id, &self.agent);
        let covered = format!(
            "(\"@authority\" \"signature-agent\";key=\"{label}\");created={created};keyid=\"{id}\"\
             ;alg=\"ed25519\";expires={expires};nonce=\"{nonce}\";tag=\"web-bot-auth\""
        );
        let base = format!(
            "\"@authority\": {authority}\n\
             \"signature-agent\";key=\"{label}\": \"{agent}\"\n\
             \"@signature-params\": {covered}"
        );
        let signature = STANDARD.encode(self.key.pair.sign(base.as_bytes()));
        Headers {
            agent: format!("{label}=\"{agent}\""),
            input: format!("{label}={covered}"),
            signature: format!("{label}=:{signature}:"),
        }
    }
}

/// Parameters of a signature other than the key.
struct Parameters<'a> {
    label: &'a str,
    authority: &'a str,
    /// Unix time in seconds.
    created: u64,
    /// Unix time in seconds.
    expires: u64,
    nonce: &'a str,
}

/// Returns host and port as RFC 9421 section 2.2.3 requires: in lower case, with the port only if
/// it is not the default.
pub fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn encoded_x(pair: &Ed25519KeyPair) -> String {
    URL_SAFE_NO_PAD.encode(pair.public_key())
}

/// Returns the thumbprint of RFC 7638, over the members that RFC 8037 requires for such a key.
fn thumbprint(x: &str) -> String {
    let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(members))
}
