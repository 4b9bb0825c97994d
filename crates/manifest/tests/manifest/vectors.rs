//! Conformance with every vector in the shared test data, and readings of real A2A cards.

use crate::support;
use crate::support::samples::{Sample, corpus, vectors};
use manifest::formats;
use manifest::{Reading, Severity, ajson, policy};
use serde_json::Value;

/// Vectors that are not documents of a site, each with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    ("a2a/signing-vectors.jsonl", "signed bytes: signatures.rs"),
    (
        "json-agents/ajson-uri-vectors.jsonl",
        "single addresses: compared below",
    ),
    (
        "json-agents/policy-expression-vectors.jsonl",
        "single expressions: compared below",
    ),
    (
        "discovery/agents-txt-com._headers",
        "settings of a host; the crawler sees its responses",
    ),
    (
        "discovery/agents-txt-com.robots.txt",
        "robots.txt is obeyed and read for hints by the crawler (DS-03)",
    ),
    (
        "discovery/dns-agent-txt-vectors.jsonl",
        "DNS records (DS-20), which are not documents",
    ),
    (
        "discovery/link-header-vectors.jsonl",
        "headers (DS-10), which only the crawler sees",
    ),
];

/// Formats that the index names by purpose, each with the detected format.
const RECOGNISED_AS: &[(&str, &str)] = &[
    (
        "discriminator/identity-kit-vs-json-agents.json",
        "agent-identity-kit",
    ),
    (
        "discriminator/json-agents-at-agents-json.json",
        "json-agents",
    ),
    ("discriminator/unknown-object.json", "unrecognised"),
    // Not JSON even to a lenient parser, so no format is detected.
    (
        "anp/invalid/anp07-2025-02-example-not-json.json",
        "unrecognised",
    ),
];

/// Responses of the Interaction API: its rules are for servers, and a response describes no agent.
const ANSWERS: &str = "interaction-api/envelope";

#[test]
fn the_vectors_agree() {
    let mut samples = vectors();
    if samples.is_empty() {
        return;
    }
    assert!(samples.len() >= 145, "only {} vectors", samples.len());
    for (file, reason) in ELSEWHERE {
        let count = samples.len();
        samples.retain(|sample| sample.name != *file);
        assert_eq!(samples.len() + 1, count, "{file} is not a vector: {reason}");
    }
    let mut differences = Vec::new();
    for sample in &samples {
        let reading = formats::read(&sample.document);
        let found = findings(&reading);
        for difference in disagreements(sample, &reading) {
            differences.push(format!("{}: {difference}; {found:?}", sample.name));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn findings(reading: &Reading) -> Vec<(&str, &str)> {
    let findings = reading.findings.iter();
    findings
        .map(|it| (it.rule.id, it.severity.as_str()))
        .collect()
}

/// Returns the differences between a reading and the index.
fn disagreements(sample: &Sample, reading: &Reading) -> Vec<String> {
    let mut differences = Vec::new();
    let mut expect = |is_so: bool, what: &str| {
        if !is_so {
            differences.push(format!("expected {what}"));
        }
    };
    if sample.says("format") == ANSWERS {
        expect(!reading.is_indexable(), "not to be listed");
        return differences;
    }
    let renamed = RECOGNISED_AS.iter().find(|(file, _)| sample.name == *file);
    let format = renamed.map_or(formats::current_id(sample.says("format")), |(_, format)| {
        format
    });
    expect(
        reading.format.as_str() == format,
        &format!("{format} instead of {}", reading.format),
    );
    // Vectors of the discriminator show the difference between formats and are incomplete.
    let is_whole = sample.says("format") != "discriminator";
    let is_valid = sample.says("expect") == "valid";
    expect(
        !is_whole || reading.is_valid() == is_valid,
        sample.says("expect"),
    );
    let mut severities = reading.findings.iter().map(|it| it.severity);
    let has_warning = severities.any(|it| it == Severity::Warning);
    expect(sample.row["warn"] != true || has_warning, "a warning");
    let is_indexable = sample.row["indexable"].as_bool();
    expect(
        is_indexable.is_none_or(|it| it == reading.is_indexable()),
        &format!("indexable {is_indexable:?}"),
    );
    let promised = sample.row["rules"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    if let ([Value::String(rule)], "derived", "invalid") =
        (promised, sample.says("kind"), sample.says("expect"))
    {
        // AT-96 is DI-05 for notes to coding agents.
        let is_rule = |found: &str| found == rule || (&**rule, found) == ("DI-05", "AT-96");
        let is_found = reading.findings.iter().any(|it| is_rule(it.rule.id));
        expect(is_found, rule);
    }
    differences
}

#[test]
fn expressions_and_agent_uris_agree_with_their_vectors() {
    let Some(folder) = support::shared("formats/vectors/json-agents") else {
        return;
    };
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let values = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        values.collect::<Vec<_>>()
    };
    for vector in lines("policy-expression-vectors.jsonl") {
        let expression = vector["expression"].as_str().unwrap();
        if let Some(valid) = vector["valid"].as_bool() {
            assert_eq!(policy::parse(expression).is_ok(), valid, "{expression}");
        }
    }
    for vector in lines("ajson-uri-vectors.jsonl") {
        let uri = vector["uri"].as_str().unwrap();
        let candidates = ajson::candidates(uri);
        // AU-02 refuses user names, which the vector's source accepts.
        let is_valid = vector["valid"] == true && !uri.contains('@');
        assert_eq!(candidates.is_ok(), is_valid, "{uri}");
        let candidates = candidates.unwrap_or_default();
        assert!(candidates.len() <= 2, "{uri}: {candidates:?}");
        if let Some(place) = vector["https_by_python_validator"].as_str() {
            let place = place.split('#').next().unwrap();
            let is_there = candidates.iter().any(|it| it.as_str() == place);
            assert!(is_there, "{uri}: {candidates:?}");
        }
        let note = vector["note"].as_str().unwrap();
        if [
            "never resolve",
            "not resolve",
            "identifier only",
            "refuse to resolve",
        ]
        .iter()
        .any(|words| note.contains(words))
        {
            assert!(candidates.is_empty(), "{uri}: {candidates:?}");
        }
    }
}

#[test]
fn every_real_agent_card_yields_its_agent_and_every_skill() {
    let samples = corpus();
    let is_card = |sample: &&Sample| sample.says("guess") == "a2a-agent-card";
    let cards: Vec<_> = samples.iter().filter(is_card).collect();
    for sample in &cards {
        let card = sample.json().unwrap();
        let reading = formats::read(&sample.document);
        assert_eq!(reading.format.as_str(), "a2a-agent-card", "{}", sample.name);
        let [agent] = &reading.agents[..] else {
            panic!("{}: {} agents", sample.name, reading.agents.len());
        };
        assert_eq!(
            agent.name,
            card["name"].as_str().unwrap(),
            "{}",
            sample.name
        );
        let skills = card["skills"].as_array().map_or(&[][..], Vec::as_slice);
        let expected: Vec<_> = skills
            .iter()
            .map(|skill| skill["name"].as_str().unwrap())
            .collect();
        let found: Vec<_> = agent.capabilities.iter().map(|it| &*it.name).collect();
        // Members beyond the format may name further capabilities (GP-10).
        assert!(found.starts_with(&expected), "{}: {found:?}", sample.name);
    }
    assert!(
        samples.is_empty() || cards.len() > 30,
        "only {} cards",
        cards.len()
    );
}
