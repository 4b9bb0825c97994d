//! The schema of the Wildcard specification.
//!
//! It is closed, but upstream's own files have members beside it; only the objects in which they
//! mislead a client are closed here (WC-07).

use super::rules::{WC_01, WC_02, WC_03, WC_04, WC_07};
use crate::shape::Shape::{self, Any, Closed, Flag, List, Name, Open, Text};
use crate::shape::{Member, Schema, Unknown, item, member, required};
use crate::{CapabilityFact, Fact};

pub(super) static MANIFEST: Schema = Schema::closed(
    &WC_01,
    Open(&[
        required("agentsJson", Text)
            .of_format()
            .what("the specification's version, such as 0.1.0"),
        required("info", INFO).rule(&WC_02),
        required("sources", List(&SOURCE)).what("the APIs as a list"),
        required("flows", List(&FLOW)).what("the flows as a list"),
        member("overrides", List(&OVERRIDE)).what("a list of overrides"),
    ]),
    Unknown::ByObject(
        &WC_07,
        "the schema does not allow members here that upstream's own files have; remove",
    ),
);

static INFO: Shape = Open(&[
    required("title", Name("the title as a string")).facts(&[Fact::Name]),
    required("version", Name("the version as a string")).facts(&[Fact::Version]),
    required("description", Name("the description as a string")).facts(&[Fact::Description]),
]);

static SOURCE: Member = item(Open(&[
    required("id", Name("an id")),
    required("path", Name("the address of the OpenAPI document")),
]))
.rule(&WC_03);

static OVERRIDE: Member = item(Open(&[
    required("sourceId", Text),
    required("operationId", Text),
    required("fieldPath", Text),
    required("value", Any).what("the new value"),
]));

static FLOW: Member = item(Open(&[
    required("id", Text)
        .of_capability(&[CapabilityFact::Id])
        .what("the flow's id as a string"),
    required("title", Text)
        .of_capability(&[CapabilityFact::Name])
        .what("the flow's title as a string"),
    required("description", Text)
        .of_capability(&[CapabilityFact::Description])
        .what("the flow's description as a string"),
    required("actions", List(&ACTION))
        .kept()
        .what("the operations as a list"),
    member("links", List(&LINK)).kept().what("a list of links"),
    required("fields", FIELDS),
]))
.rule(&WC_04)
.what("an object with an id");

static ACTION: Member = item(Open(&[
    required("id", Text).what("the action's id as a string"),
    required("sourceId", Text).what("the action's sourceId as a string"),
    required("operationId", Text).what("the action's operationId as a string"),
]));

static LINK: Member = item(Closed(&[required("origin", END), required("target", END)]));

static END: Shape = Open(&[
    required("fieldPath", Text).what("the path of a field"),
    member("actionId", Text)
        .what("an action's id or null")
        .nullable(),
]);

static FIELDS: Shape = Open(&[
    required("parameters", List(&PARAMETER))
        .of_capability(&[CapabilityFact::Params, CapabilityFact::InputSchema])
        .what("the parameters as a list"),
    member(
        "requestBody",
        Closed(&[member("content", Any), member("required", Any)]),
    )
    .rule(&WC_07),
    required(
        "responses",
        Closed(&[
            required("success", Open(&[])).what("the schema of the answer as an object"),
            member("example", Any),
        ]),
    ),
]);

static PARAMETER: Member = item(Closed(&[
    required("name", Text).what("the parameter's name"),
    member("description", Text),
    member("required", Flag),
    member("type", Text),
]))
.what("an object with a name");
