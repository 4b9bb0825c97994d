//! Removal of addresses that cannot be called from outside of the publisher's network (DI-12).
//!
//! It is done once, when a document is read, so that no answer offers such an address; it is kept among
//! the words of the publisher, which are never links. A
//! name below the registrable domain of the document is left: if a crawler can resolve the one, its
//! callers can resolve the other.

use crate::agent::{Agent, Auth, Capability, Interface, Withheld};
use crate::finding::Findings;
use crate::public_address::{self, NotPublic};
use crate::rule::document::DI_12;
use crate::{Domain, Fact, Reading};
use std::collections::BTreeMap;
use url::Host;

#[cfg(test)]
mod tests;

/// Maximum number of removed addresses that an agent names.
const MAX_WITHHELD: usize = 20;

/// Removes the addresses from the agents and mentions of a document of `domain`, and reports their
/// positions.
pub(crate) fn remove(domain: &Domain, reading: &mut Reading) {
    let mut findings = Findings::default();
    for agent in &mut reading.agents {
        let mut remover = Remover::new(domain, agent);
        remover.clear(agent);
        for removed in &remover.removed {
            let message = format!(
                "left out, since others cannot reach it: {}; publish an address that can be called from the Internet",
                removed.reason
            );
            findings.push(crate::Finding::at(&DI_12, &removed.pointer, message));
        }
        add(
            &mut agent.withheld,
            remover.removed.iter().map(RemovedAddress::stated),
        );
    }
    for mention in &mut reading.mentions {
        if let Some(reason) = mention.url.as_deref().and_then(|url| reason(domain, url)) {
            mention.url = None;
            let message = format!(
                "left out, since others cannot reach it: {reason}; name an address on the Internet"
            );
            findings.push(crate::Finding::at(&DI_12, &mention.pointer, message));
        }
    }
    reading.findings.extend(findings.into_vec());
}

/// Adds removed addresses that are not named yet.
pub(crate) fn add(known: &mut Vec<Withheld>, more: impl Iterator<Item = Withheld>) {
    for withheld in more {
        if known.len() < MAX_WITHHELD && !known.contains(&withheld) {
            known.push(withheld);
        }
    }
}

/// Returns the reason why an address is left out; `None` if it can be called, or is on the site.
fn reason(domain: &Domain, address: &str) -> Option<NotPublic> {
    let host = public_address::host(address)?;
    let reason = public_address::of_host(&host)?;
    let is_own = match &host {
        Host::Domain(name) => {
            Domain::parse(name).is_ok_and(|it| it.registrable() == domain.registrable())
        }
        Host::Ipv4(_) | Host::Ipv6(_) => false,
    };
    (!is_own).then_some(reason)
}

/// An address that was removed.
struct RemovedAddress {
    field: Fact,
    pointer: String,
    reason: NotPublic,
}

impl RemovedAddress {
    fn stated(&self) -> Withheld {
        Withheld {
            field: self.field.into(),
            reason: self.reason.to_string(),
        }
    }
}

/// Removal of the addresses of one agent.
struct Remover<'a> {
    domain: &'a Domain,
    /// Positions of the agent and of its fields.
    at: String,
    places: BTreeMap<String, String>,
    removed: Vec<RemovedAddress>,
}

impl<'a> Remover<'a> {
    fn new(domain: &'a Domain, agent: &Agent) -> Self {
        Self {
            domain,
            at: agent.pointer.clone(),
            places: agent.pointers.clone(),
            removed: Vec::new(),
        }
    }

    fn clear(&mut self, agent: &mut Agent) {
        self.optional(Fact::Url, &mut agent.url);
        self.optional(Fact::Homepage, &mut agent.homepage);
        self.optional(Fact::Docs, &mut agent.docs);
        self.optional(Fact::Logo, &mut agent.logo);
        if agent.contact.as_ref().is_some_and(|it| it.contains("://")) {
            self.optional(Fact::Contact, &mut agent.contact);
        }
        if let Some(provider) = &mut agent.provider {
            self.optional(Fact::Provider, &mut provider.url);
        }
        self.interfaces(agent);
        for capability in &mut agent.capabilities {
            self.capability(capability);
        }
        for auth in &mut agent.auth {
            self.auth(auth);
        }
        if let Some(sessions) = &agent.sessions
            && (self.has(Fact::Sessions, &sessions.create)
                || self.has(Fact::Sessions, &sessions.delete))
        {
            agent.sessions = None;
        }
        if let Some(audit) = &agent.audit
            && self.has(Fact::Audit, &audit.endpoint)
        {
            agent.audit = None;
        }
        agent.payments.retain(|payment| {
            let resource = payment.resource.as_deref();
            !resource.is_some_and(|it| self.has(Fact::Payments, it))
        });
        let nodes = agent.graph.iter_mut().flat_map(|graph| &mut graph.nodes);
        for node in nodes {
            // An `ajson:` URI of one label is an identifier, which is never called (AU-06).
            let reference = node.reference.as_deref();
            if reference.is_some_and(|it| it.starts_with("http")) {
                self.optional(Fact::Graph, &mut node.reference);
            }
        }
    }

    /// Removes interfaces, and moves the positions of those after them.
    fn interfaces(&mut self, agent: &mut Agent) {
        let interfaces = std::mem::take(&mut agent.interfaces);
        for (index, interface) in interfaces.into_iter().enumerate() {
            let own = agent.pointers.remove(&Fact::Interfaces.item(index));
            if self.is_removed(&interface, own.as_deref()) {
                continue;
            }
            if let Some(own) = own {
                let path = Fact::Interfaces.item(agent.interfaces.len());
                agent.pointers.insert(path, own);
            }
            agent.interfaces.push(interface);
        }
    }

    /// Reports and notes whether the address of an interface is removed, as it is written or with
    /// the default values of its variables.
    fn is_removed(&mut self, interface: &Interface, pointer: Option<&str>) -> bool {
        let mut filled = interface.url.clone();
        for param in &interface.params {
            let value = param.default.as_ref().or_else(|| param.choices.first());
            if let Some(value) = value.and_then(serde_json::Value::as_str) {
                filled = filled.replace(&format!("{{{}}}", param.name), value);
            }
        }
        let of = |address: &str| reason(self.domain, address);
        let Some(reason) = of(&interface.url).or_else(|| of(&filled)) else {
            return false;
        };
        self.note(Fact::Interfaces, pointer.map(str::to_owned), reason);
        true
    }

    fn capability(&mut self, capability: &mut Capability) {
        let of = |address: &Option<String>| reason(self.domain, address.as_deref()?);
        let of_url = of(&capability.url);
        let of_endpoint = of(&capability.endpoint).filter(|_| {
            capability
                .endpoint
                .as_ref()
                .is_some_and(|it| it.contains("://"))
        });
        if of_url.is_some() {
            capability.url = None;
        }
        if of_endpoint.is_some() {
            capability.endpoint = None;
        }
        if let Some(reason) = of_url.or(of_endpoint) {
            let pointer = Some(capability.pointer.clone()).filter(|it| !it.is_empty());
            self.note(Fact::Capabilities, pointer, reason);
        }
    }

    fn auth(&mut self, auth: &mut Auth) {
        self.optional(Fact::Auth, &mut auth.authorization_url);
        self.optional(Fact::Auth, &mut auth.token_url);
        self.optional(Fact::Auth, &mut auth.metadata_url);
        self.optional(Fact::Auth, &mut auth.registration_url);
        self.optional(Fact::Auth, &mut auth.docs);
        let servers = std::mem::take(&mut auth.authorization_servers).into_iter();
        auth.authorization_servers = servers.filter(|it| !self.has(Fact::Auth, it)).collect();
    }

    fn optional(&mut self, field: Fact, address: &mut Option<String>) {
        if address.as_deref().is_some_and(|it| self.has(field, it)) {
            *address = None;
        }
    }

    /// Reports and notes whether an address is removed.
    fn has(&mut self, field: Fact, address: &str) -> bool {
        let reason = reason(self.domain, address);
        if let Some(reason) = reason {
            self.note(field, None, reason);
        }
        reason.is_some()
    }

    fn note(&mut self, field: Fact, pointer: Option<String>, reason: NotPublic) {
        let pointer = pointer.unwrap_or_else(|| {
            let known = self.places.get(field.name());
            known.unwrap_or(&self.at).clone()
        });
        self.removed.push(RemovedAddress {
            field,
            pointer,
            reason,
        });
    }
}
