//! `/report`: a form that reports a problem with an agent or a site to the operator.

use crate::action::report::{self as parse, MAX_TEXT, ReportOutcome, report};
use crate::cache::{self, Policy};
use crate::error::{AppError, Missing};
use crate::html::{self, Layout};
use crate::parameter::{BadParameter, value};
use crate::posted::{PostedForm, Refusal};
use crate::state::AppState;
use crate::view;
use crate::view::time::Moment;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use store::ReportKind;

/// Longest target that the field shows again, in characters.
const MAX_TARGET: usize = 500;

#[derive(Debug, Template)]
#[template(path = "report.html")]
struct ReportPage {
    layout: Layout,
    target: String,
    kind: String,
    text: String,
    kinds: [(&'static str, &'static str); 6],
    most_text: usize,
    refusal: Refusal,
}

#[derive(Debug, Template)]
#[template(path = "report_state.html")]
struct StatePage {
    layout: Layout,
    id: String,
    target: String,
    /// Page of the target.
    path: String,
    kind: &'static str,
    sent: Moment,
    closed: Option<Moment>,
}

/// Answers `GET /report`.
pub(crate) async fn form(RawQuery(query): RawQuery) -> Result<Response, AppError> {
    let given = |name| value(query.as_deref(), name);
    let page = ReportPage::new(&given("target").unwrap_or_default());
    let response = html::page(&page)?.into_response();
    Ok(cache::keep(Policy::Details, response))
}

/// Answers `POST /report`.
pub(crate) async fn send(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, AppError> {
    let fields = ["target", "kind", "text"];
    let posted = PostedForm::receive(request, &fields).await?;
    match stored(&state, &posted).await {
        Ok(id) => {
            let page = Redirect::to(&view::path(&["reports", &id]));
            Ok(cache::keep(Policy::Never, page.into_response()))
        }
        Err(error) => {
            let page = ReportPage {
                kind: posted.field("kind").to_owned(),
                text: posted.field("text").chars().take(MAX_TEXT).collect(),
                refusal: Refusal::of(error)?,
                ..ReportPage::new(posted.field("target"))
            };
            Ok(page.refusal.answer(html::page(&page)?))
        }
    }
}

/// Answers `GET /reports/{id}`.
pub(crate) async fn state(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, AppError> {
    let Path(id) = path?;
    let Some(report) = state.store.report_state(&id).await? else {
        return Err(AppError::NotFound(Box::new(Missing {
            message: "There is no such report.".to_owned(),
            ..Missing::default()
        })));
    };
    let now = (state.now)();
    let page = StatePage {
        layout: Layout::new("").under("/owners"),
        path: match report.target.split_once('/') {
            Some((domain, slug)) => view::path(&["agent", domain, slug]),
            None => view::site_path(&report.target),
        },
        target: report.target,
        kind: words(report.kind),
        sent: Moment::of(report.at, now),
        closed: report.closed.map(|at| Moment::of(at, now)),
        id,
    };
    let response = html::page(&page)?.into_response();
    Ok(cache::keep(Policy::Never, response))
}

/// Stores the report of a form; returns its id.
async fn stored(state: &AppState, posted: &PostedForm) -> Result<String, AppError> {
    let target = parse::target(posted.field("target"));
    let kind = parse::kind(posted.field("kind"));
    let text = parse::text(posted.field("text"));
    let (target, kind, text) = match (target, kind, text) {
        (Ok(target), Ok(kind), Ok(text)) => (target, kind, text),
        (target, kind, text) => {
            let faults = [target.err(), kind.err(), text.err()];
            return Err(AppError::BadParameters(
                faults.into_iter().flatten().collect(),
            ));
        }
    };
    let unknown = |message: String| {
        AppError::BadParameters(vec![BadParameter::new("target", "unknown", message)])
    };
    match report(state, &target, kind, text).await {
        Ok(ReportOutcome::Stored(report)) => Ok(report.id),
        Ok(ReportOutcome::UnknownSite(domain)) => Err(unknown(format!(
            "the registry does not know {domain}; give a domain that it lists, or the id of an agent"
        ))),
        Err(AppError::NotFound(missing)) => {
            Err(unknown(format!("{} {}", missing.message, missing.advice)))
        }
        Err(error) => Err(error),
    }
}

impl ReportPage {
    fn new(target: &str) -> Self {
        Self {
            layout: Layout::new(""),
            target: manifest::text::clean(target, MAX_TARGET),
            kind: String::new(),
            text: String::new(),
            kinds: ReportKind::ALL.map(|kind| (kind.as_str(), words(kind))),
            most_text: MAX_TEXT,
            refusal: Refusal::default(),
        }
    }
}

fn words(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::Impersonation => "It pretends to be another organization",
        ReportKind::Harmful => "It is harmful, such as phishing or malware",
        ReportKind::Spam => "It is advertising and no working agent",
        ReportKind::Illegal => "It is illegal, or infringes rights",
        ReportKind::Wrong => "The registry shows it wrongly",
        ReportKind::Other => "Anything else",
    }
}
