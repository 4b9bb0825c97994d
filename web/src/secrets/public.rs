//! Public parts of signing keys, as JSON Web Keys (RFC 7517, RFC 8037).

use super::SigningKey;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

impl SigningKey {
    /// Returns the public key in base64url.
    pub(crate) fn encoded(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.public())
    }

    /// Returns the id of the key: its thumbprint (RFC 7638).
    pub(crate) fn id(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(self.identifying().to_string()))
    }

    /// Returns the signature of `message` in base64url.
    pub(crate) fn encoded_signature(&self, message: &[u8]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.sign(message))
    }

    /// Returns the members that identify the key, in their order.
    fn identifying(&self) -> Value {
        json!({ "crv": "Ed25519", "kty": "OKP", "x": self.encoded() })
    }
}

/// Returns the set of these public keys.
pub(crate) fn key_set<'k>(keys: impl IntoIterator<Item = &'k SigningKey>) -> Value {
    let keys = keys.into_iter().map(|key| {
        let mut jwk = key.identifying();
        jwk["kid"] = key.id().into();
        jwk["use"] = "sig".into();
        jwk["alg"] = "EdDSA".into();
        jwk
    });
    json!({ "keys": keys.collect::<Vec<Value>>() })
}
