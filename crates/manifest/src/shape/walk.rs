//! The walk over a document that compares it with its schema.

use super::{Edition, Member, Schema, Shape, Unknown, correction, item};
use crate::Finding;
use crate::finding::Findings;
use crate::rule::{GradedRule, Rule};
use crate::{json, text};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt::{self, Display};

/// Most names of members that one message lists.
const MAX_NAMES: usize = 20;

/// Maximum number of members of an object that is searched without hashing.
const SMALL: usize = 16;

/// Position in a document; its pointer is formatted only when a finding is made.
enum At<'a> {
    Root(&'a str),
    Member(&'a Self, &'a str),
    /// A member under a name of the publisher's choice.
    Named(&'a Self, &'a str),
    Item(&'a Self, usize),
}

impl Display for At<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(pointer) => formatter.write_str(pointer),
            Self::Member(above, name) => write!(formatter, "{above}/{name}"),
            Self::Named(above, name) => write!(formatter, "{above}/{}", json::escape(name)),
            Self::Item(above, index) => write!(formatter, "{above}/{index}"),
        }
    }
}

impl At<'_> {
    /// Returns the name of the member, which is empty for an item and for the document.
    fn name(&self) -> &str {
        match self {
            Self::Root(_) | Self::Item(..) => "",
            Self::Member(_, name) | Self::Named(_, name) => name,
        }
    }

    /// Returns the value as the subject of a message. Names of the publisher's choice are not part
    /// of it, so that all values with the same problem have the same message.
    fn subject(&self) -> String {
        match self {
            Self::Member(_, name) => format!("`{name}`"),
            Self::Root(_) | Self::Named(..) | Self::Item(..) => "this value".to_owned(),
        }
    }

    /// Returns the place as a pattern for people, such as `capabilities[].params.*.`.
    fn pattern(&self) -> String {
        match self {
            Self::Root(_) => String::new(),
            Self::Member(above, name) => format!("{}{name}.", above.pattern()),
            Self::Named(above, _) => format!("{}*.", above.pattern()),
            Self::Item(above, _) => {
                let above = above.pattern();
                format!("{}[].", above.strip_suffix('.').unwrap_or(&above))
            }
        }
    }
}

/// Check of one document against its schema.
pub(super) struct Walk<'f> {
    schema: &'f Schema,
    edition: Edition,
    /// Unknown members of the document so far, as patterns.
    names: Vec<String>,
    findings: &'f mut Findings,
}

impl<'f> Walk<'f> {
    pub(super) fn new(schema: &'f Schema, edition: Edition, findings: &'f mut Findings) -> Self {
        let names = Vec::new();
        Self {
            schema,
            edition,
            names,
            findings,
        }
    }

    /// Checks an object at the JSON pointer `at`.
    pub(super) fn document(mut self, value: &Value, at: &str) {
        let at = At::Root(at);
        self.value(&item(self.schema.shape), value, &at, self.schema.rule);
        if let Unknown::Once(rule, message) = self.schema.unknown
            && !self.names.is_empty()
        {
            let names = std::mem::take(&mut self.names);
            self.unknown(rule, message, &names, &at);
        }
    }

    fn value(&mut self, member: &Member, value: &Value, at: &At<'_>, above: &'static Rule) {
        let rule = member.rule.unwrap_or(above);
        if !member.shape.takes(value) {
            if !(member.is_nullable && value.is_null()) {
                self.reject(member, value, at, rule);
            }
            return;
        }
        if let (Shape::Prose(what), Value::String(text)) = (member.shape, value)
            && text.trim().is_empty()
        {
            let message = format!("{} is empty; give {what}", at.subject());
            self.findings.add(rule.warning(), at, message);
        }
        for test in member.tests.iter().filter(|test| !(test.holds)(value)) {
            let graded = test
                .rule
                .unwrap_or(rule)
                .at_most(test.worst.min(member.worst));
            self.findings.add(graded, at, test.message);
        }
        match (member.shape, value) {
            (Shape::List(item) | Shape::Set(item), Value::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    self.value(item, value, &At::Item(at, index), rule);
                }
                if matches!(member.shape, Shape::Set(_)) {
                    self.repeated(items, at, rule.at_most(member.worst));
                }
            }
            (Shape::Table(item), Value::Object(object)) => {
                for (name, value) in object {
                    self.value(item, value, &At::Named(at, name), rule);
                }
            }
            (Shape::Open(members) | Shape::Closed(members), Value::Object(object)) => {
                if matches!(member.shape, Shape::Closed(_)) {
                    self.others(members, object, at);
                }
                let number = self.edition.number;
                let is_defined = |it: &&Member| (it.editions.0..it.editions.1).contains(&number);
                for member in members.iter().filter(is_defined) {
                    self.member(member, object, at, rule);
                }
            }
            _ => {}
        }
    }

    fn member(
        &mut self,
        member: &Member,
        object: &Map<String, Value>,
        at: &At<'_>,
        above: &'static Rule,
    ) {
        let at = At::Member(at, member.name);
        match (get(object, member.name), member.absence) {
            (Some(value), _) => self.value(member, value, &at, above),
            (None, Some(absence)) => {
                let worst = absence.min(member.worst);
                let message = format!("`{}` is missing; give {}", member.name, member.words());
                let rule = member.rule.unwrap_or(above).at_most(worst);
                let mut finding = Finding::new(rule, at.to_string(), message);
                finding.correction = correction::missing(member);
                self.findings.push(finding);
            }
            (None, None) => {}
        }
    }

    /// Reports a value of another shape.
    fn reject(&mut self, member: &Member, value: &Value, at: &At<'_>, rule: &'static Rule) {
        let what = member.words();
        let it = at.subject();
        let mut worst = member.worst;
        let message = match (member.shape, value) {
            (_, Value::Null) if member.is_required() => format!("{it} is null; give {what}"),
            (_, Value::Null) => {
                let Some(null) = self.edition.null else {
                    return;
                };
                worst = worst.min(null);
                format!("{it} is null; give {what}, or leave it out")
            }
            (Shape::Name(_) | Shape::Url(_), Value::String(text)) if text.trim().is_empty() => {
                format!("{it} is empty; give {what}")
            }
            (Shape::Url(_), Value::String(_)) => {
                format!("{it} is not an absolute http(s) URL; give {what} with https://")
            }
            (Shape::Word(_), Value::String(_)) => format!("{it} has an unknown value; give {what}"),
            (Shape::Whole(_), Value::Number(number)) if number.as_f64().is_some_and(is_broken) => {
                format!("{it} is not a whole number; give {what}")
            }
            (Shape::Amount | Shape::Whole(_), Value::Number(_)) => {
                format!("{it} is out of range; give {what}")
            }
            _ => format!("{it} is {}; give {what}", json::kind(value)),
        };
        let mut finding = Finding::new(rule.at_most(worst), at.to_string(), message);
        finding.correction = correction::instead(member, at.name(), value);
        self.findings.push(finding);
    }

    fn repeated(&mut self, items: &[Value], at: &At<'_>, rule: GradedRule) {
        let mut seen = HashSet::new();
        for (index, text) in items.iter().enumerate() {
            if text.as_str().is_some_and(|text| !seen.insert(text)) {
                let message = "listed twice; remove one";
                self.findings.add(rule, At::Item(at, index), message);
            }
        }
    }

    /// Reports the members that a closed object does not define.
    fn others(&mut self, members: &[Member], object: &Map<String, Value>, at: &At<'_>) {
        let is_known = |name: &String| members.iter().any(|it| it.name == name);
        let names = object.keys().filter(|name| !is_known(name));
        match self.schema.unknown {
            Unknown::Accepted => {}
            Unknown::Each(rule, prefix, message) => {
                let is_root = matches!(at, At::Root(_));
                for name in names.filter(|name| !(is_root && name.starts_with(prefix))) {
                    let name = text::clean(name, 200);
                    self.findings.add(rule, At::Named(at, &name), message);
                }
            }
            Unknown::ByObject(rule, message) => {
                let names: Vec<_> = names.take(MAX_NAMES).cloned().collect();
                if !names.is_empty() {
                    self.unknown(rule, message, &names, at);
                }
            }
            Unknown::Once(..) => {
                for name in names {
                    if self.names.len() == MAX_NAMES {
                        break;
                    }
                    let place = format!("{}{name}", at.pattern());
                    if !self.names.contains(&place) {
                        self.names.push(place);
                    }
                }
            }
        }
    }

    fn unknown(&mut self, rule: &'static Rule, message: &str, names: &[String], at: &At<'_>) {
        let message = format!("{message} {}", names.join(", "));
        let message = text::clean(&message, text::MAX_CHARS);
        self.findings.add(GradedRule::from(rule), at, message);
    }
}

fn is_broken(number: f64) -> bool {
    number.fract() != 0.0
}

/// Returns a member of an object. Names of a small object are compared one by one, which takes less
/// time than to hash the name.
fn get<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if object.len() > SMALL {
        return object.get(name);
    }
    object
        .iter()
        .find_map(|(own, value)| (own == name).then_some(value))
}
