//! Card signatures against the canonical forms and headers in the shared test data.

use crate::support;
use manifest::signature::{Header, Payload};
use serde_json::{Value, json};

#[test]
fn canonical_forms_and_headers_agree_with_the_vectors() {
    let Some(file) = support::shared("formats/vectors/a2a/signing-vectors.jsonl") else {
        return;
    };
    let text = std::fs::read_to_string(file).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let name = vector["name"].as_str().unwrap();
        for (member, form) in [
            ("canonical_by_spec", Payload::AsServed),
            ("canonical_by_spec", Payload::MembersOf1),
            ("canonical_by_a2a_python", Payload::Sdk),
        ] {
            if let Some(expected) = vector[member].as_str() {
                let found = String::from_utf8(form.of(&vector["input"]).unwrap()).unwrap();
                assert_eq!(found, expected, "{name}: {}", form.as_str());
                compared += 1;
            }
        }
        if let Some(protected) = vector["protected"].as_str() {
            let header = Header::decode(protected).unwrap();
            let found = json!({
                "alg": header.alg, "typ": header.typ, "kid": header.kid, "jku": header.jku,
            });
            assert_eq!(found, vector["decoded"], "{name}");
            compared += 1;
        }
    }
    assert!(compared > 4, "only {compared} comparisons");
}
