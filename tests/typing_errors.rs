//! Names of the demo with one wrong letter, asked of an index of its agents.

use crate::{demo_sites, support};
use manifest::Listing;
use search::{Hit, Searcher};
use std::collections::BTreeMap;

/// Share of the misspelled names that find their agent first.
const FLOOR: f64 = 0.98;

/// Returns the names and capability ids of the agents in lower case, with the agents that have each.
fn names(listings: &[Listing]) -> BTreeMap<String, Vec<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for listing in listings {
        let agent = &listing.agent;
        let ids = agent.capabilities.iter().map(|it| &it.id);
        for name in std::iter::once(&agent.name).chain(ids) {
            let agents = names.entry(name.to_ascii_lowercase()).or_default();
            agents.push(listing.id.to_string());
        }
    }
    // A short name has other names near it, a long one is not corrected, and one with a dot may be
    // an address, which is another site's if a letter is.
    let is_plain = |name: &str| name.is_ascii() && !name.contains(['.', ':']);
    names.retain(|name, _| is_plain(name) && (6..=60).contains(&name.len()));
    names
}

/// Returns a name without a letter, with two letters swapped, and with a replaced letter, in two
/// places of each.
fn misspelled(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let is_inside = |at: &usize| letters[*at - 1..=*at].iter().all(char::is_ascii_alphabetic);
    let places: Vec<usize> = (2..letters.len()).filter(is_inside).collect();
    let mut texts = Vec::new();
    for at in [places.len() / 3, places.len() * 2 / 3] {
        let Some(&at) = places.get(at) else {
            continue;
        };
        let [mut deleted, mut swapped, mut replaced] = [(); 3].map(|()| letters.clone());
        deleted.remove(at);
        swapped.swap(at - 1, at);
        replaced[at] = if letters[at] == 'q' { 'x' } else { 'q' };
        texts.extend([deleted, swapped, replaced].map(String::from_iter));
    }
    texts.retain(|text| text != name);
    texts
}

/// Reports whether a word of a text that a name lacks is a known word: then it is no typing error.
fn has_another_word(text: &str, name: &str) -> bool {
    let words = |text| str::split(text, |it: char| !it.is_ascii_alphanumeric());
    words(text)
        .filter(|word| words(name).all(|own| own != *word))
        .any(search::dictionary::is_known)
}

/// Returns the first hit.
fn first(searcher: &Searcher, text: &str) -> Option<Hit> {
    let results = searcher.search(&support::search(text)).unwrap();
    results.hits.into_iter().next()
}

#[test]
fn a_misspelled_name_finds_its_agent() {
    let (_folder, searcher) = demo_sites::index();
    let (mut asked, mut missed) = (0.0, Vec::new());
    for (name, agents) in names(&demo_sites::all_listings()) {
        for text in misspelled(&name) {
            if has_another_word(&text, &name) {
                continue;
            }
            asked += 1.0;
            let found = first(&searcher, &text).map(|hit| hit.id.to_string());
            if !found.is_some_and(|it| agents.contains(&it)) {
                missed.push(text);
            }
        }
    }
    let share = 1.0 - f64::from(u32::try_from(missed.len()).unwrap()) / asked;
    assert!(asked > 500.0, "only {asked} names");
    assert!(share >= FLOOR, "{share} of {asked}; missed: {missed:#?}");
}

#[test]
fn a_slip_that_makes_another_word_finds_the_agent_of_the_name() {
    let (_folder, searcher) = demo_sites::index();
    let (mut asked, mut missed) = (0.0, Vec::new());
    for (name, agents) in names(&demo_sites::all_listings()) {
        let is_replaced = |text: &str| text.len() == name.len() && text.contains('q');
        let slips = misspelled(&name).into_iter().filter(|text| {
            name.contains([' ', '_', '-']) && !is_replaced(text) && has_another_word(text, &name)
        });
        for text in slips {
            asked += 1.0;
            let found = first(&searcher, &text).map(|hit| hit.id.to_string());
            if !found.is_some_and(|it| agents.contains(&it)) {
                missed.push(text);
            }
        }
    }
    let share = 1.0 - f64::from(u32::try_from(missed.len()).unwrap()) / asked;
    assert!(asked > 40.0, "only {asked} names");
    assert!(share >= FLOOR, "{share} of {asked}; missed: {missed:#?}");
}

#[test]
fn a_need_that_differs_from_a_name_by_another_word_is_not_that_name() {
    let (_folder, searcher) = demo_sites::index();
    for text in [
        "book cable",
        "book stable",
        "book_cable",
        "change clock",
        "choose a role",
        "fire claim",
    ] {
        let score = first(&searcher, text).map_or(0, |hit| hit.score);
        assert!(score < 60, "{text}: {score}");
    }
    let score = first(&searcher, "book_tabel").map(|hit| hit.score);
    assert_eq!(score, Some(100));
}
