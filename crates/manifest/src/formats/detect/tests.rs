//! Tests of detection: at least one case for each test on content.

use crate::document::sample;
use crate::formats::detect;
use serde_json::json;

fn detected(path: &str, body: impl Into<Vec<u8>>) -> &'static str {
    detect(&sample("shop.example", path, body)).as_str()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn json_is_recognised_by_the_first_test_that_holds() {
    for (value, expected) in [
        (json!([{"name": "a", "url": "/"}]), "zervice"),
        (json!([{"name": "a"}]), "unrecognised"),
        (json!([]), "zervice"),
        (
            json!([{"site": {}, "schema_version": "1.0"}]),
            "agents-json/agents-protocol",
        ),
        (
            json!({"openapi": "/openapi.json", "skills": []}),
            "a2a-agent-card",
        ),
        (
            json!({"openapi": "3.1.0", "name": "a", "url": "/"}),
            "openapi",
        ),
        (json!({"swagger": "2.0"}), "openapi"),
        (
            json!({"manifest_version": "1.0", "agent": {}, "owner": {}}),
            "json-agents",
        ),
        (
            json!({"agent": {"id": "ajson://a.example/x"}}),
            "json-agents",
        ),
        (json!({"agentsJson": "0.1.0"}), "wildcard-agents-json"),
        (json!({"agentPolicyVersion": "0.1"}), "agent-policy-0.1"),
        (json!({"linkset": []}), "rfc9727-linkset"),
        (
            json!({"specVersion": "draft", "entries": []}),
            "mcp-catalog",
        ),
        (json!({"specVersion": "1.0", "entries": []}), "ai-catalog"),
        (
            json!({"entries": [{"identifier": "urn:air:a.example:x"}]}),
            "ai-catalog",
        ),
        (
            json!({"specVersion": "1.0", "agents": [{"cardUrl": "/c"}]}),
            "ai-catalog",
        ),
        (
            json!({"specVersion": "1.0", "records": [{"cardUrl": "/c"}]}),
            "ai-catalog",
        ),
        (json!({"name_for_model": "a", "api": {}}), "ai-plugin"),
        (
            json!({"@type": "CollectionPage", "items": []}),
            "anp-collection",
        ),
        (
            json!({"protocolType": "ANP", "name": "a"}),
            "anp-agent-description",
        ),
        (
            json!({"@type": ["ad:AgentDescription"]}),
            "anp-agent-description",
        ),
        (
            json!({"authors": [], "schema_version": "1", "skills": []}),
            "oasf",
        ),
        (
            json!({"standard": "https://agents-txt.com"}),
            "agents-json/agents-txt-com",
        ),
        (json!({"site": {}, "mcp": []}), "agents-json/agents-txt-com"),
        (
            json!({"site": {}, "specVersion": "1.0"}),
            "agents-json/agents-txt-1.0",
        ),
        (
            json!({"site": {}, "protocol_version": "0.1.0"}),
            "agents-json/agents-protocol-legacy",
        ),
        (
            json!({"site": {}, "schema_version": "1.0"}),
            "agents-json/agents-protocol",
        ),
        (
            json!({"site": {}, "capabilities": []}),
            "agents-json/agents-protocol",
        ),
        (
            json!({"schema_version": "1.0", "capabilities": [{"endpoint": "/x"}]}),
            "agents-json/agents-protocol",
        ),
        (
            json!({"name": "io.example/a", "packages": []}),
            "mcp-registry-server",
        ),
        (
            json!({"name": "io.example/a", "remotes": []}),
            "mcp-server-card",
        ),
        (json!({"serverInfo": {}}), "mcp-server-card"),
        (
            json!({"agent": {"name": "a"}, "owner": {}}),
            "agent-identity-kit",
        ),
        (
            json!({"agents": [{"card": "/c"}]}),
            "agent-identity-kit-team",
        ),
        (json!({"agents": [{"name": "a"}]}), "wrapped-agents"),
        (
            json!({"intents": [{"id": "a"}], "capabilities": {"a": true}}),
            "intentql-intents",
        ),
        (json!({"site_info": {}}), "jmilinovich"),
        (json!({"supportedInterfaces": []}), "a2a-agent-card"),
        (json!({"skills": []}), "a2a-agent-card"),
        (
            json!({"capabilities": {"streaming": true}}),
            "a2a-agent-card",
        ),
        (json!({"preferredTransport": "GRPC"}), "a2a-agent-card"),
        (
            json!({"name": "a", "securitySchemes": {}}),
            "a2a-agent-card",
        ),
        (
            json!({"skills": [], "capabilities": ["x"], "name": "a"}),
            "profile",
        ),
        (json!({"capabilities": {}}), "intentql"),
        (
            json!({"capabilities": {"find": {"method": "GET"}}}),
            "intentql",
        ),
        (json!({"capabilities": {"find": "yes"}}), "intentql"),
        (json!({"name": "a", "version": "1", "auth": {}}), "intentql"),
        (json!({"agents": ["a"]}), "agents-wrapper"),
        (json!({"agents": {"a": {}}}), "agents-wrapper"),
        (
            json!({"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "name": "a"}),
            "erc-8004",
        ),
        (
            json!({"origin": "a", "payout_address": "b", "intents": []}),
            "open-agent-json",
        ),
        (json!({"awp_version": "1", "actions": []}), "awp"),
        (json!({"ahp": "0.1", "modes": []}), "ahp"),
        (json!({"skills": [{"name": "a", "steps": []}]}), "w2a"),
        (
            json!({"name": "Shop", "url": "https://shop.example/"}),
            "profile",
        ),
        (
            json!({"site": {"name": "Shop"}, "contact": "a@shop.example"}),
            "profile",
        ),
        (
            json!({"document": {"name": "a", "url": "/"}}),
            "wrapped-agents",
        ),
        (
            json!({"mcpServers": {"a": {"url": "/mcp"}}}),
            "wrapped-agents",
        ),
        (
            json!({"mcp_version": "1.0", "servers": [{"url": "/mcp"}]}),
            "wrapped-agents",
        ),
        (json!({"servers": [{"url": "/mcp"}]}), "unrecognised"),
        (
            json!({"mcpServers": {"a": {"command": "a"}}}),
            "unrecognised",
        ),
        (json!({"hello": "world"}), "unrecognised"),
        (json!({"name": ""}), "unrecognised"),
        (json!({}), "unrecognised"),
    ] {
        assert_eq!(
            detected("/agents.json", value.to_string()),
            expected,
            "{value}"
        );
    }
}

#[test]
fn the_path_decides_only_for_ambiguous_content() {
    let bare = json!({"name": "a", "description": "b", "version": "1"}).to_string();
    assert_eq!(
        detected("/.well-known/agent-card.json", bare.clone()),
        "a2a-agent-card"
    );
    assert_eq!(detected("/agent.json", bare.clone()), "intentql");
    assert_eq!(
        detected("/.well-known/agents.json", bare.clone()),
        "agents-json/agents-protocol"
    );
    assert_eq!(detected("/else.json", bare), "profile");
    let empty = json!({"name": "a", "version": "1", "capabilities": []}).to_string();
    assert_eq!(
        detected("/.well-known/agent-card.json", empty.clone()),
        "a2a-agent-card"
    );
    assert_eq!(detected("/x.json", empty), "zervice-single");
    assert_eq!(
        detected("/.well-known/ard.json", "{\"entries\": []}"),
        "ai-catalog"
    );
    let card = json!({"skills": [], "name": "a"}).to_string();
    assert_eq!(detected("/agent.json", card), "a2a-agent-card");
}

#[test]
fn ambiguous_servers_are_mcp_servers_at_the_paths_of_mcp() {
    for (value, elsewhere) in [
        (
            json!({"name": "a", "version": "1", "auth": {}, "tools": [{"name": "b"}]}),
            "profile",
        ),
        (
            json!({"name": "a", "capabilities": {"tools": {}, "resources": {}}}),
            "profile",
        ),
        (
            json!({"server": {"name": "a"}, "capabilities": {"find": {"method": "GET"}}}),
            "intentql",
        ),
        (
            json!({"name": "a", "url": "/mcp", "transport": "sse", "tools": ["b"]}),
            "profile",
        ),
        (
            json!({"name": "a", "capabilities": {"streaming": true}, "tools": []}),
            "a2a-agent-card",
        ),
        (
            json!({"name": "a", "capabilities": ["b"], "tools": []}),
            "profile",
        ),
        (json!({"transport": {"type": "sse"}}), "unrecognised"),
    ] {
        let value = value.to_string();
        assert_eq!(detected("/x.json", value.clone()), elsewhere, "{value}");
        for path in [
            "/mcp.json",
            "/.well-known/mcp.json",
            "/.well-known/mcp/server-card",
        ] {
            assert_eq!(detected(path, value.clone()), "mcp-server-card", "{value}");
        }
    }
    for (value, expected) in [
        (
            json!({"name": "a", "skills": [], "tools": []}),
            "a2a-agent-card",
        ),
        (json!({"name": "a", "url": "/", "tools": []}), "profile"),
        (
            json!({"capabilities": {"find": {"method": "GET"}}}),
            "intentql",
        ),
        (json!({"servers": [{"url": "/mcp"}]}), "wrapped-agents"),
        (json!({"hello": "world"}), "unrecognised"),
    ] {
        assert_eq!(
            detected("/.well-known/mcp.json", value.to_string()),
            expected
        );
    }
}

#[test]
fn texts_are_recognised_by_dialect() {
    for (text, expected) in [
        ("# Shop\n---yaml\nidentity:\n", "agents-txt/yaml-blocks"),
        ("# agents.txt v0.2\nSITE: shop.example\n", "agentnav"),
        (
            "Site-Name: Shop\n[Agent: *]\nAllow: /\n",
            "agents-brief-0.4",
        ),
        ("Allow-Training: no\n", "agents-brief-0.4"),
        (
            "Site-Name: Shop\nCapability: find\n  Endpoint: https://shop.example/f\n",
            "agents-txt/well-known-1.0",
        ),
        ("SPEC-VERSION: 1.0\n", "agents-txt/well-known-1.0"),
        ("Capabilities:\n  - find: /f\n", "agents-txt/yaml-list"),
        (
            "Site: Shop\nURL: https://shop.example\nAllow: find\n",
            "agents-txt/agents-protocol",
        ),
        ("Agents-JSON: /agents.json\n", "agents-txt/agents-protocol"),
        (
            "Name: Shop\nCapabilities: find, buy\n",
            "agents-txt/agents-protocol-legacy",
        ),
        (
            "Agent-API: https://shop.example/api\n",
            "agents-txt/agents-protocol-legacy",
        ),
        (
            "# Standard: https://agents-txt.com\n",
            "agents-txt/agents-txt-com",
        ),
        (
            "MCP: https://shop.example/mcp\n",
            "agents-txt/agents-txt-com",
        ),
        (
            "Policy: https://shop.example/p.json\nContact: a@shop.example\n",
            "agents-txt/agent-policy",
        ),
        (
            "Name: Shop\nCommunication: MCP\n",
            "agents-txt/agentstxt-dev",
        ),
        ("# ADP/1.0\nEngine: x\n", "agents-txt/adp-1.0"),
        (
            "User-agent: *\nAllow: /\nMCP-Server: https://shop.example/mcp\n",
            "agents-txt/robots-like",
        ),
        (
            "Owner: Shop\nContact: a@shop.example\nDocs: https://shop.example/docs\n",
            "agents-txt/free-keys",
        ),
        (
            "# Shop\n\nWe sell mugs to people and their agents.\n\n- [Docs](/docs)\n",
            "agents-txt/prose",
        ),
        (
            "User-agent: *\nDisallow: /private\nSitemap: https://shop.example/s.xml\n",
            "agents-txt",
        ),
        (
            "# AGENTS.md\n\n## Setup commands\n- Run `make`\n",
            "agents-txt",
        ),
        ("nothing in particular", "agents-txt"),
        ("<!doctype html><title>Not found</title>", "agents-txt"),
    ] {
        assert_eq!(detected("/agents.txt", text), expected, "{text}");
    }
    assert_eq!(detected("/agents.json", "not found"), "unrecognised");
    assert_eq!(detected("/agents.json", "<html>"), "unrecognised");
    assert_eq!(detected("/llms.txt", "# Shop\n\n> Mugs\n"), "agents-txt");
}

#[test]
fn json_in_an_agents_txt_is_read_as_json() {
    assert_eq!(
        detected("/agents.txt", "{\"skills\": []}"),
        "a2a-agent-card"
    );
}
