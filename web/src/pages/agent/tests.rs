//! Facts on the page of an agent.

use super::*;
use manifest::agent::{Audit, Auth, Capability, Interface, Param, Payment, Signature, Translation};
use manifest::{Level, Listing};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

fn members(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// Returns the page of an agent of `mesa.example`.
fn page(agent: Agent) -> String {
    let domain = Domain::parse("mesa.example").unwrap();
    let stored = StoredAgent {
        domain: domain.clone(),
        listing: Listing {
            id: AgentId::new(&domain, "mesa"),
            format: manifest::formats::find("a2a-agent-card").unwrap(),
            level: Level::A,
            agent,
            sources: Vec::new(),
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        },
        hash: String::new(),
        first_seen: Timestamp(0),
        last_seen: Timestamp(0),
        changed: Timestamp(0),
        status: AgentStatus::Ok,
    };
    let page = CapabilityPage::of(&stored.listing.agent, 0);
    AgentPage::of(&[], &stored, &BTreeMap::new(), &page, Timestamp(60_000))
        .render()
        .unwrap()
}

fn rich() -> Agent {
    let french = Translation {
        field: "description".to_owned(),
        language: "fr".to_owned(),
        text: "Tables <b>libres</b>".to_owned(),
    };
    Agent {
        name: "Mesa".to_owned(),
        interfaces: vec![Interface {
            protocol: "mcp".to_owned(),
            url: "https://mesa.example/mcp".to_owned(),
            transport: Some("streamable-http".to_owned()),
            params: vec![Param {
                name: "X-Mesa-Key".to_owned(),
                location: Some("header".to_owned()),
                required: true,
                description: Some("Your <key>".to_owned()),
                ..Param::default()
            }],
            ..Interface::default()
        }],
        auth: vec![Auth {
            scheme: "bearer".to_owned(),
            token_format: Some("JWT".to_owned()),
            description: Some("Ask the <host>".to_owned()),
            scopes: vec!["book".to_owned()],
            scope_descriptions: BTreeMap::from([("book".to_owned(), "Books <tables>".to_owned())]),
            ..Auth::default()
        }],
        payments: vec![Payment {
            protocol: "x402".to_owned(),
            scheme: Some("exact".to_owned()),
            network: Some("base".to_owned()),
            price: Some("0.01".to_owned()),
            asset: Some("USDC".to_owned()),
            resource: Some("https://mesa.example/paid".to_owned()),
            detail: None,
        }],
        audit: Some(Audit {
            endpoint: "https://mesa.example/audit".to_owned(),
            description: Some("Signed <hourly>".to_owned()),
            ..Audit::default()
        }),
        signatures: vec![Signature {
            value: Some("s".repeat(4_000)),
            state: "unverified".to_owned(),
            ..Signature::default()
        }],
        capabilities: vec![Capability {
            name: "book".to_owned(),
            extensions: members(&json!({"seats": "<8>"})),
            translations: vec![french.clone()],
            ..Capability::default()
        }],
        translations: vec![french],
        specified: members(&json!({"runtime": "<wasm>"})),
        extensions: members(&json!({"chef": "<Ana>"})),
        ..Agent::default()
    }
}

#[test]
fn every_fact_of_the_model_is_shown_and_escaped() {
    let page = page(rich());
    for shown in [
        "Header X-Mesa-Key (required): Your ",
        "format: JWT",
        "Ask the ",
        "<code>book</code>: Books ",
        "x402, scheme exact, network base, price 0.01, asset USDC",
        "https://mesa.example/paid",
        "Signed ",
        "lang=\"fr\"",
        "Further fields of the format",
        "Extra fields",
        "{X-Mesa-Key}",
        "streamable HTTP",
        "unverified; ssssssssssssssssssssssss…",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    for raw in [
        "<key>",
        "<host>",
        "<tables>",
        "<hourly>",
        "<b>libres",
        "<8>",
        "<wasm>",
        "<Ana>",
    ] {
        assert!(!page.contains(raw), "{raw}: {page}");
    }
    assert!(!page.contains(&"s".repeat(100)), "{page}");
    let (of_format, extra) = (page.find("wasm"), page.find("Ana"));
    let heading = page.rfind("<summary>Extra fields");
    assert!(of_format < heading && heading < extra, "{page}");
}

#[test]
fn facts_that_are_absent_leave_nothing_on_the_page() {
    let page = page(Agent {
        name: "Mesa".to_owned(),
        ..Agent::default()
    });
    for absent in [
        "Header ",
        "Payment",
        "Audit",
        "Signature",
        "In other languages",
        "Further members",
        "Further fields",
        "Extra fields",
        "MCP client",
        "class=\"scopes\"",
    ] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
}

#[test]
fn long_lists_are_shortened() {
    let mut agent = rich();
    let payment = agent.payments[0].clone();
    agent.payments = vec![payment; 300];
    let param = agent.interfaces[0].params[0].clone();
    agent.interfaces[0].params = vec![param; 300];
    let translation = agent.translations[0].clone();
    agent.translations = vec![translation; 300];
    let page = page(agent);
    assert!(page.contains("and 280 more"), "{page}");
    assert_eq!(page.matches("Header X-Mesa-Key").count(), 20);
    // Forty of the agent and one of its capability.
    assert_eq!(page.matches("lang=\"fr\"").count(), 41);
}

#[test]
fn further_payments_are_shown_on_request() {
    let with_payments = |count: usize| {
        let mut agent = rich();
        let payment = agent.payments[0].clone();
        agent.payments = vec![payment; count];
        page(agent)
    };
    let page = with_payments(5);
    let further = page.find("<summary class=\"more\">3 more ways to pay");
    let last = page.rfind("asset USDC");
    assert!(further.is_some() && further < last, "{page}");
    assert!(!with_payments(2).contains("more ways to pay"));
}

#[test]
fn the_warning_stands_at_each_interface_on_another_host_and_nowhere_else() {
    let warning = "This address belongs to other.example, not to mesa.example.";
    let mut agent = rich();
    let own = page(agent.clone());
    assert!(!own.contains("This address belongs to"), "{own}");
    agent.interfaces.push(Interface {
        protocol: "a2a".to_owned(),
        url: "https://other.example/a2a".to_owned(),
        ..Interface::default()
    });
    let both = page(agent);
    let address = both.find("https://other.example/a2a");
    let warned = both.find(warning);
    assert!(address.is_some() && address < warned, "{both}");
    assert_eq!(both.matches("This address belongs to").count(), 1, "{both}");
}

#[test]
fn an_agent_without_an_endpoint_cannot_be_called_and_its_owner_learns_why() {
    let described = Agent {
        url: Some("https://mesa.example/".to_owned()),
        homepage: Some("https://mesa.example/".to_owned()),
        ..Agent::default()
    };
    let text = page(described.clone());
    for words in [
        "Descriptive only: no endpoint.",
        "not how it is called",
        "An endpoint with its protocol",
        "Capabilities, each with a name",
        "How callers authenticate",
    ] {
        assert!(text.contains(words), "no {words} in {text}");
    }
    let home_pages = text.matches("https://mesa.example/</a>").count();
    assert_eq!(home_pages, 1, "the home page is no endpoint: {text}");

    let addressed = page(Agent {
        url: Some("https://mesa.example/api".to_owned()),
        ..described
    });
    assert!(addressed.contains("neither a protocol nor a request"));
    assert!(addressed.contains("<dt>Address</dt>"));

    let in_parts = page(Agent {
        capabilities: vec![
            Capability::default(),
            Capability {
                url: Some("https://mesa.example/tables".to_owned()),
                ..Capability::default()
            },
        ],
        ..Agent::default()
    });
    assert!(in_parts.contains("None of its own"), "{in_parts}");
    assert!(!in_parts.contains("no endpoint"));

    let callable = page(rich());
    assert!(callable.contains("Example call"));
    assert!(!callable.contains("What its owner can add"));
}

#[test]
fn the_second_interface_of_a_stranger_has_no_second_warning() {
    let interface = |path: &str| Interface {
        protocol: "a2a".to_owned(),
        url: format!("https://other.example/{path}"),
        ..Interface::default()
    };
    let text = page(Agent {
        interfaces: vec![interface("one"), interface("two")],
        ..Agent::default()
    });
    assert_eq!(text.matches("Nothing confirms").count(), 1, "{text}");
    assert_eq!(
        text.matches("also belongs to other.example").count(),
        1,
        "{text}"
    );
}

#[test]
fn the_call_is_shown_in_each_language_and_the_first_one_at_once() {
    let text = page(rich());
    let tabs: Vec<_> = text.match_indices("name=\"sample\" id=\"").collect();
    let ids: Vec<_> = tabs
        .iter()
        .map(|(at, tab)| text[at + tab.len()..].split('"').next().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "call-curl",
            "call-python",
            "call-typescript",
            "call-claude",
            "call-cursor",
            "call-vs-code"
        ]
    );
    assert!(text.contains("id=\"call-curl\" checked>"), "{text}");
    assert_eq!(text.matches(" checked>").count(), 1, "{text}");
    assert!(text.contains("Add to Cursor</a>"), "{text}");
    let call = text.find("class=\"side");
    assert!(
        call.is_some() && call < text.find("id=\"capabilities\""),
        "{text}"
    );
    let blank = text.find("<li><code dir=\"auto\">{X-Mesa-Key}</code>");
    assert!(call < blank, "{text}");
}

#[test]
fn the_head_has_the_facts_that_callers_ask_for_first() {
    let facts = |agent: Agent| {
        let text = page(agent);
        let (_, rest) = text.split_once("<p class=\"facts-row\">").unwrap();
        let (row, _) = rest.split_once("</p>").unwrap();
        let parts = row
            .split('<')
            .filter_map(|it| Some(it.split_once('>')?.1.trim()));
        parts
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        facts(rich())[..4],
        ["Ready to call", "MCP", "Bearer token", "0.01 USDC"].map(str::to_owned)
    );
    let described = facts(Agent::default());
    assert_eq!(described[..2], ["Descriptive only", "A2A agent card"]);
    assert!(described[2].starts_with("checked"), "{described:?}");
}

#[test]
fn a_long_description_is_cut_with_a_way_to_its_rest() {
    let with = |text: &str| {
        page(Agent {
            description: Some(text.to_owned()),
            ..Agent::default()
        })
    };
    let long = with(&"Books tables. ".repeat(50));
    assert!(
        long.contains("<label class=\"more\" for=\"whole\">"),
        "{long}"
    );
    assert!(!with("Books tables.").contains("for=\"whole\""));
    assert!(with(&"予約".repeat(150)).contains("for=\"whole\""));
}
