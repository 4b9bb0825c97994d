//! Official schemas of the shared test data.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;

/// One schema, or one definition in it.
#[derive(Clone, Copy)]
pub(crate) struct Schema {
    /// Path below `formats/schemas` of the test data.
    pub(crate) file: &'static str,
    /// JSON pointer to the definition of the document; empty for the whole schema.
    definition: &'static str,
}

impl Schema {
    pub(crate) const fn of(file: &'static str, definition: &'static str) -> Self {
        Self { file, definition }
    }

    /// Compiles the schema from the directory `folder`.
    pub(crate) fn validator(&self, folder: &Path) -> Validator {
        let text = std::fs::read_to_string(folder.join(self.file)).unwrap();
        let mut root: Value = serde_json::from_str(&text).unwrap();
        if !self.definition.is_empty() {
            // The other definitions are kept, because this one refers to them.
            let members = root.as_object_mut().unwrap();
            members.retain(|name, _| ["$schema", "$defs", "definitions"].contains(&name.as_str()));
            root["$ref"] = Value::from(self.definition);
        }
        if self.file.starts_with("json-agents/") {
            ask_for_profiles(&mut root);
        }
        jsonschema::validator_for(&root).unwrap()
    }
}

/// Adds to each condition on `profiles` that the member is required. Otherwise the condition holds
/// for every document without the member, and the schema refuses the specification's own minimal
/// example (JA-06).
fn ask_for_profiles(root: &mut Value) {
    for rule in root["allOf"].as_array_mut().unwrap() {
        rule["if"]["required"] = json!(["profiles"]);
    }
}

/// Returns the errors that a schema reports: pointer, with `*` for numbers, and keyword; and
/// message.
pub(crate) fn faults(validator: &Validator, value: &Value) -> Vec<(String, String)> {
    let errors = validator.iter_errors(value);
    errors
        .map(|error| {
            let place = error.instance_path().to_string();
            let parts = place.split('/').map(|part| match part.parse::<usize>() {
                Ok(_) => "*",
                Err(_) => part,
            });
            let place = parts.collect::<Vec<_>>().join("/");
            let keyword = error.kind().keyword();
            let words: String = error.to_string().chars().take(300).collect();
            (format!("{place} {keyword}").trim().to_owned(), words)
        })
        .collect()
}
