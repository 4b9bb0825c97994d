//! Values that are kept as published, in a table: never as links.

use manifest::account::MAX_VALUE;
use serde_json::{Map, Value};

/// Maximum number of rows of one table, and of bytes of their texts.
const MAX_ROWS: usize = 200;
const MAX_BYTES: usize = 16 * 1024;

/// Values that are kept as published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Name of each value, with the names around it before it, and the value.
    pub(crate) rows: Vec<(String, String)>,
    /// Number of further values.
    pub(crate) more: usize,
}

impl Kept {
    /// Formats the values with one a line, for a block of code: nothing in it is a link.
    pub(crate) fn lines(&self) -> String {
        let mut lines: Vec<String> = self
            .rows
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        if self.more > 0 {
            lines.push(format!("… {} more in the documents", self.more));
        }
        lines.join("\n")
    }

    /// Returns the values of `members`; `None` if there are none.
    pub(crate) fn of(members: &Map<String, Value>) -> Option<Self> {
        let mut table = Table {
            kept: Self::default(),
            bytes: 0,
        };
        for (name, value) in members {
            table.add(name, value);
        }
        let kept = table.kept;
        (!kept.rows.is_empty() || kept.more > 0).then_some(kept)
    }
}

struct Table {
    kept: Kept,
    bytes: usize,
}

impl Table {
    fn add(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Object(members) => {
                for (inner, value) in members {
                    self.add(&format!("{name} › {inner}"), value);
                }
            }
            Value::Array(items) => match words(items) {
                Some(words) => self.row(name, &words),
                None => {
                    for (index, value) in items.iter().enumerate() {
                        self.add(&format!("{name} › {}", index + 1), value);
                    }
                }
            },
            value => match nested(value) {
                Some(inner) => self.add(name, &inner),
                None => self.row(name, &super::inline(value)),
            },
        }
    }

    fn row(&mut self, name: &str, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        let mut value: String = manifest::text::clean(value, MAX_VALUE + 1);
        if value.chars().count() > MAX_VALUE {
            value = value.chars().take(MAX_VALUE - 1).chain(['…']).collect();
        }
        let name = manifest::text::clean(name, MAX_VALUE);
        self.bytes += name.len() + value.len();
        if self.kept.rows.len() < MAX_ROWS && self.bytes <= MAX_BYTES {
            self.kept.rows.push((name, value));
        } else {
            self.kept.more += 1;
        }
    }
}

/// Returns the object or list that a text is in JSON; `None` for another value.
fn nested(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|it| it.starts_with(['{', '[']))?;
    serde_json::from_str(text).ok()
}

/// Returns the words, numbers and truth values of a list for one row; `None` if they do not fit or
/// contain others.
fn words(items: &[Value]) -> Option<String> {
    if items.iter().any(|it| it.is_object() || it.is_array()) {
        return None;
    }
    let words: Vec<String> = items.iter().map(super::inline).collect();
    let is_phrase = |word: &String| word.contains([',', ':']) || word.ends_with('.');
    let between = if words.iter().any(is_phrase) {
        " · "
    } else {
        ", "
    };
    let words = words.join(between);
    (words.chars().count() <= MAX_VALUE).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(value: &Value) -> Option<Kept> {
        Kept::of(value.as_object().unwrap())
    }

    #[test]
    fn values_stand_under_their_names() {
        let prices =
            json!({"prices": [{"crossing": 12, "bike": true}], "days": ["Mo", "Tu"], "none": null});
        let rows = kept(&prices).unwrap().rows;
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(
            rows,
            [
                ("prices › 1 › crossing", "12"),
                ("prices › 1 › bike", "true"),
                ("days", "Mo, Tu")
            ]
        );
        assert_eq!(kept(&json!({"none": null, "empty": {}})), None);
        let inner = json!({
            "x402": r#"{"assets":["RLUSD/XRPL","USDC/Base"],"free":true}"#,
            "terms": ["Pay first.", "Audit: true"],
            "text": "{no JSON",
        });
        let rows = kept(&inner).unwrap().rows;
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(
            rows,
            [
                ("x402 › assets", "RLUSD/XRPL, USDC/Base"),
                ("x402 › free", "true"),
                ("terms", "Pay first. · Audit: true"),
                ("text", "{no JSON")
            ]
        );
        let lines = json!({"lines": ["x".repeat(150), "y".repeat(150)]});
        let rows = kept(&lines).unwrap().rows;
        assert_eq!(rows[1], ("lines › 2".to_owned(), "y".repeat(150)));
    }

    #[test]
    fn a_table_is_bounded() {
        let many: Map<_, _> = (0..300).map(|it| (format!("m{it}"), json!(it))).collect();
        let table = Kept::of(&many).unwrap();
        assert_eq!((table.rows.len(), table.more), (200, 100));
        assert!(table.lines().starts_with("m0: 0\nm1: 1\n"));
        assert!(table.lines().ends_with("\n… 100 more in the documents"));
        let long = kept(&json!({"text": "x".repeat(1_000)})).unwrap();
        assert_eq!(long.rows[0].1.chars().count(), MAX_VALUE);
        let wide: Map<_, _> = (0..150)
            .map(|it| (format!("m{it}"), json!("y".repeat(200))))
            .collect();
        let table = Kept::of(&wide).unwrap();
        assert!(table.more > 0 && table.rows.len() + table.more == 150);
    }
}
