//! Kinds of errors: one row for each variant.

use super::{AppError, IndexUnavailable};
use axum::http::StatusCode as Status;

/// Value of `Retry-After` while the index is unavailable, in seconds.
const RETRY_AFTER_S: u64 = 30;

/// The same while too many submissions wait: some of them are visited by then.
const QUEUE_RETRY_AFTER_S: u64 = 3_600;

/// The same while the database is busy.
const BUSY_RETRY_AFTER_S: u64 = 2;

/// Title of what works again soon.
const UNAVAILABLE: &str = "Temporarily unavailable";

/// Kind of an error, which decides how it is answered.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) status: Status,
    /// Stable word for programs.
    pub(super) code: &'static str,
    /// Title of its page.
    pub(super) title: &'static str,
    /// Seconds after which the request may be repeated.
    pub(crate) wait_s: Option<u64>,
}

impl Kind {
    /// Reports whether it is a fault of the server, of which clients learn nothing.
    pub(super) fn is_internal(&self) -> bool {
        self.status == Status::INTERNAL_SERVER_ERROR
    }

    fn after(self, wait_s: u64) -> Self {
        Self {
            wait_s: Some(wait_s),
            ..self
        }
    }
}

fn kind(status: Status, code: &'static str, title: &'static str) -> Kind {
    Kind {
        status,
        code,
        title,
        wait_s: None,
    }
}

impl AppError {
    /// Returns the kind.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::NotFound(_) => kind(Status::NOT_FOUND, "not_found", "Not found"),
            Self::BadParameters(faults) if faults.iter().all(|it| it.code == "bad_domain") => {
                kind(Status::BAD_REQUEST, "bad_parameters", "Not a domain")
            }
            Self::BadParameters(_) => {
                kind(Status::BAD_REQUEST, "bad_parameters", "Invalid parameters")
            }
            Self::BadSearch(_) => kind(Status::BAD_REQUEST, "bad_parameters", "Invalid search"),
            Self::BadBody(_) => kind(Status::BAD_REQUEST, "bad_body", "Invalid request"),
            Self::BadHost => kind(Status::BAD_REQUEST, "bad_host", "Invalid request"),
            Self::Unprocessable(_) => kind(
                Status::UNPROCESSABLE_ENTITY,
                "unprocessable",
                "Invalid request",
            ),
            Self::Moved(_) => kind(Status::PERMANENT_REDIRECT, "moved", "Moved"),
            Self::Renamed(_) => kind(Status::MOVED_PERMANENTLY, "moved", "Moved"),
            Self::Removed { .. } => kind(Status::GONE, "removed", "No longer listed"),
            Self::Withdrawn { .. } => kind(Status::GONE, "withdrawn", "Not listed"),
            Self::ChangesGone { .. } => kind(Status::GONE, "changes_gone", "No longer kept"),
            Self::CursorGone(_) => kind(Status::GONE, "cursor_gone", "The results have changed"),
            Self::Conflict(_) => kind(Status::CONFLICT, "conflict", "Not possible"),
            Self::Excluded(_) => kind(Status::CONFLICT, "excluded", "Excluded"),
            Self::MethodNotAllowed(_) => kind(
                Status::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "Method not allowed",
            ),
            Self::CrossSite => kind(Status::FORBIDDEN, "cross_site", "Sent from another site"),
            Self::TooLarge(_) => kind(Status::PAYLOAD_TOO_LARGE, "too_large", "Request too large"),
            Self::MediaType(_) => kind(
                Status::UNSUPPORTED_MEDIA_TYPE,
                "media_type",
                "Unsupported media type",
            ),
            Self::TooMany { wait_s } => kind(
                Status::TOO_MANY_REQUESTS,
                "too_many_requests",
                "Too many requests",
            )
            .after(*wait_s),
            Self::Limited { wait_s, .. } => {
                kind(Status::TOO_MANY_REQUESTS, "limited", "Too many requests").after(*wait_s)
            }
            Self::TooEarly { wait_s, .. } => {
                kind(Status::TOO_MANY_REQUESTS, "too_early", "Too early").after(*wait_s)
            }
            Self::Busy | Self::TooManyStreams => {
                kind(Status::SERVICE_UNAVAILABLE, "busy", UNAVAILABLE).after(RETRY_AFTER_S)
            }
            Self::QueueFull => kind(Status::SERVICE_UNAVAILABLE, "queue_full", UNAVAILABLE)
                .after(QUEUE_RETRY_AFTER_S),
            Self::WriteBusy => {
                kind(Status::SERVICE_UNAVAILABLE, "busy", UNAVAILABLE).after(BUSY_RETRY_AFTER_S)
            }
            Self::WriteRefused(_) => {
                kind(Status::SERVICE_UNAVAILABLE, "read_only", UNAVAILABLE).after(RETRY_AFTER_S)
            }
            Self::DatabaseAway(_) => {
                kind(Status::SERVICE_UNAVAILABLE, "database_away", UNAVAILABLE).after(RETRY_AFTER_S)
            }
            Self::Search(error) => {
                let code = IndexUnavailable::of(error).code;
                let title = "Search is temporarily unavailable";
                kind(Status::SERVICE_UNAVAILABLE, code, title).after(RETRY_AFTER_S)
            }
            Self::Late => kind(Status::GATEWAY_TIMEOUT, "late", "No answer in time"),
            Self::Store(_)
            | Self::Export(_)
            | Self::Template(_)
            | Self::NoRandomness
            | Self::Panic => kind(Status::INTERNAL_SERVER_ERROR, "internal", "Server error"),
        }
    }
}
