//! Validation of one card: the rules A2-01 to A2-22.

use super::card::Card;
use super::generation::{Generation, is_hybrid};
use super::shape::CARD;
use super::{interfaces, members, security, signature};
use crate::finding::Findings;
use crate::format::Input;
use crate::formats::a2a::rules::{A2_01, A2_02, A2_17, A2_18, A2_20, A2_21};
use crate::{Finding, Severity, json, secret, text};

const NEW_PLACE: &str = "/.well-known/agent-card.json";
const OLD_PLACE: &str = "/.well-known/agent.json";

/// Checks `card` against the rules of its generation, or of each that it may follow (A2-20).
pub(super) fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an agent card belongs", json::kind(input.value));
        findings.add(&A2_01, "", message);
        return;
    }
    let generation = Generation::of(card);
    place(card, generation, input, findings);
    families(card, input, findings);
    interfaces::validate_urls(card, input.document, findings);
    members::required_extensions(card, findings);
    members::links(card, findings);
    members::media_types(card, findings);
    members::repeated_ids(card, findings);
    security::validate(card, findings);
    signature::validate(card, input, findings);
    secrets(card, input, findings);
    if card.announces_extended_card() {
        let message =
            "an extended card is announced for authenticated callers; Agentdex does not fetch it";
        findings.add(&A2_21, "", message);
    }
    if !card.unknown.is_empty() {
        let names: Vec<_> = card.unknown.keys().take(20).map(String::as_str).collect();
        let message = format!("members that A2A does not define: {}", names.join(", "));
        findings.add(&A2_18, "", text::clean(&message, text::MAX_CHARS));
    }
}

fn place(card: &Card, generation: Generation, input: &Input<'_>, findings: &mut Findings) {
    let path = input.document.path();
    let is_new = generation >= Generation::V03 && !is_hybrid(card);
    if is_new && path == OLD_PLACE {
        let message = format!("since 0.3 the card has another place; publish it at {NEW_PLACE}");
        findings.add(&A2_02, "", message);
    }
}

/// Findings on the card as a card of one generation.
struct Family {
    generation: Generation,
    findings: Vec<Finding>,
}

impl Family {
    fn of(card: &Card, input: &Input<'_>, generation: Generation) -> Self {
        let edition = generation.edition();
        let mut findings = Findings::default();
        CARD.check_as(edition, input.value, "", &mut findings);
        if generation < Generation::V1 {
            interfaces::validate_version(card, generation, &mut findings);
        }
        security::validate_schemes(card, generation, input.value, &mut findings);
        Self {
            generation,
            findings: findings.into_vec(),
        }
    }

    fn errors(&self) -> usize {
        let is_error = |finding: &&Finding| finding.severity == Severity::Error;
        self.findings.iter().filter(is_error).count()
    }
}

/// Checks the card as each generation that it may follow; the one with the fewest errors counts.
fn families(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    let of_generation = |generation| Family::of(card, input, generation);
    let mut families: Vec<Family> = Generation::families(card)
        .into_iter()
        .map(of_generation)
        .collect();
    families.sort_by_key(Family::errors);
    let mut families = families.into_iter();
    let Some(best) = families.next() else {
        return;
    };
    let is_valid = best.errors() == 0;
    let mut reported = best.findings;
    for other in families.filter(|_| is_hybrid(card)) {
        if is_valid && other.errors() > 0 {
            findings.push(half(best.generation, other.generation));
        }
        // A card of one generation need not have the members of the other.
        let is_there = |it: &Finding| input.value.pointer(&it.pointer).is_some();
        for mut finding in other.findings.into_iter().filter(is_there) {
            if is_valid {
                finding.severity = finding.severity.min(Severity::Warning);
            }
            if !reported.contains(&finding) {
                reported.push(finding);
            }
        }
    }
    for finding in reported {
        findings.push(finding);
    }
}

/// Creates the finding on a card that is valid in one generation and has members of another.
fn half(valid: Generation, other: Generation) -> Finding {
    let (valid, other) = (valid.as_str(), other.as_str());
    let message = format!("valid as a card of {valid}, not as one of {other}");
    let help = format!(
        "leave it so if no client of {other} needs it; otherwise give all that {other} requires"
    );
    Finding::new(&A2_20, "", message).with_help(help)
}

fn secrets(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    let message = "credentials do not belong in a card; remove and revoke them";
    let credentials = "/authentication/credentials";
    for pointer in input
        .secrets
        .iter()
        .filter(|pointer| *pointer != credentials)
    {
        findings.add(&A2_17, pointer, message);
    }
    let published = card
        .authentication
        .get()
        .and_then(|it| it.credentials.raw());
    if published.is_some_and(secret::is_credential) {
        findings.add(&A2_17, credentials, message);
    }
}
