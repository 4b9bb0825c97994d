//! Values of an example: published ones where there are any, otherwise placeholders.

use super::model::{Draft, Placeholder};
use super::sample;
use super::{cleaned, plain};
use manifest::Timestamp;
use manifest::agent::{Capability, Interface, Param};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

/// Maximum number of headers of an interface that are shown.
const MAX_HEADERS: usize = 20;
/// Maximum number of parameters of a capability that an example has.
const MAX_PARAMS: usize = 50;
/// Maximum length of a schema that a placeholder shows, as JSON.
const MAX_SCHEMA: usize = 2_000;

/// Parameter, with its schema if one is published.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) param: &'a Param,
    schema: Option<&'a Value>,
    now: Option<Timestamp>,
}

impl<'a> Input<'a> {
    /// Lists the parameters of a capability: the required ones first, then those with a default.
    ///
    /// A capability without either gives its first parameter, because a call without any would be
    /// no example.
    pub(crate) fn of(capability: &'a Capability, now: Option<Timestamp>) -> Vec<Self> {
        let schemas = capability.input_schema.as_ref();
        let schemas = schemas.and_then(|it| it.get("properties"));
        let inputs = capability.params.iter().map(|param| Self {
            schema: schemas.and_then(|it| it.get(&param.name)),
            param,
            now,
        });
        let (required, optional): (Vec<_>, Vec<_>) = inputs
            .partition(|it| it.param.required || it.param.location.as_deref() == Some("path"));
        let has_default = |it: &&Self| it.param.default.as_ref().is_some_and(|it| !it.is_null());
        let first = optional.first().copied().filter(|_| required.is_empty());
        let with_default: Vec<_> = optional.iter().filter(has_default).copied().collect();
        let more = match first {
            Some(first) if with_default.is_empty() => vec![first],
            _ => with_default,
        };
        required.into_iter().chain(more).take(MAX_PARAMS).collect()
    }

    /// Returns a published value, or one that the type of the parameter allows to make.
    pub(crate) fn known(&self) -> Option<Value> {
        self.published().or_else(|| {
            let of_param = json!({"type": self.param.kind});
            match self.schema {
                Some(schema) => sample::of(schema, self.now),
                None => sample::of(&of_param, self.now),
            }
        })
    }

    /// Returns the default, the first example or the first accepted value.
    fn published(&self) -> Option<Value> {
        let of_schema = |name: &str| self.schema?.get(name).cloned();
        let first = |name: &str| of_schema(name)?.as_array()?.first().cloned();
        let default = self.param.default.clone();
        default
            .or_else(|| of_schema("default"))
            .or_else(|| of_schema("const"))
            .or_else(|| first("examples"))
            .or_else(|| of_schema("example"))
            .or_else(|| self.param.choices.first().cloned())
            .or_else(|| first("enum"))
            .filter(|it| !it.is_null())
    }

    /// Returns a value for the body or a header: a known one, or a placeholder.
    pub(crate) fn value(&self, location: &'static str, draft: &mut Draft) -> Value {
        self.known()
            .unwrap_or_else(|| Value::String(self.placeholder(location, draft)))
    }

    /// Returns a placeholder in braces.
    pub(crate) fn placeholder(&self, location: &'static str, draft: &mut Draft) -> String {
        let kind = |it: &Value| it.get("type")?.as_str().map(str::to_owned);
        let schema = self.schema.filter(|it| it.to_string().len() <= MAX_SCHEMA);
        let placeholder = format!("{{{}}}", self.param.name);
        draft.ask(Placeholder {
            text: placeholder.clone(),
            location,
            kind: self.param.kind.clone().or_else(|| kind(self.schema?)),
            description: self.param.description.clone(),
            schema: schema.cloned(),
        });
        placeholder
    }
}

/// Returns the values of all parameters, as the arguments of a tool.
pub(crate) fn arguments(
    capability: &Capability,
    now: Option<Timestamp>,
    draft: &mut Draft,
) -> Map<String, Value> {
    let inputs = Input::of(capability, now).into_iter();
    let required = inputs.filter(|it| it.param.required || it.published().is_some());
    required
        .map(|it| (it.param.name.clone(), it.value("body", draft)))
        .collect()
}

/// Lists the headers of an interface with their values, or names in braces for the values that the
/// caller has to fill in.
pub(crate) fn headers<'a>(
    interface: &'a Interface,
    now: Option<Timestamp>,
    draft: &mut Draft,
) -> Vec<(&'a Param, String)> {
    let is_header = |param: &&Param| param.location.as_deref() == Some("header");
    let headers = interface.params.iter().filter(is_header).take(MAX_HEADERS);
    headers
        .map(|param| {
            let input = Input {
                param,
                schema: None,
                now,
            };
            let value = input.value("header", draft);
            (param, cleaned(&plain(&value)))
        })
        .collect()
}

/// Fills in the variables of an interface's address, where they have a value or a name in braces.
pub(crate) fn fill_variables(interface: &Interface, now: Option<Timestamp>, draft: &mut Draft) {
    let is_header = |param: &&Param| param.location.as_deref() == Some("header");
    let variables = interface.params.iter().filter(|it| !is_header(it));
    for param in variables.take(MAX_PARAMS) {
        let input = Input {
            param,
            schema: None,
            now,
        };
        let in_braces = format!("{{{}}}", param.name);
        let Some(value) = input.known() else {
            input.placeholder("path", draft);
            continue;
        };
        let value = encoded(&plain(&value)).replace('+', "%20");
        let steps = draft.steps.iter_mut().map(|step| &mut step.call);
        for call in steps.chain(&mut draft.example) {
            call.url = call.url.replace(&in_braces, &value);
        }
    }
}

/// Encodes a text for a query.
pub(crate) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
