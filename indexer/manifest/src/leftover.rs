//! Values that a template's author meant to be replaced, and nobody did (GP-03).

use crate::finding::Findings;
use crate::format::Input;
use crate::{Agent, Document, Finding, evidence, link, rules, text};
use serde_json::Value;

/// Hosts of examples and of the author's own machine, each with the names below it.
const HOSTS: [&str; 6] = [
    "example.com",
    "example.org",
    "example.net",
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
];
/// Parts of host names that stand for the reader's own.
const PARTS: [&str; 6] = [
    "your-domain",
    "yourdomain",
    "your-site",
    "yoursite",
    "your-org",
    "your-company",
];
/// Longest text that may be a placeholder as a whole, in bytes.
const MAX_PLACEHOLDER: usize = 80;

/// Takes what was left over out of the agent, whatever its format, and tells where it stood.
pub(crate) fn remove(agent: &mut Agent, input: &Input<'_>, findings: &mut Findings) {
    let document = input.document;
    let mut found: Vec<(&str, String, String, &str)> = Vec::new();
    let at = agent.pointer.clone();
    if let Some(sign) = sign_of_text(&agent.name) {
        let name = std::mem::take(&mut agent.name);
        found.push(("name", at.clone(), name, sign));
    }
    for (field, place, sign) in [
        ("description", &mut agent.description, of_text as Sign),
        ("url", &mut agent.url, of_address),
        ("homepage", &mut agent.homepage, of_address),
        ("docs", &mut agent.docs, of_address),
        ("logo", &mut agent.logo, of_address),
        ("contact", &mut agent.contact, of_address),
    ] {
        if let Some((value, sign)) = taken(document, place, sign) {
            found.push((field, at.clone(), value, sign));
        }
    }
    if let Some(provider) = &mut agent.provider
        && let Some((value, sign)) = taken(document, &mut provider.url, of_address)
    {
        found.push(("provider", at.clone(), value, sign));
    }
    agent.interfaces.retain_mut(|interface| {
        let sign = of_address(document, &interface.url);
        if let Some(sign) = sign {
            let url = std::mem::take(&mut interface.url);
            found.push(("interfaces", at.clone(), url, sign));
        }
        sign.is_none()
    });
    for capability in &mut agent.capabilities {
        let at = &capability.pointer;
        if let Some((value, sign)) = taken(document, &mut capability.description, of_text) {
            found.push(("capabilities", at.clone(), value, sign));
        }
        if let Some((value, sign)) = taken(document, &mut capability.url, of_address) {
            found.push(("capabilities", at.clone(), value, sign));
        }
    }
    let mut told = Vec::new();
    for (field, below, value, sign) in found {
        let pointer = match place(input, &below, &value) {
            Some(pointer) => pointer,
            // What was put together from another value needs no finding of its own.
            None if field == "capabilities" && !told.is_empty() => continue,
            None if below.starts_with("line:") => below,
            None => evidence::place(agent, field).to_owned(),
        };
        if !told.contains(&pointer) {
            findings.push(finding(&pointer, sign));
            told.push(pointer);
        }
    }
}

/// What gives a value away.
type Sign = fn(&Document, &str) -> Option<&'static str>;

/// The value and its sign, when it was left over; then nothing stays in its place.
fn taken(
    document: &Document,
    place: &mut Option<String>,
    sign: Sign,
) -> Option<(String, &'static str)> {
    let sign = sign(document, place.as_deref()?)?;
    Some((place.take()?, sign))
}

fn finding(pointer: &str, sign: &str) -> Finding {
    let severity = rules::find("GP-03").map_or(crate::Severity::Warning, |rule| rule.severity);
    let message =
        format!("left over from a template ({sign}), and not used; put the real value here");
    match pointer.strip_prefix("line:").map(str::parse) {
        Some(Ok(line)) => Finding::at_line("GP-03", severity, line, message),
        _ => Finding::new("GP-03", severity, pointer, message),
    }
}

/// Where the value stands in JSON, below a pointer or anywhere in the document.
fn place(input: &Input<'_>, below: &str, value: &str) -> Option<String> {
    let says = |raw: &str| {
        text::some(raw).as_deref() == Some(value)
            || link::absolute(&input.document.url, raw).as_deref() == Some(value)
            || raw.trim().strip_prefix("mailto:") == Some(value)
    };
    let mut steps = below.to_owned();
    let root = input.value.pointer(below)?;
    if stands(root, &mut steps, &says) {
        return Some(steps);
    }
    steps.clear();
    stands(input.value, &mut steps, &says).then_some(steps)
}

/// Writes the pointer to the first such text behind `at`.
fn stands(value: &Value, at: &mut String, says: &impl Fn(&str) -> bool) -> bool {
    let length = at.len();
    let mut inner = |step: &str, value: &Value| {
        at.truncate(length);
        at.push('/');
        at.push_str(step);
        stands(value, at, says)
    };
    match value {
        Value::String(text) => says(text),
        Value::Array(items) => (0..)
            .zip(items)
            .any(|(index, item): (usize, _)| inner(&index.to_string(), item)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| inner(&crate::json::escape(name), member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn of_text(_: &Document, text: &str) -> Option<&'static str> {
    sign_of_text(text)
}

/// What gives a whole text away; what only speaks of such words is meant.
fn sign_of_text(text: &str) -> Option<&'static str> {
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

/// What gives an address away: its host, or what was to be replaced in it.
fn of_address(document: &Document, address: &str) -> Option<&'static str> {
    let is_own = !document.domain.is_nowhere() && link::is_own(document, address);
    let host = host(address).to_ascii_lowercase();
    let own = document.domain.as_str();
    if is_own || host == own {
        return None;
    }
    sign_of_host(&host).or_else(|| {
        let is_one = address.starts_with("__") || address.contains("YOUR_");
        is_one.then_some("a placeholder")
    })
}

/// True for a host that is nobody's site.
pub(crate) fn is_host(host: &str) -> bool {
    sign_of_host(host).is_some()
}

fn sign_of_host(host: &str) -> Option<&'static str> {
    let is_below = |name: &&&str| {
        let before = host.strip_suffix(**name);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let known = HOSTS.iter().find(is_below);
    let part = || PARTS.iter().find(|part| host.contains(**part));
    known.or_else(part).copied()
}

/// The host of a URL, of a mail address or of `host:port`.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

/// What gives `text` away as a leftover of a template, `None` when it looks meant.
///
/// Names of the document's own domain are always meant, even at example.com.
pub(crate) fn sign(document: &Document, text: &str) -> Option<&'static str> {
    const SIGNS: [&str; 13] = [
        "example.com",
        "example.org",
        "example.net",
        "localhost",
        "127.0.0.1",
        "your-domain",
        "yourdomain",
        "your-site",
        "yoursite",
        "your-org",
        "your-company",
        "todo:",
        "changeme",
    ];
    let lower = text.trim().to_ascii_lowercase();
    if lower == "todo" || lower == "tbd" {
        return Some("TODO");
    }
    if is_placeholder(text) {
        return Some("a placeholder");
    }
    let own = document.domain.as_str();
    SIGNS
        .into_iter()
        .find(|sign| lower.contains(sign) && !(own.contains(sign) && lower.contains(own)))
}

/// `__NAME__`, `{{name}}`, `<your name>`, `${NAME}`, `[YOUR NAME]`.
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
    fn leftovers_are_told_from_meant_values() {
        let document = crate::document::sample("bakery.example", "/agent.json", "");
        for text in [
            "https://example.com/api",
            "http://localhost:3000",
            "__AGENT_NAME__",
            "{{ name }}",
            "https://your-domain.tld/",
            "TODO",
            "todo: describe",
            "YOUR_API_KEY",
            "<your name>",
        ] {
            assert!(sign(&document, text).is_some(), "{text}");
        }
        for text in [
            "https://bakery.example/api",
            "A todo list for teams",
            "/items/{id}",
            "__init__ is a method",
            "",
        ] {
            assert_eq!(sign(&document, text), None, "{text}");
        }
        let at_example_com = crate::document::sample("example.com", "/agent.json", "");
        assert_eq!(sign(&at_example_com, "https://example.com/api"), None);
    }

    #[test]
    fn what_is_left_over_in_any_format_is_told_and_not_used() {
        let body = r#"{"name": "Tides", "description": "TODO", "url": "http://localhost:3000", "version": "1.0.0",
            "capabilities": [{"name": "get_tides", "description": "Tides of example.com are high"}]}"#;
        let document = crate::document::sample("bakery.example", "/.well-known/agents.json", body);
        let reading = crate::read(&document);
        assert_eq!(reading.format.as_str(), "zervice-single");
        let found = reading.findings.iter().filter(|it| it.rule == "GP-03");
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
            body.replace("http://localhost:3000", "https://api.example.com/v1"),
        );
        let found = crate::read(&at_home).findings;
        assert_eq!(
            found.iter().filter(|it| it.rule == "GP-03").count(),
            1,
            "the host is its own"
        );
    }

    #[test]
    fn a_line_that_was_left_over_is_told_with_its_number() {
        let body = "Site: Tides\nURL: https://www.example.com/\nAllow: get_tides\n";
        let document = crate::document::sample("bakery.example", "/agents.txt", body);
        let findings = crate::read(&document).findings;
        let found = findings
            .iter()
            .filter(|it| it.rule == "GP-03")
            .map(|it| it.line);
        assert_eq!(found.collect::<Vec<_>>(), [Some(2)]);
    }

    #[test]
    fn hosts_are_compared_label_by_label() {
        assert!(
            is_host("www.example.com") && is_host("api.your-domain.io") && is_host("localhost")
        );
        assert!(
            !is_host("notexample.com")
                && !is_host("example.community")
                && !is_host("bakery.example")
        );
    }
}
