//! Findings for authors, and the site for which a file is read.

use super::*;
use crate::Level;

#[test]
fn a_file_is_read_for_the_site_that_it_names() {
    for (name, body, url) in [
        (
            "agent-card.json",
            r#"{"name": "A", "url": "https://api.ferry.example/a2a", "skills": []}"#,
            "https://ferry.example/.well-known/agent-card.json",
        ),
        (
            "/agents.txt",
            "# A\nSite: Ferry\nURL: https://www.ferry.example/\nFlow: a -> b\n",
            "https://ferry.example/agents.txt",
        ),
        (
            "notes.json",
            r#"{"name": "A", "url": "/relative"}"#,
            "https://manifest.invalid/notes.json",
        ),
        ("a b?c.json", "[", "https://manifest.invalid/a%20b%3Fc.json"),
    ] {
        assert_eq!(Document::of_file(name, body).url.as_str(), url, "{body}");
    }
}

#[test]
fn every_finding_has_a_position_in_any_document() {
    for body in ["", "\u{FEFF}{}", "<html>", "{", "Name: A", "[1, 2]", "\0"] {
        for finding in lint(&Document::of_file("agents.json", body))
            .reading
            .findings
        {
            assert!(
                finding.line.is_some() && finding.column.is_some(),
                "{finding:?}"
            );
        }
    }
}

#[test]
fn a_document_can_be_read_as_a_format_that_it_does_not_look_like() {
    let document = Document::of_file("x.json", r#"{"name": "A"}"#);
    let lint = lint_as(&document, FormatId::specified("a2a-agent-card"));
    assert_eq!(lint.reading.format.as_str(), "a2a-agent-card");
    assert!(!lint.reading.is_valid());
}

#[test]
fn a_file_that_is_not_a_manifest_is_an_error_for_its_author() {
    for body in ["{}", "null", "\"hello\"", "{\"foo\": 1}", "7", "hello"] {
        let document = Document::of_file("x.json", body);
        let lint = lint(&document);
        assert!(!lint.reading.is_valid(), "{body}");
        assert!(lint.summary().contains("not valid"), "{}", lint.summary());
        let reading = formats::read(&document);
        let unknown = reading.findings.iter().find(|it| it.rule.id == "DI-30");
        assert!(
            unknown.is_none_or(|it| it.severity == Severity::Info),
            "{body}"
        );
    }
}

#[test]
fn a_file_with_a_name_only_is_told_what_any_listing_needs() {
    let lint = lint(&Document::of_file("x.json", r#"{"name": "A", "d": "b"}"#));
    let mut findings = lint.reading.findings.iter();
    let unknown = findings.find(|it| it.rule.id == "DI-30").unwrap();
    assert!(!unknown.message.contains("nearest"), "{unknown:?}");
    assert!(unknown.help.as_deref().unwrap().contains("a description"));
}

const CATALOGUE: &str = r#"{"specVersion": "1.0", "entries": [
    {"identifier": "urn:air:ferry.example:agent:find", "displayName": "Find",
     "type": "application/a2a-agent-card+json", "url": "https://cards.other.example/card.json"}]}"#;

#[test]
fn a_catalogue_is_read_for_the_given_site() {
    let of = |lint: Lint| {
        lint.reading
            .findings
            .iter()
            .any(|it| it.rule.id == "ARD-06")
    };
    assert!(!of(lint(&Document::of_file("ai-catalog.json", CATALOGUE))));
    for (origin, is_foreign) in [
        ("https://ferry.example", false),
        ("https://other.example", true),
    ] {
        let origin = origin.parse().unwrap();
        let document = Document::of_file_at(&origin, "ai-catalog.json", CATALOGUE).unwrap();
        assert_eq!(of(lint(&document)), is_foreign, "{origin}");
    }
}

#[test]
fn an_unnamed_agent_is_not_named_after_an_unknown_site() {
    let body = r#"{"skills": [{"id": "a", "name": "A", "description": "d", "tags": ["t"]}]}"#;
    let lint = lint(&Document::of_file("agent-card.json", body));
    assert_eq!(lint.reading.agents[0].name, "unnamed agent");
    let shown = lint.show("a", |_, text| text.to_owned());
    assert!(!shown.contains("manifest.invalid"), "{shown}");
}

#[test]
fn a_mark_is_below_its_position_in_scripts_of_any_width() {
    let body = "Site: 港の船 x # c\nURL: https://f.example\nAllow: a\nAgents-JSON: /agents.json\n";
    let shown = lint(&Document::of_file("agents.txt", body)).show("a", |_, text| text.to_owned());
    // Three characters of two columns each, and a dash of one.
    let line = shown
        .lines()
        .skip_while(|line| !line.contains("1 | Site"))
        .nth(1);
    assert_eq!(line, Some("  |               ^"), "{shown}");
}

#[test]
fn agents_beyond_the_bound_are_reported() {
    let agent = |number| {
        format!(
            r#"{{"name": "A{number}", "description": "d", "url": "https://f.example/{number}",
        "version": "1.0.0", "capabilities": [{{"name": "a", "description": "b"}}]}}"#
        )
    };
    let body = format!("[{}]", (0..520).map(agent).collect::<Vec<_>>().join(","));
    let lint = lint(&Document::of_file("agents.json", body));
    let finding = lint
        .reading
        .findings
        .iter()
        .find(|it| it.rule.id == "DI-03")
        .unwrap();
    assert!(
        finding.message.contains("520") && finding.severity == Severity::Warning,
        "{finding:?}"
    );
    assert_eq!(lint.reading.agents.len(), 500);
}

#[test]
fn the_reason_why_a_valid_file_lacks_level_a_is_reported() {
    let zervice = r#"[{"name": "Ferry", "description": "d", "url": "https://ferry.example/api", "version": "1.0.0",
        "capabilities": [{"name": "find", "description": "Finds"}, {"name": "book", "description": "Books",
        "input_schema": {"type": "object"}}]}]"#;
    let lint = lint(&Document::of_file("agents.json", zervice));
    assert_eq!(
        (lint.reading.level(), lint.reading.findings.len()),
        (Level::B, 0)
    );
    let missing = lint.reading.reason_below_level_a();
    assert_eq!(
        missing.as_deref(),
        Some("no input schema of these capabilities: find")
    );
    let card = formats::read(&Document::of_file("agent-card.json", CARD));
    assert_eq!(
        (card.level(), card.reason_below_level_a()),
        (Level::A, None)
    );
}

const CARD: &str = r#"{"protocolVersion": "0.3.0", "name": "Ferry", "version": "1.0.0", "description": "Crossings",
    "url": "https://ferry.example/a2a", "capabilities": {}, "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "find", "name": "Find", "description": "Finds a crossing", "tags": ["sea"]}]}"#;
