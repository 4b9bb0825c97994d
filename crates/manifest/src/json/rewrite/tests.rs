//! Tests of rewriting: what is corrected, what is kept as it is, and what is refused.

use super::*;
use crate::json::parse;

/// Returns the text as strict JSON, and the kinds of its corrections.
fn strictly(text: &str) -> Option<(String, Vec<Correction>)> {
    let mended = parse(text, &mut Findings::default()).mended;
    let written = rewritten(text, mended.as_deref().unwrap_or(text))?;
    let kinds = written.edits.into_iter().map(|(_, it)| it);
    Some((written.text, kinds.collect()))
}

#[test]
fn di_07_each_fault_is_corrected_and_the_layout_kept() {
    use Correction::{
        Comment, Escape, MissingComma, Name, Nul, Number, Quotes, Space, TrailingComma,
    };
    for (text, expected, kinds) in [
        (
            "{\"a\": [1, 2,],\n}",
            "{\"a\": [1, 2]\n}",
            vec![TrailingComma; 2],
        ),
        (
            "{\"a\": 1\n \"b\": {}\n \"c\": [1 2]}",
            "{\"a\": 1,\n \"b\": {},\n \"c\": [1, 2]}",
            vec![MissingComma; 3],
        ),
        (
            "// one\n{\n  /* two\n   three */\n  \"a\": 1, // four\r\n  \"b\" /* five */: 2\n}\n// six",
            "{\n  \"a\": 1,\r\n  \"b\" : 2\n}\n",
            vec![Comment; 5],
        ),
        (
            "{'a': 'it\\'s \"b\"'}",
            "{\"a\": \"it's \\\"b\\\"\"}",
            vec![Quotes; 2],
        ),
        ("{“a”: „b“}", "{\"a\": \"b\"}", vec![Quotes; 2]),
        (
            "{\"\"a\"\": \"\"b c\"\"}",
            "{\"a\": \"b c\"}",
            vec![Quotes; 2],
        ),
        (
            "{a: 1, 2: 3, true: null}",
            "{\"a\": 1, \"2\": 3, \"true\": null}",
            vec![Name; 3],
        ),
        (
            "[\"a\tb\", \"\\x41\"]",
            "[\"a\\tb\", \"A\"]",
            vec![Escape; 2],
        ),
        (
            "[+1, .5, 5., 0x10, 1e2]",
            "[1, 0.5, 5.0, 16, 1e2]",
            vec![Number; 4],
        ),
        ("{\u{a0}\"a\": 1\u{0}}", "{ \"a\": 1}", vec![Space, Nul]),
    ] {
        assert_eq!(strictly(text), Some((expected.to_owned(), kinds)), "{text}");
    }
}

#[test]
fn di_07_nothing_is_corrected_that_is_not_certain() {
    for text in [
        "{\"a\": NaN}",
        "{\"a\": Infinity,}",
        "{\"a\": \"\\ud800\",}",
        "{\"a\": 1e999,}",
        "{\"a\": 1",
        "{\"a\": True}",
        "{\"a\": 1}}",
        "",
    ] {
        assert_eq!(strictly(text), None, "{text}");
    }
}

#[test]
fn di_07_many_faults_take_linear_time() {
    for part in ["//\n", "/**/", "'a',", "[1 2]", " /* */ "] {
        let text = format!("[{}]", part.repeat(200_000 / part.len()));
        let started = std::time::Instant::now();
        strictly(&text);
        assert!(started.elapsed().as_secs() < 5, "{part}");
    }
}
