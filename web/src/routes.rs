//! Routes of the pages, their twins and their forms.

use crate::api::v1;
use crate::own::place;
use crate::pages::home::Home;
use crate::pages::{
    agent, asset, atom, badge, bot, browse, claim, convert, docs, log, opensearch, owners,
    reference, report, rule, rules, search, site, sitemap, stats, status, submission, validate,
    visit,
};
use crate::state::AppState;
use crate::twin::Form;
use aide::openapi::OpenApi;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::routing::{MethodRouter, get, post};
use std::sync::Arc;
use store::ClaimAction;

/// Page with a twin in JSON and one in Markdown.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) path: &'static str,
    /// Page, and its twin in Markdown.
    show: Handler,
    /// Twin in JSON: the API's body, if there is an equivalent.
    json: Handler,
}

/// Constructor of a handler.
type Handler = fn(&Home) -> MethodRouter<AppState>;

impl Page {
    const fn new(path: &'static str, show: Handler, json: Handler) -> Self {
        Self { path, show, json }
    }
}

/// All pages with twins but the reference of the API, which takes the place of `/docs/api`.
pub(crate) const PAGES: &[Page] = &[
    Page::new(
        "/",
        |home| {
            let home = home.clone();
            get(async move |state, form, headers| home.show(state, form, headers).await)
        },
        |home| {
            let home = home.clone();
            get(async move |state, none, headers| home.twin(state, none, headers).await)
        },
    ),
    Page::new("/search", |_| get(search::show), |_| get(v1::search::show)),
    Page::new(
        "/agent/{domain}/{slug}",
        |_| get(agent::show),
        |_| get(v1::agent::show),
    ),
    Page::new(
        "/agent/{domain}/{slug}/raw",
        |_| get(agent::raw::show),
        |_| get(v1::agent::raw::show),
    ),
    Page::new(
        "/agent/{domain}/{slug}/history",
        |_| get(agent::history::show),
        |_| get(v1::agent::history::show),
    ),
    Page::new(
        "/agent/{domain}/{slug}/diff",
        |_| get(agent::diff::show),
        |_| get(v1::agent::diff::show),
    ),
    Page::new(
        "/site/{domain}",
        |_| get(site::show),
        |_| get(v1::site::show),
    ),
    Page::new(
        "/browse/{list}",
        |_| get(browse::show),
        |_| get(browse::twin),
    ),
    Page::new("/stats", |_| get(stats::show), |_| get(v1::stats::show)),
    Page::new("/status", |_| get(status::show), |_| get(status::twin)),
    Page::new("/bot", |_| get(bot::show), |_| get(bot::twin)),
    Page::new("/log", |_| get(log::show), |_| get(v1::moderation::list)),
    Page::new("/about", |_| get(docs::show), |_| get(docs::twin)),
    Page::new("/docs", |_| get(docs::list), |_| get(docs::list_twin)),
    Page::new("/docs/{name}", |_| get(docs::show), |_| get(docs::twin)),
    Page::new("/docs/rules", |_| get(rules::show), |_| get(v1::rule::list)),
    Page::new(
        "/docs/rules/{id}",
        |_| get(rule::show),
        |_| get(v1::rule::show),
    ),
    Page::new(
        "/leave",
        |_| claim::form_of(ClaimAction::Leave),
        |_| claim::twin_of(ClaimAction::Leave),
    ),
    Page::new(
        "/leave/{id}",
        |_| claim::state_of(ClaimAction::Leave),
        |_| v1::claim::twin_of(ClaimAction::Leave),
    ),
    Page::new(
        "/return",
        |_| claim::form_of(ClaimAction::Return),
        |_| claim::twin_of(ClaimAction::Return),
    ),
    Page::new(
        "/return/{id}",
        |_| claim::state_of(ClaimAction::Return),
        |_| v1::claim::twin_of(ClaimAction::Return),
    ),
    Page::new(
        "/own",
        |_| claim::form_of(ClaimAction::Own),
        |_| claim::twin_of(ClaimAction::Own),
    ),
    Page::new(
        "/own/{id}",
        |_| claim::state_of(ClaimAction::Own),
        |_| v1::claim::twin_of(ClaimAction::Own),
    ),
];

/// Returns the routes of everything that people see.
pub(crate) fn pages(document: &Arc<OpenApi>) -> Router<AppState> {
    let home = Home::default();
    let mut router = forms().merge(reference(Arc::clone(document)));
    for Page { path, show, json } in PAGES {
        router = with_twins(router, path, &show(&home), json(&home));
    }
    router
        .route("/assets/{hash}/{file}", get(asset::show))
        .route(place::SITEMAP, get(sitemap::index))
        .route("/sitemap/{part}", get(sitemap::part))
        .route(place::OPENSEARCH, get(opensearch::show))
        .route("/feed.atom", get(atom::all))
        .route("/search/feed.atom", get(atom::search))
        .route("/site/{domain}/feed.atom", get(atom::site))
        .route("/agent/{domain}/{slug}/feed.atom", get(atom::agent))
        .route("/site/{domain}/badge.svg", get(badge::picture))
        .route("/site/{domain}/badge.json", get(badge::endpoint))
        .route("/site", get(site::look_up))
        .route("/browse", get(browse::index))
        .route("/stats/{chart}/index.csv", get(stats::table))
}

/// Adds a page, which is its twin in Markdown too, and its twin in JSON.
fn with_twins(
    router: Router<AppState>,
    path: &str,
    page: &MethodRouter<AppState>,
    json: MethodRouter<AppState>,
) -> Router<AppState> {
    router
        .route(path, page.clone())
        .route(&Form::Json.path(path), json)
        .route(&Form::Markdown.path(path), page.clone())
}

/// Returns the routes of the forms, and of the pages at which their results are followed.
///
/// They are for browsers without scripts, and not in the description of the API: programs send the
/// same requests there, as JSON.
fn forms() -> Router<AppState> {
    Router::new()
        .route("/validate", get(validate::form).post(validate::check))
        .route("/validate/file", post(validate::save))
        .route("/convert", get(convert::form).post(convert::convert))
        .route("/submit", get(visit::submit_form).post(visit::submit))
        .route("/recheck", get(visit::recheck_form).post(visit::recheck))
        .route("/submissions/{id}", get(submission::show))
        .route("/owners", get(owners::show))
        .route("/report", get(report::form).post(report::send))
        .route("/reports/{id}", get(report::state))
        .route("/leave", claim::begin_of(ClaimAction::Leave))
        .route("/return", claim::begin_of(ClaimAction::Return))
        .route("/own", claim::begin_of(ClaimAction::Own))
}

/// Returns the routes of the reference of the API, which takes the place of a document.
fn reference(document: Arc<OpenApi>) -> Router<AppState> {
    let of = Arc::new(reference::LazyReference::new(document));
    let described = Arc::clone(&of);
    let page = get(
        async move |State(state): State<AppState>, form, headers: HeaderMap| {
            reference::show(&described, &state.public_url, form, &headers)
        },
    );
    let described = Arc::clone(&of);
    let twin = get(
        async move |State(state): State<AppState>, query, headers: HeaderMap| {
            reference::twin(&described, &state.public_url, query, &headers)
        },
    );
    let described = Arc::clone(&of);
    let part = get(
        async move |Path(part): Path<String>, form, headers: HeaderMap| {
            reference::show_part(&described, &part, form, &headers)
        },
    );
    let part_twin = get(
        async move |Path(part): Path<String>, query, headers: HeaderMap| {
            reference::part_twin(&of, &part, query, &headers)
        },
    );
    let path = format!("/docs/{}", reference::NAME);
    let router = with_twins(Router::new(), &path, &page, twin);
    with_twins(router, &format!("{path}/{{part}}"), &part, part_twin)
}
