//! Completion of a leading document with facts from others.

use super::evidence_of;
use crate::agent::{Interface, Payment};
use crate::formats::MAX_CAPABILITIES;
use crate::listing::Evidence;
use crate::{Agent, Capability, CapabilityFact, Fact, payment, text, withheld};
use std::collections::{BTreeMap, HashMap, HashSet};

#[cfg(test)]
mod tests;

/// Maximum number of interfaces of one agent.
const MAX_INTERFACES: usize = 100;

/// Beginning of identifiers of ARD.
const ARD: &str = "urn:air:";

/// Maximum number of members without a field of their own of one agent.
const MAX_MEMBERS: usize = 100;

/// The facts of one agent, with the source of each.
#[derive(Default)]
pub(super) struct Record {
    pub(super) agent: Agent,
    /// Source of each fact, by path in `agent`.
    pub(super) provenance: BTreeMap<String, Evidence>,
}

impl Record {
    /// Adds the facts of `other` that are not known yet; `source` is its index among the sources.
    ///
    /// Capabilities are merged by id, name or call, interfaces by URL, payments by what they say;
    /// every other field is taken as a whole. A published value replaces a default of a
    /// specification.
    pub(super) fn fill(&mut self, other: &Agent, source: usize) {
        self.take_key(other);
        self.add_capabilities(other, source);
        self.add_interfaces(other, source);
        self.add_payments(other, source);
        self.fill_fields(other, source);
        self.add_members(other, source);
        withheld::add(&mut self.agent.withheld, other.withheld.iter().cloned());
    }

    /// Takes the id of the agent: one by which every registry of ARD knows it, or else the first.
    fn take_key(&mut self, other: &Agent) {
        let is_known = |it: &Agent| it.key.starts_with(ARD);
        if self.agent.key.is_empty() || is_known(other) && !is_known(&self.agent) {
            self.agent.key.clone_from(&other.key);
        }
    }

    /// Takes each field that is merged as a whole.
    fn fill_fields(&mut self, other: &Agent, source: usize) {
        const ITEM_BY_ITEM: [Fact; 3] = [Fact::Capabilities, Fact::Interfaces, Fact::Payments];
        let agent = &self.agent;
        let is_missing =
            |fact: Fact| !fact.is_in(agent) || agent.is_default(fact) && !other.is_default(fact);
        let facts = Fact::ALL
            .into_iter()
            .filter(|it| it.is_in(other) && !ITEM_BY_ITEM.contains(it));
        let missing: Vec<_> = facts.filter(|it| is_missing(*it)).collect();
        for fact in missing {
            fact.copy(&mut self.agent, other);
            self.note_default(other, fact);
            let evidence = evidence_of(other, fact, source);
            self.provenance.insert(fact.into(), evidence);
        }
    }

    /// Adds the capabilities of `other`, and fills in missing members of known ones.
    fn add_capabilities(&mut self, other: &Agent, source: usize) {
        let capabilities = &mut self.agent.capabilities;
        let mut by_key: HashMap<String, usize> = HashMap::new();
        for (index, capability) in capabilities.iter().enumerate() {
            for key in keys(capability) {
                by_key.entry(key).or_insert(index);
            }
        }
        let by_call = by_call(capabilities);
        let own_calls = self::by_call(&other.capabilities);
        for capability in &other.capabilities {
            let pointer = match capability.pointer.as_str() {
                "" => other.place(Fact::Capabilities),
                pointer => pointer,
            };
            let evidence = Evidence {
                source,
                pointer: pointer.to_owned(),
            };
            // Two capabilities of the same name in one document stay separate.
            let known = keys(capability)
                .iter()
                .find_map(|key| by_key.get(key))
                .copied();
            let same_call = |call| by_call.get(&call).filter(|_| own_calls.contains_key(&call));
            let known =
                known.or_else(|| calls(capability).into_iter().find_map(same_call).copied());
            let Some(index) = known else {
                if capabilities.len() >= MAX_CAPABILITIES {
                    continue;
                }
                let path = Fact::Capabilities.item(capabilities.len());
                self.provenance.insert(path, evidence);
                capabilities.push(capability.clone());
                continue;
            };
            for fact in fill_in(&mut capabilities[index], capability) {
                let path = format!("{}/{}", Fact::Capabilities.item(index), fact.name());
                self.provenance.insert(path, evidence.clone());
            }
        }
    }

    /// Adds the interfaces of `other`, and to known ones what it says about the same address. Only
    /// the first document that has any determines the preferred ones.
    fn add_interfaces(&mut self, other: &Agent, source: usize) {
        let is_first = self.agent.interfaces.is_empty();
        if is_first {
            self.note_default(other, Fact::Interfaces);
        }
        // An A2A agent, an MCP server and an API may share an address.
        let key = |interface: &Interface| {
            let own = ["mcp", "a2a"].iter().find(|it| interface.protocol == **it);
            (own.copied(), interface.address().to_owned())
        };
        let mut known: HashSet<_> = self.agent.interfaces.iter().map(key).collect();
        for (place, interface) in other.interfaces.iter().enumerate() {
            let index = self.agent.interfaces.len();
            // One document may offer several bindings at one URL.
            let is_new = known.insert(key(interface)) || is_first;
            if !is_new {
                self.complete_interfaces(interface, other, place, source);
            } else if index < MAX_INTERFACES {
                let preferred = interface.preferred && is_first;
                self.agent.interfaces.push(Interface {
                    preferred,
                    ..interface.clone()
                });
                let path = Fact::Interfaces.item(index);
                let pointer = other.place_of_item(Fact::Interfaces, place).to_owned();
                self.provenance.insert(path, Evidence { source, pointer });
            }
        }
    }

    /// Completes the interfaces at the address of one of `other`, which is its item `place`.
    fn complete_interfaces(
        &mut self,
        interface: &Interface,
        other: &Agent,
        place: usize,
        source: usize,
    ) {
        let pointer = other.place_of_item(Fact::Interfaces, place);
        for (index, known) in self.agent.interfaces.iter_mut().enumerate() {
            if known.address() != interface.address() {
                continue;
            }
            for member in known.complete(interface) {
                let path = format!("{}/{member}", Fact::Interfaces.item(index));
                let pointer = pointer.to_owned();
                self.provenance.insert(path, Evidence { source, pointer });
            }
        }
    }

    /// Adds the ways to pay of `other` that say more than the known ones.
    fn add_payments(&mut self, other: &Agent, source: usize) {
        let evidence = evidence_of(other, Fact::Payments, source);
        let known = std::mem::take(&mut self.agent.payments);
        if known.is_empty() {
            if !other.payments.is_empty() {
                self.provenance.insert(Fact::Payments.into(), evidence);
            }
            self.agent.payments.clone_from(&other.payments);
            return;
        }
        let path = |index| Fact::Payments.item(index);
        let mut ways: Vec<(Payment, Option<Evidence>)> = Vec::new();
        for (index, way) in known.into_iter().enumerate() {
            ways.push((way, self.provenance.remove(&path(index))));
        }
        let others = other.payments.iter();
        ways.extend(others.map(|way| (way.clone(), Some(evidence.clone()))));
        let stated: Vec<Payment> = ways.iter().map(|(way, _)| way.clone()).collect();
        let distinct = payment::distinct(&stated);
        for (index, way) in distinct.iter().enumerate() {
            let is_same = |known: &Payment| {
                let detail = way.detail.clone();
                *way == Payment {
                    detail,
                    ..known.clone()
                }
            };
            let stated = ways.iter().find(|(known, _)| is_same(known));
            if let Some((_, Some(evidence))) = stated {
                self.provenance.insert(path(index), evidence.clone());
            }
        }
        self.agent.payments = distinct;
    }

    /// Adds the members without a field of their own that no document before has.
    fn add_members(&mut self, other: &Agent, source: usize) {
        let Agent {
            specified,
            extensions,
            ..
        } = &mut self.agent;
        for (fact, known, members) in [
            (Fact::Specified, specified, &other.specified),
            (Fact::Extensions, extensions, &other.extensions),
        ] {
            for (name, value) in members {
                if known.len() < MAX_MEMBERS && !known.contains_key(name) {
                    known.insert(name.clone(), value.clone());
                    let path = format!("{}/{name}", fact.name());
                    let evidence = evidence_of(other, fact, source);
                    self.provenance.insert(path, evidence);
                }
            }
        }
    }

    /// Copies the marks of defaults of a field that comes from `other`.
    fn note_default(&mut self, other: &Agent, fact: Fact) {
        let is_of_field = |mark: &String| mark.split('.').next() == Some(fact.name());
        self.agent.defaulted.retain(|mark| !is_of_field(mark));
        let marks = other.defaulted.iter().filter(|mark| is_of_field(mark));
        self.agent.defaulted.extend(marks.cloned());
    }
}

fn keys(capability: &Capability) -> [String; 2] {
    let key = |text: &str| text::fold(text).replace(['-', '_'], " ");
    [key(&capability.id), key(&capability.name)]
}

/// Returns the index of each capability by the ways to call it, without ways that several share.
fn by_call(capabilities: &[Capability]) -> HashMap<String, usize> {
    let mut found: HashMap<String, Option<usize>> = HashMap::new();
    for (index, capability) in capabilities.iter().enumerate() {
        for call in calls(capability) {
            let only = found.entry(call).or_insert(Some(index));
            *only = only.filter(|known| *known == index);
        }
    }
    let only = found.into_iter();
    only.filter_map(|(call, index)| Some((call, index?)))
        .collect()
}

/// Returns the ways in which a call may be given: method, and path or URL, without the query and
/// the names of variables.
fn calls(capability: &Capability) -> Vec<String> {
    let Some(method) = &capability.method else {
        return Vec::new();
    };
    let places = capability.url.iter().chain(&capability.endpoint);
    places
        .map(|place| {
            let place = place.split(['?', '#']).next().unwrap_or_default();
            let mut call = format!("{method} ");
            for part in place.trim_end_matches('/').split('{') {
                let text = part.split_once('}').map_or(part, |(_, text)| text);
                call.push_str(text);
                call.push('{');
            }
            call
        })
        .collect()
}

/// Adds to `capability` the facts that only `other` states; returns them.
fn fill_in(capability: &mut Capability, other: &Capability) -> Vec<CapabilityFact> {
    // A document whose capability is not deprecated may not know of its removal, or of its return.
    let is_missing = |fact: &CapabilityFact| {
        let is_filled = fact.is_in(capability) || *fact == CapabilityFact::Deprecated;
        fact.is_in(other) && !is_filled
    };
    let facts = CapabilityFact::ALL.into_iter();
    let missing: Vec<_> = facts.filter(is_missing).collect();
    for fact in &missing {
        fact.copy(capability, other);
    }
    missing
}
