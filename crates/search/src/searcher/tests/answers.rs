//! Terms, reasons and levels of relevance in results.

use super::*;
use manifest::agent::Param;

#[test]
fn the_terms_shown_are_the_words_as_typed() {
    let results = Town::new().search("A2A Forecasts for b2b");
    assert_eq!(results.terms, ["a2a", "forecasts", "b2b"]);
}

#[test]
fn a_parameter_is_a_reason() {
    let param = |name: &str| Param {
        name: name.to_owned(),
        ..Param::default()
    };
    let mut track = capability("track", "Says when it lands.", &[]);
    track.params = vec![param("departureAirport"), param("flight_number")];
    let board = agent("Board", "Arrivals of the day.", vec![track]);
    let dir = tempfile::tempdir().unwrap();
    let agents = [stored("board.example", "board", 1, board)];
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let answer = answered(&searcher, "flight number", &agents);
    let reason = first_reason(&answer);
    assert_eq!(reason.field, MatchedField::CapabilityParameter);
    assert_eq!(reason.capability.as_deref(), Some("track"));
    let marked = reason.snippet.iter().filter(|it| it.is_match);
    let marked: Vec<_> = marked.map(|it| it.text.as_str()).collect();
    assert_eq!(marked, ["flight", "number"]);
}

#[test]
fn hits_of_filters_alone_have_no_score_and_no_fit() {
    for text in ["", "level:A", "-parcel"] {
        let results = Town::new().search(text);
        assert_eq!(results.fit, Fit::Good, "{text}");
        assert!(!results.hits.is_empty(), "{text}");
        let hits = results.hits.iter();
        assert!(hits.clone().all(|hit| hit.fit == Fit::None), "{text}");
        assert!(hits.clone().all(|hit| hit.score == 0), "{text}");
    }
}

#[test]
fn the_pieces_of_an_unknown_word_make_no_good_match() {
    let chat = agent("Chat desk", "Chat with people about their rooms.", vec![]);
    let other = agent("Blorptastic", "Blorptastic, blorptastic.", vec![]);
    let agents = [
        stored("chat.example", "chat", 1, chat),
        stored("other.example", "other", 1, other),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for (text, is_good) in [
        ("wechat", false),
        ("blorptiver", false),
        ("qwer blorptiver", false),
        ("blorptastic", true),
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(results.fit >= Fit::Good, is_good, "{text}: {results:#?}");
    }
}

#[test]
fn an_agent_of_a_name_alone_has_a_reason() {
    let agents = [stored(
        "lamps.example",
        "lamps",
        1,
        Agent {
            name: "Lamp".to_owned(),
            ..Agent::default()
        },
    )];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let answer = answered(&searcher, "light", &agents);
    assert_eq!(ids(&answer.results), ["lamps.example/lamps"]);
    let reason = first_reason(&answer);
    assert_eq!(reason.field, MatchedField::Meaning);
    assert_eq!(reason.snippet[0].text, "Lamp");
}
