//! `/site/{domain}`: a site's documents, their findings, and all of our requests.

use crate::action::{address, visit};
use crate::cache::Policy;
use crate::error::{AppError, sentence};
use crate::html::{self, Layout};
use crate::pages::atom;
use crate::pages::badge::BadgeCode;
use crate::pages::quotes::Quotes;
use crate::pages::submission;
use crate::pages::validate::stored;
use crate::parameter::{BadParameter, only};
use crate::record::mark::Mark;
use crate::record::site::{SiteRecord, conflicts, edge_of, load, reason, shown_documents};
use crate::record::{named, withdrawn};
use crate::state::AppState;
use crate::twin::Form;
use crate::view::card::Card;
use crate::view::conflict::ConflictView;
use crate::view::document::{DocumentView, FindingAnchors};
use crate::view::edge::EdgeView;
use crate::view::outcome::RuleLink;
use crate::view::robots::{self, RobotsView};
use crate::view::statement::Statement;
use crate::view::time::Moment;
use crate::view::{self, SiteName, WebLink, foreign, outcome};
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{Redirect, Response};
use manifest::{Domain, Mention, Timestamp};
use store::{Outcome, Receipt, SeedSource, Site, SiteDocument, SiteVisit, Submission};

#[derive(Debug, Template)]
#[template(path = "site.html")]
struct SitePage {
    layout: Layout,
    site: SiteName,
    origin: String,
    badge: BadgeCode,
    /// Verdict on the listing, in words, and its reason.
    listed: String,
    reason: Statement,
    /// Submission for whose visit it waits.
    submission: Option<SubmissionLine>,
    /// Time since which no crawler takes the submissions that wait.
    absent: Option<Moment>,
    /// Statements on agents that the operator hides.
    hidden: Vec<Statement>,
    advice: Option<String>,
    /// Answer by which it refused the last visit.
    edge: Option<EdgeView>,
    /// Counts of findings, in words.
    verdict: String,
    /// Counts of findings by severity, with the address of the first of each.
    jumps: Vec<(String, String)>,
    /// True if the last visit found what is listed, so that its requests need no look.
    is_fine: bool,
    /// Result of the last visit, in words.
    outcome: &'static str,
    source: &'static str,
    first_seen: Moment,
    last_visit: Option<Moment>,
    due: Moment,
    robots: RobotsView,
    cards: Vec<Card>,
    documents: Vec<DocumentView>,
    conflicts: Vec<ConflictView>,
    mentions: Vec<MentionView>,
    visits: Vec<VisitView>,
}

html::markdown_twin!(SitePage, "site.md");

/// Submission for whose visit a site waits.
#[derive(Debug)]
struct SubmissionLine {
    /// State in words.
    state: &'static str,
    at: Moment,
    /// Page at which it is followed.
    path: String,
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

/// Severities with their plurals, the most severe first.
const SEVERITIES: [(&str, &str); 3] = [
    ("error", "errors"),
    ("warning", "warnings"),
    ("note", "notes"),
];

/// Most mentions on the page.
const MENTIONS: usize = 100;

/// Visit by the crawler.
#[derive(Debug)]
struct VisitView {
    started: Moment,
    word: &'static str,
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
    let domain = address::site(&text).map_err(|error| {
        AppError::BadParameters(vec![BadParameter::no_domain("domain", &text, error)])
    })?;
    Ok(Redirect::to(&view::site_path(domain.as_str())))
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
    let mark = Mark::of(&state, &domain).await?;
    if !mark.is_whole() {
        let page = SitePage::load(&state, &domain).await?;
        return Ok(html::tagged(form, &page, Policy::Current, &headers)?);
    }
    let tag = mark.page_tag(&["site page", form.media_type()], (state.now)());
    let answers = &state.shared.answers;
    let rendered = async {
        let page = SitePage::load(&state, &domain).await?;
        Ok(html::rendered(form, &page)?)
    };
    answers
        .serve(&tag, Policy::Current, &headers, rendered)
        .await
}

impl SitePage {
    async fn load(state: &AppState, domain: &Domain) -> Result<Self, AppError> {
        let SiteRecord { site, submission } = load(state, domain).await?;
        let quotes = Quotes::load(state, domain, shown_documents(&site)).await?;
        let now = (state.now)();
        let badge = BadgeCode::of(domain, &state.public_url);
        let edge = edge_of(&site, state.crawler.has_addresses(), now);
        let page = Self::of(&site, &quotes, badge, now);
        let page = Self { edge, ..page }.with_jumps();
        let Some(submission) = submission else {
            return Ok(page);
        };
        let absent = visit::absent_since(state, &submission).await?;
        Ok(Self {
            absent: absent.map(|at| Moment::of(at, now)),
            submission: Some(SubmissionLine::of(&submission, now)),
            ..page
        })
    }

    /// Adds links to the first finding of each severity.
    fn with_jumps(mut self) -> Self {
        for (severity, plural) in SEVERITIES {
            let documents = self.documents.iter_mut();
            let findings = documents.flat_map(|it| &mut it.findings);
            let mut same: Vec<_> = findings.filter(|it| it.severity == severity).collect();
            let number = same.iter().map(|it| it.times).sum();
            if let Some(first) = same.first_mut() {
                let id = format!("first-{severity}");
                let words = view::count(number, severity, plural);
                self.jumps.push((words, format!("#{id}")));
                first.anchors = Some(FindingAnchors::at(id));
            }
        }
        self
    }

    fn of(site: &Site, quotes: &Quotes, badge: BadgeCode, now: Timestamp) -> Self {
        let name = SiteName::of(&site.domain);
        let port = site
            .port
            .map_or_else(String::new, |port| format!(":{port}"));
        let origin = format!("https://{}{port}", site.domain);
        let layout = Layout::new("")
            .at(&view::site_path(site.domain.as_str()))
            .followed_by(atom::of_site(&site.domain));
        Self {
            layout: if site.agents.is_empty() {
                layout.unlisted()
            } else {
                layout
            },
            badge,
            listed: reason::listed(site),
            reason: reason::reason(site, now).unwrap_or_else(|| reason::summary(site).into()),
            verdict: reason::verdict(site),
            jumps: Vec::new(),
            is_fine: !site.agents.is_empty() && site.last_outcome == Some(Outcome::Found),
            outcome: match site.last_outcome {
                // The sentence stands where the page says why the site is not listed.
                Some(outcome) if site.agents.is_empty() => outcome::word(outcome),
                _ => reason::last_visit(site),
            },
            submission: None,
            absent: None,
            hidden: (site.hidden.iter())
                .map(|it| withdrawn::of_hidden(it, now).finished(sentence))
                .collect(),
            advice: reason::advice(site),
            edge: None,
            source: match site.source {
                SeedSource::Seed => "a seed list",
                SeedSource::Submitted => "a submission",
                SeedSource::Discovered => "another site's manifest",
            },
            first_seen: Moment::of(site.first_seen, now),
            last_visit: site.last_visit.map(|at| Moment::of(at, now)),
            due: Moment::of(site.due, now),
            robots: RobotsView::of(site),
            cards: site.agents.iter().map(|it| Card::of(it, now)).collect(),
            documents: shown_documents(site)
                .map(|document| {
                    let mut view = DocumentView::of(document, quotes.on(document), now);
                    view.check = Some(stored::path(site.domain.as_str(), &document.url));
                    for finding in &mut view.findings {
                        let advice = finding.advice.take();
                        finding.advice = advice.map(|it| robots::noted(it, site.robots.as_ref()));
                    }
                    view
                })
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
                .enumerate()
                .map(|(age, visit)| {
                    // The state of robots.txt is that of the last visit.
                    let sentence = match age {
                        0 => reason::outcome_of(site, visit.outcome),
                        _ => outcome::sentence(visit.outcome),
                    };
                    VisitView::of(visit, sentence, &origin, now)
                })
                .collect(),
            site: name,
            origin,
        }
    }
}

impl SubmissionLine {
    fn of(submission: &Submission, now: Timestamp) -> Self {
        Self {
            state: submission::words(submission),
            at: Moment::of(submission.at, now),
            path: submission::path(&submission.id),
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
    fn of(visit: &SiteVisit, sentence: &'static str, origin: &str, now: Timestamp) -> Self {
        Self {
            started: Moment::of(visit.started, now),
            word: outcome::word(visit.outcome),
            sentence: reason::with_detail(sentence, visit),
            rule: RuleLink::of(visit.outcome),
            requests: view::count(visit.requests.into(), "request", "requests"),
            size: view::size(visit.bytes),
            receipts: visit
                .receipts
                .iter()
                .map(|receipt| ReceiptView::of(receipt, origin, now))
                .collect(),
        }
    }
}

impl ReceiptView {
    /// Converts a request; its address is shown without `origin`, which the page names once.
    fn of(receipt: &Receipt, origin: &str, now: Timestamp) -> Self {
        let moment = Moment::of(receipt.at, now);
        let path = receipt.url.strip_prefix(origin);
        let path = path.filter(|it| it.starts_with('/'));
        Self {
            time: clock(&moment.iso),
            iso: moment.iso,
            method: foreign(&receipt.method),
            url: foreign(path.unwrap_or(&receipt.url)),
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

/// Returns the time of day of an RFC 3339 time.
fn clock(iso: &str) -> String {
    iso.split(['T', '.', 'Z']).nth(1).unwrap_or(iso).to_owned()
}
