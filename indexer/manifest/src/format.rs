//! What a format is, and what reading a document gives.

use crate::field::Field;
use crate::finding::Findings;
use crate::rules::Rule;
use crate::{
    Agent, Capability, Document, Domain, Finding, Reference, Severity, evidence, formats, leftover,
    link, reference, text,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// The stable name of a format or dialect, such as `a2a-agent-card` (FORMATS.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FormatId(pub &'static str);

impl FormatId {
    /// The name as text.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl std::fmt::Display for FormatId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.0)
    }
}

/// How good a document is (FORMATS.md 12.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// Valid in its own format, identity matches, every capability described.
    A,
    /// Valid with warnings.
    B,
    /// Invalid, or in no specified format, yet readable enough to be listed.
    C,
    /// Kept, not listed.
    D,
}

impl Level {
    /// The letter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }

    /// The level with this letter.
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

/// What a document says of somebody else: shown as that, never merged into a record and never
/// credited to them (ARD-06).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mention {
    /// What it calls them; may be empty.
    pub name: String,
    /// The domain that it says they belong to, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// Where it says they are, absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where the document says so, as a JSON pointer.
    pub pointer: String,
}

/// Everything that one document says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// The format that the content was recognised as.
    pub format: FormatId,
    /// The generation or dialect within the format, such as `0.3` or `D2`.
    pub generation: Option<String>,
    /// The agents described, in document order, not yet merged with other documents.
    pub agents: Vec<Agent>,
    /// Remarks for the owner.
    pub findings: Vec<Finding>,
    /// Documents pointed at.
    pub references: Vec<Reference>,
    /// Others spoken of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// True when every agent is at home on the probed site and every capability is described, with
    /// a schema where the format has one: what level A asks for beyond validity (FORMATS.md 12.4).
    pub is_complete: bool,
}

impl Reading {
    /// True when the format's own validator would accept the document: no error finding.
    pub fn is_valid(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }

    /// True when a directory can list something from it.
    pub fn is_indexable(&self) -> bool {
        !self.agents.is_empty()
    }

    /// The site that the first agent says it lives at, unless that is only where it was read.
    pub(crate) fn site(&self, read_at: &Domain) -> Option<Domain> {
        let agent = self.agents.first()?;
        let interfaces = agent.interfaces.iter().map(|interface| &interface.url);
        let addresses = agent.homepage.iter().chain(&agent.url).chain(interfaces);
        let hosts =
            addresses.filter_map(|url| Domain::parse(Url::parse(url).ok()?.host_str()?).ok());
        let hosts = hosts.filter(|host| !leftover::is_host(host.as_str()));
        let mut sites = hosts.filter_map(|host| Domain::parse(host.registrable()).ok());
        sites.find(|site| site != read_at)
    }

    /// What keeps a document that is valid from level A, when that is no finding.
    pub fn what_is_missing(&self) -> Option<String> {
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
            return Some(format!("no description of what it does: {names}"));
        }
        let entry = formats::ALL.iter().find(|entry| entry.takes(self.format));
        if entry.is_some_and(|entry| entry.has_schemas)
            && let Some(names) = named(|it| it.input_schema.is_none())
        {
            return Some(format!("no schema of its input: {names}"));
        }
        Some("none of its addresses is on the site that serves it".to_owned())
    }

    /// The quality level (FORMATS.md 12.4).
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
    /// False for what follows no specification and is read by habit only (FORMATS.md 11.10, AT-90).
    pub fn is_specified(self) -> bool {
        const HABITS: [&str; 15] = [
            "wrapped-agents",
            "agents-wrapper",
            "agents-txt",
            "agents-txt/d5",
            "agents-txt/d8",
            "agents-txt/d11",
            "agents-txt/d12",
            "agents-txt/d13",
            "agents-txt/d14",
            "x402",
            "ucp",
            "acp",
            "webmcp",
            "agent-skills-index",
            "unrecognised",
        ];
        !HABITS.contains(&self.0) && !formats::is_read_by_habit(self)
    }
}

/// Field of the model to the places where a format says it, as JSON pointers below the agent's own,
/// the preferred one first (FORMATS.md 12.1).
pub(crate) type Fields = &'static [(&'static str, &'static [&'static str])];

/// A manifest format: one unit struct per specification implements it.
///
/// `formats/detect.rs` decides which document is whose, because formats share their paths and
/// only an ordered list of tests tells them apart.
pub(crate) trait Format {
    /// The document as its specification describes it: private structs of `Field`s.
    type Manifest;

    /// The id under which its documents are kept and shown.
    const ID: FormatId;
    /// Dialects and older shapes that the same reader takes, under ids of their own.
    const ALSO: &'static [FormatId] = &[];
    /// Name for people, such as "A2A agent card".
    const TITLE: &'static str;
    /// Where its publishers put it, most likely first.
    const PLACES: &'static [&'static str];

    /// Where it says what: the evidence for each field of an agent.
    const FIELDS: Fields = &[];
    /// Its rules, in order of id.
    const RULES: &'static [Rule] = &[];
    /// True when a capability is only complete with a schema of its input (FORMATS.md 12.4).
    const HAS_SCHEMAS: bool = false;

    /// True when this format's reader takes what is recognised as `format`.
    fn takes(format: FormatId) -> bool {
        Self::ID == format || Self::ALSO.contains(&format)
    }

    /// Describes the document in the specification's own terms, keeping whatever is there.
    fn parse(input: &Input<'_>) -> Self::Manifest;

    /// Compares it with the rules of FORMATS.md.
    fn validate(manifest: &Self::Manifest, input: &Input<'_>, findings: &mut Findings);

    /// Says the same in the shared model, one agent for each that the document describes.
    ///
    /// An agent without a name gets the domain's, if it has a capability or an interface, and is
    /// left out otherwise (FORMATS.md 12.4).
    fn normalize(manifest: &Self::Manifest, input: &Input<'_>) -> Vec<Agent>;

    /// Other documents that it points at (FORMATS.md 12.5).
    fn references(manifest: &Self::Manifest, input: &Input<'_>) -> Vec<Reference> {
        let _ = (manifest, input);
        Vec::new()
    }

    /// Others that it speaks of (ARD-06).
    fn mentions(manifest: &Self::Manifest, input: &Input<'_>) -> Vec<Mention> {
        let _ = (manifest, input);
        Vec::new()
    }

    /// The generation or dialect within the format.
    fn generation(manifest: &Self::Manifest) -> Option<String> {
        let _ = manifest;
        None
    }
}

/// What a format reads: a whole document, or one item of a document that lists several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// The document, for its URL, path and domain.
    pub(crate) document: &'a Document,
    /// The id under which the content was recognised.
    pub(crate) format: FormatId,
    /// The JSON content; null for text formats.
    pub(crate) value: &'a Value,
    /// The text; empty for JSON formats.
    pub(crate) text: &'a str,
    /// JSON pointers below `value` at which secrets stood, already removed from it (DI-10).
    pub(crate) secrets: &'a [String],
}

impl Input<'_> {
    /// The JSON content as the format's own struct; an empty one when it is not even an object.
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
    /// Other ids that the same reader takes.
    pub also: &'static [FormatId],
    /// Its name for people, such as "A2A agent card".
    pub title: &'static str,
    /// Where its publishers put it, most likely first.
    pub places: &'static [&'static str],
    /// Its rules, in order of id.
    pub rules: &'static [Rule],
    /// True when a capability is only complete with a schema of its input.
    pub(crate) has_schemas: bool,
    /// Reads what was recognised as this format.
    pub(crate) read: fn(&Input<'_>) -> Reading,
}

impl Entry {
    /// The entry of format `F`.
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

    /// True when this entry reads what is recognised as `format`.
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
        evidence::locate(agent, F::FIELDS, input.value);
        leftover::remove(agent, input, &mut findings);
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
