//! Text in Markdown: what a site says is shown as it is, and never as markup.

use askama::filters::{Escaper as AskamaEscaper, Safe};
use std::fmt::{self, Write};

/// Escapes text for Markdown (`CommonMark` 0.31, with the tables of GFM), on one line.
///
/// It holds inside of a paragraph, a table, and the address of a link in angle brackets. Words such
/// as `book_table` stay readable, because an underscore within a word is no markup.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escaper;

impl AskamaEscaper for Escaper {
    fn write_escaped_str<W: Write>(&self, mut to: W, text: &str) -> fmt::Result {
        // Begins a list, a heading, a quotation or a line below a heading.
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let mut before = None;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let after = characters.peek().map(|(_, it)| *it);
            let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
            let is_markup = match character {
                '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => true,
                '_' => !(is_word(before) && is_word(after)),
                // A character by its name or number.
                '&' => text[at..].contains(';'),
                '#' | '-' | '+' | '=' => at == 0,
                '.' | ')' => digits > 0 && at == digits && after.is_none_or(char::is_whitespace),
                _ => false,
            };
            match character {
                // A line of its own could be markup of any kind.
                _ if character.is_control() || "\u{2028}\u{2029}".contains(character) => {
                    to.write_char(' ')?;
                }
                _ => {
                    if is_markup {
                        to.write_char('\\')?;
                    }
                    to.write_char(character)?;
                }
            }
            before = Some(character);
        }
        Ok(())
    }
}

/// Returns text as a fenced block of code. The fence is longer than any in the text.
pub(crate) fn block(text: &str) -> Safe<String> {
    let longest = text.split(|it| it != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    Safe(format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        Escaper.write_escaped_str(&mut out, text).unwrap();
        out
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        for text in [
            "Reserves a table, for 4 (or more).",
            "book_table",
            "https://mesa.example/a?q=a&sort=name",
            "a - b + c = d #1",
            "12 tables",
            "2.1.0",
        ] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn no_text_becomes_markup() {
        for text in [
            "# heading",
            "- item",
            "1. item",
            "1) item",
            "1.",
            "> quotation",
            "*a* **b** _c_ __d__ `e` ~~f~~",
            "[link](javascript:alert)",
            "![image](x)",
            "<script>alert(1)</script>",
            "&lt;b&gt; &#60;",
            "a | b",
            "\\*a\\*",
            "[^1]: note",
            "```",
            "---",
            "===",
            "line\n\n# heading\n- item",
            "<https://a.example>",
            "    code",
        ] {
            for frame in ["{}", "- {}", "## {}", "- **Name**: {}"] {
                let text = text.trim();
                let source = frame.replace("{}", &escaped(text));
                let options = Options::all().difference(Options::ENABLE_SMART_PUNCTUATION);
                let shown: String = Parser::new_ext(&source, options)
                    .filter_map(|event| match event {
                        Event::Text(text) => Some(text.into_string()),
                        Event::End(_)
                        | Event::Start(
                            Tag::Strong
                            | Tag::Paragraph
                            | Tag::List(None)
                            | Tag::Item
                            | Tag::Heading { .. },
                        ) => None,
                        other => panic!("{source}: {other:?}"),
                    })
                    .collect();
                let shown = shown.trim_start_matches("Name: ");
                let expected: String = text.replace('\n', " ");
                assert_eq!(shown, expected, "{source}");
            }
        }
    }

    #[test]
    fn an_address_in_angle_brackets_is_kept() {
        let address = "/search?q=a_b&tag=*x*;<y>";
        let source = format!("[a](<{}>)", escaped(address));
        let links: Vec<_> = Parser::new(&source)
            .filter_map(|event| match event {
                Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
                _ => None,
            })
            .collect();
        assert_eq!(links, [address]);
    }

    #[test]
    fn a_block_ends_where_it_should() {
        assert_eq!(block("a\n").0, "```\na\n```");
        assert_eq!(block("```\n````").0, "`````\n```\n````\n`````");
    }
}
