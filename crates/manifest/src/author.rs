//! Manifests that an author checks or converts before a site serves them: the same on the command
//! line and through the API.

pub mod addition;

use crate::account::Account;
use crate::convert::{Origin, Target};
use crate::domain::DomainError;
use crate::rule::convert::CV_01;
use crate::{Agent, Conversion, Document, Domain, Finding, FormatId, Lint, Reading};
use crate::{convert, formats, merge, openapi};
use url::Url;

/// A manifest that no site serves yet.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Its bytes.
    pub body: Vec<u8>,
    /// Path at which a site will serve it, such as `/.well-known/agent.json`; to check it, a bare
    /// file name suffices.
    pub name: &'a str,
    /// Site that will serve it; if `None`, the site that it names.
    pub origin: Option<&'a Url>,
    /// Its format; if `None`, the one that is detected.
    pub format: Option<FormatId>,
}

/// Reason why a draft cannot be converted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// No site is given or named.
    #[error("the manifest does not name its site")]
    NoSite,
    /// The site that is given is none.
    #[error(transparent)]
    BadSite(#[from] DomainError),
    /// The document describes no agent.
    #[error("the document describes no agent: it was read as {0}")]
    NoAgent(FormatId),
    /// Our own code failed.
    #[error("{0}")]
    Fault(String),
}

impl Draft<'_> {
    /// Returns the document as its site would serve it.
    pub fn document(&self) -> Result<Document, DomainError> {
        match self.origin {
            Some(origin) => Document::of_file_at(origin, self.name, self.body.clone()),
            None => Ok(Document::of_file(self.name, self.body.clone())),
        }
    }

    /// Reads the document, with the position of every finding.
    pub fn lint(self) -> Result<Lint, DomainError> {
        Ok(self.lint_of(&self.document()?))
    }

    /// Works like [`Self::lint`], for the document that [`Self::document`] returned.
    pub fn lint_of(&self, document: &Document) -> Lint {
        match self.format {
            Some(format) => crate::lint::lint_as(document, format),
            None => crate::lint(document),
        }
    }

    /// Returns what became of each value of the document.
    pub fn account(self) -> Result<Account, DomainError> {
        Ok(formats::account(&self.document()?, self.format))
    }

    /// Reads the document as its site would serve it; the reading has at least one agent.
    ///
    /// Without a site, a first reading finds out which one the document names.
    pub fn read(self) -> Result<(Document, Reading), DraftError> {
        let (document, reading) = self.read_any()?;
        match reading.fault() {
            Some(fault) => Err(DraftError::Fault(fault.to_owned())),
            None if reading.agents.is_empty() => Err(DraftError::NoAgent(reading.format)),
            None => Ok((document, reading)),
        }
    }

    fn read_any(self) -> Result<(Document, Reading), DraftError> {
        if let Some(origin) = self.origin {
            return self.read_at(origin);
        }
        let nowhere = Url::parse("https://nowhere.example").expect("a constant URL is valid");
        let (document, reading) = self.clone().read_at(&nowhere)?;
        if reading.fault().is_some() {
            return Ok((document, reading));
        }
        let mut agents = reading.agents.iter();
        match agents.find_map(|agent| named_site(agent, &nowhere)) {
            Some(origin) => self.read_at(&origin),
            None => Err(DraftError::NoSite),
        }
    }

    fn read_at(self, origin: &Url) -> Result<(Document, Reading), DraftError> {
        let domain = Domain::parse(origin.host_str().unwrap_or_default())?;
        let mut url = origin.clone();
        url.set_path(self.name);
        let document = Document::new(domain, url, self.body);
        let mut reading = match self.format {
            Some(format) => formats::read_as(&document, format),
            None => formats::read(&document),
        };
        if reading.format == openapi::ID {
            // It describes no agent, but its API can be offered by one.
            reading.agents.extend(merge::api::agent(&document));
        }
        Ok((document, reading))
    }
}

/// Converts the agents of a draft. The place of a draft without a path of its own is not known.
pub fn converted(
    document: &Document,
    reading: &Reading,
    to: Target,
    has_path: bool,
) -> Result<Conversion, DraftError> {
    if reading.format == openapi::ID && to == Target::OpenApi {
        // It is one already: what the model has no field for would be lost.
        let body = String::from_utf8_lossy(&document.body).into_owned();
        return Ok(Conversion {
            target: to,
            body: Some(body),
            findings: Vec::new(),
        });
    }
    let mut origin = Origin::of(document, reading);
    origin.is_placed = has_path;
    let mut conversion = convert(&reading.agents, &origin, to);
    if reading.format == openapi::ID && !openapi::needs_are_alike(&document.body) {
        let message = format!(
            "{} cannot say which schemes each call needs; all of them are written as alternatives",
            to.title()
        );
        conversion
            .findings
            .push(Finding::new(&CV_01, "/paths", message));
    }
    match conversion.findings.iter().find(|it| it.is_ours()) {
        Some(fault) => Err(DraftError::Fault(fault.message.clone())),
        None => Ok(conversion),
    }
}

/// Parses the URL of a site.
pub fn site(text: &str) -> Result<Url, String> {
    let url =
        Url::parse(text).map_err(|error| format!("{error}; give it as https://ferry.example"))?;
    match url.host_str().map(Domain::parse) {
        Some(Ok(_)) if matches!(url.scheme(), "https" | "http") => Ok(url),
        _ => Err("not a site; give it as https://ferry.example".to_owned()),
    }
}

/// Returns the origin of the first address that an agent gives of its own.
fn named_site(agent: &Agent, nowhere: &Url) -> Option<Url> {
    let provider = agent.provider.iter().filter_map(|it| it.url.as_ref());
    let interfaces = agent.interfaces.iter().map(|it| &it.url);
    let calls = agent.capabilities.iter().filter_map(|it| it.url.as_ref());
    let pages = agent.homepage.iter().chain(&agent.url);
    let urls = pages
        .chain(interfaces)
        .chain(calls)
        .chain(provider)
        .chain(&agent.docs);
    let mut origins = urls.filter_map(|url| Url::parse(url).ok()?.join("/").ok());
    origins.find(|url| url.host_str() != nowhere.host_str() && site(url.as_str()).is_ok())
}
