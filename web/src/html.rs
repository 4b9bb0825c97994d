//! Templates as responses, and the layout that all pages share.

use crate::assets;
use crate::cache::{Policy, Tag};
use askama::Template;
use axum::http::HeaderMap;
use axum::response::{Html, Response};

/// Values of the layout that all pages share.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Address of the style sheet.
    pub(crate) stylesheet: &'static str,
    /// Address of the icon.
    pub(crate) icon: &'static str,
    /// Text of the search field.
    pub(crate) words: String,
    /// Completions of the search field.
    pub(crate) completions: Vec<String>,
    /// JSON version of the page, if it has one.
    pub(crate) twin: Option<String>,
}

impl Layout {
    /// Returns the layout of a page whose search field holds `words`.
    pub(crate) fn new(words: &str) -> Self {
        Self {
            stylesheet: &assets::STYLESHEET,
            icon: &assets::ICON,
            words: words.to_owned(),
            completions: Vec::new(),
            twin: None,
        }
    }

    /// Adds completions to the search field.
    pub(crate) fn completing(self, completions: Vec<String>) -> Self {
        Self {
            completions,
            ..self
        }
    }

    /// Adds the address of the JSON version.
    pub(crate) fn with_twin(self, address: String) -> Self {
        Self {
            twin: Some(address),
            ..self
        }
    }
}

/// Renders a page.
pub(crate) fn page(page: &impl Template) -> askama::Result<Html<String>> {
    page.render().map(Html)
}

/// Renders a page with `policy` and a tag of its content; 304 if the client has it.
pub(crate) fn tagged(
    page: &impl Template,
    policy: Policy,
    headers: &HeaderMap,
) -> askama::Result<Response> {
    let text = page.render()?;
    Ok(Tag::of(&["page", &text]).answer(policy, headers, Html(text)))
}
