//! TypeScript, with `fetch`.

use super::literal::{Words, text, value};
use crate::model::Call;
use std::fmt::Write as _;

const WORDS: Words = Words {
    null: "null",
    yes: "true",
    no: "false",
    member,
};

/// Formats the name of a member.
fn member(name: &str) -> String {
    // A plain `__proto__` would set the prototype of the object.
    if name == "__proto__" {
        format!("[{}]", text(name))
    } else {
        text(name)
    }
}

/// Returns one block for each request.
pub(super) fn source(calls: &[&Call]) -> String {
    let blocks: Vec<_> = calls.iter().map(|it| block(it)).collect();
    blocks.join("\n")
}

fn block(call: &Call) -> String {
    let mut source = format!(
        "{{\n    const response = await fetch({}, {{\n        method: {},",
        text(&call.url),
        text(&call.method)
    );
    if !call.headers.is_empty() {
        let headers = serde_json::json!(call.headers);
        let _ = write!(source, "\n        headers: {},", value(&headers, WORDS, 2));
    }
    if let Some(body) = &call.body {
        let body = value(body, WORDS, 2);
        let _ = write!(source, "\n        body: JSON.stringify({body}),");
    }
    source.push_str("\n    });\n    console.log(response.status, await response.text());\n}");
    source
}
