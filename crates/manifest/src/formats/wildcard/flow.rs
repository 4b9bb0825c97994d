//! Mapping of a flow to a capability.

use super::manifest::{Fields, Flow, Parameter};
use crate::agent::Param;
use crate::{Capability, schema};
use serde_json::Value;

impl Flow {
    /// Returns the capability; `None` for a flow without id and title.
    pub(super) fn normalize(&self, index: usize) -> Option<Capability> {
        let name = self.title.text().or_else(|| self.id.text())?;
        let fields = self.fields.get().cloned().unwrap_or_default();
        let body = fields.body();
        let own = fields.parameters.items().filter_map(|(_, it)| it.param());
        let mut params: Vec<_> = own.collect();
        let takes_body_only = params.is_empty();
        params.extend(body.map_or_else(Vec::new, body_params));
        Some(Capability {
            id: self.id.text().unwrap_or_else(|| name.clone()),
            name,
            description: self.description.text(),
            input_schema: match body {
                Some(body) if takes_body_only => Some(body.clone()),
                _ => schema::of_params(&params),
            },
            params,
            output_schema: fields.answer().cloned(),
            pointer: format!("/flows/{index}"),
            ..Capability::default()
        })
    }
}

impl Fields {
    /// Returns the first schema of the request body, whatever its media type.
    fn body(&self) -> Option<&Value> {
        let content = self.request_body.get()?.get("content")?.as_object()?;
        let schemas = content.values().filter_map(|media| media.get("schema"));
        schemas.into_iter().find(|schema| schema.is_object())
    }

    /// Returns the schema of the result, unless it is empty.
    fn answer(&self) -> Option<&Value> {
        let success = self.responses.get()?.get("success")?;
        success
            .as_object()
            .is_some_and(|members| !members.is_empty())
            .then_some(success)
    }
}

impl Parameter {
    fn param(&self) -> Option<Param> {
        Some(Param {
            name: self.name.text()?,
            location: None,
            kind: self.kind.text(),
            description: self.description.text(),
            required: self.required.get() == Some(&true),
            default: self.default.get().cloned(),
            choices: self.choices.get().cloned().unwrap_or_default(),
        })
    }
}

fn body_params(schema: &Value) -> Vec<Param> {
    let mut params = schema::params_of(schema);
    for param in &mut params {
        param.location = Some("body".to_owned());
    }
    params
}
