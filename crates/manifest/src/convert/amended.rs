//! Addition of facts to an agents.txt with blocks of capabilities, which no writer could write
//! again.

use super::losses::{BOOKKEEPING, Report, members, place, what};
use super::{Origin, Target, agents_txt, check, roundtrip};
use crate::Agent;
use serde_json::{Map, Value};

/// Keys of the fields that one line gives.
const KEYS: [(&str, &str); 9] = [
    ("name", "Site-Name"),
    ("description", "Site-Description"),
    ("url", "Site-URL"),
    ("provider", "Provider"),
    ("contact", "Site-Contact"),
    ("docs", "Docs"),
    ("logo", "Logo"),
    ("tags", "Tags"),
    ("languages", "Languages"),
];

/// Returns the source with a line for each fact that was added to its agent or changed; `None` for
/// any source but a valid agents.txt with blocks of capabilities.
pub(super) fn write(agents: &[Agent], report: &mut Report<'_>) -> Option<String> {
    let origin = report.origin;
    let source = roundtrip::source(report).filter(|it| it.errors.is_empty())?;
    let ([agent], [known]) = (agents, source.agents.as_slice()) else {
        return None;
    };
    if !origin.is_well_known_text(report.target) {
        return None;
    }
    let mut file = File::of(&source.text, known)?;
    let mut read = read_back(&file.text(), origin, report.target)?;
    let before = members(known);
    for (field, wanted) in members(agent) {
        let is_new = !BOOKKEEPING.contains(&field.as_str()) && before.get(&field) != Some(&wanted);
        if !is_new || is_same(read.get(&field), &wanted) {
            continue;
        }
        let read_again = |it: File| Some((read_back(&it.text(), origin, report.target)?, it));
        let amended = file.amended(&field, &wanted, before.get(&field), known);
        let amended = amended.and_then(read_again);
        // A line that is not read back as the same fact would state another one.
        if let Some(amended) = amended.filter(|(read, _)| is_same(read.get(&field), &wanted)) {
            (read, file) = amended;
        } else {
            let what = format!("what was added to its file: {}", what(&field));
            report.lost(place(agent, &field), what);
        }
    }
    for place in &source.secrets {
        report.lost(place, "a value that looks like a secret");
    }
    Some(file.text())
}

/// Returns the facts that are read from `text`; `None` if it is not valid.
fn read_back(text: &str, origin: &Origin, target: Target) -> Option<Map<String, Value>> {
    let agents = check(text, origin, target).ok()?;
    agents.first().map(members)
}

/// Reports whether two values are the same; the order of a list follows that of the keys.
fn is_same(read: Option<&Value>, wanted: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut items: Vec<_> = value.as_array()?.iter().map(Value::to_string).collect();
        items.sort();
        Some(items)
    };
    read.is_some_and(|read| {
        read == wanted || sorted(read).is_some_and(|it| Some(it) == sorted(wanted))
    })
}

/// The lines of a file.
#[derive(Clone)]
struct File {
    lines: Vec<String>,
    /// Lines to add, and the number of lines above them.
    added: Vec<String>,
    above: usize,
    indentation: String,
}

impl File {
    /// Returns the file with the agent `known`. Lines are added below the site's URL: above all
    /// blocks, to one of which they would belong otherwise.
    fn of(text: &str, known: &Agent) -> Option<Self> {
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let above = number(place(known, "url"))?;
        let line = lines.get(above.checked_sub(1)?)?;
        let indentation = &line[..line.len() - line.trim_start().len()];
        Some(Self {
            indentation: indentation.to_owned(),
            added: Vec::new(),
            above,
            lines,
        })
    }

    fn text(&self) -> String {
        let (above, below) = self.lines.split_at(self.above.min(self.lines.len()));
        let lines = above.iter().chain(&self.added).chain(below);
        lines.flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// Returns the file with `field` set to `value`; `None` if no line can give that.
    fn amended(
        &self,
        field: &str,
        value: &Value,
        before: Option<&Value>,
        known: &Agent,
    ) -> Option<Self> {
        let mut file = self.clone();
        if field == "interfaces" {
            let before = before.and_then(Value::as_array);
            let is_new = |it: &&Value| before.is_none_or(|before| !before.contains(it));
            for interface in value.as_array()?.iter().filter(is_new) {
                let protocol = interface["protocol"].as_str()?;
                let (_, key) = agents_txt::KEYS
                    .iter()
                    .find(|(name, _)| *name == protocol)?;
                file.add(key, interface["url"].as_str()?);
            }
            return Some(file);
        }
        let (_, key) = KEYS.iter().find(|(name, _)| *name == field)?;
        let value = written(value)?;
        let given = known.pointers.get(field).and_then(|place| number(place));
        match given.and_then(|number| file.lines.get_mut(number.checked_sub(1)?)) {
            Some(line) => {
                let (key, _) = line.split_once(':')?;
                *line = format!("{key}: {value}");
            }
            None => file.add(key, &value),
        }
        Some(file)
    }

    fn add(&mut self, key: &str, value: &str) {
        self.added
            .push(format!("{}{key}: {value}", self.indentation));
    }
}

/// Returns a value in the form of a line.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
            Some(texts?.join(", "))
        }
        other => other.get("name")?.as_str().map(str::to_owned),
    }
}

/// Returns the number of the line that a position names.
fn number(place: &str) -> Option<usize> {
    place.strip_prefix("line:")?.parse().ok()
}
