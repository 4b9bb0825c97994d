//! Answers in words, for clients that show text.

use crate::own::capability::Capability;
use serde_json::Value;
use std::fmt::Write as _;

/// Most characters of a description.
const MAX_TEXT: usize = 200;

/// Returns an answer of a capability in words.
pub(super) fn summary(capability: &Capability, body: &Value) -> String {
    match capability.name {
        "search" | "browse" => found(body),
        "detail" => detail(body),
        "capabilities" => capabilities(body),
        "check" => check(body),
        "leave" => leave(body),
        _ => visit(body),
    }
}

fn found(body: &Value) -> String {
    let results = list(&body["results"]);
    if results.is_empty() {
        return "No listed agent fits.".to_owned();
    }
    let is_none = body["match"] == "none";
    let mut text = if is_none {
        "No listed agent seems to do this. The nearest:".to_owned()
    } else if body["match"] == "weak" {
        format!("Found {}, weak matches only:", hits(body, results))
    } else {
        format!("Found {}; the best:", hits(body, results))
    };
    let is_match = |it: &&Value| it["match"]["level"] != "none";
    for result in results.iter().take_while(|it| is_none || is_match(it)) {
        let _ = write!(text, "\n- {}", agent(result));
    }
    text
}

/// Counts the matches.
fn hits(body: &Value, results: &[Value]) -> String {
    let total = &body["total"];
    match results.first() {
        Some(first) if first["capability"].is_object() && total == 1 => "1 capability".to_owned(),
        Some(first) if first["capability"].is_object() => format!("{total} capabilities"),
        _ => counted(total, "agent"),
    }
}

/// Returns an agent, or one of its capabilities, as its name, the id of the agent, its description and
/// its address.
fn agent(agent: &Value) -> String {
    let mut text = format!("{} ({})", short(&agent["name"]), short(&agent["id"]));
    let capability = &agent["capability"];
    if capability.is_object() {
        text = format!("{text}: {}", short(&capability["name"]));
        describe(&mut text, capability);
    } else {
        describe(&mut text, agent);
    }
    let connect = &agent["connect"];
    if connect["endpoint"].is_string() {
        let (protocol, endpoint) = (short(&connect["protocol"]), short(&connect["endpoint"]));
        let _ = write!(text, " [{protocol} at {endpoint}]");
    }
    for caution in list(&agent["cautions"]) {
        let _ = write!(text, " {}", short(&caution["text"]));
    }
    text
}

fn detail(body: &Value) -> String {
    let mut text = agent(body);
    for capability in list(&body["capabilities"]) {
        let _ = write!(text, "\n- {}", short(&capability["name"]));
        describe(&mut text, capability);
    }
    text
}

fn capabilities(body: &Value) -> String {
    let values = list(&body["capabilities"]);
    let mut text = if values.is_empty() {
        "No listed agent has such a capability.".to_owned()
    } else {
        "Capabilities, with their numbers of agents:".to_owned()
    };
    for value in values {
        let _ = write!(text, "\n- {} ({})", short(&value["value"]), value["count"]);
    }
    text
}

fn check(body: &Value) -> String {
    let findings = &body["findings"];
    let mut text = format!(
        "{} lists {}; its documents have {}, {} and {}.",
        short(&body["domain"]),
        counted(&body["agents"], "agent"),
        counted(&findings["error"], "error"),
        counted(&findings["warning"], "warning"),
        counted(&findings["info"], "note"),
    );
    for sentence in [&body["not_listed_because"], &body["advice"]] {
        if sentence.is_string() {
            let _ = write!(text, " {}", short(sentence));
        }
    }
    for document in list(&body["documents"]) {
        let url = short(&document["url"]);
        let findings = list(&document["findings"]).iter();
        for finding in findings.filter(|it| it["severity"] != "info") {
            let (pointer, rule) = (short(&finding["pointer"]), short(&finding["rule"]));
            let _ = write!(
                text,
                "\n- {url} {pointer}: {} ({rule})",
                short(&finding["message"])
            );
        }
    }
    text
}

fn visit(body: &Value) -> String {
    let mut text = format!("{}: {}.", short(&body["domain"]), short(&body["state"]));
    for (name, value) in [
        ("not before", &body["not_before"]),
        ("next visit", &body["next_visit"]),
        ("state at", &body["links"]["submission"]),
        ("page", &body["links"]["page"]),
    ] {
        if value.is_string() {
            let _ = write!(text, " {name}: {}", short(value));
        }
    }
    text
}

fn leave(body: &Value) -> String {
    let (dns, file) = (&body["publish"]["dns"], &body["publish"]["file"]);
    format!(
        "To remove {}, its owner publishes until {} either the TXT record {} or the file {}, each with \
         the text {}. State at {}.",
        short(&body["domain"]),
        short(&body["expires"]),
        short(&dns["name"]),
        short(&file["url"]),
        short(&dns["value"]),
        short(&body["links"]["state"]),
    )
}

/// Appends the description of something that has one.
fn describe(text: &mut String, described: &Value) {
    if described["description"].is_string() {
        let _ = write!(text, ": {}", short(&described["description"]));
    }
}

/// Returns a number with its noun.
fn counted(number: &Value, noun: &str) -> String {
    match number.as_u64() {
        Some(1) => format!("1 {noun}"),
        number => format!("{} {noun}s", number.unwrap_or_default()),
    }
}

/// Returns the items of a list; none of anything else.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text on one line, cut if it is long.
fn short(text: &Value) -> String {
    manifest::text::clean(text.as_str().unwrap_or_default(), MAX_TEXT).replace('\n', " ")
}
