//! Input of a capability: its parameters, each with a schema.

use crate::agent::Param;
use crate::{Capability, link, schema};
use serde_json::Value;

/// One parameter with its complete schema.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// The parameter as the model has it.
    pub(super) param: Param,
    /// Its JSON Schema, an object.
    pub(super) schema: Value,
    /// True if the URL has a place for it.
    is_in_path: bool,
}

impl Input {
    /// Reports whether the parameter is where a format without locations puts it: in the path if the
    /// URL has a place for it, else in the query of GET and the body of others.
    pub(super) fn has_usual_location(&self, method: &str) -> bool {
        let usual = match method {
            _ if self.is_in_path => "path",
            "GET" => "query",
            _ => "body",
        };
        self.param.location.as_deref().is_none_or(|it| it == usual)
    }
}

/// Returns the parameters of `capability`, in document order.
pub(super) fn inputs(capability: &Capability) -> Vec<Input> {
    let schema = schema(capability);
    let property = |name: &str| {
        let found = schema.as_ref().and_then(|it| it["properties"].get(name));
        found.filter(|it| it.is_object()).cloned()
    };
    let read = || schema.as_ref().map_or_else(Vec::new, schema::params_of);
    let params = match capability.params.as_slice() {
        [] => read(),
        params => params.to_vec(),
    };
    let in_path = link::path_params(capability.url.as_deref().unwrap_or_default());
    let input = |mut param: Param| {
        // A parameter in the path is always required.
        let is_in_path = in_path.contains(&param.name);
        param.required |= is_in_path;
        let derived = || {
            let alone = schema::of_params(std::slice::from_ref(&param))?;
            alone["properties"].get(&param.name).cloned()
        };
        let schema = property(&param.name).or_else(derived).unwrap_or_default();
        Input {
            param,
            schema,
            is_in_path,
        }
    };
    params.into_iter().map(input).collect()
}

/// Returns the object schema of all parameters, as published or derived from the parameters.
pub(super) fn schema(capability: &Capability) -> Option<Value> {
    let derived = || schema::of_params(&capability.params);
    capability.input_schema.clone().or_else(derived)
}

/// Reports whether `schema` has no keywords except `keywords`.
pub(super) fn has_only(schema: &Value, keywords: &[&str]) -> bool {
    let members = schema.as_object().into_iter().flatten();
    members
        .into_iter()
        .all(|(name, _)| keywords.contains(&name.as_str()))
}

/// Reports whether the parameters express everything in the input schema.
pub(super) fn is_all(capability: &Capability) -> bool {
    capability
        .input_schema
        .as_ref()
        .is_none_or(|schema| has_only(schema, &["type", "properties", "required"]))
}
