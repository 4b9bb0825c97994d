//! `/docs/rules/{id}`: the requirement of a rule, its reason, and examples.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::record::rule::missing;
use crate::twin::Form;
use crate::view::document::FindingView;
use crate::view::rule::{ExampleView, anchor, shown};
use crate::view::{self, rule_path};
use askama::Template;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::rules::{self, Rule};

#[derive(Debug, Template)]
#[template(path = "rule.html")]
struct RulePage {
    layout: Layout,
    id: &'static str,
    severity: &'static str,
    severity_words: &'static str,
    format: &'static str,
    format_anchor: String,
    title: &'static str,
    /// Text and code, alternating.
    explanation: Vec<&'static str>,
    section: &'static str,
    bad: Vec<ExampleView>,
    /// Findings of the validator in the bad example.
    findings: Vec<FindingView>,
    good: Vec<ExampleView>,
}

html::markdown_twin!(RulePage, "rule.md");

/// Answers `GET /docs/rules/{id}`.
pub(crate) async fn show(
    path: Result<Path<String>, PathRejection>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(id) = path?;
    let upper = id.to_ascii_uppercase();
    if upper != id && rules::find(&upper).is_some() {
        return Err(AppError::Moved(form.path(&rule_path(&upper))));
    }
    let rule = rules::find(&id).ok_or_else(|| missing(&id))?;
    Ok(html::tagged(
        form,
        &RulePage::of(rule),
        Policy::Details,
        &headers,
    )?)
}

impl RulePage {
    fn of(rule: &Rule) -> Self {
        let examples = |examples: &[_]| examples.iter().map(ExampleView::of).collect();
        Self {
            layout: Layout::new("").at(&rule_path(rule.id)),
            id: rule.id,
            severity: rule.severity.label(),
            severity_words: view::severity_words(rule.severity),
            format: rule.format,
            format_anchor: anchor(rule.format),
            title: rule.title,
            explanation: rule.explanation.split('`').collect(),
            section: rule.section,
            bad: examples(rule.bad),
            findings: shown(rule),
            good: examples(rule.good),
        }
    }
}
