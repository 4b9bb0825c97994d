//! Terms by which names that look the same are found.
//!
//! The index has a term for each name: its shape, the name in lower case, and the registrable
//! domain of the agent. So one range of the dictionary has every spelling of a shape with every
//! owner, however many agents have it.

use super::document::names;
use manifest::agent::Agent;
use manifest::{Domain, caution};

/// Separator of the parts of a term, which no name has.
pub(crate) const SEPARATOR: char = '\u{1}';
/// Maximum number of names of an agent that are compared.
const MAX_NAMES: usize = 10;
/// Maximum length of a term in bytes; longer names are not compared.
const MAX_TERM: usize = 1_000;

/// Returns the terms of an agent's names.
pub(super) fn terms(agent: &Agent, domain: &Domain) -> impl Iterator<Item = String> {
    let owner = domain.registrable();
    let terms = shapes(agent)
        .map(move |(shape, name)| format!("{shape}{SEPARATOR}{name}{SEPARATOR}{owner}"));
    terms.filter(|term| term.len() <= MAX_TERM)
}

/// Returns the shape of each name of an agent, and the name by which spellings are told apart: case
/// and white space are no difference.
pub(crate) fn shapes(agent: &Agent) -> impl Iterator<Item = (String, String)> {
    let shapes = names(agent).take(MAX_NAMES).map(|name| {
        let words: Vec<&str> = name.split_whitespace().collect();
        (caution::shape(name), words.join(" ").to_lowercase())
    });
    shapes.filter(|(shape, _)| !shape.is_empty())
}
