//! Evaluates an answer for the plan, for the receipt and for storage.

use super::findings::Findings;
use super::session::{Home, ProbeResult, Session};
use crate::fetch::{Fetch, FetchError, Response, edge};
use crate::observer::Observer;
use crate::plan::{self, target_on};
use crate::receipt::failure_word;
use manifest::document::{Delivery, Document};
use manifest::reference::{self, Follow};
use manifest::{Domain, FormatId, Reading, Timestamp, formats};
use store::{DocumentKind, Lease, NamedDocument, Outcome};
use url::{Position, Url};

/// The result of an answer, for the plan.
#[derive(Default)]
pub(super) struct Assessment {
    pub(super) format: Option<FormatId>,
    /// True if its site keeps it out of indexes (P48).
    pub(super) is_withheld: bool,
    /// Documents that it names, each with its target.
    pub(super) named: Vec<(String, NamedDocument)>,
}

pub(super) fn judge<F: Fetch, O: Observer>(
    session: &mut Session<'_, F, O>,
    findings: &mut Findings,
    lease: &Lease,
    origin: &Url,
    step: &plan::Request,
    probed: &ProbeResult,
) -> Assessment {
    let (url, response) = match &probed.end {
        Ok((url, response)) => (url, response),
        Err(error) => {
            findings.is_inconclusive |= step.known.is_some();
            let why = explanation(step, &failed(error, probed.redirect.as_ref()));
            session.settle(failure_word(error), &why);
            return Assessment::default();
        }
    };
    let requested = || origin.join(&step.target).unwrap_or_else(|_| url.clone());
    let is_known = step.known.is_some();
    let home = session.new_home();
    let is_home = home.is_some_and(|home| home.origin.host() == url.host());
    let is_own = url.host() == origin.host() || is_home;
    let links = if is_own { &response.links[..] } else { &[] };
    let mut assessment = Assessment {
        named: linked(origin, home, lease, url, links),
        ..Assessment::default()
    };
    let refusal = response.refusal(&session.settings.token);
    if let Some(header) = refusal.filter(|_| matches!(response.status, 200 | 304) && !step.canary) {
        findings
            .withheld
            .push((step.target.clone(), header.clone()));
        if is_known {
            findings.gone.push(requested().into());
        }
        session.settle("noindex", &explanation(step, &header));
        assessment.is_withheld = true;
        return assessment;
    }
    let (verdict, why) = match response.status {
        200 => {
            let document = document(lease, &requested(), url, response, session.now());
            let reading = formats::read(&document);
            if let Some(fault) = reading.fault() {
                tracing::error!(%url, hash = document.hash(), "{fault}");
            }
            let is_kept = is_worth_keeping(&document, &reading);
            assessment.format = Some(if is_kept {
                reading.format
            } else {
                FormatId::UNRECOGNISED
            });
            let named = named(origin, session.new_home(), &document, &reading);
            assessment.named.splice(0..0, named);
            findings.is_inconclusive |= is_known && !is_kept;
            let (verdict, why) = (verdict(&reading, is_kept), reading.format.to_string());
            if is_kept && !step.canary {
                findings.max_age = findings.max_age.max(response.max_age());
                findings.documents.push((document, reading));
            }
            (verdict, why)
        }
        304 => {
            findings.unchanged.push(requested().into());
            ("unchanged", String::new())
        }
        status @ (404 | 410) => {
            match (is_known, status) {
                (true, 410) => findings.gone.push(requested().into()),
                (true, _) => findings.missing.push(requested().into()),
                (false, _) => {}
            }
            ("absent", String::new())
        }
        status => {
            findings.is_inconclusive |= is_known;
            let refusal = plan::refusal(status, edge::is_challenge(&response.edge));
            // A refusal by another host is none of this site.
            if step.target.starts_with('/') && refusal.is_some() {
                findings.edge = refusal.zip(session.edge_answer(url, response));
            }
            let word = refusal.map(Outcome::as_str);
            match status {
                429 | 503 => {
                    findings.retry_after = response.pause(session.now());
                    let why = findings.retry_after.map_or_else(String::new, |pause| {
                        format!("asks for a pause of {} s", pause.as_secs())
                    });
                    (word.unwrap_or("throttled"), why)
                }
                _ if word.is_some() => (word.unwrap_or_default(), String::new()),
                500..600 => {
                    // An error of another host does not count as a failure of this one.
                    findings.is_erring |= step.target.starts_with('/');
                    ("down", String::new())
                }
                // A status above all classes, such as 999, counts as a refusal.
                _ => ("absent", String::new()),
            }
        }
    };
    session.settle(verdict, &explanation(step, &why));
    assessment
}

/// Returns the explanation for a receipt; for the probe with a random path, it gives the reason for
/// that request.
fn explanation(step: &plan::Request, reason: &str) -> String {
    const CANARY: &str = "a random path, requested to see whether all paths get the same answer";
    match (step.canary, reason) {
        (false, _) => reason.to_owned(),
        (true, "") => CANARY.to_owned(),
        (true, _) => format!("{reason}; {CANARY}"),
    }
}

/// Returns the explanation of a failure for a receipt, with the target of a redirect that is not
/// followed.
fn failed(error: &FetchError, redirect: Option<&Url>) -> String {
    match (error, redirect) {
        (FetchError::RedirectRefused(_) | FetchError::Blocked(_), Some(target)) => {
            format!("{error}: {target}")
        }
        _ => error.to_string(),
    }
}

pub(super) fn document(
    lease: &Lease,
    requested: &Url,
    url: &Url,
    response: &Response,
    fetched: Timestamp,
) -> Document {
    Document {
        domain: lease.domain.clone(),
        requested: requested.clone(),
        url: url.clone(),
        status: response.status,
        media_type: response.media_type.clone(),
        etag: response.etag.clone(),
        last_modified: response.last_modified.clone(),
        served: Some(Delivery {
            cache_control: response.cache_control.clone(),
            allow_origin: response.allow_origin.clone(),
        }),
        fetched,
        body: response.body.clone(),
    }
}

/// Reports whether a document is worth storing: a known format, or a body that at least begins as
/// JSON (DI-30), so that its owner can see what is wrong with it. A page for people is not stored.
fn is_worth_keeping(document: &Document, reading: &Reading) -> bool {
    let text = document.body.trim_ascii_start();
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    match text.trim_ascii_start() {
        [] | [b'<', ..] => false,
        // An object or an array, also in UTF-16 of either order.
        [b'{' | b'[', ..] | [0xFF, 0xFE, b'{' | b'[', 0, ..] | [0xFE, 0xFF, 0, b'{' | b'[', ..] => {
            true
        }
        // A later version reads it again if reading it panicked.
        [..] => reading.format != FormatId::UNRECOGNISED || reading.fault().is_some(),
    }
}

fn verdict(reading: &Reading, is_kept: bool) -> &'static str {
    match is_kept {
        false => "invalid",
        true if plan::is_manifest(reading.format) => "manifest",
        true => "kept",
    }
}

/// Returns the documents that this one names and that may hold a manifest or describe an API, on its origin, on the
/// origin's new home, or on another host of the registrable domain, each with its target.
fn named(
    origin: &Url,
    home: Option<&Home>,
    document: &Document,
    reading: &Reading,
) -> Vec<(String, NamedDocument)> {
    let references = reading.references.iter();
    references
        .filter(|it| matches!(it.follow, Follow::Fetch | Follow::Queue | Follow::Read))
        .filter_map(|reference| {
            let url = Url::parse(&reference.url).ok()?;
            let (target, named) = named_at(origin, home, &document.domain, url, &document.url)?;
            let kind = match reference.follow {
                Follow::Read => DocumentKind::Api,
                _ if reference.rel == reference::SKILL => DocumentKind::Skill,
                _ => DocumentKind::Manifest,
            };
            Some((target, NamedDocument { kind, ..named }))
        })
        .collect()
}

/// Returns the documents that the `Link` headers of an answer name (DS-10).
pub(super) fn linked(
    origin: &Url,
    home: Option<&Home>,
    lease: &Lease,
    url: &Url,
    links: &[String],
) -> Vec<(String, NamedDocument)> {
    let links = links.iter();
    links
        .filter_map(|link| url.join(link).ok())
        .filter_map(|link| named_at(origin, home, &lease.domain, link, url))
        .collect()
}

/// Returns a document of `domain` at `url` with its target, if a visit to `origin`, or to its new
/// home, may request it.
fn named_at(
    origin: &Url,
    home: Option<&Home>,
    domain: &Domain,
    mut url: Url,
    named_by: &Url,
) -> Option<(String, NamedDocument)> {
    url.set_fragment(None);
    let is_there = |home: &Home| url.origin() == home.origin.origin();
    let target = if home.is_some_and(is_there) {
        url[Position::BeforePath..].to_owned()
    } else {
        let target = target_on(origin, domain, url.as_str())?;
        url = origin.join(&target).ok()?;
        target
    };
    let named = NamedDocument {
        url: url.into(),
        named_by: named_by.to_string(),
        is_own: true,
        kind: DocumentKind::Manifest,
        is_absent: false,
    };
    Some((target, named))
}
