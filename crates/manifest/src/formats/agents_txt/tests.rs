//! Tests of each dialect: the agent that is read, and the findings with their lines.

use crate::document::sample;
use crate::formats::read;
use crate::{Agent, Reading, Severity};

fn reading(text: &str) -> Reading {
    read(&sample("mugs.example", "/.well-known/agents.txt", text))
}

fn agent(text: &str) -> Agent {
    reading(text).agents.remove(0)
}

/// Returns the rule and line of each finding of this severity.
fn rules(reading: &Reading, severity: Severity) -> Vec<(&str, Option<u32>)> {
    let of_severity = reading
        .findings
        .iter()
        .filter(|finding| finding.severity == severity);
    of_severity
        .map(|finding| (finding.rule.id, finding.line))
        .collect()
}

const LEGACY: &str = "# agents.txt
Name: Mugs
URL: https://mugs.example
Description: Handmade mugs
Contact: shop@mugs.example
Capabilities: search, cart.add, checkout
Capabilities-URL: https://mugs.example/.well-known/agents.json
Agent-API: https://mugs.example/agent-api
Docs: https://mugs.example/docs
Rate-Limit: 60
Session-TTL: 3600s
Audit: true
";

#[test]
fn the_legacy_dialect_gives_capabilities_sessions_and_the_interaction_api() {
    let reading = reading(LEGACY);
    assert_eq!(reading.format.as_str(), "agents-txt/agents-protocol-legacy");
    assert_eq!(reading.findings, []);
    let agent = &reading.agents[0];
    assert_eq!(
        (agent.name.as_str(), agent.url.as_deref()),
        ("Mugs", Some("https://mugs.example/"))
    );
    let names: Vec<_> = agent
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["search", "cart.add", "checkout"]);
    assert_eq!(agent.capabilities[1].tags, ["cart"]);
    assert_eq!(agent.capabilities[1].requires_session, Some(true));
    assert_eq!(agent.capabilities[2].human_handoff, Some(true));
    assert_eq!(agent.capabilities[0].pointer, "line:6");
    assert_eq!(agent.interfaces[0].url, "https://mugs.example/agent-api");
    let sessions = agent.sessions.as_ref().unwrap();
    assert_eq!(
        (sessions.create.as_str(), sessions.ttl_s),
        ("https://mugs.example/agent-api/session", 3_600)
    );
    assert_eq!(
        agent.audit.as_ref().unwrap().endpoint,
        "https://mugs.example/agent-api/audit"
    );
    assert_eq!(
        (agent.rate_limits[0].limit, agent.rate_limits[0].window_s),
        (60, 60)
    );
    assert_eq!(reading.references[0].rel, "agents.json");
}

#[test]
fn the_legacy_dialect_reports_missing_keys() {
    let reading = reading("Capabilities: Search All\nURL: mugs\n");
    assert_eq!(
        rules(&reading, Severity::Error),
        [("AT-10", None), ("AT-11", Some(2))]
    );
    assert_eq!(rules(&reading, Severity::Warning), [("AT-13", Some(1))]);
    assert_eq!(reading.agents[0].name, "mugs.example");
    assert_eq!(reading.agents[0].defaulted, ["interfaces", "name"]);
}

#[test]
fn the_protocol_dialect_gives_allowed_capabilities_and_flows() {
    let reading = reading(
        "Site: Mugs\nURL: https://mugs.example\nAgents-JSON: /agents.json\nAllow: search\nAllow: detail\n\
         Allow: /public/*\nFlow: buy → search, detail\nFlow-Description: Find and look\n\
         Flow: lost -> search, vanish\nRate-Limit: 30/minute\nAudit-Endpoint: https://mugs.example/audit/:session_id\n",
    );
    assert_eq!(reading.format.as_str(), "agents-txt/agents-protocol");
    assert_eq!(rules(&reading, Severity::Error), []);
    assert_eq!(
        rules(&reading, Severity::Warning),
        [("AT-07", Some(3)), ("AT-24", Some(9))]
    );
    let agent = &reading.agents[0];
    assert_eq!(agent.capabilities.len(), 2);
    assert_eq!(agent.flows[0].steps, ["search", "detail"]);
    assert_eq!(agent.flows[0].description.as_deref(), Some("Find and look"));
    assert_eq!(agent.flows[1].name, "lost");
    assert_eq!(
        agent.audit.as_ref().unwrap().endpoint,
        "https://mugs.example/audit/{session_id}"
    );
    assert_eq!(
        reading.references[0].url,
        "https://mugs.example/agents.json"
    );
}

#[test]
fn the_protocol_dialect_without_required_keys_is_invalid() {
    let reading = reading("Agents-JSON: https://mugs.example/agents.json\nFlow-Description: x\n");
    let expected = [("AT-20", None), ("AT-21", None), ("AT-23", None)];
    assert_eq!(rules(&reading, Severity::Error), expected);
    assert_eq!(rules(&reading, Severity::Warning), [("AT-25", Some(2))]);
}

const WELL_KNOWN: &str = "Spec-Version: 1.0
Site-Name: Mugs
Site-URL: https://mugs.example

Capability: find-mug
  Endpoint: https://mugs.example/api/mugs/:shape
  Method: get
  Protocol: REST
  Auth: oauth2
  Auth-Endpoint: https://mugs.example/token
  Scopes: mugs.read, mugs.list
  Rate-Limit: 10/second
  Description: Finds a mug
  Param: shape (path, string, required) - Its shape
  Param: glazed (query, boolean)
  OpenAPI: https://mugs.example/openapi.json

Capability: chat
\tEndpoint: https://chat.other.example/mcp
\tProtocol: MCP

Allow: /api/*
Agent: *
  Rate-Limit: 100/hour
  Capabilities: find-mug
Agent: claude
  Rate-Limit: 200/hour
  Capabilities: find-mug, vanish
  Agent-Declaration: https://claude.example/agents.txt
";

#[test]
fn the_well_known_dialect_gives_capabilities_with_parameters_and_auth() {
    let reading = reading(WELL_KNOWN);
    assert_eq!(
        (reading.format.as_str(), reading.generation.as_deref()),
        ("agents-txt/well-known-1.0", Some("1.0"))
    );
    assert_eq!(rules(&reading, Severity::Error), []);
    assert_eq!(rules(&reading, Severity::Warning), [("AT-35", Some(28))]);
    assert_eq!(rules(&reading, Severity::Info), [("AT-39", Some(19))]);
    let agent = &reading.agents[0];
    let find = &agent.capabilities[0];
    assert_eq!(find.method.as_deref(), Some("GET"));
    assert_eq!(
        find.url.as_deref(),
        Some("https://mugs.example/api/mugs/{shape}")
    );
    assert_eq!(find.requires_auth, Some(true));
    assert_eq!(find.rate_limit.as_ref().unwrap().window_s, 1);
    assert_eq!(find.params[0].description.as_deref(), Some("Its shape"));
    assert_eq!(find.input_schema.as_ref().unwrap()["required"][0], "shape");
    assert_eq!(find.pointer, "line:5");
    let chat = &agent.capabilities[1];
    assert_eq!(
        (chat.protocol.as_deref(), &chat.method),
        (Some("mcp"), &None)
    );
    let protocols = agent.interfaces.iter().map(|it| it.protocol.as_str());
    assert!(protocols.eq(["mcp", "openapi"]));
    assert_eq!(agent.auth[0].scopes, ["mugs.read", "mugs.list"]);
    let limits: Vec<_> = agent
        .rate_limits
        .iter()
        .map(|it| (it.scope.as_str(), it.limit))
        .collect();
    assert_eq!(limits, [("default", 100), ("claude", 200)]);
    let rels: Vec<_> = reading
        .references
        .iter()
        .map(|it| it.rel.as_str())
        .collect();
    assert_eq!(rels, ["openapi", "agents.txt"]);
}

#[test]
fn findings_of_the_well_known_dialect_have_line_numbers() {
    let reading = reading(
        "Site-Name: Mugs\nSite-URL: https://mugs.example\nCapability: Find It\n  Endpoint: /relative\n  Auth: magic\n\
         Capability: none\n  Param: q is text\n  Rate-Limit: often\n",
    );
    assert_eq!(
        rules(&reading, Severity::Error),
        [("AT-32", Some(4)), ("AT-32", Some(6))]
    );
    assert_eq!(
        rules(&reading, Severity::Warning),
        [
            ("AT-30", None),
            ("AT-32", Some(3)),
            ("AT-32", Some(3)),
            ("AT-33", Some(5)),
            ("AT-34", Some(7)),
            ("AT-38", Some(8)),
        ]
    );
}

#[test]
fn a_declared_bot_offers_nothing() {
    let reading = reading(
        "Spec-Version: 1.0\nDeclaration-Type: agent\nOperates-On: https://other.example\n\
         Site-Name: Mug Bot\nSite-URL: https://mugs.example\nCapabilities: search\n",
    );
    assert_eq!(reading.agents[0].capabilities, []);
    assert_eq!(rules(&reading, Severity::Info), [("AT-37", Some(2))]);
}

#[test]
fn the_com_dialect_points_at_cards_and_servers() {
    let reading = reading(
        "# Standard: https://agents-txt.com\n# JSON: https://mugs.example/agents.json\nProtocols: x402, barter\n\
         Authorization: oauth2\nMCP: https://mugs.example/mcp\nA2A: https://mugs.example/card.json\n\
         skills: http://mugs.example/SKILL.md\n",
    );
    assert_eq!(reading.format.as_str(), "agents-txt/agents-txt-com");
    assert_eq!(rules(&reading, Severity::Error), [("AT-42", Some(7))]);
    assert_eq!(
        rules(&reading, Severity::Warning),
        [("AT-03", Some(7)), ("AT-43", Some(3)), ("DI-09", Some(7))]
    );
    let agent = &reading.agents[0];
    assert_eq!(agent.name, "mugs.example");
    assert_eq!(agent.interfaces[0].protocol, "mcp");
    assert_eq!(agent.payments[0].protocol, "x402");
    assert_eq!(agent.auth[0].scheme, "oauth2");
    let rels: Vec<_> = reading
        .references
        .iter()
        .map(|it| it.rel.as_str())
        .collect();
    assert_eq!(rels, ["agents.json", "agent-card", "skills"]);
}

#[test]
fn comments_at_the_top_are_read_as_whole_sentences() {
    let described = |comments: &str| {
        let text = format!(
            "# agents.txt: what this site offers to agents.\n# Standard: https://agents-txt.com\n{comments}\n\nMCP: https://mugs.example/mcp\n"
        );
        reading(&text).agents[0].description.clone()
    };
    assert_eq!(
        described(
            "# This shop sells mugs, asks for no login, runs\n# no server of its own and\n# answers in a day."
        )
        .unwrap(),
        "This shop sells mugs, asks for no login, runs no server of its own and answers in a day."
    );
    // A name and a sentence below it, or apart from it, stay apart.
    for comments in [
        "# Mugs\n# We sell mugs of clay that hold hot tea.",
        "# Mugs\n#\n# we sell mugs of clay that hold hot tea.",
    ] {
        let description = described(comments).unwrap();
        assert!(
            description.eq_ignore_ascii_case("We sell mugs of clay that hold hot tea."),
            "{description}"
        );
    }
}

#[test]
fn comments_alone_declare_nothing_and_are_valid() {
    let reading = reading("# agents.txt\n# Standard: https://agents-txt.com\n");
    assert!(reading.is_valid() && !reading.is_indexable());
    assert_eq!(rules(&reading, Severity::Info), [("AT-41", Some(1))]);
}

#[test]
fn comments_of_no_dialect_declare_nothing() {
    for text in ["# nothing here yet\n", "# one\n\n# two\n# three\n"] {
        let reading = reading(text);
        assert!(reading.is_valid() && !reading.is_indexable(), "{text}");
        assert_eq!(rules(&reading, Severity::Info), [("AT-41", Some(1))]);
    }
    let named = reading("# Mugs\n# Contact: shop@mugs.example\n");
    assert!(named.is_indexable(), "a comment with an address is content");
}

#[test]
fn a_list_of_authors_is_no_manifest() {
    let reading = reading("/* TEAM */\nName: Ida Holm\nSite: https://ida.example\n\n/* SITE */\n");
    assert_eq!(rules(&reading, Severity::Error), [("DI-05", Some(1))]);
    assert!(!reading.is_indexable());
}

#[test]
fn a_file_that_is_indented_or_ends_its_lines_in_cr_is_read() {
    for text in [
        "  Site: Mugs\n  URL: https://mugs.example\n  Allow: find\n",
        "Site: Mugs\rURL: https://mugs.example\rAllow: find\r",
    ] {
        let reading = reading(text);
        assert_eq!(reading.agents[0].name, "Mugs", "{text:?}");
        assert_eq!(reading.agents[0].capabilities[0].name, "find", "{text:?}");
        assert!(reading.is_valid(), "{:?}", reading.findings);
    }
}

#[test]
fn findings_with_one_cause_are_counted() {
    let lines = "no colon here\n".repeat(50);
    let reading = reading(&format!(
        "Site: Mugs\nURL: https://mugs.example\nAllow: a\n{lines}"
    ));
    let mut stray = reading.findings.iter().filter(|it| it.rule.id == "AT-02");
    assert_eq!(stray.next().unwrap().count, 50);
    assert!(stray.next().is_none());
}

#[test]
fn prose_gives_a_name_a_description_and_pointers() {
    let reading = reading(
        "# agents.txt — Mugs (https://mugs.example)\n\nWe sell mugs,\nby hand.\n\nMore words.\n\n## Links\n\
         - [Card](/.well-known/agent-card.json)\n- MCP server: `https://mugs.example/mcp`\n",
    );
    assert_eq!(reading.format.as_str(), "agents-txt/prose");
    let agent = &reading.agents[0];
    assert_eq!(agent.name, "Mugs");
    assert_eq!(agent.description.as_deref(), Some("We sell mugs, by hand."));
    assert_eq!(agent.interfaces[0].url, "https://mugs.example/mcp");
    assert_eq!(
        reading.references[0].url,
        "https://mugs.example/.well-known/agent-card.json"
    );
    assert_eq!(reading.level().as_str(), "C");
}

#[test]
fn keys_of_other_dialects_are_read() {
    let text = format!(
        "{LEGACY}MCP: https://mugs.example/mcp\nCapability: extra\n  Endpoint: https://mugs.example/x\nColour: blue\n"
    );
    let agent = agent(&text.replace("\nName:", "\nname :"));
    let names: Vec<_> = agent
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["extra", "search", "cart.add", "checkout"]);
    assert_eq!(agent.interfaces[1].protocol, "mcp");
    assert_eq!(agent.extensions["colour"], "blue");
}

#[test]
fn words_beside_an_address_name_its_transport() {
    for (line, transport) in [
        (
            "MCP-Endpoint: /mcp (Streamable HTTP & JSON-RPC 2.0)",
            Some("streamable-http"),
        ),
        ("MCP-Endpoint: /mcp (JSON-RPC 2.0)", None),
        ("REST-API: /api (behind the streamable HTTP server)", None),
    ] {
        let text = format!("# Mugs\nSite-Name: Mugs\nContact: mugs@mugs.example\n{line}\n");
        let stated = agent(&text).interfaces[0].transport.clone();
        assert_eq!(stated.as_deref(), transport, "{line}");
    }
}

#[test]
fn other_files_are_not_manifests() {
    for (text, rule, line) in [
        ("User-agent: *\nDisallow: /\n", "DI-05", Some(1)),
        (
            "# AGENTS.md\n\n## Build commands\n- make\n",
            "AT-96",
            Some(1),
        ),
        ("nothing", "DI-05", Some(1)),
        ("<html><body>404</body></html>", "DI-04", None),
    ] {
        let reading = reading(text);
        assert_eq!(rules(&reading, Severity::Error), [(rule, line)], "{text}");
        assert!(!reading.is_indexable(), "{text}");
    }
}

#[test]
fn secrets_are_removed_and_windows_files_are_read() {
    let secret = format!("{}9f8e7d6c5b4a{}", "a1b2c3d4e5f6", "0011aabb22cc");
    let reading = reading(&format!(
        "\u{feff}Name: Mugs\r\nURL: https://mugs.example\r\nCapabilities: a\r\nApi-Key: {secret}\r\n"
    ));
    assert_eq!(rules(&reading, Severity::Warning), [("DI-10", Some(4))]);
    assert!(!serde_json::to_string(&reading).unwrap().contains(&secret));
    assert_eq!(reading.agents[0].name, "Mugs");
}

#[test]
fn unknown_keys_of_a_block_are_kept() {
    let reading = reading(
        "Spec-Version: 1.0\nSite-Name: Mugs\nSite-URL: https://mugs.example\nCapability: fire\n  \
         Endpoint: https://mugs.example/fire\n  Protocol: REST\n  X-Kiln: hot\n  X-Kiln: large\n  \
         Param-mug: string\nAgent: claude\n  Capabilities: fire\n  X-Queue: fast\n",
    );
    let agent = &reading.agents[0];
    let kept = &agent.capabilities[0].extensions;
    assert_eq!(kept["x-kiln"], serde_json::json!(["hot", "large"]));
    assert_eq!(kept["param-mug"], "string");
    assert_eq!(kept.len(), 2);
    let callers = serde_json::json!({"claude": {"x-queue": "fast"}});
    assert_eq!(agent.extensions["agent"], callers);
    let unknown = reading.findings.iter().find(|it| it.rule.id == "AT-04");
    let unknown = unknown.map(|it| (it.line, it.count));
    assert_eq!(unknown, Some((Some(7), 3)));
}

#[test]
fn capabilities_that_a_file_of_the_well_known_dialect_allows_are_read() {
    let agent = agent(
        "Site-Name: Mugs\nSite-URL: https://mugs.example\nAllow: search\nAllow: /shop/*\n\
         Allow: all\nAllow: https://mugs.example/x\nDisallow: admin\n",
    );
    let names: Vec<_> = agent.capabilities.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["search"]);
    assert_eq!(agent.capabilities[0].pointer, "line:3");
}
