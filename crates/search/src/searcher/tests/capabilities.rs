//! Capabilities as hits.

use super::*;
use crate::{AgentHit, Cursor, Unit};
use proptest::prelude::*;
use std::sync::LazyLock;

const NEEDS: [&str; 8] = [
    "book a table for four in Lisbon",
    "reserve a table and cancel a booking",
    "einen Tisch im Restaurant reservieren",
    "what will the weather be like",
    "where is my parcel",
    "invoice for a client",
    "repair a submarine",
    "a story about Lisbon",
];

/// Agents of the town and one with forty capabilities for everything.
struct Market {
    agents: Vec<StoredAgent>,
    town: Town,
}

static MARKET: LazyLock<Market> = LazyLock::new(|| {
    let mut agents = town();
    let everything = NEEDS.iter().cycle().take(40).enumerate();
    let everything = everything.map(|(at, need)| capability(&format!("{need} {at}"), need, &[]));
    let everything = agent("Everything", "Does it all.", everything.collect());
    agents.push(stored("everything.example", "everything", 50, everything));
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &agents, 9);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let town = Town {
        searcher,
        _dir: dir,
    };
    Market { agents, town }
});

impl Market {
    fn answer(&self, request: &Request) -> Answer {
        let results = self.town.searcher.search(request).unwrap();
        let ids = results.ids();
        let wanted = self.agents.iter().filter(|it| ids.contains(&it.listing.id));
        let wanted = wanted.cloned().collect();
        results.join(wanted)
    }
}

fn of_capabilities(text: &str) -> Request {
    Request {
        unit: Unit::Capability,
        ..Request::new(query::parse(text), 100)
    }
}

/// Returns site and name of the capability of a hit.
fn shown(found: &AgentHit) -> (&str, &str) {
    let capability = found.capability().unwrap();
    (found.agent.domain.as_str(), &capability.name)
}

#[test]
fn the_best_capability_of_the_right_agent_is_first() {
    for (need, site, name) in [
        (NEEDS[0], "mesa.example", "book_table"),
        ("cancel my reservation", "mesa.example", "cancelBooking"),
        (NEEDS[2], "mesa.example", "book_table"),
        ("seven days forecast", "weather.example", "getForecast"),
        ("warn me of storms", "weather.example", "storm.alert"),
        (NEEDS[5], "papierkram.example", "create_invoice"),
    ] {
        let answer = MARKET.answer(&of_capabilities(need));
        let first = &answer.found[0];
        assert_eq!(shown(first), (site, name), "{need}");
        assert!(!first.because.is_empty(), "{need}");
        let of = |it: &Reason| it.capability.as_deref() == Some(name);
        assert!(first.because.iter().all(of), "{need}: {:?}", first.because);
    }
}

#[test]
fn an_id_finds_its_capability_and_a_sentence_has_no_exact_rule() {
    let answer = MARKET.answer(&of_capabilities("storm.alert"));
    assert_eq!(shown(&answer.found[0]), ("weather.example", "storm.alert"));
    assert_eq!(answer.found[0].hit.score, 100);
    let others = &answer.found[1..];
    assert!(others.iter().all(|it| it.hit.score < 100));
    let answer = MARKET.answer(&of_capabilities("repair a submarine 6"));
    assert!(answer.results.fit < Fit::Strong);
}

#[test]
fn a_card_with_the_words_of_every_need_is_first_for_none_that_another_agent_meets() {
    for need in NEEDS.iter().filter(|it| !it.contains("submarine")) {
        let answer = MARKET.answer(&of_capabilities(need));
        assert_ne!(shown(&answer.found[0]).0, "everything.example", "{need}");
    }
}

#[test]
fn a_query_of_filters_lists_the_first_capabilities_of_each_agent_without_a_score() {
    let answer = MARKET.answer(&of_capabilities(
        "site:weather.example site:everything.example",
    ));
    let shown: Vec<_> = answer.found.iter().map(|it| shown(it).1).collect();
    let of_everything = |at| format!("{} {at}", NEEDS[at]);
    assert_eq!(
        shown,
        [
            "getForecast",
            "storm.alert",
            &of_everything(0),
            &of_everything(1)
        ]
    );
    assert!(answer.found.iter().all(|it| it.hit.score == 0));
    assert_eq!((answer.results.total, answer.results.weaker), (4, 0));
}

#[test]
fn a_filter_by_capability_leaves_only_that_capability() {
    for text in ["cap:cancelBooking", "book a table cap:cancelBooking"] {
        let answer = MARKET.answer(&of_capabilities(text));
        let shown: Vec<_> = answer.found.iter().map(shown).collect();
        assert_eq!(shown, [("mesa.example", "cancelBooking")], "{text}");
    }
}

#[test]
fn another_order_lists_matches_only() {
    let mut weaker = 0;
    for need in NEEDS {
        let all = MARKET.answer(&of_capabilities(need));
        let matches: Vec<_> = all
            .found
            .iter()
            .filter(|it| it.hit.fit > Fit::None)
            .collect();
        // Other capabilities of agents that match.
        let of_match = |it: &&AgentHit| matches.iter().any(|other| other.hit.id == it.hit.id);
        let others = all.found.iter().filter(|it| it.hit.fit == Fit::None);
        weaker += others.filter(of_match).count();
        for sort in [Sort::Updated, Sort::Name] {
            let request = Request {
                sort,
                ..of_capabilities(need)
            };
            let answer = MARKET.answer(&request);
            assert_eq!(answer.found.len(), matches.len(), "{sort:?} {need}");
            let is_match = |it: &AgentHit| it.hit.fit > Fit::None;
            assert!(answer.found.iter().all(is_match), "{sort:?} {need}");
        }
    }
    assert!(weaker > 0);
}

#[test]
fn the_nearest_agent_is_found_among_more_than_are_compared() {
    let texts = ["Forecasts of the weather.", "Repairs pipes and taps."];
    let few: Vec<StoredAgent> = (0_i64..)
        .zip(texts)
        .map(|(at, text)| {
            stored(
                &format!("a{at}.example"),
                "agent",
                at,
                agent("A", text, vec![]),
            )
        })
        .collect();
    let known = vectors(&few);
    let last = 2_999;
    let agents: Vec<StoredAgent> = (0..=last)
        .map(|at| {
            let agent = agent("A", texts[usize::from(at == last)], vec![]);
            stored(&format!("a{at}.example"), "agent", at, agent)
        })
        .collect();
    let of = |it: &StoredAgent| {
        let is_last = it.domain.as_str() == format!("a{last}.example");
        let of_few = &few[usize::from(is_last)].listing.id;
        (it.listing.id.clone(), known[of_few])
    };
    let all: SentenceVectors = agents.iter().map(of).collect();
    let dir = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    build.add_all(&agents, &all).unwrap();
    writer.switch(build, position(1)).unwrap();
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request("Klempner")).unwrap();
    assert_eq!(ids(&results)[0], format!("a{last}.example/agent"));
}

#[test]
fn an_agent_without_capabilities_is_no_hit() {
    let answer = MARKET.answer(&of_capabilities("東京の天気"));
    let agents = MARKET.answer(&Request::new(query::parse("東京の天気"), 100));
    assert_eq!(agents.found[0].agent.domain.as_str(), "tenki.example");
    let mut sites = answer.found.iter().map(|it| it.agent.domain.as_str());
    assert!(!answer.found.is_empty() && sites.all(|it| it != "tenki.example"));
}

#[test]
fn hits_of_another_language_than_the_need_say_so() {
    let request = Request::new(query::parse(NEEDS[0]), 10);
    let english = MARKET.answer(&request);
    assert_eq!(english.found[0].language, None);
    let request = Request::new(query::parse(NEEDS[2]), 10);
    let german = MARKET.answer(&request);
    assert_eq!(german.found[0].language, Some("en"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn capabilities_are_in_the_order_of_scores_that_are_not_above_those_of_their_agents(
        need in prop::sample::select(NEEDS.to_vec()),
        limit in 1_usize..8,
        least in prop::sample::select(vec![Fit::None, Fit::Weak, Fit::Good, Fit::Strong]),
    ) {
        let all = MARKET.answer(&of_capabilities(need));
        let agents = MARKET.answer(&Request::new(query::parse(need), 100));
        let mut counts = BTreeMap::new();
        for found in &all.found {
            *counts.entry(&found.hit.id).or_insert(0) += 1;
            let agent = agents.found.iter().find(|it| it.hit.id == found.hit.id);
            prop_assert!(found.hit.score <= agent.unwrap().hit.score);
        }
        prop_assert!(counts.values().all(|it| *it <= 2));
        prop_assert!(all.found.is_sorted_by(|left, right| left.hit.score >= right.hit.score));
        let matching = all.found.iter().filter(|it| it.hit.fit > Fit::None).count();
        prop_assert_eq!(all.results.total, matching as u64);
        prop_assert_eq!(all.results.weaker, (all.found.len() - matching) as u64);

        // Pages of a strict answer are the answer, as far as its level permits.
        let mut paged: Vec<(String, String, Fit)> = Vec::new();
        let mut after: Option<Cursor> = None;
        loop {
            let request = Request { limit, nearest: limit, least, after, ..of_capabilities(need) };
            let page = MARKET.answer(&request);
            prop_assert!(page.found.len() <= limit);
            paged.extend(page.found.iter().map(owned));
            after = page.results.next;
            if after.is_none() {
                break;
            }
        }
        let strict = all.found.iter().filter(|it| it.hit.fit >= least);
        prop_assert_eq!(paged, strict.map(owned).collect::<Vec<_>>());
    }
}

fn owned(found: &AgentHit) -> (String, String, Fit) {
    let (site, name) = shown(found);
    (site.to_owned(), name.to_owned(), found.hit.fit)
}
