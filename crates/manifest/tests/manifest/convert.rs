//! Conversion of every recorded exchange and every real file to every target.

use crate::support::samples;
use manifest::convert::{Conversion, Origin, Target};
use manifest::{Agent, Document, Reading, Severity, convert, formats};
use serde_json::Value;
use std::collections::BTreeMap;

/// A document with its reading.
struct Source {
    name: String,
    document: Document,
    reading: Reading,
}

impl Source {
    fn of(name: String, document: Document) -> Self {
        let reading = formats::read(&document);
        Self {
            name,
            document,
            reading,
        }
    }

    fn to(&self, target: Target) -> Conversion {
        let origin = Origin::of(&self.document, &self.reading);
        convert(&self.reading.agents, &origin, target)
    }

    /// Reads `body` as the site would serve it in the target's format.
    fn served(&self, target: Target, body: &str) -> Self {
        let url = self.document.url.join(target.place()).unwrap();
        let document = Document::new(self.document.domain.clone(), url, body);
        Self::of(format!("{} as {}", self.name, target.as_str()), document)
    }
}

fn fixtures() -> Vec<Source> {
    let sources = samples::recorded().into_iter();
    let sources = sources.map(|it| Source::of(it.name, it.document));
    sources.filter(|it| it.reading.is_indexable()).collect()
}

fn corpus() -> Vec<Source> {
    let served = samples::corpus().into_iter();
    let served = served.filter(|it| it.row["site"].is_string());
    let sources = served.map(|it| Source::of(it.name, it.document));
    sources.filter(|it| it.reading.is_indexable()).collect()
}

#[test]
fn every_conversion_is_read_as_its_target_with_the_same_content() {
    let (mut done, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for source in fixtures().into_iter().chain(corpus()) {
        for target in Target::ALL {
            let conversion = source.to(target);
            assert_eq!(conversion, source.to(target), "{}", source.name);
            let counts = if let Some(body) = &conversion.body {
                written(&source, &conversion, body);
                &mut done
            } else {
                let is_error = |it: &manifest::Finding| it.severity == Severity::Error;
                assert!(conversion.findings.iter().any(is_error), "{}", source.name);
                &mut refused
            };
            *counts.entry(target.as_str()).or_insert(0) += 1;
        }
    }
    println!("written: {done:?}\nrefused: {refused:?}");
    for target in Target::ALL {
        assert!(
            done.contains_key(target.as_str()),
            "nothing became {}",
            target.as_str()
        );
    }
}

fn written(source: &Source, conversion: &Conversion, body: &str) {
    let target = conversion.target;
    let back = source.served(target, body);
    let at = format!("{}\n{body}", back.name);
    assert!(body.ends_with('\n') && !body.ends_with("\n\n"), "{at}");
    let keeps_dialect = target == Target::AgentsTxt
        && source.reading.format.as_str() == "agents-txt/well-known-1.0"
        && back.reading.format == source.reading.format;
    if !keeps_dialect {
        assert_eq!(back.reading.format, target.format(), "{at}");
    }
    if target == Target::OpenApi {
        let api = manifest::openapi::read(body.as_bytes()).expect(&at);
        assert!(!api.operations.is_empty(), "{at}");
        return;
    }
    assert!(back.reading.is_valid(), "{at}{:#?}", back.reading.findings);
    if target == Target::Ard {
        return;
    }
    let names = |agents: &[Agent]| agents.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let is_written = |it: &&Agent| names(&back.reading.agents).contains(&it.name);
    let agents: Vec<_> = source.reading.agents.iter().filter(is_written).collect();
    assert!(!agents.is_empty(), "{at}");
    if target != Target::Zervice {
        let left_out = conversion
            .findings
            .iter()
            .filter(|it| it.rule.id == "CV-03")
            .count();
        let found = back.reading.agents[0].capabilities.len();
        let given = source.reading.agents[0].capabilities.len();
        let is_all = found + left_out == given || conversion.findings.len() >= 200;
        assert!(
            is_all || target == Target::AgentsTxt,
            "{at}: {found} of {given}"
        );
    }
    let again = back.to(target);
    assert_eq!(
        again.body.as_deref(),
        Some(body),
        "{at}\n{:#?}",
        again.findings
    );
}

#[test]
fn conversion_to_the_same_format_keeps_the_content() {
    let sources = fixtures().into_iter().chain(corpus());
    for source in sources.filter(|it| it.reading.is_valid()) {
        let same_format = |target: &Target| target.format() == source.reading.format;
        for target in Target::ALL.into_iter().filter(same_format) {
            let generation = source.reading.generation.as_deref();
            if target == Target::A2a && generation != Some("1.0")
                || target == Target::A2a03 && generation != Some("0.3")
                || matches!(target, Target::Ard | Target::OpenApi)
            {
                continue;
            }
            let conversion = source.to(target);
            let Some(body) = &conversion.body else {
                continue;
            };
            let back = source.served(target, body);
            for (before, after) in source.reading.agents.iter().zip(&back.reading.agents) {
                let (before, after) = (essence(before, &conversion), essence(after, &conversion));
                assert_eq!(before, after, "{}\n{:#?}", back.name, conversion.findings);
            }
        }
    }
}

/// Removes from an agent what a conversion may change: positions, defaults, and reported losses.
fn essence(agent: &Agent, conversion: &Conversion) -> Value {
    let mut value = serde_json::to_value(agent).unwrap();
    let members = value.as_object_mut().unwrap();
    for name in ["pointer", "pointers", "defaulted"] {
        members.remove(name);
    }
    let says = |words: &str| {
        conversion
            .findings
            .iter()
            .any(|it| it.message.contains(words))
    };
    for (name, words) in [
        ("extensions", "members that are specific to its format"),
        ("extensions", "the member "),
        ("extensions", "the feature "),
        ("specified", "the feature "),
        ("specified", "members that only its format defines"),
        ("signatures", "signatures"),
        ("interfaces", "interface"),
        ("url", "the URL"),
        ("homepage", "the homepage"),
        ("homepage", "the provider"),
        ("provider", "the provider"),
        ("provider", "a provider"),
        ("auth", "authenticat"),
        ("auth", "OAuth flows"),
        ("rate_limits", "limit"),
        ("description", "the name is written instead"),
        ("flows", "the flow"),
        ("graph", "refers to no agent"),
        ("tags", "the tags"),
        ("input_modes", "media types of the input"),
        ("output_modes", "media types of the output"),
    ] {
        if says(words) {
            members.remove(name);
        }
    }
    let left_out = says("is left out");
    let capabilities = members
        .get_mut("capabilities")
        .and_then(Value::as_array_mut);
    for capability in capabilities.into_iter().flatten() {
        let capability = capability.as_object_mut().unwrap();
        capability.remove("pointer");
        capability.remove("endpoint");
        for (name, words) in [
            ("params", "the parameter"),
            ("params", "details in the schema"),
            ("params", "are written as numbers"),
            ("input_schema", "the parameter"),
            ("input_schema", "further constraints"),
            ("input_schema", "details in the schema"),
            ("input_schema", "are written as numbers"),
            ("output_schema", "schema of the output"),
            ("output_schema", "are written as numbers"),
            ("requires_auth", "authentication is needed"),
            ("requires_auth", "required authentication"),
            ("requires_auth", "authentication by"),
            ("id", "is called"),
            ("id", "is renamed"),
            ("id", "the identifier of"),
            ("name", "is called"),
            ("name", "is renamed"),
            ("description", "its name is written instead"),
            ("tags", "the tags of"),
            ("tags", "is called"),
            ("tags", "is renamed"),
        ] {
            if says(words) {
                capability.remove(name);
            }
        }
    }
    if left_out {
        members.remove("capabilities");
    }
    value
}

#[test]
fn blocks_of_capabilities_stay_blocks() {
    let text = "Spec-Version: 1.0\nSite-Name: Island Ferry\nSite-URL: https://ferry.example\n\n\
        Capability: sailings\n  Endpoint: https://ferry.example/api/sailings\n  Method: POST\n  \
        Protocol: REST\n  Param: day (query, string, required) - the day\n";
    let source = of_ferry("/.well-known/agents.txt", text);
    let conversion = source.to(Target::AgentsTxt);
    assert_eq!(
        conversion.body.as_deref(),
        Some(text),
        "{:#?}",
        conversion.findings
    );
    assert_eq!(conversion.findings, []);
}

#[test]
fn an_address_of_mcp_or_a2a_is_never_that_of_an_http_api() {
    for (protocol, path) in [("mcp", "mcp"), ("a2a", "a2a")] {
        let address = format!("https://ferry.example/{path}");
        let mut source = of_ferry(
            "/.well-known/agents.json",
            r#"{"schema_version": "1.0", "site": {"name": "Island Ferry",
                "url": "https://ferry.example/"}, "capabilities": [{"name": "day",
                "endpoint": "/api/day", "method": "GET"}, {"name": "call",
                "endpoint": "/call", "method": "POST"}]}"#,
        );
        let agent = &mut source.reading.agents[0];
        agent.url = Some(address.clone());
        agent.homepage = None;
        agent.version = Some("1.0.0".to_owned());
        agent.capabilities[1].url = Some(address.clone());
        agent.interfaces = vec![manifest::agent::Interface {
            protocol: protocol.to_owned(),
            url: address.clone(),
            ..manifest::agent::Interface::default()
        }];
        for target in [
            Target::Zervice,
            Target::AgentJson,
            Target::AgentsJson,
            Target::OpenApi,
        ] {
            let body = source.to(target).body.unwrap_or_default();
            assert!(!body.contains(&address), "{}: {body}", target.as_str());
        }
        let body = source.to(Target::AgentsTxt).body.unwrap();
        assert!(!body.contains(&format!("\nURL: {address}")), "{body}");
    }
}

#[test]
fn findings_of_one_kind_are_united_for_people() {
    let capabilities: Vec<_> = (0..300)
        .map(|it| serde_json::json!({"id": format!("c{it}"), "description": "A thing."}))
        .collect();
    let body = serde_json::json!({"manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "urn:air:ferry.example:agent:x", "name": "Ferry", "version": "1.0.0"},
        "tools": [{"id": "t", "name": "T", "type": "http", "endpoint": "https://ferry.example/t"}],
        "capabilities": capabilities});
    let source = of_ferry("/.well-known/agents.json", &body.to_string());
    let conversion = source.to(Target::Zervice);
    assert!(conversion.grouped().len() <= conversion.findings.len());
    let conversion = source.to(Target::AgentJson);
    let grouped = conversion.grouped();
    assert!(grouped.len() < 20, "{grouped:#?}");
    let united = "\"c0\" is left out: it has no HTTP URL; the same for 299 more, such as \"c1\"";
    assert!(
        grouped.iter().any(|it| it.message.starts_with(united)),
        "{grouped:#?}"
    );
}

fn of_ferry(path: &str, body: &str) -> Source {
    let domain = manifest::Domain::parse("ferry.example").unwrap();
    let url = format!("https://ferry.example{path}").parse().unwrap();
    Source::of("ferry".to_owned(), Document::new(domain, url, body))
}

#[test]
fn a_catalogue_is_read_back_whole_or_refused_with_the_reason() {
    let card = r#"{"name": "Island Ferry", "description": "Sailings.", "version": "1.0.0",
        "supportedInterfaces": [{"url": "https://ferry.example/a2a", "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0"}],
        "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "day", "name": "Sailings of a day", "description": "Lists them.",
            "tags": ["ferry"]}]}"#;
    let source = of_ferry("/.well-known/agent-card.json", card);
    let body = source.to(Target::Ard).body.unwrap();
    let back = source.served(Target::Ard, &body);
    let agent = &back.reading.agents[0];
    assert_eq!(agent.name, "Island Ferry");
    assert_eq!(agent.description.as_deref(), Some("Sailings."));
    assert_eq!(agent.capabilities[0].name, "Sailings of a day");
    let other = r#"{"schema_version": "1.0", "site": {"name": "Island Ferry",
        "url": "https://ferry.example/"}, "capabilities": [{"name": "day",
        "endpoint": "/api/day", "method": "GET"}]}"#;
    // Nothing says that a document at this place is a manifest.
    let conversion = of_ferry("/data/ferry.json", other).to(Target::Ard);
    assert_eq!(conversion.body, None);
    let reason = conversion
        .findings
        .iter()
        .find(|it| it.rule.id == "CV-02")
        .unwrap();
    assert!(
        reason
            .message
            .contains("read back whole; the agent \"Island Ferry\""),
        "{reason:#?}"
    );
}
