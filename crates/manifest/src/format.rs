//! Formats, and the result of reading a document.

use crate::field::Field;
use crate::finding::Findings;
use crate::format_id::FormatId;
use crate::marker::Marker;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::shape::nearest::Nearest;
use crate::{Agent, Document, Fact, Finding, Reference, Severity};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Level of a document: manifest A to D (`docs/levels.md`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
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

crate::words!(Level {
    A = "A",
    B = "B",
    C = "C",
    D = "D",
});

/// Another site's agent or service that a document mentions; shown as a mention, never merged into
/// a record and never attributed to that site (ARD-06).
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
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

    /// Puts `pointer` before every pointer of the reading.
    fn below(&mut self, pointer: &str) {
        self.pointers(|place| place.insert_str(0, pointer));
    }

    /// Changes every pointer of the reading.
    pub(crate) fn pointers(&mut self, change: impl Fn(&mut String)) {
        let of_findings = self.findings.iter_mut().flat_map(Finding::pointers_mut);
        let of_references = self.references.iter_mut().map(|it| &mut it.pointer);
        let of_mentions = self.mentions.iter_mut().map(|it| &mut it.pointer);
        let of_agents = self.agents.iter_mut().flat_map(|agent| {
            let of_capabilities = agent.capabilities.iter_mut().map(|it| &mut it.pointer);
            let of_facts = agent.pointers.values_mut();
            of_capabilities.chain(of_facts).chain([&mut agent.pointer])
        });
        of_findings
            .chain(of_references)
            .chain(of_mentions)
            .chain(of_agents)
            .for_each(change);
    }

    /// Reports whether this is the card of an MCP server without its address, which is what a card is
    /// for.
    fn is_card_without_address(&self) -> bool {
        let is_card = self.format.as_str() == "mcp-server-card";
        is_card && self.agents.iter().all(|agent| !agent.is_reachable())
    }

    /// Returns the level: manifest A to D.
    pub fn level(&self) -> Level {
        let has_warnings = self
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Warning);
        match (self.is_indexable(), self.is_valid(), has_warnings) {
            (false, _, _) => Level::D,
            (true, false, _) => Level::C,
            (true, true, _) if !self.format.is_specified() || self.is_card_without_address() => {
                Level::C
            }
            (true, true, false) if self.is_complete => Level::A,
            (true, true, _) => Level::B,
        }
    }
}

/// For each field of the model, its positions in a format as JSON pointers below the agent's own,
/// the preferred one first.
pub(crate) type Fields = &'static [(Fact, &'static [&'static str])];

/// A manifest format: one unit struct per specification implements it.
///
/// Formats share their paths, so `formats/detect.rs` decides which one a document has: it tests the
/// markers of all formats in the order of their strength.
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

    /// Markers by which its documents are recognised.
    const MARKERS: &'static [Marker] = &[];
    /// Names of files in which content that could be in several formats counts as this one.
    const CLAIMS: &'static [&'static str] = &[];
    /// Shape of its documents; `None` if it depends on more than the format, and `validate` chooses.
    const SHAPE: Option<&'static Schema> = None;
    /// Shapes without [`Self::SHAPE`], each with its edition, whose required members tell what a
    /// document lacks to be of this format (GP-02, DI-30).
    const OUTLINES: &'static [(&'static Schema, u8)] = &[];
    /// Shape of the object of one agent whose members state the facts that they give.
    const ROWS: Option<&'static Schema> = None;
    /// Positions of the model's fields in a document of this format, where [`Self::ROWS`] does not
    /// state them.
    const FIELDS: Fields = &[];
    /// Its rules, in order of id.
    const RULES: &'static [&'static Rule] = &[];
    /// True if a capability is only complete with an input schema.
    const HAS_SCHEMAS: bool = false;
    /// Members with a name of the generic profile and another meaning in this format: `version`, or
    /// a list of capabilities as an object.
    const OWN_MEANINGS: &'static [&'static str] = &[];

    /// Reports whether this format's reader accepts documents detected as `format`.
    fn takes(format: FormatId) -> bool {
        Self::ID == format || Self::ALSO.contains(&format)
    }

    /// Returns the document as the specification spells it, if its members have other names that
    /// stand for the same.
    fn respelled(value: &Value) -> Option<Spelling> {
        let _ = value;
        None
    }

    /// Parses the document into the specification's structure, keeping values of the wrong type.
    fn parse(input: &Input<'_>) -> Self::Manifest;

    /// Checks the document against the rules of the format beyond [`Self::SHAPE`], which it has at
    /// least the type of.
    fn validate(manifest: &Self::Manifest, input: &Input<'_>, findings: &mut Findings) {
        let _ = (manifest, input, findings);
    }

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

/// A document in the spelling of its specification.
#[derive(Clone, Debug)]
pub(crate) struct Spelling {
    /// The document with the names of the specification.
    pub(crate) value: Value,
    /// The finding on its own names.
    pub(crate) finding: Finding,
    /// Returns the name that the document may have instead of one of the specification.
    pub(crate) original: fn(&str) -> Option<&'static str>,
}

impl Spelling {
    /// Returns the pointer in `document` to what is at `pointer` in the respelled one.
    pub(crate) fn pointer(&self, pointer: &str, document: &Value) -> String {
        let mut found = String::new();
        let mut around = Some(document);
        for step in pointer.split('/').skip(1) {
            let has =
                |name: &str| around.is_some_and(|it| it.pointer(&format!("/{name}")).is_some());
            let own = (self.original)(step).filter(|own| has(own) && !has(step));
            let step = own.unwrap_or(step);
            around = around.and_then(|it| it.pointer(&format!("/{step}")));
            found.push('/');
            found.push_str(step);
        }
        found
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
    /// Reader of items of a document that lists several.
    pub(crate) items: ItemReader,
}

/// Detection and reading of an item, as of a whole document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemReader {
    /// Detects the format of an item by its content alone.
    pub(crate) detect: fn(&Value) -> FormatId,
    /// Reads content in the detected format.
    pub(crate) read: fn(&Input<'_>) -> Reading,
    /// Returns the specified format to which an object at a path comes close, if what it lacks makes it a
    /// document of that format (GP-02).
    pub(crate) nearest: fn(&Map<String, Value>, &str) -> Option<Nearest>,
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

    /// Detects and reads one item, at `pointer`, of a document that lists several.
    ///
    /// An item that lists several in turn is not read, so that the work stays linear.
    pub(crate) fn item(&self, item: &Value, pointer: &str) -> Reading {
        self.item_as((self.items.detect)(item), item, pointer)
    }

    /// Reads one item as `format`, and puts `pointer` before every pointer of the reading.
    pub(crate) fn item_as(&self, format: FormatId, item: &Value, pointer: &str) -> Reading {
        let below = |secret: &String| {
            let rest = secret.strip_prefix(pointer)?;
            rest.starts_with('/').then(|| rest.to_owned())
        };
        let secrets: Vec<String> = self.secrets.iter().filter_map(below).collect();
        let mut reading = (self.items.read)(&Input {
            format,
            value: item,
            secrets: &secrets,
            ..*self
        });
        reading.below(pointer);
        reading
    }
}
