//! Signatures on a card: what they say of themselves (A2S-01, A2S-05); nothing is verified here.

use super::card::{Card, Signature};
use crate::field::Field;
use crate::finding::Findings;
use crate::{agent, text};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;

/// Longest protected header that is looked at, in bytes.
const MAX_HEADER: usize = 4_096;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Header {
    alg: Field<String>,
    kid: Field<String>,
}

/// The signatures of `card`, unverified.
pub(super) fn normalize(card: &Card) -> Vec<agent::Signature> {
    card.signatures
        .items()
        .map(|(_, signature)| {
            let header = header(signature).unwrap_or_default();
            agent::Signature {
                kid: header.kid.text(),
                alg: header.alg.text(),
                state: "unverified".to_owned(),
            }
        })
        .collect()
}

/// Reports signatures that nobody can verify or that nobody should accept.
pub(super) fn validate(card: &Card, findings: &mut Findings) {
    let warning = crate::Severity::Warning;
    card.signatures.check(
        "A2S-01",
        warning,
        "/signatures",
        "a list of signatures",
        findings,
    );
    card.signatures
        .check_items("A2S-01", warning, "/signatures", "a signature", findings);
    for (index, signature) in card.signatures.items() {
        let pointer = format!("/signatures/{index}/protected");
        let Some(header) = header(signature) else {
            findings.warn("A2S-01", pointer, "not a base64url-encoded JSON object");
            continue;
        };
        match header.alg.text() {
            None => findings.warn("A2S-01", pointer, "the header names no alg"),
            Some(alg) if alg.eq_ignore_ascii_case("none") || alg.starts_with("HS") => {
                let alg = text::clean(&alg, 20);
                let message = format!("{alg} proves nothing to others; sign with ES256 or EdDSA");
                findings.warn("A2S-05", pointer, message);
            }
            Some(_) => {}
        }
    }
}

fn header(signature: &Signature) -> Option<Header> {
    let protected = signature.protected.raw()?;
    if protected.len() > MAX_HEADER {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD
        .decode(protected.trim_end_matches('='))
        .ok()?;
    let value: Value = serde_json::from_slice(&bytes).ok()?;
    Field::of(&value).get().cloned()
}
