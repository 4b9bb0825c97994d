//! `POST /api/v1/convert`: a manifest in another format, as `indexer convert` writes it.

use crate::cache::{self, Policy};
use crate::draft::{self, DraftParams, MAX_FACTS};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, QueryValues, with_list};
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::{RawQuery, Request};
use axum::response::{IntoResponse as _, Response};
use export::public::Finding;
use manifest::FormatId;
use manifest::author::addition::{self, Addition, AdditionError};
use manifest::author::{self, DraftError};
use manifest::convert::Target;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;

/// A manifest in another format.
#[derive(Debug, JsonSchema, Serialize)]
struct ConvertBody<'a> {
    /// Format as which the manifest was read.
    format: FormatId,
    /// Format that is written.
    to: &'static str,
    /// Path at which a site publishes it.
    place: &'static str,
    /// `Content-Type` with which a site serves it.
    media_type: &'static str,
    /// The document; `null` if the manifest does not state a fact that it requires. Findings of rule
    /// CV-02 name these facts.
    document: Option<&'a str>,
    /// Losses and changes; those of one kind are one finding. Their positions are those in the
    /// manifest.
    findings: Vec<Finding<'a>>,
}

/// Parameters of a request.
#[derive(Debug)]
struct ConvertParams {
    to: Target,
    /// Facts to add.
    facts: Vec<Addition>,
    draft: DraftParams,
}

impl ConvertParams {
    fn parse(query: Option<&str>) -> Result<Self, Vec<BadParameter>> {
        let names = ["to", "path", "as", "origin"];
        let QueryValues {
            values: [to, path, format, origin],
            listed: set,
        } = with_list(query, names, "set")?;
        let mut faults = Vec::new();
        let facts = draft::additions(set.iter().map(String::as_str), &mut faults);
        let known = Target::ALL.map(Target::as_str);
        let to = match to.as_deref() {
            Some(name) => {
                Target::parse(name).ok_or_else(|| BadParameter::unknown_value("to", name, &known))
            }
            None => Err(BadParameter::new(
                "to",
                "required",
                format!("give the format to write as `to`: {}", known.join(", ")),
            )),
        };
        let draft = DraftParams::parse(path, format.as_deref(), origin.as_deref(), &mut faults);
        match to {
            Ok(to) if faults.is_empty() => Ok(Self { to, facts, draft }),
            to => {
                faults.extend(to.err());
                Err(faults)
            }
        }
    }
}

/// Describes `POST /api/v1/convert`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let targets = Target::ALL.map(Target::as_str);
    let summary = "Converts a manifest to another format; stores nothing.";
    OperationDoc::new(operation, "convert", summary)
        .required_query(
            "to",
            "Format to write.",
            json_schema!({ "type": "string", "enum": targets }),
        )
        .query(
            "set",
            "Value that the manifest lacks, such as `version=1.0.0`; lists and objects as JSON. \
             Values of the manifest are kept; items of lists are appended.",
            json_schema!({
                "type": "array",
                "items": { "type": "string", "pattern": "^([^=]+=[\\s\\S]*)?$" },
                "maxItems": MAX_FACTS,
            }),
        )
        .draft()
        .once::<ConvertBody<'_>>("The document, and what is lost or changed.")
        .problem(422, "The document describes no agent.")
        .done()
}

/// Answers `POST /api/v1/convert`.
pub(crate) async fn show(RawQuery(query): RawQuery, request: Request) -> Result<Response, Problem> {
    let asked = ConvertParams::parse(query.as_deref()).map_err(AppError::BadParameters)?;
    let ConvertParams { to, facts, draft } = asked;
    let has_path = draft.path.is_some();
    let converted = draft.receive(request, move |draft| {
        let (document, mut reading) = draft.read()?;
        addition::add(&facts, &mut reading)?;
        let conversion = author::converted(&document, &reading, to, has_path)?;
        Ok::<_, Refusal>((reading.format, conversion))
    });
    let (format, conversion) = converted.await?.map_err(|error| refusal(&error))?;
    let findings = conversion.grouped();
    let body = ConvertBody {
        format,
        to: to.as_str(),
        place: to.place(),
        media_type: to.media_type(),
        document: conversion.body.as_deref(),
        findings: findings.iter().map(Finding::of).collect(),
    };
    Ok(cache::keep(Policy::Never, Json(body).into_response()))
}

/// Reason why there is no conversion.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Draft(#[from] DraftError),
    #[error(transparent)]
    Fact(#[from] AdditionError),
}

/// Returns the error of a manifest that cannot be converted.
fn refusal(refused: &Refusal) -> AppError {
    let error = match refused {
        Refusal::Draft(error) => error,
        Refusal::Fact(error) => return AppError::BadParameters(vec![draft::bad_fact(error)]),
    };
    let of_origin = |code, message: String| {
        AppError::BadParameters(vec![BadParameter::new("origin", code, message)])
    };
    match error {
        DraftError::NoSite => of_origin(
            "required",
            format!("{error}; give it as `origin`, such as https://ferry.example"),
        ),
        DraftError::BadSite(error) => of_origin("bad_origin", error.to_string()),
        DraftError::NoAgent(_) => AppError::Unprocessable(error.to_string()),
        _ => AppError::Panic,
    }
}
