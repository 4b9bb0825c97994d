//! Mapping of a file to its agent, with the keys of all dialects (AT-05).

use super::directives::published;
use super::facts::Facts;
use super::lines::Position;
use super::{
    Dialect, Manifest, agents_brief, agents_protocol, agents_protocol_legacy, agents_txt_com,
    agentstxt_dev, interaction, keys, prose, robots_like, well_known,
};
use crate::agent::{Auth, Interface, Program, Provider, RateLimit};
use crate::formats::generic;
use crate::{Agent, Capability, Document, Fact, auth, link, rate, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Maximum number of interfaces, authentication schemes and rate limits, each.
const MAX_OTHERS: usize = 50;

/// Returns the agent that a file describes.
pub(super) fn agent(manifest: &Manifest, document: &Document) -> Agent {
    let mut facts = Facts::of(&manifest.directives);
    let mut agent = Agent {
        name: name(manifest, &mut facts).unwrap_or_default(),
        description: description(manifest, &mut facts),
        url: address(manifest, &mut facts, document),
        docs: facts.url(Fact::Docs, keys::DOCS, document),
        logo: facts.url(Fact::Logo, &["logo"], document),
        languages: facts.list(Fact::Languages, keys::LANGUAGES),
        tags: tags(manifest, &mut facts),
        capabilities: capabilities(manifest, document, &mut facts),
        auth: auths(manifest, document, &mut facts),
        interfaces: interfaces(manifest, document, &mut facts),
        programs: programs(manifest, &mut facts),
        rate_limits: rate_limits(manifest, &mut facts),
        flows: agents_protocol::flows(manifest, &mut facts),
        payments: agents_txt_com::payments(manifest, &mut facts),
        extensions: extensions(manifest),
        ..Agent::default()
    };
    if manifest.dialect.is_informal() {
        agent.version = facts.text(Fact::Version, &["version"]);
    }
    agent.homepage.clone_from(&agent.url);
    if let Some(line) = facts.pointers.get(Fact::Url.name()).cloned() {
        facts.pointers.insert(Fact::Homepage.into(), line);
    }
    add_people(&mut facts, &mut agent);
    well_known::note_defaults(manifest, &mut agent);
    interaction::add(manifest, document, &mut facts, &mut agent);
    agent.pointers = facts.pointers;
    let has_content = agent.description.is_some() || agent.url.is_some();
    if agent.name.is_empty() && manifest.dialect == Dialect::PROSE && has_content {
        // The heading names only the kind of file (AT-90).
        let named = agent.description.as_deref().and_then(subject);
        if let Some(name) = named.and_then(text::some) {
            agent.name = name;
        } else {
            agent.name = document.site_name();
            agent.defaulted.push(Fact::Name.into());
        }
    }
    if agent.name.is_empty()
        && let Some((place, title)) = manifest.prose.title_of_file()
    {
        agent.name = title;
        agent.pointers.insert(Fact::Name.into(), place.pointer());
    }
    if agent.name.is_empty() && agents_txt_com::points_somewhere(manifest) {
        agent.name = document.site_name();
        agent.defaulted.push(Fact::Name.into());
    }
    agent
}

/// Returns the name that a description begins with, as in `Mug House is a shop for mugs`.
fn subject(description: &str) -> Option<&str> {
    let (name, rest) = description.split_once(" is ")?;
    let is_said = ["a ", "an ", "the ", "our "]
        .iter()
        .any(|it| rest.starts_with(it));
    let mut words = name.split_whitespace();
    let is_name =
        words.all(|word| word.starts_with(|it: char| it.is_uppercase() || it.is_numeric()));
    let is_pronoun = ["It", "This", "That", "There", "What", "He", "She"].contains(&name);
    let is_short = name.split_whitespace().count() <= 4 && name.len() <= 60;
    (is_said && is_name && is_short && !is_pronoun).then_some(name)
}

fn name(manifest: &Manifest, facts: &mut Facts<'_>) -> Option<String> {
    let site = |facts: &mut Facts<'_>| {
        let site = facts.directives.text("site")?;
        let is_name = !link::is_absolute(&site);
        is_name.then(|| facts.text(Fact::Name, &["site"]))?
    };
    let named = facts.text(Fact::Name, keys::NAMES).or_else(|| site(facts));
    let offered = named.or_else(|| facts.text(Fact::Name, &["agent"]));
    offered.or_else(|| {
        let (place, title) = manifest.prose.title(manifest.dialect)?;
        facts.note(Fact::Name, place);
        Some(title)
    })
}

fn description(manifest: &Manifest, facts: &mut Facts<'_>) -> Option<String> {
    facts
        .text(Fact::Description, keys::DESCRIPTIONS)
        .or_else(|| {
            let (place, description) = manifest.prose.description(manifest.dialect)?;
            facts.note(Fact::Description, place);
            Some(description)
        })
}

fn address(manifest: &Manifest, facts: &mut Facts<'_>, document: &Document) -> Option<String> {
    let site = |facts: &mut Facts<'_>| {
        let line = facts.directives.first("site")?;
        link::is_absolute(&line.value).then(|| facts.url(Fact::Url, &["site"], document))?
    };
    let in_heading = |facts: &mut Facts<'_>| {
        let (place, address) = manifest.prose.address()?;
        let url = link::absolute(&document.url, address)?;
        facts.note(Fact::Url, *place);
        Some(url)
    };
    let stated = facts.site_url(document).or_else(|| site(facts));
    stated.or_else(|| in_heading(facts))
}

fn tags(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<String> {
    let own = facts.list(Fact::Tags, keys::TAGS);
    let named = agentstxt_dev::tags(manifest).chain(agents_txt_com::tags(manifest));
    text::distinct(own.into_iter().chain(named))
}

/// Sets the contact and the provider. `Author` is a contact if it is an address (as in
/// agentstxt.dev), else the provider.
fn add_people(facts: &mut Facts<'_>, agent: &mut Agent) {
    let is_address = |value: &str| value.contains('@') || link::is_absolute(value);
    let author = facts.directives.first("author");
    agent.contact = facts.text(Fact::Contact, keys::CONTACTS).or_else(|| {
        author.filter(|line| is_address(&line.value))?;
        facts.text(Fact::Contact, &["author"])
    });
    if let Some(contact) = &mut agent.contact
        && let Some(address) = contact.strip_prefix("mailto:")
    {
        *contact = address.to_owned();
    }
    let provider = facts.text(Fact::Provider, keys::PROVIDERS).or_else(|| {
        author.filter(|line| !is_address(&line.value))?;
        facts.text(Fact::Provider, &["author"])
    });
    agent.provider = provider.map(|name| Provider { name, url: None });
}

fn capabilities(
    manifest: &Manifest,
    document: &Document,
    facts: &mut Facts<'_>,
) -> Vec<Capability> {
    if well_known::is_operator(manifest) {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let capabilities: Vec<_> = well_known::capabilities(manifest, document)
        .chain(agents_protocol_legacy::capabilities(manifest))
        .chain(agents_protocol::capabilities(manifest))
        .chain(agents_txt_com::capabilities(manifest))
        .chain(robots_like::capabilities(manifest))
        .chain(prose::capabilities(manifest, document))
        .filter(|(_, capability)| !capability.name.is_empty())
        .filter(|(_, capability)| seen.insert(text::fold(&capability.id)))
        .collect();
    let first = capabilities.iter().map(|(place, _)| *place);
    if let Some(place) = first.min_by_key(|place| place.line) {
        facts.note(Fact::Capabilities, place);
    }
    let with_pointers = capabilities
        .into_iter()
        .map(|(place, capability)| Capability {
            pointer: place.pointer(),
            ..capability
        });
    with_pointers.collect()
}

fn auths(manifest: &Manifest, document: &Document, facts: &mut Facts<'_>) -> Vec<Auth> {
    let mut seen = HashSet::new();
    let mut auths = Vec::new();
    let of_blocks = well_known::auths(manifest).chain(agents_brief::auths(manifest));
    for (place, auth) in of_blocks
        .chain(agents_txt_com::auths(manifest))
        .chain(stated_auths(manifest))
        .chain(
            manifest
                .prose
                .bearer()
                .filter(|_| manifest.dialect.is_informal()),
        )
        .chain(manifest.prose.auths(manifest.dialect, document))
    {
        let is_known = |other: &Auth| {
            other.scheme == auth.scheme && auth.name.is_none() && auth.token_url.is_none()
        };
        if auth.metadata_url.is_some() && auths.iter().any(is_known) {
            continue;
        }
        let key = (
            auth.scheme.clone(),
            auth.name.clone(),
            auth.token_url.clone(),
        );
        if auths.len() < MAX_OTHERS && seen.insert(key) {
            facts.note(Fact::Auth, place);
            auths.push(auth);
        }
    }
    auths
}

/// Returns what lines such as `Auth-Session: Bearer <token>` state, whatever the dialect.
fn stated_auths(manifest: &Manifest) -> impl Iterator<Item = (Position, Auth)> {
    let lines = manifest.directives.iter().filter(|line| {
        let is_named = ["auth", "authentication"].contains(&line.key.as_str());
        is_named || line.key.starts_with("auth-")
    });
    lines.flat_map(|line| {
        let ways = auth::of_text(&line.value).into_iter();
        ways.filter(|way| way.scheme != "other")
            .map(|way| (line.at, way))
    })
}

fn interfaces(manifest: &Manifest, document: &Document, facts: &mut Facts<'_>) -> Vec<Interface> {
    let of_keys = keys::INTERFACES.iter().flat_map(|(key, protocol)| {
        let lines = manifest.directives.all(key);
        lines.flat_map(move |line| {
            let transport = transport(protocol, &line.value);
            let addresses = line.addresses();
            addresses.map(move |it| (line.at, (*protocol).to_owned(), it, transport))
        })
    });
    let of_prose = manifest
        .prose
        .interfaces(manifest.dialect, document)
        .map(|(place, protocol, url)| (place, protocol.to_owned(), url, None));
    let of_blocks =
        well_known::interfaces(manifest).map(|(place, protocol, url)| (place, protocol, url, None));
    let mut seen = HashSet::new();
    let mut interfaces = Vec::new();
    for (place, protocol, address, transport) in of_keys.chain(of_blocks).chain(of_prose) {
        let Some(url) = link::guessed(&document.url, address) else {
            continue;
        };
        if interfaces.len() < MAX_OTHERS && seen.insert(url.clone()) {
            facts.note(Fact::Interfaces, place);
            interfaces.push(Interface {
                protocol,
                url,
                transport: transport.map(str::to_owned),
                ..Interface::default()
            });
        }
    }
    interfaces
}

/// Returns the transport of MCP that stands in words beside an address: `/mcp (Streamable HTTP)`.
fn transport(protocol: &str, value: &str) -> Option<&'static str> {
    let is_letter = |it: &char| it.is_ascii_alphanumeric();
    let words: String = value.chars().filter(is_letter).collect();
    let is_named = words.to_ascii_lowercase().contains("streamablehttp");
    (protocol == "mcp" && is_named).then_some("streamable-http")
}

/// Returns the programs that lines such as `MCP-Server: npx …` start.
fn programs(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<Program> {
    const KEYS: [&str; 4] = ["install", "command", "run", "stdio"];
    let lines = manifest.directives.iter();
    let mut lines =
        lines.filter(|line| line.key.contains("mcp") || KEYS.contains(&line.key.as_str()));
    let mut programs: Vec<Program> = Vec::new();
    for line in lines.by_ref().take(MAX_OTHERS) {
        let program = generic::command(&line.value, &line.key);
        let is_new = |program: &Program| !programs.contains(program);
        if let Some(program) = program.filter(is_new) {
            facts.note(Fact::Programs, line.at);
            programs.push(program);
        }
    }
    programs
}

/// Returns the file's own limit and those of single agents (agents.txt 1.0, agents-brief).
fn rate_limits(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<RateLimit> {
    let own = manifest.directives.iter().filter_map(|line| {
        let scope = line.key.strip_prefix("rate-limit")?;
        match scope.strip_prefix('-') {
            Some(scope) => Some((scope, line)),
            None => scope.is_empty().then_some(("default", line)),
        }
    });
    let agents = manifest.blocks.iter().filter(|block| block.is_agent);
    let of_agents = agents.filter_map(|block| {
        let scope = if block.name == "*" {
            "default"
        } else {
            &block.name
        };
        Some((scope, block.directives.first("rate-limit")?))
    });
    let mut limits = Vec::new();
    for (scope, line) in own.chain(of_agents).take(MAX_OTHERS) {
        if let Some(limit) = rate::parse(scope, &line.value) {
            facts.note(Fact::RateLimits, line.at);
            limits.push(limit);
        }
    }
    limits
}

/// Returns the keys that the model has no field for, as published (AT-04); those of the block of a
/// caller stand below `agent` and its name.
fn extensions(manifest: &Manifest) -> Map<String, Value> {
    let unknown = manifest
        .directives
        .iter()
        .filter(|line| !keys::has_place(&line.key) && !agents_txt_com::is_capability_list(line));
    let mut extensions = published(unknown);
    let callers = well_known::unknown_of_callers(manifest);
    if !callers.is_empty() {
        extensions.insert("agent".to_owned(), Value::Object(callers));
    }
    extensions
}
