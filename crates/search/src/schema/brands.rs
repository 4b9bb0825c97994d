//! Names of an agent that are recognised within a longer query, such as `winmo` in `winmo price`.

use super::MAX_VALUE;
use super::document::own_names;
use crate::analyzer;
use crate::dictionary;
use manifest::Domain;
use manifest::agent::Agent;
use std::collections::BTreeSet;

/// Maximum number of words of such a name.
const MAX_WORDS: usize = 4;
/// Maximum number of words of a query among which names are looked for.
const MAX_QUERY: usize = 32;

/// Text within a query that could be a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Its words, with a space between them.
    pub(crate) text: String,
    /// Those that no dictionary has, at least one.
    pub(crate) rare: Vec<String>,
}

/// Returns the names of an agent, and that of its domain without public suffix, each as one term. A
/// name of dictionary words only is left out, because a query with them may mean something else.
pub(super) fn terms(agent: &Agent, domain: &Domain) -> BTreeSet<String> {
    let domain_name = domain.to_unicode();
    let registrable = domain.registrable().split('.').count();
    let labels: Vec<&str> = domain_name.split('.').collect();
    let label = labels[labels.len().saturating_sub(registrable)];
    let names = own_names(agent, domain).map(String::as_str).chain([label]);
    let names = names.filter_map(|name| candidate(&words(name)));
    let terms = names.map(|name| name.text);
    terms.filter(|term| term.len() <= MAX_VALUE).collect()
}

/// Returns the texts within a query that could be such a name.
pub(crate) fn candidates(query: &str) -> BTreeSet<Candidate> {
    let mut words = words(query);
    words.truncate(MAX_QUERY);
    let runs = (1..=MAX_WORDS).flat_map(|length| words.windows(length));
    runs.filter_map(candidate).collect()
}

fn candidate(words: &[String]) -> Option<Candidate> {
    let rare: Vec<_> = words.iter().filter(|word| is_rare(word)).cloned().collect();
    (words.len() <= MAX_WORDS && !rare.is_empty()).then(|| Candidate {
        text: words.join(" "),
        rare,
    })
}

/// Returns the words of a name, folded. Capitals within a word do not part it, as they do elsewhere:
/// `WinMo` is `winmo`.
fn words(text: &str) -> Vec<String> {
    let folded = analyzer::fold(text);
    let words = folded.split(|it: char| !it.is_alphanumeric());
    words
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Reports whether no dictionary has a word: neither the English one nor that of other languages.
fn is_rare(word: &str) -> bool {
    let is_long = word.chars().count() > 2;
    is_long && !word.bytes().any(|it| it.is_ascii_digit()) && !dictionary::is_known(word)
}
