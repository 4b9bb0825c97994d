//! Validation of a policy against its closed schema (AT-61).

use super::{Door, Issuer, Manifest, Permission, Receipt};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::agent_policy::rules::AT_61;
use crate::{json, text};
use serde_json::{Map, Value};
use url::Url;

/// Checks the policy against its schema.
pub(super) fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.add(&AT_61, "", message);
        return;
    }
    word(&manifest.version, "/agentPolicyVersion", &["0.1"], findings);
    let what = "an object with name and url";
    if let Some(it) = manifest.issuer.require(&AT_61, "/issuer", what, findings) {
        issuer(it, findings);
    }
    if !manifest.default.is_absent() {
        word(&manifest.default, "/default", &["deny", "allow"], findings);
    }
    let what = "an address for questions";
    manifest
        .contact
        .require_text(&AT_61, "/contact", what, findings);
    uri(&manifest.verify, "/verify", findings);
    let list = &manifest.capabilities;
    let at = "/capabilities";
    list.require(&AT_61, at, "the capabilities as a list", findings);
    list.check_items(&AT_61, at, "an object with an id", findings);
    for (index, item) in list.items() {
        permission(item, &format!("{at}/{index}"), findings);
    }
    closed("", &manifest.unknown, findings);
}

fn issuer(issuer: &Issuer, findings: &mut Findings) {
    let what = "the issuer's name";
    issuer
        .name
        .require_text(&AT_61, "/issuer/name", what, findings);
    let what = "the issuer's address";
    issuer
        .url
        .require_text(&AT_61, "/issuer/url", what, findings);
    uri(&issuer.url, "/issuer/url", findings);
    uri(&issuer.keys, "/issuer/keys", findings);
    closed("/issuer", &issuer.unknown, findings);
}

fn permission(permission: &Permission, at: &str, findings: &mut Findings) {
    let pointer = format!("{at}/id");
    let what = "an id such as orders.cancel";
    let id = &permission.id;
    let id = id.require_text(&AT_61, &pointer, what, findings);
    if id.is_some_and(|id| !is_dotted(id)) {
        findings.add(
            &AT_61,
            pointer,
            "give lower-case words and digits joined by dots",
        );
    }
    let pointer = format!("{at}/description");
    let what = "a sentence on what the capability does";
    let description = &permission.description;
    description.require_text(&AT_61, &pointer, what, findings);
    let pointer = format!("{at}/door");
    let what = "an object with type and url";
    if let Some(it) = permission.door.require(&AT_61, &pointer, what, findings) {
        door(it, &pointer, findings);
    }
    word(
        &permission.auth,
        &format!("{at}/auth"),
        &["none", "credential"],
        findings,
    );
    let tiers = ["auto", "checkpoint"];
    word(
        &permission.risk_tier,
        &format!("{at}/riskTier"),
        &tiers,
        findings,
    );
    optional(
        &permission.mandate_scope,
        &format!("{at}/mandateScope"),
        findings,
    );
    let pointer = format!("{at}/receipt");
    let what = "an object with kind";
    if let Some(it) = permission.receipt.check(&AT_61, &pointer, what, findings) {
        receipt(it, &pointer, findings);
    }
    let pointer = format!("{at}/rateLimit");
    let what = "an object with max and window";
    if let Some(it) = permission
        .rate_limit
        .check(&AT_61, &pointer, what, findings)
    {
        rate_limit(it, &pointer, findings);
    }
    closed(at, &permission.unknown, findings);
}

/// Reports whether an id has at least two words of lower-case letters and digits, as in
/// `orders.cancel`.
fn is_dotted(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_plain);
    id.contains('.') && id.split('.').all(is_word)
}

fn door(door: &Door, at: &str, findings: &mut Findings) {
    word(
        &door.kind,
        &format!("{at}/type"),
        &["mcp", "openapi"],
        findings,
    );
    let pointer = format!("{at}/url");
    let what = "the door's address";
    door.url.require_text(&AT_61, &pointer, what, findings);
    uri(&door.url, &pointer, findings);
    closed(at, &door.unknown, findings);
}

fn receipt(receipt: &Receipt, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/kind");
    let what = "the kind of receipt";
    receipt.kind.require_text(&AT_61, pointer, what, findings);
    uri(&receipt.verify, &format!("{at}/verify"), findings);
    closed(at, &receipt.unknown, findings);
}

fn rate_limit(limit: &Map<String, Value>, at: &str, findings: &mut Findings) {
    let is_positive = |max: &Value| max.as_u64().is_some_and(|max| max > 0);
    if !limit.get("max").is_some_and(is_positive) {
        findings.add(&AT_61, format!("{at}/max"), "give a positive whole number");
    }
    let is_window = |window: &Value| window.as_str().is_some_and(|window| !window.is_empty());
    if !limit.get("window").is_some_and(is_window) {
        findings.add(&AT_61, format!("{at}/window"), "give a time, such as 1d");
    }
    let unknown = limit
        .iter()
        .filter(|(name, _)| !["max", "window"].contains(&name.as_str()));
    let unknown = unknown.map(|(name, value)| (name.clone(), value.clone()));
    closed(at, &unknown.collect(), findings);
}

/// Checks a required member whose value must be one of `words`.
fn word(field: &Field<String>, at: &str, words: &[&str], findings: &mut Findings) {
    let what = words.join(" or ");
    let found = field.require_text(&AT_61, at, &what, findings);
    if found.is_some_and(|found| !words.contains(&found)) {
        findings.add(&AT_61, at, format!("unknown; give {what}"));
    }
}

/// Checks an optional text that must not be empty.
fn optional(field: &Field<String>, at: &str, findings: &mut Findings) {
    if !field.is_absent() {
        field.require_text(&AT_61, at, "a text, or leave it out", findings);
    }
}

/// Checks an optional URI.
fn uri(field: &Field<String>, at: &str, findings: &mut Findings) {
    let found = field.check(&AT_61, at, "a URI", findings);
    let found = found.filter(|found| !found.trim().is_empty());
    if found.is_some_and(|found| Url::parse(found).is_err()) {
        findings.add(&AT_61, at, "not an absolute URI; write it with https://");
    }
}

/// Reports members that the schema does not define.
fn closed(at: &str, members: &Map<String, Value>, findings: &mut Findings) {
    if members.is_empty() {
        return;
    }
    let names: Vec<_> = members.keys().take(20).map(String::as_str).collect();
    let names = names.join(", ");
    let message = format!("members that the schema does not allow: {names}; take them out");
    findings.add(&AT_61, at, text::clean(&message, text::MAX_CHARS));
}
