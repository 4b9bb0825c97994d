//! Snapshots of the readings of every recorded exchange.
//!
//! To add a test, add a file `tests/fixtures/<format>/<what is odd>.http`.
//! `INSTA_UPDATE=always cargo test --workspace --test manifest readings` writes its reading beside
//! it. Review the snapshot before committing it.

use crate::support::exchange::{fixtures, recorded};
use serde_json::{Value, json};

#[test]
fn every_fixture_reads_as_recorded() {
    for path in fixtures() {
        let document = recorded(&path);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let name = path.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_json_snapshot!(name, manifest::formats::read(&document)));
    }
}

#[test]
fn a_wrong_value_at_any_position_never_breaks_a_reading() {
    let wrong = [json!(null), json!(-7.5), json!([]), json!([{}, "x"])];
    for path in fixtures() {
        let mut document = recorded(&path);
        let Ok(value) = serde_json::from_slice::<Value>(&document.body) else {
            continue;
        };
        for pointer in pointers(&value) {
            for replacement in &wrong {
                let mut value = value.clone();
                *value.pointer_mut(&pointer).unwrap() = replacement.clone();
                document.body = value.to_string().into();
                let reading = manifest::formats::read(&document);
                for agent in &reading.agents {
                    assert!(!agent.name.is_empty(), "{}: {pointer}", path.display());
                }
            }
        }
    }
}

/// Returns the JSON pointer of every value within `value`, including `value` itself.
fn pointers(value: &Value) -> Vec<String> {
    let mut pointers = vec![String::new()];
    let mut add = |key: &str, inner: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        let inner = self::pointers(inner);
        pointers.extend(inner.into_iter().map(|pointer| format!("/{key}{pointer}")));
    };
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add(&index.to_string(), item);
            }
        }
        Value::Object(members) => members.iter().for_each(|(key, member)| add(key, member)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    pointers
}
