//! The rules WC-01 to WC-08.

use crate::Severity::Warning;
use crate::rule::{Example, Rule};

/// Title of the format.
pub(super) const FORMAT: &str = "Wildcard agents.json";
const PATH: &str = "/.well-known/agents.json";

/// Expands to a document with this list of flows; the list may be followed by more members.
macro_rules! document {
    ($flows:literal) => {
        Example::at(
            PATH,
            concat!(
                r#"{"agentsJson": "0.1.0",
                    "info": {"title": "Kite Rental", "version": "1.0.0", "description": "Rents out kites."},
                    "sources": [{"id": "kites", "path": "https://shop.example/openapi.json"}],
                    "flows": "#,
                $flows,
                "}"
            ),
        )
    };
}

const SOUND: Example = document!(
    r#"[{"id": "rent_kite", "title": "Rent a kite", "description": "Finds a kite and rents it.",
         "actions": [{"id": "find", "sourceId": "kites", "operationId": "findKites"},
                     {"id": "rent", "sourceId": "kites", "operationId": "rentKite"}],
         "links": [{"origin": {"actionId": "find", "fieldPath": "responses.success.id"},
                    "target": {"actionId": "rent", "fieldPath": "parameters.id"}},
                   {"origin": {"actionId": null, "fieldPath": "parameters.wind"},
                    "target": {"actionId": "find", "fieldPath": "parameters.wind"}}],
         "fields": {"parameters": [{"name": "wind", "type": "number", "required": true}],
                    "responses": {"success": {"type": "object"}}}}],
       "overrides": [{"sourceId": "kites", "operationId": "findKites",
                      "fieldPath": "parameters.0.required", "value": true}]"#
);

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, &[]);

pub(crate) static WC_01: Rule = Rule {
    id: "WC-01",
    title: "The four required members are present",
    explanation: "agentsJson, info, sources and flows are required. overrides are optional; each one has sourceId, operationId, fieldPath and value.",
    section: "agents.json 0.1.0, schema",
    good: &[SOUND],
    bad: &[Example::at(
        PATH,
        r#"{"agentsJson": "0.1.0", "flows": [],
                "info": {"title": "Kite Rental", "version": "1.0.0", "description": "Rents out kites."}}"#,
    )],
    ..RULE
};

pub(crate) static WC_02: Rule = Rule {
    id: "WC-02",
    title: "info has title, version and description",
    explanation: "info gives the name of the service, the version, and the purpose. People and models choose a service by it.",
    section: "agents.json 0.1.0, schema, info",
    good: &[SOUND],
    bad: &[Example::at(
        PATH,
        r#"{"agentsJson": "0.1.0", "info": {"title": "Kite Rental"}, "sources": [], "flows": []}"#,
    )],
    ..RULE
};

pub(crate) static WC_03: Rule = Rule {
    id: "WC-03",
    title: "Each source has its own id and a path",
    explanation: "Actions name sources by id. The path is the address of the OpenAPI document.",
    section: "agents.json 0.1.0, schema, sources",
    good: &[SOUND],
    bad: &[Example::at(
        PATH,
        r#"{"agentsJson": "0.1.0", "flows": [],
                "info": {"title": "Kite Rental", "version": "1.0.0", "description": "Rents out kites."},
                "sources": [{"id": "kites", "path": "/one.json"}, {"id": "kites", "path": "/two.json"}]}"#,
    )],
    ..RULE
};

pub(crate) static WC_04: Rule = Rule {
    id: "WC-04",
    title: "Each flow is complete",
    explanation: "A flow has id, title, description, actions and fields; an action has id, sourceId and operationId; fields have parameters, and responses with success.",
    section: "agents.json 0.1.0, schema, flows",
    good: &[SOUND],
    bad: &[document!(
        r#"[{"id": "rent_kite", "title": "Rent a kite", "description": "Rents a kite."}]"#
    )],
    ..RULE
};

pub(crate) static WC_05: Rule = Rule {
    id: "WC-05",
    severity: Warning,
    title: "Actions name known sources",
    explanation: "The sourceId of an action is the id of one of the sources; otherwise a client cannot find the operation.",
    section: "agents.json 0.1.0, schema, actions",
    good: &[SOUND],
    bad: &[document!(
        r#"[{"id": "rent_kite", "title": "Rent a kite", "description": "Rents a kite.",
                 "actions": [{"id": "rent", "sourceId": "boats", "operationId": "rentKite"}],
                 "fields": {"parameters": [], "responses": {"success": {}}}}]"#
    )],
    ..RULE
};

pub(crate) static WC_06: Rule = Rule {
    id: "WC-06",
    severity: Warning,
    title: "Links join actions of their flow",
    explanation: "actionId at either end of a link is the id of an action in the same flow, or null for the parameters and the result of the flow itself.",
    section: "agents.json 0.1.0, schema, links",
    good: &[SOUND],
    bad: &[document!(
        r#"[{"id": "rent_kite", "title": "Rent a kite", "description": "Rents a kite.",
                 "actions": [{"id": "rent", "sourceId": "kites", "operationId": "rentKite"}],
                 "links": [{"origin": {"actionId": "find", "fieldPath": "responses.success.id"},
                            "target": {"actionId": "rent", "fieldPath": "parameters.id"}}],
                 "fields": {"parameters": [{"name": "id"}], "responses": {"success": {}}}}]"#
    )],
    ..RULE
};

pub(crate) static WC_07: Rule = Rule {
    id: "WC-07",
    title: "Parameters have only the members of the schema",
    explanation: "The schema allows name, description, required and type, and nothing else; request bodies, responses and links are closed in the same way. We read enum and default, but a strict validator rejects them.",
    section: "agents.json 0.1.0, schema, fields",
    good: &[SOUND],
    bad: &[document!(
        r#"[{"id": "rent_kite", "title": "Rent a kite", "description": "Rents a kite.",
                 "actions": [{"id": "rent", "sourceId": "kites", "operationId": "rentKite"}],
                 "fields": {"parameters": [{"name": "size", "type": "string", "enum": ["small", "large"]}],
                            "responses": {"success": {}}}}]"#
    )],
    ..RULE
};

pub(crate) static WC_08: Rule = Rule {
    id: "WC-08",
    severity: Warning,
    title: "Overrides change known sources",
    explanation: "The sourceId of an override is the id of one of the sources; otherwise it changes nothing.",
    section: "agents.json 0.1.0, schema, overrides",
    good: &[SOUND],
    bad: &[document!(
        r#"[], "overrides": [{"sourceId": "boats", "operationId": "findKites",
                                  "fieldPath": "summary", "value": "Find a kite"}]"#
    )],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &WC_01, &WC_02, &WC_03, &WC_04, &WC_05, &WC_06, &WC_07, &WC_08,
];
