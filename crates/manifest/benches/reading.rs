//! Readings per second on one core, by format and size.
//!
//! `cargo bench -p manifest` prints for each case the time of one reading, documents per second
//! and bytes per second. If bytes per second are the same for all sizes, time is linear in size.
//! The documents are the good examples of the catalogue of rules, enlarged by repeating list items.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use manifest::{Document, Domain, rules};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Sizes in bytes; text formats end at 256 KiB (DI-03).
const SIZES: [usize; 4] = [2 << 10, 32 << 10, 250 << 10, 1 << 20];
const MAX_TEXT: usize = 256 << 10;

/// The allocator that the programs use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

#[divan::bench(args = cases())]
fn read(bencher: Bencher<'_, '_>, case: &Case) {
    bencher
        .counter(BytesCount::new(case.document.body.len()))
        .counter(ItemsCount::new(1_usize))
        .bench(|| manifest::read(&case.document));
}

/// A document of a format, enlarged to a size.
struct Case {
    format: &'static str,
    size: usize,
    document: Document,
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} KiB", self.format, self.size >> 10)
    }
}

fn cases() -> Vec<Case> {
    let mut examples = BTreeMap::new();
    for rule in rules::all() {
        for example in rule.good.iter().filter(|it| it.path.starts_with('/')) {
            let document = document(example.path, example.body.to_vec());
            let reading = manifest::read(&document);
            if reading.is_valid() && reading.is_indexable() {
                examples.entry(reading.format.as_str()).or_insert(document);
            }
        }
    }
    let sized = |(format, small): (&'static str, Document)| {
        SIZES.into_iter().filter_map(move |size| {
            let body = grown(&small.body, size)?;
            let document = document(small.path(), body);
            let same = manifest::detect(&document).as_str() == format;
            same.then_some(Case {
                format,
                size,
                document,
            })
        })
    };
    examples.into_iter().flat_map(sized).collect()
}

fn document(path: &str, body: Vec<u8>) -> Document {
    let url = format!("https://shop.example{path}")
        .parse()
        .expect("a path");
    Document::new(Domain::parse("shop.example").expect("a domain"), url, body)
}

/// Enlarges the body to nearly `size` bytes by repeating the first item of its longest list.
fn grown(body: &[u8], size: usize) -> Option<Vec<u8>> {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return (size < MAX_TEXT).then(|| grown_text(body, size));
    };
    let pointer = longest(&value, "")?.1;
    let item = value.to_string().len();
    let list = value.pointer_mut(&pointer)?;
    let first = match list {
        Value::Array(items) => (String::new(), items.first()?.clone()),
        Value::Object(members) => members
            .iter()
            .next()
            .map(|(name, it)| (name.clone(), it.clone()))?,
        _ => return None,
    };
    let each = first.0.len() + first.1.to_string().len() + 12;
    for number in 0..size.saturating_sub(item) / each {
        let copy = numbered(first.1.clone(), number);
        match list {
            Value::Array(items) => items.push(copy),
            Value::Object(members) => {
                members.insert(format!("{}_{number}", first.0), copy);
            }
            _ => {}
        }
    }
    Some(value.to_string().into_bytes())
}

/// Numbers the names of an item, so that no two items are duplicates.
fn numbered(mut item: Value, number: usize) -> Value {
    for name in ["id", "name", "identifier"] {
        if let Some(Value::String(text)) = item.get_mut(name) {
            text.push_str(&number.to_string());
        }
    }
    item
}

/// Returns length in bytes and pointer of the longest list or map of objects in `value`.
fn longest(value: &Value, pointer: &str) -> Option<(usize, String)> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, it)| (at.to_string(), it))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, it)| (name.clone(), it))
            .collect(),
        _ => return None,
    };
    let own = !inner.is_empty() && inner.iter().all(|(_, it)| it.is_object());
    if own && (!pointer.is_empty() || value.is_array()) {
        return Some((value.to_string().len(), pointer.to_owned()));
    }
    let below = inner
        .into_iter()
        .filter_map(|(step, it)| longest(it, &format!("{pointer}/{step}")));
    below.max()
}

/// Enlarges a text to nearly `size` bytes by repeating its lines, each with an `x` appended.
fn grown_text(body: &[u8], size: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(body).into_owned();
    let mut grown = text.clone();
    let mut number = 0;
    while grown.len() + text.len() + 8 < size {
        for line in text.lines() {
            grown.push_str(line);
            grown.push_str(if line.trim().is_empty() { "" } else { "x" });
            grown.push('\n');
        }
        number += 1;
        if number > size {
            break;
        }
    }
    grown.into_bytes()
}
