//! Forms of a page: HTML for people, JSON and Markdown for programs.
//!
//! A page at `/site/mesa.example` has the twins `/site/mesa.example/index.json` and
//! `/site/mesa.example/index.md`, which `Accept` chooses as well.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;

/// Form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Page for people, at the address itself.
    Html,
    /// JSON twin.
    Json,
    /// Markdown twin.
    Markdown,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Html, Self::Json, Self::Markdown];

    /// Returns the form that a path names.
    pub(crate) fn of(path: &str) -> Self {
        let twin = [Self::Json, Self::Markdown];
        let named = twin.into_iter().find(|it| path.ends_with(it.ending()));
        named.unwrap_or(Self::Html)
    }

    /// Returns the media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Json => "application/json",
            Self::Markdown => "text/markdown",
        }
    }

    /// Returns the path of this form of the page at `page`.
    pub(crate) fn path(self, page: &str) -> String {
        match self {
            Self::Html => page.to_owned(),
            Self::Json | Self::Markdown => {
                format!("{}{}", page.trim_end_matches('/'), self.ending())
            }
        }
    }

    /// Returns the end of the paths of this form.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Html => "",
            Self::Json => "/index.json",
            Self::Markdown => "/index.md",
        }
    }
}

/// Reads the form of a page from its path.
impl<S: Sync> FromRequestParts<S> for Form {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts.uri.path()))
    }
}
