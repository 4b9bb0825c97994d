//! Python, with the library `requests`.

use super::literal::{Words, text, value};
use crate::model::Call;
use std::fmt::Write as _;

const WORDS: Words = Words {
    null: "None",
    yes: "True",
    no: "False",
    member: text,
};

/// Returns one statement for each request.
pub(super) fn source(calls: &[&Call]) -> String {
    let statements: Vec<_> = calls.iter().map(|it| statement(it)).collect();
    format!("import requests\n\n{}", statements.join("\n\n"))
}

fn statement(call: &Call) -> String {
    let mut source = format!(
        "response = requests.request(\n    {},\n    {},",
        text(&call.method),
        text(&call.url)
    );
    if !call.headers.is_empty() {
        let headers = serde_json::json!(call.headers);
        let _ = write!(source, "\n    headers={},", value(&headers, WORDS, 1));
    }
    if let Some(body) = &call.body {
        let _ = write!(source, "\n    json={},", value(body, WORDS, 1));
    }
    source.push_str("\n    timeout=30,\n)\nprint(response.status_code, response.text)");
    source
}
