//! `GET /api/v1/rules` and `GET /api/v1/rules/{id}`.

use crate::cache::{self, Policy};
use crate::error::{NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::record::rule::{api_path, missing};
use crate::view::rule_path;
use aide::transform::TransformOperation;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderMap;
use axum::response::Response;
use export::public::Finding;
use manifest::rules::{self, Example, Rule};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, JsonSchema, Serialize)]
struct RulesBody {
    rules: Vec<RuleSummary>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct RuleSummary {
    id: &'static str,
    severity: &'static str,
    format: &'static str,
    title: &'static str,
    links: RuleLinks,
}

#[derive(Debug, JsonSchema, Serialize)]
struct RuleBody<'a> {
    #[serde(flatten)]
    summary: RuleSummary,
    explanation: &'static str,
    section: &'static str,
    bad: Vec<ExampleBody>,
    /// Findings of the rule in the bad example.
    findings: Vec<Finding<'a>>,
    good: Vec<ExampleBody>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ExampleBody {
    path: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'static str>,
    /// Body; bytes that are not UTF-8 are replaced by U+FFFD.
    text: String,
}

#[derive(Debug, JsonSchema, Serialize)]
struct RuleLinks {
    page: String,
    api: String,
}

/// Describes `GET /api/v1/rules`.
pub(crate) fn describe_list(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "listRules",
        "Lists the rules by which documents are checked.",
    )
    .answer::<RulesBody>("The rules.")
    .problem(400, "A parameter is unknown or invalid.")
    .done()
}

/// Answers `GET /api/v1/rules`.
pub(crate) async fn list(_: NoParameters, headers: HeaderMap) -> Response {
    let rules = rules::all().map(RuleSummary::of).collect();
    cache::json(&RulesBody { rules }, Policy::Details, &headers)
}

/// Describes `GET /api/v1/rules/{id}`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(operation, "getRule", "Returns one rule with examples.")
        .path("id", "Id of the rule.", "A2-06")
        .answer::<RuleBody<'_>>("The rule.")
        .problem(400, "A parameter is unknown or invalid.")
        .moved()
        .problem(404, "No such rule.")
        .done()
}

/// Answers `GET /api/v1/rules/{id}`.
pub(crate) async fn show(
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Path(id) = path?;
    let rule = rules::find(&id).ok_or_else(|| missing(&id))?;
    let findings = rules::shown(rule);
    let body = RuleBody::of(rule, &findings);
    Ok(cache::json(&body, Policy::Details, &headers))
}

impl RuleSummary {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            severity: rule.severity.as_str(),
            format: rule.format,
            title: rule.title,
            links: RuleLinks {
                page: rule_path(rule.id),
                api: api_path(rule.id),
            },
        }
    }
}

impl<'a> RuleBody<'a> {
    fn of(rule: &Rule, findings: &'a [manifest::Finding]) -> Self {
        Self {
            summary: RuleSummary::of(rule),
            explanation: rule.explanation,
            section: rule.section,
            bad: rule.bad.iter().map(ExampleBody::of).collect(),
            findings: findings.iter().map(Finding::of).collect(),
            good: rule.good.iter().map(ExampleBody::of).collect(),
        }
    }
}

impl ExampleBody {
    fn of(example: &Example) -> Self {
        Self {
            path: example.path,
            media_type: example.media_type,
            text: example.text().into_owned(),
        }
    }
}
