//! A template as an answer, and what every page has around it.

use crate::assets;
use crate::error::AppError;
use askama::Template;
use axum::response::{Html, IntoResponse, Response};

/// What every page has around its content.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Address of the style sheet.
    pub(crate) stylesheet: &'static str,
    /// Address of the icon.
    pub(crate) icon: &'static str,
    /// What the search field says.
    pub(crate) words: String,
    /// What the search field offers while somebody goes on typing.
    pub(crate) completions: Vec<String>,
    /// The JSON twin of the page, when it has one.
    pub(crate) twin: Option<String>,
}

impl Layout {
    /// The surroundings of a page whose search field says `words`.
    pub(crate) fn new(words: &str) -> Self {
        Self {
            stylesheet: &assets::STYLESHEET,
            icon: &assets::ICON,
            words: words.to_owned(),
            completions: Vec::new(),
            twin: None,
        }
    }

    /// The same with completions for what the field says.
    pub(crate) fn completing(self, completions: Vec<String>) -> Self {
        Self {
            completions,
            ..self
        }
    }

    /// The same for a page that programs find at `address`.
    pub(crate) fn with_twin(self, address: String) -> Self {
        Self {
            twin: Some(address),
            ..self
        }
    }
}

/// A page.
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
