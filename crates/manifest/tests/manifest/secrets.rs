//! Secrets planted in every fixture, none of which may be shown.

use crate::support::exchange::{fixtures, recorded};
use manifest::{Document, lint};
use serde_json::{Map, Value};

/// Maximum number of positions of one fixture at which a secret is planted.
const PLACES: usize = 12;

// Secrets are assembled at run time, so that no secret scanner reports this file.
fn token() -> String {
    ["sk_live_", "a1B2c3D4e5F6g7H8i9J0"].concat()
}

fn keyed() -> String {
    ["a1b2c3d4e5f6", "4f9a1c7e2b8d", "0a9b8c7d6e5f"].concat()
}

#[test]
fn a_planted_secret_is_never_shown() {
    let mut planted = 0;
    for path in fixtures() {
        let document = recorded(&path);
        let Ok(text) = std::str::from_utf8(&document.body) else {
            continue;
        };
        for body in in_json(text).into_iter().chain(in_lines(text)) {
            let document = Document {
                body: body.into_bytes(),
                ..document.clone()
            };
            let linted = lint(&document);
            let shown = format!(
                "{}{linted:?}",
                serde_json::to_string(&linted.reading).unwrap()
            );
            for secret in [token(), keyed()] {
                assert!(!shown.contains(&secret), "{}:\n{shown}", path.display());
            }
            planted += 1;
        }
    }
    assert!(planted > 500, "only {planted}");
}

/// Returns copies of the document with a token in each of its strings, and with a key in each
/// object.
fn in_json(text: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let mut places = Vec::new();
    places_in(&value, "", &mut places);
    let step = places.len().div_ceil(PLACES).max(1);
    let planted = places.into_iter().step_by(step).map(|pointer| {
        let mut value = value.clone();
        match value.pointer_mut(&pointer) {
            Some(Value::String(text)) => *text = format!("{text} {}", token()),
            Some(Value::Object(members)) => {
                members.insert("client_secret".to_owned(), keyed().into());
            }
            _ => {}
        }
        value.to_string()
    });
    planted.collect()
}

fn places_in(value: &Value, pointer: &str, places: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Array(items) => (0..)
            .zip(items)
            .map(|(at, it): (usize, _)| (at.to_string(), it))
            .collect(),
        Value::Object(members) => named(members),
        _ => Vec::new(),
    };
    if value.is_string() || value.is_object() {
        places.push(pointer.to_owned());
    }
    for (step, inner) in members {
        places_in(inner, &format!("{pointer}/{step}"), places);
    }
}

fn named(members: &Map<String, Value>) -> Vec<(String, &Value)> {
    let escaped = |name: &String| name.replace('~', "~0").replace('/', "~1");
    members
        .iter()
        .map(|(name, it)| (escaped(name), it))
        .collect()
}

/// Returns copies of the text with a token at the end of each line, and with a line that gives a
/// key.
fn in_lines(text: &str) -> Vec<String> {
    if text.trim_start().starts_with(['{', '[']) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let step = lines.len().div_ceil(PLACES).max(1);
    let at = |number: usize, planted: String| {
        let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        lines[number] = planted;
        lines.join("\n")
    };
    (0..lines.len())
        .step_by(step)
        .flat_map(|number| {
            let line = lines[number];
            [
                at(number, format!("{line} {}", token())),
                at(number, format!("{line}\nAPI-Key: {}", keyed())),
            ]
        })
        .collect()
}
