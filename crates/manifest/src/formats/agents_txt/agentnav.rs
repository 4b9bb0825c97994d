//! `AgentNav` (`agents.txt v0.2`): an index of a documentation site, as text or as JSON.
//!
//! Reads the name and address of the site, and each intent that the index maps to a page as a
//! capability. Sections and pages are content and are not read.

use super::lines::{Kind, Line, Position, lines};
use crate::format::Input;
use crate::{Agent, Capability, Fact, json, link, text};
use serde_json::Value;

/// Maximum number of intents of one index.
const MAX_INTENTS: usize = 500;

/// Returns the site that the index describes, with its intents; `None` if it gives neither.
pub(super) fn agent(input: &Input<'_>) -> Option<Agent> {
    let agent = if input.value.is_null() {
        of_text(input)
    } else {
        of_json(input)
    };
    let has_content = !agent.name.is_empty() || !agent.capabilities.is_empty();
    has_content.then_some(agent)
}

fn of_text(input: &Input<'_>) -> Agent {
    let mut agent = Agent::default();
    let mut is_among_intents = false;
    for line in lines(input.text) {
        match &line.kind {
            Kind::Pair(pair) if !line.is_indented && !pair.value.is_empty() => {
                member(
                    &mut agent,
                    input,
                    &pair.key,
                    pair.value,
                    line.place(pair.written),
                );
                is_among_intents &= pair.key != "site";
            }
            Kind::Pair(pair) if !line.is_indented => is_among_intents = is_head(&pair.key),
            Kind::Comment { text, .. } => {
                header(&mut agent, input, &line, text);
                is_among_intents = is_head(text);
            }
            Kind::Prose(text)
                if !line.is_indented && !text.contains("->") && !text.contains('→') =>
            {
                header(&mut agent, input, &line, text);
                is_among_intents = is_head(text);
            }
            _ => {}
        }
        if is_among_intents && agent.capabilities.len() < MAX_INTENTS {
            agent.capabilities.extend(intent_on(input, &line));
        }
    }
    if let Some(first) = agent.capabilities.first() {
        let place = first.pointer.clone();
        agent.set_place(Fact::Capabilities, place);
    }
    agent
}

/// Reads a `Key: Value` line such as `SITE: name` or `URL: address`.
fn member(agent: &mut Agent, input: &Input<'_>, key: &str, value: &str, place: Position) {
    match key {
        "site" | "name" if link::is_absolute(value) => locate(agent, input, value, place),
        "site" | "name" => name(agent, value, place),
        "url" => locate(agent, input, value, place),
        "description" | "summary" if agent.description.is_none() => {
            agent.description = text::some(value);
            agent.set_place(Fact::Description, place.pointer());
        }
        _ => {}
    }
}

/// Reads `agents.txt v0.2 | name | address | …` in one of the first three lines.
fn header(agent: &mut Agent, input: &Input<'_>, line: &Line<'_>, text: &str) {
    let is_version = |part: &str| part.to_ascii_lowercase().starts_with("agents.txt");
    if !text.contains(['|', '—']) || line.number > 3 {
        return;
    }
    let parts = text.split(['|', '—']).map(str::trim);
    for part in parts
        .filter(|part| !part.is_empty() && !is_version(part))
        .take(2)
    {
        if link::is_absolute(part) {
            locate(agent, input, part, line.place(part));
        } else if agent.name.is_empty() && !part.contains(':') {
            name(agent, part, line.place(part));
        }
    }
}

fn name(agent: &mut Agent, value: &str, place: Position) {
    agent.name = text::some(value).unwrap_or_default();
    agent.set_place(Fact::Name, place.pointer());
}

fn locate(agent: &mut Agent, input: &Input<'_>, value: &str, place: Position) {
    if agent.url.is_none() {
        agent.url = link::guessed(&input.document.url, value);
        agent.homepage.clone_from(&agent.url);
        for fact in [Fact::Url, Fact::Homepage] {
            agent.set_place(fact, place.pointer());
        }
    }
}

/// Returns true for the heading of the list of intents, in any of its spellings.
fn is_head(text: &str) -> bool {
    let word = text.trim_matches(|it: char| "=-#*: ".contains(it));
    let word = word.to_ascii_lowercase().replace(['-', '_'], " ");
    matches!(word.as_str(), "intent map" | "intents" | "navigation")
}

fn intent_on(input: &Input<'_>, line: &Line<'_>) -> Option<Capability> {
    let text = line.text.trim().trim_start_matches(['-', '*', '•']);
    let arrows = ["->", "→", "=>"];
    let halves = arrows.iter().find_map(|arrow| text.split_once(arrow));
    let (words, target) = halves?;
    let place = line.place(line.text.trim_start());
    intent(input, words, target, place.pointer())
}

/// Returns the intent `words` as a capability that leads to `target`.
fn intent(input: &Input<'_>, words: &str, target: &str, pointer: String) -> Option<Capability> {
    let name = text::some(words.trim().trim_matches(['"', '\'', '`']))?;
    let target = target.trim().trim_matches('`');
    let is_address = target.starts_with('/') || link::is_absolute(target);
    let address = target.split_whitespace().next().filter(|_| is_address);
    Some(Capability {
        id: name.clone(),
        name,
        description: if is_address { None } else { text::some(target) },
        endpoint: address.and_then(text::some),
        url: address.and_then(|it| link::absolute(&input.document.url, it)),
        pointer,
        ..Capability::default()
    })
}

/// Reads the JSON form: `site`, and `navigation` or `intent_map` from intent to page.
fn of_json(input: &Input<'_>) -> Agent {
    let mut agent = Agent::default();
    let of = |pointer: &str| input.value.pointer(pointer).and_then(Value::as_str);
    let first = |pointers: &[&'static str]| {
        let mut pointers = pointers.iter();
        pointers.find_map(|pointer| Some((*pointer, text::some(of(pointer)?)?)))
    };
    if let Some((pointer, name)) = first(&["/site/name", "/name", "/site"]) {
        agent.name = name;
        agent.set_place(Fact::Name, pointer);
    }
    if let Some((pointer, url)) = first(&["/site/url", "/url"]) {
        agent.url = link::guessed(&input.document.url, &url);
        agent.homepage.clone_from(&agent.url);
        agent.set_place(Fact::Url, pointer);
    }
    for table in ["navigation", "intent_map"] {
        let intents = input.value.get(table).and_then(Value::as_object);
        let intents = intents.into_iter().flatten().take(MAX_INTENTS);
        for (words, target) in intents {
            let pointer = format!("/{table}/{}", json::escape(words));
            let target = target.as_str().unwrap_or_default();
            agent
                .capabilities
                .extend(intent(input, words, target, pointer));
        }
    }
    agent
}
