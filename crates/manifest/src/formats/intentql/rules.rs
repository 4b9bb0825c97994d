//! The rules IQ-01 to IQ-15 of the specification, and IQ-20 of its author's dialect.

use crate::FormatId;
use crate::Severity::Warning;
use crate::rule::{Example, Rule};

/// Id of the format.
pub(super) const ID: FormatId = FormatId::specified("intentql");

/// Title of the format.
pub(super) const FORMAT: &str = "IntentQL agent.json";

/// A manifest without a fault.
const GOOD: &[Example] = &[manifest(
    r#"{
  "name": "Harbour Bookshop",
  "version": "1.2.0",
  "description": "Second-hand books, shipped from the harbour.",
  "base_url": "https://shop.example/api",
  "auth": {"type": "api_key", "header": "X-Key"},
  "rate_limits": {"default": "100/hour", "burst": "5/second"},
  "metadata": {"security": {"require_https": true}},
  "deprecated_capabilities": ["find_book"],
  "capabilities": {
    "find_book": {
      "description": "Finds a book by title",
      "method": "GET",
      "endpoint": "/books",
      "parameters": {
        "title": {"type": "string", "required": true, "max": 200},
        "order": {"type": "string", "enum": ["price", "year"], "default": "price"}
      }
    },
    "get_book": {
      "description": "One book with its price",
      "method": "GET",
      "endpoint": "/books/{id}",
      "parameters": {"id": {"type": "string", "required": true}},
      "auth_required": true
    }
  }
}"#,
)];

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, GOOD);

pub(crate) static IQ_01: Rule = Rule {
    id: "IQ-01",
    title: "The manifest is an object",
    explanation: "An agent.json holds one JSON object that describes the site. A list or a single value does not describe a site.",
    section: "IntentQL, \"File structure\"",
    bad: &[Example::read_as(ID, "/agent.json", r#"["find_book"]"#)],
    ..RULE
};

pub(crate) static IQ_02: Rule = Rule {
    id: "IQ-02",
    title: "The site has a name",
    explanation: "`name` is what people and agents see in a list of sites. Give it as a string that is not empty.",
    section: "IntentQL, \"Required fields\"",
    bad: &[manifest(
        r#"{"version": "1.0.0", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_03: Rule = Rule {
    id: "IQ-03",
    title: "The manifest has a semantic version",
    explanation: "`version` tells clients whether the manifest has changed. It is required; a value that is not major.minor.patch is a warning.",
    section: "IntentQL, \"Versioning\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_04: Rule = Rule {
    id: "IQ-04",
    severity: Warning,
    title: "base_url is an absolute https URL",
    explanation: "Endpoints are appended to `base_url`, or to the site's origin if there is none. A relative or http base leads clients to a wrong or insecure address.",
    section: "IntentQL, \"Optional fields\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "base_url": "/api", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_05: Rule = Rule {
    id: "IQ-05",
    title: "Capabilities are an object, keyed by name",
    explanation: "`capabilities` maps each name to its description, method and endpoint. A list is another format; an empty object announces nothing and is a warning.",
    section: "IntentQL, \"Capabilities\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "intents": [{"id": "find_book", "method": "GET", "endpoint": "/books"}]}"#,
    )],
    ..RULE
};

pub(crate) static IQ_06: Rule = Rule {
    id: "IQ-06",
    title: "A capability has description, method and endpoint",
    explanation: "These three tell an agent what the capability is for and how to call it. We never guess one that is missing.",
    section: "IntentQL, \"Capability definition\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "capabilities": {"find_book": {"description": "Finds a book"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_07: Rule = Rule {
    id: "IQ-07",
    title: "The method is GET, POST, PUT or DELETE",
    explanation: "The specification allows these four, in upper case. We list PATCH and others as published, but clients that follow the specification reject them.",
    section: "IntentQL, \"Capability definition\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "capabilities": {"edit_book": {"description": "Changes a book", "method": "PATCH", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_08: Rule = Rule {
    id: "IQ-08",
    severity: Warning,
    title: "Every path parameter is declared as required",
    explanation: "An endpoint with `{id}` cannot be called without an id: declare a parameter of that name with `required: true`.",
    section: "IntentQL, \"Endpoints\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "capabilities": {"get_book": {"description": "One book", "method": "GET", "endpoint": "/books/{id}"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_09: Rule = Rule {
    id: "IQ-09",
    title: "A parameter has a known type",
    explanation: "The types are string, number, boolean, date, array and object. `integer` is JSON Schema's word; write number here.",
    section: "IntentQL, \"Parameter types\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books", "parameters": {"year": {"type": "integer"}}}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_10: Rule = Rule {
    id: "IQ-10",
    title: "A rate is a number, a slash and a unit",
    explanation: "Clients limit their requests by it. The units are second, minute, hour and day, as in `100/hour`.",
    section: "IntentQL, \"Rate limits\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "rate_limits": {"default": "often"}, "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_11: Rule = Rule {
    id: "IQ-11",
    title: "Authentication has a known type and the members that the type needs",
    explanation: "The types are api_key, oauth2, bearer and basic. An api_key should name its header, and oauth2 both of its URLs; without them a client cannot authenticate.",
    section: "IntentQL, \"Authentication\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "auth": {"type": "handshake"}, "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_12: Rule = Rule {
    id: "IQ-12",
    severity: Warning,
    title: "A site that requires authentication states the method",
    explanation: "A capability with `auth_required: true` needs the `auth` object at the top, or clients cannot know how to authenticate.",
    section: "IntentQL, \"Authentication\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books", "auth_required": true}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_13: Rule = Rule {
    id: "IQ-13",
    severity: Warning,
    title: "Defaults and bounds agree",
    explanation: "A default must be one of `enum` and lie between `min` and `max`, which bound the length of a string; min must not exceed max.",
    section: "IntentQL, \"Parameter validation\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books", "parameters": {"order": {"type": "string", "enum": ["price", "year"], "default": "colour"}}}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_14: Rule = Rule {
    id: "IQ-14",
    severity: Warning,
    title: "Deprecated capabilities exist",
    explanation: "`deprecated_capabilities` announces that a capability will be removed. A name that no capability has is misspelled or should be removed.",
    section: "IntentQL, \"Versioning\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "deprecated_capabilities": ["find_bok"], "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_15: Rule = Rule {
    id: "IQ-15",
    severity: Warning,
    title: "The site is served over https",
    explanation: "A site that sets `security.require_https` must not give an http base_url. The manifest itself should be served over https too.",
    section: "IntentQL, \"Security considerations\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "base_url": "http://shop.example/api", "metadata": {"security": {"require_https": true}}, "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(crate) static IQ_17: Rule = Rule {
    id: "IQ-17",
    severity: Warning,
    title: "Optional members have the types of the specification",
    explanation: "`metadata` is an object whose facts are strings, `security` an object, `breaking_changes` a list. A value of another type is not read.",
    section: "IntentQL, \"Optional fields\"",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "metadata": "hello@shop.example", "capabilities": {"find_book": {"description": "Finds a book", "method": "GET", "endpoint": "/books"}}}"#,
    )],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &IQ_01, &IQ_02, &IQ_03, &IQ_04, &IQ_05, &IQ_06, &IQ_07, &IQ_08, &IQ_09, &IQ_10, &IQ_11, &IQ_12,
    &IQ_13, &IQ_14, &IQ_15, &IQ_17,
];

const INTENTS: &str = "IntentQL agent.json with intents";

/// The rule of the dialect that its author publishes.
pub(crate) static IQ_20: Rule = Rule {
    id: "IQ-20",
    format: INTENTS,
    severity: Warning,
    title: "Actions are listed under `capabilities`, not `intents`",
    explanation: "IntentQL's own deployments list `intents` with id, method and endpoint, and have flags under `capabilities`. No specification defines that. We read it, but other clients may not.",
    section: "IntentQL, deployments of its author",
    bad: &[manifest(
        r#"{"name": "Harbour Bookshop", "version": "1.0.0", "intents": [{"id": "find_book", "method": "GET", "endpoint": "/books"}]}"#,
    )],
    ..RULE
};

pub(super) const INTENT_RULES: &[&Rule] = &[&IQ_20];

const fn manifest(body: &'static str) -> Example {
    Example::at("/agent.json", body)
}
