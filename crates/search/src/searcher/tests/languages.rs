//! Stemming in the languages of agents.

use super::*;
use manifest::agent::Translation;

#[test]
fn words_are_found_in_every_form_of_their_language() {
    let texts = [
        (
            "de",
            "Bestellt Häuser und Wohnungen, schreibt Übersetzungen von Verträgen für kleine Betriebe.",
        ),
        (
            "fr",
            "Nous traduisons des contrats et proposons la réservation de chambres dans les hôtels de la ville.",
        ),
        (
            "es",
            "Hacemos reservaciones en los mejores restaurantes de la ciudad y traducciones de contratos.",
        ),
        (
            "it",
            "Prenotazioni nei migliori ristoranti della città, con conferma immediata della prenotazione.",
        ),
        (
            "ru",
            "Забронируйте столик в лучших ресторанах города и получите подтверждение по почте.",
        ),
    ];
    let agents: Vec<StoredAgent> = texts
        .iter()
        .map(|(code, text)| {
            stored(
                &format!("{code}.example"),
                code,
                1,
                agent(code, text, vec![]),
            )
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for (text, first, mark) in [
        ("Haus", "de.example/de", "Häuser"),
        ("übersetzen", "de.example/de", "Übersetzungen"),
        ("réservera", "fr.example/fr", "réservation"),
        ("reservar", "es.example/es", "reservaciones"),
        ("prenotare", "it.example/it", "Prenotazioni"),
        ("город", "ru.example/ru", "города"),
    ] {
        let Answer { results, found, .. } = answered(&searcher, text, &agents);
        assert_eq!(ids(&results).first(), Some(&first), "{text}: {results:#?}");
        let snippets = found[0].because.iter().flat_map(|it| &it.snippet);
        let mut marked = snippets.filter(|it| it.is_match);
        assert!(marked.any(|it| it.text == mark), "{text}: {results:#?}");
        assert_eq!(results.corrected, [], "{text}");
    }
}

#[test]
fn an_english_word_is_not_stemmed_as_a_foreign_one() {
    let french = agent(
        "Neuf",
        "Des nouvelles de la maison et du jardin, avec des articles et de bons produits.",
        vec![],
    );
    let english = agent("Old", "A nouvel thing.", vec![]);
    let dir = tempfile::tempdir().unwrap();
    let agents = [
        stored("fr.example", "fr", 1, french),
        stored("en.example", "en", 1, english),
    ];
    build(dir.path(), &agents, 1);
    // Without meaning, in which all four words are near.
    let searcher = Searcher::open(dir.path(), None).unwrap();
    let results = searcher.search(&request("nouvelles")).unwrap();
    assert_eq!(ids(&results), ["fr.example/fr"], "{results:#?}");
    let results = searcher.search(&request("nouvel")).unwrap();
    assert_eq!(results.total, 2, "{results:#?}");
}

#[test]
fn the_marker_of_a_language_matches_no_prefix() {
    let french = agent(
        "Neuf",
        "Des nouvelles de la maison et du jardin, avec des articles et de bons produits.",
        vec![],
    );
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &[stored("neuf.example", "neuf", 1, french)], 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for (text, total) in [("nouv*", 1), ("fr*", 0), ("-nouv*", 0), ("-fr*", 1)] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(results.total, total, "{text}");
    }
}

#[test]
fn texts_in_further_languages_are_searched_and_the_main_one_is_shown() {
    let translation = |field: &str, language: &str, text: &str| Translation {
        field: field.to_owned(),
        language: language.to_owned(),
        text: text.to_owned(),
    };
    let mut hotel = agent(
        "Tidewater House",
        "Rooms with a view of the harbour.",
        vec![capability("rooms", "Lists the rooms that are free.", &[])],
    );
    hotel.translations = vec![
        translation("name", "ja", "潮見荘"),
        translation(
            "description",
            "de-AT",
            "Zimmer mit Übersetzungen der Hausordnung.",
        ),
    ];
    hotel.capabilities[0].translations = vec![translation(
        "description",
        "fr",
        "Les réservations de chambres.",
    )];
    let agents = [stored("tide.example", "tide", 1, hotel)];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for (text, mark) in [
        ("潮見荘", "潮見荘"),
        ("übersetzen", "Übersetzungen"),
        ("réserver", "réservations"),
        ("harbour", "harbour"),
    ] {
        let Answer { results, found, .. } = answered(&searcher, text, &agents);
        assert_eq!(ids(&results).first(), Some(&"tide.example/tide"), "{text}");
        assert_eq!(found[0].agent.listing.agent.name, "Tidewater House");
        let snippets = found[0].because.iter().flat_map(|it| &it.snippet);
        let mut marked = snippets.filter(|it| it.is_match);
        assert!(marked.any(|it| it.text == mark), "{text}: {found:#?}");
    }
}

#[test]
fn a_tag_of_a_capability_finds_the_agent() {
    let mut shop = agent("Rope shop", "Rope and paint.", vec![]);
    shop.capabilities = vec![Capability {
        tags: vec!["Cart".to_owned()],
        ..capability("cart.add", "Adds a coil.", &[])
    }];
    let other = agent("Grey Gull", "Coffee from the cart.", vec![]);
    let agents = [
        stored("rope.example", "rope", 1, shop),
        stored("gull.example", "gull", 1, other),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request("tag:cart")).unwrap();
    assert_eq!(ids(&results), ["rope.example/rope"], "{results:#?}");
}
