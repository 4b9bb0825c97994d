//! Makes JSON of the JSON5 habits that people have: comments and trailing commas (DI-07).

/// `text` without comments and trailing commas; strings stay as they are.
pub(super) fn strip(text: &str) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let taken = match character {
            '"' => {
                let end = string_end(rest);
                stripped.push_str(&rest[..end]);
                end
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
            '}' | ']' => {
                drop_trailing_comma(&mut stripped);
                stripped.push(character);
                1
            }
            _ => {
                stripped.push(character);
                character.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    stripped
}

/// Length of the string literal that `text` starts with, both quotes included.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn drop_trailing_comma(stripped: &mut String) {
    let end = stripped.trim_end().len();
    if stripped[..end].ends_with(',') {
        stripped.truncate(end - 1);
    }
}
