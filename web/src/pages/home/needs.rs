//! Example needs for the home page: sentences that manifests give, and that a search here answers.

use super::Choice;
use crate::error::AppError;
use crate::query::SearchParams;
use crate::state::AppState;
use search::{AgentHit, Fit, Request, language_of, query};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Number of needs shown.
const SHOWN: usize = 5;
/// Language of the page, and of the needs unless more than half of the agents use another one.
const ENGLISH: &str = "en";
/// Most searches that look for needs that can be met.
const TRIALS: usize = 16;
/// Most examples of a capability that are considered.
const EXAMPLES: usize = 10;
/// Number of words of a need, and its most characters.
const WORDS: RangeInclusive<usize> = 5..=12;
const LENGTH: usize = 70;
/// Most words in capitals, and the letters of the longest: tickers say nothing to most visitors.
const CAPITALS: usize = 1;
const LETTERS: usize = 4;

/// Words that point at the speaker, the agent or a thing at hand, of which a visitor knows nothing.
const POINTING: [&str; 19] = [
    "this", "that", "these", "those", "it", "its", "my", "our", "we", "us", "i'm", "i'd", "let's",
    "you", "your", "yours", "here", "i", "me",
];

/// Words with which a question or a request in English begins.
const BEGINNINGS: &str = include_str!("needs/beginnings.txt");

/// Returns needs of the agents in `sample`, one of each category, that a search here meets well. Long ones
/// come first: they say most.
pub(super) async fn met(state: &AppState, sample: &[AgentHit]) -> Result<Vec<Choice>, AppError> {
    let length = |need: &&String| Reverse(need.split_whitespace().count());
    let languages = sample.iter().map(|it| language_of(&it.agent.listing.agent));
    let languages: Vec<&str> = languages.map(|it| it.unwrap_or(ENGLISH)).collect();
    let language = most_used(&languages);
    let speakers = sample.iter().zip(&languages);
    // English needs are told by their first words, and agents of any language give them.
    let speakers = speakers.filter(|(_, spoken)| language == ENGLISH || **spoken == language);
    let needs = speakers.filter_map(|(found, _)| {
        let category = found.hit.category?;
        let capabilities = found.agent.listing.agent.capabilities.iter();
        let needs = capabilities.flat_map(|it| it.examples.iter().take(EXAMPLES));
        let needs = needs.filter(|it| reads_well(it, language));
        Some((needs.min_by_key(length)?, category.id))
    });
    let mut needs: Vec<(&String, &str)> = needs.collect();
    needs.sort_by_key(|(need, _)| length(need));
    let mut choices: Vec<Choice> = Vec::new();
    let mut met = BTreeSet::new();
    let mut trials = 0;
    for (need, category) in needs {
        if choices.len() == SHOWN || trials == TRIALS {
            break;
        }
        if met.contains(category) {
            continue;
        }
        trials += 1;
        let answer = state.find(Request::new(query::parse(need), 1)).await;
        if answer.is_ok_and(|it| it.results.fit >= Fit::Good) {
            met.insert(category);
            choices.push(Choice {
                words: need.clone(),
                href: SearchParams::of(need).page(),
            });
        }
    }
    Ok(choices)
}

/// Returns the language of more than half of the agents, or English.
fn most_used<'a>(languages: &[&'a str]) -> &'a str {
    let count = |wanted: &str| languages.iter().filter(|it| **it == wanted).count();
    let mut all = languages.iter().copied();
    all.find(|it| count(it) * 2 > languages.len())
        .unwrap_or(ENGLISH)
}

/// Reports whether a text in this language is a whole sentence that a visitor could type as it is.
fn reads_well(text: &str, language: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = text
        .chars()
        .next()
        .is_some_and(|it| !it.is_lowercase() && it.is_alphabetic());
    let is_markup = |it: char| "{}<>/\\_=;\"`|*#@".contains(it);
    let is_time = |it: &str| {
        let it = it.trim_end_matches(['.', ',', '?']);
        it.chars().all(|it| it.is_ascii_digit() || it == ':')
    };
    let is_ticker = |word: &&str| {
        let mut characters = word.chars();
        characters.next() == Some('$') && characters.next().is_some_and(char::is_alphabetic)
    };
    let is_capital = |word: &&&str| {
        word.chars().filter(|it| it.is_uppercase()).count() > 1
            && !word.chars().any(char::is_lowercase)
    };
    let is_pointing = |word: &&str| {
        let word = word.trim_matches(|it: char| !it.is_alphanumeric());
        POINTING.iter().any(|it| it.eq_ignore_ascii_case(word))
    };
    let is_beginning =
        |word: &&str| manifest::text::listed(BEGINNINGS).any(|it| it.eq_ignore_ascii_case(word));
    begins
        && (language != ENGLISH || words.first().is_some_and(is_beginning))
        && WORDS.contains(&words.len())
        && text.chars().count() <= LENGTH
        && !text.contains(is_markup)
        && words.iter().all(|it| is_time(it) || !it.contains(':'))
        && !words.iter().any(is_ticker)
        && !words.iter().any(is_pointing)
        && words.iter().filter(is_capital).count() <= CAPITALS
        && !words.iter().any(|it| is_capital(&it) && it.len() > LETTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_sentence_that_a_visitor_could_type() {
        for good in [
            "Book a table for four in Lisbon",
            "Book a table for four in Lisbon tomorrow at 20:00",
            "A double room in Lisbon from Friday to Sunday",
            "Find houses near Valencia under €350,000 with nature and views.",
            "Write a blog post about context compaction in LLMs",
        ] {
            assert!(reads_well(good, ENGLISH), "{good}");
        }
        let german = "Wo ist in Ravensburg eine freie Ladesäule mit 150 kW?";
        assert!(reads_well(german, "de") && !reads_well(german, ENGLISH));
        for bad in [
            "forecast",
            "Safest cars under $30k",
            "Sustained fuel for a long journey",
            "How much $MEGACHAD can I get for 0.1 ETH?",
            "How correlated is SOL with BTC?",
            "Get a swap quote for buying MEGACHAD",
            "I want a coffee and a chat",
            "find a table for four in Lisbon",
            "Review this change for security issues",
            "Can you add my agent to your directory?",
            "GET /search?q={words} and show the result",
            "Swap 1 <token> for another one",
            "List all items of type:book here",
        ] {
            assert!(!reads_well(bad, ENGLISH), "{bad}");
        }
        assert!(!reads_well(&"Long ".repeat(20), ENGLISH));
    }

    #[test]
    fn needs_are_in_the_language_of_most_agents() {
        assert_eq!(most_used(&[]), "en");
        assert_eq!(most_used(&["de", "fr"]), "en");
        assert_eq!(most_used(&["en", "de", "de"]), "de");
    }
}
