//! Commands for a POSIX shell.

use super::Request;
use super::piece::{Piece, given, name, pieces};
use crate::model::Gives;
use std::fmt::Write as _;
use uuid::Uuid;

/// Returns one command for each request.
pub(super) fn source(requests: &[Request<'_>], id: &Uuid) -> String {
    let id = id.to_string();
    let quote = Quote {
        id: &id,
        given: &given(requests),
    };
    let commands: Vec<_> = requests.iter().map(|it| command(it, quote)).collect();
    commands.join("\n\n")
}

fn command(request: &Request<'_>, quote: Quote<'_>) -> String {
    let call = request.call;
    // Braces and brackets in an address would otherwise be patterns of curl.
    let mut text = format!(
        "curl --globoff --request {} \\\n  --url {}",
        quote.text(&call.method),
        quote.text(&call.url)
    );
    for (name, value) in &call.headers {
        let header = quote.text(&format!("{name}: {value}"));
        let _ = write!(text, " \\\n  --header {header}");
    }
    if let Some(body) = &call.body {
        // `--data` would read the file whose name follows an `@`.
        let _ = write!(text, " \\\n  --data-raw {}", quote.text(&body.to_string()));
    }
    match request.gives {
        Some(gives) => kept(&text, gives),
        None => text,
    }
}

/// Returns a command that keeps a value of the answer in a variable, which is empty if the answer has none.
fn kept(command: &str, gives: &Gives) -> String {
    let variable = name(gives.placeholder);
    let silent = "--silent --show-error";
    if gives.location == "header" {
        // A header without a value is not sent.
        let command = format!("{command} \\\n  {silent} --dump-header - --output /dev/null");
        let pattern = gives.name.to_ascii_lowercase();
        return format!(
            "{variable}=$({command} |\n  tr -d '\\r' | awk -F': *' 'tolower($1) == \"{pattern}\" {{ print $2 }}')"
        );
    }
    let member = gives.name.rsplit('.').next().unwrap_or_default();
    format!(
        "{variable}=$({command} \\\n  {silent} |\n  sed -n 's/.*\"{member}\" *: *\"\\([^\"]*\\)\".*/\\1/p')"
    )
}

/// Quoting of arguments.
#[derive(Clone, Copy, Debug)]
struct Quote<'q> {
    id: &'q str,
    given: &'q [&'static str],
}

impl Quote<'_> {
    /// Quotes an argument: between single quotes, nothing but a single quote has a meaning.
    fn text(self, argument: &str) -> String {
        // No argument of a program can have a NUL.
        let argument = argument.replace('\0', "");
        let mut quoted = String::from("'");
        for piece in pieces(&argument, self.given) {
            match piece {
                Piece::Text(text) => quoted.push_str(&text.replace('\'', r"'\''")),
                Piece::Id => quoted.push_str(self.id),
                Piece::Given(name) => {
                    let _ = write!(quoted, "'\"${name}\"'");
                }
            }
        }
        quoted.push('\'');
        quoted
    }
}
