//! Formats, and the result of reading a document.

use crate::field::Field;
use crate::finding::Findings;
use crate::format_id::FormatId;
use crate::rule::Rule;
use crate::{
    Agent, Capability, Document, Domain, Finding, Reference, Severity, formats, link, placeholder,
    provenance, reference, text,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// Quality level of a document (`docs/formats.md`, "Quality levels").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// Valid without warnings, about the site itself, and every capability is described.
    A,
    /// Valid, but not A.
    B,
    /// Invalid, or of no specified format, but readable enough to be listed.
    C,
    /// Kept, not listed.
    D,
}

impl Level {
    /// Returns the letter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }

    /// Returns the level with this letter.
    pub fn parse(letter: &str) -> Option<Self> {
        match letter {
            "A" => Some(Self::A),
            "B" => Some(Self::B),
            "C" => Some(Self::C),
            "D" => Some(Self::D),
            _ => None,
        }
    }
}

/// Another site's agent or service that a document mentions; shown as a mention, never merged into
/// a record and never attributed to that site (ARD-06).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mention {
    /// Name given in the document; may be empty.
    pub name: String,
    /// Domain of the publisher, if the document gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// Absolute URL given in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// JSON pointer to the mention in the document.
    pub pointer: String,
}

/// Result of reading one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// The detected format.
    pub format: FormatId,
    /// The generation or dialect within the format, such as `0.3` or `1.0`.
    pub generation: Option<String>,
    /// The agents described, in document order, not yet merged with other documents.
    pub agents: Vec<Agent>,
    /// Findings for the owner.
    pub findings: Vec<Finding>,
    /// References to other documents.
    pub references: Vec<Reference>,
    /// Mentions of other sites' agents or services.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// True if every agent has its URLs on the probed site, or none at all, and every capability is
    /// described, with a schema if the format supports one. Level A requires this in addition to
    /// validity.
    pub is_complete: bool,
}

impl Reading {
    /// Reports whether the format's own validator would accept the document: there is no error.
    pub fn is_valid(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }

    /// Reports whether the document describes an agent that can be listed.
    pub fn is_indexable(&self) -> bool {
        !self.agents.is_empty()
    }

    /// Returns the site at which the first agent is, unless it is `read_at`.
    pub(crate) fn site(&self, read_at: &Domain) -> Option<Domain> {
        let agent = self.agents.first()?;
        let interfaces = agent.interfaces.iter().map(|interface| &interface.url);
        let addresses = agent.homepage.iter().chain(&agent.url).chain(interfaces);
        let hosts =
            addresses.filter_map(|url| Domain::parse(Url::parse(url).ok()?.host_str()?).ok());
        let hosts = hosts.filter(|host| !placeholder::is_host(host.as_str()));
        let mut sites = hosts.filter_map(|host| Domain::parse(host.registrable()).ok());
        sites.find(|site| site != read_at)
    }

    /// Returns the reason why a valid document without findings on it does not have level A.
    pub fn reason_below_level_a(&self) -> Option<String> {
        if self.is_complete || !self.is_valid() || !self.format.is_specified() {
            return None;
        }
        let capabilities = || self.agents.iter().flat_map(|agent| &agent.capabilities);
        let named = |lacks: fn(&Capability) -> bool| {
            let names = capabilities()
                .filter(|it| lacks(it))
                .map(|it| it.name.as_str());
            let names: Vec<&str> = names.take(4).collect();
            match names.as_slice() {
                [] => None,
                [first, second, third, _] => Some(format!("{first}, {second}, {third}, …")),
                few => Some(few.join(", ")),
            }
        };
        if let Some(names) = named(|it| it.description.is_none()) {
            return Some(format!("no description of these capabilities: {names}"));
        }
        let entry = formats::ALL.iter().find(|entry| entry.takes(self.format));
        if entry.is_some_and(|entry| entry.has_schemas)
            && let Some(names) = named(|it| it.input_schema.is_none())
        {
            return Some(format!("no input schema of these capabilities: {names}"));
        }
        Some("none of the agent's URLs is on the site that serves this document".to_owned())
    }

    /// Returns the quality level.
    pub fn level(&self) -> Level {
        let has_warnings = self
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Warning);
        match (self.is_indexable(), self.is_valid(), has_warnings) {
            (false, _, _) => Level::D,
            (true, false, _) => Level::C,
            (true, true, _) if !self.format.is_specified() => Level::C,
            (true, true, false) if self.is_complete => Level::A,
            (true, true, _) => Level::B,
        }
    }
}

impl FormatId {
    /// Returns false for formats without a specification, which are read by convention only
    /// (AT-90).
    pub fn is_specified(self) -> bool {
        const CONVENTIONS: [&str; 15] = [
            "wrapped-agents",
            "agents-wrapper",
            "agents-txt",
            "agents-txt/agentstxt-dev",
            "agents-txt/yaml-list",
            "agents-txt/prose",
            "agents-txt/robots-like",
            "agents-txt/free-keys",
            "agents-txt/adp-1.0",
            "x402",
            "ucp",
            "acp",
            "webmcp",
            "agent-skills-index",
            "unrecognised",
        ];
        !CONVENTIONS.contains(&self.0) && !formats::is_read_by_habit(self)
    }
}

/// For each field of the model, its positions in a format as JSON pointers below the agent's own,
/// the preferred one first.
pub(crate) type Fields = &'static [(&'static str, &'static [&'static str])];

/// A manifest format: one unit struct per specification implements it.
///
/// `formats/detect.rs` decides which format a document has, because formats share their paths and
/// only an ordered list of tests can distinguish them.
pub(crate) trait Format {
    /// The document as its specification describes it: private structs of `Field`s.
    type Manifest;

    /// Id under which its documents are stored and shown.
    const ID: FormatId;
    /// Dialects and older forms that the same reader accepts, under their own ids.
    const ALSO: &'static [FormatId] = &[];
    /// Name for people, such as "A2A agent card".
    const TITLE: &'static str;
    /// Paths at which its publishers serve it, most likely first.
    const PLACES: &'static [&'static str];

    /// Positions of the model's fields in a document of this format.
    const FIELDS: Fields = &[];
    /// Its rules, in order of id.
    const RULES: &'static [&'static Rule] = &[];
    /// True if a capability is only complete with an input schema.
    const HAS_SCHEMAS: bool = false;

    /// Reports whether this format's reader accepts documents detected as `format`.
    fn takes(format: FormatId) -> bool {
        Self::ID == format || Self::ALSO.contains(&format)
    }

    /// Parses the document into the specification's structure, keeping values of the wrong type.
    fn parse(input: &Input<'_>) -> Self::Manifest;

    /// Checks the document against the rules of the format.
    fn validate(manifest: &Self::Manifest, input: &Input<'_>, findings: &mut Findings);

    /// Converts the document to the model, one agent for each that it describes.
    ///
    /// An agent without a name gets the domain's if it has a capability or an interface, and is
    /// left out otherwise.
    fn normalize(manifest: &Self::Manifest, input: &Input<'_>) -> Vec<Agent>;

    /// Returns the document's references to other documents.
    fn references(manifest: &Self::Manifest, input: &Input<'_>) -> Vec<Reference> {
        let _ = (manifest, input);
        Vec::new()
    }

    /// Returns the document's mentions of other sites (ARD-06).
    fn mentions(manifest: &Self::Manifest, input: &Input<'_>) -> Vec<Mention> {
        let _ = (manifest, input);
        Vec::new()
    }

    /// Returns the generation or dialect within the format.
    fn generation(manifest: &Self::Manifest) -> Option<String> {
        let _ = manifest;
        None
    }
}

/// Input of a format's reader: a whole document, or one item of a document that lists several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// The document, for its URL, path and domain.
    pub(crate) document: &'a Document,
    /// The id under which the content was detected.
    pub(crate) format: FormatId,
    /// The JSON content; null for text formats.
    pub(crate) value: &'a Value,
    /// The text; empty for JSON formats.
    pub(crate) text: &'a str,
    /// JSON pointers below `value` at which secrets were removed (DI-10).
    pub(crate) secrets: &'a [String],
}

impl Input<'_> {
    /// Deserializes the JSON content into the format's own struct; an empty one if it is not an
    /// object.
    pub(crate) fn manifest<T: DeserializeOwned + Default>(&self) -> T {
        match Field::of(self.value) {
            Field::Is(manifest) => manifest,
            Field::Absent | Field::Wrong(_) => T::default(),
        }
    }
}

/// One member of [`crate::formats::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The format's id.
    pub id: FormatId,
    /// Other ids that the same reader accepts.
    pub also: &'static [FormatId],
    /// Its name for people, such as "A2A agent card".
    pub title: &'static str,
    /// Paths at which its publishers serve it, most likely first.
    pub places: &'static [&'static str],
    /// Its rules, in order of id.
    pub rules: &'static [&'static Rule],
    /// True if a capability is only complete with an input schema.
    pub(crate) has_schemas: bool,
    /// Reads documents detected as this format.
    pub(crate) read: fn(&Input<'_>) -> Reading,
}

impl Entry {
    /// Creates the entry of format `F`.
    pub(crate) const fn of<F: Format>() -> Self {
        Self {
            id: F::ID,
            also: F::ALSO,
            title: F::TITLE,
            places: F::PLACES,
            rules: F::RULES,
            has_schemas: F::HAS_SCHEMAS,
            read: read::<F>,
        }
    }

    /// Reports whether this entry reads documents detected as `format`.
    pub fn takes(&self, format: FormatId) -> bool {
        self.id == format || self.also.contains(&format)
    }
}

fn read<F: Format>(input: &Input<'_>) -> Reading {
    let manifest = F::parse(input);
    let mut findings = Findings::default();
    F::validate(&manifest, input, &mut findings);
    let mut agents = F::normalize(&manifest, input);
    for agent in &mut agents {
        provenance::locate(agent, F::FIELDS, input.value);
        placeholder::remove(agent, input, &mut findings);
        agent.raw_values().for_each(text::unhide);
    }
    let mut references = F::references(&manifest, input);
    reference::bound(&mut references, input.format);
    reference::report_refused(&references, &mut findings);
    Reading {
        format: input.format,
        generation: F::generation(&manifest),
        is_complete: agents.iter().all(|agent| is_complete::<F>(agent, input)),
        agents,
        findings: findings.into_vec(),
        references,
        mentions: F::mentions(&manifest, input),
    }
}

fn is_complete<F: Format>(agent: &Agent, input: &Input<'_>) -> bool {
    let addresses = agent.homepage.iter().chain(&agent.url);
    let interfaces = agent.interfaces.iter().map(|interface| &interface.url);
    let mut addresses = addresses.chain(interfaces).peekable();
    let is_home = |url: &String| link::is_own(input.document, url);
    let is_described = agent.capabilities.iter().all(|capability| {
        capability.description.is_some() && (!F::HAS_SCHEMAS || capability.input_schema.is_some())
    });
    (addresses.peek().is_none() || addresses.any(is_home)) && is_described
}
