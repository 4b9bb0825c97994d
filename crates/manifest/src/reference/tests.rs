//! Every limit on references, each with a document of its format.

use super::*;
use crate::document::sample;
use crate::formats::read;
use Follow::{Fetch, Queue, Read, Refused, Seed};

/// A document of shop.example with one of its references.
struct Row {
    path: &'static str,
    body: &'static str,
    rel: &'static str,
    url: &'static str,
    follow: Follow,
    limit: Limit,
}

const fn limit(most: u32, bytes: u64, depth: u32) -> Limit {
    Limit { most, bytes, depth }
}

const ROWS: &[Row] = &[
    // Capabilities-URL of agents-protocol-legacy, Agents-JSON of agents-protocol and of agents.txt
    // 1.0 (well-known), `# JSON:` of agents-txt.com.
    Row {
        path: "/.well-known/agents.txt",
        body: "Name: Mugs\nURL: https://shop.example\nCapabilities: search\nCapabilities-URL: /agents.json\n",
        rel: "agents.json",
        url: "https://shop.example/agents.json",
        follow: Fetch,
        limit: limit(1, JSON_BYTES, 1),
    },
    Row {
        path: "/.well-known/agents.txt",
        body: "Spec-Version: 1.0\nSite-Name: Mugs\nSite-URL: https://shop.example\nAgents-JSON: https://cdn.shop.example/agents.json\n",
        rel: "agents.json",
        url: "https://cdn.shop.example/agents.json",
        follow: Fetch,
        limit: limit(1, JSON_BYTES, 1),
    },
    Row {
        path: "/agents.txt",
        body: "# Standard: https://agents-txt.com\n# JSON: /agents.json\n\nMCP: https://shop.example/mcp\n",
        rel: "agents.json",
        url: "https://shop.example/agents.json",
        follow: Fetch,
        limit: limit(1, JSON_BYTES, 1),
    },
    // A2A of agents-txt.com, and a2a[].url of its agents.json.
    Row {
        path: "/agents.txt",
        body: "# Standard: https://agents-txt.com\n\nA2A: https://partner.example/card.json\n",
        rel: "agent-card",
        url: "https://partner.example/card.json",
        follow: Queue,
        limit: limit(10, JSON_BYTES, 1),
    },
    Row {
        path: "/agents.json",
        body: r#"{"standard": "https://agents-txt.com", "site": {"name": "Mugs", "url": "https://shop.example"},
            "a2a": [{"url": "/.well-known/agent-card.json"}]}"#,
        rel: "agent-card",
        url: "https://shop.example/.well-known/agent-card.json",
        follow: Fetch,
        limit: limit(10, JSON_BYTES, 1),
    },
    // Policy of agent policy.
    Row {
        path: "/agents.txt",
        body: "# Mugs\n> Nothing is allowed unless the policy says so.\n\nName: Mugs\nPolicy: /.well-known/agent-policy.json\n",
        rel: "agent-policy",
        url: "https://shop.example/.well-known/agent-policy.json",
        follow: Fetch,
        limit: limit(1, JSON_BYTES, 1),
    },
    // Agent-Declaration of agents.txt 1.0 (well-known).
    Row {
        path: "/.well-known/agents.txt",
        body: "Spec-Version: 1.0\nSite-Name: Mugs\nSite-URL: https://shop.example\n\nAgent: Helper\n  Agent-Declaration: https://helper.example/agents.txt\n",
        rel: "agents.txt",
        url: "https://helper.example/agents.txt",
        follow: Queue,
        limit: limit(3, TEXT_BYTES, 1),
    },
    // JSON Agents.
    Row {
        path: "/.well-known/agents.json",
        body: r#"{"manifest_version": "1.0", "agent": {"id": "ajson://shop.example/agents/mugs", "name": "Mugs"}}"#,
        rel: "json-agents",
        url: "https://shop.example/.well-known/agents/mugs.agents.json",
        follow: Fetch,
        limit: limit(20, JSON_BYTES, 2),
    },
    // Documents that refer to an OpenAPI document.
    Row {
        path: "/.well-known/agents.json",
        body: r#"[{"name": "Mugs", "url": "https://shop.example/api", "openapi_url": "../openapi.json"}]"#,
        rel: "openapi",
        url: "https://shop.example/openapi.json",
        follow: Read,
        limit: limit(5, OPENAPI_BYTES, 1),
    },
    Row {
        path: "/.well-known/agents.txt",
        body: "Spec-Version: 1.0\nSite-Name: Mugs\nSite-URL: https://shop.example\n\nCapability: search\n  Endpoint: https://shop.example/api/search\n  Protocol: REST\n  OpenAPI: https://shop.example/openapi.yaml\n",
        rel: "openapi",
        url: "https://shop.example/openapi.yaml",
        follow: Read,
        limit: limit(5, OPENAPI_BYTES, 1),
    },
    Row {
        path: "/.well-known/ai-plugin.json",
        body: r#"{"schema_version": "v1", "name_for_human": "Mugs", "name_for_model": "mugs",
            "description_for_model": "Finds mugs.", "description_for_human": "Finds mugs.",
            "api": {"type": "openapi", "url": "https://api.partner.example/openapi.json"}}"#,
        rel: "openapi",
        url: "https://api.partner.example/openapi.json",
        follow: Queue,
        limit: limit(5, OPENAPI_BYTES, 1),
    },
    // AI Catalog entries.
    Row {
        path: "/.well-known/ai-catalog.json",
        body: r#"{"specVersion": "1.0", "host": {"displayName": "Mugs"}, "entries": [{
            "identifier": "urn:air:shop.example:agent:mugs", "displayName": "Mugs",
            "type": "application/mcp-server-card+json", "url": "/mcp/server-card"}]}"#,
        rel: "mcp-card",
        url: "https://shop.example/mcp/server-card",
        follow: Fetch,
        limit: limit(200, JSON_BYTES, 4),
    },
    // RFC 9727 service-desc.
    Row {
        path: "/.well-known/api-catalog",
        body: r#"{"linkset": [{"anchor": "https://shop.example/api",
            "service-desc": [{"href": "/openapi.yaml"}]}]}"#,
        rel: "openapi",
        url: "https://shop.example/openapi.yaml",
        follow: Read,
        limit: limit(5, OPENAPI_BYTES, 1),
    },
    // ANP items[].@id and next.
    Row {
        path: "/.well-known/agent-descriptions",
        body: r#"{"@type": "CollectionPage", "items": [{"name": "Mugs", "@id": "/mugs/ad.json"}]}"#,
        rel: "anp-agent-description",
        url: "https://shop.example/mugs/ad.json",
        follow: Fetch,
        limit: limit(50, JSON_BYTES, 1),
    },
    Row {
        path: "/.well-known/agent-descriptions",
        body: r#"{"@type": "CollectionPage", "items": [], "next": "?page=2"}"#,
        rel: "next",
        url: "https://shop.example/.well-known/agent-descriptions?page=2",
        follow: Fetch,
        limit: limit(10, JSON_BYTES, 10),
    },
    // provider.url, site.url, homepage.
    Row {
        path: "/.well-known/agents.json",
        body: r#"{"schema_version": "1.0", "site": {"name": "Mugs", "url": "https://mugs.example/"},
            "capabilities": []}"#,
        rel: "homepage",
        url: "https://mugs.example/",
        follow: Seed,
        limit: limit(1, JSON_BYTES, 1),
    },
];

#[test]
fn every_reference_has_its_treatment_and_limit() {
    for row in ROWS {
        let reading = read(&sample("shop.example", row.path, row.body));
        let found = reading.references.iter().find(|it| it.rel == row.rel);
        let found = found.unwrap_or_else(|| panic!("{}: no {}", reading.format, row.rel));
        let expected = (row.url, row.follow, Some(row.limit));
        assert_eq!(
            (&*found.url, found.follow, found.limit),
            expected,
            "{}",
            reading.format
        );
    }
}

#[test]
fn refused_references_have_a_reason() {
    let document = sample("shop.example", "/.well-known/agents.json", "");
    for (text, expected) in [
        ("/o.json#part", Read),
        ("https://other.example/o.json", Queue),
        ("http://other.example/o.json", Refused(Refusal::Scheme)),
        ("wss://shop.example/o.json", Refused(Refusal::Scheme)),
        ("ftp://shop.example/o.json", Refused(Refusal::Scheme)),
        ("https://127.0.0.1/x", Refused(Refusal::Address)),
        ("https://0x7f.1/x", Refused(Refusal::Address)),
        ("https://2130706433/", Refused(Refusal::Address)),
        ("https://[::1]/", Refused(Refusal::Address)),
        ("https://localhost/", Refused(Refusal::PrivateName)),
        ("https://intranet/", Refused(Refusal::PrivateName)),
        ("https://printer.local/", Refused(Refusal::PrivateName)),
        ("https://a.internal./", Refused(Refusal::PrivateName)),
        ("https://me:key@shop.example/", Refused(Refusal::Userinfo)),
        ("https://shop.example:8443/", Refused(Refusal::Port)),
    ] {
        let found = to(&document, "openapi", text, "/x").unwrap();
        assert_eq!(found.follow, expected, "{text}");
        assert!(!found.url.contains(['#', '@']), "{}", found.url);
    }
    for text in ["", "mailto:me@shop.example", "two words", "https://"] {
        assert_eq!(to(&document, "openapi", text, "/x"), None, "{text}");
    }
}

#[test]
fn links_have_no_limit_and_refused_references_neither() {
    let document = sample("shop.example", "/.well-known/agents.json", "");
    let mut references = ["docs", "agent-card"].map(|rel| {
        let url = match rel {
            "docs" => "https://shop.example/docs",
            _ => "http://other.example/card.json",
        };
        to(&document, rel, url, "").unwrap()
    });
    bound(&mut references, FormatId::habit("profile"));
    assert_eq!(references[0].follow, Follow::Link);
    assert!(references.iter().all(|it| it.limit.is_none()));
}
