//! `POST /api/v1/reports`: a problem with an agent or a site, which an operator reads.

use super::json_body::{Members, TOO_LARGE};
use crate::api::openapi::Described;
use crate::cache::{self, Policy};
use crate::error::{AppError, Missing, Problem};
use crate::pages::agent::lookup;
use crate::parameter::BadParameter;
use crate::random;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use manifest::Domain;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use store::{ProblemReport, ReportKind, Target};

/// Most characters of the text.
const MOST_TEXT: usize = 2_000;
/// Most open reports of one target.
const MOST_OF_TARGET: u32 = 20;
/// Seconds after which a target with too many reports may have another.
const WAIT_S: u64 = 24 * 60 * 60;

/// Receipt of a report.
#[derive(Debug, JsonSchema, Serialize)]
struct ReportBody {
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
            "text": { "type": "string", "minLength": 1, "maxLength": MOST_TEXT },
        },
        "required": ["target", "kind", "text"],
        "additionalProperties": false,
    });
    Described::new(
        operation,
        "report",
        "Reports a problem to the operator; no address of the sender is stored.",
    )
    .object("The problem.", body)
    .accepted::<ReportBody>("The report is stored.")
    .problem(400, "The body or one of its members is invalid.")
    .problem(404, "The registry does not know the target.")
    .problem(413, TOO_LARGE)
    .done()
}

/// Answers `POST /api/v1/reports`.
pub(crate) async fn create(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let mut members = Members::receive(request, &["target", "kind", "text"]).await?;
    let target = members.text("target", target);
    let kind = members.text("kind", kind);
    let text = members.text("text", text);
    let taken = target.zip(kind).zip(text);
    let ((target, kind), text) = members.finish(taken)?;
    let domain = Domain::parse(target.domain()).map_err(|_| AppError::no_such_page(""))?;
    if state.store.domain_state(&domain).await?.is_none() {
        return Err(Problem(crate::pages::site::missing(&state, &domain).await));
    }
    if let Some((_, slug)) = target.as_str().split_once('/')
        && lookup(&state, &domain, slug).await?.is_none()
    {
        return Err(Problem(AppError::NotFound(Box::new(Missing {
            message: format!("{target} is not listed."),
            advice: "Report the domain instead.",
            ..Missing::default()
        }))));
    }
    let report = ProblemReport {
        id: random::id()?,
        at: (state.now)(),
        target: target.as_str().to_owned(),
        kind,
        text,
    };
    if !state.store.report(&report, MOST_OF_TARGET).await? {
        return Err(Problem(AppError::Limited {
            message: format!(
                "there are many open reports on {target} already; the operator will read them"
            ),
            wait_s: WAIT_S,
        }));
    }
    let body = ReportBody {
        id: report.id,
        target: report.target,
        kind: kind.as_str(),
    };
    let accepted = (StatusCode::ACCEPTED, Json(body)).into_response();
    Ok(cache::keep(Policy::Never, accepted))
}

fn target(value: &str) -> Result<Target, BadParameter> {
    Target::parse(value).map_err(|error| {
        let value = manifest::text::clean(value, 100);
        let message = format!("`{value}` is neither a domain nor the id of an agent: {error}");
        BadParameter::new("target", "bad_target", message)
    })
}

fn kind(value: &str) -> Result<ReportKind, BadParameter> {
    let known = ReportKind::ALL.map(ReportKind::as_str);
    ReportKind::parse(value).ok_or_else(|| BadParameter::unknown_value("kind", value, &known))
}

fn text(value: &str) -> Result<String, BadParameter> {
    let bad = |message: String| Err(BadParameter::new("text", "bad_text", message));
    if value.chars().count() > MOST_TEXT {
        return bad(format!("`text` may have at most {MOST_TEXT} characters"));
    }
    let lines = value
        .lines()
        .map(|line| manifest::text::clean(line, MOST_TEXT));
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        return bad("describe the problem in `text`".to_owned());
    }
    Ok(text)
}
