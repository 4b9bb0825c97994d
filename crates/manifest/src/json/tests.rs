//! Bounds and errors of JSON bodies.

use super::*;
use crate::Severity;

fn parsed(text: &str) -> (Option<Value>, Vec<Finding>) {
    let mut findings = Findings::default();
    let parsed = parse(text, &mut findings);
    assert!(
        parsed
            .mended
            .is_none_or(|mended| mended.len() == text.len())
    );
    (parsed.value, findings.into_vec())
}

#[test]
fn members_keep_their_order() {
    let (value, findings) = parsed(r#"{"z":1,"a":[true,null,1.5,"x"]}"#);
    assert_eq!(
        value.unwrap().to_string(),
        r#"{"z":1,"a":[true,null,1.5,"x"]}"#
    );
    assert!(findings.is_empty());
}

#[test]
fn duplicate_members_are_errors_and_the_last_one_is_used() {
    let (value, findings) = parsed(r#"{"a/b":[{"name":1},{"name":1,"name":2}]}"#);
    assert_eq!(value.unwrap()["a/b"][1]["name"], 2);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].rule, "DI-07");
    assert_eq!(findings[0].severity, Severity::Error);
    assert_eq!(findings[0].pointer, "/a~1b/1/name");
}

#[test]
fn comments_and_trailing_commas_are_read_but_are_an_error() {
    let (value, findings) = parsed(
        "{\n// a comment\n\"url\": \"https://a.example/\", /* more */ \"list\": [1, 2,\n],}",
    );
    let value = value.unwrap();
    assert_eq!(value["url"], "https://a.example/");
    assert_eq!(value["list"][1], 2);
    assert_eq!((findings.len(), findings[0].line), (1, Some(2)));
    assert_eq!(findings[0].severity, Severity::Error);
}

#[test]
fn what_cannot_be_read_past_comes_before_the_first_error() {
    let (value, findings) = parsed("{\n  // Crossings\n  \"a\": [1,\n  ],\n  \"b\": [}\n}");
    assert_eq!(value, None);
    let [obstacle, first] = &findings[..] else {
        panic!("{findings:?}")
    };
    assert_eq!((obstacle.line, first.line), (Some(5), Some(2)));
    assert!(
        obstacle
            .message
            .starts_with("invalid JSON: nothing can be read from here on")
    );
    assert!(first.message.contains("a comment"), "{}", first.message);
}

#[test]
fn text_that_is_not_json_gives_only_an_error() {
    for text in [
        "",
        "{",
        "{\"a\":}",
        "{} {}",
        "\"open",
        "/*",
        "// a",
        "[}",
        "[a]",
        "{\"\\u12\": 1}",
    ] {
        let (value, findings) = parsed(text);
        assert_eq!(value, None, "{text}");
        assert_eq!(findings[0].rule, "DI-07", "{text}");
        assert_eq!(findings[0].severity, Severity::Error, "{text}");
    }
}

#[test]
fn common_errors_are_read_leniently_with_one_error_at_the_first() {
    for (text, expected, place, word) in [
        ("{'a': 'b'}", r#"{"a":"b"}"#, (1, 2), "single quotes"),
        (
            "{\n \"a\": 1,\n}",
            r#"{"a":1}"#,
            (2, 8),
            "a comma with nothing",
        ),
        ("[1 2]", "[1,2]", (1, 3), "a comma is missing"),
        ("{a: 1}", r#"{"a":1}"#, (1, 2), "without quotes"),
        ("[0x1F, -0x10]", "[31,-16]", (1, 2), "hexadecimal"),
        (
            "[+1, .5, 5., -Infinity, NaN]",
            "[1,0.5,5.0,-1.7976931348623157e+308,null]",
            (1, 2),
            "plus",
        ),
        ("[\"a\tb\n\"]", r#"["a\tb\n"]"#, (1, 4), "control character"),
        ("{\"ä\": \"\"x\"\"}", r#"{"ä":"x"}"#, (1, 7), "quotes"),
        ("{“a”: [“b”]}", r#"{"a":["b"]}"#, (1, 2), "quotes"),
        ("{}\0\0", "{}", (1, 3), "NUL"),
        ("[\"\\ud800\",]", "[\"\u{FFFD}\"]", (1, 10), "a comma"),
        ("[1e999,]", "[1.7976931348623157e+308]", (1, 7), "a comma"),
    ] {
        let (value, findings) = parsed(text);
        assert_eq!(value.unwrap().to_string(), expected, "{text}");
        let [finding] = &findings[..] else {
            panic!("{text}: {findings:?}");
        };
        assert_eq!(
            (finding.rule.id, finding.severity),
            ("DI-07", Severity::Error)
        );
        assert_eq!(
            (finding.line, finding.column),
            (Some(place.0), Some(place.1)),
            "{text}"
        );
        assert!(
            finding.message.contains(word),
            "{text}: {}",
            finding.message
        );
    }
}

#[test]
fn valid_json_that_rust_cannot_represent_is_only_a_warning() {
    for (text, expected) in [
        ("[1e999]", "[1e+308]"),
        ("[\"\\udc00\\ud800\"]", "[\"\u{FFFD}\u{FFFD}\"]"),
        (
            "{\"a\": -1e999, \"b\": \"\\ud83d\"}",
            "{\"a\":-1e+308,\"b\":\"\u{FFFD}\"}",
        ),
    ] {
        let (value, findings) = parsed(text);
        assert_eq!(value.unwrap().to_string(), expected, "{text}");
        assert!(!findings.is_empty());
        for finding in findings {
            assert_eq!(
                (finding.rule.id, finding.severity),
                ("DI-07", Severity::Warning)
            );
        }
    }
    assert_eq!(parsed(&"7".repeat(400)).0.unwrap().to_string(), "1e+308");
}

#[test]
fn p45_lenient_parsing_keeps_the_bounds_and_reports_duplicates() {
    let (value, findings) = parsed("{'a': 1, 'a': 2}");
    assert_eq!(value.unwrap()["a"], 2);
    assert_eq!(findings[1].pointer, "/a");
    for text in [
        format!(
            "{}{}",
            "['',".repeat(MAX_DEPTH + 1),
            "]".repeat(MAX_DEPTH + 1)
        ),
        format!("[{}]", "'',".repeat(MAX_NODES)),
    ] {
        let (value, findings) = parsed(&text);
        assert_eq!(value, None);
        assert!(findings.iter().any(|finding| finding.rule.id == "DI-03"));
    }
    let deep = "['',".repeat(200_000);
    assert_eq!(parsed(&deep).0, None);
}

#[test]
fn p45_nesting_is_bounded() {
    assert_eq!((MAX_DEPTH, MAX_NODES), (64, 100_000));
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parsed(&nested(MAX_DEPTH)).0.is_some());
    for depth in [MAX_DEPTH + 1, 500_000] {
        let (value, findings) = parsed(&nested(depth));
        assert_eq!(value, None);
        assert_eq!((findings.len(), findings[0].rule.id), (1, "DI-03"));
    }
}

#[test]
fn the_number_of_values_is_bounded() {
    let array = |length: usize| format!("[{}0]", "0,".repeat(length - 1));
    assert!(parsed(&array(MAX_NODES - 1)).0.is_some());
    let (value, findings) = parsed(&array(MAX_NODES));
    assert_eq!(value, None);
    assert_eq!(findings[0].rule, "DI-03");
}
