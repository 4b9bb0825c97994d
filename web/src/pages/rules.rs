//! `/docs/rules`: all rules that documents are checked against, by format and severity.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::parameter::{BadParameter, value};
use crate::twin::Form;
use crate::view;
use crate::view::rule::RuleGroup;
use askama::Template;
use axum::extract::RawQuery;
use axum::http::HeaderMap;
use axum::response::Response;

/// Severities that a rule may have, the most severe first.
const SEVERITIES: [&str; 3] = ["error", "warning", "note"];

#[derive(Debug, Template)]
#[template(path = "rules.html")]
struct RulesPage {
    layout: Layout,
    /// Number of rules, in words.
    count: String,
    /// Formats by their anchors, with true for the one that is asked for.
    formats: Vec<(String, String, bool)>,
    severities: [(&'static str, bool); 3],
    is_filtered: bool,
    groups: Vec<RuleGroup>,
}

html::markdown_twin!(RulesPage, "rules.md");

/// Answers `GET /docs/rules`.
pub(crate) async fn show(
    form: Form,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let page = RulesPage::of(query.as_deref()).map_err(AppError::BadParameters)?;
    Ok(html::tagged(form, &page, Policy::Details, &headers)?)
}

impl RulesPage {
    fn of(query: Option<&str>) -> Result<Self, Vec<BadParameter>> {
        let (format, severity) = (value(query, "format"), value(query, "severity"));
        let mut groups = RuleGroup::all();
        let anchors: Vec<String> = groups.iter().map(|it| it.anchor.clone()).collect();
        let anchors: Vec<&str> = anchors.iter().map(String::as_str).collect();
        let unknown = |name, value: &Option<String>, known: &[&str]| {
            let value = value.as_deref().filter(|it| !known.contains(it))?;
            Some(BadParameter::unknown_value(name, value, known))
        };
        let faults: Vec<_> = unknown("format", &format, &anchors)
            .into_iter()
            .chain(unknown("severity", &severity, &SEVERITIES))
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let formats = groups.iter().map(|it| {
            let is_asked = format.as_ref() == Some(&it.anchor);
            (it.anchor.clone(), it.format.to_owned(), is_asked)
        });
        let formats = formats.collect();
        groups.retain(|it| format.as_ref().is_none_or(|format| *format == it.anchor));
        if let Some(severity) = &severity {
            for group in &mut groups {
                group.rules.retain(|it| it.severity == severity);
            }
            groups.retain(|it| !it.rules.is_empty());
        }
        let count: usize = groups.iter().map(|group| group.rules.len()).sum();
        Ok(Self {
            layout: Layout::new("").at("/docs/rules"),
            count: view::count(count as u64, "rule", "rules"),
            formats,
            severities: SEVERITIES.map(|it| (it, severity.as_deref() == Some(it))),
            is_filtered: format.is_some() || severity.is_some(),
            groups,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_section_under_its_own_name() {
        let page = RulesPage::of(None).unwrap();
        for entry in manifest::formats::ALL {
            let has_rules = |group: &RuleGroup| {
                let own = entry.rules.iter().map(|rule| rule.id);
                group.format == entry.title || own.eq(group.rules.iter().map(|it| it.id))
            };
            let named = page.groups.iter().any(has_rules);
            let by_rules = entry.rules.iter().all(|rule| {
                let mut groups = page.groups.iter();
                groups.any(|it| it.format == rule.format)
            });
            assert!(
                named || !entry.rules.is_empty() && by_rules,
                "{}",
                entry.title
            );
        }
    }

    #[test]
    fn rules_are_filtered_by_format_and_severity() {
        let page = RulesPage::of(Some("format=a2a-agent-card&severity=note")).unwrap();
        let rules: Vec<_> = page.groups.iter().flat_map(|it| &it.rules).collect();
        assert!(rules.iter().any(|it| it.id == "A2-14"));
        assert!(
            rules
                .iter()
                .all(|it| it.id.starts_with("A2-") && it.severity == "note")
        );
        let all = RulesPage::of(Some("format=&severity=")).unwrap();
        assert!(!all.is_filtered && all.groups.len() > 20);
        let faults = RulesPage::of(Some("format=x&severity=info")).unwrap_err();
        assert_eq!(faults.len(), 2);
    }
}
