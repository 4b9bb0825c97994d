//! Tests of names that deceive, and of ordinary ones.

use super::*;
use crate::agent::{Interface, Provider, Withheld};
use crate::document::sample;
use crate::{merge, read};

fn listing(name: &str) -> Listing {
    let body = format!(r#"{{"name": "{name}", "description": "Pays bills."}}"#);
    let document = sample("pay.example", "/.well-known/agents.json", body);
    let domain = Domain::parse("pay.example").unwrap();
    let merged = merge::merge(&domain, &[(&document, read(&document))]);
    merged.listings.into_iter().next().unwrap()
}

#[test]
fn letters_of_several_scripts_in_a_word_are_a_sign() {
    for (name, word) in [
        ("Acme Pаy", "Pаy"),
        ("αcme payments", "αcme"),
        ("Аcme", "Аcme"),
        ("Acme·Payмents", "Payмents"),
    ] {
        assert_eq!(mixed_words(name), [word], "{name}");
        let cautions = of(&listing(name));
        let mixed = Caution {
            kind: CautionKind::MixedScripts,
            about: word.to_owned(),
        };
        assert!(cautions.contains(&mixed), "{cautions:?}");
    }
}

#[test]
fn ordinary_names_have_no_sign() {
    for name in [
        "Acme Payments 2.0",
        "Банк Acme",
        "ChatGPT助手",
        "天気予報AI",
        "카카오Pay",
        "Caffè Übersetzung",
        "Ελληνικά",
        "it’s_a-name",
        "",
    ] {
        assert!(mixed_words(name).is_empty(), "{name}");
    }
    assert!(of(&listing("Acme Payments")).is_empty());
}

#[test]
fn names_that_look_the_same_have_the_same_shape() {
    for (one, other) in [
        ("PayPal", "PayPaI"),
        ("PayPal", "РауРаl"),
        ("paypal", "pаypal"),
        ("Acme  Bank", "acme bank"),
        ("rnodern", "modern"),
    ] {
        assert_eq!(shape(one), shape(other), "{one} and {other}");
    }
    for (one, other) in [("PayPal", "PayPai"), ("Café", "Cafe"), ("Acme", "Acne")] {
        assert_ne!(shape(one), shape(other), "{one} and {other}");
    }
}

#[test]
fn addresses_of_another_registrable_domain_are_signs() {
    let mut listing = listing("Acme");
    let agent = &mut listing.agent;
    agent.homepage = Some("https://bank.example/".to_owned());
    agent.provider = Some(Provider {
        name: "Bank".to_owned(),
        url: Some("https://www.bank.example/".to_owned()),
    });
    agent.interfaces = [
        "https://api.pay.example/",
        "grpc.cloud.example:443",
        "https://bank.example/a2a",
    ]
    .map(|url| Interface {
        url: url.to_owned(),
        ..Interface::default()
    })
    .to_vec();
    agent.withheld = vec![Withheld {
        field: "url".to_owned(),
        reason: "an IP address outside of the public Internet".to_owned(),
    }];
    let found: Vec<_> = of(&listing)
        .into_iter()
        .map(|it| (it.kind, it.about))
        .collect();
    let expected = [
        (CautionKind::ForeignProvider, "bank.example"),
        (CautionKind::ForeignHomepage, "bank.example"),
        (CautionKind::ForeignEndpoint, "cloud.example"),
        (CautionKind::ForeignEndpoint, "bank.example"),
        (
            CautionKind::UnreachableAddress,
            "url, an IP address outside of the public Internet",
        ),
    ];
    assert_eq!(
        found,
        expected.map(|(kind, about)| (kind, about.to_owned()))
    );
}
