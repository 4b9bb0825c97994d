//! The members that the agents.json schema defines, with their types, and the older names of some.

use super::rules::{
    AJ_01, AJ_03, AJ_04, AJ_05, AJ_06, AJ_07, AJ_08, AJ_09, AJ_12, AJ_13, AJ_15, AJ_17, AJ_18,
    AJ_19, AJ_21,
};
use crate::shape::Shape::{self, Any, Closed, Flag, List, Name, Open, Table, Text, Whole, Word};
use crate::shape::{Member, Schema, Test, Unknown, is_filled, item, member, required, text_test};
use crate::{CapabilityFact, Fact};

pub(super) static MANIFEST: Schema = Schema::closed(
    &AJ_01,
    Closed(&[
        member(
            "schema_version",
            Name("the schema's version as a string, such as 1.0"),
        )
        .of_format()
        .rule(&AJ_03),
        member("protocol_version", Text)
            .of_format()
            .rule(&AJ_03)
            .warning(),
        required("site", SITE).rule(&AJ_04),
        required("capabilities", List(&CAPABILITY))
            .rule(&AJ_06)
            .what("a list with at least one capability")
            .tests(&[Test::new(
                is_filled,
                "empty; give a list with at least one capability",
            )]),
        member("session", SESSION)
            .facts(&[Fact::Sessions])
            .rule(&AJ_15)
            .what("an object with create, delete and ttl_seconds"),
        member("flows", List(&FLOW))
            .facts(&[Fact::Flows])
            .rule(&AJ_17)
            .what("a list of flows"),
        member("rate_limit", RATE_LIMIT)
            .rule(&AJ_18)
            .what("an object with requests_per_minute"),
        member("audit", AUDIT)
            .facts(&[Fact::Audit])
            .rule(&AJ_19)
            .what("an object with enabled and endpoint"),
        member("docs_url", Text).facts(&[Fact::Docs]).rule(&AJ_01),
        member("$schema", Text).of_format().rule(&AJ_03),
    ]),
    Unknown::Once(&AJ_21, "the format does not define"),
);

static SITE: Shape = Closed(&[
    required("name", Name("the site's name as a string")).facts(&[Fact::Name]),
    required("url", Name("the site's address as an absolute https URL")).rule(&AJ_05),
    member("description", Text).facts(&[Fact::Description]),
    member("contact", Text).facts(&[Fact::Contact]),
]);

static CAPABILITY: Member = item(Closed(&[
    required("name", Name("the capability's name as a string"))
        .of_capability(&[CapabilityFact::Name])
        .tests(&[text_test!(
            is_name,
            "a name may only have a–z, 0–9, dots and underscores; use one such as cart.add"
        )
        .rule(&AJ_08)]),
    member("description", Text).of_capability(&[CapabilityFact::Description]),
    required("endpoint", Name("the path to call as a string"))
        .of_capability(&[CapabilityFact::Endpoint, CapabilityFact::Url]),
    required("method", Name("GET, POST, PUT or DELETE"))
        .of_capability(&[CapabilityFact::Method])
        .tests(&[
            text_test!(
                |it: &str| is_method(&it.to_ascii_uppercase()) || it.eq_ignore_ascii_case("PATCH"),
                "not a method of this format; use GET, POST, PUT or DELETE"
            )
            .rule(&AJ_09),
            text_test!(
                |it: &str| !it.eq_ignore_ascii_case("PATCH"),
                "not defined by the schema; use GET, POST, PUT or DELETE"
            )
            .rule(&AJ_09)
            .warning(),
            text_test!(
                |it: &str| is_method(it) || !is_method(&it.to_ascii_uppercase()),
                "not in upper case; write the method in capitals"
            )
            .rule(&AJ_09)
            .warning(),
        ]),
    member("params", Table(&PARAM))
        .of_capability(&[CapabilityFact::Params, CapabilityFact::InputSchema])
        .rule(&AJ_12)
        .what("an object of parameters by name"),
    member("requires_session", Flag).of_capability(&[CapabilityFact::RequiresSession]),
    member("human_handoff", Flag).of_capability(&[CapabilityFact::HumanHandoff]),
]))
.rule(&AJ_07)
.what("a capability object");

static PARAM: Member = item(Closed(&[
    required(
        "type",
        Word(&["string", "number", "integer", "boolean", "array", "object"]),
    ),
    member("description", Text),
    member("required", Flag),
    member("default", Any),
    member("enum", List(&item(Any)))
        .what("a list of values")
        .tests(&[Test::new(is_filled, "empty; give at least one value").rule(&AJ_13)]),
    member("items", Open(&[])).what("a schema object"),
]));

static SESSION: Shape = Closed(&[
    member("create", Text).what("a path"),
    member("delete", Text).what("a path"),
    member("endpoint", Text).what("a path"),
    SECONDS.named("ttl_seconds"),
    SECONDS.named("ttl"),
]);

static SECONDS: Member = member("", Whole(60)).what("a whole number of seconds, at least 60");

static FLOW: Member = item(Closed(&[
    required("name", Name("the flow's name as a string")),
    member("description", Text),
    required("steps", List(&item(Name("a capability name"))))
        .what("a list of capability names")
        .tests(&[Test::new(is_filled, "empty; give a list of capability names").warning()]),
]))
.what("a flow object");

static RATE_LIMIT: Shape = Closed(&[
    COUNT
        .named("requests_per_minute")
        .facts(&[Fact::RateLimits]),
    COUNT
        .named("max_requests_per_minute")
        .facts(&[Fact::RateLimits]),
    COUNT.named("max_sessions"),
]);

static COUNT: Member = member("", Whole(1)).what("a positive whole number");

static AUDIT: Shape = Closed(&[
    member("enabled", Flag),
    member("endpoint", Text),
    member("description", Text),
    member("public_key", Text),
]);

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'.'
    };
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_allowed)
}

fn is_method(name: &str) -> bool {
    matches!(name, "GET" | "POST" | "PUT" | "DELETE")
}
