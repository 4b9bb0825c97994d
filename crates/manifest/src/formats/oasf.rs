//! Records of the Open Agentic Schema Framework (OASF 1.1).
//!
//! Records are made for a registry and rarely found on sites. Their skills come from a common
//! taxonomy.
//!
//! <https://github.com/agntcy/oasf>

use crate::Severity::Error;
use crate::agent::Provider;
use crate::field::{Field, List};
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::rule::{Example, Rule};
use crate::shape::Shape::{Any, Name, Open, Text};
use crate::shape::{Member, Schema, Shape, item, member, required};
use crate::{Agent, Capability, CapabilityFact, Fact, FormatId, text};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Reader of records.
pub(super) struct Oasf;

/// Record.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    name: Field<String>,
    version: Field<String>,
    schema_version: Field<String>,
    description: Field<String>,
    created_at: Field<String>,
    authors: List<String>,
    skills: List<Class>,
    domains: List<Class>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Class of the taxonomy.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Class {
    name: Field<String>,
    id: Field<Value>,
}

pub(crate) static OA_01: Rule = Rule {
    id: "OA-01",
    format: "OASF record",
    severity: Error,
    title: "Every required attribute is given",
    explanation: "name, version, schema_version, description, created_at, authors and skills; a registry refuses a record without one of them.",
    section: "OASF 1.1, objects/record",
    good: &[record(
        r#"{"name": "Mugs", "version": "v1.0.0", "schema_version": "1.1.0",
                "description": "Finds mugs.", "created_at": "2026-10-01T00:00:00Z",
                "authors": ["Mug shop"], "skills": [{"id": 10702, "name": "retrieval/search"}]}"#,
    )],
    bad: &[record(
        r#"{"name": "Mugs", "schema_version": "1.1.0", "authors": ["Mug shop"], "skills": []}"#,
    )],
};

static RECORD: Schema = Schema::open(
    &OA_01,
    &[
        required("name", Name("the agent's name")).facts(&[Fact::Name]),
        required("version", Name("the record's version")).facts(&[Fact::Version]),
        required("schema_version", Name("the version of OASF, such as 1.1.0")).of_format(),
        required("description", Name("what the agent does")).facts(&[Fact::Description]),
        required("created_at", Name("when the record was made (RFC 3339)")),
        required("authors", Shape::List(&item(Text))).what("the authors as a list of strings"),
        required("skills", Shape::List(&SKILL)).what("the skills as a list of objects"),
    ],
);

static SKILL: Member = item(Open(&[
    member("id", Any).of_capability(&[CapabilityFact::Id]),
    member("name", Any).of_capability(&[CapabilityFact::Name]),
]))
.what("a skill as an object");

impl Format for Oasf {
    type Manifest = Record;

    const ID: FormatId = FormatId::specified("oasf");
    const TITLE: &'static str = "OASF record";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        marker::array(o, "authors").is_some()
            && o.contains_key("schema_version")
            && marker::array(o, "skills").is_some()
    })];
    const PLACES: &'static [&'static str] = &[];
    const SHAPE: Option<&'static Schema> = Some(&RECORD);
    const FIELDS: Fields = &[
        (Fact::Name, &["/name"]),
        (Fact::Description, &["/description"]),
        (Fact::Version, &["/version"]),
        (Fact::Provider, &["/authors"]),
        (Fact::Tags, &["/domains"]),
        (Fact::Capabilities, &["/skills"]),
    ];
    const RULES: &'static [&'static Rule] = &[&OA_01];

    fn parse(input: &Input<'_>) -> Record {
        input.manifest()
    }

    fn normalize(record: &Record, _: &Input<'_>) -> Vec<Agent> {
        let author = record.authors.texts().into_iter().next();
        let domains = record.domains.items();
        let skills = record.skills.items();
        vec![Agent {
            name: record.name.text().unwrap_or_default(),
            description: record.description.text(),
            version: record.version.text(),
            provider: author.map(|name| Provider { name, url: None }),
            tags: text::distinct(domains.filter_map(|(_, domain)| domain.name.text())),
            capabilities: skills
                .filter_map(|(index, skill)| skill.capability(index))
                .collect(),
            extensions: record.unknown.clone(),
            ..Agent::default()
        }]
    }

    fn generation(record: &Record) -> Option<String> {
        record.schema_version.text()
    }
}

impl Class {
    /// Returns a skill as a capability; ids in the taxonomy are numbers.
    fn capability(&self, index: usize) -> Option<Capability> {
        let id = match self.id.get() {
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::String(id)) => text::some(id),
            Some(_) | None => None,
        };
        let name = self.name.text().or_else(|| id.clone())?;
        Some(Capability {
            id: id.unwrap_or_else(|| name.clone()),
            name,
            pointer: format!("/skills/{index}"),
            ..Capability::default()
        })
    }
}

const fn record(body: &'static str) -> Example {
    Example::at("/agent.json", body)
}
