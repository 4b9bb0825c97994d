//! The registry's agent card, signed.

use crate::own::{self, place};
use crate::protocol::operation::Operation;
use crate::secrets::SigningKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use manifest::signature::Payload;
use serde::Serialize;
use serde_json::{Value, json};

/// Forms of the card that are signed: the card as it is served, and its members of 1.0 alone, which
/// is all that the official SDK sees (A2S-03).
const SIGNED: [Payload; 2] = [Payload::AsServed, Payload::MembersOf1];

/// Skill of the card.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Skill {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    tags: &'static [&'static str],
    examples: Vec<String>,
}

impl Skill {
    /// Returns the skill of an operation.
    pub(super) fn of(operation: &Operation) -> Self {
        let capability = &operation.capability;
        Self {
            id: capability.name,
            name: capability.title,
            description: capability.description,
            tags: capability.tags,
            examples: capability.commands(),
        }
    }
}

/// Returns the card for both versions of the protocol, signed with `key`.
pub(super) fn signed(url: &str, skills: &[Skill], key: &SigningKey) -> Value {
    let endpoint = format!("{url}{}", place::A2A);
    let interface = |version: &str| json!({ "url": endpoint, "protocolBinding": "JSONRPC", "protocolVersion": version });
    let modes = ["text/plain", own::JSON];
    let mut card = json!({
        "name": own::NAME,
        "description": own::DESCRIPTION,
        "version": own::VERSION,
        "provider": { "organization": own::NAME, "url": url },
        "documentationUrl": format!("{url}{}", place::DOCS),
        // Members of 0.3.
        "protocolVersion": "0.3.0",
        "url": endpoint,
        "preferredTransport": "JSONRPC",
        // Members of 1.0.
        "supportedInterfaces": [interface("1.0"), interface("0.3")],
        "capabilities": { "streaming": false, "pushNotifications": false },
        "defaultInputModes": modes,
        "defaultOutputModes": modes,
        "skills": skills,
    });
    let protected = URL_SAFE_NO_PAD.encode(header(url, key).to_string());
    let signatures = SIGNED.iter().filter_map(|payload| {
        let payload = URL_SAFE_NO_PAD.encode(payload.of(&card)?);
        let signature = key.encoded_signature(format!("{protected}.{payload}").as_bytes());
        Some(json!({ "protected": protected, "signature": signature }))
    });
    let signatures: Vec<Value> = signatures.collect();
    card["signatures"] = signatures.into();
    card
}

/// Returns the protected header of a signature. A verifier fetches keys over https only, so the
/// address is left out at any other URL (A2S-04).
fn header(url: &str, key: &SigningKey) -> Value {
    let mut header = json!({ "alg": "EdDSA", "typ": "JOSE", "kid": key.id() });
    if url.starts_with("https://") {
        header["jku"] = format!("{url}{}", place::KEYS).into();
    }
    header
}
