//! Output of the answer by which a site, or what stands before it, refused the visit (P49).

use manifest::text::clean;
use std::io::Write;
use store::EdgeAnswer;

/// Maximum length of the text of a body, in characters.
const MAX_TEXT: usize = 200;

/// Writes an answer: its headers, and the beginning of its body.
pub(super) fn explain(output: &mut impl Write, answer: &EdgeAnswer) -> std::io::Result<()> {
    writeln!(
        output,
        "\n{} was answered with {}",
        answer.url, answer.status
    )?;
    for (name, value) in &answer.headers {
        writeln!(output, "  {name}: {value}")?;
    }
    let body = clean(&answer.body, MAX_TEXT);
    if !body.is_empty() {
        writeln!(output, "  body: {body}")?;
    }
    match &answer.signed_by {
        Some(origin) => writeln!(output, "  the request was signed in the name of {origin}"),
        None => writeln!(output, "  the request was not signed"),
    }
}
