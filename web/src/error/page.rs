//! Errors as pages for people.

use super::{AppError, IndexUnavailable, Missing, sentence};
use crate::html::{self, Layout};
use crate::parameter::BadParameter;
use crate::view::statement::Statement;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

/// The page of an error.
#[derive(Debug, Template)]
#[template(path = "error.html")]
struct ErrorPage {
    layout: Layout,
    title: String,
    message: Statement,
    missing: Missing,
    outage: Option<IndexUnavailable>,
    faults: Vec<BadParameter>,
    /// Name that its owner took out, and can bring back.
    way_back: Option<String>,
    /// True if the public log has the reason.
    is_in_log: bool,
    /// Address of the first page of a search.
    first: Option<String>,
}

/// Renders an error as a page.
pub(super) fn render(error: AppError) -> Response {
    let kind = error.kind();
    let mut page = ErrorPage {
        layout: Layout::new(""),
        title: kind.title.to_owned(),
        message: error.statement(),
        missing: Missing::default(),
        outage: None,
        faults: Vec::new(),
        way_back: None,
        is_in_log: false,
        first: None,
    };
    match error {
        AppError::NotFound(missing) | AppError::Removed { missing, .. } => {
            page.layout = Layout::new(&missing.words);
            page.title = missing.title.clone().unwrap_or(page.title);
            page.missing = *missing;
        }
        AppError::BadParameters(faults) => {
            // The list has the messages, unless there is one that says all.
            (page.message, page.faults) =
                message_of(faults, "The request cannot be answered as it is:");
        }
        AppError::BadSearch(faults) => {
            (page.message, page.faults) =
                message_of(faults, "The search cannot be answered as it is:");
        }
        AppError::Withdrawn {
            title, way_back, ..
        } => {
            page.title = title;
            page.way_back = way_back;
            page.is_in_log = true;
        }
        AppError::Search(error) => page.outage = Some(IndexUnavailable::of(&error)),
        AppError::CursorGone(first) => page.first = Some(first),
        _ => {}
    }
    match html::page(&page) {
        Ok(page) => (kind.status, page).into_response(),
        Err(error) => {
            AppError::Template(error).log();
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Returns the message of a page about faults, and those that are listed below it: none if there is one
/// that says all.
fn message_of(faults: Vec<BadParameter>, many: &str) -> (Statement, Vec<BadParameter>) {
    match faults.as_slice() {
        [one] if one.suggestion.is_none() => (sentence(&one.message).into(), Vec::new()),
        _ => (many.to_owned().into(), faults),
    }
}
