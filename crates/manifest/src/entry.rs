//! Entries of the registry of formats: what each format states about itself, and its reader.

use crate::finding::Findings;
use crate::format::{Format, Input, Reading};
use crate::marker::Marker;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, FormatId, link, placeholder, provenance, reference, text};
use serde_json::Value;

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
    /// Signs by which its documents are recognised.
    pub(crate) markers: &'static [Marker],
    /// Names of files in which content that could be in several formats counts as this one.
    pub(crate) claims: &'static [&'static str],
    /// Shape of its documents, if it is always the same.
    pub(crate) shape: Option<&'static Schema>,
    /// Shape of the object of one agent whose members state the facts that they give.
    pub(crate) rows: Option<&'static Schema>,
    /// Other shapes, each with its edition, whose required members tell what a document lacks.
    pub(crate) outlines: &'static [(&'static Schema, u8)],
    /// True if a capability is only complete with an input schema.
    pub(crate) has_schemas: bool,
    /// Members with a name of the generic profile and another meaning in this format.
    pub(crate) own_meanings: &'static [&'static str],
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
            markers: F::MARKERS,
            claims: F::CLAIMS,
            shape: F::SHAPE,
            rows: F::ROWS,
            outlines: F::OUTLINES,
            has_schemas: F::HAS_SCHEMAS,
            own_meanings: F::OWN_MEANINGS,
            read: read::<F>,
        }
    }

    /// Reports whether one of the shapes of the format has a member of this name and type.
    pub(crate) fn defines(&self, name: &str, value: &Value) -> bool {
        let outlines = self.outlines.iter().map(|(schema, _)| *schema);
        let mut shapes = self.shape.into_iter().chain(outlines);
        shapes.any(|shape| shape.defines(name, value))
    }

    /// Reports whether this entry reads documents detected as `format`.
    pub fn takes(&self, format: FormatId) -> bool {
        self.id == format || self.also.contains(&format)
    }
}

fn read<F: Format>(input: &Input<'_>) -> Reading {
    let Some(spelling) = F::respelled(input.value) else {
        return read_spelled::<F>(input);
    };
    let mut reading = read_spelled::<F>(&Input {
        value: &spelling.value,
        ..*input
    });
    reading.pointers(|place| *place = spelling.pointer(place, input.value));
    reading.findings.push(spelling.finding);
    reading
}

/// Reads a document that has the names of its specification.
fn read_spelled<F: Format>(input: &Input<'_>) -> Reading {
    let manifest = F::parse(input);
    let mut findings = Findings::default();
    if F::SHAPE.is_none_or(|shape| shape.check(input.value, "", &mut findings)) {
        F::validate(&manifest, input, &mut findings);
    }
    let mut agents = F::normalize(&manifest, input);
    for agent in &mut agents {
        if let Some(rows) = F::ROWS {
            rows.locate(agent, input.value);
        }
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
