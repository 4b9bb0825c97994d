//! Commands for a POSIX shell.

use crate::model::Call;
use std::fmt::Write as _;

/// Returns one command for each request.
pub(super) fn source(calls: &[&Call]) -> String {
    let commands: Vec<_> = calls.iter().map(|it| command(it)).collect();
    commands.join("\n\n")
}

fn command(call: &Call) -> String {
    // Braces and brackets in an address would otherwise be patterns of curl.
    let mut text = format!(
        "curl --globoff --request {} \\\n  --url {}",
        quoted(&call.method),
        quoted(&call.url)
    );
    for (name, value) in &call.headers {
        let _ = write!(
            text,
            " \\\n  --header {}",
            quoted(&format!("{name}: {value}"))
        );
    }
    if let Some(body) = &call.body {
        // `--data` would read the file whose name follows an `@`.
        let _ = write!(text, " \\\n  --data-raw {}", quoted(&body.to_string()));
    }
    text
}

/// Quotes an argument: between single quotes, nothing but a single quote has a meaning.
pub(super) fn quoted(argument: &str) -> String {
    // No argument of a program can have a NUL.
    let argument = argument.replace('\0', "").replace('\'', r"'\''");
    format!("'{argument}'")
}
