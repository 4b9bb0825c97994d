//! Validation of a card's extensions, links, modes and skills beyond their shapes.

use super::card::Card;
use crate::field::{Field, List};
use crate::finding::Findings;
use crate::formats::a2a::rules::{A2_10, A2_11, A2_15, A2_19};
use crate::{Finding, link, text};
use std::collections::HashSet;
use std::fmt;

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
            findings.add(&A2_19, pointer, "not an absolute https URL; give one");
        }
    }
}

/// Returns the media type that is meant by a word.
fn media_type(mode: &str) -> Option<&'static str> {
    match mode.trim().to_ascii_lowercase().as_str() {
        "text" | "plain" | "txt" => Some("text/plain"),
        "json" | "data" | "structured" => Some("application/json"),
        "html" => Some("text/html"),
        "markdown" | "md" => Some("text/markdown"),
        "pdf" => Some("application/pdf"),
        _ => None,
    }
}

/// Reports modes that are not media types (A2-11).
pub(super) fn media_types(card: &Card, findings: &mut Findings) {
    let mut check = |modes: &List<String>, pointer: fmt::Arguments<'_>| {
        for (index, mode) in modes.items() {
            if !mode.contains('/') {
                let message = "not a media type; give one, such as text/plain or application/json";
                let mut finding =
                    Finding::new(A2_11.warning(), format!("{pointer}/{index}"), message);
                finding.correction = media_type(mode).map(|it| format!("\"{it}\""));
                findings.push(finding);
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
