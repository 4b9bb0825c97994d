//! `/docs/search` and `/docs/ranking`: how to search, and what comes first, as `docs/*.md` have it.

use crate::cache::{Policy, Tag};
use crate::html::{Layout, Page};
use askama::Template;
use askama::filters::Safe;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use pulldown_cmark::{Event, Options, Parser};

/// A page that is written in Markdown.
#[derive(Debug)]
pub(crate) struct Guide {
    title: &'static str,
    text: &'static str,
}

/// How to search.
pub(crate) const SEARCH: Guide = Guide {
    title: "How to search",
    text: include_str!("../../../docs/search.md"),
};

/// What comes first.
pub(crate) const RANKING: Guide = Guide {
    title: "Ranking",
    text: include_str!("../../../docs/ranking.md"),
};

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage {
    layout: Layout,
    title: &'static str,
    text: Safe<String>,
}

/// `GET /docs/search` and `GET /docs/ranking`.
pub(crate) fn show(guide: &Guide, headers: &HeaderMap) -> Response {
    let tag = Tag::of(&["guide", guide.text]);
    if tag.is_known_to(headers) {
        return tag.not_modified(Policy::Details);
    }
    let page = Page(GuidePage {
        layout: Layout::new(""),
        title: guide.title,
        text: rendered(guide.text),
    });
    tag.on(Policy::Details, page.into_response())
}

/// Our own Markdown as HTML. HTML within it is shown as text, so that nothing comes through as it is.
fn rendered(markdown: &str) -> Safe<String> {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        event => event,
    });
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    Safe(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_shown_and_not_obeyed() {
        let Safe(html) = rendered("a <b>\n\n<script>x</script>\n\n| a |\n|---|\n| 1 |\n");
        assert!(html.contains("a &lt;b&gt;"), "{html}");
        assert!(html.contains("&lt;script&gt;"), "{html}");
        assert!(html.contains("<table>"), "{html}");
    }
}
