//! Signatures made here with generated keys, and RSA signatures made elsewhere, because `ring` does
//! not generate RSA keys.

use super::*;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _,
};
use serde_json::json;

/// Signing function of a private key.
type SignMessage = dyn Fn(&[u8]) -> Vec<u8>;

/// A signer with the public key `jwk`.
struct Signer {
    alg: &'static str,
    jwk: Value,
    sign_message: Box<SignMessage>,
}

fn ed25519() -> Signer {
    let secret = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(secret.as_ref()).unwrap();
    let x = BASE64URL.encode(pair.public_key());
    Signer {
        alg: "EdDSA",
        jwk: json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": "k1"}),
        sign_message: Box::new(move |message| pair.sign(message).as_ref().to_vec()),
    }
}

fn ecdsa(alg: &'static str) -> Signer {
    let random = SystemRandom::new();
    let (kind, curve) = match alg {
        "ES256" => (&ECDSA_P256_SHA256_FIXED_SIGNING, "P-256"),
        _ => (&ECDSA_P384_SHA384_FIXED_SIGNING, "P-384"),
    };
    let secret = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(kind, secret.as_ref(), &random).unwrap();
    let (x, y) = pair.public_key().as_ref()[1..].split_at(match curve {
        "P-256" => 32,
        _ => 48,
    });
    let (x, y) = (BASE64URL.encode(x), BASE64URL.encode(y));
    Signer {
        alg,
        jwk: json!({"kty": "EC", "crv": curve, "x": x, "y": y, "kid": "k1", "use": "sig"}),
        sign_message: Box::new(move |message| {
            pair.sign(&random, message).unwrap().as_ref().to_vec()
        }),
    }
}

impl Signer {
    fn keys(&self) -> Vec<Key> {
        keys(&json!({"keys": [self.jwk]}))
    }

    /// Signs `payload` with a header of `alg`, `kid` and `more`.
    fn signature(&self, payload: &[u8], more: &Value) -> Value {
        let mut header = json!({"alg": self.alg, "typ": "JOSE", "kid": "k1"});
        for (name, value) in more.as_object().unwrap() {
            header[name] = value.clone();
        }
        let protected = BASE64URL.encode(header.to_string());
        let message = format!("{protected}.{}", BASE64URL.encode(payload));
        let signature = BASE64URL.encode((self.sign_message)(message.as_bytes()));
        json!({"protected": protected, "signature": signature})
    }
}

fn card() -> Value {
    json!({
        "name": "Fähre",
        "description": "",
        "version": "1.0.0",
        "supportedInterfaces": [
            {"url": "https://ferry.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": ""}
        ],
        "provider": {"organization": "Islands", "url": "https://www.islands.example/"},
        "capabilities": {"streaming": false, "extensions": []},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": [],
        "skills": [{"id": "book", "name": "Book", "description": "Books a crossing.", "tags": [], "examples": []}],
    })
}

fn home() -> Domain {
    Domain::parse("ferry.example").unwrap()
}

/// Returns the state of the only signature of `card`.
fn state(card: &Value, keys: &[Key]) -> State {
    let verdicts = verify(card, &home(), keys);
    assert_eq!(verdicts.len(), 1);
    verdicts[0].state
}

fn signed(card: &Value, signer: &Signer, payload: Payload, more: &Value) -> Value {
    let mut card = card.clone();
    card["signatures"] = json!([signer.signature(&payload.of(&card).unwrap(), more)]);
    card
}

#[test]
fn signatures_of_each_algorithm_are_valid_until_card_signature_or_key_changes() {
    for signer in [ed25519(), ecdsa("ES256"), ecdsa("ES384")] {
        let keys = signer.keys();
        let card = signed(&card(), &signer, Payload::AsServed, &json!({}));
        assert_eq!(state(&card, &keys), State::Valid(Payload::AsServed));

        let mut tampered = card.clone();
        tampered["skills"][0]["name"] = json!("Cancel");
        assert_eq!(state(&tampered, &keys), State::Invalid);
        let mut tampered = card.clone();
        let signature = card["signatures"][0]["signature"].as_str().unwrap();
        let first = if signature.starts_with('A') { "B" } else { "A" };
        tampered["signatures"][0]["signature"] = json!(format!("{first}{}", &signature[1..]));
        assert_eq!(state(&tampered, &keys), State::Invalid);
        let other = match signer.alg {
            "EdDSA" => ed25519(),
            alg => ecdsa(alg),
        };
        assert_eq!(state(&card, &other.keys()), State::Invalid);
        assert_eq!(state(&card, &[]), State::Unverified);
    }
}

#[test]
fn the_verdict_names_the_payload_that_was_signed() {
    let signer = ed25519();
    for payload in Payload::ALL {
        let mut card = signed(&card(), &signer, payload, &json!({}));
        // Members that the SDK adds after signing.
        card["url"] = json!("https://ferry.example/a2a");
        card["preferredTransport"] = json!("JSONRPC");
        card["capabilities"]["stateTransitionHistory"] = json!(false);
        let expected = match payload {
            Payload::AsServed | Payload::MembersOf1 => Payload::MembersOf1,
            Payload::Sdk => Payload::Sdk,
        };
        assert_eq!(state(&card, &signer.keys()), State::Valid(expected));
    }
}

#[test]
fn default_values_are_dropped_unless_the_member_is_required_or_optional() {
    let text = |payload: Payload| String::from_utf8(payload.of(&card()).unwrap()).unwrap();
    assert_eq!(
        text(Payload::AsServed),
        concat!(
            r#"{"capabilities":{"streaming":false},"defaultInputModes":["text/plain"],"#,
            r#""defaultOutputModes":[],"description":"","name":"Fähre","#,
            r#""provider":{"organization":"Islands","url":"https://www.islands.example/"},"#,
            r#""skills":[{"description":"Books a crossing.","id":"book","name":"Book","tags":[]}],"#,
            r#""supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","#,
            r#""url":"https://ferry.example/a2a"}],"version":"1.0.0"}"#
        )
    );
    assert!(text(Payload::Sdk).contains(r#""name":"F\u00e4hre""#));
    assert!(!text(Payload::Sdk).contains("defaultOutputModes"));
}

#[test]
fn rsa_signatures_of_both_paddings_are_valid() {
    const N: &str = "zM5WVetB8ugXAJMNdBZbP9HNjXYHpTGhkY78uj96-UqHp6PE08K0gkDBvlCbwbndluxgNZG11vGk31E8PyKuluJK\
    r0Q7qIF2o6vey39LGpZ2UKCuh3lYW-OlwgroxCDsmy3TtRQc1PRTSMhmJOI23j6ZINrrhlhp5T0GXpfypaFflPRY\
    rnKseUHvIanDg-T4C0TZjQLGoe-_0K0ZW47904tHkud5LgNMQ14bE3BWPv5aBqR18TkDQxOEARworqOT4nbycD3o\
    3K1tjvcObPzkyUde8f2ZDTvPvF-PsIw_pYG2Bh3UveiItj4vUO7G2IHVk2dsLCceEuv_pSYA6IFwSQ";
    const RS256: [&str; 2] = [
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InIxIn0",
        "Ff3zxy3HU_Aa1S7FQd8BhTnWKnGyaRNmIncKk1Fu-GElkEST3Fgk0vis7pN2W5IRM4W1lDm14xkvIlU2iMNu9Y3i\
    uFdLLtnMytPtl3mICous8c69KIzjSOGPoQ9WmB9M9tWyx68rFQVV-zTzqr18-GXllweZtzbU2126uegFBV3Qb_Vz\
    qp71xiZhh55p5272Bg7jA8XOL_KGLiWq_UpSpNnAAqoTC_Fj5QA-t-myGnh7rztq_30DsUzYah5ffTByIdViTQDH\
    fAQ7T_XI3fuLlva6UzqVAzqFnVyO3TegAoUkSRhyUqN2BvyR94W7nww7hjkRhXt2ff8ulsse0RxSjA",
    ];
    const PS384: [&str; 2] = [
        "eyJhbGciOiJQUzM4NCIsImtpZCI6InIxIn0",
        "zAj8W-zn0DG2mHcQZ91Wjye8Y23SAThtqHfSegntE0-rDBy8d3P7NmSH1pDGzHO6kP01ewWzl6Nam1hyYW7QCiGq\
    gRVmnSWGw5bDKG_MJlAryZVwSsht3KpVlUvTwiN8Ieec2enk0KnX1R1sH2gIlZ8pVem_SI1BFVV8fF21LFKBXEn1\
    _tYYcQYrSjEJYZt2LtMe1PxkjOsjd8537Naza96It5lUN9WETauA-hKjecCMrpnEPevdA50-Um4TrNeP7MtTJy-O\
    cIbfCnnZv_HGd4VR2um1WWvDq3KM7pj6T5o-vvlPLTmYJ1o7XuLM0JwwDUVNoh2jmHtY8pAWabDrkw",
    ];
    let key = json!({"kty": "RSA", "n": N, "e": "AQAB", "kid": "r1"});
    for [protected, signature] in [RS256, PS384] {
        let signature = json!({"protected": protected, "signature": signature});
        let mut card = json!({"name": "Ferry", "signatures": [signature]});
        assert_eq!(state(&card, &keys(&key)), State::Valid(Payload::AsServed));
        card["name"] = json!("Fairy");
        assert_eq!(state(&card, &keys(&key)), State::Invalid);
    }
}

#[test]
fn unverifiable_signatures_have_a_reason() {
    let signer = ed25519();
    let keys = signer.keys();
    for (more, obstacle) in [
        (json!({"alg": "none"}), Obstacle::Refused),
        (json!({"alg": "HS256"}), Obstacle::Refused),
        (json!({"alg": "ES999"}), Obstacle::UnknownAlgorithm),
        (json!({"alg": null}), Obstacle::NoAlgorithm),
        (json!({"crit": ["b64"]}), Obstacle::Critical),
        (
            json!({"jku": "http://ferry.example/keys"}),
            Obstacle::KeyUrl,
        ),
        (json!({"jku": "https://192.0.2.1/keys"}), Obstacle::KeyUrl),
    ] {
        let card = signed(&card(), &signer, Payload::AsServed, &more);
        assert_eq!(state(&card, &keys), State::Unverifiable(obstacle), "{more}");
    }
    for (signature, obstacle) in [
        (json!("a text"), Obstacle::Header),
        (json!({"protected": "e30"}), Obstacle::NoAlgorithm),
        (json!({"protected": "W10"}), Obstacle::Header),
        (json!({"protected": "e30=".repeat(2_000)}), Obstacle::Header),
        (
            json!({"protected": BASE64URL.encode(r#"{"alg":"ES256"}"#)}),
            Obstacle::Signature,
        ),
        (
            json!({"protected": BASE64URL.encode(r#"{"alg":"ES256"}"#), "signature": "A".repeat(3_000)}),
            Obstacle::Signature,
        ),
    ] {
        let card = json!({"name": "Ferry", "signatures": [signature]});
        assert_eq!(state(&card, &keys), State::Unverifiable(obstacle), "{card}");
    }
}

#[test]
fn keys_come_only_from_the_site_or_its_provider() {
    let signer = ed25519();
    for (jku, expected) in [
        (
            "https://keys.ferry.example/jwks.json",
            State::Valid(Payload::AsServed),
        ),
        (
            "https://islands.example/jwks.json",
            State::Valid(Payload::AsServed),
        ),
        (
            "https://else.example/jwks.json",
            State::UnverifiedForeignKey,
        ),
    ] {
        let card = signed(&card(), &signer, Payload::AsServed, &json!({"jku": jku}));
        assert_eq!(state(&card, &signer.keys()), expected, "{jku}");
    }
}

#[test]
fn a_key_is_used_only_for_its_purpose() {
    let signer = ecdsa("ES256");
    let card = signed(&card(), &signer, Payload::AsServed, &json!({}));
    for (name, value, expected) in [
        ("kid", json!("k2"), State::Unverified),
        ("alg", json!("ES384"), State::Unverified),
        ("use", json!("enc"), State::Unverified),
        ("crv", json!("P-384"), State::Unverified),
        ("kid", Value::Null, State::Valid(Payload::AsServed)),
        ("alg", json!("ES256"), State::Valid(Payload::AsServed)),
    ] {
        let mut jwk = signer.jwk.clone();
        jwk[name] = value;
        assert_eq!(state(&card, &keys(&jwk)), expected, "{name}");
    }
    let secret = json!({"kty": "oct", "k": "AAAA"});
    assert_eq!(keys(&json!({"keys": [secret, 7]})), []);
}

#[test]
fn the_number_of_verified_signatures_is_bounded() {
    let mut card = card();
    assert_eq!(verify(&card, &home(), &[]), []);
    card["signatures"] = json!(vec![json!({}); MAX_SIGNATURES + 5]);
    assert_eq!(verify(&card, &home(), &[]).len(), MAX_SIGNATURES);
    assert_eq!(verify(&json!(["signatures"]), &home(), &[]), []);
}
