//! `/docs/rules`: all rules that documents are checked against, by format.

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::html::{Layout, Page};
use crate::view;
use crate::view::rule::RuleGroup;
use askama::Template;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};

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
    let tag = Tag::of(&["rules page", &format!("{groups:?}")]);
    if tag.is_known_to(&headers) {
        return Ok(tag.not_modified(Policy::Details));
    }
    let count: usize = groups.iter().map(|group| group.rules.len()).sum();
    let page = Page(RulesPage {
        layout: Layout::new("").with_twin(api_path()),
        count: view::count(count as u64, "rule", "rules"),
        groups,
    });
    Ok(tag.on(Policy::Details, page.into_response()))
}

/// Returns the path of the JSON version.
pub(crate) fn api_path() -> String {
    view::path(&["api", "v1", "rules"])
}
