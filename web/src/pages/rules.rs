//! `/docs/rules`: all rules that documents are checked against, by format.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout, Page};
use crate::twin::Form;
use crate::view;
use crate::view::rule::RuleGroup;
use askama::Template;
use axum::http::HeaderMap;
use axum::response::Response;

#[derive(Debug, Template)]
#[template(path = "rules.html")]
struct RulesPage {
    layout: Layout,
    /// Number of rules, in words.
    count: String,
    groups: Vec<RuleGroup>,
}

/// The twin in Markdown.
#[derive(Template)]
#[template(path = "rules.md")]
struct RulesMarkdown<'a> {
    page: &'a RulesPage,
}

impl Page for RulesPage {
    fn markdown(&self) -> askama::Result<String> {
        RulesMarkdown { page: self }.render()
    }
}

/// Answers `GET /docs/rules`.
pub(crate) async fn show(form: Form, headers: HeaderMap) -> Result<Response, AppError> {
    let groups = RuleGroup::all();
    let count: usize = groups.iter().map(|group| group.rules.len()).sum();
    let page = RulesPage {
        layout: Layout::new("").with_twin(Form::Json.path("/docs/rules")),
        count: view::count(count as u64, "rule", "rules"),
        groups,
    };
    Ok(html::tagged(form, &page, Policy::Details, &headers)?)
}
