//! Readings of every real file of the shared collection, compared with the collection's own labels.

use crate::support::samples::{Sample, corpus};
use manifest::{Level, Reading, Severity, formats};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Files that are not listed, by reason: false positives, and files that describe no agent.
const NOT_LISTED: &[(&str, &[&str])] = &[
    (
        "addresses only, and no name (DI-30)",
        &["agents.json/ai-village-agents__ai-village-external-agents__.well-known_agents.json"],
    ),
    (
        "an example of a draft: every address in it is a placeholder (GP-03)",
        &["agent.json/agent-json__spec__examples_fictional_agent.json"],
    ),
    (
        "an API description, to which agents refer (GP-05)",
        &["agent.json/africanmarketos591__mvr-framework__api_openapi.agent.json"],
    ),
    (
        "about something else: people, an article, a game, a schema, rows of a table (GP-05)",
        &[
            "agents.json/GirlLove2Code__vivioo-mcp__data_guides_agents.json.b9f1a396",
            "agents.json/NabilaFerdousPrapty__Majestic-Manors__public_agents.json",
            "agents.json/TevenV27__valorant-wiki__public_agents.json",
            "agents.json/wild-card-ai__agents-json__static_schema.agents.json.331967ce",
            "agents.txt/MAKEITFREE__MCP-X-web__agents.txt",
        ],
    ),
    (
        "rules of use and operations without a name, a description or an address (GP-05)",
        &["agents.json/mbarbine__LogSlash__public_.well-known_agents.json"],
    ),
    (
        "notes on the code of a program (DI-05)",
        &["agents.txt/BoxOfBeer__GuardSchool__static_agents.txt"],
    ),
    (
        "processes on the author's own machine (GP-05)",
        &[
            "agents.json/diegofornalha__claude-20x__config_agents.json.d2d5e125",
            "agents.json/diegofornalha__claude-20x__run-a2a_config_agents.json.79a79535",
        ],
    ),
    (
        "mentions agents of other sites, and describes none of its own (ARD-06)",
        &[
            "agents.json/Aigen-Protocol__aigen-protocol__agents.json",
            "other/DelovoyMotiv__anteroslogos__public_.well-known_ai.txt",
            "agents.json/bobrenze-bot__bobrenze.com__.well-known_agents.json",
            "agents.json/smartsamy41__ai-marketing-system__public_.well-known_agents.json.d90835af",
            "other/Agent-Card__ai-catalog__specification_examples_ai-catalog.json",
            "other/Agent-Card__ai-catalog__specification_examples_ai-catalog.json.b3093536",
        ],
    ),
    (
        "valid, and declares nothing (AT-41)",
        &["agents.txt/KatyTechnologies__katy-technologies-website__agents.txt"],
    ),
    (
        "not JSON even to a lenient parser, or empty (DI-07, DI-01)",
        &[
            "agents.json/TombStoneDash__noui-bot__public_.well-known_agents.json.e709121a",
            "agents.json/mbarbine__LogSlash__public_.well-known_agents.json.1fb21ac8",
            "mcp/mbarbine__LogSlash__public_.well-known_mcp.json.1fb21ac8",
            "other/kindrat86__carshake__.well-known_ai-plugin.json",
            "other/mbarbine__LogSlash__public_.well-known_agent-policy.json",
        ],
    ),
    (
        "proof of a registry account: a key, not a manifest",
        &[
            "mcp/GTCC777__mcp-pulsenetwork__public_.well-known_mcp-registry-auth",
            "mcp/GirlLove2Code__vivioo-mcp__public_.well-known_mcp-registry-auth",
        ],
    ),
    (
        "skills that another site offers, or pages that are none (SK-01)",
        &[
            "other/Elomami1976__typogrammar__public_.well-known_agent-skills_index.json",
            "other/LeonMelamud__inspector-agents__public_.well-known_agent-skills_index.json",
            "other/Virtex-Labs__Portfolio__public_.well-known_agent-skills_index.json",
            "other/katrinalaszlo__personal-site__.well-known_agent-skills_index.json",
            "other/malipetek__malipetek.github.io__.well-known_agent-skills_index.json.534a9b32",
        ],
    ),
    (
        "an empty list of registrations without a name",
        &["other/megachadxyz__mega-chad__public_.well-known_agent-registration.json.33b5075e"],
    ),
];

/// Labels of the collection, each with the format that it corresponds to.
const SAME: &[(&str, &str)] = &[
    ("a2a-agent-card", "a2a-agent-card"),
    ("agent-skills index", "agent-skills-index"),
    ("agent.json/intentql", "intentql"),
    (
        "agent.json/openagents-identity (foragents.dev)",
        "agent-identity-kit",
    ),
    (
        "agent.json/openagents-identity (foragents.dev)",
        "agent-identity-kit-team",
    ),
    ("agents-txt", "agents-txt/prose"),
    ("agents-txt", "agents-txt/robots-like"),
    ("agents-txt", "agents-txt/free-keys"),
    ("agents-txt", "agents-txt/agents-protocol"),
    ("agents-txt", "agents-txt/well-known-1.0"),
    ("agents-txt", "agents-txt/agents-txt-com"),
    ("agents-txt", "agents-txt/agentstxt-dev"),
    ("agents-txt", "agents-txt/yaml-list"),
    ("agents.json/agents-txt", "agents-json/agents-txt-1.0"),
    ("agents.json/agents-txt.com", "agents-json/agents-txt-com"),
    ("agents.json/wildcard", "wildcard-agents-json"),
    ("ai-catalog/ard", "ai-catalog"),
    ("ai-plugin", "ai-plugin"),
    ("ai-plugin", "profile"),
    ("invalid JSON", "unrecognised"),
    ("mcp/mcp.json (ad-hoc)", "mcp-server-card"),
    ("mcp/mcp.json (serverInfo)", "mcp-server-card"),
    ("mcp/server-card (ad-hoc)", "mcp-server-card"),
    ("mcp/server-card (serverInfo)", "mcp-server-card"),
    ("mcp/webmcp", "webmcp"),
    ("oasf record", "oasf"),
    ("other: ACP (agentic commerce) profile", "acp"),
    ("other: ERC-8004 registration", "erc-8004"),
    ("other: JSON Schema document", "unrecognised"),
    ("other: OpenAPI document", "openapi"),
    (
        "other: ad-hoc site/service profile (capabilities array of objects)",
        "profile",
    ),
    (
        "other: ad-hoc site/service profile (capabilities array)",
        "profile",
    ),
    (
        "other: ad-hoc site/service profile (capabilities object)",
        "profile",
    ),
    (
        "other: ad-hoc site/service profile (no capabilities)",
        "profile",
    ),
    (
        "other: agents.txt markdown prose / llms.txt-like",
        "agents-txt/prose",
    ),
    ("other: text (mcp-registry-auth)", "unrecognised"),
    ("other: unclassified object", "unrecognised"),
    ("other: unrelated data dump (game API)", "unrecognised"),
    ("other: {agents:[...]} wrapper", "agents-wrapper"),
    ("other: {agents:[...]} wrapper", "wrapped-agents"),
];

/// Differences between label and format, each with its reason.
const DIFFERENT: &[(&str, &str, &str)] = &[
    (
        "agents.json/wildcard",
        "profile",
        "flows, but none of the four members of the format: test 4 requires `agentsJson`",
    ),
    (
        "invalid JSON",
        "profile",
        "readable to the lenient parser (DI-07)",
    ),
    (
        "mcp/client-config (mcpServers)",
        "mcp-server-card",
        "`serverInfo` beside a client's settings: test 14",
    ),
    (
        "mcp/client-config (mcpServers)",
        "wrapped-agents",
        "settings for a client: each server with a URL is read as a card",
    ),
    (
        "mcp/mcp.json (ad-hoc)",
        "profile",
        "no members of a server card: read as the generic profile",
    ),
    (
        "mcp/mcp.json (ad-hoc)",
        "wrapped-agents",
        "a list of servers under `servers`, which no specification has",
    ),
    (
        "mcp/server-card (SEP $schema)",
        "profile",
        "its `$schema` is not the card's: test 14 requires that name",
    ),
    (
        "other: CMS article",
        "profile",
        "has a name; refused there (GP-05)",
    ),
    (
        "other: ERC-8004 registration",
        "unrecognised",
        "an empty list without the type of the standard",
    ),
    (
        "other: a2a-like (JSON-LD @context, protocol_version, endpoints map)",
        "a2a-agent-card",
        "an array of skills beside an object of capabilities: test 18",
    ),
    (
        "other: ad-hoc site/service profile (capabilities array of objects)",
        "agents-json/agents-protocol",
        "schema_version and endpoints: test 13",
    ),
    (
        "other: ad-hoc site/service profile (capabilities array of objects)",
        "zervice-single",
        "a name and an array of capabilities: test 20",
    ),
    (
        "other: ad-hoc site/service profile (capabilities object)",
        "a2a-agent-card",
        "skills or supportedInterfaces beside the object: test 18",
    ),
    (
        "other: ad-hoc site/service profile (no capabilities)",
        "a2a-agent-card",
        "skills without capabilities: test 18",
    ),
    (
        "other: agents.txt json-in-txt",
        "unrecognised",
        "JSON in a text file is read by its content (AT-95): rows of a table",
    ),
    (
        "other: agents.txt markdown prose / llms.txt-like",
        "agents-txt/free-keys",
        "labels in capitals, each before an address (AT-92)",
    ),
    (
        "other: agents.txt plain prose",
        "agents-txt",
        "refused there (DI-05)",
    ),
    (
        "other: array of people (human agents / mailing list), not AI agents",
        "unrecognised",
        "a list of objects that are no agents (DI-30)",
    ),
    (
        "other: text (ai.txt)",
        "agents-txt/prose",
        "the same prose under another name (AT-90)",
    ),
    (
        "other: text (ai.txt)",
        "agents-txt/robots-like",
        "the same lines under another name (AT-91)",
    ),
    (
        "other: unclassified object",
        "wrapped-agents",
        "one agent in a wrapper: read in its own format",
    ),
    (
        "other: unclassified object",
        "profile",
        "no name, but the endpoint of its MCP server",
    ),
    (
        "other: x402 manifest",
        "x402",
        "at an x402 path, but of no x402 version: what is sold, with addresses",
    ),
];

/// Returns every file with its reading, after checking that it is read the same twice.
fn readings() -> Vec<(Sample, Reading)> {
    let samples = corpus().into_iter();
    samples
        .map(|sample| {
            let reading = formats::read(&sample.document);
            let again = formats::read(&sample.document);
            assert_eq!(reading, again, "{}", sample.name);
            (sample, reading)
        })
        .collect()
}

/// Returns false for a robots.txt, which is not a manifest: the crawler obeys it and takes hints
/// from it.
fn is_manifest(sample: &Sample) -> bool {
    sample.says("guess") != "robots.txt"
}

#[test]
fn every_file_that_describes_an_agent_is_listed() {
    let readings = readings();
    if readings.is_empty() {
        return;
    }
    assert!(readings.len() >= 314, "only {} files", readings.len());
    println!("{}", table(&readings));
    let left_out = readings
        .iter()
        .filter(|(sample, reading)| is_manifest(sample) && !reading.is_indexable());
    let left_out: BTreeSet<_> = left_out.map(|(sample, _)| sample.name.as_str()).collect();
    let known = NOT_LISTED
        .iter()
        .flat_map(|(_, files)| files.iter().copied());
    let known: BTreeSet<_> = known.collect();
    for name in left_out.difference(&known) {
        let (sample, reading) = readings.iter().find(|(it, _)| it.name == **name).unwrap();
        println!(
            "{name}: {} as {}: {:?}",
            sample.says("guess"),
            reading.format,
            reading.findings
        );
    }
    assert_eq!(left_out, known);
}

#[test]
fn detected_formats_agree_with_the_labels_of_the_collection() {
    let mut pairs: BTreeMap<(String, &str), Vec<String>> = BTreeMap::new();
    let manifests = readings()
        .into_iter()
        .filter(|(sample, _)| is_manifest(sample));
    for (sample, reading) in manifests {
        let pair = (sample.says("guess").to_owned(), reading.format.as_str());
        pairs.entry(pair).or_default().push(sample.name);
    }
    if pairs.is_empty() {
        return;
    }
    for ((guess, ours), files) in &pairs {
        println!("{:>4} {guess} -> {ours}", files.len());
    }
    let found: BTreeSet<_> = pairs
        .keys()
        .map(|(guess, ours)| (&**guess, *ours))
        .collect();
    let different = DIFFERENT.iter().map(|(guess, ours, _)| (*guess, *ours));
    let known: BTreeSet<_> = SAME.iter().copied().chain(different).collect();
    for pair in found.difference(&known) {
        println!("{pair:?}: {:#?}", pairs[&(pair.0.to_owned(), pair.1)]);
    }
    assert_eq!(found, known);
}

/// Formats a table of documents, levels and most frequent findings by format.
fn table(readings: &[(Sample, Reading)]) -> String {
    let mut rows: BTreeMap<&str, Vec<&Reading>> = BTreeMap::new();
    for (_, reading) in readings {
        rows.entry(reading.format.as_str())
            .or_default()
            .push(reading);
    }
    let mut text = format!(
        "{:<28} {:>9} {:>4} {:>4} {:>4} {:>4} {:>7}  {}\n",
        "format", "documents", "A", "B", "C", "D", "offers", "most frequent findings"
    );
    for (format, readings) in rows {
        let at = |level: Level| readings.iter().filter(|it| it.level() == level).count();
        let agents = readings.iter().flat_map(|it| &it.agents);
        let offers: usize = agents.map(|agent| agent.capabilities.len()).sum();
        let _ = writeln!(
            text,
            "{format:<28} {:>9} {:>4} {:>4} {:>4} {:>4} {offers:>7}  {}",
            readings.len(),
            at(Level::A),
            at(Level::B),
            at(Level::C),
            at(Level::D),
            most_frequent(&readings),
        );
    }
    text
}

/// Lists the rules that most documents break, with the number of documents.
fn most_frequent(readings: &[&Reading]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reading in readings {
        let faults = reading
            .findings
            .iter()
            .filter(|it| it.severity > Severity::Info);
        let rules: BTreeSet<_> = faults.map(|it| it.rule.id).collect();
        for rule in rules {
            *counts.entry(rule).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(rule, count)| (usize::MAX - count, *rule));
    let words = counts
        .iter()
        .take(4)
        .map(|(rule, count)| format!("{rule} ×{count}"));
    words.collect::<Vec<_>>().join(", ")
}
