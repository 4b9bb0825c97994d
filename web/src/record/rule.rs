//! Rule of a request.

use crate::error::{AppError, LikelyPage, Missing};
use crate::parameter::nearest;
use crate::view::{self, foreign, rule_path, words_of};
use manifest::rules;

/// Returns the error for an unknown rule, with the most similar id.
pub(crate) fn missing(asked: &str) -> AppError {
    let asked = foreign(asked);
    let known: Vec<_> = rules::all().map(|rule| rule.id).collect();
    AppError::NotFound(Box::new(Missing {
        message: format!("There is no rule “{asked}”."),
        advice: "Rule ids are permanent; ids of removed rules are not reused.",
        words: words_of(&asked),
        instead: nearest(&asked.to_uppercase(), &known).map(|id| LikelyPage {
            path: rule_path(&id),
            name: id,
        }),
        ..Missing::default()
    }))
}

/// Returns the path of the JSON version.
pub(crate) fn api_path(id: &str) -> String {
    view::path(&["api", "v1", "rules", id])
}
