//! Templates as responses, and the layout that all pages share.

use crate::assets;
use crate::error::AppError;
use askama::Template;
use axum::response::{Html, IntoResponse, Response};

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

/// HTML response.
#[derive(Clone, Debug)]
pub(crate) struct Page<T>(pub(crate) T);

impl<T: Template> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        match self.0.render() {
            Ok(text) => Html(text).into_response(),
            Err(error) => AppError::Template(error).into_response(),
        }
    }
}
