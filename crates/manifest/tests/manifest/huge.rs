//! Documents with very long or very many numbers, texts, lists and levels: none is an internal
//! error (DI-11).

use crate::support::exchange::{fixtures, recorded};
use crate::support::{document, survives};
use manifest::convert::Target;
use manifest::{Document, Reading};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Longer than the maximum width of a format string (65,535).
const LONG: usize = 65_536;

const CARD: &str = "https://shop.example/.well-known/agent-card.json";
const TEXT: &str = "https://shop.example/agents.txt";

fn survives_all(name: &str, url: &str, body: impl Into<Vec<u8>>) -> Reading {
    survives(name, &document(url, body.into()), &Target::ALL)
}

/// Returns a card whose member `name` is `value`.
fn card(name: &str, value: Value) -> Value {
    let mut card = json!({
        "name": "Shop", "description": "Sells rope.", "url": "https://shop.example/a2a",
        "version": "1.0.0", "protocolVersion": "0.3.0", "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "find", "name": "Find", "description": "Finds", "tags": ["rope"]}],
    });
    card[name] = value;
    card
}

#[test]
fn numbers_of_any_length_are_read() {
    for length in [309, LONG - 1, LONG, LONG + 1, 200_000] {
        let digits = "7".repeat(length);
        for number in [
            digits.clone(),
            format!("-{digits}"),
            format!("0.{digits}"),
            format!("{digits}e{digits}"),
            format!("1e-{digits}"),
        ] {
            let name = format!("{} characters like {}", number.len(), &number[..4]);
            let body = format!(r#"{{"name": "Shop", "description": "Rope", "version": {number}}}"#);
            let reading = survives_all(&name, CARD, body.clone());
            assert_eq!(reading.agents.len(), 1, "{name}");
            // Again with a syntax error, for the lenient parser.
            survives_all(&name, CARD, body.replace('}', ",}"));
            survives_all(&name, CARD, &body[..body.len() - 1]);
            survives_all(&name, CARD, body.replace(": \"", ": “"));
        }
        survives_all(
            "hexadecimal",
            CARD,
            format!("{{\"name\": \"Shop\", \"n\": 0x{digits}}}"),
        );
        survives_all(
            "a rate",
            CARD,
            card("rate_limit", json!(format!("{digits}/hour"))).to_string(),
        );
        let text = format!(
            "Site: Shop\nURL: https://shop.example/\nAllow: find\nRate-Limit: {digits}/min\n"
        );
        survives_all("a rate", TEXT, text);
    }
}

#[test]
fn texts_of_any_length_and_script_are_read_at_any_position() {
    for text in [
        "a", "é", "東", "👍🏽", "e\u{301}", " ", "\u{202E}", "\"", "\\", "\n", "/", "{a}", "a.", "%",
        "-", "~",
    ] {
        let text = text.repeat(LONG / text.len() + 1);
        for member in [
            "name",
            "url",
            "version",
            "protocolVersion",
            "skills",
            "provider",
        ] {
            survives_all(member, CARD, card(member, json!(text)).to_string());
        }
        let url = format!("https://shop.example/{text}");
        survives_all("an address", CARD, card("url", json!(url)).to_string());
        let host = format!("https://{text}.example/");
        survives_all("a host", CARD, card("url", json!(host)).to_string());
        survives_all(
            "a key",
            CARD,
            json!({"name": "Shop", "description": "Rope", text.clone(): text}).to_string(),
        );
        for line in [
            format!("{text}: find"),
            format!("Allow: {text}"),
            format!("# {text}\nAllow: find"),
            format!("- [{text}]({text}): {text}"),
        ] {
            let body = format!("Site: Shop\nURL: https://shop.example/\n{line}\n");
            survives_all("a line", TEXT, body);
        }
    }
}

#[test]
fn very_many_items_lines_and_levels_are_read() {
    let skill = |number: usize| json!({"id": format!("s{number}"), "name": "Find", "description": "Finds", "tags": []});
    let many = 3_000;
    survives_all(
        "skills",
        CARD,
        card("skills", (0..many).map(skill).collect()).to_string(),
    );
    survives_all(
        "tags",
        CARD,
        card("tags", vec!["rope"; 50_000].into()).to_string(),
    );
    let members: Map<_, _> = (0..many)
        .map(|number| (format!("m{number}"), json!(number)))
        .collect();
    survives_all("members", CARD, card("extra", members.into()).to_string());
    let agents: Vec<_> = (0..many)
        .map(|number| card("name", json!(format!("Shop {number}"))))
        .collect();
    survives_all(
        "agents",
        "https://shop.example/agents.json",
        Value::from(agents).to_string(),
    );
    for (open, close) in [
        ("[", "]"),
        ("{\"a\":", "}"),
        ("[{\"a\":[", "]}]"),
        ("(", ")"),
        ("/*", "*/"),
    ] {
        for levels in [21, 63, 64, 65, 511, 513, 100_000] {
            let nested = format!("{}0{}", open.repeat(levels), close.repeat(levels));
            let name = format!("{levels} levels of {open}");
            survives_all(&name, CARD, nested.clone());
            survives_all(
                &name,
                CARD,
                format!("{{\"name\": \"Shop\", \"skills\": {nested}}}"),
            );
            survives_all(&name, CARD, open.repeat(levels));
            survives_all(&name, TEXT, format!("Site: Shop\nAllow: {nested}\n"));
        }
    }
    for line in [
        "\n",
        "\r",
        "Allow: find\n",
        "# Shop\n",
        "- find\n",
        "a, ",
        "| a |\n",
        "[x]\n",
        "Allow:\n  - a\n",
        "```\n",
    ] {
        let lines = line.repeat(200_000 / line.len());
        survives_all(
            line,
            TEXT,
            format!("Site: Shop\nURL: https://shop.example/\n{lines}"),
        );
        survives_all(
            line,
            CARD,
            format!("{{\"name\": \"Shop\", \"description\": \"Rope\",{lines}}}"),
        );
    }
    let indented: Vec<_> = (0..600)
        .map(|level| " ".repeat(level) + "- find\n")
        .collect();
    let indented = indented.concat();
    survives_all("indents", TEXT, format!("Site: Shop\nAllow:\n{indented}"));
}

#[test]
fn an_error_is_located_on_a_late_line_and_in_a_late_column() {
    let lines = "\n".repeat(100_000);
    let reading = survives_all(
        "down",
        CARD,
        format!("{{\"name\": \"Shop\",{lines}\"version\": 1,}}"),
    );
    assert!(reading.findings.iter().any(|it| it.line == Some(100_001)));
    let spaces = "é".repeat(100_000);
    let body = format!("{{\"name\": \"{spaces}\", \"description\": \"Rope\",}}");
    let reading = survives_all("right", CARD, body);
    assert!(reading.findings.iter().any(|it| it.column > Some(100_000)));
}

/// Replaces each leaf below `value` for which `by` gives a value.
fn replace(value: &mut Value, by: &impl Fn(&Value) -> Option<Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|it| replace(it, by)),
        Value::Object(members) => members.values_mut().for_each(|it| replace(it, by)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if let Some(other) = by(value) {
                *value = other;
            }
        }
    }
}

#[test]
fn every_format_reads_unexpected_numbers_and_lists() {
    let numbers = [
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e308),
        json!(-0.5),
        json!(0),
    ];
    for path in fixtures() {
        let Document { url, body, .. } = recorded(&path);
        let Ok(value) = serde_json::from_slice::<Value>(&body) else {
            continue;
        };
        let name = path.display().to_string();
        let tried = |changed: &Value| {
            survives(
                &name,
                &document(url.as_str(), changed.to_string().into()),
                &[],
            );
        };
        for number in &numbers {
            let mut changed = value.clone();
            replace(&mut changed, &|leaf| {
                leaf.is_number().then(|| number.clone())
            });
            tried(&changed);
            replace(&mut changed, &|leaf| {
                (!leaf.is_string()).then(|| number.clone())
            });
            tried(&changed);
        }
        let mut changed = value.clone();
        replace(&mut changed, &|leaf| {
            leaf.is_string().then(|| json!("é{x} ".repeat(400)))
        });
        tried(&changed);
        replace(&mut changed, &|leaf| leaf.is_string().then(|| json!([])));
        tried(&changed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn very_often_repeated_texts_are_read(
        head in "[{\\[]?[\\PC\n]{0,20}", piece in "\\PC{1,6}|[\"'“,:{}\\[\\]\\\\0-9eE+.\n-]{1,6}",
        times in 0_usize..30_000, tail in "[\\PC\n]{0,20}[}\\]]?",
    ) {
        let body = format!("{head}{}{tail}", piece.repeat(times));
        for url in [CARD, TEXT] {
            survives("repeated", &document(url, body.clone().into()), &[Target::A2a]);
        }
    }
}
