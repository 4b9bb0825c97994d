//! Queries with mistyped, excluded, foreign and malformed words.

use super::*;
use crate::{Correction, embedding};
use proptest::prelude::*;
use std::sync::LazyLock;

static TOWN: LazyLock<Town> = LazyLock::new(Town::new);

fn corrected(results: &Results) -> Vec<(&str, &str)> {
    let corrections = results.corrected.iter();
    corrections
        .map(|Correction { from, to }| (from.as_str(), to.as_str()))
        .collect()
}

#[test]
fn a_mistyped_word_is_corrected_and_the_correction_listed() {
    type Pairs = &'static [(&'static str, &'static str)];
    let table: &[(&str, &str, Pairs)] = &[
        (
            "invoise for a client",
            "papierkram.example/papierkram",
            &[("invoise", "invoice")],
        ),
        (
            "bok a tabel at a resturant",
            "mesa.example/mesa-reservations",
            &[("tabel", "table"), ("resturant", "restaurant")],
        ),
        (
            "wether forcasts",
            "weather.example/weather-desk",
            &[("wether", "weather"), ("forcasts", "forecasts")],
        ),
        (
            "Rechnungn für Betreibe",
            "papierkram.example/papierkram",
            &[("rechnungn", "rechnungen"), ("betreibe", "betriebe")],
        ),
    ];
    for (text, first, expected) in table {
        let results = TOWN.search(text);
        assert_eq!(ids(&results).first(), Some(first), "{text}: {results:#?}");
        assert_eq!(corrected(&results), *expected, "{text}");
    }
}

#[test]
fn phrases_and_identifiers_can_be_excluded() {
    for (text, expected) in [
        ("table -\"a street\"", "mesa.example/mesa-reservations"),
        ("table -book_table", "guide.example/lisbon-guide"),
        ("table -tell_story", "mesa.example/mesa-reservations"),
        ("table -stor*", "mesa.example/mesa-reservations"),
        ("table -tell_st*", "mesa.example/mesa-reservations"),
        ("table -reservations*", "guide.example/lisbon-guide"),
        (
            "table -\"along the Tejo\" -tag:shoes",
            "guide.example/lisbon-guide",
        ),
    ] {
        let results = TOWN.search(text);
        assert_eq!(ids(&results)[0], expected, "{text}");
        let tables = [
            "mesa.example/mesa-reservations",
            "guide.example/lisbon-guide",
        ];
        let found = ids(&results)
            .iter()
            .filter(|it| tables.contains(it))
            .count();
        assert_eq!(found, 1, "{text}");
    }
    let without = TOWN.search("-\"Tells where a parcel is\"").total;
    assert_eq!(without, TOWN.search("").total - 4);
}

#[test]
fn a_word_that_agents_have_is_not_corrected() {
    for text in [
        "weather",
        "reservation",
        "Rechnungen",
        "東京",
        "stories of lisbon",
    ] {
        let results = TOWN.search(text);
        assert!(results.total > 0, "{text}");
        assert_eq!(corrected(&results), [], "{text}");
    }
}

#[test]
fn a_common_word_that_no_agent_has_is_not_corrected() {
    for text in [
        "horses", "leather", "tables", "sorry", "sports", "parks", "shoes",
    ] {
        assert_eq!(corrected(&TOWN.search(text)), [], "{text}");
    }
    assert_eq!(corrected(&TOWN.search("stroms")), [("stroms", "storms")]);
    assert_eq!(corrected(&TOWN.search("sports stories")), []);
}

#[test]
fn short_words_first_letters_numbers_and_quotes_are_not_corrected() {
    for text in ["bopk", "leather", "w3ather", "\"wether\"", "xinvoice"] {
        let results = TOWN.search(text);
        assert_eq!(corrected(&results), [], "{text}");
    }
}

#[test]
fn a_word_with_another_letter_is_not_corrected() {
    let archive = agent("Defter", "Keeps donne and arsiv for offices.", vec![]);
    let slick = agent("Slick", "Sells floors.", vec![]);
    let agents = [
        stored("defter.example", "defter", 1, archive),
        stored("slick.example", "slick", 1, slick),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for text in ["donde", "arxiv", "where is arxiv", "slack"] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(corrected(&results), [], "{text}");
    }
    for (text, correction) in [
        ("asriv", "arsiv"),
        ("arsivv", "arsiv"),
        ("offixes", "offices"),
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(corrected(&results), [(text, correction)]);
    }
}

#[test]
fn a_mistyped_name_is_an_exact_match() {
    for (text, first, correction) in [
        ("Lisbn guide", "guide.example/lisbon-guide", "lisbon guide"),
        ("getForcast", "weather.example/weather-desk", "getforecast"),
    ] {
        let results = TOWN.search(text);
        assert_eq!(ids(&results).first(), Some(&first), "{text}: {results:#?}");
        assert_eq!(results.hits[0].score, 100, "{text}");
        assert_eq!(corrected(&results)[0].1, correction, "{text}");
    }
}

#[test]
fn a_name_of_four_letters_may_lack_one_but_is_not_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let agents = [stored("v.example", "v", 1, agent("Visla", "", vec![]))];
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request("Vsla")).unwrap();
    assert_eq!(corrected(&results), [("vsla", "visla")]);
    for other in ["Vela", "Vis", "Vist"] {
        let results = searcher.search(&request(other)).unwrap();
        assert_eq!(corrected(&results), [], "{other}");
    }
}

#[test]
fn an_address_that_no_agent_has_finds_nothing_and_is_not_corrected() {
    for text in [
        "weathr.example",
        "lisbon-guide.com",
        "https://lisbon.example/guide",
        "https://192.0.2.1/lisbon",
        "urn:air:lisbon.example:guide",
        "lisbon.example/guide",
        "github.io",
        "pages.dev/lisbon",
        "CO.UK.",
    ] {
        let answer = TOWN.answer(text);
        let results = &answer.results;
        assert_eq!((results.total, results.fit), (0, Fit::None), "{text}");
        assert_eq!(corrected(results), [], "{text}");
        assert_eq!(answer.nearest_capabilities, Vec::<String>::new(), "{text}");
    }
    for text in ["guide.js lisbon", "lisbon/guide"] {
        assert_ne!(TOWN.search(text).total, 0, "{text}");
    }
}

#[test]
fn a_name_is_not_corrected_to_one_with_another_number() {
    let results = TOWN.search("Parcel bot 7");
    assert_eq!(corrected(&results), []);
}

#[test]
fn a_query_whose_words_an_agent_has_is_no_mistyped_name() {
    let other = agent("Mesa reservation", "Lists the mesas of Utah.", vec![]);
    let mut agents = town();
    agents.push(stored("utah.example", "mesas", 700, other));
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request("mesas reservation")).unwrap();
    assert_eq!(corrected(&results), []);
}

#[test]
fn signed_agents_can_be_filtered() {
    let mut agents = town();
    agents[0].listing.agent.signatures = vec![manifest::agent::Signature::default()];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let signed = searcher.search(&request("is:signed")).unwrap();
    assert_eq!(ids(&signed), ["mesa.example/mesa-reservations"]);
    let unsigned = searcher.search(&request("-is:signed")).unwrap();
    assert_eq!(unsigned.total, 8);
}

#[test]
fn a_long_text_and_two_words_find_the_same_agent() {
    let story = "My parents are coming to visit me in Lisbon next Friday for their anniversary and I \
        would really love to surprise them with dinner, so could you please book a table for four \
        at a good restaurant that is not too far away from where we are staying in the old town";
    for text in [story, "restaurant table"] {
        let results = TOWN.search(text);
        assert_eq!(
            ids(&results).first(),
            Some(&"mesa.example/mesa-reservations"),
            "{text}"
        );
    }
}

#[test]
fn odd_queries_are_answered() {
    let long = "weathr forcast ".repeat(7_000);
    let path = "a/".repeat(50_000);
    let run = "x".repeat(100_000);
    let pieces = "东京".repeat(20_000);
    let quotes = "\"".repeat(1_000);
    for text in [
        "",
        " ",
        "OR",
        "AND OR NOT",
        "-",
        "- - -",
        "*",
        "**",
        "\"",
        "\"\"",
        "()",
        "site:",
        "is:",
        "a:b:c",
        "\u{0}\u{1}\u{7}",
        "\u{202e}weather",
        "\u{feff}",
        "🦀🦀🦀",
        "ǅ",
        "ΑΒΓ",
        "אבג",
        "ابج",
        "अआइ",
        "กขค",
        "ཀཁག",
        "ꦲꦤ",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        &long,
        &path,
        &run,
        &pieces,
        &quotes,
    ] {
        let results = TOWN.search(text);
        assert!(results.terms.len() <= 64, "{} terms", results.terms.len());
        assert!(results.corrected.len() <= 8);
        TOWN.searcher.suggest(text, 10).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_query_has_an_answer(
        text in r#"([a-zéßи東ก"“ :*()\-./_']|OR|is:|site:|weathe?r?|restau?rant|x{97}|\PC){0,40}"#
    ) {
        let results = TOWN.search(&text);
        prop_assert!(results.corrected.iter().all(|it| it.from != it.to));
        prop_assert_eq!(results.total == 0, results.fit == Fit::None);
        prop_assert_eq!(results.terms.is_empty(), !results.query.is_need());
        let suggestions = TOWN.searcher.suggest(&text, 5).unwrap();
        prop_assert!(suggestions.len() <= 5);
    }
}
