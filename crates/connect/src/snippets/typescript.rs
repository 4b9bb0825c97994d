//! TypeScript, with `fetch`.

use super::Request;
use super::literal::{Words, text, value};
use super::piece::{Piece, given, name, pieces};
use crate::model::Gives;
use std::fmt::Write as _;

/// Formats the name of a member.
fn member(name: &str) -> String {
    // A plain `__proto__` would set the prototype of the object.
    if name == "__proto__" {
        format!("[{}]", text(name))
    } else {
        text(name)
    }
}

/// Returns one statement for each request.
pub(super) fn source(requests: &[Request<'_>]) -> String {
    let given = given(requests);
    let words = Words {
        null: "null",
        yes: "true",
        no: "false",
        member,
        id: "crypto.randomUUID()",
        variable,
        given: &given,
    };
    let numbered = requests.iter().enumerate();
    let statements: Vec<_> = numbered
        .map(|(index, request)| {
            let response = match requests.len() {
                1 => "response".to_owned(),
                _ => format!("response{}", index + 1),
            };
            statement(request, words, &response)
        })
        .collect();
    statements.join("\n\n")
}

fn statement(request: &Request<'_>, words: Words<'_>, response: &str) -> String {
    let call = request.call;
    let mut source = format!(
        "const {response} = await fetch({}, {{\n    method: {},",
        words.text(&call.url),
        text(&call.method)
    );
    if !call.headers.is_empty() {
        source.push_str("\n    headers: {");
        for (name, value) in &call.headers {
            let _ = write!(source, "\n        {},", header(name, value, words));
        }
        source.push_str("\n    },");
    }
    if let Some(body) = &call.body {
        let body = value(body, words, 1);
        let _ = write!(source, "\n    body: JSON.stringify({body}),");
    }
    source.push_str("\n});\n");
    match request.gives {
        Some(Gives {
            placeholder,
            location: "header",
            name: header,
        }) => {
            let _ = write!(
                source,
                "const {} = {response}.headers.get({});\nconsole.log({response}.status, await {response}.text());",
                variable(name(placeholder)),
                text(header)
            );
        }
        Some(gives) => {
            let members = gives.name.split('.').map(|it| format!("[{}]", text(it)));
            let _ = write!(
                source,
                "const {} = (await {response}.json()){};\nconsole.log({response}.status);",
                variable(name(gives.placeholder)),
                members.collect::<String>()
            );
        }
        None => {
            let _ = write!(
                source,
                "console.log({response}.status, await {response}.text());"
            );
        }
    }
    source
}

/// Formats a header; one whose value an earlier answer may not have given is left out then.
fn header(name: &str, value: &str, words: Words<'_>) -> String {
    if let [Piece::Given(given)] = pieces(value, words.given)[..] {
        let variable = variable(given);
        return format!(
            "...({variable} ? {{ {}: {variable} }} : {{}})",
            member(name)
        );
    }
    format!("{}: {}", member(name), words.text(value))
}

/// Returns a name of several words as TypeScript writes it.
fn variable(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_ascii_uppercase() + rest
    })
}
