//! Values that a template's author meant to be replaced, and nobody did (GP-03).

use crate::Document;

/// What gives `text` away as a leftover of a template, `None` when it looks meant.
///
/// Names of the document's own domain are always meant, even at example.com.
pub(crate) fn sign(document: &Document, text: &str) -> Option<&'static str> {
    const SIGNS: [&str; 13] = [
        "example.com",
        "example.org",
        "example.net",
        "localhost",
        "127.0.0.1",
        "your-domain",
        "yourdomain",
        "your-site",
        "yoursite",
        "your-org",
        "your-company",
        "todo:",
        "changeme",
    ];
    let lower = text.trim().to_ascii_lowercase();
    if lower == "todo" || lower == "tbd" {
        return Some("TODO");
    }
    if is_placeholder(text) {
        return Some("a placeholder");
    }
    let own = document.domain.as_str();
    SIGNS
        .into_iter()
        .find(|sign| lower.contains(sign) && !(own.contains(sign) && lower.contains(own)))
}

/// `__NAME__`, `{{name}}`, `<your name>`, `${NAME}`, `[YOUR NAME]`.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let between = |open: &str, close: &str| {
        text.find(open).is_some_and(|start| {
            text[start + open.len()..]
                .find(close)
                .is_some_and(|length| length > 0)
        })
    };
    let inner = |open: &str, close: &str| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inner| !inner.is_empty() && !inner.contains(char::is_whitespace))
    };
    inner("__", "__")
        || between("{{", "}}")
        || between("${", "}")
        || between("<your", ">")
        || between("<YOUR", ">")
        || between("[YOUR", "]")
        || text.contains("YOUR_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_told_from_meant_values() {
        let document = crate::document::sample("bakery.example", "/agent.json", "");
        for text in [
            "https://example.com/api",
            "http://localhost:3000",
            "__AGENT_NAME__",
            "{{ name }}",
            "https://your-domain.tld/",
            "TODO",
            "todo: describe",
            "YOUR_API_KEY",
            "<your name>",
        ] {
            assert!(sign(&document, text).is_some(), "{text}");
        }
        for text in [
            "https://bakery.example/api",
            "A todo list for teams",
            "/items/{id}",
            "__init__ is a method",
            "",
        ] {
            assert_eq!(sign(&document, text), None, "{text}");
        }
        let at_example_com = crate::document::sample("example.com", "/agent.json", "");
        assert_eq!(sign(&at_example_com, "https://example.com/api"), None);
    }
}
