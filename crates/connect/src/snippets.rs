//! The requests as source code.
//!
//! Every value may be hostile. Each language quotes values in one place, and none of them gives a
//! value a meaning other than its text.

mod curl;
mod literal;
mod python;
mod typescript;

use super::model::{Draft, Snippets};
use serde_json::Value;

/// Returns the snippets of a draft; `None` if there is nothing to show.
pub(super) fn snippets(draft: &Draft, client_config: Option<&Value>) -> Option<Snippets> {
    let calls: Vec<_> = draft.calls().collect();
    let has_calls = !calls.is_empty();
    (has_calls || client_config.is_some()).then(|| Snippets {
        curl: has_calls.then(|| curl::source(&calls)),
        python: has_calls.then(|| python::source(&calls)),
        typescript: has_calls.then(|| typescript::source(&calls)),
        mcp: client_config.map(|config| format!("{config:#}")),
    })
}

#[cfg(test)]
mod tests;
