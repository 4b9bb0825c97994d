//! Policy expressions of JSON Agents, as the condition of a policy.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manifest::Document;

fuzz_target!(|expression: &str| {
    let quoted: String = expression.chars().flat_map(escaped).collect();
    let body = format!(
        r#"{{"manifest_version": "1.0", "agent": {{"id": "a", "name": "A"}},
        "policies": [{{"id": "p", "effect": "deny", "action": "x", "where": "{quoted}"}}]}}"#
    );
    let document = Document::of_file("agents.json", body);
    assert_eq!(manifest::read(&document).format.as_str(), "json-agents");
});

/// Escapes a character for a JSON string.
fn escaped(character: char) -> Vec<char> {
    match character {
        '"' | '\\' => vec!['\\', character],
        '\0'..='\u{1F}' => format!("\\u{:04x}", u32::from(character)).chars().collect(),
        other => vec![other],
    }
}
