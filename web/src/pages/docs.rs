//! `/docs`: the documentation, and `/docs/{name}`: one document of it, as `docs/*.md` has it.

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::html::{Layout, Page};
use askama::Template;
use askama::filters::Safe;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse as _, Response};
use std::sync::LazyLock;

mod markdown;

/// A document in Markdown.
#[derive(Debug)]
struct Guide {
    /// The file without its ending, and the last part of the page's address.
    name: &'static str,
    title: &'static str,
    /// Purpose of the document, in a sentence.
    summary: &'static str,
    text: &'static str,
}

/// Every document that is shown, in the order in which `/docs` lists them.
const ALL: &[Guide] = &[
    Guide {
        name: "search",
        title: "How to search",
        summary: "What a query can say, and what the answer means.",
        text: include_str!("../../../docs/search.md"),
    },
    Guide {
        name: "ranking",
        title: "Ranking",
        summary: "How results are ordered, and why.",
        text: include_str!("../../../docs/ranking.md"),
    },
    Guide {
        name: "formats",
        title: "Formats",
        summary: "Every manifest format: places, recognition, mapping and rules.",
        text: include_str!("../../../docs/formats.md"),
    },
    Guide {
        name: "politeness",
        title: "Politeness",
        summary: "What the crawler does on a site, what it never does, and how to keep it away.",
        text: include_str!("../../../docs/politeness.md"),
    },
];

/// The documents as HTML, in the order of [`ALL`].
static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let texts = || ALL.iter().map(|guide| (guide.name, guide.text));
    let ids = markdown::ids(texts());
    texts()
        .map(|(name, text)| markdown::rendered(name, text, &ids))
        .collect()
});

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage {
    layout: Layout,
    guides: &'static [Guide],
}

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage {
    layout: Layout,
    title: &'static str,
    text: Safe<&'static str>,
}

/// Answers `GET /docs`.
pub(crate) async fn list(headers: HeaderMap) -> Response {
    let tag = Tag::of(&["docs", &format!("{ALL:?}")]);
    if tag.is_known_to(&headers) {
        return tag.not_modified(Policy::Details);
    }
    let page = Page(DocsPage {
        layout: Layout::new(""),
        guides: ALL,
    });
    tag.on(Policy::Details, page.into_response())
}

/// Answers `GET /docs/{name}`.
pub(crate) async fn show(
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(name) = path?;
    let position = ALL.iter().position(|guide| guide.name == name);
    let position = position.ok_or_else(|| AppError::no_such_page(uri.path()))?;
    let html = PAGES[position].as_str();
    let tag = Tag::of(&["guide", html]);
    if tag.is_known_to(&headers) {
        return Ok(tag.not_modified(Policy::Details));
    }
    let page = Page(GuidePage {
        layout: Layout::new(""),
        title: ALL[position].title,
        text: Safe(html),
    });
    Ok(tag.on(Policy::Details, page.into_response()))
}
