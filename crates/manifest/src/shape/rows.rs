//! Members as rows: beside its type, requirement and rule, a member states the facts that it gives.

use super::{Member, Schema, Shape, Test};
use crate::{Agent, CapabilityFact, Document, Fact, link, text};
use serde_json::Value;

/// Facts that a member gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gives {
    /// Facts of the agent.
    pub(crate) agent: &'static [Fact],
    /// Facts of the capability in whose part of the document the member stands.
    pub(crate) capability: &'static [CapabilityFact],
    /// True if the member tells the format or its edition.
    pub(crate) is_of_format: bool,
    /// True if it gives no fact, and is kept as published.
    pub(crate) is_kept: bool,
}

impl Gives {
    pub(crate) const NOTHING: Self = Self {
        agent: &[],
        capability: &[],
        is_of_format: false,
        is_kept: false,
    };

    fn is_nothing(&self) -> bool {
        self.agent.is_empty() && self.capability.is_empty() && !self.is_of_format && !self.is_kept
    }
}

/// The row of one value of a document, on the way from the whole document inwards.
///
/// A member without facts of its own gives those of the member around it, except those that make the
/// capabilities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Shape that the value must have; none if no row describes it.
    shape: Option<Shape>,
    /// Further requirements on it.
    tests: &'static [Test],
    gives: Gives,
}

impl Row {
    /// The row of a value that no row describes.
    pub(crate) const NONE: Self = Self {
        shape: None,
        tests: &[],
        gives: Gives::NOTHING,
    };

    /// Returns the row of a member of the object that has this row.
    pub(crate) fn member(self, name: &str, value: &Value) -> Self {
        match self.shape {
            Some(Shape::Open(members) | Shape::Closed(members)) if !members.is_empty() => {
                let mut named = members.iter().filter(|it| it.name == name);
                let makes_capabilities = self.gives.agent.contains(&Fact::Capabilities);
                let outer = if makes_capabilities {
                    Gives::NOTHING
                } else {
                    self.gives
                };
                let found = named.find(|it| it.shape.takes(value));
                found.map_or(Self::NONE, |found| found.row(outer))
            }
            Some(Shape::Table(item)) => item.row(self.gives),
            _ => self.copied(),
        }
    }

    /// Returns the row of the items of the list that has this row.
    pub(crate) fn item(self) -> Self {
        match self.shape {
            Some(Shape::List(item) | Shape::Set(item)) => item.row(self.gives),
            _ => self.copied(),
        }
    }

    /// Returns the row of what is in a value, or in an object, that may have anything in it: it is copied
    /// as a whole.
    fn copied(self) -> Self {
        let is_open = matches!(self.shape, Some(Shape::Any | Shape::Open([])));
        if is_open && !self.gives.is_nothing() {
            Self {
                shape: Some(Shape::Any),
                tests: &[],
                ..self
            }
        } else {
            Self::NONE
        }
    }

    /// Returns the facts that a text, number or truth value of this row gives; none if it has another type
    /// or form, for then the row does not say whether it is read.
    pub(crate) fn gives(self, value: &Value) -> Gives {
        match self.shape {
            Some(shape) if shape.takes(value) && self.tests.iter().all(|it| (it.holds)(value)) => {
                self.gives
            }
            _ => Gives::NOTHING,
        }
    }
}

impl Member {
    fn row(&self, outer: Gives) -> Row {
        let own = if self.gives.is_nothing() {
            outer
        } else {
            self.gives
        };
        Row {
            shape: Some(self.shape),
            tests: self.tests,
            gives: own,
        }
    }
}

impl Schema {
    /// Returns the row of an object of this shape.
    pub(crate) const fn row(&self) -> Row {
        Row {
            shape: Some(self.shape),
            tests: &[],
            gives: Gives::NOTHING,
        }
    }

    /// Returns an agent with the facts that stand in one text of the document: names and texts as they
    /// are, addresses resolved against that of the document.
    pub(crate) fn read(&self, value: &Value, document: &Document) -> Agent {
        let mut agent = Agent::default();
        each(self.shape, value, "", &mut |member, value, _| {
            let Some(raw) = value.as_str() else { return };
            for fact in member.gives.agent {
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
            places.extend(
                member
                    .gives
                    .agent
                    .iter()
                    .map(|fact| (*fact, pointer.to_owned())),
            );
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
