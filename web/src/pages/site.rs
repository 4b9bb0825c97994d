//! `/site/{domain}`: what a site publishes, what is wrong with it, and everything we asked of it.

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::html::{Layout, Page};
use crate::pages::{Named, named, not_found};
use crate::state::AppState;
use crate::view::card::Card;
use crate::view::conflict::ConflictView;
use crate::view::document::DocumentView;
use crate::view::moment::Moment;
use crate::view::{self, SiteName, WebLink, foreign, outcome};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use manifest::{Domain, Mention, Timestamp};
use store::{Outcome, Receipt, RobotsState, SeedSource, Site, SiteDocument, SiteVisit};

#[derive(Debug, Template)]
#[template(path = "site.html")]
struct SitePage {
    layout: Layout,
    site: SiteName,
    origin: String,
    summary: Option<String>,
    /// Why nothing is listed, when nothing is.
    reason: Option<String>,
    advice: Option<&'static str>,
    source: &'static str,
    first_seen: Moment,
    last_visit: Option<Moment>,
    due: Moment,
    robots: String,
    robots_delay: Option<String>,
    cards: Vec<Card>,
    documents: Vec<DocumentView>,
    conflicts: Vec<ConflictView>,
    mentions: Vec<MentionView>,
    visits: Vec<VisitView>,
}

/// Somebody else whom a document speaks of.
#[derive(Debug)]
struct MentionView {
    name: String,
    publisher: Option<String>,
    link: Option<WebLink>,
    /// The document that says so.
    document: WebLink,
}

/// Most mentions on the page.
const MENTIONS: usize = 100;

/// A visit of ours.
#[derive(Debug)]
struct VisitView {
    started: Moment,
    word: String,
    sentence: String,
    requests: String,
    size: String,
    receipts: Vec<ReceiptView>,
}

/// A request of ours.
#[derive(Debug)]
struct ReceiptView {
    iso: String,
    time: String,
    method: String,
    url: String,
    status: String,
    size: String,
    ms: u32,
    verdict: String,
    why: String,
}

/// `GET /site/{domain}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(domain) = path?;
    let domain = match named(&domain)? {
        Named::Canonical(domain) => domain,
        Named::Alias(domain) => {
            return Ok(Redirect::permanent(&view::site_path(domain.as_str())).into_response());
        }
    };
    let Some(site) = state.store.site(&domain).await? else {
        return Err(missing(&state, &domain).await);
    };
    let now = (state.now)();
    let minute = (now.0 / 60_000).to_string();
    let tag = Tag::of(&["site page", &format!("{site:?}"), &minute]);
    if tag.is_known_to(&headers) {
        return Ok(tag.not_modified(Policy::Details));
    }
    let page = Page(SitePage::of(&site, now));
    Ok(tag.on(Policy::Details, page.into_response()))
}

/// The answer when we never heard of a site.
pub(crate) async fn missing(state: &AppState, domain: &Domain) -> AppError {
    not_found(
        state,
        format!("We have never heard of {}.", domain.to_unicode()),
        "A site is visited once its domain is in a seed list of this registry.",
        None,
        domain.registrable(),
    )
    .await
}

impl SitePage {
    fn of(site: &Site, now: Timestamp) -> Self {
        let name = SiteName::of(&site.domain);
        let port = site
            .port
            .map_or_else(String::new, |port| format!(":{port}"));
        Self {
            layout: Layout::new("").with_twin(api_path(&site.domain)),
            origin: format!("https://{}{port}", site.domain),
            summary: summary(site),
            reason: reason(site),
            advice: advice(site),
            source: match site.source {
                SeedSource::Seed => "a seed list",
                SeedSource::Submitted => "somebody who sent it in",
                SeedSource::Discovered => "another site's manifest",
            },
            first_seen: Moment::of(site.first_seen, now),
            last_visit: site.last_visit.map(|at| Moment::of(at, now)),
            due: Moment::of(site.due, now),
            robots: robots(site.robots.as_ref()),
            robots_delay: site
                .robots
                .as_ref()
                .and_then(|robots| robots.delay_ms)
                .map(|delay| format!("{} ms between requests", view::grouped(delay.into()))),
            cards: site.agents.iter().map(Card::of).collect(),
            documents: shown_documents(site)
                .map(|document| DocumentView::of(document, now))
                .collect(),
            conflicts: site
                .agents
                .iter()
                .flat_map(|agent| {
                    let conflicts = agent.listing.conflicts.iter();
                    conflicts.map(|conflict| ConflictView::of(&agent.listing, conflict))
                })
                .collect(),
            mentions: shown_documents(site)
                .flat_map(|document| {
                    let mentions = document.mentions.iter();
                    mentions.map(|mention| MentionView::of(document, mention))
                })
                .take(MENTIONS)
                .collect(),
            visits: site
                .visits
                .iter()
                .map(|visit| VisitView::of(visit, now))
                .collect(),
            site: name,
        }
    }
}

impl MentionView {
    fn of(document: &SiteDocument, mention: &Mention) -> Self {
        Self {
            name: match mention.name.as_str() {
                "" => "someone without a name".to_owned(),
                name => name.to_owned(),
            },
            publisher: mention.publisher.as_deref().map(foreign),
            link: WebLink::maybe(mention.url.as_ref()),
            document: WebLink::of(&document.url),
        }
    }
}

impl VisitView {
    fn of(visit: &SiteVisit, now: Timestamp) -> Self {
        let sentence = outcome::sentence(visit.outcome);
        Self {
            started: Moment::of(visit.started, now),
            word: visit.outcome.as_str().replace('_', " "),
            sentence: match visit.detail.as_deref().map(foreign) {
                Some(detail) if !detail.is_empty() => format!("{sentence} ({detail})"),
                Some(_) | None => sentence.to_owned(),
            },
            requests: view::count(visit.requests.into(), "request", "requests"),
            size: view::size(visit.bytes),
            receipts: visit
                .receipts
                .iter()
                .map(|receipt| ReceiptView::of(receipt, now))
                .collect(),
        }
    }
}

impl ReceiptView {
    fn of(receipt: &Receipt, now: Timestamp) -> Self {
        let moment = Moment::of(receipt.at, now);
        Self {
            time: clock(&moment.iso),
            iso: moment.iso,
            method: foreign(&receipt.method),
            url: foreign(&receipt.url),
            status: receipt
                .status
                .map_or_else(|| "no answer".to_owned(), |status| status.to_string()),
            size: view::size(receipt.bytes),
            ms: receipt.ms,
            verdict: foreign(&receipt.verdict),
            why: foreign(&receipt.why),
        }
    }
}

/// The documents that may be shown: none of a site that opted out.
pub(crate) fn shown_documents(site: &Site) -> impl Iterator<Item = &SiteDocument> {
    let has_left = site.last_outcome == Some(Outcome::OptedOut);
    site.documents.iter().filter(move |_| !has_left)
}

/// The JSON twin.
pub(crate) fn api_path(domain: &Domain) -> String {
    view::path(&["api", "v1", "sites", domain.as_str()])
}

/// The time of day in RFC 3339.
fn clock(iso: &str) -> String {
    iso.split(['T', '.', 'Z']).nth(1).unwrap_or(iso).to_owned()
}

/// What there is of a site that has agents.
fn summary(site: &Site) -> Option<String> {
    if site.agents.is_empty() {
        return None;
    }
    let agents = view::count(site.agents.len() as u64, "agent", "agents");
    let documents = view::count(site.documents.len() as u64, "document", "documents");
    Some(match site.last_outcome {
        None => format!("{agents} in {documents}."),
        Some(outcome) => {
            let sentence = outcome::sentence(outcome);
            format!("{agents} in {documents}. At our last visit {sentence}.")
        }
    })
}

/// True when what we hold of a site, and not the lack of it, is why nothing of it is listed.
fn has_unlisted_documents(site: &Site) -> bool {
    let is_answered = matches!(
        site.last_outcome,
        Some(Outcome::Found | Outcome::Empty | Outcome::TooLarge)
    );
    is_answered && site.agents.is_empty() && !site.documents.is_empty()
}

/// What the owner of a site without agents can do about it.
fn advice(site: &Site) -> Option<&'static str> {
    if has_unlisted_documents(site) {
        let is_read = site.documents.iter().all(|it| it.format.is_some());
        return is_read.then_some(
            "Mend what the findings of the document say, and it is listed after our next visit.",
        );
    }
    let outcome = site.last_outcome.filter(|_| site.agents.is_empty());
    outcome.and_then(outcome::advice)
}

/// What was found, and the gravest finding of the first document that has one.
fn unlisted(documents: &[SiteDocument]) -> String {
    let told = documents.iter().find_map(|document| {
        // Of equals the last would be taken, and the first says more.
        let findings = document.findings.iter().rev();
        let gravest = findings.max_by_key(|finding| finding.severity)?;
        Some((document, gravest))
    });
    let Some((document, finding)) = told else {
        return "We hold documents of it, but none describes an agent that we could list."
            .to_owned();
    };
    format!(
        "We hold {}, but none describes an agent that we could list. At {}: {}.",
        view::count(documents.len() as u64, "document of it", "documents of it"),
        foreign(&document.url),
        finding.message.trim_end_matches('.')
    )
}

/// Why a site has no agents here.
pub(crate) fn reason(site: &Site) -> Option<String> {
    if !site.agents.is_empty() {
        return None;
    }
    let is_unread = site.documents.iter().any(|it| it.format.is_none());
    Some(match site.last_outcome {
        None => "We have not visited it yet.".to_owned(),
        Some(_) if has_unlisted_documents(site) && is_unread => {
            "Its documents have been fetched and will be read in a moment.".to_owned()
        }
        Some(_) if has_unlisted_documents(site) => unlisted(&site.documents),
        Some(Outcome::Found) => {
            "Something there looked like a manifest, yet we hold no document of it.".to_owned()
        }
        Some(outcome) => {
            let detail = site
                .visits
                .first()
                .and_then(|visit| visit.detail.as_deref())
                .map(foreign)
                .filter(|detail| !detail.is_empty());
            let sentence = outcome::sentence(outcome);
            match detail {
                Some(detail) => format!("At our last visit {sentence} ({detail})."),
                None => format!("At our last visit {sentence}."),
            }
        }
    })
}

fn robots(state: Option<&RobotsState>) -> String {
    let Some(state) = state else {
        return "We have not read it.".to_owned();
    };
    let verdict = match state.verdict.as_str() {
        "allow" => "It lets us ask for every manifest",
        "partial" => "It keeps us away from some places, where we did not ask",
        "disallow" => "It keeps us away from every manifest, so we asked for none",
        "unreachable" => "It could not be read, so we asked for nothing else",
        other => other,
    };
    let status = state.status.map(|status| format!("status {status}"));
    let why = foreign(&state.why);
    let details: Vec<String> = status
        .into_iter()
        .chain((!why.is_empty()).then_some(why))
        .collect();
    match details.as_slice() {
        [] => format!("{}.", foreign(verdict)),
        details => format!("{} ({}).", foreign(verdict), details.join(": ")),
    }
}
