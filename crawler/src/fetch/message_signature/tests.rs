//! Tests with the published examples, and with the public key.

use super::*;
use ring::signature::{ED25519, UnparsedPublicKey};

/// `test-key-ed25519` of RFC 9421 appendix B.1.4, as PKCS#8.
const KEY: &str = "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF";
/// 2025-01-01T00:00:00Z.
const CREATED: u64 = 1_735_689_600;
const NONCE: Nonce = [7; 32];

fn key() -> Key {
    Key::from_pkcs8(&STANDARD.decode(KEY).unwrap()).unwrap()
}

fn signer(origin: &str) -> Signer {
    Signer::new(key(), &Url::parse(origin).unwrap())
}

#[test]
fn p05_the_published_example_is_reproduced_exactly() {
    let headers = signer("https://signature-agent.test").sign_until(&Parameters {
        label: "agent2",
        authority: "example.com",
        created: CREATED,
        expires: 4_889_289_600,
        nonce: "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==",
    });
    assert_eq!(headers.agent, "agent2=\"https://signature-agent.test\"");
    // The label of the published example is sig2, which is not part of the signed text.
    assert_eq!(
        headers.signature,
        "agent2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:"
    );
}

#[test]
fn p05_a_signature_verifies_with_the_key_of_the_directory() {
    let headers = signer("https://agents.example.com/bot?a#b").signature_headers(
        "mesa.example:8443",
        Timestamp(1_735_689_600_999),
        &NONCE,
    );
    assert_eq!(headers.agent, "sig1=\"https://agents.example.com\"");
    let parameters = headers.input.strip_prefix("sig1=").unwrap();
    let base = format!(
        "\"@authority\": mesa.example:8443\n\"signature-agent\";key=\"sig1\": \"https://agents.example.com\"\n\"@signature-params\": {parameters}"
    );
    let directory = key().directory();
    let x = directory["keys"][0]["x"].as_str().unwrap();
    let public = UnparsedPublicKey::new(&ED25519, URL_SAFE_NO_PAD.decode(x).unwrap());
    let signature = headers.signature.strip_prefix("sig1=:").unwrap();
    let signature = STANDARD.decode(signature.trim_end_matches(':')).unwrap();
    public.verify(base.as_bytes(), &signature).unwrap();
    let forged = base.replace("mesa", "sala");
    assert!(public.verify(forged.as_bytes(), &signature).is_err());
}

#[test]
fn p05_a_signature_holds_for_at_most_five_minutes() {
    let signer = signer("https://agents.example.com");
    let input = signer
        .signature_headers("mesa.example", Timestamp(1_735_689_600_999), &NONCE)
        .input;
    let number = |name: &str| -> u64 {
        let rest = input.split_once(&format!(";{name}=")).unwrap().1;
        rest.split(';').next().unwrap().parse().unwrap()
    };
    assert_eq!(number("created"), CREATED);
    let life = number("expires") - number("created");
    assert!((60..=300).contains(&life), "{life}");
    assert!(input.ends_with(";tag=\"web-bot-auth\""), "{input}");
}

#[test]
fn p05_each_nonce_gives_another_signature() {
    let signer = signer("https://agents.example.com");
    let signature = |nonce| signer.signature_headers("mesa.example", Timestamp(0), &nonce);
    assert_eq!(signature([1; 32]), signature([1; 32]));
    assert_ne!(signature([1; 32]).signature, signature([2; 32]).signature);
}

#[test]
fn p05_the_directory_names_the_key_by_its_thumbprint() {
    let expected = json!({"keys": [{
        "kty": "OKP",
        "crv": "Ed25519",
        "kid": "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
        "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
        "use": "sig",
    }]});
    assert_eq!(key().directory(), expected);
}

#[test]
fn an_authority_has_a_port_only_if_it_is_not_the_default() {
    let of = |text| authority(&Url::parse(text).unwrap());
    assert_eq!(of("https://Mesa.Example/robots.txt"), "mesa.example");
    assert_eq!(of("https://mesa.example:443/"), "mesa.example");
    assert_eq!(of("https://mesa.example:8443/"), "mesa.example:8443");
    assert_eq!(of("http://mesa.example:80/"), "mesa.example");
}

#[test]
fn a_key_of_another_kind_is_refused() {
    assert!(matches!(Key::from_pkcs8(b"noise"), Err(KeyError::Kind)));
    let missing = Key::read(Path::new("no/such/key.pem"));
    assert!(matches!(missing, Err(KeyError::Pem(_))));
}
