//! The members of server cards and registry entries, with their types.

use super::rules::{MC_01, MC_02, MC_04, MC_06, MC_08};
use crate::shape::Shape::{self, Any, List, Name, Open, Table, Text, Url};
use crate::shape::{Member, Schema, Test, item, member, required, text_test};
use crate::{CapabilityFact, Fact};

/// Only valid value of `$schema` in a current card.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

pub(super) static CURRENT: Schema = Schema::open(
    &MC_01,
    &[
        required("$schema", Name(SCHEMA))
            .rule(&MC_02)
            .tests(&[text_test!(
            |it| it == SCHEMA,
            "must be \"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json\""
        )
        .rule(&MC_04)]),
        NAME,
        DESCRIPTION,
        required("version", Name("the server's version, such as 1.0.0"))
            .rule(&MC_02)
            .tests(&[text_test!(
                |version| !is_range(version),
                "a range; give the one version there is"
            )]),
        member("title", Name("a title"))
            .rule(&MC_02)
            .tests(&[text_test!(
                |title: &str| title.chars().count() <= 100,
                "longer than 100 characters; shorten it"
            )]),
        member("websiteUrl", Url("the URL of the server's page")).rule(&MC_02),
        member("icons", List(&ICON))
            .rule(&MC_02)
            .what("the icons as a list"),
        member("repository", REPOSITORY).rule(&MC_02),
        REMOTES,
    ],
);

/// The members whose facts are stated by rows; the others differ between the generations.
pub(super) static ROWS: Schema = Schema::open(
    &MC_01,
    &[
        member("remotes", List(&REMOTE)),
        member("tools", List(&TOOL)),
    ],
);

pub(super) static REGISTRY: Schema = Schema::open(
    &MC_01,
    &[
        NAME,
        DESCRIPTION,
        member("version", Name("the server's version, such as 1.0.0")).rule(&MC_02),
        REMOTES,
    ],
);

pub(super) static OLDER: Schema = Schema::open(
    &MC_01,
    &[member("tools", List(&TOOL))
        .rule(&MC_08)
        .what("the tools as a list")],
);

static NAME: Member = required("name", Name("the server's name as namespace/name")).rule(&MC_02);

static DESCRIPTION: Member = required("description", Name("what the server does")).rule(&MC_02);

static ICON: Member = item(Open(&[
    required("src", Name("the icon's URL")),
    member("mimeType", Text),
    member("sizes", List(&item(Text))),
    member("theme", Text),
]));

static HEADER: Member = item(Open(&[required("name", Name("the header's name"))]));

static REPOSITORY: Shape = Open(&[
    required("source", Name("the repository's host")),
    member("id", Text),
    member("subfolder", Text),
    required("url", Name("the repository's URL")),
]);

static REMOTES: Member = member("remotes", List(&REMOTE))
    .rule(&MC_06)
    .what("the remote endpoints as a list");

static REMOTE: Member = item(Open(&[
    member("type", Name(TRANSPORTS))
        .facts(&[Fact::Interfaces])
        .tests(&[TRANSPORT]),
    member("transport_type", Name(TRANSPORTS))
        .facts(&[Fact::Interfaces])
        .tests(&[TRANSPORT]),
    required("url", Name("the endpoint's URL"))
        .facts(&[Fact::Interfaces])
        .tests(&[text_test!(
            |url: &str| url.starts_with("https://")
                || url.starts_with("http://")
                || url.starts_with('{'),
            "begin with https:// or a {variable}"
        )]),
    member("headers", List(&HEADER)),
    member("supportedProtocolVersions", List(&item(Text))),
    member("variables", Table(&item(Open(&[])))),
]))
.what("an object with type and url");

const TRANSPORTS: &str = "streamable-http or sse";

/// The registry of July 2025 wrote `streamable`.
const TRANSPORT: Test = text_test!(
    |kind| matches!(kind, "streamable-http" | "sse" | "streamable"),
    "unknown; use streamable-http or sse"
);

static TOOL: Member = item(Open(&[
    required("name", Name("the tool's name")).of_capability(&[CapabilityFact::Id]),
    member("description", Any).of_capability(&[CapabilityFact::Description]),
    member("inputSchema", Any).of_capability(&[CapabilityFact::InputSchema]),
    member("outputSchema", Any).of_capability(&[CapabilityFact::OutputSchema]),
]))
.what("a tool as an object");

/// Reports whether a version is a range: `^1.2`, `~1`, `>=1.0`, `1.x`, `1.*`.
fn is_range(version: &str) -> bool {
    let has_wildcard = version
        .split('.')
        .any(|part| matches!(part, "x" | "X" | "*"));
    has_wildcard || version.starts_with(['^', '~', '>', '<', '='])
}
