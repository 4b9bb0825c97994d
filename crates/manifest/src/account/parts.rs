//! The parts of a document in which its agents and capabilities stand.

use super::facts;
use super::leaf::{Leaf, Scalar};
use crate::shape::{Row, Schema};
use crate::{Agent, Capability, CapabilityFact, Fact};
use std::collections::HashMap;

/// Index of an agent, and of a capability of it.
pub(super) type Owner = (usize, Option<usize>);

/// Rows of the format of a document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows {
    /// Shape of the whole document.
    pub(crate) document: Option<&'static Schema>,
    /// Shape of the object of each agent.
    pub(crate) agent: Option<&'static Schema>,
}

/// The agents and capabilities of a reading by their places, with the rows of their format.
#[derive(Default)]
pub(super) struct Parts<'r> {
    agents: &'r [Agent],
    owners: HashMap<&'r str, Owner>,
    /// Facts of agents by their places: the index of the agent, and the field or its item.
    fields: HashMap<&'r str, (usize, &'r str)>,
    format: Rows,
}

impl<'r> Parts<'r> {
    /// Collects the places of some agents and of their capabilities; one that stands first keeps its place.
    pub(super) fn of(agents: &'r [Agent], format: Rows) -> Self {
        let (mut owners, mut fields) = (HashMap::new(), HashMap::new());
        for (index, agent) in agents.iter().enumerate() {
            owners
                .entry(agent.pointer.as_str())
                .or_insert((index, None));
            for (at, capability) in agent.capabilities.iter().enumerate() {
                if !capability.pointer.is_empty() {
                    let place = capability.pointer.as_str();
                    owners.entry(place).or_insert((index, Some(at)));
                }
            }
            for (field, place) in &agent.pointers {
                fields
                    .entry(place.as_str())
                    .or_insert((index, field.as_str()));
            }
        }
        Self {
            agents,
            owners,
            fields,
            format,
        }
    }

    /// Returns the row of the whole document.
    pub(super) fn row_of_document(&self) -> Row {
        self.format.document.map_or(Row::NONE, Schema::row)
    }

    /// Returns the agent or capability whose part is the object at a place, and of an agent the row.
    pub(super) fn part(&self, place: &str) -> Option<(Option<Row>, Owner)> {
        let owner = *self.owners.get(place)?;
        let of_agent = self.format.agent.filter(|_| owner.1.is_none());
        Some((of_agent.map(Schema::row), owner))
    }

    /// Returns the paths of the facts, of those that the reading has, that a value gives as its row says.
    pub(super) fn stated(&self, leaf: &Leaf<'_, '_>) -> Vec<String> {
        let (index, at) = leaf.owner.unwrap_or_default();
        let of_agent = self.of_agent(leaf);
        let of_agent = of_agent.map(|fact| format!("agents/{index}/{}", fact.name()));
        let at = at.unwrap_or_default();
        let of_capability = self.of_capability(leaf).map(|fact| {
            let fact = fact.name();
            format!("agents/{index}/capabilities/{at}/{fact}")
        });
        let of_format = leaf.gives.is_of_format.then(|| "format".to_owned());
        of_agent.chain(of_capability).chain(of_format).collect()
    }

    /// Reports whether a value gives a fact as its row says.
    pub(super) fn is_stated(&self, leaf: &Leaf<'_, '_>) -> bool {
        leaf.gives.is_of_format
            || self.of_capability(leaf).next().is_some()
            || self.of_agent(leaf).next().is_some()
    }

    /// Returns the paths of the facts that stand at the very place of a value.
    pub(super) fn facts_at(&self, leaf: &Leaf<'_, '_>) -> Vec<String> {
        let capability = self.capability_at(leaf);
        let capability = capability.map(|(index, at)| format!("agents/{index}/capabilities/{at}"));
        let field = self.field_at(leaf);
        let field = field.map(|(index, field)| format!("agents/{index}/{field}"));
        capability.into_iter().chain(field).collect()
    }

    /// Reports whether a fact stands at the very place of a value: the reader found it there, or it is a copy
    /// of the member of a capability with its name.
    pub(super) fn is_at_fact(&self, leaf: &Leaf<'_, '_>) -> bool {
        self.is_copied(leaf) || self.capability_at(leaf).is_some() || self.field_at(leaf).is_some()
    }

    /// Returns the capability that is a text or a line of the document.
    fn capability_at(&self, leaf: &Leaf<'_, '_>) -> Option<(usize, usize)> {
        let (index, at) = self.owners.get(leaf.place)?;
        let at = (*at)?;
        let capability = self.agents.get(*index)?.capabilities.get(at)?;
        // An address that others cannot reach was taken out of the capability.
        let is_withheld = matches!(leaf.value, Scalar::Text(text) if text.contains("://"))
            && capability.url.is_none()
            && capability.protocol.is_none();
        (!is_withheld).then_some((*index, at))
    }

    /// Returns the fact of an agent that stands at the place of a value.
    fn field_at(&self, leaf: &Leaf<'_, '_>) -> Option<(usize, &'r str)> {
        let (index, path) = *self.fields.get(leaf.place)?;
        let agent = self.agents.get(index)?;
        let field = path.split('/').next()?;
        // No reader takes a number for an address.
        let is_address = facts::is_address(field) || field == Fact::Interfaces.name();
        if is_address && matches!(leaf.value, Scalar::Other(_)) {
            return None;
        }
        let mut facts = Fact::ALL.iter().filter(|it| it.name() == field);
        facts.any(|fact| fact.is_in(agent)).then_some((index, path))
    }

    /// Lists the facts of its agent that a value gives. A capability tells itself by which values it is made,
    /// and of several addresses one may have been refused.
    fn of_agent<'l>(&'l self, leaf: &Leaf<'_, 'l>) -> impl Iterator<Item = Fact> + use<'l> {
        let (index, _) = leaf.owner.unwrap_or_default();
        let agent = self.agents.get(index);
        let facts = leaf.gives.agent.iter().copied();
        let address = match leaf.value {
            Scalar::Text(text) => Some(text).filter(|it| it.contains("://")),
            Scalar::Other(_) => None,
        };
        facts.filter(move |fact| {
            let has = |agent: &Agent| match (*fact, address) {
                (Fact::Interfaces, Some(own)) => agent.interfaces.iter().any(|it| it.url == own),
                _ => fact.is_in(agent),
            };
            *fact != Fact::Capabilities && agent.is_some_and(has)
        })
    }

    /// Lists the facts of its capability that a value gives.
    fn of_capability(&self, leaf: &Leaf<'_, '_>) -> impl Iterator<Item = CapabilityFact> + use<'_> {
        let capability = self.capability(leaf);
        let facts = leaf.gives.capability.iter().copied();
        facts.filter(move |fact| capability.is_some_and(|it| fact.is_in(it)))
    }

    /// Reports whether the capability around a value has it as the fact with the name of its member.
    fn is_copied(&self, leaf: &Leaf<'_, '_>) -> bool {
        let (Some(capability), Scalar::Text(text)) = (self.capability(leaf), leaf.value) else {
            return false;
        };
        let own = leaf.place.strip_prefix(capability.pointer.as_str());
        let is = |known: &Option<String>| known.as_deref() == Some(text);
        match own.and_then(|it| it.strip_prefix('/')) {
            Some("name") => capability.name == text || capability.id == text,
            Some("id") => capability.id == text,
            Some("description") => is(&capability.description),
            Some("endpoint" | "url" | "path") => is(&capability.endpoint) || is(&capability.url),
            Some("method") => is(&capability.method),
            _ => false,
        }
    }

    fn capability(&self, leaf: &Leaf<'_, '_>) -> Option<&'r Capability> {
        let (index, at) = leaf.owner?;
        self.agents.get(index)?.capabilities.get(at?)
    }
}
