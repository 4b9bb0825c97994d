//! What a document's bytes are before anybody asks for its format: JSON, text, HTML or nothing.

use crate::finding::Findings;
use crate::{Document, Finding, json, secret};
use serde_json::Value;

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
    Text(String),
    /// A page for people where a file was asked for: a soft 404 (DI-04).
    Html,
    /// Nothing that can be read.
    Nothing,
}

/// A body with what was found while opening it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The content.
    pub(crate) content: Content,
    /// What is wrong with the bytes as such (DI rules).
    pub(crate) findings: Vec<Finding>,
    /// JSON pointers at which secrets stood (DI-10).
    pub(crate) secrets: Vec<String>,
}

/// Opens a document's body.
pub(crate) fn open(document: &Document) -> Body {
    let mut findings = Findings::default();
    let mut secrets = Vec::new();
    let content = content(document, &mut findings, &mut secrets);
    Body {
        content,
        findings: findings.into_vec(),
        secrets,
    }
}

fn content(document: &Document, findings: &mut Findings, secrets: &mut Vec<String>) -> Content {
    let (bytes, has_bom) = match document.body.strip_prefix(b"\xEF\xBB\xBF") {
        Some(bytes) => (bytes, true),
        None => (document.body.as_slice(), false),
    };
    if has_bom {
        findings.info(
            "DI-03",
            "",
            "starts with a byte order mark; UTF-8 needs none",
        );
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = line_at(bytes, error.valid_up_to());
            let message = "not UTF-8; save the file as UTF-8";
            findings.push(Finding::at_line(
                "DI-03",
                crate::Severity::Error,
                line,
                message,
            ));
            return Content::Nothing;
        }
    };
    let start = text.trim_start();
    if start.is_empty() {
        findings.error("DI-01", "", "the body is empty");
        return Content::Nothing;
    }
    if is_html(start) {
        let message = "a web page instead of a manifest; answer 404 where there is none";
        findings.error("DI-04", "", message);
        return Content::Html;
    }
    if start.starts_with(['{', '[']) {
        if text.len() > MAX_JSON {
            findings.error("DI-03", "", format!("larger than {MAX_JSON} bytes"));
            return Content::Nothing;
        }
        let mut json_findings = Findings::default();
        let value = json::parse(text, &mut json_findings);
        let is_text = value.is_none() && !document.path().contains(".json");
        if let Some(mut value) = value {
            findings.extend(json_findings);
            *secrets = secret::redact(&mut value, findings);
            return Content::Json(value);
        }
        if !is_text {
            findings.extend(json_findings);
            return Content::Nothing;
        }
    }
    if text.len() > MAX_TEXT {
        findings.error("DI-03", "", format!("larger than {MAX_TEXT} bytes"));
        return Content::Nothing;
    }
    Content::Text(text.to_owned())
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

fn line_at(bytes: &[u8], offset: usize) -> u32 {
    let lines = bytes[..offset].split(|byte| *byte == b'\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::sample;

    fn opened(path: &str, body: &[u8]) -> (Content, Vec<String>) {
        let body = open(&sample("a.example", path, body));
        let rules = body.findings.into_iter().map(|finding| finding.rule);
        (body.content, rules.collect())
    }

    #[test]
    fn bytes_become_json_text_html_or_nothing() {
        let json = "/agents.json";
        let text = "/agents.txt";
        for (path, bytes, expected, rules) in [
            (json, &b"{}"[..], "json", &[][..]),
            (json, b"\xEF\xBB\xBF {}", "json", &["DI-03"]),
            (json, b" [1,]", "json", &["DI-07"]),
            (json, b"{", "nothing", &["DI-07"]),
            (text, b"[Agent: all]", "text", &[]),
            (text, b"Name: A", "text", &[]),
            (text, b"\n<!DOCTYPE HTML><p>", "html", &["DI-04"]),
            (json, b"<?xml?><html><BODY class=a>", "html", &["DI-04"]),
            (json, b"\xFF\xFE{", "nothing", &["DI-03"]),
            (json, b" \n", "nothing", &["DI-01"]),
        ] {
            let (content, found) = opened(path, bytes);
            let kind = match content {
                Content::Json(_) => "json",
                Content::Text(_) => "text",
                Content::Html => "html",
                Content::Nothing => "nothing",
            };
            assert_eq!(
                (kind, found),
                (
                    expected,
                    rules.iter().map(|rule| (*rule).to_owned()).collect()
                ),
                "{bytes:?}"
            );
        }
    }
}
