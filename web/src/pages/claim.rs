//! `/leave`, `/return` and `/own`: an owner takes a domain out of the registry, brings it back, or proves
//! it for sooner rechecks, and follows the search for the token that proves it.

mod texts;

use crate::action::{address, claim};
use crate::cache::{self, Policy};
use crate::error::{AppError, NoParameters};
use crate::html::{self, Layout};
use crate::parameter::value;
use crate::posted::{PostedForm, Refusal};
use crate::record::claim::{path, token};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::claim::{Places, message, published};
use crate::view::time::Moment;
use crate::view::{self, foreign};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use manifest::Timestamp;
use serde::Serialize;
use store::{Claim, ClaimAction, ClaimState};
use texts::Texts;

/// Longest domain that the field shows again, in characters.
const MAX_FIELD: usize = 300;

#[derive(Debug, Template)]
#[template(path = "claim.html")]
struct ClaimPage {
    layout: Layout,
    action: ClaimAction,
    texts: &'static Texts,
    domain: String,
    has_subdomains: bool,
    refusal: Refusal,
}

#[derive(Debug, Template)]
#[template(path = "claim_state.html")]
struct StatePage {
    layout: Layout,
    action: ClaimAction,
    texts: &'static Texts,
    domain: String,
    /// Token of an owner, if the address has it.
    owner_token: Option<String>,
    /// The domain, with its subdomains if they are meant too.
    target: String,
    /// Address and words of what can be done next, once the claim has its result.
    next_step: Option<(String, &'static str)>,
    state: ClaimState,
    message: String,
    /// Time since which no crawler takes the claims that wait.
    absent: Option<Moment>,
    /// Places of the token, if the address has it.
    places: Option<Places>,
    requested: Moment,
    expires: Moment,
    next: Option<Moment>,
    last: Option<Moment>,
    /// Findings of the last check: place and statement.
    seen: Vec<(&'static str, String)>,
    api: String,
}

/// Body of the JSON twin of a form: the request that does the same.
#[derive(Debug, Serialize)]
struct FormBody {
    action: &'static str,
    method: &'static str,
    address: &'static str,
    members: &'static [&'static str],
    docs: &'static str,
}

/// Returns the answer to `GET` of the form of an action, such as `/leave`.
pub(crate) fn form_of(action: ClaimAction) -> MethodRouter<AppState> {
    get(async move |as_form: Form, RawQuery(query): RawQuery| {
        form(action, as_form, query.as_deref())
    })
}

/// Returns the answer to `GET` of the JSON twin of a form.
pub(crate) fn twin_of(action: ClaimAction) -> MethodRouter<AppState> {
    get(async move |_: NoParameters, headers: HeaderMap| {
        cache::json(&FormBody::of(action), Policy::Details, &headers)
    })
}

/// Returns the answer to `POST` of a form.
pub(crate) fn begin_of(action: ClaimAction) -> MethodRouter<AppState> {
    let known: &[&str] = match action {
        ClaimAction::Leave => &["domain", "subdomains"],
        ClaimAction::Return | ClaimAction::Own => &["domain"],
    };
    post(
        async move |State(state): State<AppState>, request: Request| {
            let posted = PostedForm::receive(request, known).await?;
            begin(&state, action, &posted).await
        },
    )
}

/// Returns the answer to `GET` of the state of a claim, such as `/leave/{id}`.
pub(crate) fn state_of(action: ClaimAction) -> MethodRouter<AppState> {
    get(
        async move |State(state): State<AppState>,
                    path: Result<Path<String>, PathRejection>,
                    form: Form,
                    RawQuery(query): RawQuery| {
            follow(&state, action, path, form, query.as_deref()).await
        },
    )
}

fn form(action: ClaimAction, form: Form, query: Option<&str>) -> Result<Response, AppError> {
    let domain = value(query, "domain").unwrap_or_default();
    let page = html::rendered(form, &ClaimPage::new(action, &domain))?;
    Ok(cache::keep(Policy::Details, page))
}

async fn begin(
    state: &AppState,
    action: ClaimAction,
    posted: &PostedForm,
) -> Result<Response, AppError> {
    let (domain, subdomains) = (
        posted.field("domain").trim(),
        posted.is_ticked("subdomains"),
    );
    let parsed = address::parse(domain).map_err(|fault| AppError::BadParameters(vec![fault]));
    let begun = match parsed {
        Ok(parsed) => claim::begin(state, action, parsed, subdomains).await,
        Err(error) => Err(error),
    };
    match begun {
        Ok((claim, token)) => {
            let page = Redirect::to(&path(&claim, &token));
            Ok(cache::keep(Policy::Never, page.into_response()))
        }
        Err(error) => {
            let page = ClaimPage {
                has_subdomains: subdomains,
                refusal: Refusal::of(error)?,
                ..ClaimPage::new(action, domain)
            };
            Ok(page.refusal.answer(html::page(&page)?))
        }
    }
}

async fn follow(
    state: &AppState,
    action: ClaimAction,
    path: Result<Path<String>, PathRejection>,
    form: Form,
    query: Option<&str>,
) -> Result<Response, AppError> {
    let Path(id) = path?;
    let claim = claim::find(state, action, &id).await?;
    let token = token(&claim, query);
    let absent = claim::absent_since(state, &claim).await?;
    let page = StatePage::of(&claim, token.as_deref(), absent, (state.now)());
    Ok(cache::keep(Policy::Never, html::rendered(form, &page)?))
}

html::markdown_twin!(ClaimPage, "claim.md");

html::markdown_twin!(StatePage, "claim_state.md");

impl FormBody {
    fn of(action: ClaimAction) -> Self {
        let (address, members) = match action {
            ClaimAction::Leave => ("/api/v1/leave", &["domain", "subdomains"][..]),
            ClaimAction::Return => ("/api/v1/return", &["domain"][..]),
            ClaimAction::Own => ("/api/v1/own", &["domain"][..]),
        };
        Self {
            action: action.as_str(),
            method: "POST",
            address,
            members,
            docs: texts::of(action).docs,
        }
    }
}

impl ClaimPage {
    fn new(action: ClaimAction, domain: &str) -> Self {
        let texts = texts::of(action);
        Self {
            layout: Layout::new("").at(texts.path).under("/owners"),
            action,
            texts,
            domain: manifest::text::clean(domain, MAX_FIELD),
            has_subdomains: false,
            refusal: Refusal::default(),
        }
    }
}

impl StatePage {
    fn of(claim: &Claim, token: Option<&str>, absent: Option<Timestamp>, now: Timestamp) -> Self {
        let address = match token {
            Some(token) => path(claim, token),
            None => view::path(&[claim.action.as_str(), &claim.id]),
        };
        let seen = [("DNS", &claim.seen_dns), ("File", &claim.seen_file)];
        let seen = seen
            .into_iter()
            .filter_map(|(place, it)| Some((place, foreign(it.as_deref()?))));
        Self {
            layout: Layout::new("").at(&address).unlisted().under("/owners"),
            action: claim.action,
            texts: texts::of(claim.action),
            domain: claim.domain.to_string(),
            owner_token: token
                .filter(|_| claim.action == ClaimAction::Own)
                .map(str::to_owned),
            target: if claim.scope.is_suffix() {
                format!("{} and its subdomains", claim.scope.name())
            } else {
                claim.scope.name().to_owned()
            },
            next_step: next_step(claim),
            state: claim.state,
            message: message(claim, absent.is_some()),
            absent: absent.map(|at| Moment::of(at, now)),
            places: token.map(|it| Places::of(claim, it)),
            requested: Moment::of(claim.at, now),
            expires: Moment::of(claim.expires, now),
            next: claim.next_check.map(|at| Moment::of(at, now)),
            last: claim.checked.map(|at| Moment::of(at, now)),
            seen: seen.collect(),
            api: view::path(&["api", "v1", claim.action.as_str(), &claim.id]),
        }
    }

    /// Returns the title: the aim, or that it is reached.
    fn title(&self) -> String {
        let target = &self.target;
        match (self.action, self.state) {
            (ClaimAction::Leave, ClaimState::Verified) => format!("{target} left the registry"),
            (ClaimAction::Return, ClaimState::Verified) => format!("{target} may be listed again"),
            (ClaimAction::Own, ClaimState::Verified) => format!("{target} is yours"),
            (ClaimAction::Leave, _) => format!("Remove {target}"),
            (ClaimAction::Return, _) => format!("Bring {target} back"),
            (ClaimAction::Own, _) => format!("Prove that {target} is yours"),
        }
    }

    /// Returns the aim, after "complete this request to".
    fn aim(&self) -> String {
        let target = &self.target;
        match self.action {
            ClaimAction::Leave => {
                format!("remove {target} from the registry and to visit it no more")
            }
            ClaimAction::Return => format!("visit and list {target} again"),
            ClaimAction::Own => format!("have {target} visited again after shorter waits"),
        }
    }

    /// Returns the state in words.
    fn words(&self) -> String {
        match self.state {
            ClaimState::Waiting => format!("Waiting for the {}", published(self.action)),
            ClaimState::Checking => "Being checked".to_owned(),
            ClaimState::Verified => "Verified".to_owned(),
            ClaimState::Failed => "Not verified".to_owned(),
        }
    }

    fn is_under_way(&self) -> bool {
        matches!(self.state, ClaimState::Waiting | ClaimState::Checking)
    }
}

/// Returns what can be done after the result of a claim: its address, and words.
fn next_step(claim: &Claim) -> Option<(String, &'static str)> {
    let form =
        |action: ClaimAction| format!("{}?domain={}", texts::of(action).path, claim.scope.name());
    match (claim.state, claim.action) {
        (ClaimState::Waiting | ClaimState::Checking, _) => None,
        (ClaimState::Failed, action) => Some((form(action), "Ask for a new token")),
        (ClaimState::Verified, ClaimAction::Leave) => {
            Some((form(ClaimAction::Return), "Bring it back"))
        }
        (ClaimState::Verified, ClaimAction::Return | ClaimAction::Own) => {
            let path = format!("/owners?domain={}", claim.scope.name());
            Some((path, "See where it stands"))
        }
    }
}
