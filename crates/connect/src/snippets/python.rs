//! Python, with the library `requests`.

use super::Request;
use super::literal::{Words, text, value};
use super::piece::{given, name};
use crate::UUID;
use std::fmt::Write as _;

/// Returns one statement for each request.
pub(super) fn source(requests: &[Request<'_>]) -> String {
    let words = Words {
        null: "None",
        yes: "True",
        no: "False",
        member: text,
        id: "str(uuid.uuid4())",
        variable: str::to_owned,
        given: &given(requests),
    };
    let statements: Vec<_> = requests.iter().map(|it| statement(it, words)).collect();
    let makes_ids = requests.iter().any(|it| it.call.mentions(UUID));
    let ids = if makes_ids { "import uuid\n\n" } else { "" };
    format!("{ids}import requests\n\n{}", statements.join("\n\n"))
}

fn statement(request: &Request<'_>, words: Words<'_>) -> String {
    let call = request.call;
    let mut source = format!(
        "response = requests.request(\n    {},\n    {},",
        text(&call.method),
        words.text(&call.url)
    );
    if !call.headers.is_empty() {
        // A header that is `None` is not sent.
        let headers = serde_json::json!(call.headers);
        let _ = write!(source, "\n    headers={},", value(&headers, words, 1));
    }
    if let Some(body) = &call.body {
        let _ = write!(source, "\n    json={},", value(body, words, 1));
    }
    source.push_str("\n    timeout=30,\n)\nprint(response.status_code, response.text)");
    if let Some(gives) = request.gives {
        let variable = name(gives.placeholder);
        let _ = if gives.location == "header" {
            write!(
                source,
                "\n{variable} = response.headers.get({})",
                text(gives.name)
            )
        } else {
            let members = gives.name.split('.').map(|it| format!("[{}]", text(it)));
            write!(
                source,
                "\n{variable} = response.json(){}",
                members.collect::<String>()
            )
        };
    }
    source
}
