//! Data of an A2A agent card, with the members of every generation.
//!
//! A card that the official Python SDK serves has the members of 0.3 and of 1.0 at once, so one
//! struct holds those of all generations; the module `generation` detects which one a card follows.

use super::security::{Requirement, RequirementOf1, SecurityScheme};
use crate::field::{Field, List, Table};
use serde::Deserialize;
use serde_json::{Map, Value};

/// An agent card.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Card {
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) version: Field<String>,
    pub(super) url: Field<String>,
    pub(super) protocol_version: Field<String>,
    pub(super) preferred_transport: Field<String>,
    pub(super) additional_interfaces: List<AdditionalInterface>,
    pub(super) supported_interfaces: List<SupportedInterface>,
    pub(super) capabilities: Field<Map<String, Value>>,
    pub(super) authentication: Field<Authentication>,
    pub(super) security_schemes: Table<SecurityScheme>,
    pub(super) security: List<Requirement>,
    pub(super) security_requirements: List<RequirementOf1>,
    pub(super) default_input_modes: List<String>,
    pub(super) default_output_modes: List<String>,
    pub(super) skills: List<Skill>,
    pub(super) provider: Field<Provider>,
    pub(super) documentation_url: Field<String>,
    pub(super) icon_url: Field<String>,
    #[serde(rename = "supportsAuthenticatedExtendedCard")]
    pub(super) extended: Field<bool>,
    pub(super) signatures: List<Signature>,
    #[serde(rename = "$schema")]
    pub(super) schema: Field<String>,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// A further interface of a card before 1.0.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AdditionalInterface {
    pub(super) url: Field<String>,
    pub(super) transport: Field<String>,
}

/// An interface of a card from 1.0 on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SupportedInterface {
    pub(super) url: Field<String>,
    pub(super) protocol_binding: Field<String>,
    pub(super) protocol_version: Field<String>,
    pub(super) tenant: Field<String>,
    /// Names that cards give the binding instead.
    pub(super) protocol: Field<String>,
    pub(super) binding: Field<String>,
    pub(super) transport: Field<String>,
}

/// Members of `capabilities`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Capabilities {
    pub(super) streaming: Field<bool>,
    pub(super) push_notifications: Field<bool>,
    pub(super) state_transition_history: Field<bool>,
    pub(super) extended_agent_card: Field<bool>,
    pub(super) extensions: List<Extension>,
}

/// A protocol extension that the agent supports.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Extension {
    pub(super) uri: Field<String>,
    pub(super) description: Field<String>,
    pub(super) required: Field<bool>,
    pub(super) params: Field<Map<String, Value>>,
}

/// Authentication of a card of 0.1; many cards have `type` instead of `schemes`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Authentication {
    pub(super) schemes: List<String>,
    pub(super) credentials: Field<String>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
}

/// Something that the agent can do.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Skill {
    pub(super) id: Field<String>,
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) tags: List<String>,
    pub(super) examples: List<String>,
    pub(super) input_modes: List<String>,
    pub(super) output_modes: List<String>,
    pub(super) security: List<Requirement>,
    pub(super) security_requirements: List<RequirementOf1>,
}

/// Organization that runs the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Provider {
    pub(super) organization: Field<String>,
    pub(super) url: Field<String>,
}

/// A JWS signature with a detached payload (A2S-01).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Signature {
    pub(super) protected: Field<String>,
    #[serde(rename = "signature")]
    pub(super) value: Field<String>,
    pub(super) header: Field<Map<String, Value>>,
}

impl Card {
    /// Returns the members of `capabilities` that the specification defines.
    pub(super) fn features(&self) -> Capabilities {
        let members = self.capabilities.get().cloned().unwrap_or_default();
        Field::of(&Value::Object(members))
            .get()
            .cloned()
            .unwrap_or_default()
    }

    /// Reports whether the card announces an extended card for authenticated callers (A2-21).
    pub(super) fn announces_extended_card(&self) -> bool {
        self.extended.get() == Some(&true)
            || self.features().extended_agent_card.get() == Some(&true)
    }
}
