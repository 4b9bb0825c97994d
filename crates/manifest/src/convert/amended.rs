//! Addition of facts to an agents.txt with blocks of capabilities, which no writer could write
//! again.

use super::losses::Report;
use super::{Origin, Target, agents_txt, check, roundtrip};
use crate::{Agent, Fact};
use serde_json::Value;

/// Keys of the fields that one line gives.
const KEYS: [(Fact, &str); 9] = [
    (Fact::Name, "Site-Name"),
    (Fact::Description, "Site-Description"),
    (Fact::Url, "Site-URL"),
    (Fact::Provider, "Provider"),
    (Fact::Contact, "Site-Contact"),
    (Fact::Docs, "Docs"),
    (Fact::Logo, "Logo"),
    (Fact::Tags, "Tags"),
    (Fact::Languages, "Languages"),
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
    for fact in Fact::ALL {
        let before = fact.value(known);
        let wanted = fact.value(agent).filter(|it| before.as_ref() != Some(it));
        let is_read = |read: &Agent, wanted: &Value| {
            fact.value(read).is_some_and(|read| is_same(&read, wanted))
        };
        let Some(wanted) = wanted.filter(|it| !is_read(&read, it)) else {
            continue;
        };
        let read_again = |it: File| Some((read_back(&it.text(), origin, report.target)?, it));
        let amended = file.amended(fact, &wanted, before.as_ref(), known);
        let amended = amended.and_then(read_again);
        // A line that is not read back as the same fact would state another one.
        if let Some(amended) = amended.filter(|(read, _)| is_read(read, &wanted)) {
            (read, file) = amended;
        } else {
            let what = format!("what was added to its file: {}", fact.words());
            report.lost(agent.place(fact), what);
        }
    }
    for place in &source.secrets {
        report.lost(place, "a value that looks like a secret");
    }
    Some(file.text())
}

/// Returns the agent that is read from `text`; `None` if it is not valid.
fn read_back(text: &str, origin: &Origin, target: Target) -> Option<Agent> {
    let agents = check(text, origin, target).ok()?;
    agents.into_iter().next()
}

/// Reports whether two values are the same; the order of a list follows that of the keys.
fn is_same(read: &Value, wanted: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut items: Vec<_> = value.as_array()?.iter().map(Value::to_string).collect();
        items.sort();
        Some(items)
    };
    read == wanted || sorted(read).is_some_and(|it| Some(it) == sorted(wanted))
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
        let above = number(known.place(Fact::Url))?;
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

    /// Returns the file with `fact` set to `value`; `None` if no line can give that.
    fn amended(
        &self,
        fact: Fact,
        value: &Value,
        before: Option<&Value>,
        known: &Agent,
    ) -> Option<Self> {
        let mut file = self.clone();
        if fact == Fact::Interfaces {
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
        let (_, key) = KEYS.iter().find(|(own, _)| *own == fact)?;
        let value = written(value)?;
        let given = known
            .pointers
            .get(fact.name())
            .and_then(|place| number(place));
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
