//! The agent that a file describes: all keys of all dialects, wherever they stand (AT-05).

use super::directives::{Directive, Directives};
use super::lines::Place;
use super::{Dialect, Manifest, d1, d2, d3, d4, d5, d7, d11, d12, interaction, keys};
use crate::agent::{Auth, Interface, Provider, RateLimit};
use crate::{Agent, Capability, Document, link, rate, text};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// Most values that are kept of one file.
const MAX_EXTENSIONS: usize = 50;
/// Most capabilities of one file.
const MAX_CAPABILITIES: usize = 500;
/// Most interfaces, limits and the like.
const MAX_OTHERS: usize = 50;

/// The lines of a file as facts of an agent, with where each stands.
pub(super) struct Facts<'m> {
    directives: &'m Directives,
    pointers: BTreeMap<String, String>,
}

impl<'m> Facts<'m> {
    fn of(directives: &'m Directives) -> Self {
        Self {
            directives,
            pointers: BTreeMap::new(),
        }
    }

    /// Notes where `field` is said; the first place stays.
    pub(super) fn note(&mut self, field: &str, place: Place) {
        let pointers = &mut self.pointers;
        pointers
            .entry(field.to_owned())
            .or_insert_with(|| place.pointer());
    }

    /// Takes back what was noted of `field`.
    pub(super) fn forget(&mut self, field: &str) {
        self.pointers.remove(field);
    }

    /// The first line with any of `keys`, noted as what says `field`.
    pub(super) fn line(&mut self, field: &str, keys: &[&str]) -> Option<&'m Directive> {
        let line = self.directives.any(keys)?;
        self.note(field, line.at);
        Some(line)
    }

    /// The cleaned value of that line.
    pub(super) fn text(&mut self, field: &str, keys: &[&str]) -> Option<String> {
        let line = self.line(field, keys)?;
        text::some(&line.value)
    }

    /// The value of that line as a URL.
    fn url(&mut self, field: &str, keys: &[&str], document: &Document) -> Option<String> {
        let line = self.directives.any(keys)?;
        let url = link::guessed(&document.url, line.address())?;
        self.note(field, line.at);
        Some(url)
    }

    /// The site's address: whole, a path of the site, or its host alone.
    ///
    /// What could as well be the name of a file says no address (AT-11).
    fn site_url(&mut self, document: &Document) -> Option<String> {
        let written = self.directives.any(keys::URLS)?.address();
        let whole = format!("https://{written}");
        let is_host =
            link::guessed(&document.url, written) == link::absolute(&document.url, &whole);
        if is_host || written.starts_with('/') || written.contains("://") {
            return self.url("url", keys::URLS, document);
        }
        let whole = link::absolute(&document.url, &whole)?;
        link::is_own(document, &whole).then(|| {
            self.line("url", keys::URLS);
            whole
        })
    }

    /// The comma-separated values of all lines with any of `keys`.
    fn list(&mut self, field: &str, keys: &[&str]) -> Vec<String> {
        self.line(field, keys);
        let values = keys.iter().flat_map(|key| self.directives.list(key));
        text::distinct(values)
    }
}

/// The agent that a file describes.
pub(super) fn agent(manifest: &Manifest, document: &Document) -> Agent {
    let mut facts = Facts::of(&manifest.directives);
    let mut agent = Agent {
        name: name(manifest, &mut facts).unwrap_or_default(),
        description: description(manifest, &mut facts),
        url: address(&mut facts, document),
        docs: facts.url("docs", keys::DOCS, document),
        logo: facts.url("logo", &["logo"], document),
        languages: facts.list("languages", keys::LANGUAGES),
        tags: tags(manifest, &mut facts),
        capabilities: capabilities(manifest, document, &mut facts),
        auth: auths(manifest, &mut facts),
        interfaces: interfaces(manifest, document, &mut facts),
        rate_limits: rate_limits(manifest, &mut facts),
        flows: d2::flows(manifest, &mut facts),
        payments: d4::payments(manifest, &mut facts),
        extensions: extensions(manifest),
        ..Agent::default()
    };
    if manifest.dialect.is_habit() {
        agent.version = facts.text("version", &["version"]);
    }
    agent.homepage.clone_from(&agent.url);
    if let Some(line) = facts.pointers.get("url").cloned() {
        facts.pointers.insert("homepage".to_owned(), line);
    }
    add_people(&mut facts, &mut agent);
    d3::note_defaults(manifest, &mut agent);
    interaction::add(manifest, document, &mut facts, &mut agent);
    agent.pointers = facts.pointers;
    let says_something = agent.description.is_some() || agent.url.is_some();
    if agent.name.is_empty() && manifest.dialect == Dialect::D11 && says_something {
        // Its heading only says what kind of file it is (AT-90).
        agent.name = document.site_name();
        agent.defaulted.push("name".to_owned());
    }
    agent
}

fn name(manifest: &Manifest, facts: &mut Facts<'_>) -> Option<String> {
    let site = |facts: &mut Facts<'_>| {
        let site = facts.directives.text("site")?;
        let is_name = !link::is_absolute(&site);
        is_name.then(|| facts.text("name", &["site"]))?
    };
    let named = facts.text("name", keys::NAMES).or_else(|| site(facts));
    let offered = named.or_else(|| facts.text("name", &["agent"]));
    offered.or_else(|| {
        let (place, title) = manifest.prose.title(manifest.dialect)?;
        facts.note("name", place);
        Some(title)
    })
}

fn description(manifest: &Manifest, facts: &mut Facts<'_>) -> Option<String> {
    facts.text("description", keys::DESCRIPTIONS).or_else(|| {
        let (place, description) = manifest.prose.description()?;
        facts.note("description", place);
        Some(description)
    })
}

fn address(facts: &mut Facts<'_>, document: &Document) -> Option<String> {
    let site = |facts: &mut Facts<'_>| {
        let line = facts.directives.first("site")?;
        link::is_absolute(&line.value).then(|| facts.url("url", &["site"], document))?
    };
    facts.site_url(document).or_else(|| site(facts))
}

fn tags(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<String> {
    let own = facts.list("tags", keys::TAGS);
    text::distinct(own.into_iter().chain(d5::tags(manifest)))
}

/// Whom to write to, and who runs it. An author is either (D5 means an address).
fn add_people(facts: &mut Facts<'_>, agent: &mut Agent) {
    let is_address = |value: &str| value.contains('@') || link::is_absolute(value);
    let author = facts.directives.first("author");
    agent.contact = facts.text("contact", keys::CONTACTS).or_else(|| {
        author.filter(|line| is_address(&line.value))?;
        facts.text("contact", &["author"])
    });
    if let Some(contact) = &mut agent.contact
        && let Some(address) = contact.strip_prefix("mailto:")
    {
        *contact = address.to_owned();
    }
    let provider = facts.text("provider", keys::PROVIDERS).or_else(|| {
        author.filter(|line| !is_address(&line.value))?;
        facts.text("provider", &["author"])
    });
    agent.provider = provider.map(|name| Provider { name, url: None });
}

fn capabilities(
    manifest: &Manifest,
    document: &Document,
    facts: &mut Facts<'_>,
) -> Vec<Capability> {
    if d3::is_operator(manifest) {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let capabilities: Vec<_> = d3::capabilities(manifest, document)
        .chain(d1::capabilities(manifest))
        .chain(d2::capabilities(manifest))
        .chain(d4::capabilities(manifest))
        .chain(d12::capabilities(manifest))
        .chain(d11::capabilities(manifest, document))
        .filter(|(_, capability)| !capability.name.is_empty())
        .filter(|(_, capability)| seen.insert(text::fold(&capability.id)))
        .take(MAX_CAPABILITIES)
        .collect();
    let first = capabilities.iter().map(|(place, _)| *place);
    if let Some(place) = first.min_by_key(|place| place.line) {
        facts.note("capabilities", place);
    }
    let pointed = capabilities
        .into_iter()
        .map(|(place, capability)| Capability {
            pointer: place.pointer(),
            ..capability
        });
    pointed.collect()
}

/// A capability of which only the name is known; the built-in names say more (AT-29).
pub(super) fn named(name: &str) -> Option<Capability> {
    let name = text::some(name)?;
    let is_checkout = name == "checkout";
    let needs_session = is_checkout || name.starts_with("cart.");
    Some(Capability {
        id: name.clone(),
        tags: keys::prefix_tag(&name),
        requires_session: needs_session.then_some(true),
        human_handoff: is_checkout.then_some(true),
        name,
        ..Capability::default()
    })
}

fn auths(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<Auth> {
    let mut seen = HashSet::new();
    let mut auths = Vec::new();
    let of_blocks = d3::auths(manifest).chain(d7::auths(manifest));
    for (place, auth) in of_blocks.chain(d4::auths(manifest)) {
        let key = (
            auth.scheme.clone(),
            auth.name.clone(),
            auth.token_url.clone(),
        );
        if auths.len() < MAX_OTHERS && seen.insert(key) {
            facts.note("auth", place);
            auths.push(auth);
        }
    }
    auths
}

fn interfaces(manifest: &Manifest, document: &Document, facts: &mut Facts<'_>) -> Vec<Interface> {
    let of_keys = keys::INTERFACES.iter().flat_map(|(key, protocol)| {
        let lines = manifest.directives.all(key);
        lines.map(|line| (line.at, (*protocol).to_owned(), line.address()))
    });
    let of_prose = manifest
        .prose
        .interfaces(manifest.dialect)
        .map(|(place, protocol, url)| (place, protocol.to_owned(), url));
    let mut seen = HashSet::new();
    let mut interfaces = Vec::new();
    for (place, protocol, address) in of_keys.chain(d3::interfaces(manifest)).chain(of_prose) {
        let Some(url) = link::guessed(&document.url, address) else {
            continue;
        };
        if interfaces.len() < MAX_OTHERS && seen.insert(url.clone()) {
            facts.note("interfaces", place);
            interfaces.push(Interface {
                protocol,
                url,
                ..Interface::default()
            });
        }
    }
    interfaces
}

/// The file's own limit, and those on single agents (D3, D7).
fn rate_limits(manifest: &Manifest, facts: &mut Facts<'_>) -> Vec<RateLimit> {
    let own = manifest.directives.first("rate-limit");
    let own = own.map(|line| ("default", line));
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
    for (scope, line) in own.into_iter().chain(of_agents).take(MAX_OTHERS) {
        if let Some(limit) = rate::parse(scope, &line.value) {
            facts.note("rate_limits", line.at);
            limits.push(limit);
        }
    }
    limits
}

/// Keys without a place in the model, kept as published (AT-04).
fn extensions(manifest: &Manifest) -> Map<String, Value> {
    let mut extensions: Map<String, Value> = Map::new();
    let unknown = manifest
        .directives
        .iter()
        .filter(|line| !keys::has_place(&line.key) && !d4::is_capability_list(line));
    for line in unknown.take(MAX_EXTENSIONS) {
        let Some(value) = text::some(&line.value) else {
            continue;
        };
        match extensions.get_mut(&line.key) {
            None => {
                extensions.insert(line.key.clone(), json!(value));
            }
            Some(Value::Array(values)) => values.push(json!(value)),
            Some(first) => *first = json!([first.clone(), value]),
        }
    }
    extensions
}
