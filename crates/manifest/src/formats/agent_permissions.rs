//! Permissions for agents on web pages: `agent-permissions.json`.
//!
//! The file states a site's policy, not an agent: which interactions with the elements of its pages
//! are allowed (`resource_rules`), what agents must and must not do there (`action_guidelines`),
//! and the interfaces to use instead (`api`). No agent is read from it, so its members give no facts. An interface of type a2a or
//! openapi becomes a reference to its document; the type mcp names the server itself, which is no
//! document.
//!
//! <https://github.com/las-wg/agent-permissions.json>

use crate::Severity::Error;
use crate::field::{Field, List};
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::{Example, Rule};
use crate::shape::Shape::{self, Closed, Flag, List as Items, Text, Whole, Word};
use crate::shape::{Member, Schema, Unknown, item, member, required, text_test};
use crate::{Agent, FormatId, Reference};
use serde::Deserialize;

/// Reader of permissions.
pub(super) struct AgentPermissions;

/// The members that lead to other documents.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    api: List<Interface>,
}

/// Interface to use instead of the pages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Interface {
    #[serde(rename = "type")]
    kind: Field<String>,
    endpoint: Field<String>,
}

static PERMISSIONS: Schema = Schema::closed(
    &PM_01,
    Closed(&[
        required("metadata", METADATA),
        required("resource_rules", Items(&RULE)).what("the rules as a list"),
        member("action_guidelines", Items(&GUIDELINE)),
        member("api", Items(&INTERFACE)).what("the interfaces as a list"),
    ]),
    Unknown::ByObject(
        &PM_01,
        "take out the members that the schema does not allow:",
    ),
);

static METADATA: Shape = Closed(&[
    required("schema_version", Text).tests(&[text_test!(
        is_version,
        "not a version; give three numbers, such as 1.0.0"
    )]),
    required("last_updated", Text).what("the time of publication (RFC 3339)"),
    member("author", Text),
]);

static RULE: Member = item(Closed(&[
    required("verb", VERB),
    required("selector", Text).what("a CSS selector"),
    required("allowed", Flag),
    member("modifiers", MODIFIERS),
]));

const VERB: Shape = Word(&[
    "all",
    "read_content",
    "read_metadata",
    "follow_link",
    "click_element",
    "scroll_page",
    "set_input_value",
    "submit_form",
    "execute_script",
    "play_media",
    "pause_media",
    "mute_media",
    "unmute_media",
    "upload_file",
    "download_file",
    "copy_to_clipboard",
]);

static MODIFIERS: Shape = Closed(&[
    member("burst", Whole(1)),
    member(
        "rate_limit",
        Closed(&[
            member("max_requests", Whole(1)),
            member("window_seconds", Whole(1)),
        ]),
    ),
    member("time_window", Text).tests(&[text_test!(
        is_window,
        "not a span of time; give two times of the day, such as 08:00-20:00 UTC"
    )]),
    member("human_in_the_loop", Flag),
]);

static GUIDELINE: Member = item(Closed(&[
    required(
        "directive",
        Word(&["MUST", "MUST NOT", "SHOULD", "SHOULD NOT"]),
    ),
    required("description", Text),
    member("exceptions", Text),
]));

static INTERFACE: Member = item(Closed(&[
    required("type", Word(&["openapi", "mcp", "a2a"])),
    required("endpoint", Text).what("the address"),
    required("description", Text),
    member("docs", Text),
]));

pub(crate) static PM_01: Rule = Rule {
    id: "PM-01",
    format: AgentPermissions::TITLE,
    severity: Error,
    title: "The permissions follow their closed schema",
    explanation: "Clients treat a file that breaks the schema as absent, so its rules protect nothing. `metadata` has a version and a time, each rule a known verb, a selector and `allowed`, and each guideline a directive of RFC 2119.",
    section: "agent-permissions.json, JSON Schema",
    good: &[permissions(
        r##"{"metadata": {"schema_version": "1.0.0", "last_updated": "2026-03-01T12:00:00Z"},
  "resource_rules": [{"verb": "click_element", "selector": "#buy", "allowed": true, "modifiers": {"human_in_the_loop": true}}]}"##,
    )],
    bad: &[permissions(
        r##"{"metadata": {"schema_version": "1.0.0", "last_updated": "2026-03-01T12:00:00Z"},
  "resource_rules": [{"verb": "buy", "selector": "#buy", "allowed": "yes"}]}"##,
    )],
};

impl Format for AgentPermissions {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("agent-permissions");
    const TITLE: &'static str = "Agent permissions";
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Self::ID, |o| {
        marker::array(o, "resource_rules").is_some() && o.contains_key("metadata")
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agent-permissions.json"];
    const SHAPE: Option<&'static Schema> = Some(&PERMISSIONS);
    const RULES: &'static [&'static Rule] = &[&PM_01];

    fn parse(input: &Input<'_>) -> Manifest {
        input.manifest()
    }

    fn normalize(_: &Manifest, _: &Input<'_>) -> Vec<Agent> {
        Vec::new()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let documents = manifest.api.items().filter_map(|(index, interface)| {
            let rel = match interface.kind.raw()? {
                "a2a" => "agent-card",
                "openapi" => "openapi",
                _ => return None,
            };
            let pointer = format!("/api/{index}/endpoint");
            reference::to(input.document, rel, interface.endpoint.raw()?, &pointer)
        });
        reference::distinct(documents)
    }
}

fn is_version(version: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    version.split('.').count() == 3 && version.split('.').all(is_number)
}

/// Reports whether a text has the form `08:00-20:00 UTC`.
fn is_window(text: &str) -> bool {
    let form = b"00:00-00:00 UTC";
    let fits = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *form,
    };
    text.len() == form.len() && text.bytes().zip(form).all(fits)
}

const fn permissions(body: &'static str) -> Example {
    Example::at("/.well-known/agent-permissions.json", body)
}
