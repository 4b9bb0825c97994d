//! Tests of skills indexes and x402 documents.

use crate::document::sample;
use crate::{Reading, read};
use serde_json::{Value, json};

fn reading(path: &str, value: &Value) -> Reading {
    read(&sample("mesa.example", path, value.to_string()))
}

fn index(urls: &[&str]) -> Value {
    let skills: Vec<_> = urls
        .iter()
        .map(|url| json!({"name": "book", "description": "Books a table", "url": url, "type": "skill-md"}))
        .collect();
    json!({"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": skills})
}

#[test]
fn sk_01_skills_of_the_site_are_capabilities_of_an_agent_named_after_the_host() {
    let path = "/.well-known/agent-skills/index.json";
    let reading = reading(path, &index(&["/.well-known/agent-skills/book/SKILL.md"]));
    assert_eq!(reading.format.as_str(), "agent-skills-index");
    let agent = &reading.agents[0];
    assert_eq!(
        (agent.name.as_str(), &*agent.defaulted),
        ("mesa.example", &["name".to_owned()][..])
    );
    let skill = &agent.capabilities[0];
    assert_eq!((skill.name.as_str(), &skill.url), ("book", &None));
    assert_eq!(
        skill.extensions["url"],
        "https://mesa.example/.well-known/agent-skills/book/SKILL.md"
    );
}

#[test]
fn sk_01_a_copy_of_another_site_is_a_mention() {
    let path = "/.well-known/agent-skills/index.json";
    let copy = reading(path, &index(&["https://vendor.example/book/SKILL.md"]));
    assert_eq!((copy.agents.len(), copy.mentions.len()), (0, 1));
    let both = index(&[
        "https://vendor.example/book/SKILL.md",
        "/skills/book/SKILL.md",
    ]);
    let both = reading(path, &both);
    let own: Vec<_> = both.agents.iter().flat_map(|it| &it.capabilities).collect();
    assert_eq!((own.len(), own[0].pointer.as_str()), (1, "/skills/1"));
    let foreign = both.mentions.iter().map(|it| it.url.as_deref());
    let expected = Some("https://vendor.example/book/SKILL.md");
    assert_eq!(foreign.collect::<Vec<_>>(), [expected]);
}

#[test]
fn sk_01_pages_and_policies_in_an_index_are_no_capabilities() {
    let value = json!({"skills": [
        {"name": "sitemap", "type": "sitemap", "url": "/sitemap.md"},
        {"name": "book", "url": "/skills/book/SKILL.md"},
    ]});
    let reading = reading("/.well-known/skills/index.json", &value);
    assert_eq!(reading.format.as_str(), "agent-skills-index");
    let names: Vec<_> = reading.agents[0]
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["book"]);
}

#[test]
fn x4_01_each_resource_is_a_capability_with_its_price() {
    let value = json!({
        "x402Version": 1,
        "resources": [
            {"resource": "https://mesa.example/api/report", "type": "http", "accepts": [{
                "scheme": "exact", "network": "base", "maxAmountRequired": "10000", "asset": "USDC",
                "description": "A report on the day",
                "outputSchema": {"input": {"method": "GET", "queryParams": {"day": {"type": "string", "required": true}}}},
            }]},
            "POST https://mesa.example/api/booking",
        ],
    });
    let reading = reading("/.well-known/x402", &value);
    assert_eq!(reading.format.as_str(), "x402");
    let agent = &reading.agents[0];
    let [report, booking] = agent.capabilities.as_slice() else {
        panic!("{:?}", agent.capabilities);
    };
    assert_eq!(report.name, "/api/report");
    assert_eq!(report.description.as_deref(), Some("A report on the day"));
    assert_eq!(report.method.as_deref(), Some("GET"));
    assert_eq!(
        (
            report.params[0].name.as_str(),
            report.params[0].location.as_deref(),
            report.params[0].required
        ),
        ("day", Some("query"), true)
    );
    assert_eq!(booking.method.as_deref(), Some("POST"));
    assert_eq!(
        booking.url.as_deref(),
        Some("https://mesa.example/api/booking")
    );
    let [payment] = agent.payments.as_slice() else {
        panic!("{:?}", agent.payments);
    };
    assert_eq!(payment.protocol, "x402");
    assert_eq!(payment.network.as_deref(), Some("base"));
    assert_eq!(payment.price.as_deref(), Some("10000"));
    assert_eq!(
        payment.resource.as_deref(),
        Some("https://mesa.example/api/report")
    );
}

#[test]
fn x4_01_an_offer_that_names_its_resource_is_a_capability() {
    let offer = |path: &str| {
        json!({"scheme": "exact", "network": "base", "maxAmountRequired": "10", "asset": "USDC",
            "resource": format!("https://mesa.example{path}"), "method": "GET"})
    };
    let document = json!({"x402Version": 2, "service": {"name": "Mesa", "description": "Sells tables"},
        "resources": [{"url": "https://mesa.example/a", "method": "GET"}],
        "accepts": [offer("/a"), offer("/b"), {"network": "solana"}]});
    let reading = reading("/.well-known/x402", &document);
    let agent = &reading.agents[0];
    let urls: Vec<_> = agent
        .capabilities
        .iter()
        .map(|it| it.url.as_deref().unwrap())
        .collect();
    assert_eq!(urls, ["https://mesa.example/a", "https://mesa.example/b"]);
    assert_eq!(agent.payments.len(), 3, "{:?}", agent.payments);
    assert_eq!(
        (agent.name.as_str(), agent.description.as_deref()),
        ("Mesa", Some("Sells tables"))
    );
}

#[test]
fn x4_01_a_list_of_resources_for_discovery_is_x402() {
    let value = json!({"version": 1, "resources": ["https://mesa.example/api/report"]});
    let found = reading("/.well-known/x402", &value);
    assert_eq!(found.format.as_str(), "x402");
    assert_eq!(found.agents[0].capabilities[0].name, "/api/report");
    for other in [
        json!({"version": 1, "resources": []}),
        json!({"version": "1", "resources": ["https://mesa.example/"]}),
        json!({"version": 1, "resources": [{"name": "report"}]}),
    ] {
        assert_ne!(reading("/.well-known/x402", &other).format.as_str(), "x402");
    }
}
