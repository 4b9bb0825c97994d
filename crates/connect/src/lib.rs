//! The data that a caller needs for its first call to an agent, by protocol (`docs/connect.md`).
//!
//! Everything here comes from the manifest or the protocol's specification; what neither states
//! is left out and named as missing. Values for the caller to fill in are in braces.

mod a2a;
mod auth;
mod callable;
mod client_config;
mod http;
mod input;
mod mcp;
mod model;
mod payment;
mod sample;
mod snippets;

pub use callable::Callable;
pub use mcp::{is_mcp_over_http, is_mcp_server};
pub use model::{
    Access, Call, Carrier, ClientConfig, Connect, ForeignOwner, Gives, InterfaceBody, Language,
    Obtain, Placeholder, Session, Snippets, Step,
};

use client_config::Server;
use manifest::agent::{Agent, Capability, Interface};
use manifest::fact::part;
use manifest::listing::Listing;
use manifest::{Fact, Timestamp, caution, public_address};
use model::Draft;
use serde_json::{Value, json};

/// Protocols whose calls are plain HTTP requests. The address of an OpenAPI interface is that of a
/// description, to which no call goes.
const HTTP: [&str; 2] = ["rest", "interaction-api"];

/// Maximum number of capabilities that are tried for an example.
const MAX_CAPABILITIES: usize = 20;
/// Placeholder of an id that every caller makes anew.
const UUID: &str = "{uuid}";
/// Maximum length of a value that is shown, in characters.
const MAX_VALUE: usize = 500;
/// Maximum number of interfaces, of payments, and of scopes, that are shown.
const MAX_SHOWN: usize = 20;

/// Returns the data for a first call of the capability `wanted`, or else of the first that can be
/// called and needs no person.
pub fn connect(listing: &Listing, wanted: Option<&str>, now: Timestamp) -> Connect {
    let capabilities = &listing.agent.capabilities;
    let is_wanted = |it: &&Capability| wanted.is_some_and(|name| it.name == name || it.id == name);
    if let Some(capability) = capabilities.iter().find(is_wanted) {
        return connect_to(listing, capability, now);
    }
    let now = Some(now);
    described(listing, Plan::of(listing, now), now, None)
}

/// Returns the data for a first call that hold on any day, for copies that are kept: a date that the call needs
/// is for the caller to fill in.
pub fn lasting(listing: &Listing) -> Connect {
    described(listing, Plan::of(listing, None), None, None)
}

/// Returns the data for a first call of one of its capabilities.
pub fn connect_to(listing: &Listing, capability: &Capability, now: Timestamp) -> Connect {
    let now = Some(now);
    let plan = Plan::for_capability(listing, Some(capability), now);
    described(listing, plan, now, Some(capability))
}

/// Returns how an agent can be called: the value in the data for its first call.
pub fn callable(listing: &Listing) -> Callable {
    // The day is in the values of a call, and not in whether there is one.
    let draft = Plan::of(listing, None).draft;
    callable::of(
        &listing.agent,
        None,
        draft.example.is_some(),
        &draft.missing,
    )
    .0
}

/// Describes a plan for the agent as a whole, or for the capability that is `wanted`.
fn described(
    listing: &Listing,
    plan: Plan<'_>,
    now: Option<Timestamp>,
    wanted: Option<&Capability>,
) -> Connect {
    let agent = &listing.agent;
    let Plan {
        interface,
        capability,
        mut draft,
        session,
        access,
    } = plan;
    // Without an example, clients begin with the interface that they negotiate.
    let interface = match draft.example {
        Some(_) => interface,
        None => callable::negotiated(agent, wanted).or(interface),
    };
    let endpoint = interface
        .map(|interface| interface.url.clone())
        .or_else(|| capability.and_then(|it| it.url.clone()));
    let protocol = interface
        .map(|interface| interface.protocol.clone())
        .or_else(|| capability.and_then(|it| it.protocol.clone()));
    let version = interface.and_then(|interface| version(interface, listing));
    note_defaults(agent, interface, session.is_some(), &mut draft);
    if version.is_some() && interface.is_some_and(|it| it.version.is_none()) {
        draft.fills("version");
    }
    let (site, slug) = listing.id.parts();
    let server = Server::of_agent(slug, agent, now);
    let of_server = server.iter().flat_map(Server::placeholders);
    for placeholder in of_server.cloned() {
        draft.ask(placeholder);
    }
    let called = draft.example.as_ref().map(|call| call.url.as_str());
    let client_config = server.as_ref().map(Server::usual);
    let day = now.map(Timestamp::date).unwrap_or_default();
    let id = snippets::id_of_day(&listing.id.to_string(), &day);
    let (callable, reason) = callable::of(agent, wanted, draft.example.is_some(), &draft.missing);
    let addresses = endpoint.as_deref().into_iter().chain(called);
    let connect = Connect {
        callable,
        callable_because: reason.to_string(),
        foreign: addresses
            .clone()
            .find_map(|address| stranger(site, address)),
        snippets: snippets::snippets(&draft, client_config.as_ref(), &id),
        message_id: id,
        client_config,
        client_configs: server.map_or_else(Vec::new, |it| it.for_clients()),
        protocol: protocol.map(|protocol| match &version {
            Some(version) => format!("{protocol}/{version}"),
            None => protocol,
        }),
        transport: interface.and_then(|interface| interface.transport.clone()),
        tenant: interface.and_then(|interface| interface.tenant.clone()),
        payments: payment::payments(agent, draft.example.as_ref()),
        rate_limits: match capability.and_then(|it| it.rate_limit.clone()) {
            Some(own) => vec![own],
            None => agent.rate_limits.iter().take(MAX_SHOWN).cloned().collect(),
        },
        interfaces: interface_bodies(listing),
        endpoint,
        auth: access,
        session,
        human_handoff: capability.is_some_and(|it| it.human_handoff == Some(true)),
        capability: capability.map(|it| it.name.clone()),
        url_template: draft.url_template,
        example: draft.example,
        steps: draft.steps,
        placeholders: draft.placeholders,
        missing: draft.missing,
        defaulted: draft.defaulted,
    };
    connect.without_idle_address()
}

/// A capability with the interface over which it is called, and its call.
#[derive(Debug)]
struct Plan<'a> {
    interface: Option<&'a Interface>,
    capability: Option<&'a Capability>,
    draft: Draft,
    session: Option<Session>,
    access: Access,
}

impl<'a> Plan<'a> {
    fn of(listing: &'a Listing, now: Option<Timestamp>) -> Self {
        let capabilities = &listing.agent.capabilities;
        let current = capabilities.iter().filter(|it| !it.deprecated);
        let plans = current
            .take(MAX_CAPABILITIES)
            .map(|it| Self::for_capability(listing, Some(it), now));
        let mut best: Option<Self> = None;
        for plan in plans {
            if plan.effort() == 0 {
                return plan;
            }
            if best.as_ref().is_none_or(|it| plan.effort() < it.effort()) {
                best = Some(plan);
            }
        }
        // Without a call of a capability, a client begins with an interface that says what it can do.
        let alone = || Self::for_capability(listing, None, now);
        let has_call = |plan: &Self| plan.draft.example.is_some();
        match best {
            Some(best) if has_call(&best) => best,
            Some(best) => Some(alone()).filter(has_call).unwrap_or(best),
            None => alone(),
        }
    }

    /// Returns how much keeps a stranger from this call: nothing, a credential, a person, or that it is not
    /// stated completely.
    fn effort(&self) -> u8 {
        let needs_person = self
            .capability
            .is_some_and(|it| it.human_handoff == Some(true));
        match (&self.draft.example, needs_person, &self.access.carrier) {
            (None, ..) => 3,
            (_, true, _) => 2,
            (.., Some(_)) => 1,
            (.., None) => 0,
        }
    }

    /// Plans a call over the first interface that gives an example, the preferred one first.
    fn for_capability(
        listing: &'a Listing,
        capability: Option<&'a Capability>,
        now: Option<Timestamp>,
    ) -> Self {
        let plan = |interface| Self::over(listing, interface, capability, now);
        let mut first = None;
        for interface in interfaces(&listing.agent, capability) {
            let plan = plan(Some(interface));
            if plan.draft.example.is_some() {
                return plan;
            }
            first.get_or_insert(plan);
        }
        first.unwrap_or_else(|| plan(None))
    }

    fn over(
        listing: &'a Listing,
        interface: Option<&'a Interface>,
        capability: Option<&'a Capability>,
        now: Option<Timestamp>,
    ) -> Self {
        let agent = &listing.agent;
        let is_plain = capability.is_some_and(|it| it.method.is_some() && it.url.is_some());
        let mut draft = match interface {
            _ if is_plain => http::draft(capability, now),
            Some(interface) => match interface.protocol.as_str() {
                "a2a" => {
                    let version = version(interface, listing);
                    a2a::draft(interface, version.as_deref(), agent, capability)
                }
                "mcp" => mcp::draft(interface, agent, capability, now),
                "graphql" => graphql(interface),
                "rest" | "interaction-api" | "openapi" => http::draft(capability, now),
                _ => Draft::without("http_binding"),
            },
            None => {
                let mut draft = http::draft(capability, now);
                draft.missing.insert(0, "protocol");
                draft
            }
        };
        let needs_session = capability.is_some_and(|it| it.requires_session == Some(true));
        let session = needs_session
            .then(|| http::add_session(&mut draft, agent))
            .flatten();
        let access = auth::access(&agent.auth, capability);
        if let Some(interface) = interface {
            input::fill_variables(interface, now, &mut draft);
        }
        let interface_headers = interface.map(|it| input::headers(it, now, &mut draft));
        let calls = draft.steps.iter_mut().map(|step| &mut step.call);
        for call in calls.chain(&mut draft.example) {
            auth::add(&access, call);
            for (param, value) in interface_headers.iter().flatten() {
                if param.required {
                    call.add_header(&param.name, value);
                }
            }
        }
        // The value of a variable may make an address of a private network.
        let is_private = |call: &Call| public_address::of_url(&call.url).is_some();
        if draft.calls().any(is_private) && !is_own(listing, &draft) {
            draft = Draft::without("public_address");
        }
        auth::describe(&access, &agent.auth, &mut draft);
        payment::add_step(agent, &mut draft);
        draft.ask(Placeholder::named("uuid", "body", "New UUID"));
        draft.drop_unused();
        Self {
            interface,
            capability,
            draft,
            session,
            access,
        }
    }
}

/// Lists the interfaces for `capability`, the preferred one first: those of its own protocol if it
/// names one, else all; of a capability with an address, those at this address and those of HTTP.
///
/// A capability with a method and an address is a plain HTTP call, whatever the agent's protocols.
fn interfaces<'a>(
    agent: &'a Agent,
    capability: Option<&Capability>,
) -> impl Iterator<Item = &'a Interface> {
    let wanted = capability.and_then(|it| it.protocol.as_deref());
    let is_plain = capability.is_some_and(|it| it.method.is_some() && it.url.is_some());
    let mut fitting: Vec<_> = agent
        .interfaces
        .iter()
        .filter(|interface| match wanted {
            Some(wanted) => interface.protocol == wanted,
            None if is_plain => HTTP.contains(&interface.protocol.as_str()),
            None => {
                let url = capability.and_then(|it| it.url.as_ref());
                let is_there = |url: &String| *url == interface.url;
                url.is_none_or(is_there) || HTTP.contains(&interface.protocol.as_str())
            }
        })
        .collect();
    // Skills of A2A have no parameters.
    let is_tool = capability.is_some_and(|it| it.input_schema.is_some() || !it.params.is_empty());
    let is_unlikely = |it: &Interface| is_tool && it.protocol == "a2a";
    fitting.sort_by_key(|interface| (is_unlikely(interface), !interface.preferred));
    fitting.into_iter().take(MAX_SHOWN)
}

/// Drafts the smallest query of GraphQL, which every server answers.
fn graphql(interface: &Interface) -> Draft {
    let query = json!({"query": "{ __typename }"});
    Draft {
        example: Some(Call::post(&interface.url, "application/json", query)),
        ..Draft::default()
    }
}

/// Lists the interfaces, each judged by itself.
fn interface_bodies(listing: &Listing) -> Vec<InterfaceBody> {
    let (site, _) = listing.id.parts();
    let interfaces = listing.agent.interfaces.iter().take(MAX_SHOWN);
    let bodies = interfaces.map(|interface| InterfaceBody {
        protocol: match version(interface, listing) {
            Some(version) => format!("{}/{version}", interface.protocol),
            None => interface.protocol.clone(),
        },
        transport: interface.transport.clone(),
        endpoint: interface.url.clone(),
        foreign: stranger(site, &interface.url),
        preferred: interface.preferred,
    });
    bodies.collect()
}

/// Reports whether all calls of a draft go to the site itself, whatever its name.
fn is_own(listing: &Listing, draft: &Draft) -> bool {
    let (site, _) = listing.id.parts();
    let mut calls = draft.calls();
    calls.all(|call| stranger(site, &call.url).is_none())
}

/// Notes the facts that are defaults of the format, under the names of `connect`.
fn note_defaults(
    agent: &Agent,
    interface: Option<&Interface>,
    has_session: bool,
    draft: &mut Draft,
) {
    let facts = [
        (Fact::Interfaces.name(), interface.is_some(), "endpoint"),
        (Fact::Url.name(), interface.is_none(), "endpoint"),
        (part::TRANSPORT, interface.is_some(), "transport"),
        (Fact::Sessions.name(), has_session, "session"),
        (part::SESSION_CREATE, has_session, "session.create"),
        (part::SESSION_DELETE, has_session, "session.delete"),
        (part::SESSION_TTL, has_session, "session.ttl_s"),
    ];
    let noted = facts
        .into_iter()
        .filter(|it| it.1 && agent.is_default_in_part(it.0));
    draft.defaulted.extend(noted.map(|it| it.2));
}

/// Returns the owner of `address`, unless its registrable domain is that of `site`.
pub fn stranger(site: &str, address: &str) -> Option<ForeignOwner> {
    let owner = caution::foreign_owner(site, address)?;
    Some(ForeignOwner(cleaned(&owner)))
}

/// Cleans a value of a document that did not pass through its reader.
fn cleaned(text: &str) -> String {
    manifest::text::clean(text, MAX_VALUE)
}

/// Returns a value as text: a string without quotes.
fn plain(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

/// Returns the protocol's version: that of the interface, or for A2A the generation of the card.
fn version(interface: &Interface, listing: &Listing) -> Option<String> {
    interface.version.clone().or_else(|| {
        listing
            .sources
            .first()
            .filter(|source| {
                interface.protocol == "a2a" && source.format.as_str().starts_with("a2a")
            })
            .and_then(|source| source.generation.clone())
            .filter(|generation| generation.starts_with(|it: char| it.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests;
