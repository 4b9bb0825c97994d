//! Stop words of other languages.

use super::*;

#[test]
fn an_english_word_that_is_a_stop_word_elsewhere_is_searched_for() {
    let agents = [
        stored("v.example", "v", 1, agent("Wheels", "Van hire.", vec![])),
        stored("h.example", "h", 1, agent("Farm", "Hay and straw.", vec![])),
        stored(
            "p.example",
            "p",
            1,
            agent("Floors", "We pour concrete.", vec![]),
        ),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    for (text, first) in [
        ("van", "v.example/v"),
        ("hay", "h.example/h"),
        ("pour", "p.example/p"),
    ] {
        let results = searcher.search(&request(text)).unwrap();
        assert_eq!(ids(&results).first(), Some(&first), "{text}: {results:#?}");
    }
    for (text, terms) in [
        ("hire a van", vec!["hire", "van"]),
        ("a van in Los Angeles", vec!["van", "angeles"]),
        ("een fiets van de stad", vec!["fiets", "stad"]),
        ("hay que comer", vec!["comer"]),
        ("Zimmer für zwei", vec!["zimmer", "zwei"]),
        ("van de", vec!["van"]),
        ("van een", vec!["van", "een"]),
    ] {
        assert_eq!(
            searcher.search(&request(text)).unwrap().terms,
            terms,
            "{text}"
        );
    }
}

#[test]
fn words_that_almost_every_agent_has_are_ignored_aloud() {
    let agents = [
        stored(
            "a.example",
            "a",
            1,
            agent("Agent", "Tells the time.", vec![]),
        ),
        stored("f.example", "f", 1, agent("Farm", "Hay and straw.", vec![])),
    ];
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let search = |text| searcher.search(&request(text)).unwrap();
    let general = search("find agents");
    assert!(general.is_too_general && general.hits.is_empty());
    assert_eq!(general.query.ignored, ["find", "agents"]);
    for (text, found) in [("agent", "a.example/a"), ("find straw", "f.example/f")] {
        let results = search(text);
        assert_eq!(matches(&results), [found], "{text}");
        assert!(!results.is_too_general && results.query.ignored.is_empty());
    }
}
