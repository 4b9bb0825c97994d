//! Tests of the registry's agent card and its signatures.

use super::a2a::refused;
use super::*;
use crate::secrets::Secrets;
use manifest::Domain;
use manifest::author::Draft;
use manifest::signature::{self, Payload, State};
use serde_json::json;

#[tokio::test]
async fn the_card_is_the_same_at_both_places_and_has_every_skill_that_is_answered() {
    let registry = registry::full().await;
    let card = get(&registry, "/.well-known/agent-card.json").await;
    assert_eq!(card.header(CONTENT_TYPE), "application/json");
    assert_eq!(card.header(ACCESS_CONTROL_ALLOW_ORIGIN), "*");
    assert_ne!(card.header(ETAG), "");
    let old = get(&registry, "/.well-known/agent.json").await;
    assert_eq!(old.body, card.body);
    let card = card.json();
    let skills: Vec<&str> = card["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    for skill in ["search", "browse", "detail", "capabilities", "check"] {
        assert!(skills.contains(&skill), "{skills:?}");
    }
    assert!(skills.contains(&"leave"));
    for skill in skills {
        let part = json!({"data": {"skill": skill, "unknown": 1}});
        let [error, _] = refused(&registry, part).await;
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("nknown parameter `unknown`"),
            "{skill}: {message}"
        );
    }
}

#[tokio::test]
async fn the_card_passes_our_lint_without_a_finding() {
    let registry = registry::full().await;
    let card = get(&registry, "/.well-known/agent-card.json").await;
    for name in ["/.well-known/agent-card.json", "/.well-known/agent.json"] {
        let lint = Draft {
            body: card.body.clone().into_bytes(),
            name,
            origin: Some(&"https://agentdex.example".parse().unwrap()),
            format: None,
        }
        .lint()
        .unwrap();
        let findings: Vec<_> = lint
            .reading
            .findings
            .iter()
            .map(|it| (it.rule, &it.message))
            .collect();
        assert!(findings.is_empty(), "{name}: {findings:?}");
        assert_eq!(lint.reading.level(), manifest::Level::A);
        let agent = &lint.reading.agents[0];
        assert_eq!(agent.signatures.len(), 2);
    }
}

#[tokio::test]
async fn both_signatures_of_the_card_are_valid_under_the_published_keys() {
    let registry = registry::empty().await;
    let card = get(&registry, "/.well-known/agent-card.json").await.json();
    let set = get(&registry, "/.well-known/jwks.json").await.json();
    assert!(
        set["keys"][0]["d"].is_null(),
        "the private part is published"
    );
    let keys = signature::keys(&set);
    let domain = Domain::parse("agentdex.example").unwrap();
    let verdicts = signature::verify(&card, &domain, &keys);
    let states: Vec<_> = verdicts.iter().map(|it| it.state).collect();
    assert_eq!(
        states,
        [
            State::Valid(Payload::AsServed),
            State::Valid(Payload::MembersOf1)
        ]
    );
    let jku = verdicts[0].jku.as_deref();
    assert_eq!(jku, Some("https://agentdex.example/.well-known/jwks.json"));
    let mut forged = card;
    forged["skills"][0]["description"] = "Sends all mail to us".into();
    let verdicts = signature::verify(&forged, &domain, &keys);
    assert!(
        verdicts.iter().all(|it| it.state == State::Invalid),
        "{verdicts:?}"
    );
}

#[tokio::test]
async fn a_rotated_key_still_verifies_the_card_that_a_client_kept() {
    let registry = registry::empty().await;
    let kept = get(&registry, "/.well-known/agent-card.json").await.json();
    let month = std::time::Duration::from_hours(30 * 24);
    registry
        .state
        .secrets
        .renew(registry::now().after(month))
        .unwrap();
    let set = get(&registry, "/.well-known/jwks.json").await.json();
    // Two of the card, and two of the records of sessions.
    assert_eq!(set["keys"].as_array().unwrap().len(), 4);
    let keys = signature::keys(&set);
    let domain = Domain::parse("agentdex.example").unwrap();
    let verdicts = signature::verify(&kept, &domain, &keys);
    assert_eq!(verdicts[0].state, State::Valid(Payload::AsServed));
    // Before the new key is known to all processes, the old one signs.
    let now = get(&registry, "/.well-known/agent-card.json").await.json();
    assert_eq!(now, kept);
}

#[tokio::test]
async fn a_card_without_https_names_no_address_of_keys() {
    let mut registry = registry::empty().await;
    registry.state.public_url = "http://127.0.0.1:8080".to_owned();
    let card = get(&registry, "/.well-known/agent-card.json").await.json();
    let verdicts = signature::verify(&card, &Domain::parse("agentdex.example").unwrap(), &[]);
    assert_eq!(verdicts[0].jku, None);
    assert_eq!(card["url"], "http://127.0.0.1:8080/a2a");
}

#[test]
fn a_file_of_secrets_without_a_card_key_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.secrets");
    let now = registry::now();
    Secrets::open(&path, now).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let cursor = text.lines().filter(|it| !it.starts_with("card "));
    let cursor = cursor.collect::<Vec<_>>().join("\n");
    std::fs::write(&path, format!("{cursor}\n")).unwrap();
    let secrets = Secrets::open(&path, now).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("card ").count(), 1);
    assert!(
        text.contains(cursor.lines().last().unwrap()),
        "the cursor key is kept"
    );
    let shown = format!("{secrets:?} {:?}", secrets.card_keys(now));
    let seed = text.lines().find(|it| it.starts_with("card ")).unwrap();
    let seed = seed.split(' ').next_back().unwrap();
    assert!(!shown.contains(seed), "{shown}");
}
