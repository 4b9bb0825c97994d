//! The official schema.
//!
//! It is closed at every level, with a few exceptions (JA-04). Two differences are intentional:
//! `manifest_version` may be another 1.x (JA-02), and capabilities may have the schemas that the
//! upstream registry gives them (JA-09).

use super::rules::{JA_01, JA_02, JA_03, JA_04, JA_08, JA_09, JA_10, JA_13, JA_14};
use crate::shape::Shape::{Amount, Closed, Flag, List, Open, Set, Table, Text, Whole, Word};
use crate::shape::{Member, Schema, Shape, Unknown, item, member, required};
use crate::{CapabilityFact, Fact};

/// The schema of a manifest.
pub(super) static MANIFEST: Schema = Schema::closed(
    &JA_01,
    Closed(&[
        required("manifest_version", NAME).of_format().rule(&JA_02),
        member("profiles", Set(&PROFILE)).rule(&JA_08),
        required("agent", AGENT).rule(&JA_03),
        member("capabilities", List(&item(CAPABILITY))).rule(&JA_09),
        member("tools", List(&item(TOOL))).rule(&JA_10),
        member("modalities", MODALITIES).rule(&JA_04),
        member("context", CONTEXT).rule(&JA_04),
        member("runtime", RUNTIME).rule(&JA_04),
        member("security", SECURITY).rule(&JA_04),
        member("policies", List(&item(POLICY)))
            .facts(&[Fact::Policies])
            .rule(&JA_13),
        member("observability", OBSERVABILITY).rule(&JA_04),
        member("graph", GRAPH).facts(&[Fact::Graph]).rule(&JA_14),
        member("signatures", List(&item(SIGNATURE))).rule(&JA_04),
        member("extensions", Open(&[])).rule(&JA_04),
    ]),
    Unknown::Each(
        &JA_04,
        "x-",
        "not defined by the schema; move it to extensions, or to an x- name at the top",
    ),
);

static NAME: Shape = Shape::Name("a string that is not empty");

static PROFILE: Member = item(Word(&["core", "exec", "gov", "graph"]));

static AGENT: Shape = Closed(&[
    required("id", NAME).facts(&[Fact::Key]),
    required("name", NAME).facts(&[Fact::Name]),
    member("description", Text).facts(&[Fact::Description]),
    member("version", Text).facts(&[Fact::Version]),
    member("homepage", Text).facts(&[Fact::Homepage]),
    member("authors", List(&item(AUTHOR))),
    member("license", Text),
    member("tags", Set(&item(Text))).facts(&[Fact::Tags]),
]);

static AUTHOR: Shape = Closed(&[
    member("name", Text),
    member("organization", Text),
    member("email", Text),
]);

static CAPABILITY: Shape = Closed(&[
    required("id", NAME).of_capability(&[CapabilityFact::Id]),
    member("description", Text).of_capability(&[CapabilityFact::Description]),
    member("schema", Text),
    member("input_schema", Open(&[])).of_capability(&[CapabilityFact::InputSchema]),
    member("output_schema", Open(&[])).of_capability(&[CapabilityFact::OutputSchema]),
]);

static TOOL: Shape = Closed(&[
    required("id", NAME).of_capability(&[CapabilityFact::Id]),
    required("name", NAME).of_capability(&[CapabilityFact::Name]),
    required(
        "type",
        Word(&["http", "function", "plugin", "system", "mcp", "custom"]),
    )
    .of_capability(&[CapabilityFact::Tags]),
    member("description", Text).of_capability(&[CapabilityFact::Description]),
    member("endpoint", Text).of_capability(&[CapabilityFact::Endpoint, CapabilityFact::Url]),
    member("input_schema", Open(&[])).of_capability(&[CapabilityFact::InputSchema]),
    member("output_schema", Open(&[])).of_capability(&[CapabilityFact::OutputSchema]),
    member(
        "auth",
        Closed(&[member("method", Text), member("ref", Text).kept()]),
    ),
    member("metadata", Open(&[])),
]);

static MODALITIES: Shape = Closed(&[
    member("input", Set(&item(Text))).facts(&[Fact::InputModes]),
    member("output", Set(&item(Text))).facts(&[Fact::OutputModes]),
]);

static CONTEXT: Shape = Open(&[
    member("window", Whole(1)),
    member("strategy", Text),
    member("persistent", Flag),
]);

static RUNTIME: Shape = Closed(&[
    member(
        "type",
        Word(&[
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
    member("language", Text),
    member("entrypoint", Text),
    member("env", Table(&item(Text))),
    member(
        "resources",
        Closed(&[
            member("cpu_cores_min", Amount),
            member("memory_mb_min", Amount),
            member("accelerator", Text),
        ]),
    ),
]);

static SECURITY: Shape = Closed(&[
    member("sandbox", Text),
    member("network_zone", Text),
    member("auth_context", Text),
    member("sensitive_data_handling", Text),
]);

static POLICY: Shape = Closed(&[
    required("id", NAME),
    required("effect", Word(&["allow", "deny", "audit", "notify"])),
    required("action", NAME),
    member("description", Text),
    member("where", Text),
]);

static OBSERVABILITY: Shape = Closed(&[
    member("log_level", Text),
    member("log_sink", Text),
    member("redact_sensitive", Flag),
    member("metrics_enabled", Flag),
    member("trace_enabled", Flag),
]);

static GRAPH: Shape = Closed(&[
    required("nodes", List(&item(NODE))),
    member("edges", List(&item(EDGE))),
    member("message_envelope", Closed(&[member("schema", Text)])),
]);

static NODE: Shape = Closed(&[
    required("id", NAME),
    required("ref", NAME),
    member("role", Text),
    member("metadata", Open(&[])),
]);

static EDGE: Shape = Closed(&[
    required("from", NAME),
    required("to", NAME),
    member("condition", Text),
]);

static SIGNATURE: Shape = Closed(&[
    member("alg", Text),
    member("value", Text),
    member("key_id", Text),
    member("created_at", Text),
]);
