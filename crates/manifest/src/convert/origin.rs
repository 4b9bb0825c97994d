//! Origin of the agents to convert.

use crate::body::{self, Content};
use crate::rule::document::DI_10;
use crate::{Agent, Document, Domain, FormatId, Listing, Reading, Reference, Severity};
use crate::{fault, formats, text};
use serde_json::Value;
use url::Url;

/// Origin of the agents to convert, which determines the site that publishes the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The site; identifiers are made from it, and paths are relative to it.
    pub domain: Domain,
    /// The document that describes the agents; the result is published at the same origin.
    pub url: Url,
    /// That document's format.
    pub format: String,
    /// The document's references to other documents.
    pub references: Vec<Reference>,
    /// True if the site serves the document at `url`, so that a catalogue may refer to it. It is
    /// false for a local file, whose name does not give a URL.
    pub is_placed: bool,
    source: Option<Box<Source>>,
}

/// The source document, whose facts beyond the model can be kept in its own format.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    /// The generation or dialect that was read.
    pub(super) generation: Option<String>,
    /// The agents as the document describes them, without later additions.
    pub(super) agents: Vec<Agent>,
    /// The JSON content, cleaned for display; null for text formats.
    pub(super) value: Value,
    /// The text, cleaned for display; empty for JSON formats.
    pub(super) text: String,
    /// Positions of errors.
    pub(super) errors: Vec<String>,
    /// Positions of warnings.
    pub(super) warnings: Vec<String>,
    /// Positions of redacted secrets: JSON pointers, or `line:N`.
    pub(super) secrets: Vec<String>,
    /// True if `value` is exactly what was served.
    pub(super) is_as_served: bool,
}

impl Origin {
    /// Creates an origin of which only domain, URL and format are known.
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

    /// Returns the origin of what was read from `document`.
    pub fn of(document: &Document, reading: &Reading) -> Self {
        let format = reading.format;
        Self {
            references: reading.references.clone(),
            is_placed: document.domain != Domain::unknown(),
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

    /// Returns the origin of a merged agent of `domain`: its leading document.
    ///
    /// Returns `None` if the listing names no document with a URL.
    pub fn of_listing(domain: &Domain, listing: &Listing) -> Option<Self> {
        let url = Url::parse(&listing.sources.first()?.url).ok()?;
        Some(Self::new(domain.clone(), url, listing.format.as_str()))
    }

    /// Reports whether the agents come from an agents.txt with blocks of capabilities (D3), which
    /// the other dialects cannot express, and `target` is an agents.txt.
    pub(super) fn is_well_known_text(&self, target: super::Target) -> bool {
        target == super::Target::AgentsTxt && self.format == "agents-txt/well-known-1.0"
    }

    /// Returns the URL of `path` on the site that publishes the result.
    pub(super) fn at(&self, path: &str) -> Option<Url> {
        self.url.join(path).ok()
    }

    /// Returns the source document, if it is known.
    pub(super) fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// Returns the value at `pointer` in the source document.
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
        let secrets = reading.findings.iter().filter(|it| it.rule == &DI_10);
        let place = |finding: &crate::Finding| -> Vec<String> {
            if text.is_empty() {
                finding.pointers().map(str::to_owned).collect()
            } else {
                finding.places().collect()
            }
        };
        Some(Self {
            errors: of(Severity::Error).flat_map(place).collect(),
            warnings: of(Severity::Warning).flat_map(place).collect(),
            secrets: secrets.flat_map(place).collect(),
            generation: reading.generation,
            agents: reading.agents,
            value,
            text,
            is_as_served,
        })
    }
}

/// Removes hidden characters from a text line by line; the result ends in one line break.
fn shown(text: &str) -> String {
    let shows = |character: &char| !text::is_hidden(*character) || *character == '\t';
    let lines = text
        .lines()
        .map(|line| line.chars().filter(shows).collect::<String>());
    let lines: Vec<_> = lines.collect();
    format!("{}\n", lines.join("\n").trim_end())
}
