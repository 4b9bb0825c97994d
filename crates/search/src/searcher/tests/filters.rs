//! The law of filters: one removes agents from an answer and changes nothing else.

use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;

static TOWN: LazyLock<Town> = LazyLock::new(Town::new);

/// Words of which needs are made: some of the agents, some of none.
const WORDS: [&str; 16] = [
    "book",
    "a",
    "table",
    "in",
    "Lisbon",
    "weather",
    "forecast",
    "storm",
    "invoice",
    "parcel",
    "track",
    "story",
    "Rechnung",
    "天気",
    "submarine",
    "restaurant",
];

/// Returns the whole answer to a query, with the counts of all facets.
fn answer(text: &str, filters: &[(Facet, &str)]) -> Results {
    let filters = filters.iter();
    TOWN.searcher
        .search(&Request {
            facets: Facet::ALL.to_vec(),
            filters: filters
                .map(|(facet, value)| (*facet, vec![(*value).to_owned()]))
                .collect(),
            ..Request::new(query::parse(text), 100)
        })
        .unwrap()
}

fn is_subsequence(part: &[&str], whole: &[&str]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|id| whole.any(|other| other == id))
}

/// Checks that every agent of an answer is counted, and the law for every value of every facet, alone and with a value of another facet.
fn check(text: &str) {
    let all = answer(text, &[]);
    let order = ids(&all);
    for facet in [Facet::Format, Facet::Level, Facet::Status, Facet::Tld] {
        let sum: u64 = all.facets[&facet].iter().map(|it| it.count).sum();
        assert_eq!(sum, all.total, "{text:?}: every agent has one {facet:?}");
    }
    for (facet, counts) in &all.facets {
        for it in counts {
            let value = it.value.as_str();
            let filtered = answer(text, &[(*facet, value)]);
            let label = format!("{text:?} with {}={value}", facet.as_str());
            assert_eq!(filtered.total, it.count, "{label}");
            assert!(is_subsequence(&ids(&filtered), &order), "{label}");
            for hit in &filtered.hits {
                let same = all.hits.iter().find(|other| other.id == hit.id).unwrap();
                assert_eq!(same.score, hit.score, "{label}");
            }
            // The counts of the facet itself ignore its filter.
            assert_eq!(filtered.facets[facet], *counts, "{label}");
            let others = filtered.facets.iter().filter(|(other, _)| *other > facet);
            for (second, counts) in others.take(3) {
                let Some(other) = counts.first() else {
                    continue;
                };
                let both = [(*facet, value), (*second, other.value.as_str())];
                let both = answer(text, &both);
                assert_eq!(both.total, other.count, "{label}, {both:?}");
                assert!(is_subsequence(&ids(&both), &ids(&filtered)), "{label}");
            }
        }
    }
}

#[test]
fn a_filter_keeps_the_order_and_finds_as_many_as_were_counted() {
    for text in [
        "book a table in Lisbon",
        "weather forecast",
        "parcel",
        "repair a submarine",
        "",
    ] {
        check(text);
    }
    let all = answer("write an invoice", &[]);
    assert!(all.total > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn filters_keep_the_law_for_any_need(words in prop::collection::vec(prop::sample::select(&WORDS), 0..6)) {
            check(&words.join(" "));
    }
}
