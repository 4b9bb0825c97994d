//! The members of a card and their types, with the generations that define them.

use super::generation::Generation::{V1, V02, V03, V025};
use super::rules::{
    A2_01, A2_03, A2_04, A2_05, A2_06, A2_08, A2_09, A2_10, A2_11, A2_12, A2_13, A2_15, A2S_01,
};
use crate::CapabilityFact;
use crate::shape::Shape::{self, Flag, List, Name, Open, Prose, Table, Text, Word};
use crate::shape::{Edition, Member, Schema, Test, is_filled, item, member, recommended, required};

pub(super) static CARD: Schema = Schema::open(
    &A2_01,
    &[
        required("name", Name("the agent's name as a string")).rule(&A2_03),
        required("description", Prose(AGENT))
            .rule(&A2_03)
            .since(V02.number()),
        recommended("description", Prose(AGENT))
            .rule(&A2_03)
            .before(V02.number()),
        required(
            "version",
            Name("the agent's own version as a string, such as 1.0.0"),
        )
        .rule(&A2_04),
        required("supportedInterfaces", List(&INTERFACE))
            .rule(&A2_06)
            .what("a list of interfaces with url, protocolBinding and protocolVersion")
            .tests(&[Test::new(
                is_filled,
                "empty, so no client can call the agent; give a list of interfaces with url, \
                 protocolBinding and protocolVersion",
            )])
            .since(V1.number()),
        required("url", Name("the URL of the agent's endpoint as a string"))
            .rule(&A2_06)
            .before(V1.number()),
        required(
            "protocolVersion",
            Name("the A2A version as a string, such as 0.3.0"),
        )
        .of_format()
        .rule(&A2_05)
        .since(V025.number())
        .before(V1.number()),
        member("preferredTransport", Text)
            .rule(&A2_06)
            .what("JSONRPC, GRPC or HTTP+JSON as a string")
            .since(V025.number())
            .before(V1.number()),
        member("additionalInterfaces", List(&ADDITIONAL_INTERFACE))
            .rule(&A2_06)
            .what("a list of interfaces")
            .since(V025.number())
            .before(V1.number()),
        required("capabilities", Open(&CAPABILITIES))
            .rule(&A2_08)
            .what("an object of the protocol features that are supported"),
        required("skills", List(&SKILL))
            .rule(&A2_09)
            .what("the skills as a list")
            .tests(&[Test::new(
                is_filled,
                "no skills, so a directory has nothing to list; add at least one",
            )
            .warning()]),
        MODES.named("defaultInputModes").since(V1.number()),
        MODES.named("defaultOutputModes").since(V1.number()),
        MODES_OF_02
            .named("defaultInputModes")
            .since(V02.number())
            .before(V1.number()),
        MODES_OF_02
            .named("defaultOutputModes")
            .since(V02.number())
            .before(V1.number()),
        MODES_OF_01.named("defaultInputModes").before(V02.number()),
        MODES_OF_01.named("defaultOutputModes").before(V02.number()),
        member("provider", Open(&PROVIDER))
            .rule(&A2_12)
            .what("an object with organization and url"),
        member("documentationUrl", Text).what("a URL as a string"),
        member("iconUrl", Text)
            .what("a URL as a string")
            .since(V025.number()),
        member("supportsAuthenticatedExtendedCard", Flag)
            .since(V025.number())
            .before(V1.number()),
        member("authentication", Open(&AUTHENTICATION))
            .rule(&A2_13)
            .what("an object with schemes")
            .before(V02.number()),
        member("securitySchemes", Table(&SCHEME_OF_0))
            .rule(&A2_13)
            .what("an object from names to security schemes")
            .since(V02.number())
            .before(V1.number()),
        member("securitySchemes", Table(&SCHEME_OF_1))
            .rule(&A2_13)
            .what("an object from names to security schemes")
            .since(V1.number()),
        REQUIREMENTS_OF_0.since(V02.number()).before(V1.number()),
        REQUIREMENTS_OF_1.since(V1.number()),
        member("signatures", List(&SIGNATURE))
            .rule(&A2S_01)
            .what("a list of signatures")
            .since(V03.number()),
    ],
);

const AGENT: &str = "a sentence on what the agent does";

static INTERFACE: Member = item(Open(&[
    required("url", Name("the interface's URL")),
    required(
        "protocolBinding",
        Name("JSONRPC, GRPC or HTTP+JSON, or the URI of another binding"),
    ),
    required(
        "protocolVersion",
        Name("the A2A version spoken there, such as 1.0"),
    ),
    member("tenant", Text),
]))
.what("an interface object");

static ADDITIONAL_INTERFACE: Member = item(Open(&[
    required("url", Name("the interface's URL")),
    required(
        "transport",
        Name("JSONRPC, GRPC, HTTP+JSON or another transport"),
    ),
]));

static CAPABILITIES: [Member; 5] = [
    member("streaming", Flag),
    member("pushNotifications", Flag),
    member("stateTransitionHistory", Flag).before(V1.number()),
    member("extendedAgentCard", Flag).since(V1.number()),
    member("extensions", List(&EXTENSION))
        .rule(&A2_15)
        .what("a list of extensions")
        .since(V025.number()),
];

static EXTENSION: Member = item(Open(&[
    required("uri", Prose("the extension's URI")).before(V1.number()),
    recommended("uri", Prose("the extension's URI")).since(V1.number()),
    member("description", Text),
    member("required", Flag),
    member("params", Open(&[])),
]))
.what("an extension object");

static SKILL: Member = item(Open(&[
    required("id", Name("the skill's id as a string")).of_capability(&[CapabilityFact::Id]),
    required("name", Name("the skill's name as a string")).of_capability(&[CapabilityFact::Name]),
    required("description", Prose("a sentence on what the skill does"))
        .of_capability(&[CapabilityFact::Description])
        .since(V02.number()),
    recommended("description", Prose("a sentence on what the skill does"))
        .of_capability(&[CapabilityFact::Description])
        .before(V02.number()),
    required("tags", List(&STRING))
        .of_capability(&[CapabilityFact::Tags])
        .what(TAGS)
        .since(V02.number()),
    recommended("tags", List(&STRING))
        .of_capability(&[CapabilityFact::Tags])
        .what(TAGS)
        .before(V02.number()),
    member("examples", List(&STRING))
        .of_capability(&[CapabilityFact::Examples])
        .what("a list of strings"),
    member("inputModes", List(&STRING))
        .of_capability(&[CapabilityFact::InputModes])
        .rule(&A2_11)
        .what("a list of strings"),
    member("outputModes", List(&STRING))
        .of_capability(&[CapabilityFact::OutputModes])
        .rule(&A2_11)
        .what("a list of strings"),
    REQUIREMENTS_OF_0.since(V03.number()).before(V1.number()),
    REQUIREMENTS_OF_1.since(V1.number()),
]))
.rule(&A2_10)
.what("a skill object");

const TAGS: &str = "the skill's tags as a list of strings";

static STRING: Member = item(Text);

static MODES: Member = MODES_OF_02.tests(&[Test::new(
    is_filled,
    "empty; name at least one media type, such as text/plain",
)
.warning()]);

static MODES_OF_02: Member = required("", List(&STRING)).rule(&A2_11).what(MEDIA_TYPES);

static MODES_OF_01: Member = member("", List(&STRING)).rule(&A2_11).what(MEDIA_TYPES);

const MEDIA_TYPES: &str = "media types such as text/plain, as a list of strings";

static PROVIDER: [Member; 3] = [
    required("organization", Prose("the organization's name")),
    required("url", Prose(PAGE)).since(V02.number()),
    recommended("url", Prose(PAGE)).before(V02.number()),
];

const PAGE: &str = "the organization's page as an absolute https URL";

static AUTHENTICATION: [Member; 2] = [
    required("schemes", List(&STRING)).what("the names of the schemes as a list of strings"),
    member("credentials", Text),
];

static SCHEME_OF_0: Member =
    item(Open(&[required("type", Text).what(
        "apiKey, http, oauth2, openIdConnect or (0.3) mutualTLS",
    )]))
    .what("a security scheme object");

/// Returns the members of a scheme of this type, as they are before 1.0; `None` for an unknown
/// type.
pub(super) fn scheme_of_0(kind: &str, edition: Edition) -> Option<&'static Schema> {
    static API_KEY: Schema = Schema::open(&A2_13, &[required("in", PLACE), PARAMETER, DESCRIPTION]);
    static HTTP: Schema = Schema::open(
        &A2_13,
        &[HTTP_SCHEME, member("bearerFormat", Text), DESCRIPTION],
    );
    static OAUTH2: Schema = Schema::open(
        &A2_13,
        &[required("flows", FLOWS).what(FLOWS_OBJECT), DESCRIPTION],
    );
    static OPEN_ID_CONNECT: Schema = Schema::open(&A2_13, &[METADATA, DESCRIPTION]);
    static MUTUAL_TLS: Schema = Schema::open(&A2_13, &[]);
    match kind {
        "apiKey" => Some(&API_KEY),
        "http" => Some(&HTTP),
        "oauth2" => Some(&OAUTH2),
        "openIdConnect" => Some(&OPEN_ID_CONNECT),
        "mutualTLS" if edition.number >= V03.number() => Some(&MUTUAL_TLS),
        _ => None,
    }
}

static SCHEME_OF_1: Member = item(Open(&[
    member(
        "apiKeySecurityScheme",
        Open(&[required("location", PLACE), PARAMETER]),
    ),
    member("httpAuthSecurityScheme", Open(&[HTTP_SCHEME])),
    member(
        "oauth2SecurityScheme",
        Open(&[required("flows", FLOWS).what(FLOWS_OBJECT)]),
    ),
    member("openIdConnectSecurityScheme", Open(&[METADATA])),
    member("mtlsSecurityScheme", Open(&[])),
]))
.what("a security scheme object");

const DESCRIPTION: Member = member("description", Text);

const PLACE: Shape = Word(&["header", "query", "cookie"]);

const PARAMETER: Member =
    required("name", Text).what("the name of the header, parameter or cookie");

const HTTP_SCHEME: Member = required("scheme", Text).what("the HTTP scheme, such as Bearer");

const METADATA: Member =
    required("openIdConnectUrl", Text).what("the URL of the provider's metadata");

const FLOWS_OBJECT: &str = "the OAuth flows as an object";

static FLOWS: Shape = Open(&[
    member(
        "authorizationCode",
        Open(&[AUTHORIZATION_URL, TOKEN_URL, SCOPES]),
    ),
    member("implicit", Open(&[AUTHORIZATION_URL, SCOPES])),
    member("clientCredentials", Open(&[TOKEN_URL, SCOPES])),
    member("password", Open(&[TOKEN_URL, SCOPES])),
]);

const AUTHORIZATION_URL: Member = required("authorizationUrl", Text).what("its URL");

const TOKEN_URL: Member = required("tokenUrl", Text).what("its URL");

static SCOPES: Member =
    required("scopes", Table(&STRING)).what("an object from scopes to what they allow");

static REQUIREMENTS_OF_0: Member = member("security", List(&REQUIREMENT_OF_0))
    .rule(&A2_13)
    .what("a list of requirements");

static REQUIREMENT_OF_0: Member =
    item(Table(&SCOPES_OF_0)).what("an object from schemes to lists of scopes");

static SCOPES_OF_0: Member =
    item(List(&STRING)).what("the scopes as a list of strings, empty if there are none");

static REQUIREMENTS_OF_1: Member = member("securityRequirements", List(&REQUIREMENT_OF_1))
    .rule(&A2_13)
    .what("a list of requirements");

static REQUIREMENT_OF_1: Member = item(Open(&[
    member("schemes", Table(&SCOPES_OF_1)).what("an object from names to {\"list\": [scopes]}")
]))
.what("an object with schemes");

static SCOPES_OF_1: Member =
    item(Open(&[member("list", List(&STRING))])).what("the scopes as {\"list\": [scopes]}");

static SIGNATURE: Member = item(Open(&[
    required("protected", Name("the JWS header in base64url")),
    required("signature", Name("the signature in base64url")),
    member("header", Open(&[])).what("an object of unprotected header members"),
]))
.what("a signature object");
