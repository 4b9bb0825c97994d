//! The rules A2-01 to A2-22 for one card.

use super::card::{Card, Skill};
use super::generation::{Generation, is_hybrid};
use super::{interfaces, security, signature};
use crate::Severity::{Error, Warning};
use crate::field::{Field, List};
use crate::finding::Findings;
use crate::format::Input;
use crate::{json, link, text};
use std::collections::HashSet;

const NEW_PLACE: &str = "/.well-known/agent-card.json";
const OLD_PLACE: &str = "/.well-known/agent.json";

/// Compares `card` with the rules of its generation; a hybrid is valid if one family is (A2-20).
pub(super) fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    if !input.value.is_object() {
        let message = format!("{} where an agent card belongs", json::kind(input.value));
        findings.error("A2-01", "", message);
        return;
    }
    let generation = Generation::of(card);
    identity(card, findings);
    place(card, generation, input, findings);
    families(card, generation, findings);
    interfaces::validate_urls(card, input.document, findings);
    capabilities(card, findings);
    skills(card, generation, findings);
    modes(card, generation, findings);
    security::validate(card, findings);
    secrets(card, input, findings);
    links(card, findings);
    signature::validate(card, findings);
    if card.announces_extended_card() {
        let message = "a fuller card is announced for those who authenticate; never fetched";
        findings.info("A2-21", "", message);
    }
    if !card.unknown.is_empty() {
        let names: Vec<_> = card.unknown.keys().take(20).map(String::as_str).collect();
        let message = format!("members that A2A does not define: {}", names.join(", "));
        findings.info("A2-18", "", text::clean(&message, text::MAX_CHARS));
    }
}

fn identity(card: &Card, findings: &mut Findings) {
    let what = "the agent's name as a string";
    card.name
        .require_text("A2-03", Error, "/name", what, findings);
    let what = "a sentence on what the agent does";
    card.description
        .require_text("A2-03", Warning, "/description", what, findings);
    let what = "the agent's own version as a string, such as 1.0.0";
    card.version
        .require_text("A2-04", Error, "/version", what, findings);
}

fn place(card: &Card, generation: Generation, input: &Input<'_>, findings: &mut Findings) {
    let path = input.document.path();
    let is_old = matches!(
        generation,
        Generation::V01 | Generation::V02 | Generation::V025
    );
    let is_new = matches!(generation, Generation::V03 | Generation::V1) && !is_hybrid(card);
    if is_old && path == NEW_PLACE {
        let message = format!("a card before 0.3 belongs at {OLD_PLACE}");
        findings.warn("A2-02", "", message);
    } else if is_new && path == OLD_PLACE {
        let message = format!("since 0.3 the card belongs at {NEW_PLACE}");
        findings.warn("A2-02", "", message);
    }
}

/// Interfaces by the rules of each family that the card belongs to.
fn families(card: &Card, generation: Generation, findings: &mut Findings) {
    let mut old = Findings::default();
    let mut new = Findings::default();
    let belongs_to_new = generation == Generation::V1;
    if belongs_to_new {
        interfaces::validate_1(card, &mut new);
    }
    if !belongs_to_new || is_hybrid(card) {
        interfaces::validate_0(card, &mut old);
    }
    let (old, new) = (old.into_vec(), new.into_vec());
    let is_valid = |family: &[crate::Finding]| family.iter().all(|it| it.severity != Error);
    let is_saved = is_hybrid(card) && (is_valid(&old) || is_valid(&new));
    for mut finding in new.into_iter().chain(old) {
        if is_saved {
            finding.severity = finding.severity.min(Warning);
        }
        findings.push(finding);
    }
}

fn capabilities(card: &Card, findings: &mut Findings) {
    let what = "an object of the protocol features that are supported";
    card.capabilities
        .require("A2-08", Error, "/capabilities", what, findings);
    let features = card.features();
    for (name, flag) in [
        ("streaming", &features.streaming),
        ("pushNotifications", &features.push_notifications),
        ("stateTransitionHistory", &features.state_transition_history),
        ("extendedAgentCard", &features.extended_agent_card),
    ] {
        let pointer = format!("/capabilities/{name}");
        flag.check("A2-08", Error, &pointer, "true or false", findings);
    }
    let pointer = "/capabilities/extensions";
    features
        .extensions
        .check("A2-15", Error, pointer, "a list of extensions", findings);
    for (index, extension) in features.extensions.items() {
        let pointer = format!("{pointer}/{index}");
        let what = "the extension's URI";
        extension
            .uri
            .require_text("A2-15", Warning, &format!("{pointer}/uri"), what, findings);
        if extension.required.get() == Some(&true) {
            let uri = extension.uri.text().unwrap_or_default();
            findings.info(
                "A2-15",
                pointer,
                format!("callers must support extension {uri}"),
            );
        }
    }
}

fn skills(card: &Card, generation: Generation, findings: &mut Findings) {
    let what = "the skills as a list";
    let Some(items) = card
        .skills
        .require("A2-09", Error, "/skills", what, findings)
    else {
        return;
    };
    if items.is_empty() {
        findings.warn(
            "A2-09",
            "/skills",
            "no skills; a directory has nothing to list",
        );
    }
    card.skills
        .check_items("A2-10", Error, "/skills", "a skill object", findings);
    let rich = if generation.has_rich_skills() {
        Error
    } else {
        Warning
    };
    let mut ids = HashSet::new();
    for (index, skill) in card.skills.items() {
        let at = format!("/skills/{index}");
        let text = |field: &Field<String>, name: &str, severity, findings: &mut Findings| {
            let what = format!("the skill's {name} as a string");
            field.require_text("A2-10", severity, &format!("{at}/{name}"), &what, findings);
        };
        text(&skill.id, "id", Error, findings);
        text(&skill.name, "name", Error, findings);
        text(&skill.description, "description", rich, findings);
        let what = "the skill's tags as a list of strings";
        skill
            .tags
            .require("A2-10", rich, &format!("{at}/tags"), what, findings);
        skill_lists(skill, &at, findings);
        if let Some(id) = skill.id.raw()
            && !ids.insert(id)
        {
            findings.warn("A2-10", format!("{at}/id"), "another skill has this id");
        }
    }
}

fn skill_lists(skill: &Skill, at: &str, findings: &mut Findings) {
    let what = "a list of strings";
    skill
        .examples
        .check("A2-10", Error, &format!("{at}/examples"), what, findings);
    for (name, modes) in [
        ("inputModes", &skill.input_modes),
        ("outputModes", &skill.output_modes),
    ] {
        let pointer = format!("{at}/{name}");
        modes.check("A2-11", Error, &pointer, what, findings);
        media_types(modes, &pointer, findings);
    }
}

fn modes(card: &Card, generation: Generation, findings: &mut Findings) {
    let what = "media types as a list of strings";
    for (pointer, modes) in [
        ("/defaultInputModes", &card.default_input_modes),
        ("/defaultOutputModes", &card.default_output_modes),
    ] {
        match generation {
            Generation::V01 => modes.check("A2-11", Error, pointer, what, findings),
            Generation::Unknown => modes.require("A2-11", Warning, pointer, what, findings),
            Generation::V02 | Generation::V025 | Generation::V03 | Generation::V1 => {
                modes.require("A2-11", Error, pointer, what, findings)
            }
        };
        media_types(modes, pointer, findings);
    }
}

fn media_types(modes: &List<String>, pointer: &str, findings: &mut Findings) {
    for (index, mode) in modes.items() {
        if !mode.contains('/') {
            let message = "not a media type such as text/plain";
            findings.warn("A2-11", format!("{pointer}/{index}"), message);
        }
    }
}

fn secrets(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    let message = "credentials do not belong in a card: remove and revoke them";
    let credentials = "/authentication/credentials";
    for pointer in input
        .secrets
        .iter()
        .filter(|pointer| *pointer != credentials)
    {
        findings.error("A2-17", pointer, message);
    }
    let published = card
        .authentication
        .get()
        .and_then(|it| it.credentials.raw());
    let looks_secret = |text: &str| text.len() >= 8 && !text.contains([' ', '/']);
    if published.is_some_and(looks_secret) {
        findings.error("A2-17", credentials, message);
    }
}

fn links(card: &Card, findings: &mut Findings) {
    let what = "an object with organization and url";
    let provider = card
        .provider
        .check("A2-12", Error, "/provider", what, findings);
    if let Some(provider) = provider {
        let organization = "/provider/organization";
        let what = "the organization's name";
        provider
            .organization
            .require_text("A2-12", Warning, organization, what, findings);
        let what = "the organization's page as an absolute https URL";
        provider
            .url
            .require_text("A2-12", Warning, "/provider/url", what, findings);
        https("/provider/url", &provider.url, findings);
    }
    https("/documentationUrl", &card.documentation_url, findings);
    if card
        .icon_url
        .raw()
        .is_none_or(|url| !url.starts_with("data:"))
    {
        https("/iconUrl", &card.icon_url, findings);
    }
}

fn https(pointer: &str, field: &Field<String>, findings: &mut Findings) {
    let what = "an absolute https URL";
    field.check("A2-19", Warning, pointer, what, findings);
    if let Some(url) = field.raw()
        && !(link::is_absolute(url) && url.starts_with("https:"))
    {
        findings.warn("A2-19", pointer, format!("give {what}"));
    }
}
