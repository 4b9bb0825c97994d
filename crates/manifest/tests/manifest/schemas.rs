//! Comparison of our strict verdict with the official schemas, for every vector, real file and
//! recorded exchange.
//!
//! To add a format, add a line to [`COVERS`].

use crate::support;
use crate::support::samples::{Sample, corpus, recorded, vectors};
use crate::support::schemas::Schema;
use manifest::{Reading, Severity, formats};
use std::collections::{BTreeMap, BTreeSet};

/// A schema with the readings that it covers.
struct Cover {
    schema: Schema,
    format: &'static str,
    /// The generation that the reading names; `None` where the schema covers all of them.
    generation: Option<&'static str>,
}

/// If several schemas cover one generation, one of them has to accept the document.
const COVERS: &[Cover] = &[
    card("a2a/a2a-v0.1.0.schema.json", "#/$defs/AgentCard", "0.1"),
    card("a2a/a2a-v0.2.0.schema.json", CARD, "0.2"),
    card("a2a/a2a-v0.2.5.schema.json", CARD, "0.2.5"),
    card("a2a/a2a-v0.2.6.schema.json", CARD, "0.2.5"),
    card("a2a/a2a-v0.3.0.schema.json", CARD, "0.3"),
    card("derived/a2a-agentcard-1.0.derived.schema.json", "", "1.0"),
    // A hybrid is valid if one of its families is (A2-20).
    card("a2a/a2a-v0.3.0.schema.json", CARD, "1.0"),
    // Such a card has no member that distinguishes the first two generations.
    card("a2a/a2a-v0.1.0.schema.json", "#/$defs/AgentCard", "0.x"),
    card("a2a/a2a-v0.2.0.schema.json", CARD, "0.x"),
    whole(
        "agents-protocol/agents.schema.json",
        "agents-json/agents-protocol-legacy",
    ),
    whole(
        "derived/agents-protocol-1.0.derived.schema.json",
        "agents-json/agents-protocol",
    ),
    whole(
        "derived/agents-txt-1.0-json.derived.schema.json",
        "agents-json/agents-txt-1.0",
    ),
    whole(
        "agents-txt-com/agents-json-v1.0.json",
        "agents-json/agents-txt-com",
    ),
    whole("json-agents/schema/json-agents.json", "json-agents"),
    whole("derived/intentql-agent-0.1.derived.schema.json", "intentql"),
    whole("derived/zervice-agents.derived.schema.json", "zervice"),
    whole(
        "derived/zervice-agents.derived.schema.json",
        "zervice-single",
    ),
    whole("wildcard/agentsJson.schema.json", "wildcard-agents-json"),
    whole("agent-identity-kit/agent.schema.json", "agent-identity-kit"),
    whole("dekimu/agent-policy.schema.json", "agent-policy-0.1"),
    whole("ard/ai-catalog.schema.json", "ai-catalog"),
    whole("derived/ai-catalog-1.0.derived.schema.json", "ai-catalog"),
    whole(
        "mcp/registry-server-2025-07.schema.json",
        "mcp-registry-server",
    ),
    Cover {
        schema: Schema::of("mcp/server-card.schema.json", "#/$defs/ServerCard"),
        format: "mcp-server-card",
        generation: Some("v1"),
    },
];

const CARD: &str = "#/definitions/AgentCard";

const fn card(file: &'static str, definition: &'static str, generation: &'static str) -> Cover {
    Cover {
        schema: Schema::of(file, definition),
        format: "a2a-agent-card",
        generation: Some(generation),
    }
}

const fn whole(file: &'static str, format: &'static str) -> Cover {
    Cover {
        schema: Schema::of(file, ""),
        format,
        generation: None,
    }
}

/// An explained difference between a schema and the rules.
struct Exception {
    /// A format, or one document by its name.
    of: &'static str,
    /// An error that only the rules report (`AJ-09`), or one that only the schema reports: its
    /// pointer, with `*` for numbers, and its keyword (`/tools/* required`).
    fault: &'static str,
    /// The rule or decision that explains it.
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    except("a2a-agent-card", "A2-17", SECRET),
    except("agents-json/agents-txt-1.0", "AX-06", NAMES),
    except("json-agents", "PE-02", EXPRESSION),
    except("json-agents", "AU-01", URI),
    except("json-agents", "AU-03", URI),
    except("ai-catalog", "ARD-06", AUTHORITY),
    except(
        "ai-catalog/contradiction/early-agents-shape.json",
        "required",
        EARLY,
    ),
    except(
        "ai-catalog/contradiction/early-agents-shape.json",
        "/specVersion pattern",
        EARLY,
    ),
    except(
        "ai-catalog/contradiction/early-agents-shape.json",
        "/host required",
        EARLY,
    ),
    except("ai-catalog/early-shape.http", "required", EARLY),
    except("ai-catalog/early-shape.http", "/specVersion pattern", EARLY),
    except("ai-catalog/early-shape.http", "/host required", EARLY),
    except("ai-catalog/records.http", "required", EARLY),
    except("ai-catalog/records.http", "/host required", EARLY),
    except(
        "other/Agent-Card__ai-catalog__specification_examples_ai-catalog.json.b3093536",
        "required",
        EARLY,
    ),
    except(
        "other/Agent-Card__ai-catalog__specification_examples_ai-catalog.json.b3093536",
        "/host required",
        EARLY,
    ),
    except(
        "agents-json/agents-protocol",
        "/capabilities/*/method enum",
        CASE,
    ),
    except("agent-identity-kit", "/agent additionalProperties", TAGS),
    except("mcp-registry-server", "required", REGISTRY),
    except("mcp-registry-server", "/packages/* required", REGISTRY),
    except(
        "mcp-registry-server",
        "/packages/*/registry_name enum",
        REGISTRY,
    ),
    except("mcp-registry-server", "/repository required", REGISTRY),
    except("mcp-registry-server", "/version_detail required", REGISTRY),
    except("a2a-agent-card/array-of-cards.http", "oneOf", MIXED),
    except("zervice/mixed-with-a2a.http", "oneOf", MIXED),
];

const SECRET: &str =
    "A2-17: a published credential is an error, which the schema mentions only in a description";
const NAMES: &str = "AX-06: the rule compares names, which a JSON Schema cannot do";
const EXPRESSION: &str = "JA-13: a policy must be parsable, but the schema accepts any text";
const URI: &str = "AU-01, AU-03: the specification's own validator parses agent URIs";
const AUTHORITY: &str =
    "ARD-06: a catalogue must not speak for another host, which a schema cannot check";
const EARLY: &str = "CAT-09: the forms before 1.0 are accepted with a warning";
const CASE: &str = "AJ-09: a method in lower case is accepted with a warning";
const TAGS: &str = "Agent Identity Kit: agents have tags, which the closed schema omits";
const REGISTRY: &str = "MCP registry: the schema is of July 2025; the rules check names, version and remotes, \
    but not packages and repository";
const MIXED: &str = "ZV-08: an element that is an A2A card is checked as one";

const fn except(of: &'static str, fault: &'static str, reason: &'static str) -> Exception {
    Exception { of, fault, reason }
}

/// Counts of the comparison for one format and generation.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    excepted: usize,
}

#[test]
fn the_strict_verdict_agrees_with_the_official_schemas() {
    let Some(folder) = support::shared("formats/schemas") else {
        return;
    };
    let validators: Vec<_> = COVERS
        .iter()
        .map(|cover| (cover, cover.schema.validator(&folder)))
        .collect();
    let mut compared: BTreeMap<(&str, Option<String>), Tally> = BTreeMap::new();
    let mut differences = Vec::new();
    let mut needed = BTreeSet::new();
    for sample in samples() {
        let Some(value) = sample.json() else {
            continue;
        };
        let reading = formats::read(&sample.document);
        let of_reading = validators
            .iter()
            .filter(|(cover, _)| cover.is_for(&reading));
        let covering: Vec<_> = of_reading.map(|(_, validator)| validator).collect();
        if covering.is_empty() {
            continue;
        }
        let key = (reading.format.as_str(), reading.generation.clone());
        let tally = compared.entry(key).or_default();
        *(if reading.is_valid() {
            &mut tally.valid
        } else {
            &mut tally.invalid
        }) += 1;
        let theirs = covering
            .iter()
            .map(|validator| support::schemas::faults(validator, &value));
        let theirs = theirs.min_by_key(Vec::len).unwrap();
        if theirs.is_empty() == reading.is_valid() {
            continue;
        }
        let faults = if theirs.is_empty() {
            ours(&reading)
        } else {
            theirs
        };
        let exceptions: Vec<_> = faults
            .iter()
            .map(|fault| exception(&sample.name, &reading, fault))
            .collect();
        if exceptions.iter().all(Option::is_some) {
            tally.excepted += 1;
            needed.extend(exceptions.into_iter().flatten());
        } else {
            let format = reading.format;
            differences.push(format!("{} ({format}): {faults:#?}", sample.name));
        }
    }
    println!("{compared:#?}");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for (index, exception) in EXCEPTIONS.iter().enumerate() {
        let Exception { of, fault, reason } = exception;
        assert!(
            needed.contains(&index),
            "{of} needs no exception for {fault}: {reason}"
        );
    }
    for cover in COVERS {
        let is_covered = |(format, generation): &(&str, Option<String>)| {
            *format == cover.format
                && (cover.generation.is_none() || generation.as_deref() == cover.generation)
        };
        let file = cover.schema.file;
        assert!(
            compared.keys().any(is_covered),
            "{file} covers no {}",
            cover.format
        );
    }
}

impl Cover {
    fn is_for(&self, reading: &Reading) -> bool {
        self.format == reading.format.as_str()
            && (self.generation.is_none() || self.generation == reading.generation.as_deref())
    }
}

fn samples() -> impl Iterator<Item = Sample> {
    vectors().into_iter().chain(corpus()).chain(recorded())
}

/// Returns the errors that the rules report, by rule.
fn ours(reading: &Reading) -> Vec<(String, String)> {
    let errors = reading
        .findings
        .iter()
        .filter(|it| it.severity == Severity::Error);
    errors
        .map(|it| {
            (
                it.rule.to_string(),
                format!("{}: {}", it.pointer, it.message),
            )
        })
        .collect()
}

/// Returns the index of the exception that explains a fault.
fn exception(name: &str, reading: &Reading, (fault, _): &(String, String)) -> Option<usize> {
    EXCEPTIONS
        .iter()
        .position(|it| (it.of == reading.format.as_str() || it.of == name) && it.fault == fault)
}
