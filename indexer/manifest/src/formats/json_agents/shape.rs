//! The official schema as data, and the check of a document against it.
//!
//! The schema is closed at every level, with a few exceptions (JA-04). Two differences are
//! intentional: `manifest_version` may be another 1.x (JA-02), and capabilities may have the
//! schemas that the upstream registry gives them (JA-09).

use super::rules::{JA_02, JA_03, JA_04, JA_08, JA_09, JA_10, JA_13, JA_14};
use crate::finding::Findings;
use crate::rule::Rule;
use crate::{json, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Shape that a value must have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A string.
    Text,
    /// A string that is not blank.
    Name,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A number that is not negative.
    Amount,
    /// A whole number of at least 1.
    Count,
    /// A list of values of this shape.
    List(&'static Self),
    /// A list of values of this shape, each once.
    Set(&'static Self),
    /// An object whose members are strings.
    Texts,
    /// An object with these members and any others.
    Open(&'static [Member]),
    /// An object with these members and no others.
    Closed(&'static [Member]),
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    name: &'static str,
    shape: Shape,
    is_required: bool,
}

const fn required(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        is_required: true,
    }
}

const fn member(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        is_required: false,
    }
}

/// The members of a manifest, each with its rule.
pub(super) const MANIFEST: &[(&Rule, Member)] = &[
    (&JA_02, required("manifest_version", Shape::Name)),
    (
        &JA_08,
        member(
            "profiles",
            Shape::Set(&Shape::Word(&["core", "exec", "gov", "graph"])),
        ),
    ),
    (&JA_03, required("agent", AGENT)),
    (&JA_09, member("capabilities", Shape::List(&CAPABILITY))),
    (&JA_10, member("tools", Shape::List(&TOOL))),
    (&JA_04, member("modalities", MODALITIES)),
    (&JA_04, member("context", CONTEXT)),
    (&JA_04, member("runtime", RUNTIME)),
    (&JA_04, member("security", SECURITY)),
    (&JA_13, member("policies", Shape::List(&POLICY))),
    (&JA_04, member("observability", OBSERVABILITY)),
    (&JA_14, member("graph", GRAPH)),
    (&JA_04, member("signatures", Shape::List(&SIGNATURE))),
    (&JA_04, member("extensions", Shape::Open(&[]))),
];

const AGENT: Shape = Shape::Closed(&[
    required("id", Shape::Name),
    required("name", Shape::Name),
    member("description", Shape::Text),
    member("version", Shape::Text),
    member("homepage", Shape::Text),
    member("authors", Shape::List(&AUTHOR)),
    member("license", Shape::Text),
    member("tags", Shape::Set(&Shape::Text)),
]);

const AUTHOR: Shape = Shape::Closed(&[
    member("name", Shape::Text),
    member("organization", Shape::Text),
    member("email", Shape::Text),
]);

const CAPABILITY: Shape = Shape::Closed(&[
    required("id", Shape::Name),
    member("description", Shape::Text),
    member("schema", Shape::Text),
    member("input_schema", Shape::Open(&[])),
    member("output_schema", Shape::Open(&[])),
]);

const TOOL: Shape = Shape::Closed(&[
    required("id", Shape::Name),
    required("name", Shape::Name),
    required(
        "type",
        Shape::Word(&["http", "function", "plugin", "system", "mcp", "custom"]),
    ),
    member("description", Shape::Text),
    member("endpoint", Shape::Text),
    member("input_schema", Shape::Open(&[])),
    member("output_schema", Shape::Open(&[])),
    member(
        "auth",
        Shape::Closed(&[member("method", Shape::Text), member("ref", Shape::Text)]),
    ),
    member("metadata", Shape::Open(&[])),
]);

const MODALITIES: Shape = Shape::Closed(&[
    member("input", Shape::Set(&Shape::Text)),
    member("output", Shape::Set(&Shape::Text)),
]);

const CONTEXT: Shape = Shape::Open(&[
    member("window", Shape::Count),
    member("strategy", Shape::Text),
    member("persistent", Shape::Flag),
]);

const RUNTIME: Shape = Shape::Closed(&[
    member(
        "type",
        Shape::Word(&[
            "python",
            "node",
            "java",
            "go",
            "container",
            "wasm",
            "hosted",
            "custom",
        ]),
    ),
    member("language", Shape::Text),
    member("entrypoint", Shape::Text),
    member("env", Shape::Texts),
    member(
        "resources",
        Shape::Closed(&[
            member("cpu_cores_min", Shape::Amount),
            member("memory_mb_min", Shape::Amount),
            member("accelerator", Shape::Text),
        ]),
    ),
]);

const SECURITY: Shape = Shape::Closed(&[
    member("sandbox", Shape::Text),
    member("network_zone", Shape::Text),
    member("auth_context", Shape::Text),
    member("sensitive_data_handling", Shape::Text),
]);

const POLICY: Shape = Shape::Closed(&[
    required("id", Shape::Name),
    required("effect", Shape::Word(&["allow", "deny", "audit", "notify"])),
    required("action", Shape::Name),
    member("description", Shape::Text),
    member("where", Shape::Text),
]);

const OBSERVABILITY: Shape = Shape::Closed(&[
    member("log_level", Shape::Text),
    member("log_sink", Shape::Text),
    member("redact_sensitive", Shape::Flag),
    member("metrics_enabled", Shape::Flag),
    member("trace_enabled", Shape::Flag),
]);

const GRAPH: Shape = Shape::Closed(&[
    required("nodes", Shape::List(&NODE)),
    member("edges", Shape::List(&EDGE)),
    member(
        "message_envelope",
        Shape::Closed(&[member("schema", Shape::Text)]),
    ),
]);

const NODE: Shape = Shape::Closed(&[
    required("id", Shape::Name),
    required("ref", Shape::Name),
    member("role", Shape::Text),
    member("metadata", Shape::Open(&[])),
]);

const EDGE: Shape = Shape::Closed(&[
    required("from", Shape::Name),
    required("to", Shape::Name),
    member("condition", Shape::Text),
]);

const SIGNATURE: Shape = Shape::Closed(&[
    member("alg", Shape::Text),
    member("value", Shape::Text),
    member("key_id", Shape::Text),
    member("created_at", Shape::Text),
]);

/// Checks a manifest against the schema.
pub(super) fn check(manifest: &Map<String, Value>, findings: &mut Findings) {
    for (rule, known) in MANIFEST {
        known.check(manifest, "", rule, findings);
    }
    let is_known = |name: &str| {
        name.starts_with("x-") || MANIFEST.iter().any(|(_, member)| member.name == name)
    };
    unknown(manifest, is_known, "", findings);
}

impl Member {
    fn check(
        &self,
        object: &Map<String, Value>,
        at: &str,
        rule: &'static Rule,
        findings: &mut Findings,
    ) {
        let pointer = format!("{at}/{}", self.name);
        match object.get(self.name) {
            Some(value) => self.shape.check(value, &pointer, rule, findings),
            None if self.is_required => {
                let message = format!("missing; give {}", self.shape);
                findings.add(rule, pointer, message);
            }
            None => {}
        }
    }
}

impl Shape {
    fn check(&self, value: &Value, at: &str, rule: &'static Rule, findings: &mut Findings) {
        if !self.takes(value) {
            let message = match (self, value) {
                (Self::Name, Value::String(_)) => format!("empty; give {self}"),
                (Self::Word(_), Value::String(_)) => format!("unknown; give {self}"),
                (Self::Amount | Self::Count, Value::Number(_)) => {
                    format!("out of range; give {self}")
                }
                _ => format!("{} where {self} belongs", json::kind(value)),
            };
            return findings.add(rule, at, message);
        }
        match (self, value) {
            (Self::List(item) | Self::Set(item), Value::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    item.check(value, &format!("{at}/{index}"), rule, findings);
                }
                if matches!(self, Self::Set(_)) {
                    repeated(items, at, rule, findings);
                }
            }
            (Self::Texts, Value::Object(object)) => {
                for (name, value) in object.iter().filter(|(_, value)| !value.is_string()) {
                    let pointer = format!("{at}/{}", json::escape(name));
                    Self::Text.check(value, &pointer, rule, findings);
                }
            }
            (Self::Open(members) | Self::Closed(members), Value::Object(object)) => {
                for member in *members {
                    member.check(object, at, rule, findings);
                }
                if matches!(self, Self::Closed(_)) {
                    let is_known = |name: &str| members.iter().any(|it| it.name == name);
                    unknown(object, is_known, at, findings);
                }
            }
            _ => {}
        }
    }

    /// Returns true if the value itself fits; its items or members are not tested.
    fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Name => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Self::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::Flag => value.is_boolean(),
            Self::Amount => value.as_f64().is_some_and(|number| number >= 0.0),
            Self::Count => value
                .as_f64()
                .is_some_and(|number| number >= 1.0 && number.fract() == 0.0),
            Self::List(_) | Self::Set(_) => value.is_array(),
            Self::Texts | Self::Open(_) | Self::Closed(_) => value.is_object(),
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text => formatter.write_str("a string"),
            Self::Name => formatter.write_str("a string that is not empty"),
            Self::Word(words) => write!(formatter, "one of {}", words.join(", ")),
            Self::Flag => formatter.write_str("true or false"),
            Self::Amount => formatter.write_str("a number that is not negative"),
            Self::Count => formatter.write_str("a whole number of at least 1"),
            Self::List(_) | Self::Set(_) => formatter.write_str("a list"),
            Self::Texts => formatter.write_str("an object of strings"),
            Self::Open(_) => formatter.write_str("an object"),
            Self::Closed(members) => {
                let required = members.iter().filter(|member| member.is_required);
                let names: Vec<_> = required.map(|member| member.name).collect();
                match names[..] {
                    [] => formatter.write_str("an object"),
                    _ => write!(formatter, "an object with {}", names.join(", ")),
                }
            }
        }
    }
}

fn repeated(items: &[Value], at: &str, rule: &'static Rule, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (index, text) in items.iter().enumerate() {
        if text.as_str().is_some_and(|text| !seen.insert(text)) {
            findings.add(rule, format!("{at}/{index}"), "listed twice; remove one");
        }
    }
}

fn unknown(
    object: &Map<String, Value>,
    is_known: impl Fn(&str) -> bool,
    at: &str,
    findings: &mut Findings,
) {
    for name in object.keys().filter(|name| !is_known(name)) {
        let message =
            "not defined by the schema; move it to extensions, or to an x- name at the top";
        let name = text::clean(name, 200);
        findings.add(&JA_04, format!("{at}/{}", json::escape(&name)), message);
    }
}
