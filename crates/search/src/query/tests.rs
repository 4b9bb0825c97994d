//! Well-formed and malformed queries.

use super::*;
use proptest::prelude::*;

fn word(text: &str) -> Vec<Part> {
    vec![Part::Word(text.to_owned())]
}

#[test]
fn words_phrases_exclusions_and_prefixes_are_distinguished() {
    let query = parse(r#"book "table for two" -bar restau* -"live music""#);
    assert_eq!(
        query.clauses,
        [
            word("book"),
            vec![Part::Phrase("table for two".to_owned())],
            vec![Part::Prefix("restau".to_owned())],
        ]
    );
    assert_eq!(
        query.excluded,
        [
            Part::Word("bar".to_owned()),
            Part::Phrase("live music".to_owned())
        ]
    );
    assert!(query.ignored.is_empty());
}

#[test]
fn a_part_without_a_term_is_ignored() {
    let (long, wide) = ("a".repeat(97), "é".repeat(63));
    for part in ["'s", "'re", "\u{345}", &long, &wide, &"ж".repeat(50)] {
        let quoted = format!("\"{part}\"");
        for text in [part, &quoted, &format!("-{part}"), &format!("{part}*")] {
            let query = parse(text);
            assert!(query.is_lost(), "{text}: {query:?}");
            assert_eq!(query.ignored.len(), 1, "{text}");
            assert!(text.starts_with(&query.ignored[0]), "{text}");
        }
        let query = parse(&format!("{part} table"));
        assert_eq!(query.clauses, [word("table")]);
        assert_eq!(query.ignored.len(), 1, "{part}");
    }
}

#[test]
fn fields_become_filters_in_canonical_form() {
    let query =
        parse(r#"site:WWW.Mesa.Example. level:a auth:key -tag:Beta cap:"book table" invoices"#);
    assert_eq!(query.filters[&Facet::Site], ["www.mesa.example"]);
    assert_eq!(query.filters[&Facet::Level], ["A"]);
    assert_eq!(query.filters[&Facet::Auth], ["api_key"]);
    assert_eq!(query.filters[&Facet::Capability], ["book table"]);
    assert_eq!(query.excluded_filters[&Facet::Tag], ["beta"]);
    assert_eq!(query.clauses, [word("invoices")]);
    let query = parse("site:v2--Otter.example site:My＿Desk.otter.example");
    let sites = ["v2--otter.example", "my_desk.otter.example"];
    assert_eq!(query.filters[&Facet::Site], sites);
}

#[test]
fn is_words_and_their_negations_are_filters() {
    let query = parse("is:signed weather");
    assert_eq!(query.filters[&Facet::Signed], ["true"]);
    assert_eq!(query.clauses, [word("weather")]);
    let query = parse("-IS:Signed weather");
    assert_eq!(query.excluded_filters[&Facet::Signed], ["true"]);
    assert!(query.filters.is_empty() && query.ignored.is_empty());
    let query = parse("is:up -is:FAILING weather");
    assert_eq!(query.filters[&Facet::Status], ["ok"]);
    assert_eq!(query.excluded_filters[&Facet::Status], ["failing"]);
    assert_eq!(query.clauses, [word("weather")]);
}

#[test]
fn former_ids_of_formats_are_aliases() {
    let query = parse("format:agents-txt/D11 invoices");
    assert_eq!(query.filters[&Facet::Format], ["agents-txt/prose"]);
}

#[test]
fn every_facet_is_a_field() {
    let table: &[(&str, Facet, &str)] = &[
        ("status:OK", Facet::Status, "ok"),
        ("openapi:true", Facet::Openapi, "true"),
        ("handoff:yes", Facet::Handoff, "true"),
        ("Session:no", Facet::Session, "false"),
        ("signed:true", Facet::Signed, "true"),
        ("format:a2a-agent-card", Facet::Format, "a2a-agent-card"),
        ("modality_in:text/plain", Facet::ModalityIn, "text/plain"),
        ("modality_out:audio", Facet::ModalityOut, "audio"),
        ("capability:book_table", Facet::Capability, "book_table"),
        ("language:de-AT", Facet::Language, "de"),
        ("lang:de", Facet::Language, "de"),
        ("protocol:a2a", Facet::Protocol, "a2a"),
        ("tld:.example", Facet::Tld, "example"),
        (
            "site:https://mesa.example/agents/x",
            Facet::Site,
            "mesa.example",
        ),
    ];
    for (text, facet, value) in table {
        let query = parse(text);
        let expected = BTreeMap::from([(*facet, vec![(*value).to_owned()])]);
        assert_eq!(query.filters, expected, "{text}");
        assert_eq!(query.ignored, Vec::<String>::new(), "{text}");
    }
    for facet in Facet::ALL {
        let query = parse(&format!("{}:?", facet.as_str()));
        assert_eq!(query.clauses, Vec::<Vec<Part>>::new(), "{facet:?}");
    }
}

#[test]
fn a_contradicting_filter_is_ignored_and_listed() {
    for (text, kept, ignored) in [
        ("is:failing -status:failing", "failing", "-status:failing"),
        ("is:up -is:up", "ok", "-is:up"),
    ] {
        let query = parse(text);
        assert_eq!(query.filters[&Facet::Status], [kept], "{text}");
        assert!(query.excluded_filters.is_empty(), "{text}");
        assert_eq!(query.ignored, [ignored], "{text}");
    }
    // Two values of one facet are alternatives.
    for text in ["is:up is:failing", "status:ok is:failing"] {
        let query = parse(text);
        assert_eq!(query.filters[&Facet::Status], ["ok", "failing"], "{text}");
        assert!(query.ignored.is_empty(), "{text}");
    }
}

#[test]
fn a_long_address_is_one_word_and_an_address_can_be_excluded() {
    let long = format!("https://mesa.example/book?token={}", "k3Y".repeat(60));
    assert_eq!(parse(&long).clauses, [vec![Part::Word(long.clone())]]);
    for text in ["-https://mesa.example/x", "\u{2212}www.mesa.example"] {
        let query = parse(text);
        let excluded = &query.excluded_filters[&Facet::Site];
        assert_eq!(excluded, &["mesa.example"], "{text}");
    }
}

#[test]
fn a_query_without_usable_parts_is_lost() {
    for text in ["?", "🍕", "level:Z", "*", "-?", "OR"] {
        assert!(parse(text).is_lost(), "{text}");
    }
    for text in [
        "",
        "  ",
        "AND",
        "pizza ?",
        "level:A ?",
        "-pizza",
        "-level:A",
    ] {
        assert!(!parse(text).is_lost(), "{text}");
    }
}

#[test]
fn exclusions_and_filters_are_no_alternatives() {
    for (text, ignored) in [
        ("table OR -taxi", vec!["OR"]),
        ("table OR site:taxi.example", vec!["OR"]),
        ("table OR (", vec!["(", "OR"]),
        ("table || taxi", vec!["||"]),
    ] {
        let query = parse(text);
        assert_eq!(query.ignored, ignored, "{text}");
        assert_eq!(query.clauses[0], word("table"), "{text}");
    }
    assert_eq!(
        parse("table OR -taxi").excluded,
        [Part::Word("taxi".to_owned())]
    );
}

#[test]
fn or_joins_the_parts_beside_it() {
    let query = parse("hotel OR hostel lisbon");
    assert_eq!(
        query.clauses,
        [
            vec![
                Part::Word("hotel".to_owned()),
                Part::Word("hostel".to_owned())
            ],
            word("lisbon"),
        ]
    );
}

#[test]
fn unusable_parts_are_listed() {
    let table: &[(&str, &[&str])] = &[
        ("OR weather", &["OR"]),
        ("weather OR", &["OR"]),
        ("a* weather", &["a*"]),
        ("((( weather", &["((("]),
        ("site: weather", &["site:"]),
        ("is:down weather", &["is:down"]),
        ("format:nonsense weather", &["format:nonsense"]),
        ("-format:nonsense weather", &["-format:nonsense"]),
        ("level:D weather", &["level:D"]),
        ("status:gone weather", &["status:gone"]),
        ("handoff:maybe weather", &["handoff:maybe"]),
        ("auth:magic weather", &["auth:magic"]),
        ("site:lisbon weather", &["site:lisbon"]),
        ("- weather", &["-"]),
        ("\"\" weather", &["\"\""]),
    ];
    for (text, ignored) in table {
        let query = parse(text);
        assert_eq!(query.ignored, *ignored, "{text}");
        assert_eq!(query.clauses, [word("weather")], "{text}");
    }
}

#[test]
fn an_unknown_field_is_text() {
    assert_eq!(
        parse("http://x.example/?q=a:b").clauses,
        [word("http://x.example/?q=a:b")]
    );
    assert_eq!(parse("foo:bar").clauses, [word("foo:bar")]);
}

#[test]
fn an_unclosed_quote_extends_to_the_end() {
    assert_eq!(
        parse("\"book a table").clauses,
        [vec![Part::Phrase("book a table".to_owned())]]
    );
}

#[test]
fn a_very_long_query_is_truncated_and_the_rest_listed() {
    let query = parse(&"weather ".repeat(10_000));
    assert!(query.clauses.len() <= MAX_PARTS);
    assert!(!query.ignored.is_empty());
    assert!(query.ignored.len() <= MAX_IGNORED);
}

#[test]
fn numbers_and_options_are_not_excluded() {
    for text in ["weather -5", "weather -82.1", "weather -m", "weather - 5"] {
        assert_eq!(parse(text).excluded, [], "{text}");
    }
    for text in ["weather -la", "weather -\u{732b}", "weather -\"5\""] {
        assert_eq!(parse(text).excluded.len(), 1, "{text}");
    }
}

#[test]
fn machine_data_is_ignored_and_long_words_are_not() {
    let image = format!("data:image/png;base64,{}==", "iVBORw0KGgo/".repeat(20));
    for (text, is_used) in [
        (image.as_str(), false),
        (&"iVBORw0KGgo/".repeat(20), false),
        (
            "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
            true,
        ),
        (&"お茶を買いたいのですがどこで買えますか".repeat(9), true),
        (
            "https://shop.example/a-long-path/of-many-words/that-people-can-read/and-that-goes-on/for-more-than-a-hundred-letters",
            true,
        ),
    ] {
        let query = parse(&format!("weather {text}"));
        assert_eq!(query.clauses.len() == 2, is_used, "{text}");
        assert_eq!(query.ignored.is_empty(), is_used, "{text}");
    }
}

proptest! {
    #[test]
    fn every_text_is_a_query(text in r#"([a-zé"“ :*()\-]|OR|site:|\PC){0,60}"#) {
        let query = parse(&text);
        prop_assert!(query.clauses.iter().map(Vec::len).sum::<usize>() <= MAX_PARTS);
        prop_assert!(query.clauses.iter().all(|clause| !clause.is_empty()));
        prop_assert!(query.ignored.len() <= MAX_IGNORED);
    }
}
