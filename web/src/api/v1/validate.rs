//! `POST /api/v1/validate`: the findings of a manifest, as `indexer lint --format json` gives them.

use crate::cache::{self, Policy};
use crate::draft::DraftParams;
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::{RawQuery, Request};
use axum::response::{IntoResponse as _, Response};
use export::public::{self, Reading};

/// Describes `POST /api/v1/validate`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "validate",
        "Returns the findings of a manifest; stores nothing.",
    )
    .draft()
    .once::<Reading<'_>>("What was read, and the findings.")
    .done()
}

/// Answers `POST /api/v1/validate`.
pub(crate) async fn show(RawQuery(query): RawQuery, request: Request) -> Result<Response, Problem> {
    let asked = parse(query.as_deref()).map_err(AppError::BadParameters)?;
    let reading = asked.receive(request, |draft| {
        let lint = draft.lint()?;
        // Serialized here, because the reading borrows from its document.
        public::relative(&Reading::of(&lint.reading)).map_err(Failure::from)
    });
    let reading = reading.await?.map_err(|failure| match failure {
        Failure::Site(error) => {
            let fault = BadParameter::new("origin", "bad_origin", error.to_string());
            AppError::BadParameters(vec![fault])
        }
        Failure::Json(_) => AppError::Panic,
    })?;
    Ok(cache::keep(Policy::Never, Json(reading).into_response()))
}

/// Reason why there is no reading.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Site(#[from] manifest::domain::DomainError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

fn parse(query: Option<&str>) -> Result<DraftParams, Vec<BadParameter>> {
    let [path, format, origin] = only(query, ["path", "as", "origin"])?;
    let mut faults = Vec::new();
    let asked = DraftParams::parse(path, format.as_deref(), origin.as_deref(), &mut faults);
    if faults.is_empty() {
        Ok(asked)
    } else {
        Err(faults)
    }
}
