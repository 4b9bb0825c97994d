//! Validation against the rules AC-01 to AC-09, except AC-08, which compares two documents.

use super::manifest::{Authorization, Manifest, Pointer};
use crate::field::{Field, List};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agents_txt_com::rules::{
    AC_01, AC_02, AC_03, AC_04, AC_05, AC_06, AC_07, AC_09,
};
use crate::{json, text};
use serde_json::{Map, Value};

/// Members of `payments` that are not protocols.
const PAYMENT_TERMS: [&str; 2] = ["required", "pricing"];
const PAYMENTS: [&str; 3] = ["x402", "mpp", "ap2"];
const AUTHORIZATIONS: [&str; 3] = ["agent-auth", "oauth2", "auth-md"];
const METHODS: [&str; 2] = ["tempo", "stripe"];

/// Validates the document against the rules of agents-txt.com.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.add(&AC_01, "", message);
        return;
    }
    site(manifest, findings);
    versions(manifest, findings);
    payments(&manifest.payments, findings);
    let what = "an object with protocols and discovery";
    let field = &manifest.authorization;
    if let Some(value) = field.check(&AC_06, "/authorization", what, findings) {
        authorization(value, findings);
    }
    for (name, list) in [
        ("mcp", &manifest.mcp),
        ("skills", &manifest.skills),
        ("a2a", &manifest.a2a),
        ("ucp", &manifest.ucp),
        ("webmcp", &manifest.webmcp),
    ] {
        pointers(name, list, findings);
    }
    unknown("", &manifest.unknown, findings);
}

fn site(manifest: &Manifest, findings: &mut Findings) {
    let what = "an object with name and url";
    let Some(site) = manifest.site.require(&AC_01, "/site", what, findings) else {
        return;
    };
    site.name
        .require_text(&AC_01, "/site/name", "the site's name", findings);
    let what = "the site's address";
    site.url.require_url(&AC_01, "/site/url", what, findings);
    let pointer = "/site/description";
    site.description
        .check(&AC_01, pointer, "a string", findings);
    unknown("/site", &site.unknown, findings);
}

fn versions(manifest: &Manifest, findings: &mut Findings) {
    let what = "the version as major.minor, such as 1.0";
    let version = &manifest.version;
    let version = version.require_text(&AC_02, "/version", what, findings);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let is_pair = |version: &str| {
        version
            .split_once('.')
            .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
    };
    if version.is_some_and(|version| !is_pair(version)) {
        findings.add(&AC_02, "/version", format!("give {what}"));
    }
    let what = "https://agents-txt.com";
    let standard = &manifest.standard;
    standard.require_url(&AC_02, "/standard", what, findings);
    let what = "the address of the schema";
    manifest
        .schema
        .check_url(&AC_02, "/$schema", what, findings);
}

fn payments(payments: &Field<Map<String, Value>>, findings: &mut Findings) {
    let what = "an object from protocols to their terms";
    let Some(payments) = payments.check(&AC_03, "/payments", what, findings) else {
        return;
    };
    let is_term = |name: &str| PAYMENT_TERMS.contains(&name);
    if payments.keys().all(|name| is_term(name)) {
        let message = "no protocol; name one, such as x402";
        findings.add(&AC_03, "/payments", message);
    }
    if payments
        .get("required")
        .is_some_and(|it| it != &Value::Bool(true))
    {
        let message = "only true is defined; leave it out otherwise";
        findings.add(&AC_06, "/payments/required", message);
    }
    if payments.get("pricing").is_some_and(|it| !is_price(it)) {
        let message = "give an amount, and the currency as a string";
        findings.add(&AC_06, "/payments/pricing", message);
    }
    for (name, way) in payments.iter().filter(|(name, _)| !is_term(name)) {
        let at = format!("/payments/{}", json::escape(name));
        if !way.is_object() {
            let message = format!("{} where an object belongs", json::kind(way));
            findings.add(&AC_06, at, message);
            continue;
        }
        match name.as_str() {
            "x402" => terms(way, "chains", is_chain, &at, findings),
            "mpp" => terms(way, "methods", |it| METHODS.contains(&it), &at, findings),
            name => identifier(name, &PAYMENTS, at, findings),
        }
    }
}

fn is_price(price: &Value) -> bool {
    let amount = &price["amount"];
    let has_amount = amount.is_string() || amount.is_number();
    has_amount && price.get("currency").is_none_or(Value::is_string)
}

/// Returns true for the CAIP-2 name of a chain that x402 settles on.
fn is_chain(name: &str) -> bool {
    name.starts_with("eip155:") || name.starts_with("solana:")
}

/// Checks the list that a payment protocol requires, such as the chains of x402 (AC-06).
fn terms(way: &Value, name: &str, is_known: fn(&str) -> bool, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/{name}");
    let items = way[name].as_array().map_or(&[][..], Vec::as_slice);
    if items.is_empty() {
        let message = format!("give the {name} as a list with at least one");
        findings.add(&AC_06, pointer, message);
        return;
    }
    for (index, item) in items.iter().enumerate() {
        if !item.as_str().is_some_and(is_known) {
            let message = format!("none of the {name} that the format defines");
            findings.add(&AC_06, format!("{pointer}/{index}"), message);
        }
    }
}

/// Checks that a protocol is registered or that its name begins with `x-` (AC-07).
fn identifier(name: &str, known: &[&str], at: String, findings: &mut Findings) {
    if !known.contains(&name) && !name.starts_with("x-") {
        let known = known.join(", ");
        let message = format!("neither {known} nor a name that begins with x-");
        findings.add(&AC_07, at, message);
    }
}

fn authorization(authorization: &Authorization, findings: &mut Findings) {
    let at = "/authorization/protocols";
    let list = &authorization.protocols;
    let what = "the protocols as a list with at least one";
    let items = list.require(&AC_06, at, what, findings);
    if items.is_some_and(Vec::is_empty) {
        findings.add(&AC_06, at, format!("empty; give {what}"));
    }
    list.check_items(&AC_06, at, "the name of a protocol", findings);
    for (index, name) in list.items() {
        identifier(name, &AUTHORIZATIONS, format!("{at}/{index}"), findings);
    }
    let at = "/authorization/discovery";
    let what = "a path, such as /.well-known/agent-configuration";
    let path = &authorization.discovery;
    let path = path.require_text(&AC_06, at, what, findings);
    if path.is_some_and(|path| !path.starts_with('/')) {
        findings.add(&AC_06, at, format!("give {what}"));
    }
    let at = "/authorization/identity";
    let identity = &authorization.identity;
    let identity = identity.check(&AC_06, at, "`required`", findings);
    if identity.is_some_and(|identity| identity != "required") {
        findings.add(
            &AC_06,
            at,
            "only `required` is defined; leave it out otherwise",
        );
    }
    unknown("/authorization", &authorization.unknown, findings);
}

fn pointers(name: &str, list: &List<Pointer>, findings: &mut Findings) {
    let at = format_args!("/{name}");
    let what = "a list of objects with a url";
    list.check(&AC_04, at, what, findings);
    list.check_items(&AC_04, at, "an object with a url", findings);
    for (index, item) in list.items() {
        let at = format!("{at}/{index}");
        pointer(item, name == "mcp", &at, findings);
    }
}

fn pointer(pointer: &Pointer, is_mcp: bool, at: &str, findings: &mut Findings) {
    let place = format!("{at}/url");
    let what = "the address";
    let url = pointer.url.require_url(&AC_04, &place, what, findings);
    if url.is_some_and(|url| !url.starts_with("https:")) {
        findings.add(AC_04.warning(), place, "not https");
    }
    let place = format!("{at}/description");
    pointer
        .description
        .check(&AC_04, &place, "a string", findings);
    let of_mcp = [("type", &pointer.transport), ("version", &pointer.version)];
    if is_mcp {
        let place = format!("{at}/type");
        let what = "streamable-http";
        let transport = &pointer.transport;
        let transport = transport.require_text(&AC_05, &place, what, findings);
        if transport.is_some_and(|transport| transport != what) {
            findings.add(&AC_05, place, "the format defines only streamable-http");
        }
    } else {
        for (name, _) in of_mcp.iter().filter(|(_, field)| !field.is_absent()) {
            let message = "the format defines it for MCP servers only";
            findings.add(&AC_09, format!("{at}/{name}"), message);
        }
    }
    unknown(at, &pointer.unknown, findings);
}

/// Reports all unknown members of one object in a single finding (AC-09).
fn unknown(at: &str, members: &Map<String, Value>, findings: &mut Findings) {
    if members.is_empty() {
        return;
    }
    let names: Vec<_> = members.keys().take(20).map(String::as_str).collect();
    let message = format!(
        "members that the format does not define: {}",
        names.join(", ")
    );
    findings.add(&AC_09, at, text::clean(&message, text::MAX_CHARS));
}
