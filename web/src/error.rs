//! Errors, as pages for people and as problem documents for programs.
//!
//! One [`AppError`] has two renderings: a page with further links, and a problem document (RFC
//! 9457).
//! An internal error is logged here, once; its response reveals no internal details. A handler
//! returns the error itself; [`finish`] renders it, once it is known what the client asked for.

pub(crate) mod envelope;

mod form;
mod index_unavailable;
mod kind;
mod no_parameters;
mod page;
mod problem;

use crate::cache::{self, Policy};
use crate::parameter::BadParameter;
use crate::view::card::Card;
use crate::view::statement::Statement;
use crate::view::{SiteName, words_of};
use aide::OperationOutput;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, LOCATION, RETRY_AFTER};
use axum::response::{IntoResponse, Redirect, Response};
pub(crate) use form::ErrorForm;
pub(crate) use index_unavailable::IndexUnavailable;
pub(crate) use no_parameters::NoParameters;
pub(crate) use problem::{ArdProblem, ProblemBody, ServersProblem, rpc_to};
use search::SearchError;
use std::sync::Arc;
use store::{StoreError, Tombstone};

/// Most bytes of a request's body.
pub(crate) const MAX_BODY: usize = 1 << 20;

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
    /// The same of a page of results. 400.
    #[error("the search has invalid parameters")]
    BadSearch(Vec<BadParameter>),
    /// Another spelling of an address, with its canonical path. 308.
    #[error("the address is {0}")]
    Moved(String),
    /// Agent that has another id now, with its path. 301.
    #[error("the agent is at {0}")]
    Renamed(String),
    /// Agent that is no longer listed, with suggestions and the reason. 410.
    #[error("{message}")]
    Removed {
        /// Statement with the time and the reason, as a sentence.
        message: Statement,
        /// Suggestions.
        missing: Box<Missing>,
        /// Removal.
        tombstone: Box<Tombstone>,
    },
    /// Changes that are no longer kept, or of another epoch, with the address of the export to start
    /// from. 410.
    #[error("{reason}; start again from {snapshot}")]
    ChangesGone {
        /// Reason, as a fragment.
        reason: String,
        /// Address of the newest export.
        snapshot: &'static str,
    },
    /// Cursor into a generation of the index that is not kept any more, with the path of the first
    /// page. 410.
    #[error("the index has changed since this search began; start again at its first page")]
    CursorGone(String),
    /// Agent or site that the operator hides or excludes, or whose owner left, with the public reason.
    /// 410.
    #[error("{message}")]
    Withdrawn {
        /// Title of its page.
        title: String,
        /// Name that its owner took out, and can bring back.
        way_back: Option<String>,
        /// Reason, as a fragment or a sentence.
        message: Statement,
        /// Removal of the agent, if it was listed before.
        tombstone: Option<Box<Tombstone>>,
    },
    /// Request that the present state does not allow, with the reason. 409.
    #[error("{0}")]
    Conflict(Statement),
    /// More requests about one thing than it may have. 429.
    #[error("{message}")]
    Limited {
        /// Description of the limit.
        message: String,
        /// Seconds until the request would be answered.
        wait_s: u64,
    },
    /// Method not allowed at this address, with those that are. 405.
    #[error("this address accepts only {0}")]
    MethodNotAllowed(String),
    /// Body of a request that cannot be read, with the reason. 400.
    #[error("{0}")]
    BadBody(String),
    /// Request of a page of another origin to change something. 403.
    #[error(
        "a page of another site sent this, and may only read; open the form here and send it again, or use a program. If this was a page of the registry, its operator must set --public-url to the address that visitors use"
    )]
    CrossSite,
    /// Request that names no host, several, or none that is valid. 400.
    #[error("the request must name one host, in one `Host` header")]
    BadHost,
    /// Body of a request above the limit. 413.
    #[error("a request may have a body of at most {0} bytes")]
    TooLarge(usize),
    /// Body of another media type than the one that the address takes. 415.
    #[error("send the body with `Content-Type: {0}`")]
    MediaType(&'static str),
    /// More requests than a client may send. 429.
    #[error("too many requests from this address; send the next one in {wait_s} s")]
    TooMany {
        /// Seconds until the request would be answered.
        wait_s: u64,
    },
    /// No answer within the deadline. 504.
    #[error("the answer took too long")]
    Late,
    /// Body from which no answer can be made. 422.
    #[error("{0}")]
    Unprocessable(String),
    /// Too many requests of an expensive kind at once. 503.
    #[error("too many manifests are being read at the moment; try again later")]
    Busy,
    /// Too many event streams at once. 503.
    #[error("too many event streams are open at the moment; try again later")]
    TooManyStreams,
    /// Failure to read a file of an export. 500.
    #[error("cannot read the export")]
    Export(#[source] std::io::Error),
    /// Domain that is excluded, with the reason and the way back. 409.
    #[error("{0}")]
    Excluded(String),
    /// Request for a visit that comes too early (P47). 429.
    #[error("{message}")]
    TooEarly {
        /// Reason, as a sentence with the time at which it may come.
        message: Statement,
        /// Seconds until then.
        wait_s: u64,
    },
    /// Too many submissions without a visit. 503.
    #[error("too many submissions wait for the crawler; try again later")]
    QueueFull,
    /// Database that is being written to by others for too long. 503.
    #[error("the registry is busy; try again later")]
    WriteBusy,
    /// Database that takes no writes, such as one on a full disk. 503.
    #[error("the registry cannot store anything at present; try again later")]
    WriteRefused(#[source] StoreError),
    /// The server of the database cannot be reached at present. 503.
    #[error("the database cannot be reached at present; try again later")]
    DatabaseAway(#[source] StoreError),
    /// Failure of the database. 500.
    #[error(transparent)]
    Store(StoreError),
    /// Index unavailable. 503.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// Failure to render a page. 500.
    #[error(transparent)]
    Template(#[from] askama::Error),
    /// The system gives no random numbers. 500.
    #[error("the system gives no random numbers")]
    NoRandomness,
    /// Panic of a handler. 500.
    #[error("a handler panicked")]
    Panic,
}

/// Something that does not exist, with suggestions.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// Title of the page, if it is not that of the kind of error.
    pub(crate) title: Option<String>,
    /// Statement of what does not exist, as a sentence.
    pub(crate) message: String,
    /// Advice, as a sentence.
    pub(crate) advice: &'static str,
    /// Site that it would belong to.
    pub(crate) site: Option<SiteName>,
    /// Probable intention.
    pub(crate) instead: Option<LikelyPage>,
    /// Text for the search field.
    pub(crate) words: String,
    /// Agents with similar names.
    pub(crate) nearest: Vec<Card>,
    /// Domain that can be submitted.
    pub(crate) submit: Option<String>,
}

/// Existing page that was probably meant.
#[derive(Debug)]
pub(crate) struct LikelyPage {
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

    /// Returns the error of a search, or for a generation of the index that is gone, the error that
    /// names the first page.
    pub(crate) fn starting_at(self, first: impl FnOnce() -> String) -> Self {
        match self {
            Self::Search(SearchError::Gone { .. }) => Self::CursorGone(first()),
            other => other,
        }
    }

    /// Returns the message for people, with its time relative to now.
    pub(crate) fn statement(&self) -> Statement {
        match self {
            Self::Removed { message, .. }
            | Self::Withdrawn { message, .. }
            | Self::TooEarly { message, .. }
            | Self::Conflict(message) => message.clone().finished(sentence),
            other => other.message().into(),
        }
    }

    /// Returns the message, with exact times.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::NotFound(missing) => missing.message.clone(),
            Self::BadParameters(faults) | Self::BadSearch(faults) => match faults.as_slice() {
                [fault] => sentence(&fault.message),
                _ => "Some parameters are invalid.".to_owned(),
            },
            Self::Search(error) => IndexUnavailable::of(error).why,
            error if error.kind().is_internal() => {
                "An internal error occurred and was logged. Please try again later.".to_owned()
            }
            error => sentence(&error.to_string()),
        }
    }

    fn log(&self) {
        let error: &(dyn std::error::Error + 'static) = self;
        let kind = self.kind();
        if kind.is_internal() {
            tracing::error!(error, "a request failed: {self}");
        } else if kind.status.is_server_error() {
            tracing::warn!(error, "a request was refused: {self}");
        }
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        // A server whose database was replaced ends within a second.
        if error.is_refused_write() || matches!(error, StoreError::Replaced { .. }) {
            Self::WriteRefused(error)
        } else if matches!(error, StoreError::Away { .. }) {
            Self::DatabaseAway(error)
        } else {
            Self::Store(error)
        }
    }
}

/// A path whose percent-encoding is not UTF-8 names nothing in the registry.
impl From<PathRejection> for AppError {
    fn from(_: PathRejection) -> Self {
        Self::no_such_page("")
    }
}

/// The body is larger than the limit, or ended early, or came too slowly.
impl From<BytesRejection> for AppError {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge(MAX_BODY),
            _ => Self::BadBody("the body of the request ended early or came too slowly".to_owned()),
        }
    }
}

/// Error as a problem document, at addresses of pages too.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) AppError);

impl<E: Into<AppError>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Error on its way out, rendered by [`finish`], which knows what the client asked for.
#[derive(Clone, Debug)]
struct ErrorToRender {
    error: Arc<AppError>,
    is_problem: bool,
}

impl ErrorToRender {
    fn response(error: AppError, is_problem: bool) -> Response {
        if let AppError::Moved(path) = &error {
            return Redirect::permanent(path).into_response();
        }
        if let AppError::Renamed(path) = error {
            return (StatusCode::MOVED_PERMANENTLY, [(LOCATION, path)]).into_response();
        }
        let mut response = error.kind().status.into_response();
        let error = Arc::new(error);
        response.extensions_mut().insert(Self { error, is_problem });
        response
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        ErrorToRender::response(self, false)
    }
}

/// Each operation describes its own problems.
impl OperationOutput for Problem {
    type Inner = ProblemBody;
}

/// Each protocol describes its own errors.
impl OperationOutput for AppError {
    type Inner = ();
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        ErrorToRender::response(self.0, true)
    }
}

/// Reports whether `response` carries the error of a database that is away.
pub(crate) fn is_database_away(response: &Response) -> bool {
    let failed = response.extensions().get::<ErrorToRender>();
    failed.is_some_and(|it| matches!(*it.error, AppError::DatabaseAway(_)))
}

/// Renders the error that `response` carries, if it carries one, in the form of its address.
/// `allowed` lists the methods of the address.
pub(crate) fn finish(mut response: Response, form: ErrorForm, allowed: &str) -> Response {
    let failed: Option<ErrorToRender> = response.extensions_mut().remove();
    let Some(ErrorToRender { error, is_problem }) = failed else {
        return response;
    };
    let error = match Arc::into_inner(error) {
        Some(AppError::MethodNotAllowed(_)) => AppError::MethodNotAllowed(allowed.to_owned()),
        Some(error) => error,
        // Only one response carries it.
        None => return response,
    };
    error.log();
    let wait = error.kind().wait_s;
    let form = match form {
        ErrorForm::Page if is_problem => ErrorForm::Problem,
        form => form,
    };
    let rendered = match form {
        ErrorForm::Page => page::render(error),
        ErrorForm::Problem => problem::render(error),
        ErrorForm::Ard => problem::ard(&error),
        ErrorForm::Servers => problem::servers(&error),
        ErrorForm::Rpc => problem::rpc(error),
        ErrorForm::Interaction => problem::interaction(&error, wait),
    };
    let mut rendered = cache::keep(Policy::Never, rendered);
    if let Some(wait) = wait {
        rendered
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(wait));
    }
    for (name, value) in response.headers() {
        // Such as `Allow`; the body is another one.
        if !rendered.headers().contains_key(name) && name != CONTENT_LENGTH {
            rendered.headers_mut().insert(name, value.clone());
        }
    }
    rendered
}

/// Returns a fragment as a sentence.
pub(crate) fn sentence(fragment: &str) -> String {
    let first = fragment.split_whitespace().next().unwrap_or_default();
    // Names of domains have no capitals.
    if first.trim_end_matches(['.', ':', ',']).contains('.') {
        return format!("{}.", fragment.trim_end_matches('.'));
    }
    let mut characters = fragment.chars();
    characters.next().map_or_else(String::new, |first| {
        let end = if fragment.ends_with('.') { "" } else { "." };
        format!("{}{}{end}", first.to_uppercase(), characters.as_str())
    })
}
