//! Facets and their values in words.

use crate::view::{self, access, brief};
use connect::Callable;
use manifest::{Domain, Level};
use search::{A2A_AGENT, Facet, MCP_SERVER};

/// Returns the name of a facet.
pub(super) fn facet_title(facet: Facet) -> &'static str {
    match facet {
        Facet::Callable => "Callable",
        Facet::Category => "Category",
        Facet::Format => "Format",
        Facet::Document => "Documents",
        Facet::Protocol => "Protocol",
        Facet::Auth => "Authentication",
        Facet::Registration => "Programs register by themselves",
        Facet::Session => "Session",
        Facet::Handoff => "Completed by a person",
        Facet::Level => "Manifest",
        Facet::Status => "Last visit",
        Facet::Tld => "Top-level domain",
        Facet::Site => "Site",
        Facet::Tag => "Tag",
        Facet::Capability => "Capability",
        Facet::Signed => "Signed",
        Facet::Language => "Language",
        Facet::Openapi => "OpenAPI file",
        Facet::ModalityIn => "Accepts",
        Facet::ModalityOut => "Returns",
    }
}

/// Returns a value of a facet in words.
pub(super) fn value_words(facet: Facet, value: &str) -> String {
    match (facet, value) {
        (Facet::Callable, value) => match Callable::parse(value) {
            Some(callable) => brief::callable_words(callable).to_owned(),
            None => value.to_owned(),
        },
        (Facet::Category, id) => view::category_title(id).to_owned(),
        (Facet::Document, MCP_SERVER) => "MCP server without a document".to_owned(),
        (Facet::Document, A2A_AGENT) => "A2A agent without a document".to_owned(),
        (Facet::Format | Facet::Document, id) => view::format_title(id),
        (Facet::Protocol, protocol) => access::protocol_title(protocol),
        (Facet::Auth, scheme) => access::scheme_title(scheme).to_owned(),
        (Facet::Level, letter) => match Level::parse(letter) {
            Some(level) => format!("{letter}: {}", view::level_words(level)),
            None => letter.to_owned(),
        },
        (Facet::Status, "ok") => "Confirmed".to_owned(),
        (Facet::Status, "failing") => "Not readable".to_owned(),
        (Facet::Status, "unknown") => "Not confirmed".to_owned(),
        (Facet::Tld, ending) => format!(".{ending}"),
        (Facet::Site, site) => shown(site),
        (
            Facet::Registration | Facet::Session | Facet::Handoff | Facet::Signed | Facet::Openapi,
            answer @ ("true" | "false"),
        ) => if answer == "true" { "Yes" } else { "No" }.to_owned(),
        (
            Facet::Registration
            | Facet::Session
            | Facet::Handoff
            | Facet::Signed
            | Facet::Openapi
            | Facet::Status
            | Facet::Language
            | Facet::ModalityIn
            | Facet::ModalityOut
            | Facet::Tag
            | Facet::Capability,
            other,
        ) => other.to_owned(),
    }
}

/// Returns a site in Unicode.
pub(super) fn shown(site: &str) -> String {
    Domain::parse(site).map_or_else(|_| site.to_owned(), |domain| domain.to_unicode())
}
