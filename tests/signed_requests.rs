//! Signed requests as the servers of a small web receive them (P5).

use crate::crawl::{CARD, CARD_PATH, Stage};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{ED25519, UnparsedPublicKey};
use simweb::{Request, Simweb};
use std::collections::HashSet;
use std::time::Duration;

/// `test-key-ed25519` of RFC 9421 appendix B.1.4.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";
const HEADERS: [&str; 3] = ["signature-agent", "signature-input", "signature"];

/// Returns the public key, as the crawler itself publishes it.
fn public_key(stage: &Stage) -> Vec<u8> {
    let path = stage.file("key.pem");
    let arguments = ["key-directory", "--sign-key", path.to_str().unwrap()];
    let output = crate::support::run("crawler", path.parent().unwrap(), &arguments);
    let directory: serde_json::Value = serde_json::from_str(&output.output).unwrap();
    let x = directory["keys"][0]["x"].as_str().unwrap();
    URL_SAFE_NO_PAD.decode(x).unwrap()
}

/// Asserts that the signature of `request` is good, and gives it.
fn verified(request: &Request, authority: &str, key: &[u8]) -> String {
    let [agent, input, signature] = HEADERS.map(|name| request.header(name).unwrap());
    assert_eq!(agent, "sig1=\"https://agents.example.com\"");
    let parameters = input.strip_prefix("sig1=").unwrap();
    let number = |name: &str| -> u64 {
        let rest = parameters.split_once(name).unwrap().1;
        rest.split(';').next().unwrap().parse().unwrap()
    };
    let (created, expires) = (number(";created="), number(";expires="));
    assert!(created.abs_diff(request.unix_ms / 1_000) <= Duration::from_secs(5).as_secs());
    assert!(expires > created && expires - created <= 300);
    let base = format!(
        "\"@authority\": {authority}\n\"signature-agent\";key=\"sig1\": \"https://agents.example.com\"\n\"@signature-params\": {parameters}"
    );
    let bytes = signature.strip_prefix("sig1=:").unwrap();
    let bytes = STANDARD.decode(bytes.strip_suffix(':').unwrap()).unwrap();
    UnparsedPublicKey::new(&ED25519, key)
        .verify(base.as_bytes(), &bytes)
        .unwrap_or_else(|_| panic!("{}{}", request.host, request.path));
    signature.to_owned()
}

#[tokio::test]
async fn p05_every_request_is_signed_and_robots_txt_no_differently() {
    let web = Simweb::builder()
        .site("mesa.example")
        .file(CARD_PATH, CARD)
        .site("sala.example");
    let mut stage = Stage::new(web).await;
    std::fs::write(stage.file("key.pem"), KEY).unwrap();
    stage.sign_key = Some(stage.file("key.pem"));
    stage.crawl().await;
    let key = public_key(&stage);
    let requests = stage.web.requests();
    assert!(requests.iter().any(|it| it.path == "/robots.txt"));
    assert!(requests.iter().any(|it| it.path == CARD_PATH));
    let mut signatures = HashSet::new();
    for request in &requests {
        let mut seeds = stage.seeds.iter();
        let authority = seeds.find(|seed| seed.starts_with(&request.host)).unwrap();
        assert!(signatures.insert(verified(request, authority, &key)));
    }
}

#[tokio::test]
async fn p05_nothing_is_signed_unless_asked_for() {
    let stage = Stage::new(Simweb::builder().site("mesa.example")).await;
    stage.crawl().await;
    for request in stage.web.requests() {
        for name in HEADERS {
            assert_eq!(request.header(name), None, "{}", request.path);
        }
    }
}
