//! Capabilities as an agent's page shows them.

use super::kept::Kept;
use super::{TranslationView, WebLink, access, inline, pretty, title};
use manifest::agent::{Capability, Param};
use url::form_urlencoded;

/// Capability on an agent's page.
#[derive(Clone, Debug)]
pub(crate) struct CapabilityView {
    pub(crate) name: String,
    /// The publisher's id, if it differs from the name.
    pub(crate) id: Option<String>,
    /// Fragment of its anchor.
    pub(crate) anchor: String,
    pub(crate) description: Option<String>,
    pub(crate) is_deprecated: bool,
    /// Method and endpoint, as `GET /search`, or the endpoint alone.
    pub(crate) call: Option<String>,
    /// Endpoint as an absolute URL.
    pub(crate) url: Option<WebLink>,
    /// Short notes, such as "Session required".
    pub(crate) notes: Vec<String>,
    pub(crate) params: Vec<ParamView>,
    pub(crate) examples: Vec<String>,
    /// JSON Schema of the input.
    pub(crate) input_schema: Option<String>,
    pub(crate) output_schema: Option<String>,
    pub(crate) translations: Vec<TranslationView>,
    /// Members that no rule interprets.
    pub(crate) extensions: Option<Kept>,
    /// Position in the document.
    pub(crate) pointer: String,
    /// Address of the text that states it.
    pub(crate) text: String,
    /// Path of the data for a first call of it.
    pub(crate) first_call: String,
}

/// Parameter on an agent's page.
#[derive(Clone, Debug)]
pub(crate) struct ParamView {
    pub(crate) name: String,
    /// Type and location: `string, in path`.
    pub(crate) kind: String,
    pub(crate) is_required: bool,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<String>,
    pub(crate) choices: Option<String>,
}

impl CapabilityView {
    /// Converts capability number `index` of the agent that the API has at `api`, which the text at
    /// `text` states.
    pub(crate) fn of(index: usize, capability: &Capability, api: &str, text: String) -> Self {
        let name: String = form_urlencoded::byte_serialize(capability.name.as_bytes()).collect();
        Self {
            first_call: format!("{api}?capability={name}"),
            name: title(&capability.name),
            id: (capability.id != capability.name && !capability.id.is_empty())
                .then(|| capability.id.clone()),
            anchor: anchor(index),
            description: capability.description.clone(),
            is_deprecated: capability.deprecated,
            call: capability.endpoint.as_ref().map(|endpoint| {
                let method = capability.method.as_deref().unwrap_or_default();
                format!("{method} {endpoint}").trim().to_owned()
            }),
            url: WebLink::maybe(capability.url.as_ref()),
            notes: notes(capability),
            params: capability.params.iter().map(ParamView::of).collect(),
            examples: capability.examples.clone(),
            input_schema: capability.input_schema.as_ref().map(pretty),
            output_schema: capability.output_schema.as_ref().map(pretty),
            translations: TranslationView::all(&capability.translations),
            extensions: Kept::of(&capability.extensions),
            pointer: capability.pointer.clone(),
            text,
        }
    }
}

/// Returns the fragment of the anchor of a capability.
pub(crate) fn anchor(index: usize) -> String {
    format!("capability-{}", index + 1)
}

impl ParamView {
    fn of(param: &Param) -> Self {
        let mut kind: Vec<String> = param.kind.iter().cloned().collect();
        if let Some(place) = &param.location {
            kind.push(format!("in {place}"));
        }
        let choices: Vec<String> = param.choices.iter().map(inline).collect();
        Self {
            name: param.name.clone(),
            kind: kind.join(", "),
            is_required: param.required,
            description: param.description.clone(),
            default: param.default.as_ref().map(inline),
            choices: (!choices.is_empty()).then(|| choices.join(", ")),
        }
    }
}

fn notes(capability: &Capability) -> Vec<String> {
    let mut notes = Vec::new();
    match capability.requires_auth {
        Some(true) => notes.push("Authentication required".to_owned()),
        Some(false) => notes.push("No authentication".to_owned()),
        None => {}
    }
    if capability.requires_session == Some(true) {
        notes.push("Session required".to_owned());
    }
    if capability.human_handoff == Some(true) {
        notes.push("Completed by a person at a URL".to_owned());
    }
    if let Some(limit) = &capability.rate_limit {
        notes.push(format!("At most {}", access::limit_words(limit)));
    }
    if let Some(protocol) = &capability.protocol {
        notes.push(format!("Protocol: {}", access::protocol_title(protocol)));
    }
    if !capability.input_modes.is_empty() {
        notes.push(format!("Accepts {}", capability.input_modes.join(", ")));
    }
    if !capability.output_modes.is_empty() {
        notes.push(format!("Returns {}", capability.output_modes.join(", ")));
    }
    notes
}
