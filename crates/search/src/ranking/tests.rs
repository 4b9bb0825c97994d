//! Scores of single agents.

use super::*;
use proptest::option;
use proptest::prelude::*;

const IDFS: [f32; 3] = [4.0, 2.0, 3.0];

fn features(words: f32, cosine: impl Into<Option<f32>>) -> Features {
    Features {
        words,
        cosine: cosine.into(),
        ..Features::default()
    }
}

#[test]
fn levels_follow_from_the_score() {
    for (score, fit, percent) in [
        (0.0, Fit::None, 0),
        (0.049, Fit::None, 4),
        (0.05, Fit::Weak, 5),
        (0.399, Fit::Weak, 39),
        (0.4, Fit::Good, 40),
        (0.6, Fit::Strong, 60),
        (0.999, Fit::Strong, 99),
        (1.0, Fit::Strong, 100),
        (1.9, Fit::Strong, 100),
    ] {
        let score = Score {
            value: score,
            ..Score::ANY
        };
        assert_eq!((score.fit(), score.percent()), (fit, percent), "{score:?}");
    }
    assert!(Fit::None < Fit::Weak && Fit::Good < Fit::Strong);
}

#[test]
fn an_exact_match_comes_before_everything_else() {
    let scale = Scale::of(IDFS.into_iter(), 0, true);
    let exact = Features {
        name: Name::Exact,
        shortfall: 4,
        ..features(0.0, None)
    };
    let best = features(60.0, 1.0);
    assert!(scale.score(&exact) > scale.score(&best));
    assert_eq!(scale.score(&exact).percent(), 100);
    assert!(scale.score(&best).percent() < 100);
}

#[test]
fn a_name_near_the_need_makes_a_weak_hit_but_no_answer() {
    let scale = Scale::of(IDFS.into_iter(), 0, true);
    let score = |features| {
        scale.score(&Features {
            name: Name::Similar,
            ..features
        })
    };
    let far = score(features(0.0, None));
    assert_eq!((far.fit(), far.is_helpful()), (Fit::Weak, false));
    let best = features(60.0, 1.0);
    assert_eq!(score(best), scale.score(&best));
}

#[test]
fn a_name_with_a_slip_makes_an_answer_which_is_weak_for_a_single_word() {
    for (idfs, fit) in [(&IDFS[..], Fit::Good), (&IDFS[..1], Fit::Weak)] {
        let scale = Scale::of(idfs.iter().copied(), 0, true);
        let score = scale.score(&Features {
            name: Name::Slip,
            ..features(0.0, None)
        });
        assert_eq!((score.fit(), score.is_helpful()), (fit, true));
    }
}

#[test]
fn a_point_of_shortfall_costs_little_and_four_are_the_most() {
    let scale = Scale::of(IDFS.into_iter(), 0, true);
    let with = |shortfall| {
        scale
            .score(&Features {
                shortfall,
                ..features(9.0, 0.6)
            })
            .key()
    };
    assert!(with(0) > with(1) && with(1) > with(4));
    assert!((with(4) - 0.96 * with(0)).abs() < 1e-9);
    assert!((with(4) - with(u64::MAX)).abs() < 1e-12);
}

#[test]
fn a_long_need_reaches_no_more_than_twelve_words() {
    let reach = |count| {
        let scale = Scale::of(vec![2.0_f32; count].into_iter(), 0, true);
        scale.reach / scale.per_words
    };
    assert!((reach(1) - 2.0).abs() < 1e-9);
    assert!((reach(12) - 24.0).abs() < 1e-9);
    assert!((reach(30) - 24.0).abs() < 1e-9);
    let nothing = Scale::of([].into_iter(), 0, true);
    assert!(nothing.score(&features(0.0, None)).key().is_finite());
}

#[test]
fn a_word_found_by_chance_in_a_short_need_is_shown_only_beside_a_better_hit() {
    let scale = Scale::of([4.0, 4.0].into_iter(), 0, true);
    let (chance, topical) = (features(6.0, 0.1), features(6.0, 0.5));
    for (features, is_helpful) in [(chance, false), (topical, true)] {
        let score = scale.score(&features);
        assert!(score.is_shown());
        assert_eq!(score.is_helpful(), is_helpful, "{score:?}");
    }
    let literal = scale.score(&Features {
        is_literal: true,
        ..chance
    });
    assert!(literal.is_helpful());
}

#[test]
fn between_two_languages_the_cosine_stands_for_the_words() {
    let need = |foreign| Scale::of(IDFS.into_iter(), foreign, true);
    let agent = |is_foreign| Features {
        is_foreign,
        ..features(0.0, 0.5)
    };
    let score = |foreign, is_foreign| need(foreign).score(&agent(is_foreign)).key();
    assert!(score(3, false) > score(1, false) && score(1, false) > score(0, false));
    assert!(score(0, true) > score(0, false));
    assert!((score(3, true) - score(0, false)).abs() < 1e-9);
}

#[test]
fn within_another_language_the_words_stand_for_the_cosine() {
    let need = |foreign| Scale::of(IDFS.into_iter(), foreign, true);
    let agent = Features {
        is_foreign: true,
        ..features(9.0, 0.1)
    };
    let without_vector = Scale::of(IDFS.into_iter(), 0, false);
    assert!(need(3).score(&agent).key() > need(0).score(&agent).key());
    let same = without_vector.score(&agent).key();
    assert!((need(3).score(&agent).key() - same).abs() < 1e-9);
}

proptest! {
    #[test]
    fn more_words_and_a_higher_cosine_never_lower_the_score(
        words in 0.0_f32..60.0,
        more in 0.0_f32..20.0,
        cosine in option::of(-1.0_f32..1.0),
        nearer in 0.0_f32..0.5,
        foreign in 0_usize..4,
        is_foreign in any::<bool>(),
        has_meaning in any::<bool>(),
    ) {
        let scale = Scale::of(IDFS.into_iter(), foreign, has_meaning);
        let features = |words, cosine| Features { is_foreign, ..features(words, cosine) };
        let score = scale.score(&features(words, cosine));
        prop_assert!(scale.score(&features(words + more, cosine)) >= score);
        prop_assert!(scale.score(&features(words, cosine.map(|it| it + nearer))) >= score);
        prop_assert!((0.0..1.0).contains(&score.key()));
    }

    #[test]
    fn an_agent_with_fewer_words_than_the_least_is_not_shown_for_its_words(
        part in 0.0_f32..0.999,
        foreign in 0_usize..4,
        is_foreign in any::<bool>(),
        has_meaning in any::<bool>(),
    ) {
        let scale = Scale::of(IDFS.into_iter(), foreign, has_meaning);
        let least = scale.least_words();
        let agent = |words, is_foreign| Features { is_foreign, ..features(words, None) };
        let fewer = scale.score(&agent(least * part, is_foreign));
        prop_assert!(!fewer.is_shown() || least == 0.0);
        prop_assert!(scale.score(&agent(least * 1.001 + 0.001, true)).is_shown());
    }
}
