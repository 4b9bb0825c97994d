//! Checks of the rules IK-01 to IK-03 for cards and IK-10 for teams.

use super::manifest::{Card, Identity, Team};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::identity_kit::rules::{IK_01, IK_02, IK_03, IK_10};
use crate::{Domain, json};
use std::collections::HashSet;

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 500;

/// Checks a card.
pub(super) fn card(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.add(&IK_01, "", message);
        return;
    }
    let version = &card.version;
    let version = version.require_text(&IK_01, "/version", "1.0", findings);
    if version.is_some_and(|version| version != "1.0") {
        findings.add(&IK_01, "/version", "unknown version; give 1.0");
    }
    let what = "an object with name, handle and description";
    if let Some(agent) = card.agent.require(&IK_01, "/agent", what, findings) {
        identity(agent, input, findings);
    }
    let what = "an object with the name of the person or organization responsible for the agent";
    if let Some(owner) = card.owner.require(&IK_01, "/owner", what, findings) {
        let what = "the owner's name";
        owner
            .name
            .require_text(&IK_01, "/owner/name", what, findings);
        for (name, field) in [("url", &owner.url), ("contact", &owner.contact)] {
            let pointer = format_args!("/owner/{name}");
            field.check(&IK_01, pointer, "a string", findings);
        }
        let pointer = "/owner/verified";
        owner
            .verified
            .check(&IK_01, pointer, "true or false", findings);
    }
    capabilities(card, findings);
    for (name, field) in [
        ("protocols", &card.protocols),
        ("endpoints", &card.endpoints),
    ] {
        field.check(&IK_01, format_args!("/{name}"), "an object", findings);
    }
    trust(card, findings);
}

fn identity(agent: &Identity, input: &Input<'_>, findings: &mut Findings) {
    let what = "the agent's name";
    agent
        .name
        .require_text(&IK_01, "/agent/name", what, findings);
    let pointer = "/agent/description";
    let what = "a description of what the agent does";
    let text = agent.description.require(&IK_01, pointer, what, findings);
    if text.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        let message = format!("longer than {MAX_DESCRIPTION} characters; shorten it");
        findings.add(&IK_01, pointer, message);
    }
    for (name, field) in [("avatar", &agent.avatar), ("homepage", &agent.homepage)] {
        let pointer = format_args!("/agent/{name}");
        field.check(&IK_01, pointer, "an address", findings);
    }
    let pointer = "/agent/handle";
    let what = "a handle such as @tailor@shop.example";
    let Some(handle) = agent.handle.require_text(&IK_01, pointer, what, findings) else {
        return;
    };
    match domain(handle) {
        None => findings.add(&IK_02, pointer, format!("give {what}")),
        Some(_) if input.document.domain.is_unknown() => {}
        Some(domain) if domain.registrable() != input.document.domain.registrable() => {
            let message =
                format!("the handle belongs to {domain}, not to this site; give one of this site");
            findings.add(&IK_02, pointer, message);
        }
        Some(_) => {}
    }
}

/// Returns the domain in `@name@domain`.
fn domain(handle: &str) -> Option<Domain> {
    let (name, domain) = handle.strip_prefix('@')?.split_once('@')?;
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_name = !name.is_empty() && name.bytes().all(is_name_byte);
    Domain::parse(domain)
        .ok()
        .filter(|_| is_name && domain.contains('.'))
}

fn capabilities(card: &Card, findings: &mut Findings) {
    let list = &card.capabilities;
    let at = "/capabilities";
    list.check(&IK_01, at, "a list of words", findings);
    list.check_items(&IK_01, at, "a word", findings);
    let mut seen = HashSet::new();
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    for (index, word) in list.items() {
        if word.is_empty() || !word.bytes().all(is_plain) {
            let message = "use lower-case letters, digits and hyphens, such as code-review";
            findings.add(&IK_01, format!("{at}/{index}"), message);
        } else if !seen.insert(word) {
            findings.add(&IK_01, format!("{at}/{index}"), "given twice; remove one");
        }
    }
}

fn trust(card: &Card, findings: &mut Findings) {
    let what = "an object with level";
    let Some(trust) = card.trust.check(&IK_03, "/trust", what, findings) else {
        return;
    };
    let pointer = "/trust/level";
    let level = trust.level.check(&IK_03, pointer, "a word", findings);
    if level.is_some_and(|level| level != "new") {
        let message = "the agent's own claim, which is not verified; it is shown as a claim";
        findings.add(&IK_03, pointer, message);
    }
}

/// Checks a team file.
pub(super) fn team(team: &Team, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an object belongs", json::kind(input.value));
        findings.add(&IK_10, "", message);
        return;
    }
    if team.organization().is_none() {
        let message = "give the name of the organization as a string";
        findings.add(&IK_10, "/organization", message);
    }
    let list = &team.agents;
    let what = "the agents as a list";
    list.require(&IK_10, "/agents", what, findings);
    let what = "an object with name and card";
    list.check_items(&IK_10, "/agents", what, findings);
    for (index, member) in list.items() {
        let at = format_args!("/agents/{index}");
        let pointer = format_args!("{at}/name");
        let what = "the agent's name";
        member.name.require_text(&IK_10, pointer, what, findings);
        let pointer = format_args!("{at}/card");
        let what = "the address of its card";
        let card = &member.card;
        let card = card.require_text(&IK_10, pointer, what, findings);
        let resolves = |card: &str| crate::link::absolute(&input.document.url, card).is_some();
        if card.is_some_and(|card| !resolves(card)) {
            findings.add(&IK_10, pointer, "not an address; give a path or a URL");
        }
    }
}
