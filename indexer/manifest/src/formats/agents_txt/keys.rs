//! Lines of `Key: Value` of every dialect, as one agent (AT-05).

use super::lines::Pair;
use super::{Block, Dialect, Manifest};
use crate::agent::{Audit, Auth, Flow, Interface, Payment, RateLimit, Sessions};
use crate::{Agent, Capability, Document, Reference, link, rate, text};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Comments that carry data (AT-01).
pub(super) const COMMENTS: &[&str] = &["json", "standard", "spec-version", "generated"];

const NAMES: &[&str] = &["name", "site-name", "title"];
const URLS: &[&str] = &["url", "site-url", "website", "canonical-url", "homepage"];
const DESCRIPTIONS: &[&str] = &[
    "description",
    "site-description",
    "purpose",
    "summary",
    "tagline",
];
const CONTACTS: &[&str] = &["contact", "site-contact", "contact-email", "email"];
const DOCS: &[&str] = &["docs", "documentation", "api-docs"];

/// Keys that point at an interface, and the protocol spoken there.
const INTERFACES: &[(&str, &str)] = &[
    ("agent-api", "interaction-api"),
    ("mcp", "mcp"),
    ("mcp-server", "mcp"),
    ("mcp-endpoint", "mcp"),
    ("webmcp", "webmcp"),
    ("openapi", "openapi"),
    ("spec-openapi", "openapi"),
    ("api", "rest"),
];

/// Keys that point at another document: what it is, and how many are followed (12.5).
const REFERENCES: &[(&str, &str, usize)] = &[
    ("agents-json", "agents.json", 1),
    ("capabilities-url", "agents.json", 1),
    ("json", "agents.json", 1),
    ("a2a", "agent-card", 10),
    ("agent-card", "agent-card", 10),
    ("policy", "agent-policy", 1),
    ("openapi", "openapi", 5),
    ("spec-openapi", "openapi", 5),
    ("ucp", "ucp", 1),
];

/// Keys with a place in the model, so that they are not kept as extensions.
const OTHER_KNOWN: &[&str] = &[
    "site",
    "agent",
    "author",
    "logo",
    "capabilities",
    "allow",
    "flow",
    "flow-description",
    "rate-limit",
    "session-endpoint",
    "session-ttl",
    "audit",
    "audit-endpoint",
    "protocols",
    "authorization",
    "payment-system",
    "language",
    "languages",
    "allow-action",
    "tool",
    "user-agent",
];

/// Most values that are kept of one file.
const MAX_EXTENSIONS: usize = 50;
/// Most capabilities of one file.
const MAX_CAPABILITIES: usize = 500;

/// One `Key: Value` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    /// Counted from 1.
    pub(super) line: u32,
    /// The folded key.
    pub(super) key: String,
    /// The key as written.
    pub(super) written: String,
    /// The value as written, without an inline comment.
    pub(super) value: String,
    /// True when an inline comment was cut off.
    pub(super) had_comment: bool,
}

/// The lines of a file or a block, in order and by key.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives {
    in_order: Vec<Directive>,
    by_key: HashMap<String, Vec<usize>>,
}

impl Directives {
    pub(super) fn add(&mut self, line: u32, pair: &Pair<'_>) {
        let places = self.by_key.entry(pair.key.clone()).or_default();
        places.push(self.in_order.len());
        self.in_order.push(Directive {
            line,
            key: pair.key.clone(),
            written: pair.written.to_owned(),
            value: pair.value.to_owned(),
            had_comment: pair.had_comment,
        });
    }

    /// Every line, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Directive> {
        self.in_order.iter()
    }

    /// Every line with this key that has a value.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &Directive> {
        let places = self.by_key.get(key).map_or(&[][..], Vec::as_slice);
        let lines = places.iter().map(|place| &self.in_order[*place]);
        lines.filter(|line| !line.value.is_empty())
    }

    /// The first line with this key that has a value.
    pub(super) fn first(&self, key: &str) -> Option<&Directive> {
        self.all(key).next()
    }

    /// The first line with any of these keys, in the order of `keys`.
    pub(super) fn any(&self, keys: &[&str]) -> Option<&Directive> {
        keys.iter().find_map(|key| self.first(key))
    }

    /// The cleaned value of the first line with this key.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.first(key).and_then(|line| text::some(&line.value))
    }

    /// The value of the first line with this key, if it is an absolute URL.
    pub(super) fn url(&self, key: &str) -> Option<String> {
        let value = self.text(key)?;
        link::is_absolute(&value).then_some(value)
    }

    /// The comma-separated values of all lines with this key, each once.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let parts = self.all(key).flat_map(|line| line.value.split(','));
        text::distinct(parts.filter_map(text::some))
    }
}

/// The agent that a file describes.
pub(super) fn agent(manifest: &Manifest, document: &Document) -> Agent {
    let directives = &manifest.directives;
    let text_of = |keys: &[&str]| {
        directives
            .any(keys)
            .and_then(|line| text::some(&line.value))
    };
    let absolute = |value: &str| link::guessed(&document.url, value);
    let url_of = |keys: &[&str]| directives.any(keys).and_then(|line| absolute(&line.value));
    let site = directives.text("site");
    let (site_name, site_url) = match &site {
        Some(site) if link::is_absolute(site) => (None, absolute(site)),
        _ => (site, None),
    };
    let offered = || directives.text("agent");
    let url = url_of(URLS).or(site_url);
    let mut agent = Agent {
        name: text_of(NAMES)
            .or(site_name)
            .or_else(offered)
            .or_else(|| manifest.prose_name())
            .unwrap_or_default(),
        description: text_of(DESCRIPTIONS).or_else(|| manifest.prose.description()),
        homepage: url.clone(),
        url,
        contact: text_of(CONTACTS)
            .or_else(|| directives.text("author"))
            .map(|contact| contact.trim_start_matches("mailto:").to_owned()),
        docs: url_of(DOCS),
        logo: url_of(&["logo"]),
        languages: [directives.list("language"), directives.list("languages")].concat(),
        capabilities: capabilities(manifest, document),
        auth: auths(manifest),
        interfaces: interfaces(manifest, document),
        rate_limits: rate_limits(manifest),
        flows: flows(manifest),
        payments: payments(manifest),
        extensions: extensions(manifest),
        ..Agent::default()
    };
    sessions_and_audit(manifest, document, &mut agent);
    agent
}

/// The documents that a file points at.
pub(super) fn references(manifest: &Manifest, document: &Document) -> Vec<Reference> {
    let mut references = Vec::new();
    for (key, rel, most) in REFERENCES {
        let lines = manifest.directives.all(key);
        let of_key = lines.filter_map(|line| link::reference(document, rel, &line.value, ""));
        references.extend(of_key.take(*most));
    }
    for (key, rel, most) in [
        ("openapi", "openapi", 5),
        ("agent-declaration", "agents.txt", 3),
    ] {
        let lines = manifest
            .blocks
            .iter()
            .filter_map(|block| block.directives.first(key));
        let of_key = lines.filter_map(|line| link::reference(document, rel, &line.value, ""));
        references.extend(of_key.take(most));
    }
    if manifest.dialect == Dialect::D11 {
        references.extend(manifest.prose.references(document));
    }
    let mut seen = HashSet::new();
    references.retain(|reference| seen.insert((reference.rel.clone(), reference.url.clone())));
    references
}

/// `cart.add` belongs to `cart` (FORMATS.md 12.2).
pub(super) fn prefix_tag(name: &str) -> Vec<String> {
    let prefix = name.split_once('.').map(|(prefix, _)| prefix.to_owned());
    prefix
        .into_iter()
        .filter(|prefix| !prefix.is_empty())
        .collect()
}

/// True for values of `Allow` that are paths rather than capabilities (C-102).
pub(super) fn is_path(value: &str) -> bool {
    value.starts_with(['/', '*'])
}

impl Manifest {
    /// True when the file describes its publisher's own bot, which offers nothing (AT-37).
    pub(super) fn is_operator(&self) -> bool {
        let kind = self.directives.text("declaration-type");
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case("agent"))
    }

    fn prose_name(&self) -> Option<String> {
        (self.dialect == Dialect::D11).then(|| self.prose.name())?
    }
}

fn capabilities(manifest: &Manifest, document: &Document) -> Vec<Capability> {
    if manifest.is_operator() {
        return Vec::new();
    }
    let directives = &manifest.directives;
    let blocks = manifest.blocks.iter().filter(|block| !block.is_agent);
    let declared = blocks.map(|block| block.capability(document));
    let in_lists = directives.all("capabilities").flat_map(|line| {
        line.value
            .split(',')
            .filter_map(move |name| Some(named(text::some(name)?, line.line)))
    });
    let allowed = directives
        .all("allow")
        .filter(|line| manifest.dialect == Dialect::D2 && !is_path(&line.value))
        .filter_map(|line| Some(named(text::some(&line.value)?, line.line)));
    let actions = directives
        .all("allow-action")
        .chain(directives.all("tool"))
        .filter_map(|line| Some(named(text::some(&line.value)?, line.line)));
    let listed = manifest.listed.iter().filter_map(|(number, item)| {
        let (name, endpoint) = item
            .split_once(':')
            .map_or((item.as_str(), ""), |pair| pair);
        let mut capability = named(text::some(name)?, *number);
        capability.endpoint = text::some(&link::template(endpoint));
        capability.url = link::absolute_template(&document.url, endpoint);
        Some(capability)
    });
    let mut seen = HashSet::new();
    declared
        .chain(in_lists)
        .chain(allowed)
        .chain(actions)
        .chain(listed)
        .filter(|capability| !capability.name.is_empty())
        .filter(|capability| seen.insert(text::fold(&capability.id)))
        .take(MAX_CAPABILITIES)
        .collect()
}

/// A capability of which only the name is known; the built-in names say more (AT-29).
fn named(name: String, line: u32) -> Capability {
    let is_checkout = name == "checkout";
    let needs_session = is_checkout || name.starts_with("cart.");
    Capability {
        id: name.clone(),
        tags: prefix_tag(&name),
        requires_session: needs_session.then_some(true),
        human_handoff: is_checkout.then_some(true),
        name,
        pointer: format!("line:{line}"),
        ..Capability::default()
    }
}

fn auths(manifest: &Manifest) -> Vec<Auth> {
    let of_blocks = manifest.blocks.iter().filter_map(Block::auth);
    let words = manifest.directives.list("authorization");
    let mut auths: Vec<Auth> = Vec::new();
    let mut seen = HashSet::new();
    for auth in of_blocks.chain(words.iter().map(|word| Auth::of(word))) {
        if seen.insert((
            auth.scheme.clone(),
            auth.name.clone(),
            auth.token_url.clone(),
        )) {
            auths.push(auth);
        }
    }
    auths
}

fn interfaces(manifest: &Manifest, document: &Document) -> Vec<Interface> {
    let of_keys = INTERFACES.iter().flat_map(|(key, protocol)| {
        let lines = manifest.directives.all(key);
        lines.map(move |line| ((*protocol).to_owned(), line.value.as_str()))
    });
    let blocks = manifest
        .blocks
        .iter()
        .filter(|block| !block.is_agent && block.protocol() != "rest");
    let of_blocks = blocks.filter_map(|block| {
        let endpoint = block.directives.first("endpoint")?;
        Some((block.protocol(), endpoint.value.as_str()))
    });
    let of_prose = manifest.prose.interfaces(manifest.dialect == Dialect::D11);
    let mut seen = HashSet::new();
    of_keys
        .chain(of_blocks)
        .chain(of_prose)
        .filter_map(|(protocol, value)| {
            let address = value.split_whitespace().next()?;
            let url = link::guessed(&document.url, address)?;
            Some(Interface {
                protocol,
                url,
                ..Interface::default()
            })
        })
        .filter(|interface| seen.insert(interface.url.clone()))
        .take(50)
        .collect()
}

fn rate_limits(manifest: &Manifest) -> Vec<RateLimit> {
    let own = manifest.directives.text("rate-limit");
    let own = own.and_then(|limit| rate::parse("default", &limit));
    let agents = manifest.blocks.iter().filter(|block| block.is_agent);
    let of_agents = agents.filter_map(|block| {
        let scope = if block.name == "*" {
            "default"
        } else {
            &block.name
        };
        rate::parse(scope, &block.directives.text("rate-limit")?)
    });
    own.into_iter().chain(of_agents).take(50).collect()
}

/// `name → step, step`, each with the description on a following line (AT-24, AT-25).
fn flows(manifest: &Manifest) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    for line in manifest.directives.iter() {
        match line.key.as_str() {
            "flow" => flows.extend(flow(&line.value)),
            "flow-description" => {
                if let Some(flow) = flows.last_mut() {
                    flow.description = text::some(&line.value);
                }
            }
            _ => {}
        }
    }
    flows.truncate(100);
    flows
}

/// One flow; the arrow may be `→`, `->` or `=>`.
pub(super) fn flow(value: &str) -> Option<Flow> {
    let arrows = ["→", "->", "=>"];
    let (name, steps) = arrows.iter().find_map(|arrow| value.split_once(arrow))?;
    Some(Flow {
        name: text::some(name)?,
        description: None,
        steps: steps.split(',').filter_map(text::some).collect(),
    })
}

fn payments(manifest: &Manifest) -> Vec<Payment> {
    let protocols = manifest.directives.list("protocols");
    let systems = manifest.directives.list("payment-system");
    let all = protocols.into_iter().chain(systems);
    all.map(|protocol| Payment {
        protocol: protocol.to_lowercase(),
        detail: None,
    })
    .collect()
}

/// Sessions and audit have an address by default, below the Interaction API (AT-15 to AT-18).
fn sessions_and_audit(manifest: &Manifest, document: &Document, agent: &mut Agent) {
    let directives = &manifest.directives;
    let is_protocol = matches!(manifest.dialect, Dialect::D1 | Dialect::D2);
    let base = directives
        .first("agent-api")
        .and_then(|line| link::guessed(&document.url, &line.value));
    let default_base = link::origin(document) + ".well-known/agents/api";
    if base.is_none() && manifest.dialect == Dialect::D1 && !agent.capabilities.is_empty() {
        agent.interfaces.push(Interface {
            protocol: "interaction-api".to_owned(),
            url: default_base.clone(),
            ..Interface::default()
        });
        agent.defaulted.push("interfaces".to_owned());
    }
    let base = base.unwrap_or(default_base);
    let below = |name: &str| format!("{}/{name}", base.trim_end_matches('/'));
    let needs_session = agent
        .capabilities
        .iter()
        .any(|it| it.requires_session == Some(true));
    let endpoint = directives.first("session-endpoint");
    let ttl = directives
        .text("session-ttl")
        .and_then(|ttl| rate::seconds(&ttl));
    if is_protocol && (needs_session || endpoint.is_some() || ttl.is_some()) {
        let create = endpoint
            .and_then(|line| link::guessed(&document.url, &line.value))
            .unwrap_or_else(|| {
                agent.defaulted.push("sessions.create".to_owned());
                below("session")
            });
        if ttl.is_none() {
            agent.defaulted.push("sessions.ttl_s".to_owned());
        }
        agent.sessions = Some(Sessions {
            delete: create.clone(),
            create,
            ttl_s: ttl.unwrap_or(1_800),
        });
    }
    let endpoint = directives.first("audit-endpoint");
    let is_audited = directives
        .text("audit")
        .is_some_and(|audit| is_true(&audit));
    if is_audited || endpoint.is_some() {
        let published =
            endpoint.and_then(|line| link::absolute_template(&document.url, &line.value));
        if published.is_none() {
            agent.defaulted.push("audit.endpoint".to_owned());
        }
        agent.audit = Some(Audit {
            endpoint: published.unwrap_or_else(|| below("audit")),
            public_key: None,
        });
    }
}

fn is_true(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "true" | "yes" | "on" | "1" | "enabled"
    )
}

/// Unknown keys, kept as published (AT-04).
fn extensions(manifest: &Manifest) -> Map<String, Value> {
    let mut known: HashSet<&str> = OTHER_KNOWN.iter().copied().collect();
    known.extend(
        [NAMES, URLS, DESCRIPTIONS, CONTACTS, DOCS]
            .into_iter()
            .flatten(),
    );
    known.extend(INTERFACES.iter().map(|(key, _)| *key));
    known.extend(REFERENCES.iter().map(|(key, _, _)| *key));
    let mut extensions: Map<String, Value> = Map::new();
    let unknown = manifest
        .directives
        .iter()
        .filter(|line| !known.contains(line.key.as_str()));
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
