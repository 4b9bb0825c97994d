//! A parameter that cannot be used: what is wrong with it and what was probably meant.

use serde::Serialize;
use std::fmt::Write as _;

/// Known values that a message lists.
const MAX_LISTED: usize = 20;

/// One parameter that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BadParameter {
    /// Its name.
    pub(crate) pointer: String,
    /// A stable word for programs.
    pub(crate) code: &'static str,
    /// What is wrong and what would be right.
    pub(crate) message: String,
    /// What was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion: Option<String>,
}

impl BadParameter {
    /// A fault of parameter `pointer`.
    pub(crate) fn new(pointer: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            code,
            message: message.into(),
            suggestion: None,
        }
    }

    /// A parameter that does not exist, with the nearest of those that do.
    pub(crate) fn unknown(name: &str, known: &[&str]) -> Self {
        let name = manifest::text::clean(name, 100);
        Self {
            suggestion: nearest(&name, known),
            ..Self::new(
                &name,
                "unknown_parameter",
                format!(
                    "there is no parameter `{name}`; known are {}",
                    known.join(", ")
                ),
            )
        }
    }

    /// A value that is none of those accepted, with the nearest of them.
    pub(crate) fn unknown_value(name: &str, value: &str, known: &[&str]) -> Self {
        let value = manifest::text::clean(value, 100);
        let (some, others) = known.split_at(known.len().min(MAX_LISTED));
        let mut message = format!("`{name}` cannot be `{value}`; it takes {}", some.join(", "));
        if !others.is_empty() {
            let _ = write!(message, " and {} more", others.len());
        }
        Self {
            suggestion: nearest(&value, known),
            ..Self::new(name, "unknown_value", message)
        }
    }

    /// The same with advice.
    pub(crate) fn suggesting(self, suggestion: &str) -> Self {
        Self {
            suggestion: Some(suggestion.to_owned()),
            ..self
        }
    }
}

/// The nearest of `known`, when it is near enough to have been meant.
pub(crate) fn nearest(name: &str, known: &[&str]) -> Option<String> {
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(name, word), word))
        .min()
        .filter(|(distance, word)| *distance <= word.len().max(3) / 2)
        .map(|(_, word)| (*word).to_owned())
}
