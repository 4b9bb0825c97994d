//! Invalid parameters, with a suggestion.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// Most known values that a message lists.
const MAX_LISTED: usize = 20;

/// One invalid parameter.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct BadParameter {
    /// Name of the parameter.
    pub(crate) pointer: String,
    /// Stable word for programs.
    pub(crate) code: &'static str,
    /// Description of the fault and of the accepted values.
    pub(crate) message: String,
    /// Known value that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion: Option<String>,
}

impl BadParameter {
    /// Creates a fault of parameter `pointer`.
    pub(crate) fn new(pointer: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            code,
            message: message.into(),
            suggestion: None,
        }
    }

    /// Creates the fault of an unknown parameter, with the most similar known one.
    pub(crate) fn unknown(name: &str, known: &[&str]) -> Self {
        let name = manifest::text::clean(name, 100);
        Self {
            suggestion: nearest(&name, known),
            ..Self::new(
                &name,
                "unknown_parameter",
                match known {
                    [] => format!("unknown parameter `{name}`; this address takes none"),
                    _ => format!(
                        "unknown parameter `{name}`; known parameters: {}",
                        known.join(", ")
                    ),
                },
            )
        }
    }

    /// Creates the fault of an unknown value, with the most similar accepted one.
    pub(crate) fn unknown_value(name: &str, value: &str, known: &[&str]) -> Self {
        let value = manifest::text::clean(value, 100);
        let (some, others) = known.split_at(known.len().min(MAX_LISTED));
        let mut message = format!(
            "unknown value `{value}` of `{name}`; accepted values: {}",
            some.join(", ")
        );
        if !others.is_empty() {
            let _ = write!(message, " and {} more", others.len());
        }
        Self {
            suggestion: nearest(&value, known),
            ..Self::new(name, "unknown_value", message)
        }
    }

    /// Adds a suggestion.
    pub(crate) fn suggesting(self, suggestion: &str) -> Self {
        Self {
            suggestion: Some(suggestion.to_owned()),
            ..self
        }
    }
}

/// Returns the most similar of `known`, if it is similar enough to have been meant: one mistake in
/// three characters.
pub(crate) fn nearest(name: &str, known: &[&str]) -> Option<String> {
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(name, word), word))
        .min()
        .filter(|(distance, word)| distance * 3 <= word.chars().count())
        .map(|(_, word)| (*word).to_owned())
}
