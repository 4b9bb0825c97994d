//! Cleaning of third-party text for storage and display.

use serde_json::Value;

/// Maximum length of a member's text that is kept, in characters (AT-06).
pub const MAX_CHARS: usize = 2_000;

/// Removes control and bidirectional override characters, collapses white space and cuts to `max`
/// characters.
///
/// It is idempotent.
pub fn clean(text: &str, max: usize) -> String {
    let mut cleaned = String::with_capacity(text.len().min(max));
    let mut count = 0;
    let mut space_is_due = false;
    for character in text.chars() {
        if character.is_whitespace() {
            space_is_due = !cleaned.is_empty();
            continue;
        }
        if is_hidden(character) {
            continue;
        }
        if space_is_due {
            if count + 1 >= max {
                break;
            }
            cleaned.push(' ');
            count += 1;
            space_is_due = false;
        }
        if count >= max {
            break;
        }
        cleaned.push(character);
        count += 1;
    }
    cleaned
}

/// Removes hidden characters from every string and name in a value that is kept as published.
///
/// Line breaks and tabs are kept, because such values contain patterns and examples.
pub(crate) fn unhide(value: &mut Value) {
    let shows = |character: char| !is_hidden(character) || matches!(character, '\n' | '\t');
    match value {
        Value::String(text) if !text.chars().all(shows) => text.retain(shows),
        Value::Array(items) => items.iter_mut().for_each(unhide),
        Value::Object(members) => {
            if !members.keys().all(|name| name.chars().all(shows)) {
                let named = std::mem::take(members).into_iter();
                *members = named
                    .map(|(name, value)| (name.chars().filter(|it| shows(*it)).collect(), value))
                    .collect();
            }
            members.values_mut().for_each(unhide);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the cleaned text; `None` if nothing remains.
pub fn some(text: &str) -> Option<String> {
    Some(clean(text, MAX_CHARS)).filter(|text| !text.is_empty())
}

/// Removes repeated texts, ignoring case; keeps the order.
pub fn distinct(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    texts
        .into_iter()
        .filter(|text| seen.insert(fold(text)))
        .collect()
}

/// Returns the text in lower case, for comparisons that ignore case.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Reports whether a character is a control character, a bidi override or isolate, or a zero-width
/// or tag character.
///
/// Zero-width joiners are not hidden: Indic scripts, Persian and emoji need them.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns the words of a list with one a line, without its comments, which begin with `#`.
pub fn listed(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#'))
}
