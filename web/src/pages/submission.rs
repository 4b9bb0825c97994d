//! `/submissions/{id}`: the way of a submitted domain or of a recheck to its result.

use crate::action::visit;
use crate::cache::{self, Policy};
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::record::site::edge_of_submission;
use crate::state::AppState;
use crate::view::edge::EdgeView;
use crate::view::time::Moment;
use crate::view::{self, SiteName, foreign, outcome, visit_detail};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use manifest::Timestamp;
use store::{
    Outcome, SiteSnapshot, SnapshotAgent, SnapshotFinding, Submission, SubmissionKind,
    SubmissionState, Wait,
};

/// Maximum number of agents or findings of a list.
const MAX_LISTED: usize = 50;

#[derive(Debug, Template)]
#[template(path = "submission.html")]
struct SubmissionPage {
    layout: Layout,
    site: SiteName,
    is_recheck: bool,
    /// State in words.
    state: &'static str,
    detail: String,
    is_under_way: bool,
    /// Time since which no crawler takes the submissions that wait.
    absent: Option<Moment>,
    submitted: Moment,
    not_before: Option<Moment>,
    ended: Option<Moment>,
    /// Rows of the comparison: name, before, after.
    rows: Vec<(&'static str, Option<String>, String)>,
    lists: Vec<ListView>,
    is_complete: bool,
    /// Answer by which the visit was refused.
    edge: Option<EdgeView>,
    api: String,
}

/// Agents or findings that one of both states does not have.
#[derive(Debug)]
struct ListView {
    title: &'static str,
    items: Vec<ItemView>,
    more: usize,
}

#[derive(Debug)]
struct ItemView {
    /// Address and words of a link.
    link: (String, String),
    text: String,
}

/// Returns the path of the page.
pub(crate) fn path(id: &str) -> String {
    view::path(&["submissions", id])
}

/// Answers `GET /submissions/{id}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, AppError> {
    let Path(id) = path?;
    let submission = visit::find(&state, &id).await?;
    let now = (state.now)();
    let wait = state.store.wait(&submission, now).await?;
    let absent = visit::absent_since(&state, &submission).await?;
    let page = SubmissionPage {
        absent: absent.map(|at| Moment::of(at, now)),
        edge: edge_of_submission(&state, &submission).await?,
        ..SubmissionPage::of(&submission, wait, now)
    };
    Ok(cache::keep(
        Policy::Never,
        html::page(&page)?.into_response(),
    ))
}

impl SubmissionPage {
    fn of(submission: &Submission, wait: Option<Wait>, now: Timestamp) -> Self {
        let (before, after) = (submission.before.as_ref(), submission.after.as_ref());
        let compared = before.zip(after);
        Self {
            layout: Layout::new("").under("/owners"),
            site: SiteName::of(&submission.domain),
            is_recheck: submission.kind == SubmissionKind::Recheck,
            state: words(submission),
            detail: match wait {
                Some(wait) => visit::reason(wait).to_owned(),
                None => detail(submission),
            },
            is_under_way: match submission.state {
                SubmissionState::Visited => after.is_none(),
                SubmissionState::Refused => false,
                SubmissionState::Waiting | SubmissionState::Queued | SubmissionState::Visiting => {
                    true
                }
            },
            absent: None,
            submitted: Moment::of(submission.at, now),
            not_before: wait.map(|wait| match wait {
                Wait::Site(until) | Wait::Share(until) => Moment::of(until, now),
            }),
            ended: submission.ended.map(|at| Moment::of(at, now)),
            rows: after.map(|after| rows(before, after)).unwrap_or_default(),
            lists: compared
                .map(|(before, after)| lists(before, after))
                .unwrap_or_default(),
            is_complete: compared
                .is_none_or(|(before, after)| before.is_complete() && after.is_complete()),
            edge: None,
            api: view::path(&["api", "v1", "submissions", &submission.id]),
        }
    }

    /// Reports whether the state before the visit is known.
    fn has_before(&self) -> bool {
        self.rows.first().is_some_and(|it| it.1.is_some())
    }

    /// Reports whether a finished recheck found the site as it was.
    fn is_same(&self) -> bool {
        self.has_before() && !self.is_under_way && self.is_complete && self.lists.is_empty()
    }
}

/// Returns the state of a submission in words.
pub(crate) fn words(submission: &Submission) -> &'static str {
    match submission.state {
        SubmissionState::Waiting => "Waiting for the crawler",
        SubmissionState::Queued => "Due for its visit",
        SubmissionState::Visiting => "Being visited",
        SubmissionState::Visited if submission.after.is_none() => {
            "Visited, its documents are being read"
        }
        SubmissionState::Visited => "Visited",
        SubmissionState::Refused => "Not visited",
    }
}

/// Describes the outcome of the visit, or the reason of a refusal.
fn detail(submission: &Submission) -> String {
    let stated = submission.detail.as_deref().map(visit_detail);
    let stated = stated.filter(|it| !it.is_empty());
    let result = match (submission.outcome.map(outcome::sentence), stated) {
        (Some(sentence), Some(detail)) => format!("During the visit, {sentence} ({detail})."),
        (Some(sentence), None) => format!("During the visit, {sentence}."),
        (None, detail) => detail.unwrap_or_default(),
    };
    match visit::advice(submission) {
        Some(advice) => format!("{result} {advice}"),
        None => result,
    }
}

/// Counts something of a site.
type Count = fn(&SiteSnapshot) -> u64;

fn rows(
    before: Option<&SiteSnapshot>,
    after: &SiteSnapshot,
) -> Vec<(&'static str, Option<String>, String)> {
    let outcome = |it: &SiteSnapshot| {
        let outcome = it.outcome.as_deref().and_then(Outcome::parse);
        outcome.map_or_else(
            || "not visited".to_owned(),
            |it| it.as_str().replace('_', " "),
        )
    };
    let numbers: [(&str, Count); 3] = [
        ("Agents", |it| it.agents_total),
        ("Capabilities", |it| {
            it.agents.iter().map(|it| it.capabilities).sum()
        }),
        ("Findings", |it| it.findings_total),
    ];
    let mut rows = vec![("Outcome", before.map(outcome), outcome(after))];
    for (name, of) in numbers {
        let number = |it| view::grouped(of(it));
        rows.push((name, before.map(number), number(after)));
    }
    rows
}

fn lists(before: &SiteSnapshot, after: &SiteSnapshot) -> Vec<ListView> {
    let agents = |title, found: Vec<&SnapshotAgent>| {
        ListView::of(title, found.into_iter().map(ItemView::of_agent).collect())
    };
    let findings = |title, found: Vec<&SnapshotFinding>| {
        ListView::of(title, found.into_iter().map(ItemView::of_finding).collect())
    };
    let all = [
        agents("Agents added", after.agents_missing_in(before)),
        agents("Agents removed", before.agents_missing_in(after)),
        findings("New findings", after.findings_missing_in(before)),
        findings("Fixed", before.findings_missing_in(after)),
    ];
    all.into_iter().filter(|it| !it.items.is_empty()).collect()
}

impl ListView {
    fn of(title: &'static str, mut items: Vec<ItemView>) -> Self {
        let more = items.len().saturating_sub(MAX_LISTED);
        items.truncate(MAX_LISTED);
        Self { title, items, more }
    }
}

impl ItemView {
    fn of_agent(agent: &SnapshotAgent) -> Self {
        let (domain, slug) = agent.id.split_once('/').unwrap_or((&agent.id, ""));
        Self {
            link: (
                view::path(&["agent", domain, slug]),
                view::title(&agent.name),
            ),
            text: view::count(agent.capabilities, "capability", "capabilities"),
        }
    }

    fn of_finding(finding: &SnapshotFinding) -> Self {
        Self {
            link: (view::rule_path(&finding.rule), finding.rule.clone()),
            text: format!(
                "{} at {} {}: {}",
                finding.severity.as_str(),
                foreign(&finding.url),
                foreign(&finding.pointer),
                foreign(&finding.message)
            ),
        }
    }
}
