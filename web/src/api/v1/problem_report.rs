//! `POST /api/v1/reports`: a problem with an agent or a site, which an operator reads.

use super::json_body::{Members, TOO_LARGE};
use crate::action::report::{self as parse, MAX_TEXT, ReportOutcome, report};
use crate::cache::{self, Policy};
use crate::error::Problem;
use crate::openapi::OperationDoc;
use crate::record::site::missing;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use store::ReportKind;

/// Receipt of a report.
#[derive(Debug, JsonSchema, Serialize)]
struct ReportReceipt {
    /// Random id, to refer to the report.
    id: String,
    target: String,
    kind: &'static str,
}

/// Describes `POST /api/v1/reports`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let kinds = ReportKind::ALL.map(ReportKind::as_str);
    let body = json_schema!({
        "type": "object",
        "properties": {
            "target": {
                "type": "string",
                "description": "A domain, or the id of an agent, such as mesa.example/reservations.",
            },
            "kind": { "type": "string", "enum": kinds },
            "text": { "type": "string", "minLength": 1, "maxLength": MAX_TEXT },
        },
        "required": ["target", "kind", "text"],
        "additionalProperties": false,
    });
    OperationDoc::new(
        operation,
        "report",
        "Reports a problem to the operator; the address of the sender is not stored.",
    )
    .object("The problem.", body)
    .accepted::<ReportReceipt>("The report is stored.")
    .problem(400, "The body or one of its members is invalid.")
    .problem(404, "The registry does not know the target.")
    .problem(413, TOO_LARGE)
    .act()
    .done()
}

/// Answers `POST /api/v1/reports`.
pub(crate) async fn create(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let mut members = Members::receive(request, &["target", "kind", "text"]).await?;
    let target = members.text("target", parse::target);
    let kind = members.text("kind", parse::kind);
    let text = members.text("text", parse::text);
    let taken = target.zip(kind).zip(text);
    let ((target, kind), text) = members.finish(taken)?;
    let report = match report(&state, &target, kind, text).await? {
        ReportOutcome::Stored(report) => report,
        ReportOutcome::UnknownSite(domain) => return Err(Problem(missing(&state, &domain).await)),
    };
    let body = ReportReceipt {
        id: report.id,
        target: report.target,
        kind: kind.as_str(),
    };
    let accepted = (StatusCode::ACCEPTED, Json(body)).into_response();
    Ok(cache::keep(Policy::Never, accepted))
}
