//! Well-formed URIs and their candidates.

use super::{AjsonUri, Unresolvable, candidates};

fn places(text: &str) -> Vec<String> {
    let places = candidates(text).unwrap();
    places.into_iter().map(String::from).collect()
}

#[test]
fn a_uri_under_agents_has_one_candidate() {
    let place = "https://shop.example/.well-known/agents/oven.agents.json";
    for text in [
        "ajson://shop.example/agents/oven",
        "AJSON://Shop.example:443/agents/oven#runtime",
        "ajson://shop.example/agents/oven.agents.json",
        "ajson://shop.example/agents/oven?v=1",
    ] {
        assert_eq!(places(text), [place], "{text}");
    }
}

#[test]
fn another_path_has_two_candidates() {
    assert_eq!(
        places("ajson://bücher.example/bots/oven/v2.1"),
        [
            "https://xn--bcher-kva.example/.well-known/agents/bots/oven/v2.1.agents.json",
            "https://xn--bcher-kva.example/.well-known/bots/oven/v2.1.agents.json",
        ]
    );
    // One of the two belongs to the Interaction API.
    assert_eq!(
        places("ajson://shop.example/api/cart"),
        ["https://shop.example/.well-known/api/cart.agents.json"]
    );
}

#[test]
fn identifiers_and_private_names_have_no_candidates() {
    use Unresolvable::{NoPath, PrivateHost, Reserved};
    for (text, reason) in [
        ("ajson://router", NoPath),
        ("ajson://shop.example", NoPath),
        ("ajson://shop.example/", NoPath),
        ("ajson://shop.example/bots/", NoPath),
        ("ajson://example/router", PrivateHost),
        ("ajson://localhost/agents/x", PrivateHost),
        ("ajson://registry.internal/agents/x", PrivateHost),
        ("ajson://127.0.0.1/agents/x", PrivateHost),
        ("ajson://0x7f.1/agents/x", PrivateHost),
        ("ajson://[::1]:443/agents/x", PrivateHost),
        ("ajson://shop.example:8080/agents/x", PrivateHost),
        ("ajson://shop.example/agents/api/cart", Reserved),
        ("ajson://shop.example/agents/%61pi/cart", Reserved),
        ("ajson://shop.example/agents/./api/cart", Reserved),
        ("ajson://shop.example/agents/api", Reserved),
    ] {
        assert_eq!(
            AjsonUri::parse(text).unwrap().candidates(),
            Err(reason),
            "{text}"
        );
        assert!(places(text).is_empty());
    }
}

#[test]
fn malformed_uris_report_their_rule() {
    for (text, rule) in [
        ("https://shop.example/agents/x", "AU-01"),
        ("ajson:oven", "AU-01"),
        ("ajson:///agents/x", "AU-01"),
        ("", "AU-01"),
        ("ajson://me@shop.example/agents/x", "AU-02"),
        ("ajson://bake ry.example/agents/x", "AU-03"),
        ("ajson://[oven", "AU-03"),
        ("ajson://shop..example/x", "AU-03"),
        ("ajson://shop.example:99999/x", "AU-03"),
        ("ajson://shop.example:0/x", "AU-03"),
        ("ajson://shop.example:oven/x", "AU-03"),
        ("ajson://shop.example/../secret", "AU-05"),
        ("ajson://shop.example/a/%2E%2e/%2e./secret", "AU-05"),
        ("ajson://shop.example/a\\..\\b", "AU-05"),
        ("ajson://shop.example/a%2Fb", "AU-05"),
        ("ajson://shop.example/a%5cb", "AU-05"),
        ("ajson://shop.example/a%00", "AU-05"),
        ("ajson://shop.example/a#b c", "AU-05"),
    ] {
        assert_eq!(AjsonUri::parse(text).unwrap_err().rule(), rule, "{text}");
    }
    let long = format!("ajson://shop.example/{}", "a".repeat(2_000));
    assert_eq!(AjsonUri::parse(&long).unwrap_err().rule(), "AU-05");
}

#[test]
fn query_and_fragment_are_kept_apart() {
    let uri = AjsonUri::parse("ajson://shop.example/agents/x?v=1#capability/y?").unwrap();
    assert_eq!(
        (uri.query(), uri.fragment()),
        (Some("v=1"), Some("capability/y?"))
    );
}
