//! `/validate`: a form that checks a manifest before it is published; nothing is stored.

use crate::cache::{self, Policy};
use crate::draft::{self, DraftParams};
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::parameter::BadParameter;
use crate::view;
use crate::view::document::FindingView;
use askama::Template;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use axum::response::{IntoResponse as _, Response};
use manifest::formats;
use manifest::lint::Lint;
use url::form_urlencoded;

/// Most findings on the page.
const FINDINGS: usize = 100;
/// Maximum number of agents that the page names.
const AGENTS: usize = 20;

#[derive(Debug, Template)]
#[template(path = "validate.html")]
struct ValidatePage {
    layout: Layout,
    text: String,
    path: String,
    format: String,
    formats: Vec<(&'static str, String)>,
    result: Option<CheckView>,
}

/// Result of a check.
#[derive(Debug)]
struct CheckView {
    /// Verdict in a sentence.
    verdict: String,
    is_good: bool,
    /// Level with its meaning.
    level: String,
    /// Counts of findings, in words.
    counts: String,
    agents: Vec<String>,
    findings: Vec<FindingView>,
    more: Option<String>,
}

/// Answers `GET /validate`.
pub(crate) async fn form() -> Result<Response, AppError> {
    let page = ValidatePage::new();
    let response = html::page(&page)?.into_response();
    Ok(cache::keep(Policy::Details, response))
}

/// Answers `POST /validate`, the form.
pub(crate) async fn check(request: Request) -> Result<Response, AppError> {
    let _place = draft::place()?;
    let body = Bytes::from_request(request, &()).await?;
    let mut page = ValidatePage::new();
    for (name, value) in form_urlencoded::parse(&body) {
        match &*name {
            "text" => page.text = value.into_owned(),
            "path" => value.trim().clone_into(&mut page.path),
            "as" => page.format = value.into_owned(),
            _ => {
                return Err(AppError::BadParameters(vec![BadParameter::unknown(
                    &name,
                    &["text", "path", "as"],
                )]));
            }
        }
    }
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut faults = Vec::new();
    let format = given(&page.format);
    let asked = DraftParams::parse(given(&page.path), format.as_deref(), None, &mut faults);
    if !faults.is_empty() {
        return Err(AppError::BadParameters(faults));
    }
    let text = page.text.clone().into_bytes();
    let checked = asked.read(text, |draft| draft.lint().map(|it| CheckView::of(&it)));
    let checked = checked.await?.map_err(|error| {
        let fault = BadParameter::new("path", "bad_path", error.to_string());
        AppError::BadParameters(vec![fault])
    })?;
    page.result = Some(checked);
    let response = html::page(&page)?.into_response();
    Ok(cache::keep(Policy::Never, response))
}

impl ValidatePage {
    fn new() -> Self {
        let formats = formats::ids().map(|it| (it.as_str(), view::format_title(it.as_str())));
        Self {
            layout: Layout::new("").under("/validate"),
            formats: formats.collect(),
            text: String::new(),
            path: String::new(),
            format: String::new(),
            result: None,
        }
    }
}

impl CheckView {
    fn of(lint: &Lint) -> Self {
        let reading = &lint.reading;
        let title = view::format_title(reading.format.as_str());
        let level = reading.level();
        let is_known = title != view::UNKNOWN_FORMAT;
        let verdict = match (reading.is_valid(), reading.is_indexable()) {
            _ if !is_known => "This is no known format. It would not be listed.".to_owned(),
            (true, true) => format!("Valid: {title}. It would be listed."),
            (false, true) => {
                format!("Read as {title}, with errors. It would be listed all the same.")
            }
            (true, false) => format!("Valid: {title}. It describes no agent to list."),
            (false, false) => format!("Read as {title}, with errors. It would not be listed."),
        };
        let mut quoted: Vec<_> = lint.quoted().collect();
        quoted.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
        let more = quoted.len().saturating_sub(FINDINGS);
        Self {
            is_good: reading.is_valid(),
            level: format!("{} · {}", level.as_str(), view::level_words(level)),
            counts: view::document::verdict(reading.findings.iter()),
            agents: reading
                .agents
                .iter()
                .take(AGENTS)
                .map(|agent| {
                    let capabilities = agent.capabilities.len() as u64;
                    let count = view::count(capabilities, "capability", "capabilities");
                    format!("{}, {count}", view::title(&agent.name))
                })
                .collect(),
            findings: quoted
                .into_iter()
                .take(FINDINGS)
                .map(|(finding, quote)| {
                    FindingView::of(finding, finding.count.into(), quote.as_deref())
                })
                .collect(),
            more: (more > 0).then(|| format!("and {} more", view::grouped(more as u64))),
            verdict,
        }
    }
}
