//! Validation of a card's description of its agent: identity, capabilities, skills, modes, links.

use super::card::{Card, Skill};
use super::checker::Checker;
use super::generation::Generation::{V1, V02, V025};
use crate::field::{Field, List};
use crate::finding::{Below, Findings};
use crate::formats::a2a::rules::{
    A2_01, A2_03, A2_04, A2_08, A2_09, A2_10, A2_11, A2_12, A2_15, A2_19,
};
use crate::{link, text};
use std::collections::HashSet;
use std::fmt;

/// Checks name, description and version (A2-03, A2-04).
pub(super) fn identity(card: &Card, checker: &mut Checker) {
    checker.text(&card.name, &A2_03, "/name", "the agent's name as a string");
    let what = "a sentence on what the agent does";
    let is_required = checker.is_since(V02);
    checker.prose(&card.description, is_required, &A2_03, "/description", what);
    let what = "the agent's own version as a string, such as 1.0.0";
    checker.text(&card.version, &A2_04, "/version", what);
}

/// Checks the protocol features and extensions (A2-08, A2-15).
pub(super) fn capabilities(card: &Card, checker: &mut Checker) {
    let what = "an object of the protocol features that are supported";
    checker.required(&card.capabilities, &A2_08, "/capabilities", what);
    let features = card.features();
    for (name, flag, is_defined) in [
        ("streaming", &features.streaming, true),
        ("pushNotifications", &features.push_notifications, true),
        (
            "stateTransitionHistory",
            &features.state_transition_history,
            !checker.is_since(V1),
        ),
        (
            "extendedAgentCard",
            &features.extended_agent_card,
            checker.is_since(V1),
        ),
    ] {
        if is_defined {
            let pointer = format_args!("/capabilities/{name}");
            checker.optional(flag, &A2_08, pointer, "true or false");
        }
    }
    if !checker.is_since(V025) {
        return;
    }
    let pointer = "/capabilities/extensions";
    let list = &features.extensions;
    checker.optional(list, &A2_15, pointer, "a list of extensions");
    checker.items(list, &A2_15, pointer, "an extension object");
    for (index, extension) in list.items() {
        let place = format!("{pointer}/{index}");
        let at = |name| Below(&place, name);
        let is_required = !checker.is_since(V1);
        let what = "the extension's URI";
        checker.prose(&extension.uri, is_required, &A2_15, at("uri"), what);
        let pointer = at("description");
        checker.optional(&extension.description, &A2_15, pointer, "a string");
        let pointer = at("required");
        checker.optional(&extension.required, &A2_15, pointer, "true or false");
        checker.optional(&extension.params, &A2_15, at("params"), "an object");
    }
}

/// Reports the extensions that callers must support (A2-15).
pub(super) fn required_extensions(card: &Card, findings: &mut Findings) {
    for (index, extension) in card.features().extensions.items() {
        if extension.required.get() == Some(&true) {
            let uri = extension.uri.text().unwrap_or_default();
            let message = format!("callers must support extension {uri}");
            findings.add(
                A2_15.info(),
                format!("/capabilities/extensions/{index}"),
                message,
            );
        }
    }
}

/// Checks the skills (A2-09, A2-10, A2-11).
pub(super) fn skills(card: &Card, checker: &mut Checker) {
    let Some(items) = checker.required(&card.skills, &A2_09, "/skills", "the skills as a list")
    else {
        return;
    };
    if items.is_empty() {
        let message = "no skills, so a directory has nothing to list; add at least one";
        checker.findings.add(A2_09.warning(), "/skills", message);
    }
    checker.items(&card.skills, &A2_10, "/skills", "a skill object");
    for (index, item) in card.skills.items() {
        skill(item, &format!("/skills/{index}"), checker);
    }
}

fn skill(skill: &Skill, at: &str, checker: &mut Checker) {
    let at = |name| Below(at, name);
    checker.text(&skill.id, &A2_10, at("id"), "the skill's id as a string");
    let what = "the skill's name as a string";
    checker.text(&skill.name, &A2_10, at("name"), what);
    let is_rich = checker.is_since(V02);
    let what = "a sentence on what the skill does";
    let pointer = at("description");
    checker.prose(&skill.description, is_rich, &A2_10, pointer, what);
    let what = "the skill's tags as a list of strings";
    if is_rich {
        checker.required(&skill.tags, &A2_10, at("tags"), what);
    } else if skill.tags.is_absent() {
        let message = format!("missing; give {what}");
        checker.findings.add(A2_10.warning(), at("tags"), message);
    } else {
        checker.optional(&skill.tags, &A2_10, at("tags"), what);
    }
    checker.items(&skill.tags, &A2_10, at("tags"), "a string");
    checker.texts(&skill.examples, &A2_10, at("examples"));
    checker.texts(&skill.input_modes, &A2_11, at("inputModes"));
    checker.texts(&skill.output_modes, &A2_11, at("outputModes"));
}

/// Checks the default media types of input and output (A2-11).
pub(super) fn modes(card: &Card, checker: &mut Checker) {
    let what = "media types as a list of strings";
    for (pointer, modes) in [
        ("/defaultInputModes", &card.default_input_modes),
        ("/defaultOutputModes", &card.default_output_modes),
    ] {
        if checker.is_since(V02) {
            checker.required(modes, &A2_11, pointer, what);
        } else {
            checker.optional(modes, &A2_11, pointer, what);
        }
        checker.items(modes, &A2_11, pointer, "a string");
        if checker.is_since(V1) && modes.get().is_some_and(Vec::is_empty) {
            let message = "empty; name at least one media type, such as text/plain";
            checker.findings.add(A2_11.warning(), pointer, message);
        }
    }
}

/// Checks the optional members (A2-01, A2-12).
pub(super) fn optional(card: &Card, checker: &mut Checker) {
    let what = "an object with organization and url";
    let provider = checker.optional(&card.provider, &A2_12, "/provider", what);
    if let Some(provider) = provider {
        let (pointer, what) = ("/provider/organization", "the organization's name");
        checker.prose(&provider.organization, true, &A2_12, pointer, what);
        let is_required = checker.is_since(V02);
        let what = "the organization's page as an absolute https URL";
        checker.prose(&provider.url, is_required, &A2_12, "/provider/url", what);
    }
    let what = "a URL as a string";
    checker.optional(&card.documentation_url, &A2_01, "/documentationUrl", what);
    if checker.is_since(V025) {
        checker.optional(&card.icon_url, &A2_01, "/iconUrl", what);
    }
    if checker.is_since(V025) && !checker.is_since(V1) {
        let pointer = "/supportsAuthenticatedExtendedCard";
        checker.optional(&card.extended, &A2_01, pointer, "true or false");
    }
}

/// Reports links that are not absolute https URLs (A2-19).
pub(super) fn links(card: &Card, findings: &mut Findings) {
    let provider = card.provider.get().map(|provider| &provider.url);
    let is_data = |url: &&Field<String>| url.raw().is_some_and(|url| url.starts_with("data:"));
    let icon = Some(&card.icon_url).filter(|url| !is_data(url));
    for (pointer, field) in [
        ("/provider/url", provider),
        ("/documentationUrl", Some(&card.documentation_url)),
        ("/iconUrl", icon),
    ] {
        if let Some(url) = field.and_then(Field::raw)
            && !(link::is_absolute(url) && url.starts_with("https:"))
        {
            findings.add(&A2_19, pointer, "give an absolute https URL");
        }
    }
}

/// Reports modes that are not media types (A2-11).
pub(super) fn media_types(card: &Card, findings: &mut Findings) {
    let mut check = |modes: &List<String>, pointer: fmt::Arguments<'_>| {
        for (index, mode) in modes.items() {
            if !mode.contains('/') {
                let message = "not a media type such as text/plain";
                findings.add(A2_11.warning(), format!("{pointer}/{index}"), message);
            }
        }
    };
    check(
        &card.default_input_modes,
        format_args!("/defaultInputModes"),
    );
    check(
        &card.default_output_modes,
        format_args!("/defaultOutputModes"),
    );
    for (index, skill) in card.skills.items() {
        check(
            &skill.input_modes,
            format_args!("/skills/{index}/inputModes"),
        );
        check(
            &skill.output_modes,
            format_args!("/skills/{index}/outputModes"),
        );
    }
}

/// Reports skills that share an id (A2-10).
pub(super) fn repeated_ids(card: &Card, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (index, skill) in card.skills.items() {
        if let Some(id) = skill.id.raw()
            && !seen.insert(id)
        {
            let message = format!("another skill has the id `{}`", text::clean(id, 80));
            findings.add(A2_10.warning(), format!("/skills/{index}/id"), message);
        }
    }
}
