//! Every conversion, against the official schema of its target.

use crate::support;
use crate::support::samples::{Sample, corpus, recorded};
use crate::support::schemas::{Schema, faults};
use jsonschema::Validator;
use manifest::agent::Interface;
use manifest::convert::{Origin, Target};
use manifest::{Agent, Document, convert, formats};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const CARD: &str = "#/definitions/AgentCard";

/// Schema of each target, except agents.txt, which is text, and OpenAPI, which [`openapi`] checks.
const SCHEMAS: &[(Target, Schema)] = &[
    (
        Target::A2a,
        Schema::of("derived/a2a-agentcard-1.0.derived.schema.json", ""),
    ),
    (
        Target::A2a03,
        Schema::of("a2a/a2a-v0.3.0.schema.json", CARD),
    ),
    (
        Target::AgentsJson,
        Schema::of("derived/agents-protocol-1.0.derived.schema.json", ""),
    ),
    (
        Target::AgentJson,
        Schema::of("derived/intentql-agent-0.1.derived.schema.json", ""),
    ),
    (
        Target::JsonAgents,
        Schema::of("json-agents/schema/json-agents.json", ""),
    ),
    (
        Target::Zervice,
        Schema::of("derived/zervice-agents.derived.schema.json", ""),
    ),
    (Target::Ard, Schema::of("ard/ai-catalog.schema.json", "")),
];

#[test]
fn every_conversion_passes_the_official_schema_of_its_target() {
    let Some(folder) = support::shared("formats/schemas") else {
        return;
    };
    let validators: Vec<_> = SCHEMAS
        .iter()
        .map(|(target, schema)| (*target, schema.validator(&folder)))
        .collect();
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for Sample { name, document, .. } in recorded().into_iter().chain(corpus()) {
        let reading = formats::read(&document);
        let origin = Origin::of(&document, &reading);
        let completed: Vec<_> = reading
            .agents
            .iter()
            .map(|agent| complete(agent, &document))
            .collect();
        for (agents, how) in [(&reading.agents, "as it is"), (&completed, "completed")] {
            for target in Target::ALL {
                let Some(body) = convert(agents, &origin, target).body else {
                    continue;
                };
                *counts.entry((target.as_str(), how)).or_insert(0) += 1;
                let faults = faults_of(&validators, target, &body);
                if !faults.is_empty() {
                    wrong.push(format!("{name} as {}, {how}: {faults:#?}", target.as_str()));
                }
            }
        }
    }
    println!("{counts:#?}");
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    for target in Target::ALL {
        assert!(
            counts[&(target.as_str(), "completed")] > 50,
            "{}",
            target.as_str()
        );
    }
}

fn faults_of(validators: &[(Target, Validator)], target: Target, body: &str) -> Vec<String> {
    if target == Target::AgentsTxt {
        return Vec::new();
    }
    let value: Value = serde_json::from_str(body).unwrap();
    if target == Target::OpenApi {
        return openapi(&value);
    }
    let (_, validator) = validators.iter().find(|(it, _)| *it == target).unwrap();
    faults(validator, &value)
        .into_iter()
        .filter(|(place, _)| (target, &**place) != VERSION_AS_IT_IS)
        .map(|(place, words)| format!("{place}: {words}"))
        .collect()
}

/// IQ-03, C-31: a version is the site's own; one that is not semantic is a warning there, and
/// writing another one would be inventing.
const VERSION_AS_IT_IS: (Target, &str) = (Target::AgentJson, "/version pattern");

/// Adds the facts that some targets require and few documents state.
fn complete(agent: &Agent, document: &Document) -> Agent {
    let mut agent = agent.clone();
    let at = |path: &str| format!("https://{}{path}", document.domain);
    agent.version.get_or_insert("1.0.0".to_owned());
    agent.url.get_or_insert(at("/api"));
    for modes in [&mut agent.input_modes, &mut agent.output_modes] {
        if modes.is_empty() {
            modes.push("text/plain".to_owned());
        }
    }
    for version in ["0.3", "1.0"] {
        agent.interfaces.push(Interface {
            protocol: "a2a".to_owned(),
            url: at("/a2a"),
            transport: Some("JSONRPC".to_owned()),
            version: Some(version.to_owned()),
            ..Interface::default()
        });
    }
    for (index, capability) in agent.capabilities.iter_mut().enumerate() {
        capability
            .url
            .get_or_insert_with(|| at(&format!("/api/{index}")));
        capability.method.get_or_insert("POST".to_owned());
    }
    agent
}

/// Returns the structural errors of an OpenAPI 3.1 document.
fn openapi(document: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expect = |is_so: bool, what: String| {
        if !is_so {
            wrong.push(what);
        }
    };
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str);
    let is_3_1 = text("/openapi").is_some_and(|version| version.starts_with("3.1."));
    expect(is_3_1, "openapi: not 3.1".to_owned());
    for member in ["/info/title", "/info/version"] {
        let is_given = text(member).is_some_and(|it| !it.is_empty());
        expect(is_given, format!("{member}: missing"));
    }
    let none = Map::new();
    let paths = document["paths"].as_object().unwrap_or(&none);
    expect(!paths.is_empty(), "paths: none".to_owned());
    let mut ids = BTreeSet::new();
    for (path, item) in paths {
        expect(path.starts_with('/'), format!("{path}: no path"));
        expect(!path.contains('?'), format!("{path}: has a query"));
        let operations = item.as_object().unwrap_or(&none);
        expect(!operations.is_empty(), format!("{path}: no operation"));
        let besides = ["servers", "summary", "description", "parameters"];
        let operations = operations
            .iter()
            .filter(|(name, _)| !besides.contains(&name.as_str()));
        for (method, operation) in operations {
            let at = format!("{method} {path}");
            expect(METHODS.contains(&&**method), format!("{at}: no method"));
            expect(
                operation["responses"].is_object(),
                format!("{at}: no responses"),
            );
            if let Some(id) = operation["operationId"].as_str() {
                expect(ids.insert(id), format!("{at}: {id} is there twice"));
            }
            for fault in parameters(path, operation) {
                expect(false, format!("{at}: {fault}"));
            }
        }
    }
    wrong
}

const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// Returns the errors in the parameters of an operation: each must be well formed and declared
/// once, and each `{name}` of the path must be declared and required.
fn parameters(path: &str, operation: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let (Some(name), Some(place)) = (parameter["name"].as_str(), parameter["in"].as_str())
        else {
            wrong.push(format!("{parameter}: neither name nor place"));
            continue;
        };
        if !["query", "header", "path", "cookie"].contains(&place) {
            wrong.push(format!("{name}: in {place}"));
        }
        if !(parameter["schema"].is_object() ^ parameter["content"].is_object()) {
            wrong.push(format!("{name}: neither schema nor content"));
        }
        if !seen.insert((place, name)) {
            wrong.push(format!("{name}: twice in {place}"));
        }
        if place == "path" && parameter["required"] != true {
            wrong.push(format!("{name}: not required"));
        }
    }
    let templates = path
        .split('{')
        .skip(1)
        .filter_map(|it| it.split('}').next());
    let templates: BTreeSet<_> = templates.map(|name| ("path", name)).collect();
    let declared = seen.into_iter().filter(|(place, _)| *place == "path");
    let declared: BTreeSet<_> = declared.collect();
    for (_, name) in templates.symmetric_difference(&declared) {
        wrong.push(format!(
            "{{{name}}}: in the path or among the parameters only"
        ));
    }
    wrong
}
