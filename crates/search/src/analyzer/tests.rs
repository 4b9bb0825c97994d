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
        ("A2A B2C", &["a2a", "b2c"]),
        ("v2Search", &["v2search", "v2", "search"]),
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

    /// Indexing and queries give the same terms, from the cache or not.
    #[test]
    fn kept_forms_are_those_of_the_analyzer(text in "([a-zA-Z0-9éß._'/ -]|\\PC){0,200}") {
        let mut forms = token_cache::TokenCache::default();
        let language = language::Language::of_tag("de").unwrap();
        for _ in 0..2 {
            forms.begin();
            let (mut stems, mut folded, mut own) = (Vec::new(), Vec::new(), Vec::new());
            segment(&text, |piece| {
                let place = forms.find(piece);
                stems.push((forms.stem(place).to_owned(), piece.position));
                folded.push((forms.folded(place).to_owned(), piece.position));
                own.push(forms.own(piece, place, language).map(str::to_owned));
            });
            let found = |terms: Vec<Term>| -> Vec<_> {
                terms.into_iter().map(|it| (it.text, it.position)).collect()
            };
            prop_assert_eq!(stems, found(terms(&text)));
            prop_assert_eq!(folded, found(words(&text)));
            prop_assert_eq!(own, language.stems(&text));
        }
    }

    /// The fast path for plain words gives the same tokens as the general path.
    #[test]
    fn plain_words_are_cut_as_all_words(text in "[a-zA-Z0-9 .,_/-]{0,60}") {
        // A soft hyphen belongs to the word before it and is left out: no word is plain any more.
        let slow: String = text
            .chars()
            .flat_map(|it| {
                let is_inside = it.is_ascii_lowercase() || it.is_ascii_digit();
                [Some(it), is_inside.then_some('\u{ad}')]
            })
            .flatten()
            .collect();
        let found = |text: &str| {
            let mut found = Vec::new();
            segment(text, |piece| found.push((piece.text.to_owned(), piece.position)));
            found
        };
        prop_assert_eq!(found(&text), found(&slow));
    }
}
