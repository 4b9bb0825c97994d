//! The members that agents-txt 1.0 defines, with their types.

use super::rules::{AX_01, AX_02, AX_03, AX_04, AX_06, AX_07, AX_08};
use crate::shape::Shape::{self, Any, Flag, List, Name, Open, Text, Url, Whole, Word};
use crate::shape::{MAJOR_MINOR, Member, Schema, Test, item, member, required, text_test};
use crate::{CapabilityFact, Fact};

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 500;

pub(super) static MANIFEST: Schema = Schema::open(
    &AX_01,
    &[
        required(
            "specVersion",
            Name("the version as major.minor, such as 1.0"),
        )
        .of_format()
        .tests(&[MAJOR_MINOR]),
        required("site", SITE).rule(&AX_02),
        member("declarationType", Word(&["platform", "agent"])).rule(&AX_02),
        member("operatesOn", List(&item(Text)))
            .rule(&AX_02)
            .what("a list of addresses"),
        required("access", ACCESS)
            .rule(&AX_02)
            .what("an object with the lists allow and disallow"),
        required("capabilities", List(&CAPABILITY))
            .rule(&AX_03)
            .what("the capabilities as a list"),
        required("agents", Any)
            .tests(&[
                Test::new(
                    |agents| agents.is_object() || agents.is_array(),
                    "give an object from callers' names to their terms",
                )
                .rule(&AX_02),
                Test::new(
                    |agents| !agents.is_array(),
                    "a list; write an object from callers' names to their terms",
                )
                .rule(&AX_07),
            ])
            .rule(&AX_02)
            .what("an object from callers' names to their terms"),
    ],
);

static SITE: Shape = Open(&[
    required("name", Name("the site's name")).facts(&[Fact::Name]),
    required("url", Url("the site's address")).tests(&[TLS]),
    member("description", Text)
        .facts(&[Fact::Description])
        .tests(&[SHORT]),
    member("contact", Text)
        .facts(&[Fact::Contact])
        .what("a mail address")
        .tests(&[text_test!(
            |it: &str| it.contains('@'),
            "not a mail address; give one"
        )]),
    member("privacyPolicy", Url("the address of the privacy policy")),
]);

static ACCESS: Shape = Open(&[
    required("allow", List(&item(Text))).what("a list of paths"),
    required("disallow", List(&item(Text))).what("a list of paths"),
]);

static CAPABILITY: Member = item(Open(&[
    required(
        "id",
        Name("an id of lower-case letters, digits and hyphens"),
    )
    .of_capability(&[CapabilityFact::Id])
    .tests(&[text_test!(
        is_id,
        "give an id of lower-case letters, digits and hyphens"
    )]),
    required("description", Name("what the capability does"))
        .of_capability(&[CapabilityFact::Description])
        .tests(&[SHORT]),
    required("endpoint", Url("the address of the endpoint"))
        .of_capability(&[CapabilityFact::Endpoint, CapabilityFact::Url])
        .tests(&[TLS]),
    required(
        "protocol",
        Word(&["REST", "MCP", "A2A", "GraphQL", "WebSocket"]),
    )
    .of_capability(&[CapabilityFact::Protocol])
    .rule(&AX_04),
    member("method", Text).of_capability(&[CapabilityFact::Method]),
    member("openapi", Text),
    RATE_LIMIT.of_capability(&[CapabilityFact::RateLimit]),
    member("parameters", List(&PARAMETER))
        .of_capability(&[CapabilityFact::Params, CapabilityFact::InputSchema])
        .what("a list of parameters"),
    member("params", List(&PARAMETER))
        .of_capability(&[CapabilityFact::Params, CapabilityFact::InputSchema])
        .what("a list of parameters"),
    member("scopes", List(&item(Text))),
]))
.what("an object with an id");

static RATE_LIMIT: Member = member(
    "rateLimit",
    Open(&[
        required("requests", Whole(1)),
        required("window", Word(&["second", "minute", "hour", "day"])),
    ]),
)
.rule(&AX_03);

static PARAMETER: Member = item(Open(&[
    required("name", Name("the parameter's name")),
    required("type", Name("the parameter's type")),
    member("in", Word(&["query", "path", "header", "body"])),
    member("location", Text),
    member("required", Flag),
    member("description", Text),
]))
.what("an object with a name");

/// Authentication of callers, where it is an object.
pub(super) static SCHEME: Schema = Schema::open(
    &AX_03,
    &[
        required(
            "type",
            Word(&["none", "api-key", "bearer-token", "oauth2", "hmac"]),
        ),
        member("tokenEndpoint", Text),
        member("docsUrl", Text),
        member("scopes", List(&item(Text))),
    ],
);

/// Terms for one caller.
pub(super) static TERMS: Schema = Schema::open(
    &AX_06,
    &[
        RATE_LIMIT,
        member("capabilities", List(&item(Text))).what("a list of ids"),
        member("agentDeclaration", Text)
            .what("an address")
            .warning(),
    ],
);

const TLS: Test = text_test!(
    |url: &str| url.starts_with("https:"),
    "not https; serve it over TLS and give the https address"
)
.rule(&AX_08);

const SHORT: Test = text_test!(
    |text: &str| text.chars().count() <= MAX_DESCRIPTION,
    "longer than 500 characters; shorten it"
);

fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !id.starts_with('-') && id.bytes().all(|byte| byte == b'-' || is_plain(byte))
}
