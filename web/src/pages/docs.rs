//! `/docs`: the documentation, and `/docs/{name}`: one document of it, as `docs/*.md` has it.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use askama::Template;
use askama::filters::Safe;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use std::sync::LazyLock;

mod markdown;

/// A document in Markdown.
#[derive(Debug)]
struct Doc {
    /// The file without its ending, and the last part of the page's address.
    name: &'static str,
    title: &'static str,
    /// Purpose of the document, in a sentence.
    summary: &'static str,
    text: &'static str,
}

/// Every document that is shown, in the order in which `/docs` lists them.
const ALL: &[Doc] = &[
    Doc {
        name: "search",
        title: "How to search",
        summary: "What a query can say, and what the answer means.",
        text: include_str!("../../../docs/search.md"),
    },
    Doc {
        name: "api",
        title: "The API",
        summary: "Every address for programs, and the rules for all of them.",
        text: include_str!("../../../docs/api.md"),
    },
    Doc {
        name: "ranking",
        title: "Ranking",
        summary: "How results are ordered, and why.",
        text: include_str!("../../../docs/ranking.md"),
    },
    Doc {
        name: "formats",
        title: "Formats",
        summary: "Every manifest format: places, recognition, mapping and rules.",
        text: include_str!("../../../docs/formats.md"),
    },
    Doc {
        name: "politeness",
        title: "Politeness",
        summary: "What the crawler does on a site, what it never does, and how to keep it away.",
        text: include_str!("../../../docs/politeness.md"),
    },
];

/// The documents as HTML, in the order of [`ALL`].
static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let texts = || ALL.iter().map(|doc| (doc.name, doc.text));
    let ids = markdown::ids(texts());
    texts()
        .map(|(name, text)| markdown::rendered(name, text, &ids))
        .collect()
});

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage {
    layout: Layout,
    docs: &'static [Doc],
}

#[derive(Template)]
#[template(path = "doc.html")]
struct DocPage {
    layout: Layout,
    title: &'static str,
    text: Safe<&'static str>,
}

/// Answers `GET /docs`.
pub(crate) async fn list(headers: HeaderMap) -> Result<Response, AppError> {
    let page = DocsPage {
        layout: Layout::new(""),
        docs: ALL,
    };
    Ok(html::tagged(&page, Policy::Details, &headers)?)
}

/// Answers `GET /docs/{name}`.
pub(crate) async fn show(
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(name) = path?;
    let position = ALL.iter().position(|doc| doc.name == name);
    let position = position.ok_or_else(|| AppError::no_such_page(uri.path()))?;
    let page = DocPage {
        layout: Layout::new(""),
        title: ALL[position].title,
        text: Safe(&PAGES[position]),
    };
    Ok(html::tagged(&page, Policy::Details, &headers)?)
}
