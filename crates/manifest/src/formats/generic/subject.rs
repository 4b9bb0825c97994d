//! Detection of profiles that describe no service (GP-05).

use crate::Agent;
use serde_json::{Map, Value};

/// Returns the subject of an object that does not describe a service (GP-05).
pub(super) fn other(object: &Map<String, Value>, agent: &Agent) -> Option<&'static str> {
    let has = |name: &str| object.contains_key(name);
    let is_callable = !agent.capabilities.is_empty() || !agent.interfaces.is_empty();
    let names_schema = object
        .get("$schema")
        .and_then(Value::as_str)
        .is_some_and(|schema| schema.contains("json-schema.org"));
    if names_schema || (has("properties") && has("type")) {
        return Some("a JSON Schema");
    }
    if agent.name.is_empty() && !is_callable {
        return Some("it names no service");
    }
    if !is_callable && count(object, PERSON) >= 2 {
        return Some("a person");
    }
    if !is_callable && let Some(what) = named(object) {
        return Some(what);
    }
    let article_words = count(object, ARTICLE);
    if !is_callable && (article_words >= 3 || (article_words == 2 && agent.url.is_none())) {
        return Some("an article");
    }
    if agent.url.is_none() && count(object, PROCESS) >= 2 {
        return Some("a program on a local machine");
    }
    let has_content = agent.description.is_some() || agent.url.is_some() || is_callable;
    (!has_content).then_some("it has neither a description nor an address of a service")
}

/// Reports whether a document is about a person, even if that person offers a service.
pub(super) fn is_person(object: &Map<String, Value>) -> bool {
    let is_typed = ["@type", "type", "entity_type"].iter().any(|name| {
        object
            .get(*name)
            .is_some_and(|it| it == "Person" || it == "person")
    });
    is_typed || count(object, PERSON) >= 2
}

/// Subject of an answer that a server gives where there is no file.
pub(super) const FAILED: &str = "an error message";

/// Returns the subject of an object that declares itself to be no service.
pub(super) fn named(object: &Map<String, Value>) -> Option<&'static str> {
    named_type(object)
        .or_else(|| file_of_a_program(object))
        .or_else(|| is_error(object).then_some(FAILED))
}

/// Returns the JSON-LD type of the object if it is not that of a service.
fn named_type(object: &Map<String, Value>) -> Option<&'static str> {
    const KINDS: [(&str, &str); 9] = [
        ("Article", "an article"),
        ("Posting", "an article"),
        ("Blog", "an article"),
        ("Review", "an article"),
        ("Person", "a person"),
        ("Event", "an event"),
        ("Recipe", "a recipe"),
        ("Book", "a book"),
        ("Movie", "a film"),
    ];
    let given = object.get("@type")?;
    let names: Vec<&str> = match given {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    };
    let kind = |name: &&str| KINDS.iter().find(|(ending, _)| name.ends_with(ending));
    // An object that has another type as well may be a service.
    let kinds: Option<Vec<_>> = names.iter().map(kind).collect();
    kinds?.first().map(|(_, what)| *what)
}

/// Detects the package file of a program and the manifest of a web app.
fn file_of_a_program(object: &Map<String, Value>) -> Option<&'static str> {
    let has = |name: &str| object.contains_key(name);
    if count(object, PACKAGE) >= 2 {
        return Some("the package of a program");
    }
    let is_app = has("start_url") && (has("display") || has("icons") || has("short_name"));
    is_app.then_some("a web app for people to install")
}

/// Returns true for an error object, as servers answer where there is no file.
fn is_error(object: &Map<String, Value>) -> bool {
    let name = object.get("name").and_then(Value::as_str).unwrap_or("");
    let is_named = ["Error", "Exception"]
        .iter()
        .any(|ending| name.ends_with(ending) && !name.contains(' '));
    (is_named || object.contains_key("error")) && count(object, FAILURE) >= 1
}

const PACKAGE: &[&str] = &[
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "scripts",
    "engines",
    "workspaces",
    "exports",
    "main",
    "bin",
    "autoload",
    "require",
];
const FAILURE: &[&str] = &[
    "message",
    "status",
    "statusCode",
    "status_code",
    "code",
    "detail",
    "stack",
];
const PERSON: &[&str] = &[
    "photo",
    "bio",
    "phone",
    "email",
    "department",
    "experience",
    "experience_level",
    "first_name",
    "last_name",
    "firstName",
    "lastName",
    "position",
    "listings",
    "birthday",
    "address",
];
const ARTICLE: &[&str] = &[
    "slug",
    "subtitle",
    "sections",
    "content",
    "body",
    "html",
    "published",
    "publishedAt",
    "authors",
    "readingTime",
    "excerpt",
];
const PROCESS: &[&str] = &[
    "command",
    "port",
    "host",
    "args",
    "restart_on_failure",
    "path",
    "env",
];

fn count(object: &Map<String, Value>, names: &[&str]) -> usize {
    names
        .iter()
        .filter(|name| object.contains_key(**name))
        .count()
}

/// Returns true for `null` and for a blank string (GP-04).
pub(super) fn is_placeholder(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}
