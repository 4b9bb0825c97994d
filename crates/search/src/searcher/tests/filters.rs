//! The law of filters: one removes agents from an answer and changes nothing else.

use super::*;
use crate::facet::FacetCount;
use proptest::prelude::*;
use std::sync::LazyLock;

static TOWN: LazyLock<Town> = LazyLock::new(Town::new);

/// More agents than are compared by meaning, every tenth of which has level C.
static CITY: LazyLock<Town> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let trades = [
        "baker", "florist", "tailor", "dentist", "bookshop", "cinema", "ferry",
    ];
    let agents = (0..2_500_usize).map(|number| {
        let trade = trades[number % trades.len()];
        let agent = agent(
            &format!("Agent {number}"),
            &format!("A {trade}."),
            Vec::new(),
        );
        let mut stored = stored(&format!("a{number}.example"), "agent", 1, agent);
        if number % 10 == 0 {
            stored.listing.level = Level::C;
        }
        stored
    });
    build(dir.path(), &agents.collect::<Vec<_>>(), 1);
    Town {
        searcher: Searcher::open(dir.path(), embedding::shipped()).unwrap(),
        _dir: dir,
    }
});

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
fn answer(town: &Town, text: &str, filters: &[(Facet, &str)]) -> Results {
    let filters = filters.iter();
    town.searcher
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

/// Checks that every agent of an answer is counted, and the law for every value of every facet, alone
/// and with a value of another facet.
fn check(town: &Town, text: &str) {
    let all = answer(town, text, &[]);
    let order = ids(&all);
    for least in [Fit::Weak, Fit::Good, Fit::Strong] {
        let strict = Request {
            least,
            ..Request::new(query::parse(text), 100)
        };
        let strict = town.searcher.search(&strict).unwrap();
        let expected = all
            .hits
            .iter()
            .filter(|it| it.fit >= least || all.query.text.is_empty());
        assert!(strict.hits.iter().eq(expected), "{text:?} from {least:?}");
    }
    for facet in [Facet::Format, Facet::Level, Facet::Status, Facet::Tld] {
        let sum: u64 = all.facets[&facet].iter().map(|it| it.count).sum();
        let listed = all.total + all.weaker;
        assert_eq!(sum, listed, "{text:?}: every agent has one {facet:?}");
    }
    for (facet, counts) in &all.facets {
        for it in counts {
            let value = it.value.as_str();
            let filtered = answer(town, text, &[(*facet, value)]);
            let label = format!("{text:?} with {}={value}", facet.as_str());
            assert_eq!(filtered.total + filtered.weaker, it.count, "{label}");
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
                let both = answer(town, text, &both);
                assert_eq!(both.total + both.weaker, other.count, "{label}, {both:?}");
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
        check(&TOWN, text);
    }
    let all = answer(&TOWN, "write an invoice", &[]);
    assert!(all.total > 0);
}

#[test]
fn a_filter_adds_no_agent_that_is_too_far_to_be_compared() {
    let all = answer(&CITY, "fresh bread of a baker", &[]);
    let some = answer(&CITY, "fresh bread of a baker", &[(Facet::Level, "C")]);
    let count = |it: &FacetCount| it.value == "C" && it.count == some.total + some.weaker;
    assert!(
        all.total > 100 && some.total > 0,
        "{} {}",
        all.total,
        some.total
    );
    assert!(
        all.facets[&Facet::Level].iter().any(count),
        "{:?}",
        all.facets
    );
    let scores = |results: &Results| -> BTreeMap<AgentId, u8> {
        results
            .hits
            .iter()
            .map(|hit| (hit.id.clone(), hit.score))
            .collect()
    };
    let (all, some) = (scores(&all), scores(&some));
    assert!(
        some.iter()
            .all(|(id, score)| all.get(id).is_none_or(|it| it == score))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn filters_keep_the_law_for_any_need(words in prop::collection::vec(prop::sample::select(&WORDS), 0..6)) {
            check(&TOWN, &words.join(" "));
    }
}
