//! Names of an agent that are recognised within a longer query, such as `winmo` in `winmo price`.

use super::MAX_VALUE;
use super::document::names;
use crate::analyzer;
use crate::embedding;
use manifest::Domain;
use manifest::agent::Agent;
use std::collections::BTreeSet;

/// Maximum number of names of an agent.
const MAX_NAMES: usize = 10;
/// Maximum number of words of such a name.
const MAX_WORDS: usize = 4;
/// Maximum number of words of a query among which names are looked for.
const MAX_QUERY: usize = 32;

/// Returns the names of an agent, and that of its domain without public suffix, as words, each as one
/// term. One whose words are all in the dictionary could be meant otherwise, and is none.
pub(super) fn terms(agent: &Agent, domain: &Domain) -> BTreeSet<String> {
    let label = domain.registrable().split('.').next().unwrap_or_default();
    let names = names(agent).take(MAX_NAMES).map(String::as_str);
    let names = names.chain([label]).map(words);
    let names = names.filter(|words| words.len() <= MAX_WORDS && words.iter().any(is_rare));
    let terms = names.map(|words| words.join(" "));
    terms.filter(|term| term.len() <= MAX_VALUE).collect()
}

/// Returns the texts within a query that could be such a name.
pub(crate) fn candidates(query: &str) -> BTreeSet<String> {
    let mut words = words(query);
    words.truncate(MAX_QUERY);
    let runs = (1..=MAX_WORDS).flat_map(|length| words.windows(length));
    runs.filter(|run| run.iter().any(is_rare))
        .map(|run| run.join(" "))
        .collect()
}

fn words(text: &str) -> Vec<String> {
    let words = analyzer::words(text).into_iter();
    words.map(|word| analyzer::fold(&word.text)).collect()
}

/// Reports whether no dictionary has a word: neither the English one nor that of other languages.
#[expect(clippy::ptr_arg, reason = "it is passed to iterators over words")]
fn is_rare(word: &String) -> bool {
    let is_long = word.chars().count() > 2;
    is_long && !word.bytes().any(|it| it.is_ascii_digit()) && !embedding::is_known(word)
}
