//! Texts that are given in several languages (GP-14).

use super::lookup::find;
use crate::agent::Translation;
use crate::text;
use serde_json::{Map, Value};

/// Maximum number of languages of one text.
const MAX_LANGUAGES: usize = 40;

/// Two-letter codes of ISO 639 that occur as names of members; others may be words.
const CODES: [&str; 44] = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "gl",
    "he", "hi", "hr", "hu", "id", "it", "ja", "ka", "ko", "lt", "lv", "ms", "nl", "no", "pl", "pt",
    "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "ur", "vi", "zh",
];

/// Returns the first text among `names` and its versions in other languages.
///
/// Of a text in several languages, the one in the first of `preferred` is shown, then the English
/// one, then the first.
pub(super) fn first(
    object: &Map<String, Value>,
    names: &[&'static str],
    preferred: &[String],
) -> Option<(String, Vec<(String, String)>)> {
    find(object, names).find_map(|found| of_value(found.value, preferred))
}

/// Returns a text and its versions in other languages; `None` if the value is neither a text nor an
/// object of languages.
pub(super) fn of_value(
    value: &Value,
    preferred: &[String],
) -> Option<(String, Vec<(String, String)>)> {
    match value {
        Value::String(raw) => Some((text::some(raw)?, Vec::new())),
        Value::Object(members) if is_of_languages(members) => {
            let mut texts: Vec<(String, String)> = members
                .iter()
                .take(MAX_LANGUAGES)
                .filter_map(|(language, value)| {
                    Some((language.clone(), text::some(value.as_str()?)?))
                })
                .collect();
            let position = |language: &str| {
                let mut texts = texts.iter();
                texts.position(|(own, _)| primary(own).eq_ignore_ascii_case(primary(language)))
            };
            let announced = preferred.iter().find_map(|language| position(language));
            let shown = announced.or_else(|| position("en")).unwrap_or(0);
            (shown < texts.len()).then(|| {
                let (_, text) = texts.remove(shown);
                (text, texts)
            })
        }
        _ => None,
    }
}

/// Returns texts in other languages as translations of a field.
pub(super) fn named(field: &str, texts: Vec<(String, String)>) -> Vec<Translation> {
    let translation = |(language, text)| Translation {
        field: field.to_owned(),
        language,
        text,
    };
    texts.into_iter().map(translation).collect()
}

/// Returns the language that a name ends with, as in `description_ja`.
pub(super) fn suffix<'n>(name: &'n str, field: &str) -> Option<&'n str> {
    let language = name.strip_prefix(field)?.strip_prefix(['_', '-', '.'])?;
    is_language(language).then_some(language)
}

/// Reports whether every member is a text under a language tag.
fn is_of_languages(members: &Map<String, Value>) -> bool {
    let is_text = |(name, value): (&String, &Value)| is_language(name) && value.is_string();
    !members.is_empty() && members.iter().all(is_text)
}

fn is_language(name: &str) -> bool {
    let rest = &name[primary(name).len()..];
    let is_region = |part: &str| {
        (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    CODES.contains(&primary(name).to_ascii_lowercase().as_str())
        && (rest.is_empty() || rest[1..].split(['-', '_']).all(is_region))
}

fn primary(language: &str) -> &str {
    language.split(['-', '_']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(value: &Value, preferred: &[&str]) -> Option<(String, usize)> {
        let preferred: Vec<String> = preferred.iter().map(|&it| it.to_owned()).collect();
        of_value(value, &preferred).map(|(text, others)| (text, others.len()))
    }

    #[test]
    fn gp_14_the_announced_language_is_shown_then_english_then_the_first() {
        let value = json!({"ja": "湯呑み", "en": "Mugs", "pt-BR": "Canecas"});
        assert_eq!(shown(&value, &[]), Some(("Mugs".to_owned(), 2)));
        assert_eq!(shown(&value, &["pt"]), Some(("Canecas".to_owned(), 2)));
        assert_eq!(
            shown(&value, &["fr", "ja-JP"]),
            Some(("湯呑み".to_owned(), 2))
        );
        let value = json!({"de": "Tassen", "ja": "湯呑み"});
        assert_eq!(shown(&value, &[]), Some(("Tassen".to_owned(), 1)));
        assert_eq!(shown(&json!("Mugs"), &[]), Some(("Mugs".to_owned(), 0)));
        for value in [
            json!({"url": "x"}),
            json!({}),
            json!({"en": 1}),
            json!({"en_": "x", "to": "y"}),
        ] {
            assert_eq!(shown(&value, &[]), None, "{value}");
        }
    }

    #[test]
    fn gp_14_names_may_end_with_a_language() {
        assert_eq!(suffix("description_ja", "description"), Some("ja"));
        assert_eq!(suffix("description-pt-BR", "description"), Some("pt-BR"));
        assert_eq!(suffix("description_for_model", "description"), None);
        assert_eq!(suffix("description", "description"), None);
    }
}
