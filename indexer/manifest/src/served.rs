//! What is odd in how a document was served and where it lies (DI-02, DI-08, DI-20, AT-95).

use crate::body::Content;
use crate::finding::Findings;
use crate::format::Entry;
use crate::{Document, formats};

/// Compares the headers and the path with what the document turned out to be.
pub(crate) fn check(
    document: &Document,
    entry: &Entry,
    content: &Content,
    findings: &mut Findings,
) {
    let is_json = match content {
        Content::Json(_) => true,
        Content::Text => false,
        Content::Html | Content::Nothing => return,
    };
    if is_json && document.path().contains(".txt") {
        let message = "JSON in a text file; publish it as agents.json";
        findings.report("AT-95", "", message);
    }
    place(document, entry, findings);
    if let Some(sent) = &document.media_type {
        media_type(sent, entry, is_json, findings);
    }
    let has_validator = document.etag.is_some() || document.last_modified.is_some();
    if document.served.is_some() && !has_validator {
        let message = "neither ETag nor Last-Modified, so every visit has to fetch all of it";
        findings.report("DI-08", "", message);
    }
}

/// DI-20: the path may promise another format than the content is in.
fn place(document: &Document, entry: &Entry, findings: &mut Findings) {
    let path = document.path();
    let mut others = formats::ALL.iter().filter(|it| it.places.contains(&path));
    let (Some(other), [home, ..]) = (others.next(), entry.places) else {
        return;
    };
    if entry.id.is_specified() && !entry.places.contains(&path) {
        let message = format!(
            "this is in the format {}, whose place is {home}; here others look for {}",
            entry.title, other.title
        );
        findings.report("DI-20", "", message);
    }
}

/// DI-02. JSON is read under every type that says JSON; a format's own rules may ask for more.
fn media_type(sent: &str, entry: &Entry, is_json: bool, findings: &mut Findings) {
    const HAS_ITS_OWN_RULE: &str = "agents-json/agents-protocol";
    if entry.id.as_str() == HAS_ITS_OWN_RULE {
        return;
    }
    let essence = sent.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    let (fits, right) = if is_json {
        let is_json_type = essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"));
        (is_json_type, "application/json")
    } else {
        (essence == "text/plain", "text/plain; charset=utf-8")
    };
    if !fits {
        let message = format!("not served as {right}, which clients may insist on");
        findings.report("DI-02", "", message);
    }
}
