//! Detection of the format of a body, by ordered lists of tests for all formats.
//!
//! The content decides. Formats share their paths, so the path only breaks ties (DI-20).

use super::wrapped_agents::WrappedAgents;
use super::{agents_txt, auth_md, skill_file};
use crate::body::{Body, Content};
use crate::entry::Entry;
use crate::format::Format as _;
use crate::{Document, FormatId, openapi};
use serde_json::Value;

mod json;
#[cfg(test)]
mod tests;

/// Returns the format of a document, given its decoded body.
pub(super) fn body(document: &Document, body: &Body<'_>, known: &[Entry]) -> FormatId {
    match &body.content {
        Content::Json(value) => json::format(value, document.path(), known),
        Content::Text if openapi::is_announced(&body.text) => openapi::ID,
        Content::Text if auth_md::is_one(&body.text, document.path()) => auth_md::AuthMd::ID,
        Content::Text if skill_file::is_one(&body.text, document.path()) => {
            skill_file::SkillFile::ID
        }
        Content::Text => agents_txt::format(&body.text, document.path()),
        Content::Html | Content::Nothing if agents_txt::is_text_path(document.path()) => {
            agents_txt::Dialect::OTHER.id
        }
        Content::Html | Content::Nothing => FormatId::UNRECOGNISED,
    }
}

/// Returns the format of a JSON value at a path.
pub(super) fn value(value: &Value, path: &str, known: &[Entry]) -> FormatId {
    json::format(value, path, known)
}

/// Returns the format of one item of a list, by its content alone; an item that lists several in
/// turn is not recognised.
pub(super) fn item(value: &Value, known: &[Entry]) -> FormatId {
    match json::format(value, "", known) {
        list if WrappedAgents::takes(list) => FormatId::UNRECOGNISED,
        format => format,
    }
}
