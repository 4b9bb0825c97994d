//! Errors, as pages for people and as problem documents for programs.
//!
//! One [`AppError`] has two renderings: a page with further links, and a problem document (RFC
//! 9457).
//! An internal error is logged here, once; its response reveals no internal details.

mod index_unavailable;

use crate::cache::{self, Policy};
use crate::html::{self, Layout};
use crate::parameter::BadParameter;
use crate::view::card::Card;
use crate::view::{SiteName, words_of};
use aide::OperationOutput;
use askama::Template;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Redirect, Response};
pub(crate) use index_unavailable::IndexUnavailable;
use indexer::search::SearchError;
use schemars::JsonSchema;
use serde::Serialize;
use store::StoreError;

/// Value of `Retry-After` while the index is unavailable, in seconds.
const RETRY_AFTER_S: &str = "30";

/// Reason why a request fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum AppError {
    /// Unknown path, agent, site or rule. 404.
    #[error("{}", .0.message)]
    NotFound(Box<Missing>),
    /// Invalid parameters, each with its reason. 400.
    #[error("some parameters are invalid")]
    BadParameters(Vec<BadParameter>),
    /// Another spelling of an address, with its canonical path. 308.
    #[error("the address is {0}")]
    Moved(String),
    /// Method not allowed at this address. 405.
    #[error("this address does not accept the method; `Allow` names those that it accepts")]
    MethodNotAllowed,
    /// Body too large. 413.
    #[error("the body has more than {0} bytes; send less")]
    BodyTooLarge(usize),
    /// Body that did not arrive completely. 400.
    #[error("the body could not be read to its end; send it again")]
    BodyIncomplete,
    /// Body from which no answer can be made. 422.
    #[error("{0}")]
    Unprocessable(String),
    /// Too many requests of an expensive kind at once. 503.
    #[error("too many manifests are being read at the moment; try again later")]
    Busy,
    /// Failure of the database. 500.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Index unavailable. 503.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// Failure to render a page. 500.
    #[error(transparent)]
    Template(#[from] askama::Error),
    /// Panic of a handler. 500.
    #[error("a handler panicked")]
    Panic,
}

/// Something that does not exist, with suggestions.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// Statement of what does not exist, as a sentence.
    pub(crate) message: String,
    /// Advice, as a sentence.
    pub(crate) advice: &'static str,
    /// Site that it would belong to.
    pub(crate) site: Option<SiteName>,
    /// Probable intention.
    pub(crate) instead: Option<Suggested>,
    /// Text for the search field.
    pub(crate) words: String,
    /// Agents with similar names.
    pub(crate) nearest: Vec<Card>,
}

/// Existing page that was probably meant.
#[derive(Debug)]
pub(crate) struct Suggested {
    /// Its page.
    pub(crate) path: String,
    /// Its name.
    pub(crate) name: String,
}

impl AppError {
    /// Returns the error for an unknown path.
    pub(crate) fn no_such_page(path: &str) -> Self {
        Self::NotFound(Box::new(Missing {
            message: "There is no such page.".to_owned(),
            advice: "The address may be mistyped, or the page may have moved.",
            words: words_of(path),
            ..Missing::default()
        }))
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::BadParameters(_) | Self::BodyIncomplete => StatusCode::BAD_REQUEST,
            Self::Moved(_) => StatusCode::PERMANENT_REDIRECT,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Busy | Self::Search(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(_) | Self::Template(_) | Self::Panic => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns a stable word for programs.
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::BadParameters(_) => "bad_parameters",
            Self::Moved(_) => "moved",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::BodyTooLarge(_) => "body_too_large",
            Self::BodyIncomplete => "body_incomplete",
            Self::Unprocessable(_) => "unprocessable",
            Self::Busy => "busy",
            Self::Search(error) => IndexUnavailable::of(error).code,
            Self::Store(_) | Self::Template(_) | Self::Panic => "internal",
        }
    }

    /// Returns the message for visitors.
    fn message(&self) -> String {
        match self {
            Self::NotFound(missing) => missing.message.clone(),
            Self::BadParameters(faults) => match faults.as_slice() {
                [fault] => sentence(&fault.message),
                _ => "Some parameters are invalid.".to_owned(),
            },
            Self::Moved(_)
            | Self::MethodNotAllowed
            | Self::BodyTooLarge(_)
            | Self::BodyIncomplete
            | Self::Unprocessable(_)
            | Self::Busy => sentence(&self.to_string()),
            Self::Search(error) => IndexUnavailable::of(error).why,
            Self::Store(_) | Self::Template(_) | Self::Panic => {
                "An internal error occurred and was logged. Please try again later.".to_owned()
            }
        }
    }

    fn log(&self) {
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            tracing::warn!(
                error = self as &dyn std::error::Error,
                "a request cannot be answered now: {self}"
            );
        } else if self.status().is_server_error() {
            tracing::error!(
                error = self as &dyn std::error::Error,
                "a request failed: {self}"
            );
        }
    }
}

/// A path whose percent-encoding is not UTF-8 names nothing in the registry.
impl From<PathRejection> for AppError {
    fn from(_: PathRejection) -> Self {
        Self::no_such_page("")
    }
}

/// The page of an error.
#[derive(Debug, Template)]
#[template(path = "error.html")]
struct ErrorPage {
    layout: Layout,
    title: &'static str,
    message: String,
    missing: Missing,
    outage: Option<IndexUnavailable>,
    faults: Vec<BadParameter>,
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        if let Self::Moved(path) = &self {
            return Redirect::permanent(path).into_response();
        }
        self.log();
        let (status, message) = (self.status(), self.message());
        let title = match &self {
            Self::NotFound(_) => "Not found",
            Self::BadParameters(_) => "Invalid search",
            Self::Moved(_) => "Moved",
            Self::MethodNotAllowed => "Method not allowed",
            Self::BodyTooLarge(_) | Self::BodyIncomplete | Self::Unprocessable(_) => "Invalid body",
            Self::Busy => "Temporarily unavailable",
            Self::Search(_) => "Search is temporarily unavailable",
            Self::Store(_) | Self::Template(_) | Self::Panic => "Server error",
        };
        let mut page = ErrorPage {
            layout: Layout::new(""),
            title,
            message,
            missing: Missing::default(),
            outage: None,
            faults: Vec::new(),
        };
        match self {
            Self::NotFound(missing) => {
                page.layout = Layout::new(&missing.words);
                page.missing = *missing;
            }
            Self::BadParameters(faults) => {
                // The list has the messages.
                "The search cannot be answered as it is:".clone_into(&mut page.message);
                page.faults = faults;
            }
            Self::Search(error) => page.outage = Some(IndexUnavailable::of(&error)),
            Self::Moved(_)
            | Self::MethodNotAllowed
            | Self::BodyTooLarge(_)
            | Self::BodyIncomplete
            | Self::Unprocessable(_)
            | Self::Busy
            | Self::Store(_)
            | Self::Template(_)
            | Self::Panic => {}
        }
        let response = match html::page(&page) {
            Ok(page) => (status, page).into_response(),
            Err(error) => {
                Self::Template(error).log();
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        };
        unkept(response)
    }
}

/// Error as a problem document.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) AppError);

impl<E: Into<AppError>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Body of a problem document (RFC 9457 §3), with the members that ARD requires.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ProblemBody {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(rename = "errorCode")]
    error_code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<BadParameter>,
}

/// Each operation describes its own problems.
impl OperationOutput for Problem {
    type Inner = ProblemBody;
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if let AppError::Moved(_) = &self.0 {
            return self.0.into_response();
        }
        self.0.log();
        let status = self.0.status();
        let mut body = ProblemBody {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: self.0.message(),
            error_code: self.0.code(),
            message: self.0.message(),
            errors: Vec::new(),
        };
        match self.0 {
            AppError::BadParameters(faults) => body.errors = faults,
            AppError::NotFound(missing) => {
                body.detail = format!("{} {}", body.message, missing.advice);
                if let Some(instead) = missing.instead {
                    body.detail = format!("{} Did you mean {}?", body.detail, instead.name);
                }
            }
            AppError::Search(error) => body.detail = IndexUnavailable::of(&error).detail(),
            AppError::Moved(_)
            | AppError::MethodNotAllowed
            | AppError::BodyTooLarge(_)
            | AppError::BodyIncomplete
            | AppError::Unprocessable(_)
            | AppError::Busy
            | AppError::Store(_)
            | AppError::Template(_)
            | AppError::Panic => {}
        }
        let mut response = (status, Json(body)).into_response();
        response.headers_mut().insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        unkept(response)
    }
}

/// Marks an error response as not cacheable, and adds `Retry-After` if a retry can help.
fn unkept(response: Response) -> Response {
    let mut response = cache::keep(Policy::Never, response);
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        let soon = HeaderValue::from_static(RETRY_AFTER_S);
        response.headers_mut().insert(RETRY_AFTER, soon);
    }
    response
}

/// Returns a fragment as a sentence.
fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    characters.next().map_or_else(String::new, |first| {
        let end = if fragment.ends_with('.') { "" } else { "." };
        format!("{}{}{end}", first.to_uppercase(), characters.as_str())
    })
}
