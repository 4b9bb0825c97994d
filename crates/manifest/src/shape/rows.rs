//! Members as rows: beside its type, requirement and rule, a member states the facts that it gives.

use super::{Member, Schema, Shape};
use crate::{Agent, Document, Fact, link, text};
use serde_json::Value;

impl Schema {
    /// Returns an agent with the facts that stand in one text of the document: names and texts as they
    /// are, addresses resolved against that of the document.
    pub(crate) fn read(&self, value: &Value, document: &Document) -> Agent {
        let mut agent = Agent::default();
        each(self.shape, value, "", &mut |member, value, _| {
            let Some(raw) = value.as_str() else { return };
            for fact in member.facts {
                set(&mut agent, *fact, raw, document);
            }
        });
        agent
    }

    /// Records the positions of the facts of `agent`, which is the document at its own pointer.
    pub(crate) fn locate(&self, agent: &mut Agent, value: &Value) {
        let Some(own) = value.pointer(&agent.pointer) else {
            return;
        };
        let outer = agent.pointer.clone();
        let mut places = Vec::new();
        each(self.shape, own, &outer, &mut |member, _, pointer| {
            places.extend(member.facts.iter().map(|fact| (*fact, pointer.to_owned())));
        });
        for (fact, pointer) in places {
            if fact.is_in(agent) && !agent.pointers.contains_key(fact.name()) {
                agent.set_place(fact, pointer);
            }
        }
    }
}

/// Passes each member of the objects of a shape that a document has to `found`, with its value and its
/// pointer.
fn each(
    shape: Shape,
    value: &Value,
    at: &str,
    found: &mut impl FnMut(&'static Member, &Value, &str),
) {
    let (Shape::Open(members) | Shape::Closed(members)) = shape else {
        return;
    };
    for member in members {
        if let Some(value) = value.get(member.name).filter(|it| !it.is_null()) {
            let pointer = format!("{at}/{}", member.name);
            found(member, value, &pointer);
            each(member.shape, value, &pointer, found);
        }
    }
}

/// Sets a fact that is a text or an address, unless it is set already or has a reader of its own.
fn set(agent: &mut Agent, fact: Fact, raw: &str, document: &Document) {
    let text = || text::some(raw);
    let address = || link::absolute(&document.url, raw);
    let (field, value) = match fact {
        Fact::Name => {
            if agent.name.is_empty() {
                agent.name = text().unwrap_or_default();
            }
            return;
        }
        Fact::Description => (&mut agent.description, text()),
        Fact::Version => (&mut agent.version, text()),
        Fact::Contact => (&mut agent.contact, text()),
        Fact::Url => (&mut agent.url, address()),
        Fact::Docs => (&mut agent.docs, address()),
        Fact::Logo => (&mut agent.logo, address()),
        Fact::Homepage => (&mut agent.homepage, address()),
        _ => return,
    };
    if field.is_none() {
        *field = value;
    }
}
