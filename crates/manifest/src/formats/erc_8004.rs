//! Registration files of agents on Ethereum (ERC-8004).
//!
//! The file's services are endpoints, not skills. Its registrations and trust models are claims,
//! kept as published.
//!
//! <https://eips.ethereum.org/EIPS/eip-8004>

use crate::Severity::Warning;
use crate::agent::{Interface, Payment};
use crate::field::{Field, List};
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::{Example, Rule};
use crate::shape::Shape::{Name, Open};
use crate::shape::{Member, Schema, Shape, item, member, required};
use crate::{Agent, Capability, Fact, FormatId, Reference, link};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Maximum number of services that are read.
const MAX_SERVICES: usize = 100;

/// Reader of registration files.
pub(super) struct Erc8004;

/// Registration file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Registration {
    name: Field<String>,
    description: Field<String>,
    image: Field<String>,
    services: List<Service>,
    /// Name of `services` in the first draft.
    endpoints: List<Service>,
    /// Skills in the form of agent cards, which some files add.
    skills: List<Skill>,
    #[serde(rename = "x402Support")]
    x402_support: Field<bool>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// Endpoint of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Service {
    name: Field<String>,
    endpoint: Field<String>,
    version: Field<String>,
    description: Field<String>,
}

/// Skill of the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Skill {
    id: Field<String>,
    name: Field<String>,
    description: Field<String>,
    tags: List<String>,
}

pub(crate) static ER_01: Rule = Rule {
    id: "ER-01",
    format: "ERC-8004 registration",
    severity: Warning,
    title: "A registration has name, description, image and named addresses",
    explanation: "Explorers show the first three as they do for any token, and clients look for an address by its name. The proposal is a draft, so nothing of it is an error.",
    section: "ERC-8004, Agent URI and Agent Registration File",
    good: &[registration(
        r#"{"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "name": "Mugs",
                "description": "Finds mugs.", "image": "https://shop.example/mug.png",
                "services": [{"name": "MCP", "endpoint": "https://shop.example/mcp"}]}"#,
    )],
    bad: &[registration(
        r#"{"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "name": "Mugs",
                "services": [{"endpoint": "https://shop.example/mcp"}]}"#,
    )],
};

static REGISTRATION: Schema = Schema::open(
    &ER_01,
    &[
        required("name", Name("the agent's name")).facts(&[Fact::Name]),
        required("description", Name("what the agent does")).facts(&[Fact::Description]),
        required("image", Name("the URL of a picture")),
        member("services", Shape::List(&SERVICE)).what("the addresses as a list"),
        member("endpoints", Shape::List(&SERVICE)).what("the addresses as a list"),
    ],
);

static SERVICE: Member = item(Open(&[
    required("name", Name("the protocol's name")),
    required("endpoint", Name("the address")).facts(&[Fact::Interfaces]),
]))
.what("an address as an object");

impl Format for Erc8004 {
    type Manifest = Registration;

    const ID: FormatId = FormatId::specified("erc-8004");
    const TITLE: &'static str = "ERC-8004 registration";
    const MARKERS: &'static [Marker] = &[Marker::distinctive(Self::ID, |o| {
        marker::text(o, "type")
            .is_some_and(|kind| kind.starts_with("https://eips.ethereum.org/EIPS/eip-8004"))
    })];
    const PLACES: &'static [&'static str] = &["/.well-known/agent-registration.json"];
    const SHAPE: Option<&'static Schema> = Some(&REGISTRATION);
    const FIELDS: Fields = &[
        (Fact::Name, &["/name"]),
        (Fact::Description, &["/description"]),
        (Fact::Logo, &["/image"]),
        (Fact::Interfaces, &["/services", "/endpoints"]),
        (Fact::Homepage, &["/services", "/endpoints"]),
        (Fact::Capabilities, &["/skills"]),
        (Fact::Payments, &["/x402Support"]),
    ];
    const RULES: &'static [&'static Rule] = &[&ER_01];

    fn parse(input: &Input<'_>) -> Registration {
        input.manifest()
    }

    fn normalize(registration: &Registration, input: &Input<'_>) -> Vec<Agent> {
        vec![registration.normalize(input)]
    }

    fn references(registration: &Registration, input: &Input<'_>) -> Vec<Reference> {
        let reference = |(place, service): (String, &Service)| {
            let rel = match service.protocol() {
                "web" => "homepage",
                "a2a" if service.names_card() => "agent-card",
                "openapi" => "openapi",
                _ => return None,
            };
            let pointer = format!("{place}/endpoint");
            reference::to(input.document, rel, service.endpoint.raw()?, &pointer)
        };
        registration.services().filter_map(reference).collect()
    }
}

impl Registration {
    fn services(&self) -> impl Iterator<Item = (String, &Service)> {
        let named =
            |name: &'static str| move |(index, service)| (format!("/{name}/{index}"), service);
        let services = self.services.items().map(named("services"));
        let endpoints = self.endpoints.items().map(named("endpoints"));
        services.chain(endpoints).take(MAX_SERVICES)
    }

    fn normalize(&self, input: &Input<'_>) -> Agent {
        let absolute = |field: &Field<String>| link::absolute(&input.document.url, field.raw()?);
        let interface = |(_, service): (_, &Service)| {
            let protocol = service.protocol();
            // Names, wallets and mail addresses are identities, which are kept as published.
            let is_address = |raw: &str| raw.contains("://") || raw.starts_with('/');
            let is_called = service.endpoint.raw().is_some_and(is_address);
            if !is_called || protocol == "web" || service.names_card() || service.is_call() {
                return None;
            }
            Some(Interface {
                protocol: protocol.to_owned(),
                version: service.version.text(),
                url: absolute(&service.endpoint)?,
                ..Interface::default()
            })
        };
        let web = self.services().find(|(_, it)| it.protocol() == "web");
        let takes_x402 = self.x402_support.get() == Some(&true);
        Agent {
            name: self.name.text().unwrap_or_default(),
            description: self.description.text(),
            logo: absolute(&self.image),
            homepage: web.and_then(|(_, service)| absolute(&service.endpoint)),
            capabilities: self.capabilities(input),
            interfaces: self.services().filter_map(interface).collect(),
            payments: takes_x402
                .then(|| Payment {
                    protocol: "x402".to_owned(),
                    detail: None,
                    ..Payment::default()
                })
                .into_iter()
                .collect(),
            extensions: self.unknown.clone(),
            ..Agent::default()
        }
    }

    fn capabilities(&self, input: &Input<'_>) -> Vec<Capability> {
        let calls = self.services().filter(|(_, service)| service.is_call());
        let call = |(pointer, service): (String, &Service)| {
            let name = service.name.text()?;
            Some(Capability {
                id: name.clone(),
                name,
                description: service.description.text(),
                endpoint: service.endpoint.text(),
                url: link::absolute(&input.document.url, service.endpoint.raw()?),
                pointer,
                ..Capability::default()
            })
        };
        let skills = self.skills.items().take(MAX_SERVICES);
        let capability = |(index, skill): (usize, &Skill)| {
            let name = skill.name.text().or_else(|| skill.id.text())?;
            Some(Capability {
                id: skill.id.text().unwrap_or_else(|| name.clone()),
                name,
                description: skill.description.text(),
                tags: skill.tags.texts(),
                pointer: format!("/skills/{index}"),
                ..Capability::default()
            })
        };
        skills
            .filter_map(capability)
            .chain(calls.filter_map(call))
            .collect()
    }
}

impl Service {
    /// Reports whether it is a described call of the agent, and not the address of an interface.
    fn is_call(&self) -> bool {
        self.protocol() == "rest" && !self.description.is_absent()
    }

    /// Returns the protocol named by the service; `rest` for names of the publisher's own.
    fn protocol(&self) -> &'static str {
        let name = self.name.raw().unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            "web" | "website" => "web",
            "mcp" => "mcp",
            "a2a" => "a2a",
            "openapi" => "openapi",
            "oasf" => "oasf",
            _ => "rest",
        }
    }

    /// Reports whether the URL is that of an agent card, which describes the agent but is not its
    /// endpoint.
    fn names_card(&self) -> bool {
        let endpoint = self.endpoint.raw().unwrap_or_default();
        ["/agent-card.json", "/agent.json"]
            .iter()
            .any(|name| endpoint.ends_with(name))
    }
}

const fn registration(body: &'static str) -> Example {
    Example::at("/.well-known/agent-registration.json", body)
}
