//! Placeholders of templates that were not replaced (GP-03).

use crate::finding::Findings;
use crate::format::Input;
use crate::rule::profile::GP_03;
use crate::{Agent, Document, Fact, Finding, link, text};
use serde_json::Value;

/// Hosts of examples, including the names below them. An address of the author's own machine is none: it
/// is stated, and kept, though no stranger can reach it (DI-12).
const HOSTS: [&str; 3] = ["example.com", "example.org", "example.net"];
/// Parts of host names that are placeholders.
const PARTS: [&str; 6] = [
    "your-domain",
    "yourdomain",
    "your-site",
    "yoursite",
    "your-org",
    "your-company",
];
/// Maximum length of a text that may be a placeholder as a whole, in bytes.
const MAX_PLACEHOLDER: usize = 80;

/// Removes placeholders from the agent and reports their positions.
pub(crate) fn remove(agent: &mut Agent, input: &Input<'_>, findings: &mut Findings) {
    let document = input.document;
    let mut found: Vec<(Fact, String, String, &str)> = Vec::new();
    let at = agent.pointer.clone();
    if let Some(mark) = mark_in_text(&agent.name) {
        let name = std::mem::take(&mut agent.name);
        found.push((Fact::Name, at.clone(), name, mark));
    }
    for (field, place, mark) in [
        (
            Fact::Description,
            &mut agent.description,
            text_mark as Detect,
        ),
        (Fact::Url, &mut agent.url, address_mark),
        (Fact::Homepage, &mut agent.homepage, address_mark),
        (Fact::Docs, &mut agent.docs, address_mark),
        (Fact::Logo, &mut agent.logo, address_mark),
        (Fact::Contact, &mut agent.contact, address_mark),
    ] {
        if let Some((value, mark)) = taken(document, place, mark) {
            found.push((field, at.clone(), value, mark));
        }
    }
    if let Some(provider) = &mut agent.provider
        && let Some((value, mark)) = taken(document, &mut provider.url, address_mark)
    {
        found.push((Fact::Provider, at.clone(), value, mark));
    }
    agent.interfaces.retain_mut(|interface| {
        let mark = address_mark(document, &interface.url);
        if let Some(mark) = mark {
            let url = std::mem::take(&mut interface.url);
            found.push((Fact::Interfaces, at.clone(), url, mark));
        }
        mark.is_none()
    });
    for capability in &mut agent.capabilities {
        let at = &capability.pointer;
        if let Some((value, mark)) = taken(document, &mut capability.description, text_mark) {
            found.push((Fact::Capabilities, at.clone(), value, mark));
        }
        if let Some((value, mark)) = taken(document, &mut capability.url, address_mark) {
            found.push((Fact::Capabilities, at.clone(), value, mark));
        }
    }
    let mut reported = Vec::new();
    for (field, below, value, mark) in found {
        let pointer = match place(input, &below, &value) {
            Some(pointer) => pointer,
            // A value composed of another one needs no finding of its own.
            None if field == Fact::Capabilities && !reported.is_empty() => continue,
            None if below.starts_with("line:") => below,
            None => agent.place(field).to_owned(),
        };
        if !reported.contains(&pointer) {
            findings.push(finding(&pointer, mark));
            reported.push(pointer);
        }
    }
}

/// A function that returns the part of a value that marks it as a placeholder.
type Detect = fn(&Document, &str) -> Option<&'static str>;

/// Takes the value out of `place` if it is a placeholder; returns it and its mark.
fn taken(
    document: &Document,
    place: &mut Option<String>,
    mark: Detect,
) -> Option<(String, &'static str)> {
    let mark = mark(document, place.as_deref()?)?;
    Some((place.take()?, mark))
}

fn finding(pointer: &str, mark: &str) -> Finding {
    let message = format!(
        "a placeholder from a template ({mark}), which was ignored; put the real value here"
    );
    Finding::at(&GP_03, pointer, message)
}

/// Returns the JSON pointer to the value, below a pointer or anywhere in the document.
fn place(input: &Input<'_>, below: &str, value: &str) -> Option<String> {
    let is_match = |raw: &str| {
        text::some(raw).as_deref() == Some(value)
            || link::absolute(&input.document.url, raw).as_deref() == Some(value)
            || raw.trim().strip_prefix("mailto:") == Some(value)
    };
    let mut steps = below.to_owned();
    let root = input.value.pointer(below)?;
    if find(root, &mut steps, &is_match) {
        return Some(steps);
    }
    steps.clear();
    find(input.value, &mut steps, &is_match).then_some(steps)
}

/// Appends to `at` the pointer to the first matching text; returns false if there is none.
fn find(value: &Value, at: &mut String, is_match: &impl Fn(&str) -> bool) -> bool {
    let length = at.len();
    let mut inner = |step: &str, value: &Value| {
        at.truncate(length);
        at.push('/');
        at.push_str(step);
        find(value, at, is_match)
    };
    match value {
        Value::String(text) => is_match(text),
        Value::Array(items) => (0..)
            .zip(items)
            .any(|(index, item): (usize, _)| inner(&index.to_string(), item)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| inner(&crate::json::escape(name), member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn text_mark(_: &Document, text: &str) -> Option<&'static str> {
    mark_in_text(text)
}

/// Returns the mark of a text that is a placeholder as a whole; a sentence that contains such words
/// is not.
fn mark_in_text(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.len() > MAX_PLACEHOLDER {
        return None;
    }
    let is_word = |word: &&&str| text.eq_ignore_ascii_case(word);
    let word = ["todo", "tbd", "fixme", "changeme"];
    if let Some(word) = word.iter().find(is_word) {
        return Some(word);
    }
    if text.starts_with("TODO:") {
        return Some("TODO");
    }
    let is_one = text.starts_with(['_', '{', '$', '<', '[', 'Y']) && is_placeholder(text);
    is_one.then_some("a placeholder")
}

/// Returns the mark of a URL that has a placeholder as its host or in its text.
fn address_mark(document: &Document, address: &str) -> Option<&'static str> {
    // A query holds a value for an example, which is no part of the address.
    let address = address.split('?').next().unwrap_or_default();
    let host = host(address).to_ascii_lowercase();
    let mark = mark_in_host(&host).or_else(|| {
        let is_one = address.starts_with("__") || address.contains("YOUR_");
        is_one.then_some("a placeholder")
    })?;
    // Parsing a URL costs more, and few have a mark.
    let is_own = !document.domain.is_unknown() && link::is_own(document, address);
    (!is_own && host != document.domain.as_str()).then_some(mark)
}

/// Reports whether a host belongs to examples or placeholders.
pub(crate) fn is_host(host: &str) -> bool {
    mark_in_host(host).is_some()
}

fn mark_in_host(host: &str) -> Option<&'static str> {
    let is_below = |name: &&&str| {
        let before = host.strip_suffix(**name);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let known = HOSTS.iter().find(is_below);
    let part = || PARTS.iter().find(|part| host.contains(**part));
    known.or_else(part).copied()
}

/// Returns the host of a URL, of a mail address or of `host:port`.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

/// Returns the part of `text` that marks it as a placeholder; `None` if there is none.
///
/// Names of the document's own domain are never placeholders, even at example.com.
pub(crate) fn mark(document: &Document, text: &str) -> Option<&'static str> {
    const MARKS: [&str; 11] = [
        "example.com",
        "example.org",
        "example.net",
        "your-domain",
        "yourdomain",
        "your-site",
        "yoursite",
        "your-org",
        "your-company",
        "todo:",
        "changeme",
    ];
    // A query holds a value for an example, which is no part of the address.
    let is_address = || text.contains("://") || text.trim_start().starts_with('/');
    let before = text.split_once('?').filter(|_| is_address());
    let text = before.map_or(text, |(before, _)| before);
    let lower = text.trim().to_ascii_lowercase();
    if lower == "todo" || lower == "tbd" {
        return Some("TODO");
    }
    if is_placeholder(text) {
        return Some("a placeholder");
    }
    let own = document.domain.as_str();
    MARKS
        .into_iter()
        .find(|mark| lower.contains(mark) && !(own.contains(mark) && lower.contains(own)))
}

/// Reports whether a text contains `__NAME__`, `{{name}}`, `<your name>`, `${NAME}` or `[YOUR
/// NAME]`.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let between = |open: &str, close: &str| {
        text.find(open).is_some_and(|start| {
            text[start + open.len()..]
                .find(close)
                .is_some_and(|length| length > 0)
        })
    };
    let inner = |open: &str, close: &str| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inner| !inner.is_empty() && !inner.contains(char::is_whitespace))
    };
    inner("__", "__")
        || between("{{", "}}")
        || between("${", "}")
        || between("<your", ">")
        || between("<YOUR", ">")
        || between("[YOUR", "]")
        || text.contains("YOUR_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_real_values() {
        let document = crate::document::sample("bakery.example", "/agent.json", "");
        for text in [
            "https://example.com/api",
            "__AGENT_NAME__",
            "{{ name }}",
            "https://your-domain.tld/",
            "TODO",
            "todo: describe",
            "YOUR_API_KEY",
            "<your name>",
        ] {
            assert!(mark(&document, text).is_some(), "{text}");
        }
        for text in [
            "https://bakery.example/api",
            "http://localhost:3000",
            "A todo list for teams",
            "/items/{id}",
            "__init__ is a method",
            "",
        ] {
            assert_eq!(mark(&document, text), None, "{text}");
        }
        let at_example_com = crate::document::sample("example.com", "/agent.json", "");
        assert_eq!(mark(&at_example_com, "https://example.com/api"), None);
    }

    #[test]
    fn placeholders_are_reported_and_ignored_in_any_format() {
        let body = r#"{"name": "Tides", "description": "TODO", "url": "https://your-domain.com:3000", "version": "1.0.0",
            "capabilities": [{"name": "get_tides", "description": "Tides of example.com are high"}]}"#;
        let document = crate::document::sample("bakery.example", "/.well-known/agents.json", body);
        let reading = crate::read(&document);
        assert_eq!(reading.format.as_str(), "zervice-single");
        let found = reading.findings.iter().filter(|it| it.rule.id == "GP-03");
        let places: Vec<_> = found.map(|it| it.pointer.as_str()).collect();
        assert_eq!(places, ["/description", "/url"]);
        let agent = &reading.agents[0];
        assert_eq!(
            (&agent.description, &agent.url, agent.interfaces.len()),
            (&None, &None, 0)
        );
        assert!(agent.capabilities[0].description.is_some());
        let at_home = crate::document::sample(
            "example.com",
            "/.well-known/agents.json",
            body.replace("https://your-domain.com:3000", "https://api.example.com/v1"),
        );
        let found = crate::read(&at_home).findings;
        assert_eq!(
            found.iter().filter(|it| it.rule.id == "GP-03").count(),
            1,
            "the host is its own"
        );
    }

    #[test]
    fn placeholders_in_text_formats_are_reported_with_their_line() {
        let body = "Site: Tides\nURL: https://www.example.com/\nAllow: get_tides\n";
        let document = crate::document::sample("bakery.example", "/agents.txt", body);
        let findings = crate::read(&document).findings;
        let found = findings
            .iter()
            .filter(|it| it.rule.id == "GP-03")
            .map(|it| it.line);
        assert_eq!(found.collect::<Vec<_>>(), [Some(2)]);
    }

    #[test]
    fn hosts_are_compared_label_by_label() {
        assert!(is_host("www.example.com") && is_host("api.your-domain.io"));
        assert!(
            !is_host("notexample.com")
                && !is_host("example.community")
                && !is_host("bakery.example")
        );
    }
}
