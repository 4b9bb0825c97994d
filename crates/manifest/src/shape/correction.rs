//! Texts to write in place of a member that is missing or has another shape.

use super::{Member, Shape};
use crate::{link, text};
use serde_json::{Map, Value};

/// Stands for a value that only the publisher knows.
const OPEN: &str = "…";
/// Most characters of a text to write.
const MAX_CHARS: usize = 160;
/// Most levels of objects and lists in it.
const MAX_LEVELS: usize = 3;

/// Returns the member as it could be written where it is missing; an item is only its value.
pub(super) fn missing(member: &Member) -> Option<String> {
    written(member.name, &sample(member, MAX_LEVELS))
}

/// Returns the member as it could be written in place of `value`, which has another shape, if its
/// meaning is certain; `name` is empty for an item.
pub(super) fn instead(member: &Member, name: &str, value: &Value) -> Option<String> {
    written(name, &converted(member, value)?)
}

fn written(name: &str, value: &Value) -> Option<String> {
    let text = match name {
        "" => spaced(value),
        name => format!("{}: {}", Value::from(name), spaced(value)),
    };
    let text = text::clean(&text, 2 * MAX_CHARS);
    (text.chars().count() <= MAX_CHARS).then_some(text)
}

/// Formats a value on one line, with spaces after commas and colons.
fn spaced(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Array(items) => format!("[{}]", list(items.iter().map(spaced).collect())),
        Value::Object(members) => {
            let named = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), spaced(value))
            };
            format!("{{{}}}", list(members.iter().map(named).collect()))
        }
        scalar => scalar.to_string(),
    }
}

/// Returns a value of the shape, in which `…` stands for what only the publisher knows.
fn sample(member: &Member, levels: usize) -> Value {
    let Some(levels) = levels.checked_sub(1) else {
        return Value::from(OPEN);
    };
    match member.shape {
        Shape::Any | Shape::Text => example(member.what),
        Shape::Name(what) | Shape::Prose(what) => example(member.what.or(Some(what))),
        Shape::Url(_) => Value::from("https://…"),
        Shape::Word(words) => words.first().copied().unwrap_or(OPEN).into(),
        Shape::Flag => Value::from(true),
        Shape::Number | Shape::Amount => Value::from(1),
        Shape::Whole(least) => Value::from(least.max(1)),
        Shape::List(item) | Shape::Set(item) => match sample(item, levels) {
            Value::String(open) if open == OPEN => vec![example(member.what)].into(),
            sample => vec![sample].into(),
        },
        Shape::Table(item) => Map::from_iter([(OPEN.to_owned(), sample(item, levels))]).into(),
        Shape::Open(members) | Shape::Closed(members) => {
            let required = members.iter().filter(|it| it.is_required());
            let required = required.map(|it| (it.name.to_owned(), sample(it, levels)));
            required.collect::<Map<_, _>>().into()
        }
    }
}

/// Returns the example that the words give after "such as", if it is one word.
fn example(what: Option<&str>) -> Value {
    let what = what.unwrap_or_default();
    if what.starts_with("https://") {
        return Value::from(what);
    }
    let example = what.split_once("such as ");
    let word = example.map(|(_, example)| example.split([' ', ',']).next().unwrap_or(OPEN));
    let open = if what.contains("URL") {
        "https://…"
    } else {
        OPEN
    };
    Value::from(word.unwrap_or(open))
}

/// Converts a value whose meaning is certain to the shape.
fn converted(member: &Member, value: &Value) -> Option<Value> {
    match (member.shape, value) {
        (Shape::Text | Shape::Name(_) | Shape::Prose(_), Value::Number(number)) => {
            Some(number.to_string().into())
        }
        (Shape::Url(_), Value::String(text)) => {
            let url = format!("https://{}", text.trim());
            let files = [
                ".yaml", ".yml", ".json", ".txt", ".md", ".svg", ".png", ".jpg", ".html",
            ];
            let is_file = !text.contains('/') && files.iter().any(|it| text.trim().ends_with(it));
            let is_host = text.contains('.')
                && !text.contains(':')
                && !text.starts_with(['/', '.'])
                && !is_file;
            (is_host && link::is_absolute(&url)).then(|| url.into())
        }
        (Shape::Word(words), Value::String(text)) => {
            let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
            let given = plain(text);
            let same = words.iter().find(|word| plain(word) == given);
            same.map(|word| Value::from(*word))
        }
        (Shape::Flag, Value::String(text)) => text.trim().parse::<bool>().ok().map(Value::from),
        (Shape::Number | Shape::Amount | Shape::Whole(_), Value::String(text)) => {
            let number: Value = serde_json::from_str(text.trim()).ok()?;
            member.shape.takes(&number).then_some(number)
        }
        (Shape::List(item) | Shape::Set(item), Value::String(_) | Value::Object(_)) => {
            let is_item = item.shape.takes(value);
            is_item.then(|| match value {
                Value::String(_) => vec![value.clone()].into(),
                _ => vec![Value::from(OPEN)].into(),
            })
        }
        (Shape::Open(members) | Shape::Closed(members), Value::String(text)) => {
            let name = if link::is_absolute(text) {
                "url"
            } else {
                "name"
            };
            let mut required = members.iter().filter(|it| it.is_required());
            if !required.any(|it| it.name == name) {
                return None;
            }
            let mut object = sample(member, 2);
            object[name] = Value::from(text.as_str());
            Some(object)
        }
        _ => None,
    }
}
