//! Interfaces of an agent in the cards of every generation.

use super::card::{AdditionalInterface, Card, SupportedInterface};
use super::generation::{Generation, describes_url, major_minor};
use crate::agent::Interface;
use crate::finding::Findings;
use crate::formats::a2a::rules::{A2_05, A2_07, A2_22};
use crate::rule::profile::GP_03;
use crate::{Document, link, placeholder, text};
use std::fmt::Display;
use url::Url;

/// The bindings that the specification defines; others should be URIs (A2-07).
const BINDINGS: [&str; 3] = ["JSONRPC", "GRPC", "HTTP+JSON"];

/// Default transport of a card before 1.0.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

/// Most interfaces that are kept of one card.
const MAX_INTERFACES: usize = 100;

/// The usable interfaces of an agent.
#[derive(Default)]
pub(super) struct Interfaces {
    /// Each once, the preferred one first.
    pub(super) listed: Vec<Interface>,
    /// JSON pointer to the URL of each interface in `listed`.
    pub(super) pointers: Vec<String>,
    /// True if the transport of `url` is the specification's default rather than given by the card.
    pub(super) is_defaulted: bool,
}

/// Returns the usable interfaces of `card`.
pub(super) fn normalize(card: &Card, document: &Document) -> Interfaces {
    let mut found = Interfaces::default();
    for (index, supported) in card.supported_interfaces.items() {
        let pointer = format!("/supportedInterfaces/{index}/url");
        found.add(of_1(supported, card, document), pointer);
    }
    if describes_url(card) {
        found.add_of_0(card, document);
    }
    if let Some(first) = found.listed.first_mut() {
        first.preferred = true;
    }
    found
}

impl Interfaces {
    /// Adds the interfaces in the members before 1.0.
    fn add_of_0(&mut self, card: &Card, document: &Document) {
        let version = card.protocol_version.text();
        let version = version.as_deref().and_then(major_minor);
        let preferred = card.preferred_transport.text();
        if let Some(raw) = card.url.raw() {
            let transport = preferred.as_deref().unwrap_or(DEFAULT_TRANSPORT);
            let address = address(raw, transport, document);
            self.is_defaulted = preferred.is_none() && address.is_some();
            let interface = interface(address, transport, version.clone());
            self.add(interface, "/url".to_owned());
        }
        for (index, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
            if let (Some(raw), Some(transport)) = (url.raw(), transport.text()) {
                let address = address(raw, &transport, document);
                let interface = interface(address, &transport, version.clone());
                self.add(interface, format!("/additionalInterfaces/{index}/url"));
            }
        }
    }

    /// Adds an interface unless it is listed already; cards repeat their main URL among the
    /// additional ones.
    fn add(&mut self, interface: Option<Interface>, pointer: String) {
        let Some(interface) = interface else { return };
        let is_known = self.listed.iter().any(|known: &Interface| {
            known.url == interface.url
                && known.transport == interface.transport
                && (known.version == interface.version || interface.version.is_none())
        });
        if !is_known && self.listed.len() < MAX_INTERFACES {
            self.listed.push(interface);
            self.pointers.push(pointer);
        }
    }
}

/// Checks the version of a card before 1.0, which names it once (A2-05).
pub(super) fn validate_version(card: &Card, generation: Generation, findings: &mut Findings) {
    let version = card.protocol_version.raw();
    let message = match version
        .filter(|_| generation >= Generation::V025)
        .map(major_minor)
    {
        Some(None) => "not a version; give major and minor, such as 0.3.0",
        Some(Some(version)) if !version.starts_with("0.") => {
            "a card of 1.0 names its version in each interface; move url and version to supportedInterfaces"
        }
        Some(Some(_)) | None => return,
    };
    findings.add(A2_05.warning(), "/protocolVersion", message);
}

/// Checks every URL, of any generation (A2-07, A2-22, GP-03).
pub(super) fn validate_urls(card: &Card, document: &Document, findings: &mut Findings) {
    let main = card.preferred_transport.raw().unwrap_or(DEFAULT_TRANSPORT);
    if let Some(url) = card.url.raw() {
        validate_url("/url", url, main, document, findings);
    }
    for (index, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
        if let (Some(url), Some(transport)) = (url.raw(), transport.raw()) {
            let pointer = format!("/additionalInterfaces/{index}/url");
            validate_url(pointer, url, transport, document, findings);
        }
    }
    for (index, supported) in card.supported_interfaces.items() {
        let binding = supported.protocol_binding.raw().unwrap_or_default();
        if !binding.is_empty() && !BINDINGS.contains(&binding) && Url::parse(binding).is_err() {
            let pointer = format!("/supportedInterfaces/{index}/protocolBinding");
            let message = "none of JSONRPC, GRPC, HTTP+JSON: a custom binding should be a URI";
            findings.add(&A2_07, pointer, message);
        }
        if let Some(url) = supported.url.raw() {
            let pointer = format!("/supportedInterfaces/{index}/url");
            validate_url(pointer, url, binding, document, findings);
        }
    }
}

fn validate_url(
    pointer: impl Display,
    raw: &str,
    transport: &str,
    document: &Document,
    findings: &mut Findings,
) {
    if let Some(mark) = placeholder::mark(document, raw) {
        let message = format!(
            "a placeholder from a template ({mark}), which was ignored; put the real value here"
        );
        findings.add(&GP_03, &pointer, message);
        return;
    }
    if is_grpc_address(raw, transport) {
        return;
    }
    let Some(url) = link::absolute(&document.url, raw) else {
        let message = "not a usable URL; give an https URL";
        findings.add(&A2_07, &pointer, message);
        return;
    };
    if !link::is_absolute(raw) {
        findings.add(&A2_07, &pointer, "relative; give an absolute https URL");
    } else if !url.starts_with("https://") {
        findings.add(
            &A2_07,
            &pointer,
            "not https; serve it over TLS and give the https address",
        );
    }
    if !link::is_own(document, &url) {
        let message = format!(
            "its host is not under {}; serve the card where the agent is, or give the agent's address \
             on this domain",
            document.domain.registrable()
        );
        findings.add(&A2_22, pointer, message);
    }
}

/// Returns an interface of 1.0; the version that a card states for itself applies to each that
/// states none.
fn of_1(supported: &SupportedInterface, card: &Card, document: &Document) -> Option<Interface> {
    let transport = supported.protocol_binding.text().unwrap_or_default();
    let address = address(supported.url.raw()?, &transport, document);
    let own = supported.protocol_version.text();
    let version = own.or_else(|| card.protocol_version.text());
    let version = version.as_deref().and_then(major_minor);
    Some(Interface {
        tenant: supported.tenant.text(),
        ..interface(address, &transport, version)?
    })
}

fn interface(url: Option<String>, transport: &str, version: Option<String>) -> Option<Interface> {
    Some(Interface {
        protocol: "a2a".to_owned(),
        version,
        url: url?,
        transport: text::some(transport),
        preferred: false,
        tenant: None,
        ..Interface::default()
    })
}

/// Returns an absolute URL, or `host:port` for gRPC; `None` if no client can call the address.
fn address(raw: &str, transport: &str, document: &Document) -> Option<String> {
    if placeholder::mark(document, raw).is_some() {
        return None;
    }
    if is_grpc_address(raw, transport) {
        return text::some(raw);
    }
    // Cards of agents that run nowhere yet name their repository.
    link::absolute(&document.url, raw).filter(|url| !link::is_repository(url))
}

fn is_grpc_address(raw: &str, transport: &str) -> bool {
    transport == "GRPC"
        && raw.rsplit_once(':').is_some_and(|(host, port)| {
            crate::Domain::parse(host).is_ok() && port.parse::<u16>().is_ok()
        })
}
