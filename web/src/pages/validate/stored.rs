//! Stored text of a document of a known site, as a text to check. No site is asked for it.

use super::source::Source;
use crate::action::address;
use crate::error::AppError;
use crate::parameter::BadParameter;
use crate::record::site::{load, shown_documents};
use crate::record::version::text::text;
use crate::state::AppState;
use crate::view::time::Moment;
use crate::view::{self, WebLink, foreign};
use manifest::{Document, Domain, Finding};
use store::SiteDocument;
use url::{Url, form_urlencoded};

/// Most documents that are listed to choose from.
const MAX_CHOICE: usize = 50;

/// Text of a stored document.
#[derive(Debug)]
pub(crate) struct StoredText {
    pub(crate) source: Source,
    pub(crate) origin: StoredOrigin,
}

/// Origin of a stored text.
#[derive(Debug)]
pub(crate) struct StoredOrigin {
    pub(crate) link: WebLink,
    pub(crate) fetched: Moment,
    /// Path of the page of the site.
    pub(crate) site: String,
    /// True if secrets were removed.
    pub(crate) is_redacted: bool,
    /// Findings of the crawler that the text alone does not show, with the line of each.
    pub(crate) beside: Vec<Beside>,
}

/// Finding on how a document is served, or on its site's documents together.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) rule: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) message: String,
    pub(crate) line: Option<u32>,
}

/// Documents of a site to choose from.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) domain: String,
    /// Addresses of the checks, and of the documents.
    pub(crate) documents: Vec<(String, String)>,
}

/// Documents of a site, or the one that is asked for.
#[derive(Debug)]
pub(crate) enum Found {
    Text(Box<StoredText>),
    /// No single one, with the reason if one was asked for.
    Choice(Choice, Option<BadParameter>),
}

/// Returns the address of the check of a document.
pub(crate) fn path(domain: &str, document: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("site", domain)
        .append_pair("document", document);
    format!("/validate?{}", query.finish())
}

/// Finds a document of a site by its address; without one, the only document.
pub(crate) async fn find(
    state: &AppState,
    site: &str,
    document: Option<&str>,
) -> Result<Found, AppError> {
    let domain = address::site(site).map_err(|error| {
        AppError::BadParameters(vec![BadParameter::no_domain("site", site, error)])
    })?;
    let record = load(state, &domain).await?;
    let documents: Vec<&SiteDocument> = shown_documents(&record.site).collect();
    let found = match document {
        Some(url) => documents.iter().find(|it| it.url == url),
        None => documents.first().filter(|_| documents.len() == 1),
    };
    let refused = |reason: String| {
        let fault = BadParameter::new("document", "unknown_value", reason);
        Found::Choice(Choice::of(&domain, &documents), Some(fault))
    };
    let Some(found) = found else {
        return Ok(match document {
            Some(url) => refused(format!(
                "`{}` is no document of {domain} that is stored",
                foreign(url)
            )),
            None => Found::Choice(Choice::of(&domain, &documents), None),
        });
    };
    let Some(body) = state.store.blob(&found.hash).await? else {
        return Ok(refused("its bytes are no longer stored".to_owned()));
    };
    let at_root = || Url::parse(&format!("https://{domain}/"));
    let url = Url::parse(&found.url).or_else(|_| at_root());
    let url = url.expect("a domain is a host");
    let path = url.path().to_owned();
    let Ok(shown) = text(Document::new(domain.clone(), url, body)).await? else {
        return Ok(refused("its bytes are not text".to_owned()));
    };
    Ok(Found::Text(Box::new(StoredText {
        source: Source::of(&shown.text, &path, &domain.to_unicode()),
        origin: StoredOrigin {
            link: WebLink::of(&found.url),
            fetched: Moment::of(found.fetched, (state.now)()),
            site: view::site_path(domain.as_str()),
            is_redacted: shown.is_changed,
            beside: found.findings.iter().filter_map(Beside::of).collect(),
        },
    })))
}

impl Beside {
    /// Returns a finding that the text alone does not show.
    fn of(finding: &Finding) -> Option<Self> {
        finding.rule.needs_more_than_the_text().then(|| Self {
            rule: finding.rule.id,
            severity: finding.severity.label(),
            message: foreign(&finding.message),
            line: finding.line,
        })
    }
}

impl Choice {
    fn of(domain: &Domain, documents: &[&SiteDocument]) -> Self {
        let documents = documents.iter().take(MAX_CHOICE);
        let rows = documents.map(|it| (path(domain.as_str(), &it.url), foreign(&it.url)));
        Self {
            domain: domain.to_unicode(),
            documents: rows.collect(),
        }
    }
}
