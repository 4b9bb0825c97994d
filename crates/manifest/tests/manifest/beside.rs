//! API descriptions, policies, URLs and signatures: any text is accepted or refused without a
//! panic.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use manifest::signature::{self, Payload, keys};
use manifest::{Domain, ajson, openapi, policy, text};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Longer than the maximum width of a format string (65,535).
const LONG: usize = 65_536;

fn tries(text: &str) {
    let _ = Domain::parse(text).map(|it| {
        (
            it.to_unicode(),
            it.registrable().to_owned(),
            it.is_special_use(),
        )
    });
    let _ = ajson::candidates(text);
    let _ = ajson::candidates(&format!("ajson://{text}"));
    let _ = ajson::candidates(&format!("ajson://shop.example/{text}"));
    for expression in [
        text.to_owned(),
        format!("tool.type =~ '{text}'"),
        format!("tool.a in [{text}]"),
    ] {
        if let Err(error) = policy::parse(&expression) {
            assert!(!error.to_string().is_empty() && error.column > 0);
        }
    }
    for api in [
        text.to_owned(),
        format!("openapi: 3.1.0\n{text}"),
        format!("openapi: {text}\npaths: {{/a: {{get: {{summary: {text}}}}}}}"),
        format!("{{\"swagger\": \"2.0\", \"host\": {text}}}"),
    ] {
        let _ = openapi::read(api.as_bytes());
    }
    assert!(text::clean(text, 7).chars().count() <= 7);
}

#[test]
fn very_long_texts_are_accepted_or_refused() {
    for piece in [
        "a", "9", "é", "東", "👍🏽", "\u{301}", "a.", "xn--", ".", "-", "%", "%2f", "/", "../", "[",
        "(", "{", "not ", "a && ", "'", "\"", "\\", "a: &b\n", "*b ", "- ", "  ", "\t", "? ", "! ",
        "%YAML ", "---\n", "<<: *a\n", "\0",
    ] {
        for times in [1, 64, 254, 700, LONG] {
            tries(&piece.repeat(times));
        }
    }
    let anchors = (1..40).fold("a0: &a0 [x]\n".to_owned(), |text, number| {
        let before = number - 1;
        format!(
            "{text}a{number}: &a{number} [{}]\n",
            format!("*a{before},").repeat(9)
        )
    });
    tries(&anchors);
}

/// Generates values of any type for members of a card, a key and a header.
fn odd() -> impl Strategy<Value = Value> {
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    prop_oneof![
        bytes.prop_map(|bytes| json!(BASE64_URL_SAFE_NO_PAD.encode(bytes))),
        any::<f64>().prop_map(|number| json!(number)),
        any::<u64>().prop_map(|number| json!(number)),
        "\\PC{0,9}".prop_map(|text| json!(text)),
        Just(json!([[], {}, null])),
    ]
}

proptest! {
    #[test]
    fn any_text_is_accepted_or_refused(
        head in "[\\PC\n]{0,12}", piece in "[\\PC\n]{1,3}", times in 0_usize..2_000, tail in "[\\PC\n]{0,12}",
    ) {
        tries(&format!("{head}{}{tail}", piece.repeat(times)));
    }

    #[test]
    fn any_card_header_and_key_have_a_verdict(
        alg in "(EdDSA|ES256|ES384|RS256|PS256|none|\\PC{0,5})", kty in "(OKP|EC|RSA)", x in odd(), y in odd(),
        signature in odd(), value in odd(),
    ) {
        let curves = json!({"EdDSA": "Ed25519", "ES256": "P-256", "ES384": "P-384"});
        let curve = curves[&alg].clone();
        let set = json!({"keys": [{"kty": kty, "crv": curve, "x": x, "y": y, "n": x, "e": y, "kid": "k"}, value]});
        let header = json!({"alg": alg, "kid": "k"}).to_string();
        let protected = BASE64_URL_SAFE_NO_PAD.encode(header);
        let card = json!({
            "name": value, "skills": [value, {"id": x}],
            "signatures": [{"protected": protected, "signature": signature}, {"protected": value}, value],
        });
        let domain = Domain::parse("shop.example").unwrap();
        let verdicts = signature::verify(&card, &domain, &keys(&set));
        prop_assert!(verdicts.iter().all(|it| !matches!(it.state, signature::State::Valid(_))));
        for payload in Payload::ALL {
            let _ = payload.of(&card);
        }
    }
}
