//! Capabilities that are suggested when no agent meets a need.

use super::*;
use std::sync::LazyLock;

static TOWN: LazyLock<Town> = LazyLock::new(Town::new);

#[test]
fn a_need_that_is_not_met_gets_the_nearest_capabilities() {
    for (text, nearest) in [
        ("cancel my mortgage contract tomorrow", "cancelBooking"),
        ("proofread a short tale for publication", "tell_story"),
        ("umbrella rental on rainy afternoons", "getForecast"),
    ] {
        let answer = TOWN.answer(text);
        assert_eq!(answer.results.fit, Fit::None, "{text}: {answer:#?}");
        assert_eq!(
            answer.nearest_capabilities.first().map(String::as_str),
            Some(nearest),
            "{text}"
        );
    }
    let answer = TOWN.answer("quantum chromodynamics");
    assert_eq!(answer.nearest_capabilities, Vec::<String>::new());
}

#[test]
fn the_nearest_capabilities_are_those_of_agents_that_the_filters_accept() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &town(), 1);
    let words_only = Searcher::open(dir.path(), None).unwrap();
    let town = town();
    for (searcher, need) in [
        (&TOWN.searcher, "proofread a short tale for publication"),
        (&words_only, "story editing and proofreading"),
    ] {
        let answer = answered(searcher, need, &town);
        assert_eq!(answer.nearest_capabilities, ["tell_story"], "{need}");
        for filter in ["site:mesa.example", "-site:guide.example"] {
            let text = format!("{need} {filter}");
            let answer = answered(searcher, &text, &town);
            assert_eq!(answer.results.fit, Fit::None, "{text}");
            let nearest = &answer.nearest_capabilities;
            assert!(!nearest.contains(&"tell_story".to_owned()), "{text}");
        }
    }
}

#[test]
fn the_nearest_capabilities_are_not_those_of_excluded_agents() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &town(), 1);
    let words_only = Searcher::open(dir.path(), None).unwrap();
    let town = town();
    for (searcher, need) in [
        (&TOWN.searcher, "proofread a short tale for publication"),
        (&words_only, "story editing and proofreading"),
    ] {
        for excluded in ["-fado", "-\"a street\"", "-fad*", "-tell_story"] {
            let text = format!("{need} {excluded}");
            let answer = answered(searcher, &text, &town);
            assert_eq!(answer.results.fit, Fit::None, "{text}");
            let nearest = &answer.nearest_capabilities;
            assert!(!nearest.contains(&"tell_story".to_owned()), "{text}");
        }
        let answer = answered(searcher, &format!("{need} -parcel"), &town);
        assert_eq!(answer.nearest_capabilities, ["tell_story"], "{need}");
    }
}

#[test]
fn without_vectors_the_nearest_capabilities_share_a_word() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &town(), 1);
    let searcher = Searcher::open(dir.path(), None).unwrap();
    for (text, nearest) in [
        ("story editing and proofreading", vec!["tell_story"]),
        ("acrobats and jugglers", vec![]),
    ] {
        let answer = answered(&searcher, text, &town());
        assert_eq!(answer.results.fit, Fit::None, "{text}");
        assert_eq!(answer.nearest_capabilities, nearest, "{text}");
    }
}
