//! Tables of text and terms, and what holds for every text.

use super::*;
use proptest::prelude::*;

fn texts(text: &str) -> Vec<String> {
    terms(text).into_iter().map(|term| term.text).collect()
}

#[test]
fn text_becomes_terms() {
    let table: &[(&str, &[&str])] = &[
        ("", &[]),
        (" \t\n.,;", &[]),
        ("Books a TABLE", &["book", "a", "tabl"]),
        ("getWeather", &["getweath", "get", "weather"]),
        (
            "HTTPServerError",
            &["httpservererror", "http", "server", "error"],
        ),
        ("cart.add", &["cartadd", "cart", "add"]),
        ("search_products", &["searchproduct", "search", "product"]),
        ("state-of-art", &["stateofart", "state", "of", "art"]),
        ("the end. And", &["the", "end", "and"]),
        ("São Paulo café", &["sao", "paulo", "cafe"]),
        ("cafe\u{301}", &["cafe"]),
        ("hotel's don\u{2019}t", &["hotel", "dont"]),
        ("HOTEL\u{2019}S guests'", &["hotel", "guest"]),
        ("I'm he'll we\u{2019}ve it's", &["i", "he", "we", "it"]),
        ("O'Reilly's", &["oreilli", "o", "reilli"]),
        ("l'hôtel", &["lhotel", "l", "hotel"]),
        (
            "\u{201C}quoted\u{201D} \u{2018}words\u{2019}",
            &["quot", "word"],
        ),
        (
            "XMLHttpRequest",
            &["xmlhttprequest", "xml", "http", "request"],
        ),
        ("İstanbul Straße", &["istanbul", "strass"]),
        ("ＡＰＩ ﬁnder", &["api", "finder"]),
        ("Ελληνικά Москва", &["ελληνικά", "москва"]),
        ("อากาศ", &["อา", "าก", "กา", "าศ"]),
        ("서울 날씨", &["서울", "날씨"]),
        ("مطعم", &["مطعم"]),
        ("東京天気", &["東京", "京天", "天気"]),
        ("猫", &["猫"]),
        ("PDF変換 tool", &["pdf", "変換", "tool"]),
        ("mp3 v2 2024", &["mp3", "v2", "2024"]),
        ("a/b/c/d/e/f/g", &["a", "b", "c", "d", "e", "f", "g"]),
        ("हिन्दी अनुवाद", &["हिन्दी", "अनुवाद"]),
    ];
    for (text, expected) in table {
        assert_eq!(texts(text), *expected, "{text}");
    }
}

#[test]
fn every_spelling_of_an_identifier_shares_its_whole() {
    for spelling in [
        "getWeather",
        "get_weather",
        "get-weather",
        "get.weather",
        "getweather",
        "GETWEATHER",
    ] {
        assert!(
            texts(spelling).contains(&"getweath".to_owned()),
            "{spelling}"
        );
    }
}

#[test]
fn the_whole_stands_where_its_first_part_stands() {
    let terms = terms("please get_weather now");
    let positions: Vec<_> = terms
        .iter()
        .map(|term| (term.text.as_str(), term.position))
        .collect();
    assert_eq!(
        positions,
        [
            ("pleas", 0),
            ("getweath", 1),
            ("get", 1),
            ("weather", 2),
            ("now", 3)
        ]
    );
}

#[test]
fn folding_makes_names_comparable() {
    assert_eq!(fold("  Café   München "), "cafe munchen");
    assert_eq!(fold("mesa.example"), "mesa.example");
}

proptest! {
    #[test]
    fn offsets_lie_on_characters_and_positions_never_fall(text in ".{0,200}") {
        let mut last = 0;
        for term in terms(&text) {
            prop_assert!(text.get(term.from..term.to).is_some());
            prop_assert!(term.position >= last);
            last = term.position;
        }
        prop_assert_eq!(terms(&text).len(), words(&text).len());
    }
}
