//! The rules of FORMATS.md section 9.

use crate::Severity::Warning;
use crate::rules::{Example, Rule};

const FORMAT: &str = "Zervice agents.json";

pub(super) const RULES: &[Rule] = &[Rule {
    id: "ZV-02",
    format: FORMAT,
    severity: Warning,
    title: "The list has an agent",
    explanation: "An empty array is a valid file that announces nothing. List your agents, or remove the file.",
    section: "Zervice agents.json, \"The standard format\"",
    good: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water for every harbour.",
            "url": "https://shop.example/api", "version": "1.2.0",
            "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    bad: &[array("[]")],
}];

const fn array(body: &'static str) -> Example {
    Example::at("/.well-known/agents.json", body)
}
