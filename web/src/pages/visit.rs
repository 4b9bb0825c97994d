//! `/submit` and `/recheck`: forms that have a new domain visited, or a known site visited again.

use crate::action::address;
use crate::action::visit::{self, SubmitOutcome};
use crate::cache::{self, Policy};
use crate::error::AppError;
use crate::html::{self, Layout};
use crate::pages::submission;
use crate::parameter::{BadParameter, value};
use crate::posted::{PostedForm, Refusal};
use crate::record::site::missing;
use crate::state::AppState;
use crate::view;
use askama::Template;
use axum::extract::{RawQuery, Request, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use store::SubmissionKind;

/// Field with the token by which the owner of a site asks (P47).
const OWNER_TOKEN: &str = "owner_token";

/// Longest domain that a field shows again, in characters.
const MAX_FIELD: usize = 300;

#[derive(Debug, Template)]
#[template(path = "visit.html")]
struct VisitPage {
    layout: Layout,
    is_recheck: bool,
    domain: String,
    refusal: Refusal,
}

/// Answers `GET /submit`.
pub(crate) async fn submit_form(RawQuery(query): RawQuery) -> Result<Response, AppError> {
    form(SubmissionKind::New, query.as_deref())
}

/// Answers `GET /recheck`.
pub(crate) async fn recheck_form(RawQuery(query): RawQuery) -> Result<Response, AppError> {
    form(SubmissionKind::Recheck, query.as_deref())
}

/// Answers `POST /submit`.
pub(crate) async fn submit(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, AppError> {
    let posted = PostedForm::receive(request, &["domain"]).await?;
    let given = posted.field("domain");
    let parsed = address::parse(given).map_err(|fault| AppError::BadParameters(vec![fault]));
    let submitted = match parsed {
        Ok((domain, port)) => visit::submit(&state, domain, port).await,
        Err(error) => Err(error),
    };
    match submitted {
        Ok(SubmitOutcome::Accepted(submission)) => Ok(see(&submission::path(&submission.id))),
        Ok(SubmitOutcome::Known(domain, next)) => {
            let kind = SubmissionKind::Recheck;
            let error = visit::too_early(kind, &domain, next, (state.now)());
            again(kind, given, error)
        }
        Err(error) => again(SubmissionKind::New, given, error),
    }
}

/// Answers `POST /recheck`.
pub(crate) async fn recheck(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, AppError> {
    let posted = PostedForm::receive(request, &["domain", OWNER_TOKEN]).await?;
    let given = posted.field("domain");
    let token = posted.field(OWNER_TOKEN);
    let kind = SubmissionKind::Recheck;
    let domain = match address::site(given) {
        Ok(domain) => domain,
        Err(error) => {
            let shown = view::foreign(given);
            let message = format!("`{shown}`: {error}");
            let fault = BadParameter::new("domain", "bad_domain", message);
            return again(kind, given, AppError::BadParameters(vec![fault]));
        }
    };
    match visit::recheck(&state, &domain, Some(token).filter(|it| !it.is_empty())).await {
        Ok(Some(submission)) => Ok(see(&submission::path(&submission.id))),
        Ok(None) => Err(missing(&state, &domain).await),
        Err(error) => again(kind, given, error),
    }
}

/// Shows a form, filled with the domain of the query.
fn form(kind: SubmissionKind, query: Option<&str>) -> Result<Response, AppError> {
    let domain = value(query, "domain").unwrap_or_default();
    let page = html::page(&VisitPage::new(kind, &domain, Refusal::default()))?;
    Ok(cache::keep(Policy::Details, page.into_response()))
}

/// Shows a form again, with the reason why it was refused.
fn again(kind: SubmissionKind, domain: &str, error: AppError) -> Result<Response, AppError> {
    let page = VisitPage::new(kind, domain, Refusal::of(error)?);
    Ok(page.refusal.answer(html::page(&page)?))
}

/// Redirects to the page of a result, which a browser may load again.
fn see(path: &str) -> Response {
    cache::keep(Policy::Never, Redirect::to(path).into_response())
}

impl VisitPage {
    fn new(kind: SubmissionKind, domain: &str, refusal: Refusal) -> Self {
        Self {
            layout: Layout::new("").under("/owners").listed_as(match kind {
                SubmissionKind::New => "/submit",
                SubmissionKind::Recheck => "/recheck",
            }),
            is_recheck: kind == SubmissionKind::Recheck,
            domain: manifest::text::clean(domain, MAX_FIELD),
            refusal,
        }
    }
}
