//! Example needs for the home page: sentences that manifests give, and that a search here answers.

use super::Choice;
use crate::error::AppError;
use crate::query::SearchParams;
use crate::state::AppState;
use search::{Fit, Request, query};
use std::cmp::Reverse;
use std::ops::RangeInclusive;
use store::StoredAgent;

/// Number of needs shown.
const SHOWN: usize = 5;
/// Most of them with letters beyond ASCII: the page is in English, and these are most likely not.
const OTHER: usize = 2;
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

/// Returns needs of the agents in `sample`, one of each, that a search here meets well. Long ones
/// come first: they say most.
pub(super) async fn met(state: &AppState, sample: &[StoredAgent]) -> Result<Vec<Choice>, AppError> {
    let length = |need: &&String| Reverse(need.split_whitespace().count());
    let needs = sample.iter().filter_map(|agent| {
        let capabilities = agent.listing.agent.capabilities.iter();
        let needs = capabilities.flat_map(|it| it.examples.iter().take(EXAMPLES));
        needs.filter(|it| reads_well(it)).min_by_key(length)
    });
    let mut needs: Vec<&String> = needs.collect();
    needs.sort_by_key(length);
    let mut choices: Vec<Choice> = Vec::new();
    let mut others = 0;
    let mut trials = 0;
    for need in needs {
        let is_other = is_other(need);
        if is_other && others == OTHER {
            continue;
        }
        if choices.len() == SHOWN || trials == TRIALS {
            break;
        }
        trials += 1;
        let answer = state.find(Request::new(query::parse(need), 1)).await;
        if answer.is_ok_and(|it| it.results.fit >= Fit::Good) {
            others += usize::from(is_other);
            choices.push(Choice {
                words: need.clone(),
                href: SearchParams::of(need).page(),
            });
        }
    }
    Ok(choices)
}

/// Reports whether a text is most likely not in English.
fn is_other(text: &str) -> bool {
    text.chars().any(|it| it.is_alphabetic() && !it.is_ascii())
}

/// Reports whether a text is a whole sentence that a visitor could type as it is.
fn reads_well(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = text
        .chars()
        .next()
        .is_some_and(|it| !it.is_lowercase() && it.is_alphabetic());
    let is_markup = |it: char| "{}<>/\\_=:;\"`|*#@".contains(it);
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
        && (is_other(text) || words.first().is_some_and(is_beginning))
        && WORDS.contains(&words.len())
        && text.chars().count() <= LENGTH
        && !text.contains(is_markup)
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
            "Find houses near Valencia under €350,000 with nature and views.",
            "Wo ist in Ravensburg eine freie Ladesäule mit 150 kW?",
            "Write a blog post about context compaction in LLMs",
        ] {
            assert!(reads_well(good), "{good}");
        }
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
        ] {
            assert!(!reads_well(bad), "{bad}");
        }
        assert!(!reads_well(&"Long ".repeat(20)));
    }
}
