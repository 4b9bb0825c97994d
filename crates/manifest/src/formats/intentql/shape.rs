//! The members that IntentQL specifies, with their types.

use super::rules::{
    IQ_01, IQ_02, IQ_03, IQ_04, IQ_05, IQ_06, IQ_07, IQ_09, IQ_10, IQ_11, IQ_14, IQ_17, IQ_20,
};
use crate::shape::Shape::{self, Any, Flag, List, Name, Number, Open, Table, Text, Whole};
use crate::shape::{Member, SEMVER, Schema, Test, is_filled, item, member, required, text_test};
use crate::{CapabilityFact, Fact, link};

pub(super) static MANIFEST: Schema = Schema::open(
    &IQ_01,
    &[
        required("name", Name("the site's name as a string"))
            .rule(&IQ_02)
            .facts(&[Fact::Name]),
        required("version", Name("a version as a string, such as 1.0.0"))
            .rule(&IQ_03)
            .facts(&[Fact::Version])
            .tests(&[SEMVER]),
        member("description", Text)
            .rule(&IQ_17)
            .facts(&[Fact::Description]),
        member("base_url", Text)
            .rule(&IQ_04)
            .facts(&[Fact::Url, Fact::Interfaces])
            .what("an absolute https URL")
            .tests(&[text_test!(is_https, "not an absolute https URL; give one")]),
        required("capabilities", Table(&CAPABILITY))
            .rule(&IQ_05)
            .facts(&[Fact::Capabilities])
            .what("an object of capabilities by name")
            .tests(&[Test::new(is_filled, "the object is empty; add a capability").warning()]),
        member("auth", AUTH)
            .rule(&IQ_11)
            .facts(&[Fact::Auth])
            .what("an object"),
        member("rate_limits", RATE_LIMITS)
            .rule(&IQ_10)
            .facts(&[Fact::RateLimits]),
        member("metadata", METADATA).rule(&IQ_17),
        member("min_client_version", Text).rule(&IQ_17),
        member("deprecated_capabilities", List(&item(Text)))
            .rule(&IQ_14)
            .what("a list of capability names"),
        member("breaking_changes", List(&item(Any))).rule(&IQ_17),
    ],
);

static CAPABILITY: Member = item(Open(&[
    required(
        "description",
        Name("a description of what the capability does"),
    )
    .of_capability(&[CapabilityFact::Description]),
    required("method", Name("GET, POST, PUT or DELETE"))
        .of_capability(&[CapabilityFact::Method])
        .tests(&[
            text_test!(
                |it: &str| is_method(&it.to_ascii_uppercase()),
                "not a method of this format; use GET, POST, PUT or DELETE"
            )
            .rule(&IQ_07),
            text_test!(
                |it: &str| is_method(it) || !is_method(&it.to_ascii_uppercase()),
                "not in upper case; write the method in capitals"
            )
            .rule(&IQ_07)
            .warning(),
        ]),
    required("endpoint", Name("the path to call as a string"))
        .of_capability(&[CapabilityFact::Endpoint, CapabilityFact::Url]),
    PARAMETERS
        .named("parameters")
        .of_capability(&[CapabilityFact::Params, CapabilityFact::InputSchema]),
    PARAMETERS
        .named("returns")
        .of_capability(&[CapabilityFact::OutputSchema]),
    member("auth_required", Flag).of_capability(&[CapabilityFact::RequiresAuth]),
    RATE.named("rate_limit")
        .of_capability(&[CapabilityFact::RateLimit]),
]))
.rule(&IQ_06);

static PARAMETERS: Member = member("", Table(&PARAMETER))
    .rule(&IQ_09)
    .what("an object of parameters by name");

static PARAMETER: Member = item(Open(&PARAMETER_MEMBERS));

/// Parameters may have parameters below them.
static PARAMETER_MEMBERS: [Member; 12] = [
    required("type", Name(TYPES)).tests(&[
        text_test!(
            |it| it != "integer",
            "not a type of this format; use number"
        ),
        text_test!(
            |it| matches!(
                it,
                "string" | "number" | "boolean" | "date" | "array" | "object" | "integer"
            ),
            "unknown type; use string, number, boolean, date, array or object"
        ),
    ]),
    member("required", Flag),
    member("description", Text),
    member("default", Any),
    member("enum", List(&item(Any))),
    member("min", Number),
    member("max", Number),
    member("pattern", Text),
    member("items", Open(&PARAMETER_MEMBERS)),
    member("min_items", Whole(0)),
    member("max_items", Whole(0)),
    member("properties", Table(&PARAMETER)).what("an object of parameters by name"),
];

const TYPES: &str = "string, number, boolean, date, array or object";

static AUTH: Shape = Open(&[
    required(
        "type",
        Shape::Word(&["api_key", "oauth2", "bearer", "basic"]),
    ),
    member("header", Text),
    member("format", Text),
    member("authorization_url", Text),
    member("token_url", Text),
    member("scopes", Table(&item(Text))).what("an object of descriptions by scope"),
    member("description", Text),
]);

static RATE_LIMITS: Shape = Open(&[
    RATE.named("default"),
    RATE.named("authenticated"),
    RATE.named("burst"),
    member("reset_header", Text),
    member("remaining_header", Text),
]);

/// Digits, a slash and a unit, nothing else (IQ-10).
static RATE: Member = member("", Text)
    .rule(&IQ_10)
    .what("a number, a slash and second, minute, hour or day, such as 100/hour")
    .tests(&[text_test!(
        is_rate,
        "not a rate; give a number, a slash and second, minute, hour or day, such as 100/hour"
    )]);

static METADATA: Shape = Open(&[
    member("contact", Text).facts(&[Fact::Contact]),
    member("documentation", Text).facts(&[Fact::Docs]),
    member("terms_of_service", Text),
    member(
        "security",
        Open(&[
            member("require_https", Flag),
            member("cors_origins", List(&item(Text))),
            member("content_security_policy", Text),
        ]),
    ),
]);

/// The dialect that IntentQL's author publishes.
pub(super) static INTENTS: Schema = Schema::open(&IQ_20, &[member("intents", List(&item(INTENT)))]);

static INTENT: Shape = Open(&[
    required("id", Name("the intent's id as a string")),
    required("method", Name("the intent's method as a string")),
    required("endpoint", Name("the intent's endpoint as a string")),
]);

fn is_https(url: &str) -> bool {
    link::is_absolute(url) && url.trim().starts_with("https:")
}

fn is_method(name: &str) -> bool {
    matches!(name.trim(), "GET" | "POST" | "PUT" | "DELETE")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_rate(text: &str) -> bool {
    text.split_once('/').is_some_and(|(count, unit)| {
        is_number(count) && matches!(unit, "second" | "minute" | "hour" | "day")
    })
}
