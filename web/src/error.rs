//! What a visitor or a program is told when there is no answer.
//!
//! One [`AppError`] has two renderings: a page with ways on, and a problem document (RFC 9457).
//! A failure of ours is logged here, once, and says nothing about our inside.

mod outage;

use crate::cache::{self, Policy};
use crate::html::{self, Page};
use crate::parameter::BadParameter;
use crate::view::SiteName;
use crate::view::card::Card;
use askama::Template;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use indexer::search::SearchError;
pub(crate) use outage::Outage;
use serde::Serialize;
use store::StoreError;

/// When to ask again for what is being made, in seconds.
const RETRY_AFTER_S: &str = "30";

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum AppError {
    /// There is nothing of that name. 404.
    #[error("{}", .0.message)]
    NotFound(Box<Missing>),
    /// Parameters that cannot be used, each with its reason. 400.
    #[error("some parameters cannot be used")]
    BadParameters(Vec<BadParameter>),
    /// The method is not for this address. 405.
    #[error("this address answers GET and HEAD only")]
    MethodNotAllowed,
    /// The database failed. 500.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index cannot be searched, until somebody mends it. 503.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A page could not be written. 500.
    #[error(transparent)]
    Template(#[from] askama::Error),
    /// A handler failed in a way that nobody foresaw. 500.
    #[error("a handler panicked")]
    Panic,
}

/// What is not there, and ways on.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// What is not there, as a sentence.
    pub(crate) message: String,
    /// What may be done about it, as a sentence.
    pub(crate) advice: &'static str,
    /// The site that it would belong to.
    pub(crate) site: Option<SiteName>,
    /// What was probably meant.
    pub(crate) instead: Option<Instead>,
    /// Words to begin a search with.
    pub(crate) words: String,
    /// Agents that may have been meant.
    pub(crate) nearest: Vec<Card>,
}

/// Something of ours that was probably meant.
#[derive(Debug)]
pub(crate) struct Instead {
    /// Its page.
    pub(crate) path: String,
    /// Its name.
    pub(crate) name: String,
}

impl AppError {
    /// There is no such page.
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
            Self::BadParameters(_) => StatusCode::BAD_REQUEST,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Search(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(_) | Self::Template(_) | Self::Panic => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A stable word for programs.
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::BadParameters(_) => "bad_parameters",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Search(error) => Outage::of(error).code,
            Self::Store(_) | Self::Template(_) | Self::Panic => "internal",
        }
    }

    /// What a visitor may read.
    fn message(&self) -> String {
        match self {
            Self::NotFound(missing) => missing.message.clone(),
            Self::BadParameters(faults) => match faults.as_slice() {
                [fault] => sentence(&fault.message),
                _ => "Some parameters cannot be used.".to_owned(),
            },
            Self::MethodNotAllowed => sentence(&self.to_string()),
            Self::Search(error) => Outage::of(error).why,
            Self::Store(_) | Self::Template(_) | Self::Panic => {
                "Something failed on our side. It has been recorded; please try again later."
                    .to_owned()
            }
        }
    }

    fn log(&self) {
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            tracing::warn!(
                error = self as &dyn std::error::Error,
                "a search had no answer: {self}"
            );
        } else if self.status().is_server_error() {
            tracing::error!(
                error = self as &dyn std::error::Error,
                "a request failed: {self}"
            );
        }
    }
}

/// An address whose percent-encoding is no UTF-8 names nothing that we have.
impl From<PathRejection> for AppError {
    fn from(_: PathRejection) -> Self {
        Self::no_such_page("")
    }
}

/// The page of an error.
#[derive(Debug, Template)]
#[template(path = "error.html")]
struct ErrorPage {
    layout: html::Layout,
    title: &'static str,
    message: String,
    missing: Missing,
    outage: Option<Outage>,
    faults: Vec<BadParameter>,
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        self.log();
        let (status, message) = (self.status(), self.message());
        let title = match &self {
            Self::NotFound(_) => "Not found",
            Self::BadParameters(_) => "That cannot be searched for",
            Self::MethodNotAllowed => "Not possible here",
            Self::Search(_) => "No search at the moment",
            Self::Store(_) | Self::Template(_) | Self::Panic => "Our fault",
        };
        let mut page = ErrorPage {
            layout: html::Layout::new(""),
            title,
            message,
            missing: Missing::default(),
            outage: None,
            faults: Vec::new(),
        };
        match self {
            Self::NotFound(missing) => {
                page.layout = html::Layout::new(&missing.words);
                page.missing = *missing;
            }
            Self::BadParameters(faults) => page.faults = faults,
            Self::Search(error) => page.outage = Some(Outage::of(&error)),
            Self::MethodNotAllowed | Self::Store(_) | Self::Template(_) | Self::Panic => {}
        }
        let page = Page(page);
        unkept((status, page).into_response())
    }
}

/// An error as programs get it.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) AppError);

impl<E: Into<AppError>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The body of a problem (RFC 9457 §3), with the members that ARD asks for.
#[derive(Debug, Serialize)]
struct Body {
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

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.0.log();
        let status = self.0.status();
        let mut body = Body {
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
            AppError::Search(error) => body.detail = Outage::of(&error).detail(),
            AppError::MethodNotAllowed
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

/// An error as it leaves us: kept by nobody, and with a time to come back when that will help.
fn unkept(response: Response) -> Response {
    let mut response = cache::keep(Policy::Never, response);
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        let soon = HeaderValue::from_static(RETRY_AFTER_S);
        response.headers_mut().insert(RETRY_AFTER, soon);
    }
    response
}

/// The words of a path, to begin a search with.
pub(crate) fn words_of(path: &str) -> String {
    let words: String = path
        .chars()
        .map(|character| {
            if character.is_alphanumeric() {
                character
            } else {
                ' '
            }
        })
        .collect();
    manifest::text::clean(&words, 80)
}

/// A fragment as a sentence.
fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    characters.next().map_or_else(String::new, |first| {
        let end = if fragment.ends_with('.') { "" } else { "." };
        format!("{}{}{end}", first.to_uppercase(), characters.as_str())
    })
}
