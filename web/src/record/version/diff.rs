//! Differences between two versions of a document, as text.
//!
//! The store keeps the versions of documents. Of the merged record it keeps the current one and the
//! hashes of the earlier ones.

use super::text::{document, text};
use super::{DocumentVersions, hashes, versions};
use crate::error::AppError;
use crate::parameter::BadParameter;
use crate::state::{AppState, blocking};
use serde_json::Value;
use similar::TextDiff;
use std::time::Duration;
use store::StoredAgent;

/// Time after which the difference is no longer the shortest one.
const TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of bytes of a difference.
const MAX_DIFF: usize = 1 << 20;
/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Two versions of a document, and their difference.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) document: DocumentVersions,
    /// Position of the earlier version; `None` if none is stored.
    pub(crate) from: Option<usize>,
    /// Position of the later version.
    pub(crate) to: usize,
    /// Difference in the unified format, of JSON with one member per line; empty if nothing differs.
    /// `None` if there is no earlier version or a version is not text.
    pub(crate) diff: Option<String>,
    /// True if the difference was cut because it is too long.
    pub(crate) is_cut: bool,
}

/// Versions to compare: the document, and their positions in its versions.
#[derive(Debug, PartialEq, Eq)]
struct Selection {
    document: usize,
    from: Option<usize>,
    to: usize,
}

/// Compares two versions of a document of an agent, which their hashes name.
pub(crate) async fn compared(
    state: &AppState,
    agent: &StoredAgent,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<Comparison, AppError> {
    let mut documents = versions(state, agent).await?;
    let selected = select(&documents, from, to);
    let selected = selected.map_err(|fault| AppError::BadParameters(vec![fault]))?;
    let document = documents.swap_remove(selected.document);
    let diff = match selected.from {
        Some(from) => difference(state, agent, &document, from, selected.to).await?,
        None => None,
    };
    Ok(Comparison {
        document,
        from: selected.from,
        to: selected.to,
        is_cut: diff.as_ref().is_some_and(|it| it.len() > MAX_DIFF),
        diff: diff.map(cut),
    })
}

/// Selects the versions to compare. Without `to` it is the current version, of the leading document
/// unless `from` names another; without `from` it is the version before `to`.
fn select(
    documents: &[DocumentVersions],
    from: Option<&str>,
    to: Option<&str>,
) -> Result<Selection, BadParameter> {
    let position = |document: usize, after: usize, hash: &str| {
        let versions = &documents[document].versions;
        let mut later = versions.iter().enumerate().skip(after);
        later.find(|(_, it)| it.hash == hash).map(|(at, _)| at)
    };
    let find = |name, hash: &str| {
        let mut places = (0..documents.len()).filter_map(|it| Some((it, position(it, 0, hash)?)));
        let unknown = || BadParameter::unknown_value(name, hash, &hashes(documents));
        places.next().ok_or_else(unknown)
    };
    let (document, to) = match (to, from) {
        (Some(to), _) => find("to", to)?,
        (None, Some(from)) => (find("from", from)?.0, 0),
        (None, None) => (0, 0),
    };
    let Some(versions) = documents.get(document).map(|it| &it.versions) else {
        return Err(none_stored());
    };
    if versions.is_empty() {
        return Err(none_stored());
    }
    let from = match from {
        None => (to + 1 < versions.len()).then_some(to + 1),
        Some(from) => {
            // Bytes that come back are several versions with one hash.
            let at = position(document, to + 1, from).or_else(|| position(document, 0, from));
            Some(at.ok_or_else(|| {
                let of_document = hashes(&documents[document..=document]);
                BadParameter::unknown_value("from", from, &of_document)
            })?)
        }
    };
    Ok(Selection { document, from, to })
}

fn none_stored() -> BadParameter {
    BadParameter::new(
        "to",
        "no_versions",
        "no version of this agent's documents is stored at the moment, because the site changed \
         their addresses; try again when the indexer has read them",
    )
}

/// Returns the difference between two versions; `None` if one is not text.
async fn difference(
    state: &AppState,
    agent: &StoredAgent,
    of: &DocumentVersions,
    from: usize,
    to: usize,
) -> Result<Option<String>, AppError> {
    let mut texts = Vec::new();
    for at in [from, to] {
        let Some(body) = state.store.blob(&of.versions[at].hash).await? else {
            return Ok(None);
        };
        let Ok(shown) = text(document(agent, &of.url, body)).await? else {
            return Ok(None);
        };
        texts.push(shown.text);
    }
    let diff = blocking(move || unified(&laid_out(&texts[0]), &laid_out(&texts[1]))).await?;
    Ok(Some(diff))
}

/// Lays JSON out with one member per line, so that a new layout is no difference.
fn laid_out(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .map_or_else(|_| text.to_owned(), |value| format!("{value:#}\n"))
}

fn unified(from: &str, to: &str) -> String {
    let mut config = TextDiff::configure();
    let diff = config.timeout(TIMEOUT).diff_lines(from, to);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).to_string()
}

/// Cuts a difference that is too long after a whole line.
fn cut(mut diff: String) -> String {
    if diff.len() > MAX_DIFF {
        let end = diff.as_bytes()[..MAX_DIFF]
            .iter()
            .rposition(|it| *it == b'\n');
        diff.truncate(end.map_or(0, |end| end + 1));
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::Timestamp;
    use store::DocumentVersion;

    fn document(hashes: &[&str]) -> DocumentVersions {
        let versions = hashes.iter().map(|hash| DocumentVersion {
            hash: (*hash).to_owned(),
            bytes: 1,
            first_seen: Timestamp(0),
            last_seen: None,
        });
        DocumentVersions {
            url: "https://a.example/a".to_owned(),
            versions: versions.collect(),
            has_earlier: false,
        }
    }

    /// Returns the document and the positions of the versions that are selected.
    fn selected(
        documents: &[DocumentVersions],
        from: Option<&str>,
        to: Option<&str>,
    ) -> (usize, Option<usize>, usize) {
        let Selection { document, from, to } = select(documents, from, to).unwrap();
        (document, from, to)
    }

    #[test]
    fn the_last_two_versions_of_the_leading_document_are_compared_by_default() {
        let documents = [document(&["c", "b", "a"]), document(&["x"])];
        let selected = |from, to| selected(&documents, from, to);
        assert_eq!(selected(None, None), (0, Some(1), 0));
        assert_eq!(selected(None, Some("b")), (0, Some(2), 1));
        assert_eq!(selected(None, Some("a")), (0, None, 2));
        assert_eq!(selected(Some("a"), None), (0, Some(2), 0));
        assert_eq!(selected(None, Some("x")), (1, None, 0));
        assert_eq!(selected(Some("c"), Some("a")), (0, Some(0), 2));
    }

    #[test]
    fn bytes_that_came_back_are_compared_with_those_before() {
        let documents = [document(&["a", "b", "a"])];
        assert_eq!(selected(&documents, Some("a"), Some("a")), (0, Some(2), 0));
    }

    #[test]
    fn versions_of_two_documents_are_not_compared() {
        let documents = [document(&["b", "a"]), document(&["x"])];
        let fault = select(&documents, Some("x"), Some("b")).unwrap_err();
        assert_eq!((&*fault.pointer, fault.code), ("from", "unknown_value"));
        assert!(
            fault.message.ends_with("accepted values: b, a"),
            "{fault:?}"
        );
        let fault = select(&documents, None, Some("q")).unwrap_err();
        assert!(fault.message.contains("b, a, x"), "{fault:?}");
        let fault = select(&[], None, None).unwrap_err();
        assert_eq!(fault.code, "no_versions");
    }

    #[test]
    fn a_new_layout_is_no_difference_and_a_new_member_is_one_line() {
        let one = laid_out("{\"a\":1,\"b\":[1]}");
        assert_eq!(unified(&one, &laid_out("{ \"a\": 1, \"b\": [ 1 ] }")), "");
        let diff = unified(&one, &laid_out("{\"a\":2,\"b\":[1]}"));
        assert!(diff.contains("-  \"a\": 1,\n+  \"a\": 2,\n"), "{diff}");
    }

    #[test]
    fn a_long_difference_ends_with_a_whole_line() {
        let diff = cut("+ line\n".repeat(200_000));
        assert!(diff.len() <= MAX_DIFF && diff.ends_with("+ line\n"));
        assert!(diff.len() > MAX_DIFF - 10);
    }
}
