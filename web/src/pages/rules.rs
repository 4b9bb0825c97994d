//! `/docs/rules`: all rules that documents are checked against, by format.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
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

/// Answers `GET /docs/rules`.
pub(crate) async fn show(headers: HeaderMap) -> Result<Response, AppError> {
    let groups = RuleGroup::all();
    let count: usize = groups.iter().map(|group| group.rules.len()).sum();
    let page = RulesPage {
        layout: Layout::new("").with_twin(api_path()),
        count: view::count(count as u64, "rule", "rules"),
        groups,
    };
    Ok(html::tagged(&page, Policy::Details, &headers)?)
}

/// Returns the path of the JSON version.
pub(crate) fn api_path() -> String {
    view::path(&["api", "v1", "rules"])
}
