//! First errors of texts that are not JSON, with their positions and corrections.

use crate::finding::Findings;
use crate::json;

/// Text, line and column of its first error, the problem, and the corrected line.
type Error = (&'static str, (u32, u32), &'static str, Option<&'static str>);

const ERRORS: &[Error] = &[
    (
        "{\n \"a\": 1\n \"b\": 2\n}",
        (2, 8),
        "a comma is missing",
        Some("\"a\": 1,"),
    ),
    (
        "{\"a\": [1 2]}",
        (1, 9),
        "a comma is missing",
        Some("{\"a\": [1, 2]}"),
    ),
    (
        "{\n \"a\": 1,\n}",
        (2, 8),
        "a comma with nothing after it",
        Some("\"a\": 1"),
    ),
    (
        "[1, 2,]",
        (1, 6),
        "a comma with nothing after it",
        Some("[1, 2]"),
    ),
    (
        "{\n \"a\": \"b,\n \"c\": 1\n}",
        (2, 7),
        "this string has no closing quote",
        Some("\"a\": \"b\","),
    ),
    (
        "{\n \"a\": 1,\n \"b\": \"c,\n}",
        (3, 7),
        "this string has no closing quote",
        Some("\"b\": \"c\""),
    ),
    (
        "[\"a\", \"b,]\n",
        (1, 7),
        "this string has no closing quote",
        Some("[\"a\", \"b\"]"),
    ),
    (
        "{\n \"a: \"b\",\n \"c\": 1\n}",
        (2, 2),
        "the name of this member has no closing quote",
        Some("\"a\": \"b\","),
    ),
    (
        "{\"a\": b\"}",
        (1, 7),
        "this string has no opening quote",
        Some("{\"a\": \"b\"}"),
    ),
    (
        "{a: 1}",
        (1, 2),
        "the name of a member without quotes",
        Some("{\"a\": 1}"),
    ),
    (
        "{'a': 'b'}",
        (1, 2),
        "single quotes",
        Some("{\"a\": \"b\"}"),
    ),
    (
        "{\"a\": 1 // c\n}",
        (1, 9),
        "a comment, which JSON does not have",
        Some("{\"a\": 1"),
    ),
    (
        "{\"a\": \"one\ntwo\"}",
        (1, 11),
        "a line break in a string",
        Some("{\"a\": \"one\\ntwo\"}"),
    ),
    (
        "{\"a\": \"the \"b\" c\"}",
        (1, 12),
        "a quote inside of a string",
        Some("{\"a\": \"the \\\"b\\\" c\"}"),
    ),
    (
        "{\"a\": {\"b\": 1}\n",
        (1, 15),
        "the file ends, but `{` in line 1 is not closed",
        None,
    ),
    (
        "{\"a\": \"b",
        (1, 7),
        "this string has no closing quote",
        Some("{\"a\": \"b\""),
    ),
    (
        "{\"a\":",
        (1, 6),
        "the file ends in the middle of a member; is it complete",
        None,
    ),
    (
        "{\"a\": [1, 2}",
        (1, 12),
        "`[` in line 1 is not closed before this `}`",
        Some("{\"a\": [1, 2]}"),
    ),
    (
        "[{\"a\": 1, {\"b\": 2}]",
        (1, 9),
        "`{` in line 1 is not closed before the next item",
        Some("[{\"a\": 1}, {\"b\": 2}]"),
    ),
    (
        "{\"a\": [{}],\n{\"b\": 1}]}",
        (1, 10),
        "this `]` closes the list, but an item follows in line 2",
        Some("{\"a\": [{},"),
    ),
    (
        "{\"a\": 1}}",
        (1, 9),
        "`}` closes nothing",
        Some("{\"a\": 1}"),
    ),
    (
        "{\"a\" = 1}",
        (1, 6),
        "`=` after the name of a member",
        Some("{\"a\" : 1}"),
    ),
    (
        "{\"a\" 1}",
        (1, 5),
        "a colon is missing after the name of a member",
        Some("{\"a\": 1}"),
    ),
    (
        "{\"a\": , \"b\": 1}",
        (1, 6),
        "a member without a value",
        Some("{\"a\": \"…\" , \"b\": 1}"),
    ),
    (
        "{\"a\": 1.0.0}",
        (1, 7),
        "this is not a number",
        Some("{\"a\": \"1.0.0\"}"),
    ),
    (
        "{\"a\": True}",
        (1, 7),
        "True is not how JSON writes it",
        Some("{\"a\": true}"),
    ),
    (
        "{\"a\": undefined}",
        (1, 7),
        "undefined, which JSON does not have",
        Some("{\"a\": null}"),
    ),
    (
        "{\"a\": Ferry times}",
        (1, 7),
        "a text without quotes",
        Some("{\"a\": \"Ferry times\"}"),
    ),
    (
        "{\"a\": 007}",
        (1, 7),
        "a number with a leading zero",
        Some("{\"a\": 7}"),
    ),
    (
        "{\"a\": \"C:\\data\"}",
        (1, 10),
        "JSON has no escape \\d",
        Some("{\"a\": \"C:\\\\data\"}"),
    ),
    (
        "{\n<<<<<<< ours\n}",
        (2, 1),
        "a conflict of a merge that was not resolved",
        None,
    ),
    ("{“a”: 1}", (1, 2), "typographic quotes", Some("{\"a\": 1}")),
    (
        "{\"a\": 1}\n{\"b\": 2}",
        (2, 1),
        "more text after the document, which ends in line 1",
        None,
    ),
    (
        "{\"a\": 1; \"b\": 2}",
        (1, 8),
        "a semicolon",
        Some("{\"a\": 1, \"b\": 2}"),
    ),
];

#[test]
fn each_error_is_named_at_its_place_with_the_corrected_line() {
    for (text, place, problem, correction) in ERRORS {
        let mut findings = Findings::default();
        json::parse(text, &mut findings);
        let findings = findings.into_vec();
        let finding = &findings[0];
        assert_eq!(
            finding.message,
            format!("invalid JSON: {problem}"),
            "{text}"
        );
        assert_eq!(
            (finding.line, finding.column),
            (Some(place.0), Some(place.1)),
            "{text}"
        );
        assert_eq!(finding.correction.as_deref(), *correction, "{text}");
        assert!(finding.help.is_some(), "{text}");
    }
}

#[test]
fn each_corrected_line_is_right() {
    for text in [
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": [1, 2}",
        "{a: 1}",
        "{'a': 'b'}",
        "{\"a\": 007}",
        "[1,]",
    ] {
        let mut findings = Findings::default();
        json::parse(text, &mut findings);
        let finding = &findings.into_vec()[0];
        let corrected = finding.correction.as_deref().unwrap();
        assert!(
            serde_json::from_str::<serde_json::Value>(corrected).is_ok(),
            "{text}: {corrected}"
        );
    }
}

#[test]
fn a_text_is_accepted_exactly_if_it_is_json() {
    for text in [
        "{}",
        "[]",
        " [1, -2.5e+3, true, null, \"\\u00e9\\n\"] ",
        "{\"a\": {\"b\": [{}]}}",
        "0",
        "\"\"",
        "",
        "[01]",
        "[1.]",
        "[.5]",
        "[-]",
        "[\"\\x\"]",
        "{\"a\"}",
        "{,}",
        "[,]",
        "nul",
        "{\"a\": 1,, \"b\": 2}",
        "[\"a\" \"b\"]",
        "[1e]",
        "{\"a\": \"\u{1}\"}",
        "[\"\"\"\"]",
        "\\",
    ] {
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        assert_eq!(super::first_fault(text).is_none(), is_json, "{text}");
    }
}
