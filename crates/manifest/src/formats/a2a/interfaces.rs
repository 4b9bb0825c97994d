//! Interfaces of an agent in the cards of every generation.

use super::binding::{self, Binding};
use super::card::{AdditionalInterface, Card, SupportedInterface};
use super::generation::{Generation, describes_url, major_minor};
use crate::agent::{Interface, Program};
use crate::field::Field;
use crate::finding::Findings;
use crate::formats::a2a::rules::{A2_05, A2_07, A2_22};
use crate::rule::profile::GP_03;
use crate::{Document, Finding, link, placeholder, public_address, text};
use std::fmt::Display;
use url::Url;

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
    /// Programs on the caller's own machine.
    pub(super) programs: Vec<Program>,
}

/// One entry of a card, of any generation.
struct Entry<'c> {
    /// Address as published.
    raw: Option<&'c str>,
    binding: Binding,
    version: Option<String>,
    tenant: Option<String>,
    /// Position of the address.
    pointer: String,
}

impl Entry<'_> {
    /// Reports whether the address is that of a program on the machine of the caller.
    fn is_local(&self) -> bool {
        let scheme = self.raw.and_then(|raw| Some(raw.split_once(':')?.0));
        scheme.is_some_and(|scheme| {
            ["stdio", "local", "file"].contains(&scheme.to_ascii_lowercase().as_str())
        })
    }
}

/// Returns the usable interfaces of `card`.
pub(super) fn normalize(card: &Card, document: &Document) -> Interfaces {
    let mut found = Interfaces::default();
    for (index, supported) in card.supported_interfaces.items() {
        let entry = Entry {
            raw: supported.url.raw(),
            binding: supported.binding(),
            version: supported.version(card),
            tenant: supported.tenant.text(),
            pointer: format!("/supportedInterfaces/{index}/url"),
        };
        found.add_entry(entry, document);
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
        let entry = |raw, binding, pointer| Entry {
            raw,
            binding,
            version: version.clone(),
            tenant: None,
            pointer,
        };
        if let Some(raw) = card.url.raw() {
            let binding = Binding::of_card(preferred.as_deref().unwrap_or(DEFAULT_TRANSPORT));
            let is_interface =
                self.add_entry(entry(Some(raw), binding, "/url".to_owned()), document);
            self.is_defaulted = preferred.is_none() && is_interface;
        }
        for (index, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
            if let Some(transport) = transport.raw() {
                let pointer = format!("/additionalInterfaces/{index}/url");
                let binding = Binding::of_entry(transport);
                self.add_entry(entry(url.raw(), binding, pointer), document);
            }
        }
    }

    /// Adds what an entry of a card offers at its address: an interface, or a program. Returns false if
    /// it is no interface that can be called.
    fn add_entry(&mut self, entry: Entry<'_>, document: &Document) -> bool {
        let (protocol, transport) = match entry.binding {
            Binding::A2a(ref transport) if !entry.is_local() => {
                ("a2a".to_owned(), transport.clone())
            }
            Binding::Other(ref protocol, ref transport) if !entry.is_local() => {
                (protocol.clone(), transport.clone())
            }
            Binding::A2a(_) | Binding::Other(..) | Binding::Local => {
                let program = Program::stdio(None, None);
                if !self.programs.contains(&program) {
                    self.programs.push(program);
                }
                return false;
            }
        };
        let word = transport.as_deref().unwrap_or_default();
        let usual = entry.raw.and_then(|raw| address(raw, word, document));
        let of_protocol = || entry.raw.filter(|raw| is_of_other(raw, &protocol));
        let Some(url) = usual.or_else(|| text::some(of_protocol()?)) else {
            return false;
        };
        let version = match protocol.as_str() {
            "a2a" => entry.version.as_deref().and_then(major_minor),
            // What a card states for itself is a version of A2A.
            "mcp" => entry.version.filter(|it| it.starts_with("20")),
            _ => None,
        };
        let interface = Interface {
            protocol,
            version,
            url,
            transport,
            tenant: entry.tenant,
            ..Interface::default()
        };
        self.add(interface, entry.pointer);
        true
    }

    /// Adds an interface unless it is listed already; cards repeat their main URL among the
    /// additional ones.
    fn add(&mut self, interface: Interface, pointer: String) {
        let is_known = self.listed.iter().any(|known: &Interface| {
            known.address() == interface.address()
                && known.protocol == interface.protocol
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
    if let Some(Binding::A2a(Some(defined))) = card.preferred_transport.raw().map(Binding::of_card)
    {
        let word = card.preferred_transport.raw().unwrap_or_default();
        misspelled("/preferredTransport".to_owned(), word, &defined, findings);
    }
    for (index, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
        if let (Some(url), Some(transport)) = (url.raw(), transport.raw()) {
            validate_spelling(
                format!("/additionalInterfaces/{index}/transport"),
                transport,
                findings,
            );
            let pointer = format!("/additionalInterfaces/{index}/url");
            validate_url(pointer, url, transport, document, findings);
        }
    }
    for (index, supported) in card.supported_interfaces.items() {
        let binding = supported.protocol_binding.raw().unwrap_or_default();
        let pointer = format!("/supportedInterfaces/{index}/protocolBinding");
        let is_defined = validate_spelling(pointer.clone(), binding, findings);
        if !is_defined && Url::parse(binding).is_err() {
            let message = "none of JSONRPC, GRPC, HTTP+JSON: a custom binding should be a URI";
            findings.add(&A2_07, pointer, message);
        }
        if let Some(url) = supported.url.raw() {
            let pointer = format!("/supportedInterfaces/{index}/url");
            validate_url(pointer, url, binding, document, findings);
        }
    }
}

/// Checks the spelling of a binding of A2A; returns false if the word is none.
fn validate_spelling(pointer: String, word: &str, findings: &mut Findings) -> bool {
    let defined = binding::spelled(word);
    if let Some(defined) = defined {
        misspelled(pointer, word, defined, findings);
    }
    defined.is_some() || word.is_empty()
}

/// Reports another spelling of a binding of A2A than the specification's.
fn misspelled(pointer: String, word: &str, defined: &str, findings: &mut Findings) {
    if word != defined && binding::DEFINED.contains(&defined) {
        let message = format!("{word:?} is not how A2A writes this transport");
        let finding = Finding::new(&A2_07, pointer, message);
        findings.push(
            finding
                .with_help("write it as the specification does")
                .with_correction(format!("{defined:?}")),
        );
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
    if is_grpc_address(raw, transport) || is_of_other(raw, &transport.to_lowercase()) {
        return;
    }
    let Some(url) = link::absolute(&document.url, raw) else {
        let message = "not a usable URL; give an https URL";
        findings.add(&A2_07, &pointer, message);
        return;
    };
    if public_address::of_url(&url).is_some() {
        // That no one else reaches it is said once (DI-12); how it is served is of no importance then.
        return;
    }
    if link::is_repository(&url) {
        let message = "a host of repositories, where no agent answers, so the interface is left out; give the \
                       address at which the agent is called";
        findings.add(&A2_22, pointer, message);
        return;
    }
    if !raw.contains("://") {
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

impl SupportedInterface {
    /// Returns the binding that the entry names, under any of the names that cards give it.
    fn binding(&self) -> Binding {
        let named = [
            &self.protocol_binding,
            &self.protocol,
            &self.binding,
            &self.transport,
        ];
        let mut words = named.into_iter().filter_map(Field::raw);
        let first = Binding::of_entry(words.next().unwrap_or_default());
        words.fold(first, Binding::over)
    }

    /// Returns the version of the protocol; that of a card applies to each entry without one.
    fn version(&self, card: &Card) -> Option<String> {
        let own = self.protocol_version.text();
        own.or_else(|| card.protocol_version.text())
    }
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

/// Reports whether an address has the scheme of its own protocol, such as `nats://`.
fn is_of_other(raw: &str, protocol: &str) -> bool {
    let is_short = raw.len() <= link::MAX_URL && !raw.contains(char::is_whitespace);
    let scheme = raw
        .split_once("://")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    is_short
        && scheme
            .is_some_and(|scheme| scheme.trim_end_matches('s') == protocol.trim_end_matches('s'))
}

fn is_grpc_address(raw: &str, transport: &str) -> bool {
    binding::spelled(transport) == Some("GRPC")
        && raw.rsplit_once(':').is_some_and(|(host, port)| {
            crate::Domain::parse(host).is_ok() && port.parse::<u16>().is_ok()
        })
}
