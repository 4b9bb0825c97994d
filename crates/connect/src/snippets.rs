//! The requests as source code, which runs as it is copied: only what the caller has to bring is in braces.
//!
//! Every value may be hostile. Each language quotes values in one place, and none of them gives a
//! value a meaning other than its text. The placeholders of ids and of what an earlier answer gives are
//! expressions of the language.

mod curl;
mod literal;
mod piece;
mod python;
mod typescript;

use super::model::{Call, Draft, Gives, Snippets};
use serde_json::Value;
use uuid::Uuid;

/// Request of a snippet, with what its answer gives to later ones.
#[derive(Clone, Copy, Debug)]
struct Request<'d> {
    call: &'d Call,
    gives: Option<&'d Gives>,
}

/// Returns the snippets of a draft; `None` if there is nothing to show. `id` is what commands of a shell have
/// in place of a new id.
pub(super) fn snippets(
    draft: &Draft,
    client_config: Option<&Value>,
    id: &Uuid,
) -> Option<Snippets> {
    let steps = draft.steps.iter().map(|step| Request {
        call: &step.call,
        gives: step.gives.as_ref(),
    });
    let only = draft.example.iter().filter(|_| draft.steps.is_empty());
    let only = only.map(|call| Request { call, gives: None });
    let requests: Vec<_> = only.chain(steps).collect();
    let has_calls = !requests.is_empty();
    (has_calls || client_config.is_some()).then(|| Snippets {
        curl: has_calls.then(|| curl::source(&requests, id)),
        python: has_calls.then(|| python::source(&requests)),
        typescript: has_calls.then(|| typescript::source(&requests)),
        mcp: client_config.map(|config| format!("{config:#}")),
    })
}

/// Returns the id of a caller's first message to an agent on a day: the same one for everybody, so that an
/// answer may be cached.
pub(super) fn id_of_day(agent: &str, day: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("{agent}#{day}").as_bytes())
}

#[cfg(test)]
mod tests;
