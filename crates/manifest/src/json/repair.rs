//! Repair of text that parsers reject, byte for byte in place (DI-07).
//!
//! A replacement has the same length in bytes as the original, so an offset in the repaired text is
//! the same offset in the text as served.

/// A repaired text.
#[derive(Debug, PartialEq)]
pub(super) struct Repair {
    /// The text, as long as the original.
    pub(super) text: String,
    /// Position of the first replacement, in bytes.
    pub(super) first: usize,
}

/// Replaces halves of surrogate pairs in `\u` escapes with U+FFFD; returns `None` if there are
/// none.
///
/// The grammar of JSON permits them (RFC 8259 section 8.2), but no Unicode text can represent them.
pub(super) fn surrogates(text: &str) -> Option<Repair> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        at = match (escape_at(text, escape), escape_at(text, escape + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => escape + 12,
            (Some(0xD800..=0xDFFF), _) => {
                edit.replace(escape, r"\ufffd");
                escape + 6
            }
            (Some(_), _) => escape + 6,
            (None, _) => after_character(text, escape + 1),
        };
    }
    edit.finish()
}

/// Replaces numbers beyond the range of a double with the largest one of their length; returns
/// `None` if there are none.
///
/// The grammar of JSON has no largest number (RFC 8259 section 6). `text` has to be JSON otherwise:
/// strings are distinguished from numbers by their quotes.
pub(super) fn numbers(text: &str) -> Option<Repair> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        at = match byte {
            b'"' => string_end(text, at),
            b'-' | b'0'..=b'9' => {
                let end = number_end(text, at);
                if is_too_large(&text[at..end]) {
                    let digits = at + usize::from(*byte == b'-');
                    edit.replace(digits, &padded("1e308", end - digits));
                }
                end
            }
            _ => at + 1,
        };
    }
    edit.finish()
}

/// Replaces typographic and doubled quotes with plain ones, and NUL with a space; returns `None` if
/// there are none.
///
/// A quote counts only where a string begins; then only a quote of the same kind ends the string.
pub(super) fn quotes(text: &str) -> Option<Repair> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let next = at + character.len_utf8();
        at = match character {
            '\0' => {
                edit.replace(at, " ");
                next
            }
            '"' if text[next..].starts_with("\"\"\"") => {
                edit.replace(at, " \"\" ");
                at + 4
            }
            '"' if opens_twice(text, next) => {
                edit.replace(at, " \"");
                let end = text[at + 2..].find("\"\"").map(|end| at + 2 + end);
                close(text, end, 2, &mut edit)
            }
            '"' | '\'' => string_end(text, at),
            '\u{201C}'..='\u{201F}' => {
                edit.replace(at, "  \"");
                let is_quote = |it| matches!(it, '\u{201C}'..='\u{201F}');
                let end = text[next..].find(is_quote).map(|end| next + end);
                close(text, end, 3, &mut edit)
            }
            _ => next,
        };
    }
    edit.finish()
}

/// Reports whether the quote before `at` and the one at `at` together open a string.
fn opens_twice(text: &str, at: usize) -> bool {
    let is_text = |first: char| !first.is_whitespace() && !",:}]/\"".contains(first);
    text[at..]
        .strip_prefix('"')
        .is_some_and(|rest| rest.starts_with(is_text))
}

/// Writes a plain quote over the closing one of `length` bytes at `end`; returns the offset after
/// it.
fn close(text: &str, end: Option<usize>, length: usize, edit: &mut Edit<'_>) -> usize {
    let Some(end) = end else {
        return text.len();
    };
    edit.replace(end, &padded("\"", length));
    end + length
}

/// Pads `text` with spaces to `length` bytes, which may exceed the maximum width of a format string
/// (65,535).
fn padded(text: &str, length: usize) -> String {
    let spaces = " ".repeat(length.saturating_sub(text.len()));
    format!("{text}{spaces}")
}

/// Returns the offset after the string literal that begins at `at`, with either quote.
fn string_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end = after_character(text, end + 1),
            byte if byte == bytes[at] => return end + 1,
            _ => end += 1,
        }
    }
    text.len()
}

fn number_end(text: &str, at: usize) -> usize {
    let is_part =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    let length = text.as_bytes()[at..].iter().take_while(|it| is_part(it));
    at + length.count()
}

/// Reports whether a number is beyond the range of a double; the shortest such number is `1e309`.
fn is_too_large(number: &str) -> bool {
    number.len() >= 5 && number.parse().is_ok_and(f64::is_infinite)
}

/// Returns the code unit of the `\uXXXX` at `at`.
fn escape_at(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Returns the offset after the character at `at`.
fn after_character(text: &str, at: usize) -> usize {
    let length = text[at..].chars().next().map_or(0, char::len_utf8);
    at + length
}

/// A copy of a text, made at the first replacement.
struct Edit<'t> {
    text: &'t str,
    /// The repaired text before `taken`.
    done: String,
    taken: usize,
    first: Option<usize>,
}

impl<'t> Edit<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            done: String::new(),
            taken: 0,
            first: None,
        }
    }

    /// Replaces bytes at `at` with as many of `replacement`; offsets must be ascending.
    fn replace(&mut self, at: usize, replacement: &str) {
        self.done.push_str(&self.text[self.taken..at]);
        self.done.push_str(replacement);
        self.taken = at + replacement.len();
        self.first.get_or_insert(at);
    }

    fn finish(mut self) -> Option<Repair> {
        let first = self.first?;
        self.done.push_str(&self.text[self.taken..]);
        Some(Repair {
            text: self.done,
            first,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(by: fn(&str) -> Option<Repair>, text: &str) -> Option<String> {
        let mended = by(text).map(|mended| mended.text);
        if let Some(mended) = &mended {
            assert_eq!(mended.len(), text.len(), "{text}");
        }
        mended
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced_and_pairs_are_kept() {
        for (text, expected) in [
            (r#""\ud800""#, Some(r#""\ufffd""#)),
            (
                r#""\uDC00\ud83d\ude00\ud83dx""#,
                Some(r#""\ufffd\ud83d\ude00\ufffdx""#),
            ),
            (r#""\\ud800 \u00e9 \n""#, None),
            (r"\", None),
            (r"\ü\ud8", None),
            (r"\ud800\u12", Some(r"\ufffd\u12")),
        ] {
            assert_eq!(mended(surrogates, text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_beyond_doubles_are_replaced_and_texts_are_kept() {
        for (text, expected) in [
            ("[1e999, -1E+400,2]", Some("[1e308, -1e308 ,2]")),
            (r#"{"1e999":"1e999\"","n":1e308}"#, None),
            ("[1e999", Some("[1e308")),
            ("\"1e999", None),
        ] {
            assert_eq!(mended(numbers, text).as_deref(), expected, "{text}");
        }
        for length in [400, 65_535, 65_536, 1_000_000] {
            let expected = format!("[-1e308{}]", " ".repeat(length - 5));
            let number = format!("[-{}]", "7".repeat(length));
            assert_eq!(mended(numbers, &number), Some(expected), "{length}");
        }
    }

    #[test]
    fn quotes_become_plain_in_place() {
        for (text, expected) in [
            (
                r#"{""a"": ""b c"", "d": ""}"#,
                Some(r#"{ "a" :  "b c" , "d": ""}"#),
            ),
            (r#"{"a": """", "b": ""}"#, Some(r#"{"a":  "" , "b": ""}"#)),
            ("{“a”: „b“}", Some("{  \"a\"  :   \"b\"  }")),
            (
                "{\"say\": \"“hello” \\\"\"}\0",
                Some("{\"say\": \"“hello” \\\"\"} "),
            ),
            (r#"{"a": "", 'b"': ""}"#, None),
            (r#"{""open: 1}"#, Some(r#"{ "open: 1}"#)),
        ] {
            assert_eq!(mended(quotes, text).as_deref(), expected, "{text}");
        }
    }
}
