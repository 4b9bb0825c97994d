//! Scores of single agents.

use super::*;
use proptest::option;
use proptest::prelude::*;

const IDFS: [f32; 3] = [4.0, 2.0, 3.0];

fn features(words: f32, sentence: impl Into<Option<f32>>) -> Features {
    Features {
        words,
        sentence: sentence.into(),
        ..Features::default()
    }
}

fn scale(idfs: &[f32]) -> Scale {
    Scale::of(idfs.iter().copied(), 1.0, false, true)
}

#[test]
fn levels_follow_from_the_score() {
    for (value, fit, percent) in [
        (0.0, Fit::None, 0),
        (0.149, Fit::None, 14),
        (0.15, Fit::Weak, 15),
        (0.399, Fit::Weak, 39),
        (0.4, Fit::Good, 40),
        (0.6, Fit::Strong, 60),
        (0.999, Fit::Strong, 99),
        (1.0, Fit::Strong, 100),
        (1.9, Fit::Strong, 100),
    ] {
        let score = Score { value };
        assert_eq!((score.fit(), score.percent()), (fit, percent), "{score:?}");
    }
    assert!(Fit::None < Fit::Weak && Fit::Good < Fit::Strong);
}

#[test]
fn an_exact_match_comes_before_everything_else() {
    let scale = scale(&IDFS);
    let exact = Features {
        name: Name::Exact,
        shortfall: 4,
        ..features(0.0, None)
    };
    let best = features(60.0, 1.0);
    assert!(scale.score(&exact) > scale.score(&best));
    assert_eq!(scale.score(&exact).percent(), 100);
    assert!(scale.score(&best).key() <= 1.0);
}

#[test]
fn a_name_near_the_need_is_listed_but_no_match_by_itself() {
    let scale = scale(&IDFS);
    let score = |features| {
        scale.score(&Features {
            name: Name::Similar,
            ..features
        })
    };
    let far = score(features(0.0, None));
    assert!(far.is_listed() && far.fit() == Fit::None);
    let best = features(60.0, 1.0);
    assert_eq!(score(best), scale.score(&best));
}

#[test]
fn a_name_with_a_slip_makes_a_good_hit_or_a_weak_one_for_a_single_word() {
    for (idfs, fit) in [(&IDFS[..], Fit::Good), (&IDFS[..1], Fit::Weak)] {
        let score = scale(idfs).score(&Features {
            name: Name::Slip,
            ..features(0.0, None)
        });
        assert_eq!(score.fit(), fit);
    }
}

#[test]
fn a_point_of_shortfall_costs_little_and_four_are_the_most() {
    let with = |shortfall| {
        let features = Features {
            shortfall,
            ..features(9.0, 0.6)
        };
        scale(&IDFS).score(&features).key()
    };
    assert!(with(0) > with(1) && with(1) > with(4));
    assert!((with(4) - 0.96 * with(0)).abs() < 1e-9);
    assert!((with(4) - with(u8::MAX)).abs() < 1e-12);
}

#[test]
fn a_long_need_reaches_no_more_than_twelve_words() {
    let reach = |count| {
        let scale = scale(&vec![2.0_f32; count]);
        scale.reach / scale.per_words
    };
    assert!((reach(1) - 2.0).abs() < 1e-9);
    assert!((reach(12) - 24.0).abs() < 1e-9);
    assert!((reach(30) - 24.0).abs() < 1e-9);
    assert!(scale(&[]).score(&features(0.0, None)).key().is_finite());
}

#[test]
fn the_table_counts_as_far_as_need_and_agent_are_in_english() {
    let score = |english, is_foreign| {
        let scale = Scale::of(IDFS.into_iter(), english, false, true);
        let features = Features {
            cosine: Some(0.9),
            is_foreign,
            ..features(0.0, 0.3)
        };
        scale.score(&features).key()
    };
    assert!(score(1.0, false) > score(0.5, false) && score(0.5, false) > score(0.0, false));
    assert!((score(1.0, true) - score(0.0, false)).abs() < 1e-12);
}

#[test]
fn an_agent_that_waits_for_its_vector_is_judged_by_the_table() {
    let by_table = |cosine| {
        let features = Features {
            cosine: Some(cosine),
            ..features(0.0, None)
        };
        scale(&IDFS).score(&features)
    };
    assert_eq!(by_table(0.3).fit(), Fit::None);
    assert_eq!(by_table(0.5).fit(), Fit::Weak);
    assert_eq!(by_table(0.8).fit(), Fit::Good);
}

#[test]
fn words_alone_make_no_good_hit_of_a_need_of_several() {
    let best = |sentence| features(60.0, sentence);
    let by_words = |sentence, idfs: &[f32]| {
        let scale = scale(idfs).agreed(&best(sentence));
        scale.score(&best(sentence)).fit()
    };
    assert_eq!(by_words(0.35, &IDFS), Fit::Weak);
    assert_eq!(by_words(0.43, &IDFS), Fit::Good);
    assert_eq!(by_words(0.5, &IDFS), Fit::Strong);
    assert_eq!(by_words(0.35, &IDFS[..1]), Fit::Strong);
    let lowered = scale(&IDFS).agreed(&best(0.35));
    let (first, second) = (best(0.35), features(30.0, 0.4));
    assert!(lowered.score(&first) > lowered.score(&second));
    assert!(lowered.score(&second) < scale(&IDFS).score(&second));
}

proptest! {
    #[test]
    fn more_words_and_a_higher_cosine_never_lower_the_score(
        words in 0.0_f32..60.0,
        more in 0.0_f32..20.0,
        sentence in option::of(-1.0_f32..1.0),
        table in option::of(-1.0_f32..1.0),
        nearer in 0.0_f32..0.5,
        english in 0.0..=1.0,
        is_foreign in any::<bool>(),
        has_meaning in any::<bool>(),
    ) {
        let scale = Scale::of(IDFS.into_iter(), english, false, has_meaning);
        let features = |words, sentence, cosine| Features { cosine, is_foreign, ..features(words, sentence) };
        let score = scale.score(&features(words, sentence, table));
        let nearer = |it: Option<f32>| it.map(|it| it + nearer);
        prop_assert!(scale.score(&features(words + more, sentence, table)) >= score);
        prop_assert!(scale.score(&features(words, nearer(sentence), table)) >= score);
        prop_assert!(scale.score(&features(words, sentence, nearer(table))) >= score);
        prop_assert!((0.0..=1.0).contains(&score.key()));
    }

    #[test]
    fn an_agent_with_fewer_words_than_the_least_is_not_listed_for_its_words(
        part in 0.0_f32..0.999,
        english in 0.0..=1.0,
        is_foreign in any::<bool>(),
        has_meaning in any::<bool>(),
    ) {
        let scale = Scale::of(IDFS.into_iter(), english, false, has_meaning);
        let least = scale.least_words();
        let agent = |words, is_foreign| Features { is_foreign, ..features(words, None) };
        let fewer = scale.score(&agent(least * part, is_foreign));
        prop_assert!(fewer.fit() == Fit::None || least == 0.0);
        prop_assert!(scale.score(&agent(least * 1.001 + 0.001, true)).fit() > Fit::None);
    }
}
