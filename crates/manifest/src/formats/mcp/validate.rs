//! Validation against the MC rules.

use super::card::{Card, Generation, Remote};
use super::rules::{MC_02, MC_03, MC_05, MC_06, MC_07, MC_08};
use super::shape::{CURRENT, OLDER, REGISTRY};
use crate::Severity::{self, Error, Warning};
use crate::finding::Findings;
use crate::format::Input;
use crate::link;

/// Maximum length of a description in characters.
const MAX_DESCRIPTION: usize = 100;

pub(super) fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    match card.generation() {
        Generation::Current => {
            CURRENT.check(input.value, "", findings);
            identity(card, Error, findings);
        }
        Generation::Registry => {
            REGISTRY.check(input.value, "", findings);
            // A document that names no schema is older than September 2025; the registry required
            // less then.
            let worst = if card.schema.is_absent() {
                Warning
            } else {
                Error
            };
            identity(card, worst, findings);
            let detail = card.version_detail.get();
            if card.version.is_absent() && detail.is_none_or(|it| it.version.is_absent()) {
                let message = "`version` is missing; give the server's version, such as 1.0.0";
                findings.add(&MC_02, "/version", message);
            }
        }
        Generation::Flat | Generation::Nested => return older(card, input, findings),
    }
    for (index, remote) in card.remotes.items() {
        self::remote(remote, &format!("/remotes/{index}"), findings);
    }
}

/// Checks the forms of name and description, with `worst` as the highest severity.
fn identity(card: &Card, worst: Severity, findings: &mut Findings) {
    if card.name.raw().is_some_and(|name| !is_name(name)) {
        let message = "a name has a namespace and a name, with a slash between; write namespace/name with one slash, 3 to 200 characters: letters, digits, \
            dots and hyphens, and underscores after the slash";
        findings.add(MC_03.at_most(worst), "/name", message);
    }
    let length = card
        .description
        .raw()
        .map_or(0, |text| text.chars().count());
    if length > MAX_DESCRIPTION {
        let message =
            format!("{length} characters, of which {MAX_DESCRIPTION} are allowed; shorten it");
        findings.add(MC_05.at_most(worst), "/description", message);
    }
}

/// Checks the transport under both of its names, and the variables of the URL.
fn remote(remote: &Remote, at: &str, findings: &mut Findings) {
    if remote.kind.is_absent() && remote.transport_type.is_absent() {
        let message = "`type` is missing; give streamable-http or sse";
        findings.add(&MC_06, format!("{at}/type"), message);
    }
    for variable in remote.url.raw().into_iter().flat_map(link::path_params) {
        if remote.variables.members().all(|(name, _)| name != variable) {
            let message = format!("{{{variable}}} is not among the remote's variables; declare it");
            findings.add(&MC_07, format!("{at}/url"), message);
        }
    }
}

/// Reports an older generation with one warning that states the differences.
fn older(card: &Card, input: &Input<'_>, findings: &mut Findings) {
    let pointer = card.info().map_or("", |(pointer, _)| pointer);
    let message = "an older kind of server card; publish one with $schema, name, version, \
        description and remotes, and name it in /.well-known/ai-catalog.json";
    findings.add(&MC_08, pointer, message);
    let (name, pointer) = match card.info() {
        Some((pointer, info)) => (&info.name, format!("{pointer}/name")),
        None => (&card.name, "/name".to_owned()),
    };
    if name.raw().is_none() {
        findings.add(
            &MC_08,
            pointer,
            "the server has no name; give it as a string",
        );
    }
    OLDER.check(input.value, "", findings);
}

fn is_name(name: &str) -> bool {
    let is_common = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    let Some((namespace, rest)) = name.split_once('/') else {
        return false;
    };
    name.len() <= 200
        && !namespace.is_empty()
        && !rest.is_empty()
        && namespace.bytes().all(is_common)
        && rest.bytes().all(|byte| is_common(byte) || byte == b'_')
}
