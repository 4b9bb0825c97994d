//! Accepted and rejected expressions, and their messages.

use super::{Literal, Step, TermKind, parse};

fn rule(text: &str) -> &'static str {
    parse(text).unwrap_err().rule().id
}

fn warnings(text: &str) -> Vec<(&'static str, String)> {
    let warnings = parse(text).unwrap().warnings;
    warnings
        .into_iter()
        .map(|it| (it.rule().id, text[it.span.clone()].to_owned()))
        .collect()
}

#[test]
fn expressions_of_the_grammar_have_no_warnings() {
    for text in [
        "tool.type == 'http'",
        "tool.type not in ['system', 'plugin'] || not (agent.id starts_with 'ajson://ops')",
        "not not message.hops[0].urgent",
        "message.parts['a'] contains 'it\\'s' and runtime.load >= -1.5",
        "tool.contains.in == null",
        "agent.tags in []",
        "(tool.a == 1) == true",
        "((((((((((tool.a))))))))))",
        "tool.endpoint !~ '^https://.*\\.shop\\.example$'",
    ] {
        assert_eq!(warnings(text), [], "{text}");
    }
}

#[test]
fn and_binds_more_tightly_than_or() {
    let text = "tool.a || tool.b and tool.c or tool.d";
    let TermKind::Any(terms) = parse(text).unwrap().term.kind else {
        panic!("{text}");
    };
    let spans: Vec<_> = terms.iter().map(|term| &text[term.span.clone()]).collect();
    assert_eq!(spans, ["tool.a", "tool.b and tool.c", "tool.d"]);
}

#[test]
fn a_path_keeps_its_steps_and_a_string_its_escapes() {
    let expression = parse(r"message.parts[0]['it\'s'] ~ '\d\\.'").unwrap();
    let TermKind::Compare(comparison) = expression.term.kind else {
        panic!("a comparison");
    };
    let TermKind::Access(access) = comparison.lhs.kind else {
        panic!("a path");
    };
    assert_eq!(access.root, "message");
    assert_eq!(
        access.steps,
        [
            Step::Member("parts".to_owned()),
            Step::Index(Literal::Number(0.0)),
            Step::Index(Literal::Text("it's".to_owned())),
        ]
    );
    let pattern = Literal::Text(r"\d\.".to_owned());
    assert_eq!(comparison.rhs.kind, TermKind::Literal(pattern));
}

#[test]
fn foreign_operators_and_broken_expressions_are_errors() {
    for (text, expected) in [
        ("tool.type === 'http'", "PE-02"),
        ("tool.type !== 'http'", "PE-02"),
        ("tool.type = 'http'", "PE-02"),
        ("tool.a == 1 & tool.b == 2", "PE-02"),
        ("tool.a == 1 | tool.b == 2", "PE-02"),
        ("!tool.a", "PE-02"),
        ("", "PE-03"),
        (" \t ", "PE-03"),
        ("(tool.a == 1", "PE-03"),
        ("tool.a in ['x')", "PE-03"),
        ("== 'x'", "PE-03"),
        ("tool.a ==", "PE-03"),
        ("tool.a == 1 == 2", "PE-03"),
        ("tool.a and", "PE-03"),
        ("or tool.a", "PE-03"),
        ("tool.a not 'x'", "PE-03"),
        ("tool. == 'x'", "PE-03"),
        ("tool[a]", "PE-03"),
        ("tool.a == 'x", "PE-03"),
        ("tool.a == 1-2", "PE-03"),
        ("tool.a == 1e999", "PE-03"),
        ("tool.a 'x'", "PE-03"),
        ("tool.a == {}", "PE-03"),
        ("(((((((((((tool.a)))))))))))", "PE-05"),
    ] {
        assert_eq!(rule(text), expected, "{text}");
    }
    for text in ["(", "[", "not ", "a.", "'"] {
        let long = text.repeat(2_001 / text.len());
        assert!(parse(&long).is_err());
        assert_eq!(rule(&text.repeat(2_001)), "PE-05");
    }
}

#[test]
fn an_error_has_its_position_and_the_correction() {
    for (text, place, message) in [
        (
            "tool.a = 'x'",
            "=",
            "at character 8: `=` is not an operator; use `==`",
        ),
        (
            "tool.ö == 'x' 3",
            "3",
            "at character 15: expected `&&`, `||` or the end, found `3`",
        ),
        (
            "tool.a in ['x'",
            "",
            "at character 15: expected `,` or `]`, found the end",
        ),
        (
            "tool.a == 'x",
            "'x",
            "at character 11: this string is not closed; end it with '",
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(
            (&text[error.span.clone()], &*error.to_string()),
            (place, message)
        );
    }
}

#[test]
fn accepted_deviations_are_warnings() {
    for (text, rule, place) in [
        ("request.ip == 'x'", "PE-04", "request"),
        ("tool.type == \"http\"", "PE-02", "\"http\""),
        ("tool.a ~ '(?=x)'", "PE-06", "'(?=x)'"),
        ("tool.a !~ '(x)\\1'", "PE-06", "'(x)\\1'"),
        ("tool.a ~ '['", "PE-06", "'['"),
        ("tool.a ~ '(x{1000}){1000}'", "PE-06", "'(x{1000}){1000}'"),
    ] {
        assert_eq!(warnings(text), [(rule, place.to_owned())], "{text}");
    }
}
