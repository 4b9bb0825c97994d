//! Searches over a small set of agents.

use super::*;
use crate::facet::Facet;
use crate::{
    Answer, IndexWriter, MatchedField, Reason, SentenceVectors, embedding, of_agents, query,
};
use manifest::agent::{Auth, Interface, Provider};
use manifest::listing::Listing;
use manifest::{Agent, AgentId, Capability, Domain, Level, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use store::{AgentStatus, StoredAgent};

mod answers;
mod brands;
mod capabilities;
mod completing;
mod damage;
mod directory;
mod exact;
mod filters;
mod folding;
mod huge;
mod languages;
mod misspelled;
mod nearest;
mod neighbours;
mod pages;
mod pasted;
mod prefixes;
mod stop_words;
mod vocabulary;
mod words;

fn capability(name: &str, description: &str, examples: &[&str]) -> Capability {
    Capability {
        id: name.to_owned(),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        examples: examples.iter().map(|&it| it.to_owned()).collect(),
        ..Capability::default()
    }
}

fn stored(domain: &str, slug: &str, changed: i64, agent: Agent) -> StoredAgent {
    let domain = Domain::parse(domain).unwrap();
    StoredAgent {
        listing: Listing {
            id: AgentId::new(&domain, slug),
            format: manifest::formats::find("a2a-agent-card").unwrap(),
            level: Level::A,
            agent,
            sources: Vec::new(),
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        },
        domain,
        first_seen: Timestamp(changed - 10),
        last_seen: Timestamp(changed),
        changed: Timestamp(changed),
        hash: String::new(),
        status: AgentStatus::Ok,
    }
}

fn agent(name: &str, description: &str, capabilities: Vec<Capability>) -> Agent {
    Agent {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        capabilities,
        ..Agent::default()
    }
}

/// Returns nine agents of various kinds.
fn town() -> Vec<StoredAgent> {
    let mut mesa = agent(
        "Mesa reservations",
        "Reservations for forty restaurants along the Tejo.",
        vec![
            capability(
                "book_table",
                "Reserves a table at a restaurant in Lisbon.",
                &["A table for four on Friday evening"],
            ),
            capability("cancelBooking", "Calls a reservation off.", &[]),
        ],
    );
    mesa.tags = vec!["Restaurants".to_owned(), "lisbon".to_owned()];
    mesa.auth = vec![Auth {
        scheme: "oauth2".to_owned(),
        ..Auth::default()
    }];
    mesa.interfaces = vec![Interface {
        protocol: "a2a".to_owned(),
        url: "https://mesa.example/a2a".to_owned(),
        ..Interface::default()
    }];
    let guide = agent(
        "Lisbon guide",
        "Stories of Lisbon: how to book a fado evening, where a table is worth the wait.",
        vec![capability(
            "tell_story",
            "Tells a story about a street.",
            &[],
        )],
    );
    let mut weather = agent(
        "Weather desk",
        "Forecasts for Portugal.",
        vec![
            capability(
                "getForecast",
                "Weather forecast for a town, seven days.",
                &[],
            ),
            capability("storm.alert", "Warns of storms.", &[]),
        ],
    );
    weather.provider = Some(Provider {
        name: "Atlantic Observatory".to_owned(),
        url: None,
    });
    let invoices = agent(
        "Papierkram",
        "Rechnungen für kleine Betriebe.",
        vec![capability(
            "create_invoice",
            "Writes an invoice as PDF.",
            &["Invoice my client for three hours"],
        )],
    );
    let tokyo = agent("天気予報", "東京の天気をお知らせします。", vec![]);
    let mut all = vec![
        stored("mesa.example", "mesa-reservations", 500, mesa),
        stored("guide.example", "lisbon-guide", 400, guide),
        stored("weather.example", "weather-desk", 300, weather),
        stored("papierkram.example", "papierkram", 200, invoices),
        stored("tenki.example", "tenki", 100, tokyo),
    ];
    for number in 0_i64..4 {
        let clone = agent(
            &format!("Parcel bot {number}"),
            "Tracks parcels.",
            vec![capability("track_parcel", "Tells where a parcel is.", &[])],
        );
        all.push(stored(
            &format!("p{number}.parcels.example"),
            "parcel-bot",
            600 + number,
            clone,
        ));
    }
    all[3].listing.format = manifest::formats::find("zervice").unwrap();
    all[3].listing.level = Level::C;
    all
}

fn build(dir: &Path, agents: &[StoredAgent], seq: u64) {
    let mut writer = IndexWriter::open(dir, embedding::shipped()).unwrap();
    let build = writer.rebuild().unwrap();
    build.add_all(agents, &vectors(agents)).unwrap();
    writer.switch(build, position(seq)).unwrap();
}

/// Returns the sentence vectors of agents, as the indexer would have computed them.
fn vectors(agents: &[StoredAgent]) -> SentenceVectors {
    let encoder = embedding::shipped().and_then(|it| it.encoder).unwrap();
    of_agents(agents, encoder)
}

fn position(seq: u64) -> Position {
    Position {
        seq,
        fingerprint: String::new(),
    }
}

fn request(text: &str) -> Request {
    Request {
        per_site: 2,
        unfold: false,
        ..Request::new(query::parse(text), 10)
    }
}

/// Answers a search and joins the hits with `agents`.
fn answered(searcher: &Searcher, text: &str, agents: &[StoredAgent]) -> Answer {
    let results = searcher.search(&request(text)).unwrap();
    let ids = results.ids();
    let wanted = agents.iter().filter(|it| ids.contains(&it.listing.id));
    let wanted = wanted.cloned().collect();
    results.join(wanted)
}

/// Returns the best reason for the first hit.
fn first_reason(answer: &Answer) -> &Reason {
    &answer.found[0].because[0]
}

/// Returns the hits that are matches, and not only the nearest.
fn matches(results: &Results) -> Vec<&str> {
    let hits = results.hits.iter().filter(|hit| hit.fit > Fit::None);
    hits.map(|hit| hit.id.as_str()).collect()
}

fn ids(results: &Results) -> Vec<&str> {
    results.hits.iter().map(|hit| hit.id.as_str()).collect()
}

struct Town {
    searcher: Searcher,
    _dir: tempfile::TempDir,
}

impl Town {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &town(), 9);
        Self {
            searcher: Searcher::open(dir.path(), embedding::shipped()).unwrap(),
            _dir: dir,
        }
    }

    fn search(&self, text: &str) -> Results {
        self.searcher.search(&request(text)).unwrap()
    }

    fn answer(&self, text: &str) -> Answer {
        answered(&self.searcher, text, &town())
    }
}

#[test]
fn a_need_finds_the_agent_that_meets_it_first() {
    let town = Town::new();
    let table: &[(&str, &str, Fit)] = &[
        (
            "book a table for four in Lisbon",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        (
            "I need someone who can reserve a restaurant table",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        (
            "what will the weather be like",
            "weather.example/weather-desk",
            Fit::Strong,
        ),
        ("getforecast", "weather.example/weather-desk", Fit::Strong),
        ("get_forecast", "weather.example/weather-desk", Fit::Strong),
        ("storm alerts", "weather.example/weather-desk", Fit::Good),
        ("storm.alert", "weather.example/weather-desk", Fit::Strong),
        (
            "invoice for a client",
            "papierkram.example/papierkram",
            Fit::Strong,
        ),
        (
            "RECHNUNGEN FUR BETRIEBE",
            "papierkram.example/papierkram",
            Fit::Weak,
        ),
        ("東京の天気", "tenki.example/tenki", Fit::Strong),
        (
            "weather.example",
            "weather.example/weather-desk",
            Fit::Strong,
        ),
        (
            "mesa reservations",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        ("observatory", "weather.example/weather-desk", Fit::Weak),
        ("reserv*", "mesa.example/mesa-reservations", Fit::Strong),
        (
            "\"table for four\"",
            "mesa.example/mesa-reservations",
            Fit::Strong,
        ),
        (
            "hotel OR invoice",
            "papierkram.example/papierkram",
            Fit::Strong,
        ),
    ];
    for (text, first, fit) in table {
        let results = town.search(text);
        assert_eq!(ids(&results).first(), Some(first), "{text}: {results:#?}");
        assert_eq!(results.fit, *fit, "{text}: {:?}", results.hits[0]);
    }
}

#[test]
fn a_matching_capability_outranks_a_description_with_the_same_words() {
    let offering = agent(
        "Mesa",
        "",
        vec![capability("book_table", "Reserves a table in Lisbon.", &[])],
    );
    let mentioning = agent(
        "Guide",
        "We write about Lisbon: book fairs, table tops.",
        vec![],
    );
    let dir = tempfile::tempdir().unwrap();
    let both = [
        stored("talks.example", "guide", 1, mentioning),
        stored("does.example", "mesa", 1, offering),
    ];
    build(dir.path(), &both, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let results = searcher.search(&request("book table lisbon")).unwrap();
    assert_eq!(ids(&results).first(), Some(&"does.example/mesa"));
}

#[test]
fn a_need_that_no_agent_meets_has_the_nearest_agents_and_no_fit() {
    let town = Town::new();
    for text in [
        "knit a woollen sweater",
        "sell my house by auction tomorrow",
    ] {
        let results = town.search(text);
        assert_eq!((results.total, results.fit), (0, Fit::None), "{text}");
        assert!(results.weaker >= 3 && results.hits.len() >= 3, "{text}");
        let strict = Request {
            least: Fit::Weak,
            ..request(text)
        };
        let strict = town.searcher.search(&strict).unwrap();
        assert!(strict.hits.is_empty() && strict.weaker == 0, "{text}");
        let few = Request {
            nearest: 3,
            ..request(text)
        };
        let few = town.searcher.search(&few).unwrap();
        assert_eq!(few.hits[..], results.hits[..3], "{text}");
        assert_eq!(few.next.is_some(), results.weaker > 3, "{text}");
    }
    assert_eq!(town.search("\"four for table\"").hits, []);
    let others = town.search("weather -forecasts -weather");
    assert!(!ids(&others).contains(&"weather.example/weather-desk"));
}

#[test]
fn one_common_word_of_several_is_not_enough() {
    let results = Town::new().search("violin lessons for beginners in Lisbon");
    assert!(results.fit <= Fit::Weak, "{results:#?}");
}

#[test]
fn the_terms_shown_are_the_informative_words() {
    let results = Town::new().search("Can you book a Table for four in Lisbon?");
    assert_eq!(results.terms, ["book", "table", "four", "lisbon"]);
}

#[test]
fn reasons_name_the_capability_and_mark_the_words() {
    let answer = Town::new().answer("weather forecast");
    let reason = first_reason(&answer);
    assert_eq!(reason.capability.as_deref(), Some("getForecast"));
    let marked: Vec<_> = reason
        .snippet
        .iter()
        .filter(|it| it.is_match)
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(marked, ["Weather", "forecast"]);
}

#[test]
fn a_synonym_matches_by_meaning_and_the_reason_says_so() {
    let answer = Town::new().answer("will it rain");
    assert_eq!(ids(&answer.results)[0], "weather.example/weather-desk");
    let reason = first_reason(&answer);
    assert_eq!(reason.field, MatchedField::Meaning);
    assert_eq!(reason.capability.as_deref(), Some("getForecast"));
}

#[test]
fn quotation_marks_within_a_sentence_set_no_condition() {
    let town = Town::new();
    let text =
        "please find me somebody who can get \"the very best table\" in a restaurant in Lisbon";
    assert_eq!(
        ids(&town.search(text)).first(),
        Some(&"mesa.example/mesa-reservations")
    );
    assert_eq!(town.search("\"the very best table\"").total, 0);
}

#[test]
fn odd_queries_are_answered() {
    let town = Town::new();
    for text in [
        "*",
        "-",
        "OR",
        "\"",
        "a:b:c",
        "site:",
        "(((",
        "🦀",
        "\u{0}",
        "the",
        "-parcel",
        "to be or not to be",
    ] {
        town.search(text);
    }
    assert_eq!(town.search("-parcel").total, 5);
}
