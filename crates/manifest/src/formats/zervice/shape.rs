//! The members of an agent that Zervice specifies, with their types.

use super::rules::{ZV_01, ZV_03, ZV_04, ZV_05, ZV_06, ZV_07, ZV_09, ZV_11};
use crate::shape::Shape::{self, List, Name, Open, Text, Url};
use crate::shape::{Member, SEMVER, Schema, Test, is_filled, item, member, required, text_test};
use crate::{CapabilityFact, Fact, auth};

pub(in crate::formats) static AGENT: Schema = Schema::open(
    &ZV_01,
    &[
        required("name", Name("the agent's name"))
            .rule(&ZV_03)
            .facts(&[Fact::Name]),
        required("description", Name("a description of what the agent does"))
            .rule(&ZV_03)
            .facts(&[Fact::Description]),
        required("url", Url("the base URL of the agent's API"))
            .rule(&ZV_03)
            .facts(&[Fact::Url, Fact::Interfaces])
            .tests(&[HTTPS]),
        required("version", Name("the agent's version, such as 1.0.0"))
            .rule(&ZV_04)
            .facts(&[Fact::Version])
            .tests(&[SEMVER]),
        required("capabilities", List(&CAPABILITY))
            .rule(&ZV_05)
            .facts(&[Fact::Capabilities])
            .what("the actions as a list")
            .tests(&[Test::new(is_filled, "the list is empty; add a capability").warning()]),
        member("authentication", AUTHENTICATION)
            .rule(&ZV_07)
            .facts(&[Fact::Auth])
            .what("an object with the type of authentication"),
        member("openapi_url", Url("the address of the OpenAPI document")).rule(&ZV_11),
        member("logo_url", Url("the address of the logo"))
            .rule(&ZV_11)
            .facts(&[Fact::Logo]),
    ],
);

static CAPABILITY: Member = item(Open(&[
    required("name", Name("the capability's name"))
        .of_capability(&[CapabilityFact::Name])
        .tests(&[text_test!(
            is_snake_case,
            "not in snake_case, which is advised; write it like get_tides"
        )
        .warning()]),
    required("description", Name("a description"))
        .of_capability(&[CapabilityFact::Description])
        .warning(),
    member("input_schema", Open(&[]))
        .of_capability(&[CapabilityFact::InputSchema])
        .rule(&ZV_09)
        .what("a JSON Schema object"),
    member("output_schema", Open(&[]))
        .of_capability(&[CapabilityFact::OutputSchema])
        .rule(&ZV_09)
        .what("a JSON Schema object"),
]))
.rule(&ZV_06)
.what("an object with a name");

static AUTHENTICATION: Shape = Open(&[
    required("type", Name("api_key, oauth or none")).tests(&[
        text_test!(
            |it: &str| auth::scheme(it) != "other",
            "unknown type; use api_key, oauth or none"
        ),
        text_test!(
            |it| matches!(it, "api_key" | "oauth" | "none") || auth::scheme(it) == "other",
            "a word of another specification; use api_key, oauth or none"
        )
        .warning(),
    ]),
    member("header", Text),
    member("authorization_url", Text),
    member("token_url", Text),
]);

fn is_snake_case(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(is_allowed)
}

/// Asks for https in an absolute URL, as a warning.
const HTTPS: Test = text_test!(
    |url: &str| url.trim().starts_with("https:"),
    "not https; give an https URL"
)
.warning();
