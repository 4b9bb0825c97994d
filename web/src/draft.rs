//! Manifests that a request sends to be checked or converted; none is stored.

use crate::error::AppError;
use crate::parameter::BadParameter;
use crate::slots::{Slot, Slots};
use crate::state::blocking;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use manifest::author::addition::{Addition, AdditionError};
use manifest::author::{self, Draft};
use manifest::{FormatId, formats};
use std::sync::LazyLock;
use url::Url;

/// Manifests that are received and read at the same time.
static PLACES: LazyLock<Slots> = LazyLock::new(|| Slots::new(32));
/// Manifests that are read at the same time; the others wait.
static READERS: LazyLock<Slots> = LazyLock::new(|| Slots::new(4));

/// Most facts that a request adds, since each takes a pass over all agents.
pub(crate) const MAX_FACTS: usize = 20;

/// Path of a manifest whose path is not given.
const ROOT: &str = "/";

/// Parameters that say how to read a manifest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DraftParams {
    /// Path at which the site will serve it.
    pub(crate) path: Option<String>,
    format: Option<FormatId>,
    origin: Option<Url>,
}

impl DraftParams {
    /// Parses the values of `path`, `as` and `origin`.
    pub(crate) fn parse(
        path: Option<String>,
        format: Option<&str>,
        origin: Option<&str>,
        faults: &mut Vec<BadParameter>,
    ) -> Self {
        let path = path.filter(|path| {
            let is_path = path.starts_with('/');
            if !is_path {
                faults.push(BadParameter::new(
                    "path",
                    "bad_path",
                    "give `path` from the root of the site, such as /.well-known/agent.json",
                ));
            }
            is_path
        });
        let mut taken = |fault| faults.push(fault);
        let format = format.and_then(|name| format_of(name).map_err(&mut taken).ok());
        let origin = origin.and_then(|text| {
            let bad = |reason| BadParameter::new("origin", "bad_origin", reason);
            author::site(text)
                .map_err(|reason: String| taken(bad(reason)))
                .ok()
        });
        Self {
            path,
            format,
            origin,
        }
    }

    /// Receives the manifest of a request, and runs `work` on it.
    ///
    /// Memory and time are bounded: only so many manifests are received and read at the same time.
    pub(crate) async fn receive<T: Send + 'static>(
        self,
        request: Request,
        work: impl FnOnce(Draft<'_>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let _place = place()?;
        let body = Bytes::from_request(request, &()).await?;
        self.read(body.to_vec(), work).await
    }

    /// Runs `work` on a manifest that was received.
    pub(crate) async fn read<T: Send + 'static>(
        self,
        body: Vec<u8>,
        work: impl FnOnce(Draft<'_>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        // The permit stays with the work if the client does not wait for it.
        let reader = READERS.acquire().await;
        blocking(move || {
            let done = work(Draft {
                body,
                name: self.path.as_deref().unwrap_or(ROOT),
                origin: self.origin.as_ref(),
                format: self.format,
            });
            drop(reader);
            done
        })
        .await
    }
}

/// Returns a place for a manifest to be received and read; busy if there is none.
pub(crate) fn place() -> Result<Slot, AppError> {
    PLACES.try_acquire().ok_or(AppError::Busy)
}

/// Parses facts that a manifest lacks, such as `version=1.0.0`; an empty text counts as none.
pub(crate) fn additions<'a>(
    given: impl ExactSizeIterator<Item = &'a str>,
    faults: &mut Vec<BadParameter>,
) -> Vec<Addition> {
    if given.len() > MAX_FACTS {
        let message = format!("give `set` at most {MAX_FACTS} times");
        faults.push(BadParameter::new("set", "too_many", message));
        return Vec::new();
    }
    let given = given.filter(|it| !it.is_empty());
    let facts = given.filter_map(|text| {
        let fact = Addition::parse(text);
        fact.map_err(|error| faults.push(bad_fact(&error))).ok()
    });
    facts.collect()
}

/// Returns the fault of a fact that cannot be added.
pub(crate) fn bad_fact(error: &AdditionError) -> BadParameter {
    let message = manifest::text::clean(&error.to_string(), 300);
    BadParameter::new("set", "bad_fact", message)
}

/// Parses the id of a format, or a former id.
fn format_of(name: &str) -> Result<FormatId, BadParameter> {
    formats::find(formats::current_id(name)).ok_or_else(|| {
        let known: Vec<&str> = formats::ids().map(FormatId::as_str).collect();
        BadParameter::unknown_value("as", name, &known)
    })
}
