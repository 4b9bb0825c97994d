//! Corrections change nothing that is read, and leave nothing to correct.

use crate::support::samples::{Sample, cases, corpus, recorded, vectors};
use manifest::{Correction, Document, Finding, Severity, corrected, formats};
use std::collections::BTreeSet;

#[test]
fn a_corrected_document_is_read_like_the_original() {
    let mut seen = BTreeSet::new();
    let samples = recorded().into_iter().chain(cases()).chain(vectors());
    let mut count = 0;
    for Sample { name, document, .. } in samples.chain(corpus()) {
        if let Some(kinds) = corrections(&name, &document) {
            seen.extend(kinds);
            count += 1;
        }
    }
    for kind in [
        Correction::TrailingComma,
        Correction::Utf16,
        Correction::Windows1252,
    ] {
        assert!(seen.contains(&kind), "{kind:?} is in no document");
    }
    assert!(count >= 3, "only {count} documents");
}

#[test]
fn whatever_is_broken_mechanically_is_mended_mechanically() {
    let mut seen = BTreeSet::new();
    for Sample { name, document, .. } in recorded() {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&document.body) else {
            continue;
        };
        let whole = with_body(&document, format!("{value:#}\n").into_bytes());
        let before = formats::read(&whole);
        // Over a limit: nothing of it is read.
        if before.findings.iter().any(|it| it.rule.id == "DI-03") {
            continue;
        }
        for (how, body) in broken(&format!("{value:#}\n")) {
            let name = format!("{name}, {how}");
            let broken = with_body(&document, body);
            let kinds = corrections(&name, &broken);
            seen.extend(kinds.unwrap_or_else(|| panic!("{name} is not corrected")));
            let mended = corrected(&broken).unwrap().text;
            let mended = with_body(&document, mended.into_bytes());
            let after = formats::read(&mended);
            assert_eq!(before.agents, after.agents, "{name}");
            assert_eq!(before.findings, after.findings, "{name}");
        }
    }
    // Numbers, escapes and spaces are tested beside the rewriting.
    let missing: Vec<_> = Correction::ALL
        .iter()
        .filter(|it| !seen.contains(it))
        .collect();
    let untried = [
        Correction::Windows1252,
        Correction::Escape,
        Correction::Number,
        Correction::Space,
        Correction::Nul,
    ];
    assert!(missing.iter().all(|it| untried.contains(it)), "{missing:?}");
}

/// Corrects a document and checks that it is read as before; returns the kinds of the corrections.
fn corrections(name: &str, document: &Document) -> Option<Vec<Correction>> {
    let text = corrected(document)?;
    let after = with_body(document, text.text.clone().into_bytes());
    assert_eq!(corrected(&after), None, "{name} is corrected twice");
    let (old, new) = (formats::read(document), formats::read(&after));
    assert_eq!(old.format, new.format, "{name}");
    assert_eq!(old.agents, new.agents, "{name}");
    assert_eq!(old.references, new.references, "{name}");
    assert_eq!(old.mentions, new.mentions, "{name}");
    let account = |document| formats::account(document, None);
    assert_eq!(account(document), account(&after), "{name}");
    let others = |findings: &[Finding]| {
        let others = findings.iter().filter(|it| !is_of_spelling(it)).cloned();
        others.collect::<Vec<_>>()
    };
    assert_eq!(others(&old.findings), new.findings, "{name}");
    assert!(text.edits.iter().all(|it| it.count > 0), "{name}");
    Some(text.edits.iter().map(|it| it.correction).collect())
}

/// Reports whether a finding is on the spelling of a whole document.
fn is_of_spelling(finding: &Finding) -> bool {
    let is_syntax = finding.rule.id == "DI-07" && finding.severity == Severity::Error;
    let is_encoding = finding.rule.id == "DI-03" && finding.message.starts_with("the ");
    (is_syntax || is_encoding) && finding.pointer.is_empty()
}

fn with_body(document: &Document, body: Vec<u8>) -> Document {
    Document {
        body,
        ..document.clone()
    }
}

/// Breaks JSON that is laid out with one value a line.
fn broken(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let lines: Vec<&str> = text.lines().collect();
    let each = |change: &dyn Fn(usize, &str) -> String| {
        let lines = lines.iter().enumerate();
        let changed = lines.map(|(at, line)| change(at, line) + "\n");
        changed.collect::<String>().into_bytes()
    };
    let closes_next = |at: usize| {
        let next = lines.get(at + 1).map_or("", |it| it.trim_start());
        next.starts_with(['}', ']']) && !lines[at].ends_with(['{', '['])
    };
    let wide = text.encode_utf16().flat_map(u16::to_le_bytes);
    let mut all = vec![
        ("BOM", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("UTF-16", [0xFF, 0xFE].into_iter().chain(wide).collect()),
        ("CR", text.replace('\n', "\r").into_bytes()),
        ("fence", format!("```json\n{text}```\n").into_bytes()),
        (
            "comments",
            each(&|_, line| format!("// one\n{line} /* two */ // three")),
        ),
        (
            "commas",
            each(&|at, line| {
                let comma = if closes_next(at) { "," } else { "" };
                format!("{line}{comma}")
            }),
        ),
        (
            "no commas",
            each(&|_, line| line.strip_suffix(',').unwrap_or(line).to_owned()),
        ),
        ("names", each(&|_, line| requoted(line, ["", ""]))),
        ("single quotes", each(&|_, line| requoted(line, ["'", "'"]))),
        (
            "typographic quotes",
            each(&|_, line| requoted(line, ["“", "”"])),
        ),
    ];
    // What is not broken there has nothing of the kind.
    all.retain(|(how, body)| body != text.as_bytes() && (*how != "CR" || lines.len() > 1));
    all
}

/// Writes the name of a member in other quotes, if it is a word.
fn requoted(line: &str, [open, close]: [&str; 2]) -> String {
    let parts = || {
        let (before, rest) = line.split_once('"')?;
        let (name, rest) = rest.split_once("\": ")?;
        let is_word = |it: char| it.is_ascii_alphabetic() || it == '_';
        (!name.is_empty() && name.chars().all(is_word)).then_some((before, name, rest))
    };
    match parts() {
        Some((before, name, rest)) => format!("{before}{open}{name}{close}: {rest}"),
        None => line.to_owned(),
    }
}
