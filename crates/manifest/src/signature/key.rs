//! Public keys as JSON Web Keys (RFC 7517, RFC 7518 §6, RFC 8037).

use super::BASE64URL;
use base64::Engine as _;
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::Value;

/// Maximum number of keys that are read from one set.
const MAX_KEYS: usize = 100;
/// Maximum length of a number of a key, in bytes of base64url: 8,192 bits need 1,366.
const MAX_NUMBER: usize = 2_048;

/// A public key for verifying signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    kid: Option<String>,
    /// The only permitted algorithm, if the key names one.
    alg: Option<String>,
    material: Material,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Material {
    /// A point on P-256, uncompressed.
    P256(Vec<u8>),
    /// A point on P-384, uncompressed.
    P384(Vec<u8>),
    /// The bytes of an Ed25519 key.
    Ed25519(Vec<u8>),
    /// Modulus and exponent, big-endian, without leading zeros.
    Rsa { n: Vec<u8>, e: Vec<u8> },
}

/// Reads the keys of a set (`{"keys": […]}`) or a single key; keys that cannot verify signatures
/// are left out.
pub fn keys(set: &Value) -> Vec<Key> {
    let listed = set["keys"].as_array().map_or(&[][..], Vec::as_slice);
    let keys = listed.iter().take(MAX_KEYS).filter_map(Key::of);
    keys.chain(Key::of(set)).collect()
}

impl Key {
    /// Reads a key from its JWK; returns `None` for secret keys, encryption keys and unknown
    /// curves.
    pub fn of(jwk: &Value) -> Option<Self> {
        if jwk["use"].as_str().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let word = |name| jwk.get(name).and_then(Value::as_str);
        let number = |name| {
            let encoded = word(name).filter(|encoded| encoded.len() <= MAX_NUMBER)?;
            BASE64URL.decode(encoded).ok()
        };
        let point = |size: usize| {
            let is_coordinate = |bytes: &Vec<u8>| bytes.len() == size;
            let x = number("x").filter(is_coordinate)?;
            let y = number("y").filter(is_coordinate)?;
            Some([vec![4], x, y].concat())
        };
        let positive = |name| {
            let bytes: Vec<u8> = number(name)?;
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            Some(bytes[zeros..].to_vec()).filter(|bytes| !bytes.is_empty())
        };
        let material = match (word("kty")?, word("crv")) {
            ("EC", Some("P-256")) => Material::P256(point(32)?),
            ("EC", Some("P-384")) => Material::P384(point(48)?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(number("x")?),
            ("RSA", _) => Material::Rsa {
                n: positive("n")?,
                e: positive("e")?,
            },
            _ => return None,
        };
        Some(Self {
            kid: word("kid").map(str::to_owned),
            alg: word("alg").map(str::to_owned),
            material,
        })
    }

    /// Reports whether this key may have made a signature with `alg` and `kid`.
    pub(super) fn fits(&self, alg: &str, kid: Option<&str>) -> bool {
        let is_named = kid.is_none_or(|kid| self.kid.as_deref().is_none_or(|own| own == kid));
        let is_allowed = self.alg.as_deref().is_none_or(|own| own == alg);
        let is_of_kind = match &self.material {
            Material::P256(_) => alg == "ES256",
            Material::P384(_) => alg == "ES384",
            Material::Ed25519(_) => is_eddsa(alg),
            Material::Rsa { .. } => rsa(alg).is_some(),
        };
        is_named && is_allowed && is_of_kind
    }

    /// Reports whether this key made `signature` on `message` with `alg`.
    pub(super) fn confirms(&self, alg: &str, message: &[u8], signature: &[u8]) -> bool {
        let verified = match &self.material {
            Material::P256(point) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, signature)
            }
            Material::P384(point) => {
                UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, point)
                    .verify(message, signature)
            }
            Material::Ed25519(key) => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(message, signature)
            }
            Material::Rsa { n, e } => {
                let Some(parameters) = rsa(alg) else {
                    return false;
                };
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
        };
        verified.is_ok()
    }
}

/// Reports whether the algorithm can be verified here (A2S-05).
pub(super) fn is_known(alg: &str) -> bool {
    matches!(alg, "ES256" | "ES384") || is_eddsa(alg) || rsa(alg).is_some()
}

/// Reports whether the algorithm is `EdDSA` (RFC 8037) or `Ed25519`, which names the curve (RFC
/// 9864).
fn is_eddsa(alg: &str) -> bool {
    matches!(alg, "EdDSA" | "Ed25519")
}

fn rsa(alg: &str) -> Option<&'static RsaParameters> {
    Some(match alg {
        "RS256" => &signature::RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &signature::RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &signature::RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &signature::RSA_PSS_2048_8192_SHA256,
        "PS384" => &signature::RSA_PSS_2048_8192_SHA384,
        "PS512" => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}
