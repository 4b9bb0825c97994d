//! Shapes of documents as data, and the check of a value against one.
//!
//! A format whose specification states members, their types, which are required, and their words
//! declares them:
//!
//! ```text
//! static MANIFEST: Schema = Schema::open(&XY_01, &[
//!     required("name", Name("the site's name")).rule(&XY_02),
//!     member("tags", List(&item(Text))),
//! ]);
//! ```
//!
//! A member also states the facts that it gives, of the agent (`facts`) or of the capability in whose part
//! of the document it stands (`of_capability`): those of the agent that are one text or address are read
//! from the rows, the positions of all facts of the agent are, and so is the account of the document.
//!
//! Each finding has the rule of its member, or that of the nearest object above it. What one
//! member says about another is not a shape; the format's own code checks it.

use crate::finding::Findings;
use crate::rule::{Rule, Severity};
use crate::{CapabilityFact, Fact, json, link};
pub(crate) use lack::Lack;
pub(crate) use rows::{Gives, Row};
use serde_json::Value;
use std::fmt::{self, Display};
use walk::Walk;

mod correction;
mod lack;
pub(crate) mod nearest;
mod rows;
#[cfg(test)]
mod tests;
mod walk;

/// Shape that a value must have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Any value, null included.
    Any,
    /// A string.
    Text,
    /// A string that is not blank; messages ask for it in these words.
    Name(&'static str),
    /// A string that should not be blank; messages ask for it in these words.
    Prose(&'static str),
    /// An absolute http(s) URL; messages ask for it in these words.
    Url(&'static str),
    /// One of these strings.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number that is not negative.
    Amount,
    /// A whole number that is at least this.
    Whole(i32),
    /// A list of such values.
    List(&'static Member),
    /// A list of such strings, each once.
    Set(&'static Member),
    /// An object of such values under names of the publisher's choice.
    Table(&'static Member),
    /// An object with these members and any others.
    Open(&'static [Member]),
    /// An object with these members and no others.
    Closed(&'static [Member]),
}

/// A member of an object, or the items of a list or table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    shape: Shape,
    /// Severity of its absence; `None` if it may be missing.
    absence: Option<Severity>,
    is_nullable: bool,
    /// The editions that define it: from the first one on, before the second one.
    editions: (u8, u8),
    /// Own rule; that of the object or list otherwise.
    rule: Option<&'static Rule>,
    worst: Severity,
    /// Completes "give …" in messages, where the shape alone says too little.
    what: Option<&'static str>,
    tests: &'static [Test],
    /// Facts of the model that the member gives.
    gives: Gives,
}

/// A requirement on a value that already has its shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    holds: fn(&Value) -> bool,
    message: &'static str,
    /// Own rule; that of the member otherwise.
    rule: Option<&'static Rule>,
    worst: Severity,
}

/// The shape of a whole document, or of an object in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    shape: Shape,
    rule: &'static Rule,
    unknown: Unknown,
}

/// An edition of a specification whose members have changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edition {
    /// Position in the order of editions.
    pub(crate) number: u8,
    /// Severity of null for a member that may be missing; `None` if null counts as absent.
    pub(crate) null: Option<Severity>,
}

/// Treatment of members that a closed object does not define.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unknown {
    /// No object is closed.
    Accepted,
    /// One finding for each, with the message; members of the whole document may begin with the
    /// prefix, which comes before it.
    Each(&'static Rule, &'static str, &'static str),
    /// One finding for each object; the message is followed by the names.
    ByObject(&'static Rule, &'static str),
    /// One finding for the document, with each name once.
    Once(&'static Rule, &'static str),
}

/// Creates a member that must be present.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Member {
    Member {
        absence: Some(Severity::Error),
        ..member(name, shape)
    }
}

/// Creates a member that should be present.
pub(crate) const fn recommended(name: &'static str, shape: Shape) -> Member {
    Member {
        absence: Some(Severity::Warning),
        ..member(name, shape)
    }
}

/// Creates a member that may be missing.
pub(crate) const fn member(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        absence: None,
        is_nullable: false,
        editions: (0, u8::MAX),
        rule: None,
        worst: Severity::Error,
        what: None,
        tests: &[],
        gives: Gives::NOTHING,
    }
}

/// Creates the items of a list or table.
pub(crate) const fn item(shape: Shape) -> Member {
    required("", shape)
}

impl Member {
    /// Gives the member and what is below it a rule of its own.
    pub(crate) const fn rule(mut self, rule: &'static Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Makes findings on the member itself warnings, of the rule whose other findings are errors.
    pub(crate) const fn warning(mut self) -> Self {
        self.worst = Severity::Warning;
        self
    }

    /// Sets the words that complete "give …" in messages.
    pub(crate) const fn what(mut self, what: &'static str) -> Self {
        self.what = Some(what);
        self
    }

    /// Adds requirements on a value that has the shape.
    pub(crate) const fn tests(mut self, tests: &'static [Test]) -> Self {
        self.tests = tests;
        self
    }

    /// Names the facts of the model that the member gives.
    pub(crate) const fn facts(mut self, facts: &'static [Fact]) -> Self {
        self.gives.agent = facts;
        self
    }

    /// Names the facts of the capability in whose part of the document the member stands that it gives.
    pub(crate) const fn of_capability(mut self, facts: &'static [CapabilityFact]) -> Self {
        self.gives.capability = facts;
        self
    }

    /// Notes that the model has no field for the member, and for what is in it: it is kept as published.
    pub(crate) const fn kept(mut self) -> Self {
        self.gives.is_kept = true;
        self
    }

    /// Notes that the member tells the format or its edition.
    pub(crate) const fn of_format(mut self) -> Self {
        self.gives.is_of_format = true;
        self
    }

    /// Returns the same member under another name.
    pub(crate) const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Limits the member to this edition and later ones.
    pub(crate) const fn since(mut self, edition: u8) -> Self {
        self.editions.0 = edition;
        self
    }

    /// Limits the member to editions before this one.
    pub(crate) const fn before(mut self, edition: u8) -> Self {
        self.editions.1 = edition;
        self
    }

    /// Accepts null, which the specification gives a meaning.
    pub(crate) const fn nullable(mut self) -> Self {
        self.is_nullable = true;
        self
    }

    fn is_required(&self) -> bool {
        self.absence == Some(Severity::Error)
    }

    fn words(&self) -> impl Display {
        let shape = self.shape;
        let what = self.what;
        fmt::from_fn(move |formatter| match what {
            Some(what) => formatter.write_str(what),
            None => shape.fmt(formatter),
        })
    }
}

impl Test {
    /// Creates a requirement whose failure has this message.
    pub(crate) const fn new(holds: fn(&Value) -> bool, message: &'static str) -> Self {
        Self {
            holds,
            message,
            rule: None,
            worst: Severity::Error,
        }
    }

    /// Gives the requirement a rule of its own.
    pub(crate) const fn rule(mut self, rule: &'static Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Makes its findings warnings, of the rule whose other findings are errors.
    pub(crate) const fn warning(mut self) -> Self {
        self.worst = Severity::Warning;
        self
    }
}

impl Schema {
    /// Creates the schema of an object that may have any other members, here and below.
    pub(crate) const fn open(rule: &'static Rule, members: &'static [Member]) -> Self {
        Self {
            shape: Shape::Open(members),
            rule,
            unknown: Unknown::Accepted,
        }
    }

    /// Creates a schema in which some objects may have no other members. It is formal: null
    /// in the place of a member that may be missing is as wrong as any other value.
    pub(crate) const fn closed(rule: &'static Rule, shape: Shape, unknown: Unknown) -> Self {
        Self {
            shape,
            rule,
            unknown,
        }
    }

    /// Reports whether the schema defines a member of a document, in any edition, with the type of
    /// its value and of the items in it.
    pub(crate) fn defines(&self, name: &str, value: &Value) -> bool {
        let (Shape::Open(members) | Shape::Closed(members)) = self.shape else {
            return false;
        };
        let has_items = |shape: Shape| match (shape, value) {
            (Shape::List(item) | Shape::Set(item), Value::Array(items)) => {
                items.iter().all(|it| item.shape.takes(it))
            }
            (shape, value) => shape.takes(value),
        };
        let mut named = members.iter().filter(|it| it.name == name);
        named.any(|it| has_items(it.shape))
    }

    /// Checks the value at the JSON pointer `at`; returns false if it is not an object.
    pub(crate) fn check(&self, value: &Value, at: &str, findings: &mut Findings) -> bool {
        let is_formal = matches!(self.unknown, Unknown::Each(..) | Unknown::ByObject(..));
        let null = if is_formal {
            Severity::Error
        } else {
            Severity::Warning
        };
        let edition = Edition {
            number: 0,
            null: Some(null),
        };
        self.check_as(edition, value, at, findings)
    }

    /// Works like [`Schema::check`], for one edition of the specification.
    pub(crate) fn check_as(
        &self,
        edition: Edition,
        value: &Value,
        at: &str,
        findings: &mut Findings,
    ) -> bool {
        if !value.is_object() {
            // Null also stands for content that is not JSON.
            let message = match value {
                Value::Null => "this is not a JSON object; give one".to_owned(),
                other => format!("this is {}; give an object", json::kind(other)),
            };
            findings.add(self.rule, at, message);
            return false;
        }
        Walk::new(self, edition, findings).document(value, at);
        true
    }
}

impl Shape {
    /// Returns true if the value itself fits; its items or members are not tested.
    fn takes(self, value: &Value) -> bool {
        let text = |is_right: &dyn Fn(&str) -> bool| value.as_str().is_some_and(is_right);
        match self {
            Self::Any => true,
            Self::Text | Self::Prose(_) => value.is_string(),
            Self::Name(_) => text(&|text| !text.trim().is_empty()),
            Self::Url(_) => text(&link::is_absolute),
            Self::Word(words) => text(&|text| words.contains(&text)),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Amount => value.as_f64().is_some_and(|number| number >= 0.0),
            Self::Whole(least) => value
                .as_f64()
                .is_some_and(|number| number >= f64::from(least) && number.fract() == 0.0),
            Self::List(_) | Self::Set(_) => value.is_array(),
            Self::Table(_) | Self::Open(_) | Self::Closed(_) => value.is_object(),
        }
    }
}

/// Writes the shape as it completes "give …".
impl Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("a value"),
            Self::Text => formatter.write_str("a string"),
            Self::Name(what) | Self::Prose(what) | Self::Url(what) => formatter.write_str(what),
            Self::Word(words) => listed(formatter, words, "or"),
            Self::Flag => formatter.write_str("true or false"),
            Self::Number => formatter.write_str("a number"),
            Self::Amount => formatter.write_str("a number that is not negative"),
            Self::Whole(least) => write!(formatter, "a whole number of at least {least}"),
            Self::List(_) | Self::Set(_) => formatter.write_str("a list"),
            Self::Table(_) => formatter.write_str("an object"),
            Self::Open(members) | Self::Closed(members) => {
                let required = members.iter().filter(|member| member.is_required());
                let names: Vec<_> = required.map(|member| member.name).collect();
                formatter.write_str(if names.is_empty() {
                    "an object"
                } else {
                    "an object with "
                })?;
                listed(formatter, &names, "and")
            }
        }
    }
}

/// Writes `a, b and c`.
fn listed(formatter: &mut fmt::Formatter<'_>, names: &[&str], last: &str) -> fmt::Result {
    for (index, name) in names.iter().enumerate() {
        match index {
            0 => {}
            _ if index + 1 == names.len() => write!(formatter, " {last} ")?,
            _ => formatter.write_str(", ")?,
        }
        formatter.write_str(name)?;
    }
    Ok(())
}

/// Returns a test of a string; a value of another kind passes it.
macro_rules! text_test {
    ($holds:expr, $message:expr) => {
        $crate::shape::Test::new(
            |value| value.as_str().is_none_or(|text| ($holds)(text)),
            $message,
        )
    };
}
pub(crate) use text_test;

/// Returns true if a list or an object has anything in it.
pub(crate) fn is_filled(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}

/// Asks for a semantic version, as a warning.
pub(crate) const SEMVER: Test = text_test!(
    |text: &str| semver::Version::parse(text.trim()).is_ok(),
    "not a semantic version; give one such as 1.0.0"
)
.warning();

/// Asks for a version of two numbers.
pub(crate) const MAJOR_MINOR: Test = text_test!(
    is_major_minor,
    "not a version of two numbers; give it as major.minor, such as 1.0"
);

fn is_major_minor(version: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let numbers = version.trim().split_once('.');
    numbers.is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}
