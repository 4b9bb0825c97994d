//! Where the agents to convert were read.

use crate::body::{self, Content};
use crate::{Agent, Document, Domain, FormatId, Listing, Reading, Reference, Severity};
use crate::{fault, formats, text};
use serde_json::Value;
use url::Url;

/// Where the agents to convert were read, and so which site speaks in the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The site: identifiers are made below it, and paths are paths of it.
    pub domain: Domain,
    /// The document that describes the agents; its origin is where the result is published.
    pub url: Url,
    /// That document's format.
    pub format: String,
    /// What the document points at.
    pub references: Vec<Reference>,
    /// True when the site serves the document at `url`, so that a catalogue may lead there.
    ///
    /// The name of a file on somebody's disk says nothing of that.
    pub is_placed: bool,
    source: Option<Box<Source>>,
}

/// The document itself: what it says beyond the model can be said again in its own format.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    /// The generation or dialect that was read.
    pub(super) generation: Option<String>,
    /// The agents as the document describes them, whatever was added to them since.
    pub(super) agents: Vec<Agent>,
    /// The JSON content, fit to be shown; null for text formats.
    pub(super) value: Value,
    /// The text, fit to be shown; empty for JSON formats.
    pub(super) text: String,
    /// Where something breaks a rule of the format.
    pub(super) errors: Vec<String>,
    /// Where something is accepted, yet not what the format asks for.
    pub(super) warnings: Vec<String>,
    /// Where something was taken out because it looks secret: a JSON pointer, or `line:N`.
    pub(super) secrets: Vec<String>,
    /// True when `value` is what was served, to the letter.
    pub(super) is_as_served: bool,
}

impl Origin {
    /// An origin of which no more is known than where it is.
    pub fn new(domain: Domain, url: Url, format: impl Into<String>) -> Self {
        Self {
            domain,
            url,
            format: format.into(),
            references: Vec::new(),
            is_placed: true,
            source: None,
        }
    }

    /// The origin of what was read from `document`.
    pub fn of(document: &Document, reading: &Reading) -> Self {
        let format = reading.format;
        Self {
            references: reading.references.clone(),
            is_placed: document.domain != Domain::nowhere(),
            source: fault::contained(|| Source::of(document, format))
                .unwrap_or_default()
                .map(Box::new),
            ..Self::new(
                document.domain.clone(),
                document.url.clone(),
                format.as_str(),
            )
        }
    }

    /// The origin of a merged agent of `domain`: its leading document.
    ///
    /// `None` when the listing names no document with a URL.
    pub fn of_listing(domain: &Domain, listing: &Listing) -> Option<Self> {
        let url = Url::parse(&listing.sources.first()?.url).ok()?;
        Some(Self::new(domain.clone(), url, &*listing.format))
    }

    /// `path` on the site that publishes the result.
    pub(super) fn at(&self, path: &str) -> Option<Url> {
        self.url.join(path).ok()
    }

    /// The document, where it is known.
    pub(super) fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// What the document says at `pointer`.
    pub(super) fn published(&self, pointer: &str) -> Option<&Value> {
        self.source()?.value.pointer(pointer)
    }
}

impl Source {
    fn of(document: &Document, format: FormatId) -> Option<Self> {
        let body = body::open(document);
        let reading = formats::read_body(document, format, &body);
        let (mut value, text) = match &body.content {
            Content::Json(value) => (value.clone(), String::new()),
            Content::Text => (Value::Null, shown(&body.text)),
            Content::Html | Content::Nothing => return None,
        };
        text::unhide(&mut value);
        let is_as_served =
            matches!(&body.content, Content::Json(it) if *it == value) && body.secrets.is_empty();
        let of = |severity| {
            reading
                .findings
                .iter()
                .filter(move |it| it.severity == severity)
        };
        let secrets = reading.findings.iter().filter(|it| it.rule == "DI-10");
        let place = |finding: &crate::Finding| match finding.line {
            Some(line) if !text.is_empty() => format!("line:{line}"),
            Some(_) | None => finding.pointer.clone(),
        };
        Some(Self {
            errors: of(Severity::Error).map(place).collect(),
            warnings: of(Severity::Warning).map(place).collect(),
            secrets: secrets.map(place).collect(),
            generation: reading.generation,
            agents: reading.agents,
            value,
            text,
            is_as_served,
        })
    }
}

/// The text without hidden characters, line by line, ending in one line break.
fn shown(text: &str) -> String {
    let shows = |character: &char| !text::is_hidden(*character) || *character == '\t';
    let lines = text
        .lines()
        .map(|line| line.chars().filter(shows).collect::<String>());
    let lines: Vec<_> = lines.collect();
    format!("{}\n", lines.join("\n").trim_end())
}
