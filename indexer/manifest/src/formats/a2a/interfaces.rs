//! Ways to reach an agent, as cards of every generation write them.

use super::card::{AdditionalInterface, Card, SupportedInterface};
use super::generation::{Generation, is_hybrid, major_minor};
use crate::agent::Interface;
use crate::finding::Findings;
use crate::{Document, leftover, link, text};
use url::Url;

/// The bindings that the specification defines; others should be URIs (A2-07).
const BINDINGS: [&str; 3] = ["JSONRPC", "GRPC", "HTTP+JSON"];

/// What a card before 1.0 means when it names no transport.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

/// Most interfaces that are kept of one card.
const MAX_INTERFACES: usize = 100;

/// Every usable interface of `card`, preferred first, and whether a transport is the default one.
pub(super) fn normalize(card: &Card, document: &Document) -> (Vec<Interface>, bool) {
    let mut interfaces = Vec::new();
    let mut is_defaulted = false;
    for (_, supported) in card.supported_interfaces.items() {
        add(&mut interfaces, of_1(supported, document));
    }
    if card.supported_interfaces.is_absent() || is_hybrid(card) {
        let transport = card.preferred_transport.text();
        is_defaulted = transport.is_none() && !card.url.is_absent();
        let transport = transport.unwrap_or_else(|| DEFAULT_TRANSPORT.to_owned());
        let version = card.protocol_version.text();
        let version = version.as_deref().and_then(major_minor);
        if let Some(raw) = card.url.raw() {
            let address = address(raw, &transport, document);
            add(
                &mut interfaces,
                interface(address, &transport, version.clone()),
            );
        }
        for (_, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
            if let (Some(raw), Some(transport)) = (url.raw(), transport.text()) {
                let address = address(raw, &transport, document);
                add(
                    &mut interfaces,
                    interface(address, &transport, version.clone()),
                );
            }
        }
    }
    if let Some(first) = interfaces.first_mut() {
        first.preferred = true;
    }
    (interfaces, is_defaulted)
}

/// Checks the members of 1.0 (A2-06).
pub(super) fn validate_1(card: &Card, findings: &mut Findings) {
    let what = "supportedInterfaces as a list with url, protocolBinding and protocolVersion";
    let pointer = "/supportedInterfaces";
    let list = &card.supported_interfaces;
    if list
        .require("A2-06", crate::Severity::Error, pointer, what, findings)
        .is_none()
    {
        return;
    }
    list.check_items(
        "A2-06",
        crate::Severity::Warning,
        pointer,
        "an object",
        findings,
    );
    let is_complete = |supported: &SupportedInterface| {
        supported.url.raw().is_some()
            && supported.protocol_binding.raw().is_some()
            && supported.protocol_version.raw().is_some()
    };
    if !list.items().any(|(_, supported)| is_complete(supported)) {
        let message = "no interface has url, protocolBinding and protocolVersion; give one";
        findings.error("A2-06", pointer, message);
    }
    for (index, _) in list
        .items()
        .filter(|(_, supported)| !is_complete(supported))
    {
        let message = "an interface needs url, protocolBinding and protocolVersion";
        findings.warn("A2-06", format!("{pointer}/{index}"), message);
    }
}

/// Checks the members of 0.1 to 0.3 (A2-05, A2-06).
pub(super) fn validate_0(card: &Card, findings: &mut Findings) {
    use crate::Severity::Error;
    let what = "the URL of the agent's endpoint as a string";
    card.url
        .require_text("A2-06", Error, "/url", what, findings);
    if matches!(
        Generation::of(card),
        Generation::V025 | Generation::V03 | Generation::V1
    ) {
        let what = "the A2A version as a string, such as 0.3.0";
        let pointer = "/protocolVersion";
        let version = card
            .protocol_version
            .require_text("A2-05", Error, pointer, what, findings);
        match version.map(major_minor) {
            Some(None) => findings.warn("A2-05", pointer, "not a version such as 0.3.0"),
            Some(Some(version)) if !version.starts_with("0.") => {
                let message = "a card of 1.0 names its versions in supportedInterfaces";
                findings.warn("A2-05", pointer, message);
            }
            Some(Some(_)) | None => {}
        }
    }
    let pointer = "/additionalInterfaces";
    let what = "a list of interfaces";
    card.additional_interfaces
        .check("A2-06", Error, pointer, what, findings);
    for (index, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
        if url.raw().is_none() || transport.raw().is_none() {
            let message = "an additional interface needs url and transport";
            findings.warn("A2-06", format!("{pointer}/{index}"), message);
        }
    }
}

/// Checks every URL, whichever generation wrote it (A2-07, A2-22, GP-03).
pub(super) fn validate_urls(card: &Card, document: &Document, findings: &mut Findings) {
    let main = card.preferred_transport.raw().unwrap_or(DEFAULT_TRANSPORT);
    if let Some(url) = card.url.raw() {
        validate_url("/url", url, main, document, findings);
    }
    for (index, AdditionalInterface { url, transport }) in card.additional_interfaces.items() {
        if let (Some(url), Some(transport)) = (url.raw(), transport.raw()) {
            let pointer = format!("/additionalInterfaces/{index}/url");
            validate_url(&pointer, url, transport, document, findings);
        }
    }
    for (index, supported) in card.supported_interfaces.items() {
        let binding = supported.protocol_binding.raw().unwrap_or_default();
        if !binding.is_empty() && !BINDINGS.contains(&binding) && Url::parse(binding).is_err() {
            let pointer = format!("/supportedInterfaces/{index}/protocolBinding");
            let message = "none of JSONRPC, GRPC, HTTP+JSON: a custom binding should be a URI";
            findings.warn("A2-07", pointer, message);
        }
        if let Some(url) = supported.url.raw() {
            let pointer = format!("/supportedInterfaces/{index}/url");
            validate_url(&pointer, url, binding, document, findings);
        }
    }
}

fn validate_url(
    pointer: &str,
    raw: &str,
    transport: &str,
    document: &Document,
    findings: &mut Findings,
) {
    if let Some(sign) = leftover::sign(document, raw) {
        let message = format!("left over from a template ({sign}); not used");
        findings.report("GP-03", pointer, message);
        return;
    }
    if is_grpc_address(raw, transport) {
        return;
    }
    let Some(url) = link::absolute(&document.url, raw) else {
        findings.warn(
            "A2-07",
            pointer,
            "not a URL that can be used; give an https URL",
        );
        return;
    };
    if !link::is_absolute(raw) {
        findings.warn("A2-07", pointer, "relative; give an absolute https URL");
    } else if !url.starts_with("https://") {
        findings.warn("A2-07", pointer, "not https");
    }
    if !link::is_own(document, &url) {
        let message = format!("its host is not of {}", document.domain.registrable());
        findings.warn("A2-22", pointer, message);
    }
}

fn of_1(supported: &SupportedInterface, document: &Document) -> Option<Interface> {
    let transport = supported.protocol_binding.text().unwrap_or_default();
    let address = address(supported.url.raw()?, &transport, document);
    let version = supported.protocol_version.text();
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
    })
}

/// An absolute URL, or `host:port` where gRPC is spoken; `None` for what nobody can call.
fn address(raw: &str, transport: &str, document: &Document) -> Option<String> {
    if leftover::sign(document, raw).is_some() {
        return None;
    }
    if is_grpc_address(raw, transport) {
        return text::some(raw);
    }
    link::absolute(&document.url, raw)
}

fn is_grpc_address(raw: &str, transport: &str) -> bool {
    transport == "GRPC"
        && raw.rsplit_once(':').is_some_and(|(host, port)| {
            crate::Domain::parse(host).is_ok() && port.parse::<u16>().is_ok()
        })
}

/// Adds what is not there yet; cards repeat their main URL among the additional ones.
fn add(interfaces: &mut Vec<Interface>, interface: Option<Interface>) {
    let Some(interface) = interface else { return };
    let is_known = interfaces.iter().any(|known: &Interface| {
        known.url == interface.url
            && known.transport == interface.transport
            && (known.version == interface.version || interface.version.is_none())
    });
    if !is_known && interfaces.len() < MAX_INTERFACES {
        interfaces.push(interface);
    }
}
