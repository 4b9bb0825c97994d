//! `/site/{domain}`: a site's documents, their findings, and all of our requests.

use crate::cache::Policy;
use crate::error::AppError;
use crate::html::{self, Layout, Page};
use crate::pages::{named, not_found};
use crate::parameter::{BadParameter, only};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::card::Card;
use crate::view::conflict::ConflictView;
use crate::view::document::{self, DocumentView};
use crate::view::outcome::RuleLink;
use crate::view::time::Moment;
use crate::view::{self, SiteName, WebLink, foreign, outcome};
use crate::withdrawn;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{Redirect, Response};
use manifest::domain::DomainError;
use manifest::listing::Conflict;
use manifest::{Domain, Listing, Mention, Timestamp};
use store::{Outcome, Receipt, RobotsState, SeedSource, Site, SiteDocument, SiteVisit};
use url::Url;

#[derive(Debug, Template)]
#[template(path = "site.html")]
struct SitePage {
    layout: Layout,
    site: SiteName,
    origin: String,
    /// Verdict on the listing, in words, and its reason.
    listed: String,
    reason: String,
    /// Statements on agents that the operator hides.
    hidden: Vec<String>,
    advice: Option<&'static str>,
    /// Counts of findings, in words.
    verdict: String,
    /// Result of the last visit, in words.
    outcome: String,
    source: &'static str,
    first_seen: Moment,
    last_visit: Option<Moment>,
    due: Moment,
    robots: &'static str,
    /// Answer to the request for robots.txt, in words.
    robots_detail: String,
    robots_delay: Option<String>,
    cards: Vec<Card>,
    documents: Vec<DocumentView>,
    conflicts: Vec<ConflictView>,
    mentions: Vec<MentionView>,
    visits: Vec<VisitView>,
}

/// The twin in Markdown.
#[derive(Template)]
#[template(path = "site.md")]
struct SiteMarkdown<'a> {
    page: &'a SitePage,
}

impl Page for SitePage {
    fn markdown(&self) -> askama::Result<String> {
        SiteMarkdown { page: self }.render()
    }
}

/// Agent of another site that a document mentions.
#[derive(Debug)]
struct MentionView {
    name: String,
    publisher: Option<String>,
    link: Option<WebLink>,
    /// Document that mentions it.
    document: WebLink,
}

/// Most mentions on the page.
const MENTIONS: usize = 100;

/// Visit by the crawler.
#[derive(Debug)]
struct VisitView {
    started: Moment,
    word: String,
    sentence: String,
    rule: RuleLink,
    requests: String,
    size: String,
    receipts: Vec<ReceiptView>,
}

/// Request by the crawler.
#[derive(Debug)]
struct ReceiptView {
    iso: String,
    time: String,
    method: String,
    url: String,
    status: String,
    size: String,
    ms: u32,
    /// True if there was nothing at that address.
    is_quiet: bool,
    verdict: String,
    /// Rule that explains the verdict, if the request failed.
    rule: Option<RuleLink>,
    why: String,
}

/// Answers `GET /site?domain=`, the form of the front page, by a redirect to the page of the site.
pub(crate) async fn look_up(RawQuery(query): RawQuery) -> Result<Redirect, AppError> {
    let [domain] = only(query.as_deref(), ["domain"]).map_err(AppError::BadParameters)?;
    let text = domain.unwrap_or_default();
    let domain = named_by(&text).map_err(|error| {
        let text = foreign(&text);
        let message = format!("`{text}` is not a domain: {error}");
        AppError::BadParameters(vec![BadParameter::new("domain", "bad_domain", message)])
    })?;
    Ok(Redirect::to(&view::site_path(domain.as_str())))
}

/// Parses what a visitor types as a site: a domain, or a URL on it.
fn named_by(text: &str) -> Result<Domain, DomainError> {
    let text = text.trim();
    let host = Url::parse(text)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    Domain::parse(host.as_deref().unwrap_or(text))
}

/// Answers `GET /site/{domain}`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    form: Form,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(domain) = path?;
    let domain = named(&domain, |it| form.path(&view::site_path(it.as_str())))?;
    let Some(site) = state.store.site(&domain).await? else {
        return Err(missing(&state, &domain).await);
    };
    let page = SitePage::of(&site, (state.now)());
    Ok(html::tagged(form, &page, Policy::Details, &headers)?)
}

/// Returns the error for an unknown site.
pub(crate) async fn missing(state: &AppState, domain: &Domain) -> AppError {
    match withdrawn::site(state, domain).await {
        Ok(None) => {}
        Ok(Some(error)) | Err(error) => return error,
    }
    not_found(
        state,
        format!("The registry does not know {}.", domain.to_unicode()),
        "To have it visited, submit its domain: POST /api/v1/submit, as /docs/api describes.",
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
            layout: Layout::new("").at(&view::site_path(site.domain.as_str())),
            origin: format!("https://{}{port}", site.domain),
            listed: listed(site),
            reason: reason(site).unwrap_or_else(|| summary(site)),
            verdict: verdict(site),
            outcome: site
                .last_outcome
                .map_or_else(String::new, |it| outcome::sentence(it).to_owned()),
            hidden: site.hidden.iter().map(withdrawn::of_hidden).collect(),
            advice: advice(site),
            source: match site.source {
                SeedSource::Seed => "a seed list",
                SeedSource::Submitted => "a submission",
                SeedSource::Discovered => "another site's manifest",
            },
            first_seen: Moment::of(site.first_seen, now),
            last_visit: site.last_visit.map(|at| Moment::of(at, now)),
            due: Moment::of(site.due, now),
            robots: robots(site.robots.as_ref()).0,
            robots_detail: robots(site.robots.as_ref()).1,
            robots_delay: site
                .robots
                .as_ref()
                .and_then(|robots| robots.delay_ms)
                .map(|delay| format!("{} ms between requests", view::grouped(delay.into()))),
            cards: site.agents.iter().map(|it| Card::of(it, now)).collect(),
            documents: shown_documents(site)
                .map(|document| DocumentView::of(document, now))
                .collect(),
            conflicts: conflicts(site)
                .map(|(listing, conflict)| ConflictView::of(listing, conflict))
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
                "" => "an unnamed agent".to_owned(),
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
            rule: RuleLink::of(visit.outcome),
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
                .map_or_else(|| "no response".to_owned(), |status| status.to_string()),
            size: view::size(receipt.bytes),
            ms: receipt.ms,
            is_quiet: receipt.status == Some(404),
            verdict: foreign(&receipt.verdict),
            rule: Outcome::parse(&receipt.verdict).map(RuleLink::of),
            why: foreign(&receipt.why),
        }
    }
}

/// Returns the documents that may be shown: none of a site that opted out.
pub(crate) fn shown_documents(site: &Site) -> impl Iterator<Item = &SiteDocument> {
    let has_left = site.last_outcome == Some(Outcome::OptedOut);
    site.documents.iter().filter(move |_| !has_left)
}

/// Returns the facts on which the documents of an agent disagree, for every agent of a site.
pub(crate) fn conflicts(site: &Site) -> impl Iterator<Item = (&Listing, &Conflict)> {
    let listings = site.agents.iter().map(|agent| &agent.listing);
    listings.flat_map(|it| it.conflicts.iter().map(move |conflict| (it, conflict)))
}

/// Returns the path of the JSON version.
pub(crate) fn api_path(domain: &Domain) -> String {
    view::path(&["api", "v1", "sites", domain.as_str()])
}

/// Returns the time of day of an RFC 3339 time.
fn clock(iso: &str) -> String {
    iso.split(['T', '.', 'Z']).nth(1).unwrap_or(iso).to_owned()
}

/// Says whether a site is listed.
fn listed(site: &Site) -> String {
    match site.agents.len() as u64 {
        0 => "Not listed".to_owned(),
        agents => format!("Listed, {}", view::count(agents, "agent", "agents")),
    }
}

/// Says where the agents of a site were found.
fn summary(site: &Site) -> String {
    let documents = view::count(site.documents.len() as u64, "document", "documents");
    format!("Read from {documents}.")
}

/// Counts the findings on the documents of a site.
fn verdict(site: &Site) -> String {
    if shown_documents(site).next().is_none() {
        return "Nothing was read".to_owned();
    }
    let findings = shown_documents(site).flat_map(|it| &it.findings);
    document::verdict(&findings.collect::<Vec<_>>())
}

/// Reports whether documents were stored for a site, but none of them describes an agent.
fn has_unlisted_documents(site: &Site) -> bool {
    let is_answered = matches!(
        site.last_outcome,
        Some(Outcome::Found | Outcome::Empty | Outcome::TooLarge)
    );
    is_answered && site.agents.is_empty() && !site.documents.is_empty()
}

/// Returns advice for the owner of a site without agents.
pub(crate) fn advice(site: &Site) -> Option<&'static str> {
    if !site.hidden.is_empty() {
        return None;
    }
    if has_unlisted_documents(site) {
        let is_read = site.documents.iter().all(|it| it.format.is_some());
        return is_read
            .then_some("Fix the findings below; the site is listed after our next visit.");
    }
    let outcome = site.last_outcome.filter(|_| site.agents.is_empty());
    outcome.and_then(outcome::advice)
}

/// Explains why stored documents list no agent, by the most severe finding of the first document
/// with findings.
fn unlisted(documents: &[SiteDocument]) -> String {
    let worst = documents.iter().find_map(|document| {
        // `max_by_key` returns the last of equals; the first finding is the better explanation.
        let findings = document.findings.iter().rev();
        let finding = findings.max_by_key(|finding| finding.severity)?;
        Some((document, finding))
    });
    let Some((document, finding)) = worst else {
        return "Its documents were read, but none describes an agent that can be listed."
            .to_owned();
    };
    let advice = finding.advice().map(|it| format!("; {it}"));
    format!(
        "We read {}, but none describes an agent that can be listed. At {}: {}{}.",
        view::count(documents.len() as u64, "document", "documents"),
        foreign(&document.url),
        finding.message.trim_end_matches('.'),
        advice.unwrap_or_default()
    )
}

/// Explains why a site has no agents here, if it has none.
pub(crate) fn reason(site: &Site) -> Option<String> {
    if !site.agents.is_empty() {
        return None;
    }
    if let Some(hidden) = site.hidden.first() {
        return Some(format!(
            "{}.",
            withdrawn::of_hidden(hidden).trim_end_matches('.')
        ));
    }
    let is_unread = site.documents.iter().any(|it| it.format.is_none());
    Some(match site.last_outcome {
        None => "We have not visited it yet.".to_owned(),
        Some(_) if has_unlisted_documents(site) && is_unread => {
            "Its documents were fetched and will be indexed in a moment.".to_owned()
        }
        Some(_) if has_unlisted_documents(site) => unlisted(&site.documents),
        Some(Outcome::Found) => {
            "Something there looked like a manifest, but no document of it is stored.".to_owned()
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
                Some(detail) => format!("At our last visit, {sentence} ({detail})."),
                None => format!("At our last visit, {sentence}."),
            }
        }
    })
}

/// Returns the verdict of robots.txt in a few words, and the answer behind it.
fn robots(state: Option<&RobotsState>) -> (&'static str, String) {
    let Some(state) = state else {
        return ("Not read yet", String::new());
    };
    let verdict = match state.verdict.as_str() {
        "allow" => "Allowed",
        "partial" => "Partly allowed; we requested allowed paths only",
        "disallow" => "Not allowed; we requested no manifest",
        "unreachable" => "Not readable; we requested nothing else",
        _ => "Unknown",
    };
    let status = state.status.map(|status| format!("Status {status}"));
    let why = foreign(&state.why);
    let details: Vec<String> = status
        .into_iter()
        .chain((!why.is_empty()).then_some(why))
        .collect();
    (verdict, details.join(": "))
}
