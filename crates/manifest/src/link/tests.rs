//! URLs in all forms in which documents write them.

use super::*;

fn base() -> Url {
    Url::parse("https://shop.example/.well-known/agents.json").unwrap()
}

#[test]
fn urls_resolve_against_the_final_url() {
    for (text, expected) in [
        ("/api", Some("https://shop.example/api")),
        (
            "card.json",
            Some("https://shop.example/.well-known/card.json"),
        ),
        (
            " https://API.shop.example ",
            Some("https://api.shop.example/"),
        ),
        ("//cdn.example/x", Some("https://cdn.example/x")),
        ("wss://shop.example/live", Some("wss://shop.example/live")),
        ("", None),
        ("two words", None),
        ("mailto:a@shop.example", None),
        ("javascript:alert(1)", None),
        ("data:text/plain,x", None),
        ("https://", None),
    ] {
        assert_eq!(absolute(&base(), text).as_deref(), expected, "{text}");
    }
}

#[test]
fn colon_parameters_become_braces() {
    for (endpoint, expected) in [
        ("/detail/:id", "/detail/{id}"),
        ("/a/:b-c/:d_e/f", "/a/{b-c}/{d_e}/f"),
        (
            "https://a.example:8443/x/:id",
            "https://a.example:8443/x/{id}",
        ),
        ("https://a.example", "https://a.example"),
        ("/time/12:30", "/time/12:30"),
        ("/:", "/:"),
        ("/x/{id}", "/x/{id}"),
    ] {
        assert_eq!(template(endpoint), expected);
    }
    assert_eq!(
        absolute_template(&base(), "/detail/:id").as_deref(),
        Some("https://shop.example/detail/{id}")
    );
}

#[test]
fn endpoints_are_appended_to_a_base_as_text() {
    for (base, endpoint, expected) in [
        (
            "https://a.example/api",
            "/items/{id}",
            Some("https://a.example/api/items/{id}"),
        ),
        (
            "https://a.example/api/",
            "items",
            Some("https://a.example/api/items"),
        ),
        (
            "https://a.example/api",
            "https://b.example/x",
            Some("https://b.example/x"),
        ),
        ("a.example", "/x", None),
    ] {
        assert_eq!(concatenated(base, endpoint).as_deref(), expected);
    }
}

#[test]
fn urls_without_a_scheme_are_completed() {
    for (text, expected) in [
        ("mugs.com", Some("https://mugs.com/")),
        ("www.mugs.example/tea", Some("https://www.mugs.example/tea")),
        ("mugs.com/tea", Some("https://mugs.com/tea")),
        (
            "`https://shop.example/mcp`",
            Some("https://shop.example/mcp"),
        ),
        ("/mcp", Some("https://shop.example/mcp")),
        (
            "skill.md",
            Some("https://shop.example/.well-known/skill.md"),
        ),
        (
            "card.json",
            Some("https://shop.example/.well-known/card.json"),
        ),
        ("yes", None),
        ("", None),
    ] {
        assert_eq!(guessed(&base(), text).as_deref(), expected, "{text}");
    }
}
