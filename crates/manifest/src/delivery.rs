//! Rules on how and where a document is served (DI-02, DI-08, DI-20, AT-95).

use crate::body::Content;
use crate::entry::Entry;
use crate::finding::Findings;
use crate::rule::document::{AT_95, DI_02, DI_08, DI_20};
use crate::{Document, link};

/// Compares the headers and the path with the format of the document.
pub(crate) fn check(
    document: &Document,
    entry: &Entry,
    known: &[Entry],
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
        findings.add(&AT_95, "", message);
    }
    place(document, entry, known, findings);
    if let Some(sent) = &document.media_type {
        media_type(sent, document.path(), entry, is_json, findings);
    }
    let has_validator = document.etag.is_some() || document.last_modified.is_some();
    if document.served.is_some() && !has_validator {
        let message = "served with neither ETag nor Last-Modified, so every visit has to fetch the whole document; send one of them";
        findings.add(&DI_08, "", message);
    }
}

/// Reports a document at a path where clients expect another format (DI-20).
fn place(document: &Document, entry: &Entry, known: &[Entry], findings: &mut Findings) {
    let path = document.path();
    let name = path.rsplit('/').next().unwrap_or_default();
    let others = known.iter().filter(|it| it.places.contains(&path));
    // Of several formats with this place, clients expect the one that claims the file's name.
    let other = others.min_by_key(|it| !it.claims.contains(&name));
    let (Some(other), [home, ..]) = (other, entry.places) else {
        return;
    };
    if entry.id.is_specified() && !entry.places.contains(&path) {
        // The places of a JSON Agents manifest follow from the URI that names it.
        let home = match entry.id.as_str() {
            "json-agents" => {
                "its own path that ends in .agents.json, such as \
                /.well-known/agents/NAME.agents.json for ajson://HOST/NAME"
            }
            _ => home,
        };
        let message = format!(
            "clients expect another format here ({}); publish this {} at {home}",
            other.title, entry.title
        );
        findings.add(&DI_20, "", message);
    }
}

/// Reports a media type that does not match the content (DI-02). JSON may have any JSON type,
/// and a Markdown file that of Markdown; a format's own rules may be stricter.
fn media_type(sent: &str, path: &str, entry: &Entry, is_json: bool, findings: &mut Findings) {
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
        let is_markdown = link::is_markdown(path) && essence == "text/markdown";
        (
            is_markdown || essence == "text/plain",
            "text/plain; charset=utf-8",
        )
    };
    if !fits {
        let message = format!(
            "not served as {right}, which some clients require; send `Content-Type: {right}`"
        );
        findings.add(&DI_02, "", message);
    }
}
