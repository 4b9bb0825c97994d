//! Places in the stored text of a document, as links to the page that shows it.

use manifest::AgentId;
use url::form_urlencoded;

/// Longest fragment; a longer one leads to the document.
const MAX_FRAGMENT: usize = 300;

/// Place of a fact, as a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceLink {
    pub(crate) words: String,
    pub(crate) href: String,
}

/// Returns the path of the page with the stored documents of an agent.
pub(crate) fn raw_path(id: &AgentId) -> String {
    format!("{}/raw", super::agent_path(id))
}

/// Returns the address of a place in document number `document` of an agent.
pub(crate) fn href(id: &AgentId, document: usize, pointer: &str) -> String {
    format!("{}#{}", raw_path(id), anchor(document, pointer))
}

/// Returns the fragment of a place, which is an `id` on that page: `d0L12` for line 12 of the leading
/// document, `d0/skills/0` for a pointer, and `d0` for the whole document.
pub(crate) fn anchor(document: usize, pointer: &str) -> String {
    if let Some(line) = pointer.strip_prefix("line:") {
        return line_anchor(document, line);
    }
    let steps: Vec<String> = pointer
        .split('/')
        .map(|step| form_urlencoded::byte_serialize(step.as_bytes()).collect())
        .collect();
    let fragment = format!("d{document}{}", steps.join("/"));
    if fragment.len() > MAX_FRAGMENT {
        format!("d{document}")
    } else {
        fragment
    }
}

/// Returns the fragment of a line.
pub(crate) fn line_anchor(document: usize, line: impl std::fmt::Display) -> String {
    format!("d{document}L{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_id_without_spaces_or_quotes() {
        for (pointer, expected) in [
            ("", "d1"),
            ("line:12", "d1L12"),
            ("/skills/0", "d1/skills/0"),
            ("/a b/\"<x>", "d1/a+b/%22%3Cx%3E"),
        ] {
            assert_eq!(anchor(1, pointer), expected);
        }
        assert_eq!(anchor(0, &format!("/{}", "a".repeat(1_000))), "d0");
    }
}
