//! Checks of the handle (IK-02), of claims (IK-03) and of a team's organization and cards (IK-10).

use super::manifest::{Card, Team};
use super::rules::{IK_02, IK_03, IK_10};
use crate::finding::Findings;
use crate::format::Input;
use crate::{Domain, link};

/// Checks a card.
pub(super) fn card(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    if let Some(handle) = card.agent.get().and_then(|agent| agent.handle.raw()) {
        self::handle(handle, input, findings);
    }
    let level = card.trust.get().and_then(|trust| trust.level.get());
    if level.is_some_and(|level| level != "new") {
        let message = "the agent's own claim, which is not verified; it is shown as a claim";
        findings.add(&IK_03, "/trust/level", message);
    }
}

fn handle(handle: &str, input: &Input<'_>, findings: &mut Findings) {
    let pointer = "/agent/handle";
    match domain(handle) {
        None => findings.add(
            &IK_02,
            pointer,
            "not a handle; give one such as @tailor@shop.example",
        ),
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

/// Checks a team file.
pub(super) fn team(team: &Team, input: &Input<'_>, findings: &mut Findings) {
    if team.organization().is_none() {
        let message = "the organization has no name; give it as a string";
        findings.add(&IK_10, "/organization", message);
    }
    for (index, member) in team.agents.items() {
        let resolves = |card: &str| link::absolute(&input.document.url, card).is_some();
        if member.card.raw().is_some_and(|card| !resolves(card)) {
            let pointer = format!("/agents/{index}/card");
            findings.add(&IK_10, pointer, "not an address; give a path or a URL");
        }
    }
}
