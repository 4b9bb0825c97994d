//! The bounds and the faults of JSON bodies.

use super::*;

fn parsed(text: &str) -> (Option<Value>, Vec<crate::Finding>) {
    let mut findings = Findings::default();
    let value = parse(text, &mut findings);
    (value, findings.into_vec())
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
fn a_member_given_twice_is_a_warning_and_the_last_one_counts() {
    let (value, findings) = parsed(r#"{"a/b":[{"name":1},{"name":1,"name":2}]}"#);
    assert_eq!(value.unwrap()["a/b"][1]["name"], 2);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].rule, "DI-07");
    assert_eq!(findings[0].severity, Severity::Warning);
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
fn what_is_no_json_at_all_gives_nothing_but_an_error() {
    for text in [
        "", "{", "{\"a\":}", "{} {}", "\"open", "{'a': 1}", "/*", "[1e999]",
    ] {
        let (value, findings) = parsed(text);
        assert_eq!(value, None, "{text}");
        assert_eq!(findings[0].rule, "DI-07", "{text}");
    }
}

#[test]
fn nesting_ends_at_the_bound() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parsed(&nested(MAX_DEPTH)).0.is_some());
    for depth in [MAX_DEPTH + 1, 500_000] {
        let (value, findings) = parsed(&nested(depth));
        assert_eq!(value, None);
        assert_eq!((findings.len(), findings[0].rule.as_str()), (1, "DI-03"));
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
