//! Backticks in messages, which pages show as code.

use askama::filters::{Escaper as _, Html, Safe};

/// Returns text as HTML: escaped, and what stands between two backticks as `<code>`.
pub(crate) fn code(text: &str) -> Safe<String> {
    let mut html = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside, after)) = next(rest) {
        escape(&mut html, before);
        html.push_str("<code>");
        escape(&mut html, inside);
        html.push_str("</code>");
        rest = after;
    }
    escape(&mut html, rest);
    Safe(html)
}

/// Splits text at its first pair of backticks with something between them.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (inside, after) = rest.split_once('`')?;
    (!inside.is_empty()).then_some((before, inside, after))
}

fn escape(html: &mut String, text: &str) {
    // Writing to a string does not fail.
    let _ = Html.write_escaped_str(html, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_of_backticks_become_code_and_nothing_becomes_markup() {
        for (text, html) in [
            (
                "`a` is no `<b>`",
                "<code>a</code> is no <code>&#60;b&#62;</code>",
            ),
            ("<i>x</i>", "&#60;i&#62;x&#60;/i&#62;"),
            ("one ` alone", "one ` alone"),
            ("`a` and ` alone", "<code>a</code> and ` alone"),
            ("``", "``"),
            ("", ""),
        ] {
            assert_eq!(code(text).0, html);
        }
    }
}
