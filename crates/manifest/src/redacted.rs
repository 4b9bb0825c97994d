//! The text of a document in the form in which it may be shown: without secrets (DI-10).

use crate::body::{self, Content};
use crate::rule::document::DI_10;
use crate::{Document, fault, secret};
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// The text of a document without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedText<'d> {
    /// The text as served; if it contains secrets, a text without them. JSON that contains secrets
    /// is laid out anew.
    pub text: Cow<'d, str>,
    /// True if secrets were removed, so that the text is not that of the stored bytes.
    pub is_changed: bool,
}

/// Returns the text of a document without its secrets; `None` if it is not text.
///
/// ```
/// use manifest::{Document, redacted};
///
/// let document = Document::of_file("agents.json", "{\n  \"name\": \"Ferry\"\n}");
/// let shown = redacted(&document).unwrap();
/// assert_eq!(shown.text, "{\n  \"name\": \"Ferry\"\n}");
/// assert!(!shown.is_changed);
/// ```
pub fn redacted(document: &Document) -> Option<RedactedText<'_>> {
    // A fault of our own must not show what it failed to search.
    fault::contained(|| shown(document)).ok().flatten()
}

fn shown(document: &Document) -> Option<RedactedText<'_>> {
    let body = body::open(document);
    let is_text = body.content != Content::Nothing || !body.text.is_empty();
    if !is_text && !document.body.is_empty() {
        return None;
    }
    Some(match body.content {
        Content::Json(value) if !body.secrets.is_empty() => RedactedText {
            text: Cow::Owned(format!("{value:#}\n")),
            is_changed: true,
        },
        Content::Json(_) if is_strict_json(&body.text) => RedactedText {
            text: body.text,
            is_changed: false,
        },
        // Searched already.
        Content::Text => RedactedText {
            text: body.text,
            is_changed: body.findings.iter().any(|it| it.rule == &DI_10),
        },
        // JSON with comments, or no JSON: the text was not searched, or not all of it.
        Content::Json(_) | Content::Html | Content::Nothing => {
            let hidden = secret::hidden(&body.text).into_owned();
            RedactedText {
                is_changed: hidden != body.text,
                text: Cow::Owned(hidden),
            }
        }
    })
}

fn is_strict_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks like the key of a payment service, and is none.
    const SECRET: &str = concat!("sk_", "live_4eC39HqLyjWDarjtT1zdp7dc");

    fn shown(path: &str, body: impl Into<Vec<u8>>) -> Option<(String, bool)> {
        let document = Document::of_file(path, body);
        let shown = redacted(&document)?;
        Some((shown.text.into_owned(), shown.is_changed))
    }

    #[test]
    fn di_10_a_text_without_secrets_is_shown_byte_for_byte() {
        for (path, text) in [
            ("agents.json", "{ \"name\":\t\"Ferry\",\r\n }\n"),
            ("agents.txt", "# Ferry\n\nAgent-Name:  Ferry \n"),
            ("agents.txt", ""),
            ("agents.json", "{\"name\": "),
        ] {
            assert_eq!(shown(path, text), Some((text.to_owned(), false)));
        }
    }

    #[test]
    fn di_10_no_secret_is_shown_whatever_holds_it() {
        let json = format!("{{\"name\": \"Ferry\", \"api_key\": \"{SECRET}\"}}");
        let broken = format!("{{\"name\": \"Ferry\", \"api_key\": \"{SECRET}\"");
        let comment = format!("{{\"name\": \"Ferry\" /* {SECRET} */}}");
        let text = format!("# Ferry\n\nAPI-Key: {SECRET}\n");
        let page = format!("<html><body>{SECRET}</body></html>");
        let wide = text.encode_utf16().flat_map(u16::to_le_bytes);
        let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(wide).collect();
        for (path, body) in [
            ("agents.json", json.into_bytes()),
            ("agents.json", broken.into_bytes()),
            ("agents.json", comment.into_bytes()),
            ("agents.txt", text.into_bytes()),
            ("agents.txt", wide),
            ("agents.json", page.into_bytes()),
        ] {
            let (text, is_changed) = shown(path, body).unwrap();
            assert!(is_changed, "{text}");
            assert!(!text.contains(SECRET), "{text}");
            assert!(text.contains("Ferry") || text.contains("<body>"), "{text}");
        }
    }

    #[test]
    fn di_10_bytes_that_are_no_text_are_not_shown() {
        assert_eq!(shown("agents.json", [0x89, b'P', b'N', b'G', 0, 1]), None);
    }
}
