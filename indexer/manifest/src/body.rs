//! What a document's bytes are before anybody asks for its format: JSON, text, HTML or nothing.

use crate::finding::Findings;
use crate::{Document, Finding, json, secret};
use serde_json::Value;
use std::borrow::Cow;

mod decode;
#[cfg(test)]
mod tests;

/// Largest JSON body that is read, in bytes (DI-03).
pub(crate) const MAX_JSON: usize = 1024 * 1024;
/// Largest text body that is read, in bytes (DI-03).
pub(crate) const MAX_TEXT: usize = 256 * 1024;

/// The content of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A JSON object or array, without its secrets.
    Json(Value),
    /// Any other text.
    Text,
    /// A page for people where a file was asked for: a soft 404 (DI-04).
    Html,
    /// Nothing that can be read.
    Nothing,
}

/// A body with what was found while opening it.
#[derive(Clone, Debug)]
pub(crate) struct Body<'d> {
    /// The content.
    pub(crate) content: Content,
    /// The text that was read; for JSON, mended in place ([`json`]).
    pub(crate) text: Cow<'d, str>,
    /// What is wrong with the bytes as such (DI rules).
    pub(crate) findings: Vec<Finding>,
    /// JSON pointers at which secrets stood (DI-10).
    pub(crate) secrets: Vec<String>,
}

/// Opens a document's body.
pub(crate) fn open(document: &Document) -> Body<'_> {
    let mut findings = Findings::default();
    let mut secrets = Vec::new();
    let (content, text) = match decode::text(&document.body, &mut findings) {
        Some(text) => content(document, text, &mut findings, &mut secrets),
        None => (Content::Nothing, Cow::Borrowed("")),
    };
    Body {
        content,
        text,
        findings: findings.into_vec(),
        secrets,
    }
}

fn content<'d>(
    document: &Document,
    text: Cow<'d, str>,
    findings: &mut Findings,
    secrets: &mut Vec<String>,
) -> (Content, Cow<'d, str>) {
    let start = text.trim_start();
    if start.is_empty() {
        findings.error("DI-01", "", "the body is empty");
        return (Content::Nothing, text);
    }
    if is_html(start) {
        let message = "a web page instead of a manifest; answer 404 where there is none";
        findings.error("DI-04", "", message);
        return (Content::Html, text);
    }
    if !start.starts_with(['{', '[', '/']) {
        return (as_text(&text, findings), text);
    }
    if text.len() > MAX_JSON {
        findings.error("DI-03", "", format!("larger than {MAX_JSON} bytes"));
        return (Content::Nothing, text);
    }
    let mut faults = Findings::default();
    let parsed = json::parse(text, &mut faults);
    match parsed.value {
        Some(mut value) => {
            findings.extend(faults);
            *secrets = secret::redact(&mut value, findings);
            (Content::Json(value), parsed.text)
        }
        None if document.path().contains(".json") => {
            findings.extend(faults);
            (Content::Nothing, parsed.text)
        }
        None => (as_text(&parsed.text, findings), parsed.text),
    }
}

fn as_text(text: &str, findings: &mut Findings) -> Content {
    if text.len() > MAX_TEXT {
        findings.error("DI-03", "", format!("larger than {MAX_TEXT} bytes"));
        return Content::Nothing;
    }
    Content::Text
}

/// DI-04: starts like HTML, or has its head or body in the first KiB.
fn is_html(start: &str) -> bool {
    let first = start.as_bytes();
    let first = first[..first.len().min(1024)].to_ascii_lowercase();
    let has = |tag: &[u8]| first.windows(tag.len()).any(|window| window == tag);
    first.starts_with(b"<!doctype")
        || first.starts_with(b"<html")
        || (!first.starts_with(b"{")
            && !first.starts_with(b"[")
            && [&b"<head>"[..], b"<head ", b"<body>", b"<body "]
                .into_iter()
                .any(has))
}
