//! Bytes of a document before format detection: JSON, text, HTML or nothing readable.

use crate::finding::Findings;
use crate::rule::document::{DI_01, DI_03, DI_04, DI_07};
use crate::{Document, Finding, json, openapi, secret};
use serde_json::Value;
use std::borrow::Cow;

mod decode;
#[cfg(test)]
mod tests;

pub(crate) use decode::is_of_encoding;

/// Maximum size of a JSON body, in bytes (DI-03).
pub(crate) const MAX_JSON: usize = 1024 * 1024;
/// Maximum size of a text body, in bytes (DI-03).
pub(crate) const MAX_TEXT: usize = 256 * 1024;

/// The content of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A JSON object or array, without its secrets.
    Json(Value),
    /// Any other text, without its secrets.
    Text,
    /// An HTML page in place of a manifest: a soft 404 (DI-04).
    Html,
    /// Nothing readable.
    Nothing,
}

/// A decoded body and the findings made while decoding it.
#[derive(Clone, Debug)]
pub(crate) struct Body<'d> {
    /// The content.
    pub(crate) content: Content,
    /// The text as served; without secrets, unless it is JSON.
    pub(crate) text: Cow<'d, str>,
    /// The repaired JSON text that was parsed instead of `text`; it has the same length ([`json`]).
    pub(crate) mended: Option<String>,
    /// Findings on the bytes themselves (DI rules).
    pub(crate) findings: Vec<Finding>,
    /// JSON pointers to values that were redacted as secrets (DI-10).
    pub(crate) secrets: Vec<String>,
}

/// Returns the text of a body with its secrets; `None` if it is not text.
pub(crate) fn decoded(bytes: &[u8]) -> Option<Cow<'_, str>> {
    decode::text(bytes, &mut Findings::default())
}

/// Returns the text with its lines as they are read: ended by LF, if they end in CR alone.
pub(crate) fn with_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    decode::lines(text, &mut Findings::default())
}

/// Decodes a document's body and parses it if it is JSON.
pub(crate) fn open(document: &Document) -> Body<'_> {
    let mut findings = Findings::default();
    let mut body = Body {
        content: Content::Nothing,
        text: Cow::Borrowed(""),
        mended: None,
        findings: Vec::new(),
        secrets: Vec::new(),
    };
    if let Some(text) = decode::text(&document.body, &mut findings) {
        body.text = decode::lines(text, &mut findings);
        body.content = content(document, &mut body, &mut findings);
    }
    body.findings = findings.into_vec();
    body
}

fn content(document: &Document, body: &mut Body<'_>, findings: &mut Findings) -> Content {
    let start = body.text.trim_start();
    if start.is_empty() {
        findings.add(
            &DI_01,
            "",
            "the body is empty; write the manifest, or answer 404 if there is none",
        );
        return Content::Nothing;
    }
    if is_html(start) {
        let message = "this is an HTML page, not a manifest; answer 404 if there is no manifest";
        findings.add(&DI_04, "", message);
        return Content::Html;
    }
    let is_api = openapi::is_announced(start);
    let [most_json, most_text] = if is_api {
        [openapi::MAX_BYTES; 2]
    } else {
        [MAX_JSON, MAX_TEXT]
    };
    let unfenced = unfenced(&body.text);
    if let Some((_, fence)) = &unfenced {
        findings.push(fence.clone());
    }
    if unfenced.is_some() || start.starts_with(['{', '[', '/']) {
        if is_too_large(&body.text, most_json, findings) {
            return Content::Nothing;
        }
        let mut faults = Findings::default();
        let unfenced = unfenced.map(|(text, _)| text);
        let read = unfenced.as_deref().unwrap_or(&body.text);
        let parsed = json::parse(read, &mut faults);
        let is_meant = unfenced.is_some() || is_meant_as_json(document.path(), start);
        // The text was not searched for secrets yet.
        faults.drop_corrections(secret::is_in_line);
        let is_json = parsed.value.is_some() || is_meant;
        body.mended = parsed.mended.or(unfenced);
        if is_json {
            findings.extend(faults);
        }
        if let Some(mut value) = parsed.value {
            body.secrets = secret::redact(&mut value, findings);
            return Content::Json(value);
        }
        if is_json {
            return Content::Nothing;
        }
    }
    if is_too_large(&body.text, most_text, findings) {
        return Content::Nothing;
    }
    body.text = secret::redact_lines(std::mem::take(&mut body.text), findings);
    Content::Text
}

/// Returns JSON that stands in a code block of Markdown with spaces in place of the fences, and the
/// finding on them (DI-07); `None` if the text is not such a block.
fn unfenced(text: &str) -> Option<(String, Finding)> {
    const FENCE: &str = "```";
    let begin = text.len() - text.trim_start().len();
    let opening = text[begin..].strip_prefix(FENCE)?.find('\n')? + begin + FENCE.len();
    if !text[opening..].trim_start().starts_with(['{', '[']) {
        return None;
    }
    let end = text
        .trim_end()
        .strip_suffix(FENCE)
        .map_or(text.len(), str::len);
    let inner = text.get(opening..end)?;
    let blank = |part: &str| " ".repeat(part.len());
    let line = u32::try_from(text[..begin].lines().count().max(1)).unwrap_or(1);
    let message = "invalid JSON: it stands in a code block of Markdown";
    let finding = Finding::at_line(&DI_07, line, message)
        .with_help(format!("remove the lines that begin with {FENCE}"));
    let tail = text[end..].replace(FENCE, "   ");
    Some((format!("{}{inner}{tail}", blank(&text[..opening])), finding))
}

/// Reports whether text that no JSON parser accepts was intended as JSON. A `/` alone is not
/// enough: paths in text formats begin with it, too.
fn is_meant_as_json(path: &str, start: &str) -> bool {
    let is_text = [".txt", ".md"].iter().any(|ending| path.ends_with(ending));
    path.contains(".json") || (start.starts_with(['{', '[']) && !is_text)
}

fn is_too_large(text: &str, most: usize, findings: &mut Findings) -> bool {
    let is_too_large = text.len() > most;
    if is_too_large {
        findings.add(
            &DI_03,
            "",
            format!("the body is larger than {most} bytes and is not read"),
        );
    }
    is_too_large
}

/// Reports whether a body is HTML (DI-04): it starts like HTML, or has a head or body tag in its
/// first KiB.
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
