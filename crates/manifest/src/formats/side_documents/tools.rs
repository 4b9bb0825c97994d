//! `WebMCP` tools of a site's pages.

use super::MAX_ITEMS;
use crate::agent::Param;
use crate::field::{Field, List};
use crate::format::Input;
use crate::{Agent, Capability, link, schema};
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    name: Field<String>,
    description: Field<String>,
    tools: List<Tool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tool {
    name: Field<String>,
    description: Field<String>,
    url: Field<String>,
    method: Field<String>,
    parameters: List<Parameter>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Parameter {
    name: Field<String>,
    #[serde(rename = "type")]
    kind: Field<String>,
    description: Field<String>,
    required: Field<bool>,
    default: Field<Value>,
    #[serde(rename = "enum")]
    choices: Field<Vec<Value>>,
}

/// Tools that the site's pages register with a browser.
pub(super) fn webmcp(input: &Input<'_>) -> Agent {
    let document: Document = input.manifest();
    document.agent(input)
}

impl Document {
    fn agent(&self, input: &Input<'_>) -> Agent {
        let tools = self.tools.items().take(MAX_ITEMS);
        let capability = |(index, tool): (usize, &Tool)| {
            let params = tool.params();
            let name = tool.name.text()?;
            Some(Capability {
                id: name.clone(),
                name,
                description: tool.description.text(),
                method: tool.method.text().map(|method| method.to_uppercase()),
                endpoint: tool.url.text(),
                url: (tool.url.raw())
                    .and_then(|url| link::absolute_template(&input.document.url, url)),
                input_schema: schema::of_params(&params),
                params,
                protocol: Some("webmcp".to_owned()),
                pointer: format!("/tools/{index}"),
                ..Capability::default()
            })
        };
        Agent {
            name: self.name.text().unwrap_or_default(),
            description: self.description.text(),
            capabilities: tools.filter_map(capability).collect(),
            ..Agent::default()
        }
    }
}

impl Tool {
    fn params(&self) -> Vec<Param> {
        let parameters = self.parameters.items().take(MAX_ITEMS);
        parameters
            .filter_map(|(_, parameter)| {
                Some(Param {
                    name: parameter.name.text()?,
                    kind: parameter.kind.text(),
                    description: parameter.description.text(),
                    required: parameter.required.get() == Some(&true),
                    default: parameter.default.get().cloned(),
                    choices: parameter.choices.get().cloned().unwrap_or_default(),
                    ..Param::default()
                })
            })
            .collect()
    }
}
