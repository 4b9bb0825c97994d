//! Filters by the path of a member of an entry.

use super::entry::{self, documents_of};
use super::request::invalid;
use crate::error::AppError;
use manifest::Domain;
use search::{AgentHit, Facet};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of bytes of all values.
const MAX_BYTES: usize = 4_000;

/// Members of an entry by which it can be found or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// Media type.
    Type,
    /// Publisher, which is part of the identifier.
    Publisher,
    /// Any other, which is a facet.
    Facet(Facet),
}

/// All members, by their paths.
const MEMBERS: [(&str, Member); 7] = [
    ("type", Member::Type),
    ("publisher", Member::Publisher),
    ("tags", Member::Facet(Facet::Tag)),
    ("capabilities", Member::Facet(Facet::Capability)),
    ("metadata.format", Member::Facet(Facet::Format)),
    ("metadata.level", Member::Facet(Facet::Level)),
    ("metadata.status", Member::Facet(Facet::Status)),
];

/// Conditions that an entry must meet, all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Filter {
    /// Values of which each facet must have one.
    pub(super) facets: BTreeMap<Facet, Vec<String>>,
    /// Publishers of which the entry must have one; `None` for any.
    pub(super) publishers: Option<BTreeSet<Domain>>,
    /// True if no entry can meet the conditions.
    pub(super) is_void: bool,
}

impl Member {
    /// Returns the member at a path.
    pub(super) fn at(path: &str) -> Result<Self, AppError> {
        let found = MEMBERS.iter().find(|(known, _)| *known == path);
        found.map(|(_, member)| *member).ok_or_else(|| {
            let known = MEMBERS.map(|(path, _)| path).join(", ");
            let path = manifest::text::clean(path, 100);
            invalid(format!(
                "the path `{path}` is not supported; supported are {known}"
            ))
        })
    }

    /// Returns the facet that has its values, or values that lead to them.
    pub(super) fn facet(self) -> Facet {
        match self {
            Self::Type => Facet::Document,
            Self::Publisher => Facet::Site,
            Self::Facet(facet) => facet,
        }
    }
}

impl Filter {
    /// Parses the member `filter` of a query.
    pub(super) fn parse(given: &Map<String, Value>) -> Result<Self, AppError> {
        let mut filter = Self::default();
        let mut bytes = 0;
        for (path, value) in given {
            let member = Member::at(path)?;
            let values = texts(path, value)?;
            bytes += values.iter().map(|it| it.len()).sum::<usize>();
            if bytes > MAX_BYTES {
                return Err(invalid(format!(
                    "the values of `query.filter` may have at most {MAX_BYTES} bytes together"
                )));
            }
            filter.add(member, &values);
        }
        Ok(filter)
    }

    /// Adds the condition that a member has one of these values.
    pub(super) fn add(&mut self, member: Member, values: &[&str]) {
        let found: BTreeSet<String> = match member {
            Member::Type => {
                let documents = values.iter().flat_map(|it| documents_of(it));
                documents.map(str::to_owned).collect()
            }
            Member::Publisher => {
                let domains = values.iter().filter_map(|it| Domain::parse(it).ok());
                let domains: BTreeSet<Domain> = domains.collect();
                let names = domains.iter().map(|it| it.as_str().to_owned()).collect();
                self.publishers = Some(domains);
                names
            }
            Member::Facet(facet) => values.iter().map(|it| facet.canonical(it)).collect(),
        };
        let both = match self.facets.remove(&member.facet()) {
            // A list may have several conditions on a member.
            Some(known) => known.into_iter().filter(|it| found.contains(it)).collect(),
            None => found.into_iter().collect::<Vec<_>>(),
        };
        self.is_void |= both.is_empty();
        self.facets.insert(member.facet(), both);
    }

    /// Returns the formats of the documents that an entry may deliver; `None` for any.
    pub(super) fn documents(&self) -> Option<&Vec<String>> {
        self.facets.get(&Facet::Document)
    }

    /// Reports whether the index decides all conditions alone. It finds a site by its registrable
    /// domain as well, which need not be the publisher.
    pub(super) fn is_exact(&self) -> bool {
        self.publishers.is_none()
    }

    /// Reports whether an agent meets the conditions that the index does not decide.
    pub(super) fn accepts(&self, found: &AgentHit) -> bool {
        self.publishers.as_ref().is_none_or(|publishers| {
            let publisher = entry::publisher_of(&found.agent);
            publisher.is_some_and(|it| publishers.contains(&it))
        })
    }
}

/// Returns the values at a path: a list of texts, or one text.
fn texts<'v>(path: &str, value: &'v Value) -> Result<Vec<&'v str>, AppError> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    texts.filter(|it| !it.is_empty()).ok_or_else(|| {
        let path = manifest::text::clean(path, 100);
        invalid(format!(
            "`query.filter.{path}` must be a string or a list of strings, with at least one"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(filter: &Value) -> Result<Filter, String> {
        let parsed = Filter::parse(filter.as_object().unwrap());
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn values_of_a_path_are_alternatives() {
        let filter = parse(&json!({"tags": ["B", "a"], "metadata.level": "a"})).unwrap();
        assert_eq!(filter.facets[&Facet::Tag], ["a", "b"]);
        assert_eq!(filter.facets[&Facet::Level], ["A"]);
        assert!(filter.is_exact() && !filter.is_void);
    }

    #[test]
    fn conditions_on_one_member_are_conjunctive() {
        let a2a = "application/a2a-agent-card+json";
        let filter = parse(&json!({"type": a2a, "metadata.format": "json-agents"})).unwrap();
        assert_eq!(
            filter.documents().unwrap(),
            &["a2a-agent", "a2a-agent-card"]
        );
        assert_eq!(filter.facets[&Facet::Format], ["json-agents"]);
        let mut filter = Filter::default();
        filter.add(Member::Type, &[a2a]);
        filter.add(Member::Type, &["application/agents+json"]);
        assert!(filter.is_void);
        assert!(
            parse(&json!({"type": "application/parquet"}))
                .unwrap()
                .is_void
        );
    }

    #[test]
    fn what_cannot_be_filtered_by_is_named() {
        for (filter, word) in [
            (
                json!({"trustManifest.attestations.type": "SOC2"}),
                "trustManifest",
            ),
            (json!({"tags": []}), "query.filter.tags"),
            (json!({"tags": [1]}), "query.filter.tags"),
            (json!({"tags": {"a": "b"}}), "query.filter.tags"),
            (json!({"tags": "x".repeat(5_000)}), "4000 bytes"),
        ] {
            let error = parse(&filter).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
